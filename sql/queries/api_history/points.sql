-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_history_points
-- params: bench text, load text, metric text, topology text, machine text, n int4
-- result: body jsonb
-- rows: 1
WITH num AS (
	SELECT s.run_id, s.bench, s.load, s.metric, s.unit, s.better, r.topology, m.name AS machine,
		coalesce(r.ended_at, r.started_at) AS at, r.build_id, avg(s.value) AS mean, count(*) AS n,
		stddev_samp(s.value) AS sd
	FROM sample s JOIN run r ON r.id = s.run_id LEFT JOIN machine m ON m.id = r.machine_id
	GROUP BY s.run_id, s.bench, s.load, s.metric, s.unit, s.better, r.topology, m.name, r.ended_at,
		r.started_at, r.build_id
), fit AS (
	SELECT * FROM num x WHERE ($1::text IS NOT NULL AND $2::text IS NOT NULL AND $3::text IS NOT NULL)
		AND x.bench = $1 AND x.load = $2 AND x.metric = $3
		AND ($4::text IS NULL OR x.topology = $4) AND ($5::text IS NULL OR x.machine = $5)
		ORDER BY x.at DESC NULLS LAST, x.run_id DESC LIMIT $6::int4
)
SELECT jsonb_build_object('v', 1,
	'points', (SELECT coalesce(jsonb_agg(jsonb_build_object('run_id', f.run_id::text, 'at', api_time(f.at),
		'side', u.side, 'commit', b.commit_id, 'series_id', u.series_id::text, 'title', u.title,
		'topology', f.topology, 'machine', f.machine, 'mean', f.mean, 'n', f.n, 'sd', f.sd, 'unit', f.unit,
		'better', f.better) ORDER BY f.at, f.run_id), '[]')
		FROM fit f LEFT JOIN build b ON b.id = f.build_id LEFT JOIN LATERAL (SELECT pr.side, p.series_id, s.title
			FROM plan_run pr JOIN plan p ON p.id = pr.plan_id JOIN series s ON s.id = p.series_id
			WHERE pr.run_id = f.run_id ORDER BY p.id DESC LIMIT 1) u ON true),
	'choices', (SELECT coalesce(jsonb_agg(jsonb_build_object('bench', c.bench, 'load', c.load, 'metric', c.metric,
		'topology', c.topology, 'machine', c.machine, 'unit', c.unit, 'better', c.better, 'points', c.n)
		ORDER BY c.bench, c.load, c.metric, c.topology, c.machine), '[]') FROM (SELECT bench, load, metric,
			topology, machine, unit, better, count(*) AS n FROM num GROUP BY 1, 2, 3, 4, 5, 6, 7) c)) AS body;
