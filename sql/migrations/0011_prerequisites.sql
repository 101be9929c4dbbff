-- SPDX-License-Identifier: GPL-2.0-or-later
-- What a series builds on is looked up among all series of the database and applied before it. The kernel that
-- it is compared with is then the base with these patches: docs/applying.md "Prerequisites".

CREATE INDEX mail_patch_id ON mail ((facts->>'patch_id')) WHERE facts->>'patch_id' IS NOT NULL;

ALTER TABLE application
	ADD COLUMN before_commit oid_hex,  -- base_commit with the prerequisites; NULL: there were none to apply
	ADD COLUMN before_tree oid_hex;

-- ---- finding ----

-- The series that one prerequisite may mean; lib/mail/depends.h decides. The newest, where a patch is in several.
CREATE FUNCTION prerequisite_series(p jsonb) RETURNS SETOF int8 LANGUAGE plpgsql STABLE AS $$
DECLARE
	value_ text := p->>'value';
BEGIN
	CASE p->>'kind'
	WHEN 'patch-id' THEN
		RETURN QUERY SELECT s.id FROM mail m JOIN series_part q ON q.mail_id = m.id JOIN series s ON s.id = q.series_id
			WHERE m.facts->>'patch_id' = value_ AND s.state <> 'withdrawn' ORDER BY s.id DESC LIMIT 1;
	WHEN 'message-id' THEN
		RETURN QUERY SELECT DISTINCT s.id FROM mail m JOIN series_part q ON q.mail_id = m.id
			JOIN series s ON s.id = q.series_id WHERE m.message_id = value_ AND s.state <> 'withdrawn';
	WHEN 'change-id' THEN
		RETURN QUERY SELECT DISTINCT s.id FROM mail_key k JOIN series_part q ON q.mail_id = k.mail_id
			JOIN series s ON s.id = q.series_id WHERE k.key = 'change:' || value_ AND s.state <> 'withdrawn'
			AND coalesce(p->>'version', 'v' || s.version) = 'v' || s.version;
	ELSE -- the base is no series
	END CASE;
END $$;

CREATE FUNCTION series_prerequisites(s series) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN jsonb_typeof(s.facts->'prerequisites') = 'array' THEN s.facts->'prerequisites' ELSE '[]' END
$$;

-- A series for workers/apply/before.h.
CREATE FUNCTION series_before_row(s series) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('root', s.root_message_id, 'version', s.version, 'change_id', s.facts->>'change_id',
		'complete', coalesce((s.facts->>'complete')::bool, false), 'prerequisites', series_prerequisites(s),
		'parts', (SELECT coalesce(jsonb_agg(jsonb_build_object('n', p.n, 'blob', m.blob,
				'received_at', epoch_s(m.received_at), 'inherited', coalesce((f.e->>'inherited')::bool, false))
				ORDER BY p.n::numeric), '[]')
			FROM series_part p JOIN mail m ON m.id = p.mail_id
			LEFT JOIN jsonb_array_elements(CASE WHEN jsonb_typeof(s.facts->'patches') = 'array'
				THEN s.facts->'patches' ELSE '[]' END) f(e) ON f.e->>'message_id' = m.message_id
			WHERE p.series_id = s.id))
$$;

-- The series, then all that its prerequisites lead to, older versions first; [] where it names none. One step
-- more than may be gone, so that "too far" is told from "not here".
CREATE FUNCTION series_before(series_id_ int8) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
	ids_ int8[] := ARRAY[series_id_];
	edge_ int8[] := ids_;
	parts_ int8;
BEGIN
	IF NOT EXISTS (SELECT 1 FROM series s WHERE s.id = series_id_ AND series_prerequisites(s) <> '[]') THEN
		RETURN '[]';
	END IF;
	FOR step_ IN 1..6 LOOP
		SELECT array_agg(DISTINCT f.id) INTO edge_ FROM series s,
			LATERAL (SELECT e FROM jsonb_array_elements(series_prerequisites(s)) e LIMIT 1000) p,
			LATERAL prerequisite_series(p.e) f(id) WHERE s.id = ANY (edge_) AND NOT f.id = ANY (ids_);
		EXIT WHEN edge_ IS NULL OR cardinality(ids_ || edge_) > 200;
		SELECT count(*) INTO parts_ FROM series_part WHERE series_id = ANY (ids_ || edge_);
		EXIT WHEN parts_ > 2000;
		ids_ := ids_ || edge_;
	END LOOP;
	RETURN (SELECT jsonb_agg(series_before_row(s) ORDER BY s.id <> series_id_, s.version::numeric, s.first_time, s.id)
		FROM series s WHERE s.id = ANY (ids_));
END $$;

CREATE OR REPLACE FUNCTION work_apply_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
	t tree;
BEGIN
	SELECT * INTO s FROM series WHERE id = (j.payload->>'series_id')::int8;
	IF NOT FOUND OR s.state <> 'complete' OR s.content <> j.payload->>'content' THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'no longer wanted');
	END IF;
	SELECT * INTO t FROM tree WHERE id = series_tree(s.id);
	IF NOT FOUND OR t.state <> 'ready' THEN
		RETURN jsonb_build_object('finish', 'failed', 'why', CASE WHEN t.id IS NULL THEN 'no kernel tree is set up'
			ELSE format('the tree %s is not ready: %s', t.name, coalesce(nullif(t.why, ''), t.state)) END);
	END IF;
	RETURN jsonb_build_object('series_id', s.id::text, 'version', s.version, 'title', s.title,
		'tree', tree_apply(t), 'branch', format('series/%s/v%s', s.id, s.version),
		'base', (SELECT u.base FROM submission u WHERE u.series_id = s.id AND u.base IS NOT NULL
			ORDER BY u.id DESC LIMIT 1),
		'previous', (SELECT a.base_commit FROM application a WHERE a.series_id = s.previous_id
			AND a.result = 'applied' AND a.tree_id = t.id ORDER BY a.id DESC LIMIT 1),
		'time', epoch_s((SELECT max(m.order_time) FROM series_part p JOIN mail m ON m.id = p.mail_id
			WHERE p.series_id = s.id)),
		'parts', series_mails(s.id), 'before', series_before(s.id));
END $$;

CREATE OR REPLACE FUNCTION work_apply_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
	t tree;
	app_ int8;
	needs_ int8[] := '{}';
	until_ timestamptz;
	why_ text := r->>'why';
BEGIN
	SELECT * INTO s FROM series WHERE id = (j.payload->>'series_id')::int8 FOR UPDATE;
	IF s.state <> 'complete' OR s.content <> j.payload->>'content' THEN
		RETURN jsonb_build_object('why', 'no longer wanted');
	END IF;
	SELECT * INTO t FROM tree WHERE name = r->>'tree_name';
	IF r->>'result' = 'no_base' AND t.kind = 'git' THEN
		INSERT INTO base_wait (series_id, tree_id) VALUES (s.id, t.id) ON CONFLICT (series_id) DO NOTHING;
		SELECT since + interval '3 days' INTO until_ FROM base_wait WHERE series_id = s.id;
		IF until_ > now() THEN
			why_ := format('%s; tried again when %s has new commits, until %s', why_, t.name, api_time(until_));
		END IF;
	END IF;
	INSERT INTO application (series_id, content, tree_id, result, why, base_commit, base_tree, base_how,
			base_label, before_commit, before_tree, patched_commit, patched_tree, branch, patch_pack, detail)
		VALUES (s.id, s.content, t.id, r->>'result', r->>'why', r->>'base_commit', r->>'base_tree',
			coalesce(r->>'base_how', ''), coalesce(r->>'base_label', ''), r->>'before_commit', r->>'before_tree',
			r->>'patched_commit', r->>'patched_tree', r->>'branch', work_file(r, r->>'pack'), r->'detail')
		ON CONFLICT (series_id, content) DO UPDATE SET tree_id = EXCLUDED.tree_id, result = EXCLUDED.result,
			why = EXCLUDED.why, base_commit = EXCLUDED.base_commit, base_tree = EXCLUDED.base_tree,
			base_how = EXCLUDED.base_how, base_label = EXCLUDED.base_label,
			before_commit = EXCLUDED.before_commit, before_tree = EXCLUDED.before_tree,
			patched_commit = EXCLUDED.patched_commit, patched_tree = EXCLUDED.patched_tree,
			branch = EXCLUDED.branch, patch_pack = EXCLUDED.patch_pack, detail = EXCLUDED.detail
		RETURNING id INTO app_;
	IF until_ > now() THEN
		UPDATE series SET why = why_, changed_at = now() WHERE id = s.id;
		RETURN jsonb_build_object('why', why_);
	END IF;
	DELETE FROM base_wait WHERE series_id = s.id;
	IF r->>'result' = 'applied' THEN
		PERFORM series_to(s.id, 'applied', why_);
		PERFORM job_enqueue('tree', 'worker', format('publish:%s', app_), jsonb_build_object('v', 1,
			'op', 'publish', 'application_id', app_::text), '{}', 4, s.id);
		IF tree_base_pack(t.id, r->>'base_commit') IS NULL THEN
			needs_ := ARRAY[job_enqueue('tree', 'worker', format('base:%s:%s', t.id, r->>'base_commit'),
				jsonb_build_object('v', 1, 'op', 'base', 'tree_id', t.id::text, 'commit', r->>'base_commit'),
				'{}', 11, NULL)];
			PERFORM job_again(id) FROM job WHERE id = ANY (needs_) AND state <> 'done';
		END IF;
		PERFORM job_again(job_enqueue('plan', 'worker', format('plan:%s', s.id), jsonb_build_object('v', 1,
			'series_id', s.id::text), '{}', 11, s.id, needs_));
	ELSE
		PERFORM series_to(s.id, 'refused', why_);
		PERFORM reply_compose_enqueue(s.id);
	END IF;
	RETURN jsonb_build_object('why', why_);
END $$;

-- ---- the two sides ----

-- Base is the tree with the prerequisites, so that all numbers are of the series alone.
CREATE OR REPLACE FUNCTION work_plan_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
	a application;
	t tree;
BEGIN
	SELECT * INTO s FROM series WHERE id = (j.payload->>'series_id')::int8;
	IF NOT FOUND OR s.state <> 'applied' THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'no longer wanted');
	END IF;
	SELECT * INTO a FROM application WHERE series_id = s.id AND content = s.content;
	SELECT * INTO t FROM tree WHERE id = a.tree_id;
	RETURN jsonb_build_object('root', s.root_message_id, 'version', s.version, 'tree', t.name,
		'base_commit', coalesce(a.before_commit, a.base_commit), 'base_tree', coalesce(a.before_tree, a.base_tree),
		'patched_commit', a.patched_commit, 'patched_tree', a.patched_tree, 'pack', a.patch_pack,
		'arch', setting_get('plan_arch'), 'config', setting_get('plan_config'),
		'profile', setting_get('plan_profile'),
		'topologies', to_jsonb(regexp_split_to_array(btrim(setting_get('plan_topologies')), '\s+')),
		'k_blocks', setting_get('plan_blocks')::int4, 'n_runs', setting_get('plan_runs_per_boot')::int4);
END $$;

-- A base with prerequisites comes out of the series' own pack.
CREATE OR REPLACE FUNCTION work_build(p plan, key_ text, side_ text) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	a application;
	t tree;
	s series;
	b build;
	patched_ bool := side_ = 'patched';
	commit_ text;
	tree_ text;
	job_ int8;
BEGIN
	SELECT * INTO a FROM application WHERE id = p.application_id;
	SELECT * INTO t FROM tree WHERE id = a.tree_id;
	SELECT * INTO s FROM series WHERE id = p.series_id;
	SELECT * INTO b FROM build WHERE key = key_;
	commit_ := CASE WHEN patched_ THEN a.patched_commit ELSE coalesce(a.before_commit, a.base_commit) END;
	tree_ := CASE WHEN patched_ THEN a.patched_tree ELSE coalesce(a.before_tree, a.base_tree) END;
	IF b.id IS NULL THEN
		IF p.profile = 'null' THEN
			job_ := job_enqueue('null', 'runner', key_, jsonb_build_object('v', 1, 'role', 'build',
				'side', side_, 'seed', left(md5(key_), 16), 'topology', '', 'block', 0, 'runs', 0,
				'benches', '[]'::jsonb, 'mean', 0, 'boot_sd_pct', 0, 'run_sd_pct', 0, 'effect_pct', 0,
				'fail', nullif(setting_get('null_fail'), '')), '{kind:null}', 5, CASE WHEN patched_ THEN s.id END);
		ELSE
			job_ := job_enqueue('build', 'runner', key_, jsonb_build_object('v', 1,
				'arch', setting_get('plan_arch'), 'config', setting_get('plan_config'),
				'tree_name', t.name, 'label', coalesce(nullif(a.base_label, ''), nullif(t.label, ''), left(a.base_commit, 12)),
				'base_commit', a.base_commit, 'base_tree', a.base_tree,
				'base_pack', tree_base_pack(t.id, a.base_commit), 'commit', commit_, 'tree', tree_,
				'patch_pack', CASE WHEN commit_ <> a.base_commit THEN a.patch_pack END)
				|| CASE WHEN a.before_tree IS NULL THEN '{}' ELSE jsonb_build_object('before_tree', a.before_tree) END,
				ARRAY['kind:build', 'build:' || setting_get('plan_arch')], 5, CASE WHEN patched_ THEN s.id END);
		END IF;
		INSERT INTO build (key, tree_oid, commit_id, arch, config, job_id)
			VALUES (key_, tree_, commit_, setting_get('plan_arch'), setting_get('plan_config'), job_)
			ON CONFLICT (key) DO NOTHING;
		SELECT * INTO b FROM build WHERE key = key_;
	ELSIF b.state IN ('cancelled', 'lost') THEN
		PERFORM job_again(b.job_id);
	END IF;
	RETURN b.id;
END $$;

CREATE OR REPLACE FUNCTION report_repeat(a application, t tree) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN a.patch_pack IS NULL OR tree_base_pack(t.id, a.base_commit) IS NULL THEN '[]'::jsonb
	ELSE jsonb_build_array('git init -q linux-test && cd linux-test')
		|| CASE WHEN t.kind = 'git' THEN jsonb_build_array(format('echo %s > .git/shallow', a.base_commit)) ELSE '[]' END
		|| jsonb_build_array(
		format('curl -s %s/api/v1/blobs/%s | git index-pack --stdin', setting_get('base_url'),
			tree_base_pack(t.id, a.base_commit)),
		format('curl -s %s/api/v1/blobs/%s | git index-pack --stdin', setting_get('base_url'), a.patch_pack),
		format('git checkout %s   # patched', a.patched_commit),
		format('git checkout %s   # base', coalesce(a.before_commit, a.base_commit))
			|| CASE WHEN a.before_commit IS NOT NULL THEN ' with the prerequisites' ELSE '' END,
		format('wakelist-runner build --src . --out ../linux-build --config %s', setting_get('plan_config'))) END
$$;

-- Where a series stops to apply: a patch of its own, one that it builds on, else what is said of it as a whole.
CREATE OR REPLACE FUNCTION report_conflict(a application) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('patch_n', q.o, 'n_patches', q.n,
			'title', coalesce((SELECT m.facts->>'title' FROM mail m WHERE m.message_id = q.e->>'message_id'), ''),
			'file', f.e->>'path', 'hunk', coalesce(h.o, 0),
			'n_hunks', coalesce(jsonb_array_length(f.e->'hunks'), 0), 'header', h.e->>'header',
			'reason', regexp_replace(coalesce(h.e->>'error', f.e->>'error', q.e->>'error', a.why),
				'^' || regexp_replace(coalesce(f.e->>'path', ''), '([^A-Za-z0-9_/])', '\\\1', 'g') || ': ', ''),
			'closest', (SELECT coalesce(jsonb_agg(x ORDER BY n), '[]') FROM regexp_split_to_table(
				rtrim(h.e->>'closest', E'\n'), E'\n') WITH ORDINALITY y(x, n) WHERE n <= 12))
		FROM (
			SELECT 0 AS rank, e, o, jsonb_array_length(a.detail->'patches') AS n
				FROM jsonb_array_elements(a.detail->'patches') WITH ORDINALITY x(e, o)
				WHERE e->>'result' IN ('conflict', 'rejected') OR e->>'error' IS NOT NULL
			UNION ALL SELECT 1, e, 0, 1 FROM jsonb_array_elements(a.detail->'prerequisites') WITH ORDINALITY x(e, o)
				WHERE e->>'result' IN ('conflict', 'rejected') OR e->>'error' IS NOT NULL
			UNION ALL SELECT 2, jsonb_build_object('message_id', s.root_message_id), 1, 1 FROM series s
				WHERE s.id = a.series_id) q
		LEFT JOIN LATERAL (SELECT e, o FROM jsonb_array_elements(q.e->'files') WITH ORDINALITY y(e, o)
			WHERE e->>'error' IS NOT NULL OR EXISTS (SELECT 1 FROM jsonb_array_elements(e->'hunks') z
				WHERE z->>'error' IS NOT NULL) ORDER BY o LIMIT 1) f ON true
		LEFT JOIN LATERAL (SELECT e, o FROM jsonb_array_elements(f.e->'hunks') WITH ORDINALITY y(e, o)
			WHERE e->>'error' IS NOT NULL ORDER BY o LIMIT 1) h ON true
		ORDER BY q.rank, q.o LIMIT 1
$$;
