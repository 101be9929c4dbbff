-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_runner_renew
-- params: token_id int8, id int8, fence int8, progress jsonb
-- result: holds bool
-- rows: 1
SELECT api_runner_renew($1, $2, $3, $4) AS holds;
