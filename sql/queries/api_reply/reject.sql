-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_reply_reject
-- params: id int8, why text, by text
-- result: body jsonb
-- rows: 1
SELECT api_reply_reject($1, $2, $3) AS body;
