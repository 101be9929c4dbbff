-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_status_get
-- params: server jsonb
-- result: body jsonb
-- rows: 1
SELECT $1::jsonb || jsonb_build_object('v', 1,
	'queue', (SELECT coalesce(jsonb_agg(jsonb_build_object('pool', c.pool, 'kind', c.kind, 'state', c.state, 'n', c.n)
		ORDER BY c.pool, c.kind, c.state), '[]') FROM (SELECT pool, kind, state, count(*) AS n FROM job GROUP BY 1, 2, 3) c),
	'machines', (SELECT jsonb_build_object('online', count(*) FILTER (WHERE state = 'online'),
		'offline', count(*) FILTER (WHERE state = 'offline')) FROM machine),
	'settings', (SELECT jsonb_agg(jsonb_build_object('name', name, 'value', value, 'help', help) ORDER BY name) FROM setting),
	'test_database', setting_get('test_database') = 'yes',
	'limits', (SELECT jsonb_object_agg(name, value::int8) FROM setting
		WHERE name IN ('queue_max_waiting', 'queue_max_running', 'job_max_attempts')),
	'worker', (SELECT e.data || jsonb_build_object('at', api_time(e.at)) FROM event e WHERE e.entity = 'worker'
		ORDER BY e.id DESC LIMIT 1)) AS body;
