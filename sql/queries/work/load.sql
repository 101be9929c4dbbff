-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: work_load
-- params: id int8, fence int8
-- result: input jsonb
-- rows: 1
SELECT work_load($1, $2) AS input;
