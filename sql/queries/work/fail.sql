-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: work_fail
-- params: id int8, fence int8, outcome text, why text
-- result: stored bool
-- rows: 1
SELECT work_fail($1, $2, $3, $4) AS stored;
