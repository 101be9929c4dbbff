-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_run_get
-- params: id int8
-- result: body jsonb
-- rows: 0..1
SELECT jsonb_build_object('v', 1, 'run', api_run(r) || jsonb_build_object('build', (SELECT api_build(b)
		FROM build b WHERE b.id = r.build_id)),
	'build', (SELECT api_build(b) FROM build b WHERE b.id = r.build_id),
	'samples', (SELECT coalesce(jsonb_agg(jsonb_build_object('bench', s.bench, 'load', s.load, 'metric', s.metric,
		'n', s.n, 'value', s.value, 'unit', s.unit, 'better', s.better) ORDER BY s.bench, s.load, s.metric, s.n), '[]')
		FROM sample s WHERE s.run_id = r.id),
	'events', coalesce(r.detail->'events', '[]'),
	'plans', (SELECT coalesce(jsonb_agg(jsonb_build_object('plan_id', p.id::text, 'series_id', x.id::text,
		'title', x.title, 'version', x.version, 'side', pr.side, 'position', pr.position) ORDER BY p.id), '[]')
		FROM plan_run pr JOIN plan p ON p.id = pr.plan_id JOIN series x ON x.id = p.series_id
		WHERE pr.run_id = r.id)) AS body
	FROM run r WHERE r.id = $1;
