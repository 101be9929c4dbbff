-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_runner_release
-- params: id int8, fence int8
-- result: released bool
-- rows: 1
SELECT api_runner_release($1, $2) AS released;
