-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_runner_lease
-- params: token_id int8, machine_id int8, session text, kinds text[], n int4
-- result: body jsonb, n int4
-- rows: 1
SELECT x.body, jsonb_array_length(x.body->'jobs') AS n FROM (SELECT api_runner_lease($1, $2, $3, $4, $5) AS body) x;
