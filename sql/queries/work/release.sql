-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: work_release
-- params: id int8, fence int8, why text
-- result: stored bool
-- rows: 1
SELECT work_release($1, $2, $3) AS stored;
