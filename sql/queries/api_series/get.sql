-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_series_get
-- params: id int8
-- result: body jsonb
-- rows: 0..1
SELECT jsonb_build_object('v', 1,
	'series', api_series(s) || jsonb_build_object('mail_url', (SELECT rtrim(l.url, '/') || '/'
		|| api_msgid_escape(s.root_message_id) || '/' FROM list l WHERE l.id = s.list_id AND l.url ~ '^https?://')),
	'stages', api_stages(s),
	'parts', (SELECT coalesce(jsonb_agg(jsonb_build_object('n', p.n, 'message_id', m.message_id, 'title', m.subject,
		'author', jsonb_build_object('name', m.author_name, 'email', m.author_email), 'blob', m.blob,
		'kind', m.kind, 'received_at', api_time(m.received_at),
		'files', (SELECT coalesce(jsonb_agg(coalesce(f->>'new', f->>'old', f->>'path', f #>> '{}')), '[]')
			FROM jsonb_array_elements(CASE WHEN jsonb_typeof(m.facts->'files') = 'array'
				THEN m.facts->'files' ELSE '[]' END) f)) ORDER BY p.n::numeric), '[]')
		FROM series_part p JOIN mail m ON m.id = p.mail_id WHERE p.series_id = s.id),
	'missing', coalesce(s.facts->'missing', '[]'), 'notes', coalesce(s.facts->'notes', '[]'),
	'versions', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', x.id::text, 'version', x.version,
		'state', x.state, 'title', x.title) ORDER BY x.first_time, x.id), '[]')
		FROM api_series_versions(s.id) x),
	'application', (SELECT jsonb_build_object('id', a.id::text, 'result', a.result, 'why', a.why,
		'tree', (SELECT t.name FROM tree t WHERE t.id = a.tree_id), 'base_commit', a.base_commit,
		'base_tree', a.base_tree, 'base_how', a.base_how,
		'before_commit', a.before_commit, 'before_tree', a.before_tree, 'patched_commit', a.patched_commit,
		'patched_tree', a.patched_tree, 'branch', a.branch, 'patch_pack', a.patch_pack, 'detail', a.detail,
		'created_at', api_time(a.created_at)) FROM application a WHERE a.series_id = s.id AND a.content = s.content),
	'plan', (SELECT api_plan(p) FROM plan p WHERE p.series_id = s.id),
	'verdicts', (SELECT coalesce(jsonb_agg(jsonb_build_object('row_no', v.row_no, 'tier', v.tier,
		'topology', v.topology, 'bench', v.bench, 'load', v.load, 'metric', v.metric, 'mark', v.mark,
		'why', v.why, 'detail', v.detail) ORDER BY v.row_no), '[]') FROM verdict v JOIN plan p ON p.id = v.plan_id
		WHERE p.series_id = s.id),
	'reply', (SELECT api_reply(r) FROM reply r WHERE r.series_id = s.id ORDER BY r.id DESC LIMIT 1),
	'jobs', (SELECT coalesce(jsonb_agg(api_job(j) ORDER BY j.id), '[]') FROM job j WHERE j.series_id = s.id
		OR j.id IN (SELECT r.job_id FROM plan p JOIN plan_run pr ON pr.plan_id = p.id JOIN run r ON r.id = pr.run_id
				WHERE p.series_id = s.id
			UNION SELECT b.job_id FROM plan p JOIN build b ON b.id IN (p.base_build_id, p.patched_build_id)
				WHERE p.series_id = s.id)),
	'events', (SELECT coalesce(jsonb_agg(api_event(e) ORDER BY e.id DESC), '[]') FROM (SELECT * FROM event x
		WHERE x.series_id = s.id ORDER BY x.id DESC LIMIT 50) e)) AS body
	FROM series s WHERE s.id = $1;
