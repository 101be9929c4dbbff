-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_reply_approve
-- params: id int8, sha256 text, by text
-- result: body jsonb
-- rows: 1
SELECT api_reply_approve($1, $2, $3) AS body;
