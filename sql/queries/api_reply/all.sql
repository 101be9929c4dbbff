-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_reply_all
-- params: state text
-- result: body jsonb
-- rows: 1
SELECT jsonb_build_object('v', 1, 'replies', coalesce(jsonb_agg(api_reply(p) ORDER BY p.id DESC), '[]')) AS body
	FROM (SELECT * FROM reply WHERE $1::text IS NULL OR state = $1 ORDER BY id DESC LIMIT 500) p;
