-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: work_store
-- params: id int8, fence int8, result jsonb
-- result: stored bool
-- rows: 1
SELECT work_store($1, $2, $3) AS stored;
