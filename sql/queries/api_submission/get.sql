-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_submission_get
-- params: id int8
-- result: body jsonb
-- rows: 0..1
SELECT jsonb_build_object('v', 1, 'id', u.id::text, 'message_id', u.message_id, 'version', u.version,
	'mbox', u.mbox, 'state', u.state,
	'why', u.why, 'series_id', u.series_id::text, 'list', (SELECT name FROM list WHERE id = u.list_id),
	'url', u.url, 'tree', (SELECT name FROM tree WHERE id = u.tree_id), 'base', u.base,
	'created_at', api_time(u.created_at)) AS body
	FROM submission u WHERE u.id = $1;
