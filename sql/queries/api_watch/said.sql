-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_watch_said
-- params: id int8, changed bool, error text, retry_ms int8, ahead_ms int8
-- result: taken bool
-- rows: 1
SELECT api_watch_said($1, $2, $3, $4, $5) AS taken;
