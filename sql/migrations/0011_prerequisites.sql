-- SPDX-License-Identifier: GPL-2.0-or-later
-- What a series builds on is looked up among all series of the database and applied before it; the kernel that
-- it is compared with is then the base with these patches. All trees are looked at for a base, and one is fetched
-- when a base-commit is not there: docs/applying.md "Bases".

CREATE INDEX mail_patch_id ON mail ((facts->>'patch_id')) WHERE facts->>'patch_id' IS NOT NULL;

ALTER TABLE application
	ADD COLUMN before_commit oid_hex,  -- base_commit with the prerequisites; NULL: there were none to apply
	ADD COLUMN before_tree oid_hex;

ALTER TABLE base_wait
	ADD COLUMN asked_at timestamptz,   -- when its tree was fetched for the sake of its base-commit
	ADD COLUMN fetching bool NOT NULL DEFAULT false; -- that fetch is not over

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

-- ---- trees ----

-- Those that a series may be applied to, the default one first: the tree that was asked for, else all.
CREATE FUNCTION series_trees(series_id_ int8) RETURNS int8[] LANGUAGE sql STABLE AS $$
	WITH d AS (SELECT series_tree(series_id_) AS id)
	SELECT ARRAY(SELECT d.id FROM d WHERE d.id IS NOT NULL) || CASE WHEN EXISTS (SELECT 1 FROM submission u
			WHERE u.series_id = series_id_ AND u.tree_id IS NOT NULL) THEN '{}'
		ELSE ARRAY(SELECT t.id FROM tree t, d WHERE t.state = 'ready' AND t.id <> d.id ORDER BY t.id LIMIT 11) END
$$;

-- A series that waits is tried again: when its tree has new commits, at most once in six hours; a last time when
-- three days are over; and when a fetch made for it takes too long.
CREATE FUNCTION base_wait_due(w base_wait, at_ timestamptz) RETURNS bool LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN w.fetching THEN w.asked_at <= at_ - interval '1 hour'
		ELSE (w.wanted AND coalesce(w.again_at, '-infinity') <= at_ - interval '6 hours')
			OR w.since <= at_ - interval '3 days' END
$$;

CREATE FUNCTION base_wait_again(series_id_ int8, why_ text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	s series;
BEGIN
	UPDATE base_wait SET wanted = false, fetching = false, again_at = now() WHERE series_id = series_id_;
	SELECT * INTO s FROM series WHERE id = series_id_;
	IF s.state <> 'complete' THEN
		DELETE FROM base_wait WHERE series_id = series_id_;
	ELSE
		PERFORM job_again(id, why_) FROM job WHERE key = format('apply:%s:%s', s.id, s.content);
	END IF;
END $$;

CREATE OR REPLACE FUNCTION base_wait_try() RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	s_ int8;
	n_ int8 := 0;
BEGIN
	FOR s_ IN SELECT w.series_id FROM base_wait w WHERE base_wait_due(w, now())
			ORDER BY w.series_id FOR UPDATE SKIP LOCKED LOOP
		PERFORM base_wait_again(s_, 'the tree has new commits');
		n_ := n_ + 1;
	END LOOP;
	RETURN n_;
END $$;

-- A fetch is over, whatever came of it: series that it was made for go on.
CREATE FUNCTION base_wait_fetched(tree_id_ int8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	s_ int8;
BEGIN
	FOR s_ IN SELECT series_id FROM base_wait WHERE tree_id = tree_id_ AND fetching ORDER BY series_id FOR UPDATE LOOP
		PERFORM base_wait_again(s_, 'the tree was fetched');
	END LOOP;
END $$;

CREATE OR REPLACE FUNCTION work_tree_fetch_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	t tree;
	s_ int8;
	new_ int8;
	behind_ int8;
	missing_ text := (SELECT string_agg(e, ', ') FROM jsonb_array_elements_text(r->'missing') e);
BEGIN
	SELECT * INTO t FROM tree WHERE id = (j.payload->>'tree_id')::int8 FOR UPDATE;
	IF NOT FOUND THEN
		RETURN jsonb_build_object('why', 'the tree is gone');
	END IF;
	SELECT count(*) FILTER (WHERE b.commit_id IS DISTINCT FROM e->>'commit'), max((e->>'behind')::int4)
		INTO new_, behind_ FROM jsonb_array_elements(r->'branches') e
		LEFT JOIN tree_branch b ON b.tree_id = t.id AND b.name = e->>'name';
	INSERT INTO tree_branch (tree_id, name, commit_id, label, behind)
		SELECT t.id, e->>'name', e->>'commit', e->>'label', (e->>'behind')::int4
		FROM jsonb_array_elements(r->'branches') e
		ON CONFLICT (tree_id, name) DO UPDATE SET commit_id = EXCLUDED.commit_id, label = EXCLUDED.label,
			behind = EXCLUDED.behind, moved_at = CASE WHEN tree_branch.commit_id = EXCLUDED.commit_id
				THEN tree_branch.moved_at ELSE now() END;
	UPDATE tree SET state = 'ready', why = coalesce('no longer there: ' || missing_, ''), failures = 0,
		branch = r->'branches'->0->>'name', commit_id = r->'branches'->0->>'commit', tree_oid = r->>'tree',
		ready_at = coalesce(ready_at, now()), fetched_at = now(),
		-- an index that is not complete is carried on with soon
		next_fetch_at = now() + CASE WHEN behind_ > 0 THEN least(fetch_ms, 60000)
			ELSE fetch_ms * (0.9 + 0.2 * random()) END * interval '1 ms' WHERE id = t.id;
	FOR s_ IN SELECT s.id FROM series s WHERE s.state = 'complete' AND NOT EXISTS (SELECT 1 FROM job a
			WHERE a.key = format('apply:%s:%s', s.id, s.content)) ORDER BY s.id LOOP
		PERFORM series_enqueue_apply(s_);
	END LOOP;
	PERFORM base_wait_fetched(t.id);
	IF new_ > 0 THEN
		UPDATE base_wait SET wanted = true WHERE t.id = ANY (series_trees(series_id));
		PERFORM base_wait_try();
	END IF;
	RETURN jsonb_build_object('why', format('%s of %s branches moved', new_,
		jsonb_array_length(r->'branches')) || coalesce('; no longer there: ' || missing_, ''));
END $$;

CREATE OR REPLACE FUNCTION tree_fetch_lost() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE tree SET state = CASE state WHEN 'importing' THEN 'failed' ELSE state END, why = NEW.why,
		failures = failures + 1, next_fetch_at = now() + CASE WHEN failures < 6
			THEN power(2, failures) * interval '1 min'
			ELSE greatest(fetch_ms * interval '1 ms', interval '60 min') END
		WHERE id = (NEW.payload->>'tree_id')::int8;
	PERFORM base_wait_fetched((NEW.payload->>'tree_id')::int8);
	RETURN NULL;
END $$;

-- Nobody waits for a tree that is removed.
CREATE FUNCTION tree_going() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM base_wait_again(series_id, format('the tree %s was removed', OLD.name)) FROM base_wait WHERE tree_id = OLD.id;
	RETURN OLD;
END $$;
CREATE TRIGGER tree_going BEFORE DELETE ON tree FOR EACH ROW EXECUTE FUNCTION tree_going();

-- The tree to fetch, once, because a base-commit is in none: the one that the subject names, else the first, where
-- its last fetch is not of just now.
CREATE FUNCTION base_wait_ask(series_id_ int8, named_ text, at_ timestamptz) RETURNS tree LANGUAGE sql STABLE AS $$
	SELECT t FROM tree t, (SELECT series_trees(series_id_) AS ids) x
		WHERE t.id = ANY (x.ids) AND t.kind = 'git' AND t.state = 'ready' AND t.fetched_at <= at_ - interval '5 min'
			AND (named_ IS NULL OR t.name = named_)
			AND NOT EXISTS (SELECT 1 FROM base_wait w WHERE w.series_id = series_id_ AND w.asked_at IS NOT NULL)
		ORDER BY array_position(x.ids, t.id) LIMIT 1
$$;

CREATE OR REPLACE FUNCTION work_apply_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
	t tree;
	trees_ int8[];
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
	trees_ := series_trees(s.id);
	RETURN jsonb_build_object('series_id', s.id::text, 'version', s.version, 'title', s.title,
		'trees', (SELECT jsonb_agg(tree_apply(x) ORDER BY array_position(trees_, x.id)) FROM tree x WHERE x.id = ANY (trees_)),
		'branch', format('series/%s/v%s', s.id, s.version),
		'base', (SELECT u.base FROM submission u WHERE u.series_id = s.id AND u.base IS NOT NULL
			ORDER BY u.id DESC LIMIT 1),
		'previous', (SELECT a.base_commit FROM application a WHERE a.series_id = s.previous_id
			AND a.result = 'applied' AND a.tree_id = ANY (trees_) ORDER BY a.id DESC LIMIT 1),
		'time', epoch_s((SELECT max(m.order_time) FROM series_part p JOIN mail m ON m.id = p.mail_id
			WHERE p.series_id = s.id)),
		'parts', series_mails(s.id), 'before', series_before(s.id));
END $$;

-- Keeps the series where it is until its base may be there, and says so. NULL: there is nothing to wait for.
CREATE FUNCTION base_wait_begin(s series, r jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	t tree;
	unknown_ text;
	until_ timestamptz;
BEGIN
	SELECT left(e->>'commit', 12) INTO unknown_ FROM jsonb_array_elements(r->'detail'->'attempts') e
		WHERE e->>'how' = 'base-commit' AND e->>'result' = 'unknown' LIMIT 1;
	t := base_wait_ask(s.id, r->>'named', now());
	IF unknown_ IS NOT NULL AND t.id IS NOT NULL THEN
		INSERT INTO base_wait (series_id, tree_id, asked_at, fetching) VALUES (s.id, t.id, now(), true)
			ON CONFLICT (series_id) DO UPDATE SET tree_id = t.id, asked_at = now(), fetching = true;
		PERFORM tree_fetch_enqueue(t.id);
		RETURN format('its base-commit %s is in no tree; %s is fetched', unknown_, t.name);
	END IF;
	IF r->>'result' <> 'no_base' THEN
		RETURN NULL;
	END IF;
	SELECT x.* INTO t FROM tree x, (SELECT series_trees(s.id) AS ids) y
		WHERE x.id = ANY (y.ids) AND x.kind = 'git' ORDER BY array_position(y.ids, x.id) LIMIT 1;
	IF t.id IS NULL THEN
		RETURN NULL;
	END IF;
	INSERT INTO base_wait (series_id, tree_id) VALUES (s.id, t.id) ON CONFLICT (series_id) DO NOTHING;
	SELECT since + interval '3 days' INTO until_ FROM base_wait WHERE series_id = s.id;
	RETURN CASE WHEN until_ > now() THEN
		format('%s; tried again when %s has new commits, until %s', r->>'why', t.name, api_time(until_)) END;
END $$;

CREATE OR REPLACE FUNCTION work_apply_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
	t tree;
	app_ int8;
	needs_ int8[] := '{}';
	wait_ text;
BEGIN
	SELECT * INTO s FROM series WHERE id = (j.payload->>'series_id')::int8 FOR UPDATE;
	IF s.state <> 'complete' OR s.content <> j.payload->>'content' THEN
		RETURN jsonb_build_object('why', 'no longer wanted');
	END IF;
	SELECT * INTO t FROM tree WHERE name = r->>'tree_name';
	wait_ := base_wait_begin(s, r);
	IF wait_ IS NOT NULL AND r->>'result' <> 'no_base' THEN -- it may go elsewhere
		r := r || jsonb_build_object('result', 'no_base', 'why', wait_, 'base_commit', NULL, 'base_tree', NULL,
			'base_how', '', 'base_label', '', 'before_commit', NULL, 'before_tree', NULL, 'patched_commit', NULL,
			'patched_tree', NULL, 'branch', NULL, 'pack', NULL);
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
	IF wait_ IS NOT NULL THEN
		UPDATE series SET why = wait_, changed_at = now() WHERE id = s.id;
		RETURN jsonb_build_object('why', wait_);
	END IF;
	DELETE FROM base_wait WHERE series_id = s.id;
	IF FOUND THEN -- the time for its results begins only now
		UPDATE series SET deadline_at = now() + coalesce((SELECT l.deadline_ms FROM list l
			WHERE l.id = s.list_id), 86400000) * interval '1 ms' WHERE id = s.id;
	END IF;
	IF r->>'result' = 'applied' THEN
		PERFORM series_to(s.id, 'applied', r->>'why');
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
		PERFORM series_to(s.id, 'refused', r->>'why');
		PERFORM reply_compose_enqueue(s.id);
	END IF;
	RETURN jsonb_build_object('why', r->>'why');
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
			WHERE e->>'error' IS NOT NULL ORDER BY e->>'result' = 'already', o LIMIT 1) h ON true
		ORDER BY q.rank, q.o LIMIT 1
$$;

-- As before, with the version of a base in a git tree, and the tree of each attempt.
CREATE OR REPLACE FUNCTION report_input(series_id_ int8) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
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
	RETURN jsonb_build_object('v', 1, 'kind', CASE WHEN a.result = 'already' THEN 'in_base' WHEN a.result <> 'applied' THEN 'does_not_apply'
			WHEN b.patched = 'broken' AND b.base = 'ok' THEN 'does_not_build' ELSE 'result' END,
		'title', s.title, 'message_id', s.root_message_id, 'n_patches', n_,
		'applied', CASE WHEN a.result = 'already' THEN substring(a.why FROM '\): (.*)$')
			ELSE substring(a.why FROM '\), ([0-9]+ (hunks? at an offset|of [0-9]+ patch(es)? ).*)$') END,
		'base_tree', CASE WHEN a.base_commit IS NOT NULL THEN concat_ws(' ', t.name,
			nullif(format('(%s)', coalesce(nullif(a.base_label, ''), t.label)), '()')) END,
		'base_commit', a.base_commit, 'base_how', nullif(a.base_how, ''),
		'config', CASE WHEN p.id IS NOT NULL THEN 'allnoconfig and our fragment ' || setting_get('plan_config') END,
		'arch', setting_get('plan_arch'), 'compiler', b.cc,
		'url', format('%s/series/%s', setting_get('base_url'), s.id), 'can_opt_out', false,
		'attempts', (SELECT coalesce(jsonb_agg(jsonb_build_object('tree', coalesce(e->>'tree', t.name), 'commit', e->>'commit',
			'how', e->>'how', 'why', CASE WHEN e->>'result' NOT IN ('applied', 'already')
				THEN coalesce(e->>'why', e->>'result') END) ORDER BY o), '[]')
			FROM jsonb_array_elements(a.detail->'attempts') WITH ORDINALITY y(e, o)),
		'conflict', CASE WHEN a.result NOT IN ('applied', 'already') THEN report_conflict(a) END,
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
