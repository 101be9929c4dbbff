-- SPDX-License-Identifier: GPL-2.0-or-later
-- The chain behind the patched tree: plans and what they share, reports, analysis, replies, and what
-- follows when a job ends. work_load and work_store (0004) call these.

-- ---- planning ----

INSERT INTO setting (name, value, form, wants, help) VALUES
	('plan_topologies', 'guest-1l8 guest-2l4',
		'^[a-z0-9-]+( [a-z0-9-]+)*$', 'names of topologies, separated by a blank',
		'topologies that are booted, separated by blanks'),
	('plan_arch', 'x86_64',
		'^(x86_64|aarch64)$', 'x86_64 or aarch64',
		'architecture that is built and booted'),
	('plan_config', 'x86_64',
		'^[a-z0-9_]+$', 'the name of a configuration',
		'configuration that is built: a fragment the runners know'),
	('boot_timeout_s', '300',
		'^[0-9]{1,12}$', 'a whole number',
		'a boot that takes longer hangs'),
	('null_effect_pct', '0',
		'^-?[0-9]{1,3}([.][0-9]{1,6})?$', 'a percentage',
		'profile null only: how much slower the patched side is, in percent'),
	('null_fail', '',
		'^(|build|panic)$', 'build, panic or empty',
		'profile null only: build or panic, what the patched side does');

CREATE FUNCTION work_plan_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
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
	RETURN jsonb_build_object('root', s.root_message_id, 'version', s.version,
		'base_tree', a.base_tree, 'patched_tree', a.patched_tree, 'detail', a.detail,
		'arch', setting_get('plan_arch'), 'config', setting_get('plan_config'),
		'profile', setting_get('plan_profile'),
		'topologies', to_jsonb(regexp_split_to_array(btrim(setting_get('plan_topologies')), '\s+')),
		'k_blocks', setting_get('plan_blocks')::int4, 'n_runs', setting_get('plan_runs_per_boot')::int4);
END $$;

-- Build row and job of one side; shared by key with every plan that wants the same kernel.
CREATE FUNCTION work_build(p plan, key_ text, side_ text) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	a application;
	t tree;
	s series;
	b build;
	patched_ bool := side_ = 'patched';
	job_ int8;
BEGIN
	SELECT * INTO a FROM application WHERE id = p.application_id;
	SELECT * INTO t FROM tree WHERE id = a.tree_id;
	SELECT * INTO s FROM series WHERE id = p.series_id;
	SELECT * INTO b FROM build WHERE key = key_;
	IF b.id IS NULL THEN
		IF p.profile = 'null' THEN
			job_ := job_enqueue('null', 'runner', key_, jsonb_build_object('v', 1, 'role', 'build',
				'side', side_, 'seed', left(md5(key_), 16), 'topology', '', 'block', 0, 'runs', 0,
				'benches', '[]'::jsonb, 'mean', 0, 'boot_sd_pct', 0, 'run_sd_pct', 0, 'effect_pct', 0,
				'fail', nullif(setting_get('null_fail'), '')), '{kind:null}', 5, CASE WHEN patched_ THEN s.id END);
		ELSE
			job_ := job_enqueue('build', 'runner', key_, jsonb_build_object('v', 1,
				'arch', setting_get('plan_arch'), 'config', setting_get('plan_config'),
				'tree_name', t.name, 'label', t.label, 'base_commit', a.base_commit,
				'base_tree', a.base_tree, 'base_pack', t.base_pack,
				'commit', CASE WHEN patched_ THEN a.patched_commit ELSE a.base_commit END,
				'tree', CASE WHEN patched_ THEN a.patched_tree ELSE a.base_tree END,
				'patch_pack', CASE WHEN patched_ THEN a.patch_pack END),
				ARRAY['kind:build', 'build:' || setting_get('plan_arch')], 5, CASE WHEN patched_ THEN s.id END);
		END IF;
		INSERT INTO build (key, tree_oid, commit_id, arch, config, job_id)
			VALUES (key_, CASE WHEN patched_ THEN a.patched_tree ELSE a.base_tree END,
				CASE WHEN patched_ THEN a.patched_commit ELSE a.base_commit END,
				setting_get('plan_arch'), setting_get('plan_config'), job_)
			ON CONFLICT (key) DO NOTHING;
		SELECT * INTO b FROM build WHERE key = key_;
	ELSIF b.state IN ('cancelled', 'lost') THEN
		PERFORM job_again(b.job_id);
	END IF;
	RETURN b.id;
END $$;

-- A base boot may serve the plans of several series: the priority keeps the boots of one block
-- together in time, whatever plan they were enqueued for.
CREATE FUNCTION work_run(p plan, r jsonb, benches_ jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	b build;
	u run;
	job_ int8;
	patched_ bool := r->>'side' = 'patched';
	n_ int4 := setting_get('plan_runs_per_boot')::int4;
BEGIN
	SELECT * INTO b FROM build WHERE key = r->>'build_key';
	SELECT * INTO u FROM run WHERE key = r->>'key';
	IF u.id IS NULL THEN
		IF p.profile = 'null' THEN
			job_ := job_enqueue('null', 'runner', r->>'key', jsonb_build_object('v', 1, 'role', 'boot',
				'side', r->>'side', 'seed', left(md5(r->>'key'), 16), 'topology', r->>'topology',
				'block', (r->>'block')::int4, 'runs', n_, 'benches', benches_, 'mean', 10, 'boot_sd_pct', 1,
				'run_sd_pct', 2, 'effect_pct', setting_get('null_effect_pct')::float8,
				'fail', nullif(setting_get('null_fail'), '')),
				'{kind:null}', -(r->>'block')::int4, CASE WHEN patched_ THEN p.series_id END, ARRAY[b.job_id]);
		ELSE
			job_ := job_enqueue('boot', 'runner', r->>'key', jsonb_build_object('v', 1, 'arch', b.arch,
				'topology', r->>'topology', 'block', (r->>'block')::int4, 'runs', n_,
				'timeout_s', setting_get('boot_timeout_s')::int4, 'config', b.config, 'benches', benches_),
				ARRAY['kind:boot', 'emu:' || b.arch, 'topo:' || (r->>'topology')], -(r->>'block')::int4,
				CASE WHEN patched_ THEN p.series_id END, ARRAY[b.job_id]);
		END IF;
		INSERT INTO run (key, build_id, topology, block, job_id)
			VALUES (r->>'key', b.id, r->>'topology', (r->>'block')::int4, job_) ON CONFLICT (key) DO NOTHING;
		SELECT * INTO u FROM run WHERE key = r->>'key';
	ELSIF u.state IN ('cancelled', 'lost', 'skipped') THEN
		PERFORM job_again(u.job_id);
	END IF;
	INSERT INTO plan_run (plan_id, run_id, side, position)
		VALUES (p.id, u.id, r->>'side', (r->>'seq')::int4) ON CONFLICT DO NOTHING;
	PERFORM job_need_settled(ARRAY[b.job_id]);
END $$;

CREATE FUNCTION work_plan_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
	p plan;
	d jsonb := r->'plan';
	x jsonb;
	id_ int8;
BEGIN
	SELECT * INTO s FROM series WHERE id = (j.payload->>'series_id')::int8 FOR UPDATE;
	IF s.state <> 'applied' THEN
		RETURN jsonb_build_object('why', 'no longer wanted');
	END IF;
	INSERT INTO plan (series_id, application_id, seed, blocks, profile, detail)
		SELECT s.id, a.id, d->>'seed', (d->>'k_blocks')::int4, setting_get('plan_profile'), d
		FROM application a WHERE a.series_id = s.id AND a.content = s.content
		ON CONFLICT (series_id) DO NOTHING;
	SELECT * INTO p FROM plan WHERE series_id = s.id;
	INSERT INTO cell (plan_id, tier, topology, bench, load, why)
		SELECT p.id, c->>'tier', coalesce(c->>'topology', ''),
			CASE c->>'action' WHEN 'bench' THEN d->'benches'->(c->>'bench')::int4->>'bench' ELSE c->>'action' END,
			CASE c->>'action' WHEN 'bench' THEN format('%s/%s', d->'benches'->(c->>'bench')::int4->>'case',
				d->'benches'->(c->>'bench')::int4->>'load') ELSE '' END, c->>'why'
		FROM jsonb_array_elements(d->'cells') c ON CONFLICT DO NOTHING;
	-- The state first: shared things are kept for live plans only.
	PERFORM series_to(s.id, 'planned', r->>'why');
	FOR x IN SELECT e FROM jsonb_array_elements(d->'builds') WITH ORDINALITY y(e, o) ORDER BY o LOOP
		id_ := work_build(p, x->>'key', x->>'side');
		UPDATE plan SET base_build_id = CASE WHEN x->>'side' = 'base' THEN id_ ELSE base_build_id END,
			patched_build_id = CASE WHEN x->>'side' = 'patched' THEN id_ ELSE patched_build_id END
			WHERE id = p.id;
	END LOOP;
	FOR x IN SELECT e FROM jsonb_array_elements(d->'runs') e ORDER BY (e->>'seq')::int4 LOOP
		PERFORM work_run(p, x, r->'boot_benches');
	END LOOP;
	PERFORM plan_advance(p.id);
	RETURN jsonb_build_object('why', r->>'why');
END $$;

-- Moves the series of a plan on when its builds and runs did: running, then analysis.
CREATE FUNCTION plan_advance(plan_id_ int8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	p plan;
	s series;
	open_ int8;
	all_ int8;
	begun_ bool;
BEGIN
	SELECT * INTO p FROM plan WHERE id = plan_id_;
	SELECT * INTO s FROM series WHERE id = p.series_id FOR UPDATE;
	IF s.state NOT IN ('planned', 'running') THEN
		RETURN;
	END IF;
	SELECT count(*) FILTER (WHERE NOT f.final), count(*), coalesce(bool_or(x.state <> 'queued'), false)
		INTO open_, all_, begun_ FROM (
			SELECT 'run' AS entity, r.state FROM plan_run pr JOIN run r ON r.id = pr.run_id
				WHERE pr.plan_id = p.id
			UNION ALL SELECT 'build', b.state FROM build b WHERE b.id IN (p.base_build_id, p.patched_build_id)) x
		JOIN fsm_state f ON f.entity = x.entity AND f.state = x.state;
	IF s.state = 'planned' AND begun_ THEN
		PERFORM series_to(s.id, 'running', '');
	END IF;
	IF open_ = 0 THEN
		PERFORM analyse_enqueue(p.id);
	END IF;
END $$;

CREATE FUNCTION analyse_enqueue(plan_id_ int8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	s_ int8;
BEGIN
	SELECT series_id INTO s_ FROM plan WHERE id = plan_id_;
	PERFORM job_again(job_enqueue('analyse', 'worker', format('analyse:%s', plan_id_), jsonb_build_object(
		'v', 1, 'plan_id', plan_id_::text), '{}', 11, s_));
END $$;

-- Builds and runs moved: every plan that uses them looks again.
CREATE FUNCTION plan_part_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	plan_ int8;
BEGIN
	IF TG_TABLE_NAME = 'run' THEN
		FOR plan_ IN SELECT plan_id FROM plan_run WHERE run_id = NEW.id ORDER BY 1 LOOP
			PERFORM plan_advance(plan_);
		END LOOP;
	ELSE
		FOR plan_ IN SELECT id FROM plan WHERE NEW.id IN (base_build_id, patched_build_id) ORDER BY 1 LOOP
			PERFORM plan_advance(plan_);
		END LOOP;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER plan_part_moved AFTER UPDATE OF state ON run FOR EACH ROW
	WHEN (NEW.state IS DISTINCT FROM OLD.state) EXECUTE FUNCTION plan_part_moved();
CREATE TRIGGER plan_part_moved AFTER UPDATE OF state ON build FOR EACH ROW
	WHEN (NEW.state IS DISTINCT FROM OLD.state) EXECUTE FUNCTION plan_part_moved();

-- ---- the report ----

-- Facts of one series in the form that lib/report reads (report_input_from_json); topologies are names,
-- the child adds what is known of them.
CREATE FUNCTION report_builds(p plan) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT coalesce(jsonb_agg(jsonb_build_object('side', x.side, 'done', b.state IN ('ok', 'broken'),
			'ok', b.state = 'ok', 'why', CASE WHEN b.state IN ('queued', 'building')
				THEN 'not finished by the deadline' ELSE nullif(b.why, '') END,
			'errors', (SELECT coalesce(jsonb_agg(t ORDER BY o), '[]') FROM (SELECT o, format('%s:%s: %s',
				e->>'path', e->>'line', e->>'text') AS t FROM jsonb_array_elements(
				CASE WHEN jsonb_typeof(b.detail->'errors') = 'array' THEN b.detail->'errors' ELSE '[]' END)
				WITH ORDINALITY y(e, o) ORDER BY o LIMIT 20) z),
			'n_errors_total', CASE WHEN jsonb_typeof(b.detail->'errors') = 'array'
				THEN jsonb_array_length(b.detail->'errors') ELSE 0 END) ORDER BY x.side), '[]')
		FROM (VALUES ('base', p.base_build_id), ('patched', p.patched_build_id)) x(side, id)
		JOIN build b ON b.id = x.id
$$;

CREATE FUNCTION report_boots(p plan) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT coalesce(jsonb_agg(jsonb_build_object('topology', r.topology, 'block', r.block, 'side', pr.side,
			'outcome', CASE WHEN r.state = 'ok' THEN 'ok' WHEN r.state <> 'broken' THEN 'none'
				WHEN EXISTS (SELECT 1 FROM jsonb_array_elements(ev.v) e WHERE e->>'kind' = 'panic') THEN 'panic'
				WHEN EXISTS (SELECT 1 FROM sample m WHERE m.run_id = r.id) THEN 'ok'
				WHEN r.why ~* 'panic' THEN 'panic'
				WHEN r.why ~* '(hang|hung|no end|time|deadline|did not)' OR r.detail->>'booted' = 'false' THEN 'hang'
				ELSE 'load_failed' END,
			'why', CASE WHEN r.state IN ('queued', 'running') THEN 'not finished by the deadline'
				ELSE nullif(r.why, '') END,
			'shared', EXISTS (SELECT 1 FROM plan_run o WHERE o.run_id = r.id AND o.plan_id < p.id),
			'events', (SELECT coalesce(jsonb_agg(jsonb_build_object('kind', e->>'kind', 'text', coalesce(e->>'text', ''),
				'function', e->>'function', 'line', coalesce((e->>'line')::int8, 0)) ORDER BY o), '[]')
				FROM (SELECT e, o FROM jsonb_array_elements(ev.v) WITH ORDINALITY y(e, o) ORDER BY o LIMIT 60) z),
			'log_url', CASE WHEN r.serial IS NOT NULL THEN format('%s/runs/%s', setting_get('base_url'), r.id) END)
			ORDER BY pr.position), '[]')
		FROM plan_run pr JOIN run r ON r.id = pr.run_id
		CROSS JOIN LATERAL (SELECT CASE WHEN jsonb_typeof(r.detail->'events') = 'array'
			THEN r.detail->'events' ELSE '[]' END AS v) ev
		WHERE pr.plan_id = p.id
$$;

CREATE FUNCTION report_measures(p plan) RETURNS jsonb LANGUAGE sql STABLE AS $$
	WITH boot AS (
		SELECT r.topology, m.bench, m.load, m.metric, min(m.unit) AS unit, min(m.better) AS better, pr.side,
			r.block, jsonb_agg(m.value ORDER BY m.n) AS v
		FROM plan_run pr JOIN run r ON r.id = pr.run_id JOIN sample m ON m.run_id = r.id
		WHERE pr.plan_id = p.id GROUP BY r.topology, m.bench, m.load, m.metric, pr.side, r.block
	), sided AS ( -- what only one side gave is missing, not measured
		SELECT boot.*, min(side) OVER load <> max(side) OVER load AS ok FROM boot
			WINDOW load AS (PARTITION BY topology, bench, load)
	), line AS (
		SELECT topology, bench, load, metric, min(unit) AS unit, min(better) AS better,
			jsonb_agg(jsonb_build_object('side', side, 'block', block, 'values', v) ORDER BY block, side) AS samples
		FROM sided WHERE ok GROUP BY topology, bench, load, metric
	)
	SELECT coalesce(jsonb_agg(jsonb_build_object('tier', 'emulated', 'topology', l.topology, 'bench', l.bench,
			'case', split_part(l.load, '/', 1), 'load', split_part(l.load, '/', 2), 'metric', l.metric,
			'unit', nullif(l.unit, ''), 'better', l.better, 'command', (SELECT b->>'command'
				FROM jsonb_array_elements(p.detail->'benches') b WHERE b->>'bench' = l.bench
				AND format('%s/%s', b->>'case', b->>'load') = l.load LIMIT 1),
			'samples', l.samples) ORDER BY l.bench, l.topology, l.load, l.metric), '[]') FROM line l
$$;

CREATE FUNCTION report_missing(p plan) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT coalesce(jsonb_agg(jsonb_build_object('what', format('%s %s on %s', c.bench, replace(c.load, '/', ' '),
			c.topology), 'why', coalesce(w.why, 'no boot gave a result')) ORDER BY c.id), '[]')
		FROM cell c
		LEFT JOIN LATERAL (SELECT CASE WHEN r.state IN ('queued', 'running') THEN 'not finished by the deadline'
				ELSE nullif(r.why, '') END AS why FROM plan_run pr JOIN run r ON r.id = pr.run_id
			WHERE pr.plan_id = p.id AND r.topology = c.topology AND r.state <> 'ok'
			ORDER BY (pr.side = 'patched') DESC, pr.position LIMIT 1) w ON true
		WHERE c.plan_id = p.id AND c.bench NOT IN ('build', 'boot') AND 2 > (SELECT count(DISTINCT pr.side)
			FROM plan_run pr JOIN run r ON r.id = pr.run_id JOIN sample m ON m.run_id = r.id
			WHERE pr.plan_id = p.id AND r.topology = c.topology AND m.bench = c.bench AND m.load = c.load)
$$;

CREATE FUNCTION report_machines(p plan) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT coalesce(jsonb_agg(jsonb_build_object('name', x.name, 'tier', 'emulated', 'text', x.text) ORDER BY x.name), '[]')
		FROM (SELECT m.name, min(CASE WHEN m.test_only THEN 'pretends to boot; for tests'
			ELSE format('QEMU %s (%s) on a host of %s %s CPUs', coalesce(r.detail->>'qemu', '?'),
				coalesce(r.detail->>'accel', '?'), CASE WHEN jsonb_typeof(m.topology->'cpus') = 'array'
				THEN jsonb_array_length(m.topology->'cpus')::text ELSE '?' END, m.arch) END) AS text
			FROM plan_run pr JOIN run r ON r.id = pr.run_id JOIN machine m ON m.id = r.machine_id
			WHERE pr.plan_id = p.id AND r.state IN ('ok', 'broken') GROUP BY m.name) x
$$;

-- Where a series stops to apply.
CREATE FUNCTION report_conflict(a application) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('patch_n', q.o, 'n_patches', jsonb_array_length(a.detail->'patches'),
			'title', coalesce((SELECT m.facts->>'title' FROM mail m WHERE m.message_id = q.e->>'message_id'), ''),
			'file', f.e->>'path', 'hunk', coalesce(h.o, 0),
			'n_hunks', coalesce(jsonb_array_length(f.e->'hunks'), 0), 'header', h.e->>'header',
			'reason', regexp_replace(coalesce(h.e->>'error', f.e->>'error', q.e->>'error', a.why),
				'^' || regexp_replace(coalesce(f.e->>'path', ''), '([^A-Za-z0-9_/])', '\\\1', 'g') || ': ', ''),
			'closest', (SELECT coalesce(jsonb_agg(x ORDER BY n), '[]') FROM regexp_split_to_table(
				rtrim(h.e->>'closest', E'\n'), E'\n') WITH ORDINALITY y(x, n) WHERE n <= 12))
		FROM jsonb_array_elements(a.detail->'patches') WITH ORDINALITY q(e, o)
		LEFT JOIN LATERAL (SELECT e, o FROM jsonb_array_elements(q.e->'files') WITH ORDINALITY y(e, o)
			WHERE e->>'error' IS NOT NULL OR EXISTS (SELECT 1 FROM jsonb_array_elements(e->'hunks') z
				WHERE z->>'error' IS NOT NULL) ORDER BY o LIMIT 1) f ON true
		LEFT JOIN LATERAL (SELECT e, o FROM jsonb_array_elements(f.e->'hunks') WITH ORDINALITY y(e, o)
			WHERE e->>'error' IS NOT NULL ORDER BY o LIMIT 1) h ON true
		WHERE q.e->>'result' IN ('conflict', 'rejected') OR q.e->>'error' IS NOT NULL ORDER BY q.o LIMIT 1
$$;

CREATE FUNCTION report_repeat(a application, t tree) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN a.patch_pack IS NULL OR t.base_pack IS NULL THEN '[]'::jsonb ELSE jsonb_build_array(
		'git init -q linux-test && cd linux-test',
		format('curl -s %s/api/v1/blobs/%s | git index-pack --stdin', setting_get('base_url'), t.base_pack),
		format('curl -s %s/api/v1/blobs/%s | git index-pack --stdin', setting_get('base_url'), a.patch_pack),
		format('git checkout %s   # patched', a.patched_commit),
		format('git checkout %s   # base', a.base_commit),
		format('wakelist-runner build --src . --out ../linux-build --config %s', setting_get('plan_config'))) END
$$;

CREATE FUNCTION report_input(series_id_ int8) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
	s series;
	a application;
	p plan;
	t tree;
	b record;
	n_ int8;
BEGIN
	SELECT * INTO s FROM series WHERE id = series_id_;
	SELECT * INTO a FROM application WHERE series_id = s.id AND content = s.content;
	SELECT * INTO t FROM tree WHERE id = a.tree_id;
	SELECT * INTO p FROM plan WHERE series_id = s.id;
	SELECT x.state AS base, y.state AS patched, coalesce(y.detail->>'cc', x.detail->>'cc') AS cc INTO b
		FROM (SELECT 1) one LEFT JOIN build x ON x.id = p.base_build_id LEFT JOIN build y ON y.id = p.patched_build_id;
	SELECT count(*) INTO n_ FROM series_part WHERE series_id = s.id AND n <> '0';
	RETURN jsonb_build_object('v', 1, 'kind', CASE WHEN a.result <> 'applied' THEN 'does_not_apply'
			WHEN b.patched = 'broken' AND b.base = 'ok' THEN 'does_not_build' ELSE 'result' END,
		'title', s.title, 'message_id', s.root_message_id, 'n_patches', n_,
		'applied', substring(a.why FROM '\), ([0-9]+ (hunks? at an offset|of [0-9]+ patch(es)? ).*)$'),
		'base_tree', CASE WHEN a.base_commit IS NOT NULL THEN concat_ws(' ', t.name, nullif(format('(%s)', t.label), '()')) END,
		'base_commit', a.base_commit, 'base_how', nullif(a.base_how, ''),
		'config', CASE WHEN p.id IS NOT NULL THEN 'allnoconfig and our fragment ' || setting_get('plan_config') END,
		'arch', setting_get('plan_arch'), 'compiler', b.cc,
		'url', format('%s/series/%s', setting_get('base_url'), s.id), 'can_opt_out', false,
		'attempts', (SELECT coalesce(jsonb_agg(jsonb_build_object('tree', t.name, 'commit', e->>'commit',
			'how', e->>'how', 'why', CASE WHEN e->>'result' NOT IN ('applied', 'already')
				THEN coalesce(e->>'why', e->>'result') END) ORDER BY o), '[]')
			FROM jsonb_array_elements(a.detail->'attempts') WITH ORDINALITY y(e, o)),
		'conflict', CASE WHEN a.result <> 'applied' THEN report_conflict(a) END,
		'machines', CASE WHEN p.id IS NULL THEN '[]'::jsonb ELSE report_machines(p) END,
		'topologies', (SELECT coalesce(jsonb_agg(DISTINCT r.topology), '[]') FROM plan_run pr
			JOIN run r ON r.id = pr.run_id WHERE pr.plan_id = p.id),
		'design', CASE WHEN p.id IS NOT NULL THEN jsonb_build_object('k_blocks', p.blocks, 'seed', p.seed,
			'n_warmup', coalesce((p.detail->'benches'->0->>'n_warmup')::int4, 0),
			'n_runs', coalesce((p.detail->'benches'->0->>'n_runs')::int4, 0)) END,
		'builds', CASE WHEN p.id IS NULL THEN '[]'::jsonb ELSE report_builds(p) END,
		'boots', CASE WHEN p.id IS NULL THEN '[]'::jsonb ELSE report_boots(p) END,
		'measures', CASE WHEN p.id IS NULL THEN '[]'::jsonb ELSE report_measures(p) END,
		'missing', CASE WHEN p.id IS NULL OR b.patched = 'broken' THEN '[]'::jsonb ELSE report_missing(p) END,
		'repeat', CASE WHEN a.result = 'applied' THEN report_repeat(a, t) ELSE '[]'::jsonb END);
END $$;

-- ---- analysis ----

CREATE FUNCTION work_analyse_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
BEGIN
	SELECT x.* INTO s FROM series x JOIN plan p ON p.series_id = x.id WHERE p.id = (j.payload->>'plan_id')::int8;
	IF NOT FOUND OR s.state NOT IN ('planned', 'running') THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'no longer wanted');
	END IF;
	RETURN jsonb_build_object('report', report_input(s.id));
END $$;

CREATE FUNCTION work_analyse_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	plan_ int8 := (j.payload->>'plan_id')::int8;
	s series;
BEGIN
	SELECT x.* INTO s FROM series x JOIN plan p ON p.series_id = x.id WHERE p.id = plan_ FOR UPDATE OF x;
	IF s.state NOT IN ('planned', 'running') THEN
		RETURN jsonb_build_object('why', 'no longer wanted');
	END IF;
	DELETE FROM verdict WHERE plan_id = plan_;
	INSERT INTO verdict (plan_id, row_no, tier, topology, bench, load, metric, mark, why, detail)
		SELECT plan_, o, e->>'tier', e->>'topology', e->>'bench', e->>'load', e->>'metric', e->>'mark',
			e->>'why', e->'detail' FROM jsonb_array_elements(r->'rows') WITH ORDINALITY y(e, o);
	PERFORM series_to(s.id, 'analysed', r->>'verdict');
	-- at the deadline: what is left is of no use to this series
	PERFORM plan_cancel(plan_, 'not finished by the deadline');
	PERFORM reply_compose_enqueue(s.id);
	RETURN jsonb_build_object('why', r->>'verdict');
END $$;

-- ---- replies ----

CREATE FUNCTION work_reply_compose_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
	l list;
	m mail;
BEGIN
	SELECT * INTO s FROM series WHERE id = (j.payload->>'series_id')::int8;
	IF NOT FOUND OR s.state NOT IN ('analysed', 'refused') THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'no longer wanted');
	END IF;
	SELECT * INTO l FROM list WHERE id = s.list_id;
	SELECT x.* INTO m FROM mail x WHERE x.message_id = s.root_message_id;
	IF m.robot THEN
		PERFORM series_to(s.id, 'unanswered', 'robots are not answered');
		RETURN jsonb_build_object('finish', 'done', 'why', 'robots are not answered');
	END IF;
	RETURN jsonb_build_object('report', report_input(s.id), 'version', s.version,
		'policy', CASE WHEN l.reply_policy IN ('hold', 'list') THEN 'list' ELSE 'author' END,
		'mail', jsonb_build_object('message_id', m.message_id, 'subject', m.subject,
			'references', m.facts->'references', 'author_name', m.author_name, 'author_email', m.author_email,
			'to', m.facts->'to', 'cc', m.facts->'cc'),
		'from', setting_get('reply_from'), 'domain', setting_get('reply_domain'),
		'list_address', nullif(l.address, ''), 'date', epoch_s(now()),
		'url', format('%s/series/%s', setting_get('base_url'), s.id));
END $$;

CREATE FUNCTION reply_send_enqueue(reply_id_ int8) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM job_again(job_enqueue('reply', 'worker', format('send:%s:%s', p.id, p.attempt), jsonb_build_object(
		'v', 1, 'op', 'send', 'reply_id', p.id::text), '{}', 12, p.series_id, '{}', 0, 8))
		FROM reply p WHERE p.id = reply_id_;
END $$;

CREATE FUNCTION work_reply_compose_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
	policy_ text;
	id_ int8;
BEGIN
	SELECT * INTO s FROM series WHERE id = (j.payload->>'series_id')::int8 FOR UPDATE;
	IF s.state NOT IN ('analysed', 'refused') THEN
		RETURN jsonb_build_object('why', 'no longer wanted');
	END IF;
	INSERT INTO reply (series_id, kind, attempt, message_id, subject, envelope_from, envelope_to, text)
		VALUES (s.id, 'r', 0, r->>'message_id', r->>'subject', r->>'envelope_from',
			ARRAY(SELECT jsonb_array_elements_text(r->'envelope_to')), work_file(r, r->>'file'))
		ON CONFLICT (series_id, kind, attempt) DO NOTHING RETURNING id INTO id_;
	IF id_ IS NOT NULL THEN
		SELECT coalesce((SELECT l.reply_policy FROM list l WHERE l.id = s.list_id), 'hold') INTO policy_;
		IF policy_ = 'hold' THEN
			UPDATE reply SET state = 'held', why = 'waits for a person' WHERE id = id_;
		ELSE
			UPDATE reply SET state = 'approved', why = 'the list''s policy is ' || policy_,
				approved_by = 'policy', approved_sha256 = text WHERE id = id_;
			PERFORM reply_send_enqueue(id_);
		END IF;
	END IF;
	PERFORM series_to(s.id, 'answered', r->>'verdict');
	RETURN jsonb_build_object('why', r->>'verdict');
END $$;

-- The state is "sending", and committed, before anybody connects.
CREATE FUNCTION work_reply_send_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	p reply;
BEGIN
	SELECT * INTO p FROM reply WHERE id = (j.payload->>'reply_id')::int8 FOR UPDATE;
	IF NOT FOUND OR p.state <> 'approved' THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'nothing to send: ' || coalesce(p.state, 'gone'));
	END IF;
	IF p.approved_sha256 IS DISTINCT FROM p.text THEN
		RETURN jsonb_build_object('finish', 'failed', 'why', 'what was approved is not what would be sent');
	END IF;
	UPDATE reply SET state = 'sending', why = '', fence = j.fence WHERE id = p.id;
	RETURN jsonb_build_object('text', p.text, 'from', p.envelope_from, 'to', to_jsonb(p.envelope_to));
END $$;

CREATE FUNCTION work_reply_send_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	id_ int8 := (j.payload->>'reply_id')::int8;
	outcome_ text := r->>'outcome';
	said_ text := r->>'said';
BEGIN
	UPDATE reply SET server_said = said_, why = CASE outcome_ WHEN 'accepted' THEN coalesce(r->>'note', '')
			WHEN 'not_taken' THEN 'not taken, will be tried again: ' || said_
			WHEN 'refused' THEN 'not sent: ' || said_
			ELSE 'nobody knows whether the mail server took it: ' || said_ END,
		state = CASE outcome_ WHEN 'accepted' THEN 'sent' WHEN 'not_taken' THEN 'approved'
			WHEN 'refused' THEN 'held' ELSE 'unknown' END,
		sent_at = CASE outcome_ WHEN 'accepted' THEN now() END
		WHERE id = id_ AND state = 'sending' AND fence = j.fence;
	RETURN jsonb_build_object('why', said_, 'outcome', CASE outcome_ WHEN 'not_taken' THEN 'retry' ELSE 'done' END);
END $$;

-- ---- what follows from a job's end ----

-- A runner's job: its build or run takes over state and result.
CREATE FUNCTION runner_job_after(j job) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	status_ text := coalesce(j.result->>'status', '');
	build_ int8;
	run_ int8;
	to_ text;
BEGIN
	SELECT id INTO build_ FROM build WHERE job_id = j.id;
	SELECT id INTO run_ FROM run WHERE job_id = j.id;
	to_ := CASE j.state WHEN 'leased' THEN CASE WHEN run_ IS NULL THEN 'building' ELSE 'running' END
		WHEN 'ready' THEN 'queued' WHEN 'waiting' THEN 'queued' WHEN 'cancelled' THEN 'cancelled'
		WHEN 'parked' THEN 'lost' WHEN 'skipped' THEN CASE WHEN run_ IS NULL THEN 'lost' ELSE 'skipped' END
		WHEN 'failed' THEN 'broken'
		WHEN 'done' THEN CASE WHEN status_ IN ('ok', 'broken') THEN status_ ELSE 'lost' END END;
	IF build_ IS NOT NULL THEN
		UPDATE build b SET state = to_, why = left(j.why, 4000),
			kernel = CASE WHEN j.state IN ('done', 'failed') THEN (j.result->>'kernel')::text ELSE b.kernel END,
			detail = CASE WHEN j.state IN ('done', 'failed') AND j.result IS NOT NULL
				THEN j.result - 'kernel' - 'v' ELSE b.detail END
			WHERE b.id = build_ AND EXISTS (SELECT 1 FROM fsm_transition f WHERE f.entity = 'build'
				AND f.from_state = b.state AND f.to_state = to_);
	END IF;
	IF run_ IS NULL THEN
		RETURN;
	END IF;
	IF j.state IN ('done', 'failed') AND j.result IS NOT NULL THEN
		INSERT INTO sample (run_id, bench, load, metric, n, value, unit, better)
			SELECT run_, e->>'bench', e->>'load', e->>'metric', (e->>'n')::int4, (e->>'value')::float8,
				coalesce(e->>'unit', ''), e->>'better'
			FROM jsonb_array_elements(coalesce(j.result->'samples', '[]'::jsonb)) e ON CONFLICT DO NOTHING;
	END IF;
	UPDATE run r SET state = to_, why = j.why, machine_id = coalesce(j.machine_id, r.machine_id),
		serial = CASE WHEN j.state IN ('done', 'failed') THEN j.result->>'serial' ELSE r.serial END,
		raw = CASE WHEN j.state IN ('done', 'failed') THEN j.result->>'raw' ELSE r.raw END,
		detail = CASE WHEN j.state IN ('done', 'failed') AND j.result IS NOT NULL
			THEN j.result - 'serial' - 'raw' - 'samples' - 'v' ELSE r.detail END,
		started_at = CASE WHEN j.state = 'leased' THEN clock_timestamp() ELSE r.started_at END,
		ended_at = CASE WHEN j.state IN ('done', 'failed', 'parked') THEN clock_timestamp() END
		WHERE r.id = run_ AND EXISTS (SELECT 1 FROM fsm_transition f WHERE f.entity = 'run'
			AND f.from_state = r.state AND f.to_state = to_);
END $$;

CREATE FUNCTION job_after() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	what_ text := NEW.kind || '/' || coalesce(NEW.payload->>'op', '');
	lost_ bool := NEW.state IN ('failed', 'parked', 'skipped');
BEGIN
	IF NEW.pool = 'runner' THEN
		PERFORM runner_job_after(NEW);
	ELSIF what_ = 'tree/import' AND (lost_ OR NEW.state = 'cancelled') THEN
		UPDATE tree SET state = 'failed', why = NEW.why
			WHERE id = (NEW.payload->>'tree_id')::int8 AND state = 'importing';
	ELSIF what_ = 'ingest/poll' AND lost_ THEN
		-- 1, 2, 4 .. 60 minutes, never sooner than the list's own period
		UPDATE list SET failures = failures + 1, why = NEW.why, polled_at = now(), next_poll_at = now()
				+ greatest(poll_ms * interval '1 ms', least(power(2, least(failures, 6)), 60) * interval '1 min')
			WHERE id = (NEW.payload->>'list_id')::int8;
	ELSIF what_ = 'ingest/thread' AND lost_ THEN
		UPDATE submission SET state = 'failed', why = NEW.why
			WHERE id = (NEW.payload->>'submission_id')::int8 AND state = 'fetching';
	ELSIF what_ IN ('apply/', 'plan/') AND lost_ THEN
		PERFORM series_to((NEW.payload->>'series_id')::int8, 'failed', NEW.why);
	ELSIF what_ = 'analyse/' AND lost_ THEN
		PERFORM series_to(p.series_id, 'running', '') FROM plan p JOIN series s ON s.id = p.series_id
			WHERE p.id = (NEW.payload->>'plan_id')::int8 AND s.state = 'planned';
		PERFORM series_to(p.series_id, 'failed', NEW.why) FROM plan p
			WHERE p.id = (NEW.payload->>'plan_id')::int8;
	ELSIF what_ = 'reply/compose' AND lost_ THEN
		PERFORM series_to((NEW.payload->>'series_id')::int8, 'failed',
			'the reply could not be composed: ' || NEW.why);
	ELSIF what_ = 'reply/send' AND OLD.state = 'leased' AND NEW.state <> 'done' THEN
		-- Whoever was sending is gone: nobody knows how far it came.
		UPDATE reply SET state = 'unknown', why = 'the sender was lost: ' || NEW.why
			WHERE id = (NEW.payload->>'reply_id')::int8 AND state = 'sending' AND fence = NEW.fence;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER job_after AFTER UPDATE OF state ON job FOR EACH ROW
	WHEN (NEW.state IS DISTINCT FROM OLD.state) EXECUTE FUNCTION job_after();

-- A person asks again: a failed series starts over where it can.
CREATE FUNCTION series_retry(id_ int8) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	IF NOT series_to(id_, 'complete', coalesce((SELECT facts->>'complete_why' FROM series WHERE id = id_), '')) THEN
		RETURN false;
	END IF;
	PERFORM job_again(id) FROM job WHERE series_id = id_ AND kind = 'apply' AND key = format('apply:%s:%s', id_,
		(SELECT content FROM series WHERE id = id_));
	PERFORM series_enqueue_apply(id_);
	RETURN true;
END $$;
