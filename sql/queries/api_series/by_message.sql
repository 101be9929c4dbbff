-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_series_by_message
-- params: message_id text
-- result: body jsonb
-- rows: 0..1
SELECT jsonb_build_object('v', 1, 'series_id', s.id::text) AS body
	FROM mail m JOIN series_part p ON p.mail_id = m.id JOIN series s ON s.id = p.series_id
	WHERE m.message_id = $1 AND s.state <> 'withdrawn' ORDER BY s.id DESC LIMIT 1;
