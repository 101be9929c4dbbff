-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_build_get
-- params: id int8
-- result: body jsonb
-- rows: 0..1
SELECT jsonb_build_object('v', 1, 'build', api_build(b),
	'plans', (SELECT coalesce(jsonb_agg(jsonb_build_object('plan_id', p.id::text, 'series_id', x.id::text,
		'title', x.title, 'version', x.version, 'side', CASE WHEN p.base_build_id = b.id THEN 'base'
			ELSE 'patched' END) ORDER BY p.id), '[]')
		FROM plan p JOIN series x ON x.id = p.series_id WHERE b.id IN (p.base_build_id, p.patched_build_id)),
	'runs', (SELECT coalesce(jsonb_agg(r.id::text ORDER BY r.id), '[]') FROM run r WHERE r.build_id = b.id)) AS body
	FROM build b WHERE b.id = $1;
