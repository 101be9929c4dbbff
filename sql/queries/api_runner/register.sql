-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_runner_register
-- params: token_id int8, name text, arch text, caps text[], topology jsonb, tools jsonb, session text, test_only bool
-- result: body jsonb
-- rows: 1
SELECT api_runner_register($1, $2, $3, $4, $5, $6, $7, $8) AS body;
