-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the server needs: shapes of entities in JSON (functions api_<entity>), and the acts of people
-- and runners, each one transaction. In JSON ids are strings, times "YYYY-MM-DDTHH:MM:SSZ", what is
-- absent is null. Errors: P0002 is not found, 22023 invalid, P0001 conflict, 42501 denied.

INSERT INTO setting (name, value, form, wants, help) VALUES
	('machine_offline_ms', '90000',
		'^[0-9]{1,12}$', 'a whole number',
		'a machine that is silent for so long is offline'),
	('runner_lease_ms', '60000',
		'^[0-9]{1,12}$', 'a whole number',
		'lease of a runner''s job; renewed every quarter of it');

CREATE INDEX job_state ON job (state, kind);
CREATE INDEX run_job ON run (job_id);
CREATE INDEX build_job ON build (job_id);

CREATE FUNCTION api_time(at_ timestamptz) RETURNS text LANGUAGE sql STABLE AS
	$$ SELECT to_char(at_ AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') $$;

CREATE FUNCTION api_no(what_ text, name_ text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'there is no % %', what_, name_ USING ERRCODE = 'P0002';
END $$;

-- ---- shapes ----

CREATE FUNCTION api_job(j job) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('id', j.id::text, 'kind', j.kind, 'op', j.payload->>'op', 'pool', j.pool,
		'key', j.key, 'state', j.state, 'why', j.why, 'priority', j.priority, 'attempt', j.attempt,
		'max_attempts', j.max_attempts, 'fence', j.fence, 'owner', j.lease_owner,
		'machine', (SELECT m.name FROM machine m WHERE m.id = j.machine_id),
		'needs', to_jsonb(j.needs), 'progress', nullif(j.progress, '{}'), 'log', j.log,
		'series_id', j.series_id::text, 'run_after', api_time(j.run_after),
		'lease_until', api_time(j.lease_until), 'created_at', api_time(j.created_at),
		'started_at', api_time(j.started_at), 'ended_at', api_time(j.ended_at))
$$;

CREATE FUNCTION api_list(l list) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('id', l.id::text, 'name', l.name, 'url', l.url, 'match', to_jsonb(l.match),
		'tree', (SELECT t.name FROM tree t WHERE t.id = l.tree_id), 'reply', l.reply_policy,
		'address', l.address, 'poll_ms', l.poll_ms, 'deadline_ms', l.deadline_ms, 'state', l.state,
		'why', l.why, 'failures', l.failures, 'polled_at', api_time(l.polled_at),
		'next_poll_at', api_time(l.next_poll_at), 'created_at', api_time(l.created_at),
		'mails', (SELECT count(DISTINCT c.mail_id) FROM mail_copy c WHERE c.list_id = l.id),
		'series', (SELECT count(*) FROM series s WHERE s.list_id = l.id AND s.state <> 'withdrawn'),
		'epochs', (SELECT coalesce(jsonb_agg(jsonb_build_object('epoch', e.epoch, 'last_commit', e.last_commit,
			'walked_at', api_time(e.walked_at)) ORDER BY e.epoch), '[]') FROM list_epoch e WHERE e.list_id = l.id))
$$;

CREATE FUNCTION api_tree(t tree) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('id', t.id::text, 'name', t.name, 'kind', t.kind, 'source', t.source,
		'branch', t.branch, 'state', t.state, 'why', t.why, 'label', t.label, 'commit', t.commit_id,
		'tree', t.tree_oid, 'base_pack', t.base_pack, 'files', t.files,
		'created_at', api_time(t.created_at), 'ready_at', api_time(t.ready_at),
		'progress', (SELECT nullif(j.progress, '{}') FROM job j WHERE j.kind = 'tree' AND j.state = 'leased'
			AND j.payload->>'op' = 'import' AND (j.payload->>'tree_id')::int8 = t.id ORDER BY j.id DESC LIMIT 1))
$$;

CREATE FUNCTION api_build(b build) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('release', NULL, 'errors', '[]'::jsonb, 'warnings', '[]'::jsonb,
			'compiles', NULL, 'wall_ms', NULL, 'cc', NULL, 'sandbox', NULL)
		|| (b.detail - 'status') || jsonb_build_object('id', b.id::text, 'key', b.key, 'state', b.state,
		'why', b.why, 'tree', b.tree_oid, 'commit', b.commit_id, 'arch', b.arch, 'config', b.config,
		'kernel', b.kernel, 'job_id', b.job_id::text, 'created_at', api_time(b.created_at),
		'log', j.log, 'progress', nullif(j.progress, '{}'),
		'machine', (SELECT m.name FROM machine m WHERE m.id = j.machine_id))
		FROM job j WHERE j.id = b.job_id
$$;

CREATE FUNCTION api_run(r run) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('booted', NULL, 'release', NULL, 'accel', NULL, 'accel_why', NULL, 'qemu', NULL,
			'argv', '[]'::jsonb, 'wall_ms', NULL, 'sandbox', NULL)
		|| (r.detail - 'status' - 'events') || jsonb_build_object('id', r.id::text, 'key', r.key,
		'build_id', r.build_id::text, 'topology', r.topology, 'block', r.block, 'state', r.state,
		'why', r.why, 'job_id', r.job_id::text, 'serial', r.serial, 'raw', r.raw,
		'machine', (SELECT m.name FROM machine m WHERE m.id = coalesce(r.machine_id, j.machine_id)),
		'log', j.log, 'progress', nullif(j.progress, '{}'), 'started_at', api_time(r.started_at),
		'ended_at', api_time(r.ended_at)) FROM job j WHERE j.id = r.job_id
$$;

CREATE FUNCTION api_machine(m machine) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('id', m.id::text, 'name', m.name, 'arch', m.arch, 'caps', to_jsonb(m.caps),
		'cpus', jsonb_array_length(CASE WHEN jsonb_typeof(m.topology->'cpus') = 'array'
			THEN m.topology->'cpus' ELSE '[]' END),
		'state', m.state, 'why', m.why, 'test_only', m.test_only, 'tools', m.tools,
		'token', (SELECT t.name FROM token t WHERE t.id = m.token_id),
		'seen_at', api_time(m.seen_at), 'created_at', api_time(m.created_at),
		'running', (SELECT coalesce(jsonb_agg(api_job(j) ORDER BY j.id), '[]') FROM job j
			WHERE j.machine_id = m.id AND j.state = 'leased'))
$$;

CREATE FUNCTION api_reply(p reply) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('id', p.id::text, 'series_id', p.series_id::text, 'kind', p.kind,
		'attempt', p.attempt, 'message_id', p.message_id, 'state', p.state, 'why', p.why,
		'subject', p.subject, 'from', p.envelope_from, 'to', to_jsonb(p.envelope_to), 'sha256', p.text,
		'approved_by', p.approved_by, 'approved_sha256', p.approved_sha256, 'server_said', p.server_said,
		'created_at', api_time(p.created_at), 'sent_at', api_time(p.sent_at))
$$;

CREATE FUNCTION api_token(t token) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('name', t.name, 'role', t.role, 'created_at', api_time(t.created_at),
		'revoked_at', api_time(t.revoked_at), 'used_at', api_time(t.used_at))
$$;

-- ---- one series ----

-- Nothing more happens to it unless a mail or a person comes.
CREATE FUNCTION api_series_final(s series) RETURNS bool LANGUAGE sql STABLE AS $$
	SELECT s.state IN ('not_ours', 'incomplete', 'ambiguous', 'corrupt') OR EXISTS (SELECT 1 FROM fsm_state f
		WHERE f.entity = 'series' AND f.state = s.state AND f.final)
$$;

-- What came of it, one sentence.
CREATE FUNCTION api_series_result(s series) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT CASE
		WHEN s.state IN ('analysed', 'answered', 'unanswered') AND b.state = 'broken' THEN coalesce(format('%s:%s does not compile',
			b.detail->'errors'->0->>'path', nullif(b.detail->'errors'->0->>'line', '')), 'the kernel does not build')
			|| coalesce('; reply ' || p.state, '')
		WHEN s.state IN ('analysed', 'answered', 'unanswered') AND v.n > 0 THEN concat_ws(', ',
			CASE WHEN u.n > 0 THEN format('boots %s of %s', u.ok, u.n) END,
			CASE WHEN v.worse > 0 THEN v.worse || ' worse' END,
			CASE WHEN v.broken > 0 THEN v.broken || ' broken' END,
			CASE WHEN v.better > 0 THEN v.better || ' better' END,
			CASE WHEN v.same > 0 THEN v.same || ' no change' END,
			CASE WHEN v.open > 0 THEN v.open || ' inconclusive' END,
			CASE WHEN v.shown = v.n AND u.n = 0 THEN v.shown || ' shown, not judged' END)
			|| coalesce('; reply ' || p.state, '')
		WHEN a.result IS NOT NULL AND a.result NOT IN ('applied', 'already') AND s.state IN ('refused', 'answered', 'unanswered')
			THEN a.why || coalesce('; reply ' || p.state, '')
		ELSE s.why END
	FROM (SELECT count(*) AS n, count(*) FILTER (WHERE mark = 'W') AS worse,
			count(*) FILTER (WHERE mark = '!') AS broken, count(*) FILTER (WHERE mark = 'B') AS better,
			count(*) FILTER (WHERE mark = '=') AS same, count(*) FILTER (WHERE mark = '?') AS open,
			count(*) FILTER (WHERE mark = '.') AS shown
		FROM verdict WHERE plan_id = (SELECT id FROM plan WHERE series_id = s.id)) v
	CROSS JOIN (SELECT count(*) AS n, count(*) FILTER (WHERE r.state = 'ok') AS ok
		FROM plan l JOIN plan_run pr ON pr.plan_id = l.id AND pr.side = 'patched' JOIN run r ON r.id = pr.run_id
		WHERE l.series_id = s.id) u
	LEFT JOIN LATERAL (SELECT y.state, y.detail FROM plan l JOIN build y ON y.id = l.patched_build_id
		WHERE l.series_id = s.id) b ON true
	LEFT JOIN LATERAL (SELECT x.result, x.why FROM application x WHERE x.series_id = s.id
		AND x.content = s.content) a ON true
	LEFT JOIN LATERAL (SELECT y.state FROM reply y WHERE y.series_id = s.id ORDER BY y.id DESC LIMIT 1) p ON true
$$;

-- How far what is going on now has come: the steps of a build, else jobs.
CREATE FUNCTION api_series_progress(s series) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN s.state IN ('planned', 'running') THEN (
		WITH part AS (
			SELECT 'run' AS entity, r.state, r.job_id FROM plan p JOIN plan_run pr ON pr.plan_id = p.id
				JOIN run r ON r.id = pr.run_id WHERE p.series_id = s.id
			UNION ALL SELECT 'build', b.state, b.job_id FROM plan p
				JOIN build b ON b.id IN (p.base_build_id, p.patched_build_id) WHERE p.series_id = s.id
		), now AS (
			SELECT j.kind, j.progress FROM part JOIN job j ON j.id = part.job_id AND j.state = 'leased'
				ORDER BY j.id LIMIT 1
		), jobs AS (
			SELECT jsonb_build_object('done', count(*) FILTER (WHERE f.final), 'total', count(*), 'unit', 'jobs') AS v
				FROM part JOIN fsm_state f ON f.entity = part.entity AND f.state = part.state
		)
		SELECT jobs.v || CASE WHEN now.kind = 'build' AND (now.progress->>'total')::int8 > 0
				THEN jsonb_build_object('done', now.progress->'done', 'total', now.progress->'total',
					'unit', now.progress->'unit') ELSE '{}' END
			|| jsonb_build_object('text', coalesce(now.kind || coalesce(': ' || (now.progress->>'text'), ''),
				'waits for a machine')) FROM jobs LEFT JOIN now ON true)
	ELSE (SELECT nullif(j.progress, '{}') FROM job j WHERE j.series_id = s.id AND j.state = 'leased'
		ORDER BY j.id DESC LIMIT 1) END
$$;

CREATE FUNCTION api_series(s series) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('id', s.id::text, 'list', (SELECT l.name FROM list l WHERE l.id = s.list_id),
		'root_message_id', s.root_message_id, 'version', s.version, 'title', s.title,
		'author', jsonb_build_object('name', s.author_name, 'email', s.author_email),
		'total', s.total, 'received', s.received, 'rfc', s.rfc, 'explicit', s.explicit, 'state', s.state,
		'why', s.why, 'result', api_series_result(s), 'final', api_series_final(s),
		'progress', api_series_progress(s), 'previous_id', s.previous_id::text,
		'superseded_by', s.superseded_by::text, 'first_time', api_time(s.first_time),
		'last_time', api_time(s.last_time), 'deadline_at', api_time(s.deadline_at),
		'created_at', api_time(s.created_at), 'changed_at', api_time(s.changed_at))
$$;

CREATE FUNCTION api_plan(p plan) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('id', p.id::text, 'seed', p.seed, 'blocks', p.blocks, 'profile', p.profile,
		'created_at', api_time(p.created_at), 'detail', p.detail,
		'cells', (SELECT coalesce(jsonb_agg(jsonb_build_object('tier', c.tier, 'topology', c.topology,
			'bench', c.bench, 'load', c.load, 'why', c.why) ORDER BY c.id), '[]') FROM cell c WHERE c.plan_id = p.id),
		'schedule', (SELECT coalesce(jsonb_agg(pr.run_id::text ORDER BY pr.position), '[]')
			FROM plan_run pr WHERE pr.plan_id = p.id),
		'builds', (SELECT coalesce(jsonb_agg(jsonb_build_object('side', x.side) || api_build(b) ORDER BY x.side), '[]')
			FROM (VALUES ('base', p.base_build_id), ('patched', p.patched_build_id)) x(side, id)
			JOIN build b ON b.id = x.id),
		'runs', (SELECT coalesce(jsonb_agg(jsonb_build_object('side', pr.side, 'position', pr.position)
			|| (api_run(r) - 'argv') ORDER BY pr.position, r.id), '[]')
			FROM plan_run pr JOIN run r ON r.id = pr.run_id WHERE pr.plan_id = p.id))
$$;

-- The stages of the chain as a reader sees them: waiting, active, done, failed or skipped.
CREATE FUNCTION api_stages(s series) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
	a application;
	p plan;
	r reply;
	over_ bool := s.state IN ('superseded', 'withdrawn');
	stuck_ bool := s.state IN ('incomplete', 'ambiguous', 'corrupt', 'not_ours', 'opted_out');
	rest_ text;
	b record;
	u record;
	v_ int8;
	fail_ text; -- of a stage before the reply
	mute_ bool; -- judged, but the reply could not be composed
	out_ jsonb;
BEGIN
	SELECT * INTO a FROM application x WHERE x.series_id = s.id AND x.content = s.content;
	SELECT * INTO p FROM plan x WHERE x.series_id = s.id;
	SELECT * INTO r FROM reply x WHERE x.series_id = s.id ORDER BY x.id DESC LIMIT 1;
	SELECT count(*) AS n, count(*) FILTER (WHERE x.state = 'ok') AS ok,
		count(*) FILTER (WHERE x.state IN ('queued', 'building')) AS open,
		min(x.why) FILTER (WHERE x.state NOT IN ('ok', 'queued', 'building')) AS bad INTO b
		FROM build x WHERE x.id IN (p.base_build_id, p.patched_build_id);
	SELECT count(*) AS n, count(*) FILTER (WHERE x.state = 'ok') AS ok,
		count(*) FILTER (WHERE x.state IN ('queued', 'running')) AS open,
		count(*) FILTER (WHERE x.state = 'running') AS going,
		count(*) FILTER (WHERE x.state IN ('skipped', 'cancelled', 'lost')) AS none,
		min(x.why) FILTER (WHERE x.state IN ('broken', 'lost')) AS bad INTO u
		FROM plan_run pr JOIN run x ON x.id = pr.run_id WHERE pr.plan_id = p.id;
	SELECT count(*) INTO v_ FROM verdict x WHERE x.plan_id = p.id;
	mute_ := s.state = 'failed' AND (v_ > 0 OR coalesce(a.result NOT IN ('applied', 'already'), false));
	fail_ := CASE WHEN s.state = 'failed' AND NOT mute_ THEN s.why END;
	-- what is not reached: it may come, or it will not
	rest_ := CASE WHEN over_ OR stuck_ OR s.state IN ('failed', 'answered', 'refused', 'unanswered')
		THEN 'skipped' ELSE 'waiting' END;
	out_ := jsonb_build_array(
		jsonb_build_object('name', 'watch', 'state', 'done', 'text', CASE
			WHEN coalesce(s.total, s.received) <> s.received THEN format('%s of %s parts', s.received, s.total)
			WHEN s.received = 1 THEN '1 part' ELSE s.received || ' parts' END),
		jsonb_build_object('name', 'assemble', 'state', CASE WHEN s.state = 'waiting' THEN 'active'
			WHEN s.state IN ('incomplete', 'ambiguous', 'corrupt') THEN 'failed' ELSE 'done' END,
			'text', CASE WHEN s.state = 'waiting' OR stuck_ OR over_ THEN s.why
				ELSE 'version ' || s.version || ', complete' END),
		CASE WHEN a.id IS NOT NULL THEN jsonb_build_object('name', 'apply', 'state', CASE
				WHEN a.result IN ('applied', 'already') THEN 'done' ELSE 'failed' END, 'text', a.why)
			WHEN s.state = 'complete' THEN jsonb_build_object('name', 'apply', 'state', 'active', 'text', s.why)
			WHEN fail_ IS NOT NULL THEN jsonb_build_object('name', 'apply', 'state', 'failed', 'text', fail_)
			ELSE jsonb_build_object('name', 'apply', 'state', rest_, 'text', '') END,
		CASE WHEN p.id IS NOT NULL THEN jsonb_build_object('name', 'plan', 'state', 'done', 'text',
				format('%s blocks, %s boots, seed %s', p.blocks, u.n, p.seed))
			WHEN s.state = 'applied' THEN jsonb_build_object('name', 'plan', 'state', 'active', 'text', '')
			WHEN fail_ IS NOT NULL AND a.id IS NOT NULL THEN
				jsonb_build_object('name', 'plan', 'state', 'failed', 'text', fail_)
			ELSE jsonb_build_object('name', 'plan', 'state', rest_, 'text', '') END,
		jsonb_build_object('name', 'build', 'state', CASE WHEN p.id IS NULL OR b.n = 0 THEN rest_
				WHEN b.bad IS NOT NULL THEN 'failed' WHEN b.open = 0 THEN 'done'
				WHEN over_ THEN 'skipped' ELSE 'active' END,
			'text', CASE WHEN coalesce(b.n, 0) = 0 THEN '' ELSE coalesce(b.bad,
				format('%s of %s kernels', b.ok, b.n)) END),
		jsonb_build_object('name', 'run', 'state', CASE WHEN p.id IS NULL OR u.n = 0 THEN rest_
				WHEN u.bad IS NOT NULL AND u.open = 0 THEN 'failed' WHEN u.open = 0 AND u.ok = 0 THEN 'skipped'
				WHEN u.open = 0 THEN 'done' WHEN over_ OR rest_ = 'skipped' THEN 'skipped'
				WHEN u.going > 0 OR u.open < u.n THEN 'active' ELSE 'waiting' END,
			'text', CASE WHEN coalesce(u.n, 0) = 0 THEN '' ELSE concat_ws('; ', format('%s of %s boots', u.n - u.open - u.none, u.n),
				CASE WHEN u.none > 0 THEN u.none || ' without a result' END, u.bad) END),
		jsonb_build_object('name', 'analyse', 'state', CASE WHEN v_ > 0 AND (mute_ OR s.state IN ('analysed', 'answered', 'unanswered')) THEN 'done'
				WHEN fail_ IS NOT NULL AND p.id IS NOT NULL THEN 'failed'
				WHEN p.id IS NOT NULL AND u.open = 0 AND b.open = 0 AND s.state IN ('planned', 'running') THEN 'active'
				ELSE rest_ END,
			'text', CASE WHEN v_ > 0 THEN api_series_result(s)
				WHEN fail_ IS NOT NULL AND p.id IS NOT NULL THEN fail_ ELSE '' END),
		CASE WHEN r.id IS NOT NULL THEN jsonb_build_object('name', 'reply', 'state', CASE
				WHEN r.state IN ('sent', 'held', 'composed') THEN 'done'
				WHEN r.state IN ('approved', 'sending') THEN 'active' WHEN r.state = 'unknown' THEN 'failed' ELSE 'skipped' END,
				'text', CASE r.state WHEN 'held' THEN 'composed, ' || coalesce(nullif(r.why, ''), 'waits for a person') WHEN 'composed' THEN 'composed'
					WHEN 'unknown' THEN 'nobody knows whether it was sent' ELSE r.state END)
			WHEN s.state IN ('analysed', 'refused') THEN jsonb_build_object('name', 'reply', 'state', 'active', 'text', s.why)
			WHEN mute_ THEN jsonb_build_object('name', 'reply', 'state', 'failed', 'text', s.why)
			WHEN s.state = 'unanswered' THEN
				jsonb_build_object('name', 'reply', 'state', 'skipped', 'text', s.why)
			ELSE jsonb_build_object('name', 'reply', 'state', rest_, 'text', '') END);
	RETURN out_;
END $$;

-- As public-inbox escapes a message-id in a URL.
CREATE FUNCTION api_msgid_escape(id_ text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(CASE WHEN c ~ '^[A-Za-z0-9._~!$&'';()*+,=:@-]$' THEN c
		ELSE upper(regexp_replace(encode(convert_to(c, 'UTF8'), 'hex'), '(..)', '%\1', 'g')) END, '' ORDER BY n)
		FROM regexp_split_to_table(id_, '') WITH ORDINALITY x(c, n)
$$;

CREATE FUNCTION api_event(e event) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object('v', 1, 'id', e.id::text, 'at', api_time(e.at), 'entity', e.entity,
		'entity_id', e.entity_id::text, 'series_id', e.series_id::text, 'what', e.what, 'data', e.data)
$$;

-- Every series that an event is about: shared builds, boots and their jobs belong to several.
CREATE FUNCTION api_event_series(e event) RETURNS int8[] LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN e.series_id IS NOT NULL AND e.entity <> 'job' THEN ARRAY[e.series_id]
		WHEN e.entity IN ('run', 'build', 'job') THEN ARRAY(
			SELECT e.series_id WHERE e.series_id IS NOT NULL
			UNION SELECT p.series_id FROM run r JOIN plan_run pr ON pr.run_id = r.id JOIN plan p ON p.id = pr.plan_id
				WHERE (e.entity = 'run' AND r.id = e.entity_id) OR (e.entity = 'job' AND r.job_id = e.entity_id)
			UNION SELECT p.series_id FROM build b JOIN plan p ON b.id IN (p.base_build_id, p.patched_build_id)
				WHERE (e.entity = 'build' AND b.id = e.entity_id) OR (e.entity = 'job' AND b.job_id = e.entity_id))
		ELSE '{}' END
$$;

-- ---- acts of people ----

CREATE FUNCTION api_list_create(name_ text, url_ text, match_ text[], tree_ text, reply_ text, address_ text,
	poll_ms_ int8, deadline_ms_ int8) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	tree_id_ int8;
	l list;
BEGIN
	IF tree_ IS NOT NULL THEN
		SELECT id INTO tree_id_ FROM tree WHERE name = tree_;
		IF NOT FOUND THEN
			PERFORM api_no('tree', tree_);
		END IF;
	END IF;
	IF EXISTS (SELECT 1 FROM list WHERE name = name_) THEN
		RAISE EXCEPTION 'a list is named % already', name_;
	END IF;
	-- not yet due for the workers' clock: a server asks the archive within a second, and says how it is
	INSERT INTO list (name, url, match, tree_id, reply_policy, address, poll_ms, deadline_ms, next_poll_at)
		VALUES (name_, url_, coalesce(match_, '{kernel/sched/,include/linux/sched/}'), tree_id_,
			coalesce(reply_, 'hold'), coalesce(address_, ''), coalesce(poll_ms_, 60000),
			coalesce(deadline_ms_, 86400000), now() + interval '3 s') RETURNING * INTO l;
	PERFORM list_poll(l.id);
	RETURN jsonb_build_object('v', 1, 'list', api_list(l));
END $$;

CREATE FUNCTION api_list_delete(name_ text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	l list;
BEGIN
	DELETE FROM list WHERE name = name_ RETURNING * INTO l;
	IF NOT FOUND THEN
		PERFORM api_no('list', name_);
	END IF;
	PERFORM job_cancel(id, 'the list was removed') FROM job WHERE kind = 'ingest'
		AND payload->>'op' = 'poll' AND (payload->>'list_id')::int8 = l.id
		AND state IN ('waiting', 'ready', 'leased', 'parked');
	INSERT INTO event (entity, entity_id, what) VALUES ('list', l.id, 'removed');
	RETURN jsonb_build_object('v', 1, 'name', name_);
END $$;

CREATE FUNCTION api_list_poll(name_ text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	l list;
BEGIN
	SELECT * INTO l FROM list WHERE name = name_;
	IF NOT FOUND THEN
		PERFORM api_no('list', name_);
	END IF;
	UPDATE list SET next_poll_at = now() WHERE id = l.id;
	RETURN jsonb_build_object('v', 1, 'job_id', list_poll(l.id)::text);
END $$;

CREATE FUNCTION api_tree_create(name_ text, kind_ text, source_ text, branch_ text)
	RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	t tree;
BEGIN
	IF EXISTS (SELECT 1 FROM tree WHERE name = name_) THEN
		RAISE EXCEPTION 'a tree is named % already', name_;
	END IF;
	INSERT INTO tree (name, kind, source, branch) VALUES (name_, kind_, source_, coalesce(branch_, 'main'))
		RETURNING * INTO t;
	PERFORM tree_import_enqueue(t.id);
	RETURN jsonb_build_object('v', 1, 'tree', api_tree(t));
END $$;

CREATE FUNCTION api_tree_delete(name_ text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	t tree;
	n_ int8;
BEGIN
	SELECT * INTO t FROM tree WHERE name = name_ FOR UPDATE;
	IF NOT FOUND THEN
		PERFORM api_no('tree', name_);
	END IF;
	SELECT count(*) INTO n_ FROM application WHERE tree_id = t.id;
	IF n_ > 0 THEN
		RAISE EXCEPTION '% series were applied to tree %: it stays, so that they can be repeated', n_, name_;
	END IF;
	SELECT count(*) INTO n_ FROM list WHERE tree_id = t.id;
	IF n_ > 0 THEN
		RAISE EXCEPTION 'tree % is used by % lists', name_, n_;
	END IF;
	UPDATE submission SET tree_id = NULL WHERE tree_id = t.id;
	PERFORM job_cancel(id, 'the tree was removed') FROM job WHERE kind = 'tree' AND payload->>'op' = 'import'
		AND (payload->>'tree_id')::int8 = t.id AND state IN ('waiting', 'ready', 'leased', 'parked');
	DELETE FROM tree WHERE id = t.id;
	INSERT INTO event (entity, entity_id, what) VALUES ('tree', t.id, 'removed');
	RETURN jsonb_build_object('v', 1, 'name', name_);
END $$;

-- The thread is fetched after the lists have been read that can only be read whole.
CREATE FUNCTION api_submission_create(message_id_ text, list_ text, url_ text, tree_ text, base_ text,
	token_id_ int8) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	list_id_ int8;
	tree_id_ int8;
	id_ int8;
BEGIN
	IF list_ IS NOT NULL THEN
		SELECT id INTO list_id_ FROM list WHERE name = list_;
		IF NOT FOUND THEN
			PERFORM api_no('list', list_);
		END IF;
	END IF;
	IF tree_ IS NOT NULL THEN
		SELECT id INTO tree_id_ FROM tree WHERE name = tree_;
		IF NOT FOUND THEN
			PERFORM api_no('tree', tree_);
		END IF;
	END IF;
	INSERT INTO submission (message_id, list_id, url, tree_id, base, token_id)
		VALUES (message_id_, list_id_, url_, tree_id_, base_, token_id_) RETURNING id INTO id_;
	IF url_ IS NULL AND NOT EXISTS (SELECT 1 FROM mail WHERE message_id = message_id_) THEN
		PERFORM list_poll(x.id) FROM (SELECT l.id FROM list l WHERE l.url !~ '^https?://' AND l.state = 'active'
			AND (l.id = list_id_ OR list_id_ IS NULL) ORDER BY l.id LIMIT 20) x;
	END IF;
	PERFORM job_enqueue('ingest', 'worker', format('thread:%s', id_), jsonb_build_object('v', 1,
		'op', 'thread', 'submission_id', id_::text), '{}', 9, NULL);
	RETURN jsonb_build_object('v', 1, 'id', id_::text);
END $$;

CREATE FUNCTION api_series_retry(id_ int8) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	state_ text;
BEGIN
	SELECT state INTO state_ FROM series WHERE id = id_ FOR UPDATE;
	IF NOT FOUND THEN
		PERFORM api_no('series', id_::text);
	END IF;
	IF state_ <> 'failed' THEN
		RAISE EXCEPTION 'series % is %; only a failed one is tried again', id_, state_;
	END IF;
	PERFORM series_retry(id_);
	RETURN jsonb_build_object('v', 1, 'id', id_::text);
END $$;

-- With it, what was skipped because of it.
CREATE FUNCTION api_job_retry(id_ int8) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	j job;
	w int8;
BEGIN
	SELECT * INTO j FROM job WHERE id = id_ FOR UPDATE;
	IF NOT FOUND THEN
		PERFORM api_no('job', id_::text);
	END IF;
	IF j.state NOT IN ('parked', 'cancelled', 'skipped') AND (j.state <> 'failed' OR j.pool = 'runner') THEN
		RAISE EXCEPTION 'job % is %; a parked, cancelled or skipped one can be tried again', id_, j.state;
	END IF;
	PERFORM job_again(id_, 'a person asked again');
	FOR w IN SELECT n.job_id FROM job_need n JOIN job d ON d.id = n.job_id
			WHERE n.needs_id = id_ AND d.state = 'skipped' ORDER BY 1 LOOP
		PERFORM api_job_retry(w);
	END LOOP;
	RETURN jsonb_build_object('v', 1, 'id', id_::text);
END $$;

CREATE FUNCTION api_job_cancel(id_ int8, by_ text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	j job;
BEGIN
	SELECT * INTO j FROM job WHERE id = id_ FOR UPDATE;
	IF NOT FOUND THEN
		PERFORM api_no('job', id_::text);
	END IF;
	IF NOT job_cancel(id_, 'cancelled by ' || by_) THEN
		RAISE EXCEPTION 'job % is % already', id_, j.state;
	END IF;
	RETURN jsonb_build_object('v', 1, 'id', id_::text);
END $$;

CREATE FUNCTION api_reply_lock(id_ int8) RETURNS reply LANGUAGE plpgsql AS $$
DECLARE
	p reply;
BEGIN
	SELECT * INTO p FROM reply WHERE id = id_ FOR UPDATE;
	IF NOT FOUND THEN
		PERFORM api_no('reply', id_::text);
	END IF;
	RETURN p;
END $$;

-- Approval names the bytes: what the person read is what is sent.
CREATE FUNCTION api_reply_approve(id_ int8, sha256_ text, by_ text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	p reply := api_reply_lock(id_);
BEGIN
	IF p.text <> sha256_ THEN
		RAISE EXCEPTION 'the reply''s text is %, not %: read it again', p.text, sha256_;
	END IF;
	IF p.state <> 'held' THEN
		RAISE EXCEPTION 'the reply is %; only one that is held can be approved', p.state;
	END IF;
	UPDATE reply SET state = 'approved', why = 'approved by ' || by_, approved_by = by_,
		approved_sha256 = sha256_ WHERE id = id_ RETURNING * INTO p;
	PERFORM reply_send_enqueue(p.id);
	RETURN jsonb_build_object('v', 1, 'reply', api_reply(p));
END $$;

CREATE FUNCTION api_reply_reject(id_ int8, why_ text, by_ text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	p reply := api_reply_lock(id_);
BEGIN
	IF p.state NOT IN ('composed', 'held', 'approved') THEN
		RAISE EXCEPTION 'the reply is %; it is too late to reject it', p.state;
	END IF;
	UPDATE reply SET state = 'rejected', why = coalesce(nullif(why_, ''), 'rejected') || ' (' || by_ || ')'
		WHERE id = id_ RETURNING * INTO p;
	RETURN jsonb_build_object('v', 1, 'reply', api_reply(p));
END $$;

CREATE FUNCTION api_reply_resolve(id_ int8, outcome_ text, by_ text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	p reply := api_reply_lock(id_);
BEGIN
	IF p.state <> 'unknown' THEN
		RAISE EXCEPTION 'the reply is %; only an unknown one is resolved', p.state;
	END IF;
	IF outcome_ = 'sent' THEN
		UPDATE reply SET state = 'sent', why = by_ || ' said so', sent_at = now() WHERE id = id_ RETURNING * INTO p;
	ELSE
		UPDATE reply SET state = 'approved', why = by_ || ' said: send again', approved_by = by_,
			approved_sha256 = p.text WHERE id = id_ RETURNING * INTO p;
		PERFORM reply_send_enqueue(p.id);
	END IF;
	RETURN jsonb_build_object('v', 1, 'reply', api_reply(p));
END $$;

CREATE FUNCTION api_token_create(name_ text, role_ text, hash_ bytea) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT 1 FROM token WHERE name = name_) THEN
		RAISE EXCEPTION 'a token is named % already', name_;
	END IF;
	INSERT INTO token (name, role, hash) VALUES (name_, role_, hash_);
	RETURN jsonb_build_object('v', 1, 'name', name_, 'role', role_);
END $$;

CREATE FUNCTION api_token_revoke(name_ text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
	UPDATE token SET revoked_at = coalesce(revoked_at, now()) WHERE name = name_;
	IF NOT FOUND THEN
		PERFORM api_no('token', name_);
	END IF;
	PERFORM pg_notify('wl_token', name_);
	RETURN jsonb_build_object('v', 1, 'name', name_);
END $$;

CREATE FUNCTION api_setting_set(name_ text, value_ text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	wants_ text;
BEGIN
	SELECT wants INTO wants_ FROM setting WHERE name = name_ AND value_ !~ form;
	IF FOUND THEN
		RAISE EXCEPTION '% is %, not "%"', name_, wants_, left(value_, 80) USING ERRCODE = '22023';
	END IF;
	UPDATE setting SET value = value_ WHERE name = name_;
	IF NOT FOUND THEN
		PERFORM api_no('setting', name_);
	END IF;
	RETURN value_;
END $$;

CREATE FUNCTION api_machine_retire(name_ text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	m machine;
BEGIN
	SELECT * INTO m FROM machine WHERE name = name_ FOR UPDATE;
	IF NOT FOUND THEN
		PERFORM api_no('machine', name_);
	END IF;
	UPDATE machine SET state = 'retired', why = 'a person removed it', session = '' WHERE id = m.id;
	UPDATE job SET lease_until = clock_timestamp() WHERE machine_id = m.id AND state = 'leased';
	PERFORM job_reap();
	RETURN jsonb_build_object('v', 1, 'name', name_);
END $$;

-- ---- runners ----

-- A new session of a known machine: what the old one was doing is given to others at once.
CREATE FUNCTION api_runner_register(token_id_ int8, name_ text, arch_ text, caps_ text[], topology_ jsonb,
	tools_ jsonb, session_ text, test_only_ bool) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	m machine;
BEGIN
	IF (test_only_ OR 'kind:null' = ANY (caps_)) AND setting_get('test_database') IS DISTINCT FROM 'yes' THEN
		RAISE EXCEPTION 'this is no test database: machines that only pretend are refused'
			USING ERRCODE = '42501';
	END IF;
	SELECT * INTO m FROM machine WHERE name = name_ FOR UPDATE;
	IF NOT FOUND THEN
		INSERT INTO machine (name, token_id, arch, caps, topology, tools, session, test_only)
			VALUES (name_, token_id_, arch_, caps_, topology_, coalesce(tools_, '{}'), session_, test_only_)
			RETURNING * INTO m;
		RETURN jsonb_build_object('v', 1, 'machine_id', m.id::text);
	END IF;
	IF m.state = 'retired' THEN
		RAISE EXCEPTION 'machine % was retired; register under another name', name_;
	END IF;
	IF m.token_id <> token_id_ AND EXISTS (SELECT 1 FROM token WHERE id = m.token_id AND revoked_at IS NULL) THEN
		RAISE EXCEPTION 'machine % belongs to another token', name_;
	END IF;
	IF m.session <> session_ THEN
		UPDATE job SET lease_until = clock_timestamp() WHERE machine_id = m.id AND state = 'leased';
		PERFORM job_reap();
	END IF;
	UPDATE machine SET token_id = token_id_, arch = arch_, caps = caps_, topology = topology_,
		tools = coalesce(tools_, '{}'), session = session_, test_only = test_only_, state = 'online', why = '',
		seen_at = clock_timestamp() WHERE id = m.id;
	RETURN jsonb_build_object('v', 1, 'machine_id', m.id::text);
END $$;

CREATE FUNCTION api_runner_seen(machine_ int8) RETURNS void LANGUAGE sql AS $$
	UPDATE machine SET seen_at = clock_timestamp(), state = 'online', why = '' WHERE id = machine_
		AND state <> 'retired' AND (state = 'offline' OR seen_at < clock_timestamp() - interval '5 s')
$$;

CREATE FUNCTION api_runner_lease(token_id_ int8, machine_ int8, session_ text, kinds_ text[], max_ int4)
	RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	m machine;
	lease_ms_ int8 := setting_get('runner_lease_ms')::int8;
	out_ jsonb;
BEGIN
	SELECT * INTO m FROM machine WHERE id = machine_;
	IF NOT FOUND THEN
		PERFORM api_no('machine', machine_::text);
	END IF;
	IF m.token_id <> token_id_ THEN
		RAISE EXCEPTION 'machine % belongs to another token', m.name USING ERRCODE = '42501';
	END IF;
	IF m.session <> session_ OR m.state = 'retired' THEN
		RAISE EXCEPTION 'another session of % has registered since: this one is over', m.name;
	END IF;
	PERFORM api_runner_seen(m.id);
	SELECT coalesce(jsonb_agg(jsonb_build_object('id', j.id::text, 'kind', j.kind, 'fence', j.fence,
			'lease_ms', lease_ms_, 'payload', CASE WHEN j.kind = 'boot' THEN j.payload || jsonb_build_object(
				'kernel', (SELECT b.kernel FROM run r JOIN build b ON b.id = r.build_id WHERE r.job_id = j.id))
				ELSE j.payload END) ORDER BY j.priority DESC, j.id), '[]') INTO out_
		FROM job_claim('runner', kinds_, m.caps, m.name, m.id, lease_ms_, max_) j;
	RETURN jsonb_build_object('v', 1, 'jobs', out_);
END $$;

-- Is this lease the caller's and alive? ERRCODE 42501 when the job was never the caller's.
CREATE FUNCTION api_runner_holds(token_id_ int8, id_ int8, fence_ int8) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	j job;
BEGIN
	SELECT * INTO j FROM job WHERE id = id_ AND pool = 'runner';
	IF NOT FOUND THEN
		PERFORM api_no('job', id_::text);
	END IF;
	IF j.fence = fence_ AND NOT EXISTS (SELECT 1 FROM machine WHERE id = j.machine_id AND token_id = token_id_) THEN
		RAISE EXCEPTION 'job % was given to another machine', id_ USING ERRCODE = '42501';
	END IF;
	RETURN j.fence = fence_ AND j.state = 'leased' AND j.lease_until > clock_timestamp();
END $$;

CREATE FUNCTION api_runner_renew(token_id_ int8, id_ int8, fence_ int8, progress_ jsonb)
	RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	IF NOT api_runner_holds(token_id_, id_, fence_) THEN
		RETURN false;
	END IF;
	PERFORM api_runner_seen(machine_id) FROM job WHERE id = id_;
	RETURN job_renew(id_, fence_, setting_get('runner_lease_ms')::int8, progress_);
END $$;

-- Every blob that a result names must be here before it counts.
CREATE FUNCTION api_runner_finish(token_id_ int8, id_ int8, fence_ int8, outcome_ text, why_ text, result_ jsonb,
	log_ text, blobs_ text[]) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	missing_ text;
BEGIN
	IF NOT api_runner_holds(token_id_, id_, fence_) THEN
		RETURN false;
	END IF;
	SELECT x INTO missing_ FROM unnest(blobs_) x WHERE NOT EXISTS (SELECT 1 FROM blob b WHERE b.sha256 = x) LIMIT 1;
	IF missing_ IS NOT NULL THEN
		RAISE EXCEPTION 'blob % was not uploaded', missing_ USING ERRCODE = '22023';
	END IF;
	PERFORM api_runner_seen(machine_id) FROM job WHERE id = id_;
	RETURN job_finish(id_, fence_, outcome_, why_, result_, log_);
END $$;

-- A runner that stops gives a lease back; the attempt does not count.
CREATE FUNCTION api_runner_give_back(token_id_ int8, id_ int8, fence_ int8) RETURNS bool LANGUAGE sql AS $$
	SELECT CASE WHEN api_runner_holds(token_id_, id_, fence_)
		THEN work_release(id_, fence_, 'the runner was stopped') ELSE false END
$$;

-- A lease that never reached its runner: given back, the attempt does not count.
CREATE FUNCTION api_runner_release(id_ int8, fence_ int8) RETURNS bool LANGUAGE sql AS
	$$ SELECT work_release(id_, fence_, 'the machine left before it got the job') $$;

-- ---- watching lists ----

-- Lists by HTTP that are due soon, taken: the workers' own clock (chain_tick) asks only those that no
-- server takes in time.
CREATE FUNCTION api_watch_take(ahead_ms_ int8) RETURNS TABLE (id int8, name text, url text, failures int4,
	polled bool) LANGUAGE sql AS $$
	UPDATE list l SET next_poll_at = now() + (ahead_ms_ + l.poll_ms * (0.9 + 0.2 * random())) * interval '1 ms'
		WHERE l.id IN (SELECT d.id FROM list d WHERE d.state = 'active' AND d.url ~ '^https?://'
			AND d.next_poll_at <= now() + ahead_ms_ * interval '1 ms' FOR UPDATE SKIP LOCKED)
		RETURNING l.id, l.name::text, l.url, l.failures, EXISTS (SELECT 1 FROM job j
			WHERE j.key = format('poll:%s', l.id) AND j.state = 'done')
$$;

-- What the archive said: changed (poll it), the same, or an error in words. retry_ms_: 0, or when it
-- asked to be left alone for so long.
CREATE FUNCTION api_watch_said(id_ int8, changed_ bool, error_ text, retry_ms_ int8, ahead_ms_ int8)
	RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	l list;
	wait_ms_ int8;
BEGIN
	SELECT * INTO l FROM list WHERE id = id_ FOR UPDATE;
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	IF error_ IS NULL THEN
		IF changed_ THEN
			PERFORM list_poll(id_);
		ELSE
			UPDATE list SET why = '', failures = 0, polled_at = now() WHERE id = id_;
		END IF;
		RETURN true;
	END IF;
	-- 1, 2, 4 .. 60 minutes, never sooner than the list's own period
	wait_ms_ := greatest(l.poll_ms, retry_ms_, least(power(2, least(l.failures, 6)), 60)::int8 * 60000);
	UPDATE list SET why = error_, failures = failures + 1, polled_at = now(),
		next_poll_at = now() + (wait_ms_ + ahead_ms_) * interval '1 ms' WHERE id = id_;
	IF l.why <> error_ THEN
		INSERT INTO event (entity, entity_id, what, data)
			VALUES ('list', id_, 'error', jsonb_build_object('why', error_));
	END IF;
	RETURN true;
END $$;

-- ---- the janitor ----

CREATE FUNCTION api_tick(keep_events_ int8, sweep_ bool) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	n_ int8;
	k_ int8;
BEGIN
	IF NOT pg_try_advisory_xact_lock(7719042) THEN
		RETURN 0; -- another server is at it
	END IF;
	n_ := chain_tick();
	UPDATE machine SET state = 'offline', why = 'not heard of' WHERE state = 'online'
		AND seen_at < clock_timestamp() - setting_get('machine_offline_ms')::int8 * interval '1 ms';
	GET DIAGNOSTICS k_ = ROW_COUNT;
	n_ := n_ + k_;
	-- whoever was sending lost its lease: nobody knows how far it came
	UPDATE reply p SET state = 'unknown', why = 'the sender was lost' WHERE p.state = 'sending'
		AND NOT EXISTS (SELECT 1 FROM job j WHERE j.kind = 'reply' AND j.state = 'leased' AND j.fence = p.fence
			AND j.payload->>'op' = 'send' AND (j.payload->>'reply_id')::int8 = p.id);
	GET DIAGNOSTICS k_ = ROW_COUNT;
	n_ := n_ + k_;
	IF sweep_ THEN
		DELETE FROM event WHERE id <= (SELECT max(id) FROM event) - keep_events_;
	END IF;
	RETURN n_;
END $$;
