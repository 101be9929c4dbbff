-- SPDX-License-Identifier: GPL-2.0-or-later
-- Trees with a history: a git repository by URL, fetched on a period. A series goes to the commit that it was
-- made for, so that a base is a commit and no longer a tree. docs/applying.md "Bases" is the prose.

ALTER TABLE tree DROP CONSTRAINT tree_kind_check,
	ADD CONSTRAINT tree_kind_check CHECK (kind IN ('dir', 'tarball', 'git')),
	ADD COLUMN branches text[] NOT NULL DEFAULT '{}', -- git: asked for; none: the one that HEAD names there
	ADD COLUMN fetch_ms int8 NOT NULL DEFAULT 3600000 CHECK (fetch_ms BETWEEN 1000 AND 2592000000),
	ADD COLUMN failures int4 NOT NULL DEFAULT 0,      -- fetches that failed one after another
	ADD COLUMN fetched_at timestamptz,                -- the last that did not
	ADD COLUMN next_fetch_at timestamptz NOT NULL DEFAULT now();

CREATE TABLE tree_branch (           -- what a git tree holds; tree.branch is the default one
	tree_id int8 NOT NULL REFERENCES tree(id) ON DELETE CASCADE,
	name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
	commit_id oid_hex NOT NULL,
	label text NOT NULL,             -- what the Makefile says there
	behind int4 NOT NULL,            -- commits that are not yet in the index of old file contents
	moved_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (tree_id, name)
);

CREATE TABLE tree_base (             -- one commit of a tree without its history, as runners get it
	tree_id int8 NOT NULL REFERENCES tree(id) ON DELETE CASCADE,
	commit_id oid_hex NOT NULL,
	pack sha256_hex NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (tree_id, commit_id)
);

CREATE TABLE base_wait (             -- a series whose base is not in its tree yet
	series_id int8 PRIMARY KEY REFERENCES series(id) ON DELETE CASCADE,
	tree_id int8 NOT NULL REFERENCES tree(id) ON DELETE CASCADE,
	since timestamptz NOT NULL DEFAULT now(),
	again_at timestamptz,            -- when it was last tried again
	wanted bool NOT NULL DEFAULT false -- the tree has new commits
);
CREATE INDEX base_wait_tree ON base_wait (tree_id);

ALTER TABLE application ADD COLUMN base_label text NOT NULL DEFAULT ''; -- version of a base in a git tree

INSERT INTO fsm_transition (entity, from_state, to_state, why) VALUES
	('tree', 'failed', 'ready', 'fetched after all');

-- ---- fetching ----

-- The one fetch job of a git tree, ready to run now. A fetch is tried once: the tree's own clock asks again.
CREATE FUNCTION tree_fetch_enqueue(tree_id_ int8) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	id_ int8;
BEGIN
	id_ := job_enqueue('tree', 'worker', format('fetch:%s', tree_id_),
		jsonb_build_object('v', 1, 'op', 'fetch', 'tree_id', tree_id_::text), '{}', 4, NULL, '{}', 0, 1);
	PERFORM job_again(id_);
	RETURN id_;
END $$;

CREATE FUNCTION work_tree_fetch_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	t tree;
BEGIN
	SELECT * INTO t FROM tree WHERE id = (j.payload->>'tree_id')::int8 AND kind = 'git';
	IF NOT FOUND THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'the tree is gone');
	END IF;
	RETURN jsonb_build_object('name', t.name, 'url', t.source, 'branches', to_jsonb(t.branches));
END $$;

-- Series that wait for a base are tried again when their tree has new commits, at most once in six hours for
-- three days; a last time when these are over.
CREATE FUNCTION base_wait_try() RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	x record;
	n_ int8 := 0;
BEGIN
	FOR x IN SELECT w.series_id, s.content, s.state FROM base_wait w JOIN series s ON s.id = w.series_id
			WHERE (w.wanted AND coalesce(w.again_at, '-infinity') <= now() - interval '6 hours')
				OR w.since <= now() - interval '3 days'
			ORDER BY w.series_id FOR UPDATE OF w SKIP LOCKED LOOP
		UPDATE base_wait SET wanted = false, again_at = now() WHERE series_id = x.series_id;
		IF x.state <> 'complete' THEN
			DELETE FROM base_wait WHERE series_id = x.series_id;
		ELSE
			PERFORM job_again(id, 'the tree has new commits') FROM job
				WHERE key = format('apply:%s:%s', x.series_id, x.content);
		END IF;
		n_ := n_ + 1;
	END LOOP;
	RETURN n_;
END $$;

CREATE FUNCTION work_tree_fetch_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
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
	IF new_ > 0 THEN
		UPDATE base_wait SET wanted = true WHERE tree_id = t.id;
		PERFORM base_wait_try();
	END IF;
	RETURN jsonb_build_object('why', format('%s of %s branches moved', new_,
		jsonb_array_length(r->'branches')) || coalesce('; no longer there: ' || missing_, ''));
END $$;

-- 1, 2, 4 .. 60 minutes, then the tree's own period if that is longer. What was fetched before stays in use.
CREATE FUNCTION tree_fetch_lost() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE tree SET state = CASE state WHEN 'importing' THEN 'failed' ELSE state END, why = NEW.why,
		failures = failures + 1, next_fetch_at = now() + CASE WHEN failures < 6
			THEN power(2, failures) * interval '1 min'
			ELSE greatest(fetch_ms * interval '1 ms', interval '60 min') END
		WHERE id = (NEW.payload->>'tree_id')::int8;
	RETURN NULL;
END $$;
CREATE TRIGGER tree_fetch_lost AFTER UPDATE OF state ON job FOR EACH ROW
	WHEN (NEW.state <> OLD.state AND NEW.state IN ('failed', 'parked', 'skipped', 'cancelled')
		AND NEW.kind = 'tree' AND NEW.payload->>'op' = 'fetch') EXECUTE FUNCTION tree_fetch_lost();

CREATE FUNCTION tree_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM job_cancel(id, 'the tree was removed') FROM job WHERE kind = 'tree'
		AND (payload->>'tree_id')::int8 = OLD.id AND state IN ('waiting', 'ready', 'leased', 'parked');
	RETURN NULL;
END $$;
CREATE TRIGGER tree_gone AFTER DELETE ON tree FOR EACH ROW EXECUTE FUNCTION tree_gone();

-- What only time brings about. Any number of workers and servers may call it.
CREATE OR REPLACE FUNCTION chain_tick() RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	n_ int8;
	x record;
BEGIN
	n_ := job_reap();
	FOR x IN SELECT id FROM list WHERE state = 'active' AND next_poll_at <= now()
			ORDER BY id FOR UPDATE SKIP LOCKED LOOP
		PERFORM list_poll(x.id);
		-- the job's end sets the next one; this is for a job that never ends
		UPDATE list SET next_poll_at = now() + poll_ms * interval '1 ms' WHERE id = x.id;
		n_ := n_ + 1;
	END LOOP;
	FOR x IN SELECT id FROM tree WHERE kind = 'git' AND next_fetch_at <= now()
			ORDER BY id FOR UPDATE SKIP LOCKED LOOP
		PERFORM tree_fetch_enqueue(x.id);
		UPDATE tree SET next_fetch_at = now() + fetch_ms * interval '1 ms' WHERE id = x.id;
		n_ := n_ + 1;
	END LOOP;
	n_ := n_ + base_wait_try();
	FOR x IN SELECT id, facts FROM series WHERE state = 'waiting' AND last_time < now()
			- setting_get('incomplete_after_ms')::int8 * interval '1 ms' FOR UPDATE SKIP LOCKED LOOP
		PERFORM series_to(x.id, 'incomplete', coalesce(x.facts->>'incomplete_why', 'incomplete'));
		n_ := n_ + 1;
	END LOOP;
	FOR x IN SELECT p.id FROM plan p JOIN series s ON s.id = p.series_id
			WHERE s.state IN ('planned', 'running') AND s.deadline_at <= now() AND NOT EXISTS (
				SELECT 1 FROM job a WHERE a.key = format('analyse:%s', p.id)) LOOP
		PERFORM analyse_enqueue(x.id);
		n_ := n_ + 1;
	END LOOP;
	RETURN n_;
END $$;

-- ---- what runners get ----

-- The pack of a base; NULL: it must be made.
CREATE FUNCTION tree_base_pack(tree_id_ int8, commit_ text) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT coalesce((SELECT b.pack FROM tree_base b WHERE b.tree_id = t.id AND b.commit_id = commit_),
		CASE WHEN t.kind <> 'git' THEN t.base_pack END) FROM tree t WHERE t.id = tree_id_
$$;

CREATE FUNCTION work_tree_base_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	t tree;
BEGIN
	SELECT * INTO t FROM tree WHERE id = (j.payload->>'tree_id')::int8;
	IF NOT FOUND OR tree_base_pack(t.id, j.payload->>'commit') IS NOT NULL THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'nothing to cut');
	END IF;
	RETURN jsonb_build_object('name', t.name, 'commit', j.payload->>'commit');
END $$;

CREATE FUNCTION work_tree_base_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO tree_base (tree_id, commit_id, pack)
		SELECT t.id, j.payload->>'commit', work_file(r, r->>'pack') FROM tree t
		WHERE t.id = (j.payload->>'tree_id')::int8 ON CONFLICT DO NOTHING;
	RETURN jsonb_build_object('why', format('%s objects', r->>'n_objects'));
END $$;

CREATE OR REPLACE FUNCTION work_build(p plan, key_ text, side_ text) RETURNS int8 LANGUAGE plpgsql AS $$
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
				'tree_name', t.name, 'label', coalesce(nullif(a.base_label, ''), nullif(t.label, ''), left(a.base_commit, 12)),
				'base_commit', a.base_commit, 'base_tree', a.base_tree,
				'base_pack', tree_base_pack(t.id, a.base_commit),
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

-- The commits before a base are not in its pack: git is told that the history ends there.
CREATE OR REPLACE FUNCTION report_repeat(a application, t tree) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN a.patch_pack IS NULL OR tree_base_pack(t.id, a.base_commit) IS NULL THEN '[]'::jsonb
	ELSE jsonb_build_array('git init -q linux-test && cd linux-test')
		|| CASE WHEN t.kind = 'git' THEN jsonb_build_array(format('echo %s > .git/shallow', a.base_commit)) ELSE '[]' END
		|| jsonb_build_array(
		format('curl -s %s/api/v1/blobs/%s | git index-pack --stdin', setting_get('base_url'),
			tree_base_pack(t.id, a.base_commit)),
		format('curl -s %s/api/v1/blobs/%s | git index-pack --stdin', setting_get('base_url'), a.patch_pack),
		format('git checkout %s   # patched', a.patched_commit),
		format('git checkout %s   # base', a.base_commit),
		format('wakelist-runner build --src . --out ../linux-build --config %s', setting_get('plan_config'))) END
$$;

-- ---- applying ----

-- Starts applying a complete series; harmless when it has been started.
CREATE OR REPLACE FUNCTION series_enqueue_apply(series_id_ int8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	s series;
	t tree;
	job_ int8;
	needs_ int8[] := '{}';
BEGIN
	SELECT * INTO s FROM series WHERE id = series_id_ FOR UPDATE;
	IF NOT FOUND OR s.state <> 'complete' THEN
		RETURN;
	END IF;
	IF s.deadline_at IS NULL THEN
		UPDATE series SET deadline_at = now() + coalesce((SELECT l.deadline_ms FROM list l
			WHERE l.id = s.list_id), 86400000) * interval '1 ms' WHERE id = s.id;
	END IF;
	SELECT * INTO t FROM tree WHERE id = series_tree(s.id);
	IF NOT FOUND OR (t.kind = 'git' AND t.state <> 'ready') THEN
		UPDATE series SET why = s.facts->>'complete_why' || CASE WHEN t.id IS NULL
				THEN '; waits for a kernel tree (none is set up)'
				ELSE format('; waits for the first fetch of the tree %s', t.name) END
			WHERE id = s.id AND s.facts ? 'complete_why';
		RETURN;
	END IF;
	IF t.state <> 'ready' THEN
		SELECT array_agg(id) INTO needs_ FROM (SELECT id FROM job WHERE kind = 'tree'
			AND payload->>'op' = 'import' AND (payload->>'tree_id')::int8 = t.id
			ORDER BY id DESC LIMIT 1) x;
		needs_ := coalesce(needs_, '{}');
	END IF;
	job_ := job_enqueue('apply', 'worker', format('apply:%s:%s', s.id, s.content),
		jsonb_build_object('v', 1, 'series_id', s.id::text, 'content', s.content), '{}', 10, s.id, needs_);
	PERFORM job_again(job_) FROM job WHERE id = job_ AND state <> 'done';
	PERFORM job_need_settled(needs_);
END $$;

-- A tree for work_apply_load: its branches, the default one first.
CREATE FUNCTION tree_apply(t tree) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('name', t.name, 'git', t.kind = 'git', 'label', t.label,
		'branches', CASE WHEN t.kind = 'git' THEN (SELECT jsonb_agg(jsonb_build_object('name', b.name,
				'commit', b.commit_id) ORDER BY b.name <> t.branch, b.name) FROM tree_branch b WHERE b.tree_id = t.id)
			ELSE jsonb_build_array(jsonb_build_object('name', t.branch, 'commit', t.commit_id)) END)
$$;

CREATE FUNCTION series_mails(series_id_ int8) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT coalesce(jsonb_agg(jsonb_build_object('n', p.n, 'blob', m.blob,
		'received_at', epoch_s(m.received_at)) ORDER BY p.n::numeric), '[]'::jsonb)
		FROM series_part p JOIN mail m ON m.id = p.mail_id WHERE p.series_id = series_id_
$$;

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
		'parts', series_mails(s.id));
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
			base_label, patched_commit, patched_tree, branch, patch_pack, detail)
		VALUES (s.id, s.content, t.id, r->>'result', r->>'why', r->>'base_commit', r->>'base_tree',
			coalesce(r->>'base_how', ''), coalesce(r->>'base_label', ''), r->>'patched_commit',
			r->>'patched_tree', r->>'branch', work_file(r, r->>'pack'), r->'detail')
		ON CONFLICT (series_id, content) DO UPDATE SET tree_id = EXCLUDED.tree_id, result = EXCLUDED.result,
			why = EXCLUDED.why, base_commit = EXCLUDED.base_commit, base_tree = EXCLUDED.base_tree,
			base_how = EXCLUDED.base_how, base_label = EXCLUDED.base_label,
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

-- ---- for the server ----

CREATE OR REPLACE FUNCTION api_tree(t tree) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('id', t.id::text, 'name', t.name, 'kind', t.kind, 'source', t.source,
		'branch', t.branch, 'state', t.state, 'why', t.why, 'label', coalesce((SELECT b.label FROM tree_branch b
			WHERE b.tree_id = t.id AND b.name = t.branch), t.label), 'commit', t.commit_id,
		'tree', t.tree_oid, 'base_pack', t.base_pack, 'files', t.files,
		'branches', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', b.name, 'commit', b.commit_id,
			'label', b.label, 'behind', b.behind, 'moved_at', api_time(b.moved_at))
			ORDER BY b.name <> t.branch, b.name), '[]') FROM tree_branch b WHERE b.tree_id = t.id),
		'fetch_ms', CASE WHEN t.kind = 'git' THEN t.fetch_ms END, 'failures', t.failures,
		'fetched_at', api_time(t.fetched_at),
		'next_fetch_at', CASE WHEN t.kind = 'git' THEN api_time(t.next_fetch_at) END,
		'created_at', api_time(t.created_at), 'ready_at', api_time(t.ready_at),
		'progress', (SELECT nullif(j.progress, '{}') FROM job j WHERE j.kind = 'tree' AND j.state = 'leased'
			AND j.payload->>'op' IN ('import', 'fetch') AND (j.payload->>'tree_id')::int8 = t.id
			ORDER BY j.id DESC LIMIT 1))
$$;

DROP FUNCTION api_tree_create(text, text, text, text);
CREATE FUNCTION api_tree_create(name_ text, kind_ text, source_ text, branch_ text, branches_ text[],
	fetch_ms_ int8) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	t tree;
BEGIN
	IF EXISTS (SELECT 1 FROM tree WHERE name = name_) THEN
		RAISE EXCEPTION 'a tree is named % already', name_;
	END IF;
	INSERT INTO tree (name, kind, source, branch, branches, fetch_ms, next_fetch_at)
		VALUES (name_, kind_, source_, coalesce(branch_, branches_[1], 'main'), coalesce(branches_, '{}'),
			coalesce(fetch_ms_, 3600000), now() + interval '1 min') RETURNING * INTO t;
	IF kind_ = 'git' THEN
		PERFORM tree_fetch_enqueue(t.id);
	ELSE
		PERFORM tree_import_enqueue(t.id);
	END IF;
	RETURN jsonb_build_object('v', 1, 'tree', api_tree(t));
END $$;

CREATE FUNCTION api_tree_fetch(name_ text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	t tree;
BEGIN
	SELECT * INTO t FROM tree WHERE name = name_;
	IF NOT FOUND THEN
		PERFORM api_no('tree', name_);
	END IF;
	IF t.kind <> 'git' THEN
		RAISE EXCEPTION 'the tree % was imported once and does not change', name_;
	END IF;
	RETURN jsonb_build_object('v', 1, 'job_id', tree_fetch_enqueue(t.id)::text);
END $$;
