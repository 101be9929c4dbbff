-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_runner_finish
-- params: token_id int8, id int8, fence int8, outcome text, why text, result jsonb, log text, blobs text[]
-- result: holds bool
-- rows: 1
SELECT api_runner_finish($1, $2, $3, $4, $5, $6, $7, $8) AS holds;
