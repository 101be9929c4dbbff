-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_reply_get
-- params: id int8
-- result: sha256 text, body jsonb
-- rows: 0..1
SELECT p.text::text AS sha256, jsonb_build_object('v', 1, 'reply', api_reply(p)) AS body
	FROM reply p WHERE p.id = $1;
