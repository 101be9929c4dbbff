-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_runner_job
-- params: id int8
-- result: kind text, payload jsonb
-- rows: 0..1
SELECT kind, payload FROM job WHERE id = $1 AND pool = 'runner';
