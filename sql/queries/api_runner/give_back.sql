-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_runner_give_back
-- params: token_id int8, id int8, fence int8
-- result: holds bool
-- rows: 1
SELECT api_runner_give_back($1, $2, $3) AS holds;
