-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_reply_resolve
-- params: id int8, outcome text, by text
-- result: body jsonb
-- rows: 1
SELECT api_reply_resolve($1, $2, $3) AS body;
