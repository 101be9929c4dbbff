-- SPDX-License-Identifier: GPL-2.0-or-later
-- The chain: what a worker job is given (work_load), what its result changes (work_store), and what
-- follows from a job, build or run that changed its state. docs/workers.md is the prose.
--
-- Rules: work_load and work_store look at the fence first, so a late child changes nothing. The same
-- result stored twice changes nothing the second time. A job's end has its consequences by trigger
-- (job_after), whoever ends it: store, fail, reap, cancel, or the server for a runner. Results of
-- runners (kinds build, boot, null) are taken from the result given to job_finish.

ALTER TABLE mail_key ADD COLUMN window_s int8 NOT NULL DEFAULT 0, -- 0: whatever the time between
	ADD COLUMN link bool NOT NULL DEFAULT false; -- leads to older versions; one step only

-- ---- small tools ----

-- Moves a series along its table. False where the table has no such arrow: nothing changed.
CREATE FUNCTION series_to(id_ int8, state_ text, why_ text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	PERFORM 1 FROM series s WHERE s.id = id_ AND s.state = state_ AND s.why = why_;
	IF FOUND THEN
		RETURN true;
	END IF;
	UPDATE series s SET state = state_, why = why_, changed_at = now()
		WHERE s.id = id_ AND (s.state = state_ OR EXISTS (SELECT 1 FROM fsm_transition f
			WHERE f.entity = 'series' AND f.from_state = s.state AND f.to_state = state_));
	RETURN FOUND;
END $$;

-- A finished job is wanted once more, with fresh attempts. False when it is open already.
CREATE FUNCTION job_again(id_ int8, why_ text DEFAULT '') RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	j job;
	open_ bool;
BEGIN
	SELECT * INTO j FROM job WHERE id = id_ FOR UPDATE;
	IF NOT FOUND OR j.state NOT IN ('done', 'failed', 'parked', 'cancelled', 'skipped') THEN
		RETURN false;
	END IF;
	open_ := j.state IN ('cancelled', 'skipped') AND EXISTS (SELECT 1 FROM job_need n
		JOIN job d ON d.id = n.needs_id WHERE n.job_id = id_ AND d.state <> 'done');
	UPDATE job SET state = CASE WHEN open_ THEN 'waiting' ELSE 'ready' END, attempt = 0, why = why_,
		run_after = clock_timestamp(), result = NULL, ended_at = NULL, progress = '{}' WHERE id = id_;
	RETURN true;
END $$;

-- What job_after must do for a job that waits for one which has failed long ago.
CREATE FUNCTION job_need_settled(needs_ids_ int8[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	n_ int8;
BEGIN
	FOREACH n_ IN ARRAY needs_ids_ LOOP
		PERFORM job_settle(n_) FROM job WHERE id = n_
			AND state IN ('failed', 'parked', 'cancelled', 'skipped');
	END LOOP;
END $$;

-- SHA-256 of a scratch file that the supervisor has put into the blob store; NULL: not named.
CREATE FUNCTION work_file(result_ jsonb, name_ text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT f->>'sha256' FROM jsonb_array_elements(result_->'files') f WHERE f->>'name' = name_
$$;

CREATE FUNCTION epoch_s(at_ timestamptz) RETURNS int8 LANGUAGE sql STABLE AS
	$$ SELECT extract(epoch FROM at_)::int8 $$;

-- ---- trees ----

CREATE FUNCTION tree_import_enqueue(tree_id_ int8) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	n_ int8;
	id_ int8;
BEGIN
	SELECT j.id INTO id_ FROM job j WHERE j.kind = 'tree' AND j.payload->>'op' = 'import'
		AND (j.payload->>'tree_id')::int8 = tree_id_ AND j.state IN ('ready', 'leased', 'waiting');
	IF FOUND THEN
		RETURN id_;
	END IF;
	SELECT count(*) INTO n_ FROM job WHERE key LIKE format('tree:%s:import:%%', tree_id_);
	RETURN job_enqueue('tree', 'worker', format('tree:%s:import:%s', tree_id_, n_),
		jsonb_build_object('v', 1, 'op', 'import', 'tree_id', tree_id_), '{}', 5, NULL);
END $$;

-- The tree of a series: of its submission, else of its list, else the oldest that can be used.
CREATE FUNCTION series_tree(series_id_ int8) RETURNS int8 LANGUAGE sql STABLE AS $$
	SELECT t.id FROM tree t, series s LEFT JOIN list l ON l.id = s.list_id
		LEFT JOIN LATERAL (SELECT u.tree_id FROM submission u WHERE u.series_id = s.id
			AND u.tree_id IS NOT NULL ORDER BY u.id DESC LIMIT 1) u ON true
		WHERE s.id = series_id_ AND (t.id = coalesce(u.tree_id, l.tree_id)
			OR (coalesce(u.tree_id, l.tree_id) IS NULL AND t.state IN ('ready', 'importing')))
		ORDER BY (t.state = 'ready') DESC, t.id LIMIT 1
$$;

-- Starts applying a complete series; harmless when it has been started.
CREATE FUNCTION series_enqueue_apply(series_id_ int8) RETURNS void LANGUAGE plpgsql AS $$
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
	IF NOT FOUND THEN
		UPDATE series SET why = s.facts->>'complete_why' || '; waits for a kernel tree (none is set up)'
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

CREATE FUNCTION work_tree_import_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	t tree;
BEGIN
	SELECT * INTO t FROM tree WHERE id = (j.payload->>'tree_id')::int8;
	IF NOT FOUND OR t.state <> 'importing' THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'nothing to import');
	END IF;
	RETURN jsonb_build_object('name', t.name, 'kind', t.kind, 'source', t.source, 'branch', t.branch);
END $$;

CREATE FUNCTION work_tree_import_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s_ int8;
BEGIN
	UPDATE tree SET state = 'ready', why = '', label = r->>'label', commit_id = r->>'commit',
		tree_oid = r->>'tree', files = (r->>'n_files')::int8, base_pack = work_file(r, r->>'pack'),
		ready_at = now() WHERE id = (j.payload->>'tree_id')::int8;
	FOR s_ IN SELECT s.id FROM series s WHERE s.state = 'complete' AND NOT EXISTS (SELECT 1 FROM job a
			WHERE a.key = format('apply:%s:%s', s.id, s.content)) ORDER BY s.id LOOP
		PERFORM series_enqueue_apply(s_);
	END LOOP;
	RETURN jsonb_build_object('why', format('%s, %s files', r->>'label', r->>'n_files'));
END $$;

CREATE FUNCTION work_tree_publish_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	a application;
	name_ text;
BEGIN
	SELECT * INTO a FROM application WHERE id = (j.payload->>'application_id')::int8;
	SELECT t.name INTO name_ FROM tree t WHERE t.id = a.tree_id;
	IF a.patch_pack IS NULL OR a.branch IS NULL OR name_ IS NULL THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'nothing to publish');
	END IF;
	RETURN jsonb_build_object('name', name_, 'pack', a.patch_pack, 'commit', a.patched_commit,
		'branch', a.branch);
END $$;

-- ---- lists ----

-- The one poll job of a list, ready to run now.
CREATE FUNCTION list_poll(list_id_ int8) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	id_ int8;
BEGIN
	id_ := job_enqueue('ingest', 'worker', format('poll:%s', list_id_),
		jsonb_build_object('v', 1, 'op', 'poll', 'list_id', list_id_::text), '{}', 3, NULL, '{}', 0, 4);
	PERFORM job_again(id_);
	RETURN id_;
END $$;

CREATE FUNCTION assemble_enqueue() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	upto_ int8;
	id_ int8;
BEGIN
	SELECT max(id) INTO upto_ FROM mail WHERE NOT assembled;
	IF upto_ IS NULL THEN
		RETURN;
	END IF;
	id_ := job_enqueue('ingest', 'worker', format('assemble:%s', upto_),
		jsonb_build_object('v', 1, 'op', 'assemble', 'upto', upto_::text), '{}', 8, NULL);
	PERFORM job_again(id_) FROM job WHERE id = id_ AND state IN ('done', 'cancelled');
END $$;

CREATE FUNCTION work_own_addresses() RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT coalesce(jsonb_agg(lower(m[1])), '[]'::jsonb)
		FROM regexp_matches(setting_get('reply_from'), '([^<>\s]+@[^<>\s]+)') m
$$;

CREATE FUNCTION work_ingest_poll_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	l list;
BEGIN
	SELECT * INTO l FROM list WHERE id = (j.payload->>'list_id')::int8;
	IF NOT FOUND OR l.state <> 'active' THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'the list is not watched');
	END IF;
	-- A mail that kills its reader is cornered: fewer at a time after each death.
	RETURN jsonb_build_object('list_id', l.id::text, 'name', l.name, 'url', l.url,
		'max', CASE j.attempt WHEN 1 THEN 500 WHEN 2 THEN 20 ELSE 1 END,
		'address', l.address, 'own', work_own_addresses(),
		'epochs', (SELECT coalesce(jsonb_agg(jsonb_build_object('epoch', e.epoch,
			'last_commit', e.last_commit, 'fingerprint', e.fingerprint) ORDER BY e.epoch), '[]'::jsonb)
			FROM list_epoch e WHERE e.list_id = l.id));
END $$;

-- The mails of a result, first copy of each message-id first.
CREATE FUNCTION work_mail_rows(r jsonb) RETURNS TABLE (epoch int4, commit_id text, blob text,
	received_at timestamptz, order_time timestamptz, message_id text, kind text, robot bool, subject text,
	author_name text, author_email text, facts jsonb, keys jsonb, first bool) LANGUAGE sql STABLE AS $$
	SELECT (m->>'epoch')::int4, m->>'commit', f.sha256, to_timestamp((m->>'received_at')::int8),
		to_timestamp((m->>'order_time')::int8), m->>'message_id', m->>'kind', (m->>'robot')::bool,
		m->>'subject', m->>'author_name', m->>'author_email', m->'facts', m->'keys',
		row_number() OVER (PARTITION BY m->>'message_id' ORDER BY o) = 1
	FROM jsonb_array_elements(r->'mails') WITH ORDINALITY x(m, o)
	JOIN (SELECT y->>'name' AS name, y->>'sha256' AS sha256
		FROM jsonb_array_elements(r->'files') y) f ON f.name = m->>'file'
	ORDER BY o
$$;

-- Stores mails, keys and copies; list_id_ NULL: from a server that no list names. Returns how many
-- mails were not known before.
CREATE FUNCTION work_mails_store(list_id_ int8, r jsonb) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	new_ int8;
BEGIN
	WITH rows AS MATERIALIZED (SELECT * FROM work_mail_rows(r)
	), added AS (
		INSERT INTO mail (message_id, blob, received_at, order_time, kind, robot, subject, author_name,
				author_email, facts)
			SELECT w.message_id, w.blob, w.received_at, w.order_time, w.kind, w.robot, w.subject,
				w.author_name, w.author_email, w.facts FROM rows w WHERE w.first
			ON CONFLICT (message_id) DO NOTHING RETURNING mail.id, mail.message_id
	), keyed AS (
		INSERT INTO mail_key (key, mail_id, window_s, link)
			SELECT DISTINCT ON (k->>'key', a.id) k->>'key', a.id, (k->>'window_s')::int8, (k->>'link')::bool
			FROM added a JOIN rows w ON w.message_id = a.message_id AND w.first, jsonb_array_elements(w.keys) k
			ON CONFLICT DO NOTHING
	)
	SELECT count(*) INTO new_ FROM added;
	IF list_id_ IS NOT NULL THEN
		INSERT INTO mail_copy (list_id, epoch, commit_id, mail_id, blob)
			SELECT list_id_, w.epoch, w.commit_id, m.id, w.blob FROM work_mail_rows(r) w
			JOIN mail m ON m.message_id = w.message_id ON CONFLICT DO NOTHING;
	END IF;
	-- our own replies, seen in an archive
	UPDATE reply p SET state = 'sent', why = 'seen in the archive', sent_at = coalesce(p.sent_at, now())
		FROM jsonb_array_elements(r->'mails') w WHERE p.message_id = w->>'message_id' AND p.state = 'unknown';
	RETURN new_;
END $$;

CREATE FUNCTION work_ingest_poll_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	list_ int8 := (j.payload->>'list_id')::int8;
	e record;
	new_ int8;
	twice_ int8;
	more_ bool := (r->>'more')::bool;
BEGIN
	PERFORM 1 FROM list WHERE id = list_ FOR UPDATE;
	IF NOT FOUND THEN
		RETURN jsonb_build_object('why', 'the list is gone');
	END IF;
	FOR e IN SELECT (x->>'epoch')::int4 AS epoch, x->>'old' AS old, x->>'new' AS new,
			x->>'fingerprint' AS fingerprint FROM jsonb_array_elements(r->'epochs') x LOOP
		INSERT INTO list_epoch (list_id, epoch) VALUES (list_, e.epoch) ON CONFLICT DO NOTHING;
		UPDATE list_epoch SET last_commit = e.new, fingerprint = e.fingerprint, walked_at = now()
			WHERE list_id = list_ AND epoch = e.epoch AND last_commit IS NOT DISTINCT FROM e.old;
		IF NOT FOUND THEN
			RAISE EXCEPTION 'epoch % was walked by somebody else', e.epoch USING ERRCODE = '40001';
		END IF;
	END LOOP;
	new_ := work_mails_store(list_, r);
	UPDATE mail_copy c SET withdrawn = true FROM jsonb_array_elements(r->'withdrawn') x, mail m
		WHERE c.list_id = list_ AND c.mail_id = m.id AND m.message_id = x->>'message_id';
	UPDATE list SET polled_at = now(), failures = 0, why = coalesce(r->>'note', ''),
		next_poll_at = now() + poll_ms * (0.9 + 0.2 * random()) * interval '1 ms' WHERE id = list_;
	-- the first mail of an id stands; that another came is told
	SELECT count(*) INTO twice_ FROM work_mail_rows(r) w JOIN mail m ON m.message_id = w.message_id
		WHERE m.blob <> w.blob AND EXISTS (SELECT 1 FROM mail_copy c WHERE c.list_id = list_ AND c.mail_id = m.id
			AND (c.epoch, c.commit_id) IS DISTINCT FROM (w.epoch, w.commit_id));
	IF twice_ > 0 THEN
		INSERT INTO event (entity, entity_id, what, data) VALUES ('list', list_, 'other_bytes',
			jsonb_build_object('mails', twice_));
	END IF;
	PERFORM assemble_enqueue();
	RETURN jsonb_build_object('why', format('%s new mails', new_) || CASE WHEN twice_ > 0 THEN format(
		'; %s with a known message-id and other bytes, the first stands', twice_) ELSE '' END, 'again', more_);
END $$;

CREATE FUNCTION work_ingest_thread_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	u submission;
	from_ jsonb;
BEGIN
	SELECT * INTO u FROM submission WHERE id = (j.payload->>'submission_id')::int8;
	IF NOT FOUND OR u.state <> 'fetching' THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'nothing to fetch');
	END IF;
	SELECT coalesce(jsonb_agg(jsonb_build_object('list_id', x.id, 'url', x.url) ORDER BY x.o, x.id), '[]'::jsonb)
		INTO from_ FROM (
			SELECT l.id, coalesce(u.url, l.url) AS url, 0 AS o FROM list l WHERE l.id = u.list_id
			UNION ALL SELECT (SELECT min(l.id) FROM list l WHERE rtrim(l.url, '/') = rtrim(u.url, '/')), u.url, 0
				WHERE u.url IS NOT NULL AND u.list_id IS NULL
			UNION ALL SELECT l.id, l.url, 1 FROM list l
				WHERE u.list_id IS NULL AND u.url IS NULL AND l.state = 'active') x
		WHERE x.url ~ '^https?://';
	-- the lists that can only be read whole come first
	IF u.url IS NULL AND NOT EXISTS (SELECT 1 FROM mail WHERE message_id = u.message_id) AND EXISTS (
			SELECT 1 FROM list l JOIN job p ON p.key = format('poll:%s', l.id)
			WHERE l.state = 'active' AND l.url !~ '^https?://' AND p.state IN ('waiting', 'ready', 'leased')
			AND (u.list_id IS NULL OR u.list_id = l.id)) THEN
		RETURN jsonb_build_object('defer_ms', 500, 'why', 'a list is still being read');
	END IF;
	RETURN jsonb_build_object('message_id', u.message_id, 'from', from_, 'own', work_own_addresses(),
		'known', EXISTS (SELECT 1 FROM mail WHERE message_id = u.message_id), 'trouble', (
			SELECT format('list %s could not be read: %s', l.name, l.why) FROM list l
			WHERE l.state = 'active' AND l.url !~ '^https?://' AND l.failures > 0
			AND (u.list_id IS NULL OR u.list_id = l.id) ORDER BY l.id LIMIT 1));
END $$;

-- A submission whose mail is assembled gets its series, or the reason why there is none.
CREATE FUNCTION submission_settle(id_ int8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	u submission;
	m mail;
	s series;
	words_ text;
BEGIN
	SELECT * INTO u FROM submission WHERE id = id_ AND state = 'fetching' FOR UPDATE;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	SELECT * INTO m FROM mail WHERE message_id = u.message_id;
	IF NOT FOUND OR NOT m.assembled THEN
		RETURN;
	END IF;
	SELECT x.* INTO s FROM series x JOIN series_part p ON p.series_id = x.id
		WHERE p.mail_id = m.id AND x.state <> 'withdrawn' ORDER BY x.id DESC LIMIT 1;
	IF NOT FOUND AND m.kind = 'reply' THEN -- an answer: the series that it is about
		SELECT x.* INTO s FROM series x JOIN series_part p ON p.series_id = x.id
			JOIN mail q ON q.id = p.mail_id
			WHERE q.message_id IN (SELECT jsonb_array_elements_text(m.facts->'references')
				UNION SELECT jsonb_array_elements_text(m.facts->'in_reply_to'))
			AND x.state <> 'withdrawn' ORDER BY x.id DESC LIMIT 1;
	END IF;
	IF s.id IS NULL THEN
		UPDATE submission SET state = 'failed', why = CASE m.kind
			WHEN 'reply' THEN 'that mail is an answer, and no patch it answers is known'
			WHEN 'other' THEN coalesce('that mail cannot be used: ' || (m.facts->>'rejected'),
				'that mail holds no patch')
			ELSE 'that mail belongs to no series' END WHERE id = id_;
		RETURN;
	END IF;
	UPDATE series SET explicit = true WHERE id = s.id AND NOT explicit;
	words_ := CASE WHEN (s.facts->>'complete')::bool THEN s.facts->>'complete_why' ELSE s.facts->>'waiting_why' END;
	IF s.state IN ('not_ours', 'opted_out') THEN
		PERFORM series_to(s.id, CASE WHEN (s.facts->>'complete')::bool THEN 'complete' ELSE 'waiting' END,
			words_ || ' (submitted)');
	END IF;
	UPDATE submission SET state = 'done', series_id = s.id,
		why = CASE s.state WHEN 'superseded' THEN s.why ELSE '' END WHERE id = id_;
	PERFORM series_enqueue_apply(s.id);
END $$;

CREATE FUNCTION work_ingest_thread_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	sub_ int8 := (j.payload->>'submission_id')::int8;
	u submission;
	new_ int8;
BEGIN
	SELECT * INTO u FROM submission WHERE id = sub_ FOR UPDATE;
	IF r->>'reason' IS NOT NULL AND NOT EXISTS (SELECT 1 FROM mail WHERE message_id = u.message_id) THEN
		UPDATE submission SET state = 'failed', why = r->>'reason' WHERE id = sub_ AND state = 'fetching';
		RETURN jsonb_build_object('why', r->>'reason');
	END IF;
	new_ := work_mails_store((r->>'list_id')::int8, r);
	PERFORM assemble_enqueue();
	PERFORM submission_settle(sub_);
	RETURN jsonb_build_object('why', format('%s new mails', new_));
END $$;

-- ---- assembly ----

-- Mails that may belong to a series with one of ids_ (near), and those that may be older or newer
-- versions of these (not near).
CREATE FUNCTION work_neighbours(ids_ int8[]) RETURNS TABLE (mail_id int8, near bool) LANGUAGE plpgsql AS $$
DECLARE
	near_ int8[] := ids_;
	all_ int8[];
	edge_ int8[] := ids_;
	max_ CONSTANT int4 := 20000;
BEGIN
	FOR round_ IN 1..2 LOOP
		all_ := near_;
		IF round_ = 2 THEN
			SELECT coalesce(array_agg(DISTINCT b.mail_id), '{}') INTO edge_
				FROM mail_key a JOIN mail_key b ON b.key = a.key AND b.link
				JOIN mail ma ON ma.id = a.mail_id JOIN mail mb ON mb.id = b.mail_id
				WHERE a.link AND a.mail_id = ANY (near_) AND NOT b.mail_id = ANY (near_)
				AND (a.window_s = 0 OR abs(extract(epoch FROM ma.order_time - mb.order_time)) <= a.window_s);
			all_ := near_ || edge_;
		END IF;
		WHILE cardinality(edge_) > 0 AND cardinality(all_) < max_ LOOP
			SELECT coalesce(array_agg(DISTINCT b.mail_id), '{}') INTO edge_
				FROM mail_key a JOIN mail_key b ON b.key = a.key AND NOT b.link
				JOIN mail ma ON ma.id = a.mail_id JOIN mail mb ON mb.id = b.mail_id
				WHERE NOT a.link AND a.mail_id = ANY (edge_) AND NOT b.mail_id = ANY (all_)
				AND (a.window_s = 0 OR abs(extract(epoch FROM ma.order_time - mb.order_time)) <= a.window_s);
			all_ := all_ || edge_;
		END LOOP;
		IF round_ = 1 THEN
			near_ := all_;
		END IF;
	END LOOP;
	RETURN QUERY SELECT DISTINCT x, x = ANY (near_) FROM unnest(all_) x;
END $$;

CREATE FUNCTION work_ingest_assemble_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	core_ int8[];
	other_ int8;
	out_ jsonb;
BEGIN
	-- One assembly at a time: whoever is at it takes our mails, or its store starts another.
	PERFORM pg_advisory_xact_lock(hashtext('wl_assemble'));
	SELECT id INTO other_ FROM job WHERE kind = 'ingest' AND payload->>'op' = 'assemble'
		AND state = 'leased' AND lease_until > clock_timestamp() AND id <> j.id;
	IF FOUND THEN
		RETURN jsonb_build_object('finish', 'done', 'why', format('job %s does it', other_));
	END IF;
	SELECT array_agg(id) INTO core_ FROM (SELECT id FROM mail WHERE NOT assembled ORDER BY id LIMIT 1000) x;
	IF core_ IS NULL THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'nothing to assemble');
	END IF;
	WITH n AS MATERIALIZED (SELECT * FROM work_neighbours(core_))
	SELECT jsonb_build_object(
		'now', epoch_s(now()), 'wait_s', setting_get('incomplete_after_ms')::int8 / 1000,
		'core', to_jsonb(core_),
		'mails', (SELECT jsonb_agg(jsonb_build_object('id', m.id, 'blob', m.blob,
			'received_at', epoch_s(m.received_at), 'near', n.near,
			'lists', (SELECT coalesce(jsonb_agg(DISTINCT c.list_id), '[]'::jsonb) FROM mail_copy c
				WHERE c.mail_id = m.id)) ORDER BY m.id) FROM n JOIN mail m ON m.id = n.mail_id),
		'explicit', (SELECT coalesce(jsonb_agg(DISTINCT x.id), '[]'::jsonb) FROM (
			SELECT u.message_id AS id FROM submission u JOIN mail m ON m.message_id = u.message_id
				JOIN n ON n.mail_id = m.id
			UNION SELECT s.root_message_id FROM series s JOIN series_part p ON p.series_id = s.id
				JOIN n ON n.mail_id = p.mail_id WHERE s.explicit) x),
		'lists', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'name', l.name,
			'match', to_jsonb(l.match), 'address', l.address)), '[]'::jsonb) FROM list l),
		'own', work_own_addresses(),
		'trees', (SELECT coalesce(jsonb_agg(t.name), '[]'::jsonb) FROM tree t)) INTO out_;
	RETURN out_;
END $$;

-- Stops what nobody else wants. Finished things stay.
CREATE FUNCTION plan_cancel(plan_id_ int8, why_ text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	job_ int8;
BEGIN
	FOR job_ IN
		SELECT r.job_id FROM plan_run pr JOIN run r ON r.id = pr.run_id
			WHERE pr.plan_id = plan_id_ AND r.state IN ('queued', 'running') AND NOT EXISTS (
				SELECT 1 FROM plan_run o JOIN plan p ON p.id = o.plan_id JOIN series s ON s.id = p.series_id
				WHERE o.run_id = r.id AND o.plan_id <> plan_id_ AND s.state IN ('planned', 'running'))
		UNION
		SELECT b.job_id FROM plan p JOIN build b ON b.id IN (p.base_build_id, p.patched_build_id)
			WHERE p.id = plan_id_ AND b.state IN ('queued', 'building') AND NOT EXISTS (
				SELECT 1 FROM plan o JOIN series s ON s.id = o.series_id
				WHERE b.id IN (o.base_build_id, o.patched_build_id) AND o.id <> plan_id_
				AND s.state IN ('planned', 'running'))
		ORDER BY 1 DESC LOOP -- boots before the builds they wait for
		PERFORM job_cancel(job_, why_);
	END LOOP;
END $$;

CREATE FUNCTION series_supersede(old_ int8, new_ int8, why_ text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	job_ int8;
	plan_ int8;
BEGIN
	UPDATE series SET superseded_by = new_ WHERE id = old_ AND superseded_by IS DISTINCT FROM new_;
	UPDATE reply SET state = 'obsolete', why = why_
		WHERE series_id = old_ AND state IN ('composed', 'held', 'approved');
	IF (SELECT state FROM series WHERE id = old_) = 'superseded' OR NOT series_to(old_, 'superseded', why_) THEN
		RETURN;
	END IF;
	FOR job_ IN SELECT id FROM job WHERE series_id = old_ AND pool = 'worker'
			AND kind IN ('apply', 'plan', 'analyse', 'reply') AND state IN ('waiting', 'ready', 'leased', 'parked')
			AND NOT (state = 'leased' AND coalesce(payload->>'op', '') = 'send') -- too late to stop
			ORDER BY id LOOP
		PERFORM job_cancel(job_, why_);
	END LOOP;
	FOR plan_ IN SELECT id FROM plan WHERE series_id = old_ LOOP
		PERFORM plan_cancel(plan_, why_);
	END LOOP;
END $$;

-- The row of an assembled series, new or found by its mails. NULL: it is past changing.
CREATE FUNCTION series_upsert(x jsonb) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	mails_ int8[];
	s series;
	o_ int8;
	open_ CONSTANT text[] := '{waiting,incomplete,ambiguous,corrupt,complete,not_ours,opted_out}';
BEGIN
	SELECT array_agg((p->>'mail_id')::int8) INTO mails_ FROM jsonb_array_elements(x->'parts') p;
	SELECT c.* INTO s FROM series c JOIN (SELECT p.series_id, count(*) AS n FROM series_part p
			WHERE p.mail_id = ANY (mails_) GROUP BY p.series_id) k ON k.series_id = c.id
		WHERE c.version = x->>'version' AND c.state <> 'withdrawn'
		ORDER BY (c.state = ANY (open_)), k.n DESC, c.id LIMIT 1;
	IF s.id IS NULL THEN
		INSERT INTO series (list_id, root_message_id, version, title, author_name, author_email, total,
				received, rfc, explicit, state, why, content, facts, first_time, last_time)
			VALUES ((x->>'list_id')::int8, x->>'root', x->>'version', x->>'title', x->>'author_name',
				x->>'author_email', (x->>'total')::int4, (x->>'received')::int4, (x->>'rfc')::bool,
				(x->>'explicit')::bool, 'waiting', x->>'waiting_why', x->>'content', x->'facts',
				to_timestamp((x->>'first_time')::int8), to_timestamp((x->>'last_time')::int8))
			RETURNING * INTO s;
	ELSIF NOT s.state = ANY (open_) THEN
		RETURN s.id;
	ELSE
		IF s.content <> x->>'content' THEN
			PERFORM job_cancel(id, 'a part of the series changed') FROM job
				WHERE key = format('apply:%s:%s', s.id, s.content);
		END IF;
		UPDATE series SET list_id = coalesce((x->>'list_id')::int8, list_id), root_message_id = x->>'root',
			title = x->>'title', author_name = x->>'author_name', author_email = x->>'author_email',
			total = (x->>'total')::int4, received = (x->>'received')::int4, rfc = (x->>'rfc')::bool,
			explicit = explicit OR (x->>'explicit')::bool, content = x->>'content', facts = x->'facts',
			first_time = to_timestamp((x->>'first_time')::int8),
			last_time = to_timestamp((x->>'last_time')::int8), changed_at = now()
			WHERE id = s.id AND (content, facts, root_message_id, list_id) IS DISTINCT FROM
				(x->>'content', x->'facts', x->>'root', coalesce((x->>'list_id')::int8, list_id));
	END IF;
	DELETE FROM series_part WHERE series_id = s.id AND (n, mail_id) NOT IN
		(SELECT p->>'n', (p->>'mail_id')::int8 FROM jsonb_array_elements(x->'parts') p);
	INSERT INTO series_part (series_id, n, mail_id) SELECT s.id, p->>'n', (p->>'mail_id')::int8
		FROM jsonb_array_elements(x->'parts') p ON CONFLICT DO NOTHING;
	-- Rows whose mails are all here now were guesses about the same series.
	FOR o_ IN SELECT c.id FROM series c WHERE c.id <> s.id AND c.version = s.version
			AND c.state = ANY (open_) AND EXISTS (SELECT 1 FROM series_part p WHERE p.series_id = c.id)
			AND NOT EXISTS (SELECT 1 FROM series_part p WHERE p.series_id = c.id
				AND NOT p.mail_id = ANY (mails_))
			AND EXISTS (SELECT 1 FROM series_part p WHERE p.series_id = c.id AND p.mail_id = ANY (mails_)) LOOP
		PERFORM series_to(o_, 'withdrawn', 'its mails belong to series ' || s.id);
	END LOOP;
	PERFORM series_to(s.id, x->>'state', x->>'why');
	RETURN s.id;
END $$;

CREATE FUNCTION work_ingest_assemble_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	x jsonb;
	ids_ int8[] := '{}';
	id_ int8;
	prev_ int8;
	n_ int4 := 0;
BEGIN
	PERFORM pg_advisory_xact_lock(hashtext('wl_assemble'));
	FOR x IN SELECT e FROM jsonb_array_elements(r->'series') WITH ORDINALITY y(e, o) ORDER BY o LOOP
		IF (x->>'near')::bool THEN
			id_ := series_upsert(x);
			n_ := n_ + 1;
		ELSE -- an older version: only looked up
			SELECT s.id INTO id_ FROM series s JOIN series_part p ON p.series_id = s.id
				WHERE s.version = x->>'version' AND s.state <> 'withdrawn' AND p.mail_id IN
					(SELECT (p2->>'mail_id')::int8 FROM jsonb_array_elements(x->'parts') p2)
				ORDER BY s.id LIMIT 1;
		END IF;
		ids_ := ids_ || id_;
	END LOOP;
	-- A series that its mails no longer make: a part that was taken for a reroll, say.
	PERFORM series_to(s.id, 'withdrawn', 'its mails belong elsewhere now') FROM series s
		WHERE s.state = ANY ('{waiting,incomplete,ambiguous,corrupt,complete,not_ours}')
		AND NOT s.id = ANY (array_remove(ids_, NULL)) AND EXISTS (SELECT 1 FROM series_part p
			WHERE p.series_id = s.id AND p.mail_id IN (SELECT m::int8 FROM jsonb_array_elements_text(r->'near') m))
		AND NOT EXISTS (SELECT 1 FROM series_part p WHERE p.series_id = s.id
			AND p.mail_id NOT IN (SELECT m::int8 FROM jsonb_array_elements_text(r->'near') m));
	FOR x, id_ IN SELECT e, ids_[o] FROM jsonb_array_elements(r->'series') WITH ORDINALITY y(e, o)
			WHERE e->>'previous' IS NOT NULL ORDER BY o LOOP
		prev_ := ids_[(x->>'previous')::int4 + 1];
		CONTINUE WHEN prev_ IS NULL OR id_ IS NULL OR prev_ = id_;
		UPDATE series SET previous_id = prev_ WHERE id = id_ AND previous_id IS DISTINCT FROM prev_;
		PERFORM series_supersede(prev_, id_, x->>'supersedes_why');
	END LOOP;
	UPDATE mail SET assembled = true WHERE NOT assembled
		AND id IN (SELECT c::int8 FROM jsonb_array_elements_text(r->'core') c);
	PERFORM series_enqueue_apply(s.id) FROM series s WHERE s.id = ANY (ids_) AND s.state = 'complete';
	PERFORM submission_settle(u.id) FROM submission u WHERE u.state = 'fetching';
	PERFORM assemble_enqueue();
	RETURN jsonb_build_object('why', format('%s series', n_),
		'again', EXISTS (SELECT 1 FROM mail WHERE NOT assembled AND id <= (j.payload->>'upto')::int8));
END $$;

-- ---- applying ----

CREATE FUNCTION work_apply_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
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
		'tree', jsonb_build_object('name', t.name, 'label', t.label, 'commit', t.commit_id),
		'branch', format('series/%s/v%s', s.id, s.version),
		'base', (SELECT u.base FROM submission u WHERE u.series_id = s.id AND u.base IS NOT NULL
			ORDER BY u.id DESC LIMIT 1),
		'previous', (SELECT a.base_commit FROM application a WHERE a.series_id = s.previous_id
			AND a.result = 'applied' AND a.tree_id = t.id ORDER BY a.id DESC LIMIT 1),
		'parts', (SELECT coalesce(jsonb_agg(jsonb_build_object('n', p.n, 'blob', m.blob,
			'received_at', epoch_s(m.received_at)) ORDER BY p.n::numeric), '[]'::jsonb)
			FROM series_part p JOIN mail m ON m.id = p.mail_id WHERE p.series_id = s.id));
END $$;

CREATE FUNCTION reply_compose_enqueue(series_id_ int8) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM job_again(job_enqueue('reply', 'worker', format('compose:%s', series_id_), jsonb_build_object(
		'v', 1, 'op', 'compose', 'series_id', series_id_::text), '{}', 12, series_id_));
END $$;

CREATE FUNCTION work_apply_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
	tree_ int8;
	app_ int8;
BEGIN
	SELECT * INTO s FROM series WHERE id = (j.payload->>'series_id')::int8 FOR UPDATE;
	IF s.state <> 'complete' OR s.content <> j.payload->>'content' THEN
		RETURN jsonb_build_object('why', 'no longer wanted');
	END IF;
	SELECT id INTO tree_ FROM tree WHERE name = r->>'tree_name';
	INSERT INTO application (series_id, content, tree_id, result, why, base_commit, base_tree, base_how,
			patched_commit, patched_tree, branch, patch_pack, detail)
		VALUES (s.id, s.content, tree_, r->>'result', r->>'why', r->>'base_commit', r->>'base_tree',
			coalesce(r->>'base_how', ''), r->>'patched_commit', r->>'patched_tree', r->>'branch',
			work_file(r, r->>'pack'), r->'detail')
		ON CONFLICT (series_id, content) DO UPDATE SET tree_id = EXCLUDED.tree_id, result = EXCLUDED.result,
			why = EXCLUDED.why, base_commit = EXCLUDED.base_commit, base_tree = EXCLUDED.base_tree,
			base_how = EXCLUDED.base_how, patched_commit = EXCLUDED.patched_commit,
			patched_tree = EXCLUDED.patched_tree, branch = EXCLUDED.branch,
			patch_pack = EXCLUDED.patch_pack, detail = EXCLUDED.detail
		RETURNING id INTO app_;
	IF r->>'result' = 'applied' THEN
		PERFORM series_to(s.id, 'applied', r->>'why');
		PERFORM job_enqueue('tree', 'worker', format('publish:%s', app_), jsonb_build_object('v', 1,
			'op', 'publish', 'application_id', app_::text), '{}', 4, s.id);
		PERFORM job_again(job_enqueue('plan', 'worker', format('plan:%s', s.id), jsonb_build_object('v', 1,
			'series_id', s.id::text), '{}', 11, s.id));
	ELSE
		PERFORM series_to(s.id, 'refused', r->>'why');
		PERFORM reply_compose_enqueue(s.id);
	END IF;
	RETURN jsonb_build_object('why', r->>'why');
END $$;

-- ---- entry points of the supervisor ----

-- Input of a leased job's child. NULL: nothing to run (finished here, or the lease is not ours).
CREATE FUNCTION work_load(id_ int8, fence_ int8) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	j job;
	out_ jsonb;
	what_ text;
BEGIN
	SELECT * INTO j FROM job WHERE id = id_ AND fence = fence_ AND state = 'leased'
		AND lease_until > clock_timestamp();
	IF NOT FOUND THEN
		RETURN NULL;
	END IF;
	what_ := j.kind || '/' || coalesce(j.payload->>'op', '');
	out_ := CASE what_
		WHEN 'tree/import' THEN work_tree_import_load(j)
		WHEN 'tree/publish' THEN work_tree_publish_load(j)
		WHEN 'ingest/poll' THEN work_ingest_poll_load(j)
		WHEN 'ingest/thread' THEN work_ingest_thread_load(j)
		WHEN 'ingest/assemble' THEN work_ingest_assemble_load(j)
		WHEN 'apply/' THEN work_apply_load(j)
		WHEN 'plan/' THEN work_plan_load(j)
		WHEN 'analyse/' THEN work_analyse_load(j)
		WHEN 'reply/compose' THEN work_reply_compose_load(j)
		WHEN 'reply/send' THEN work_reply_send_load(j)
		ELSE jsonb_build_object('finish', 'failed', 'why', 'no such job: ' || what_) END;
	IF out_ ? 'finish' THEN
		PERFORM job_finish(id_, fence_, out_->>'finish', out_->>'why', NULL, NULL);
		RETURN NULL;
	ELSIF out_ ? 'defer_ms' THEN
		PERFORM work_release(id_, fence_, out_->>'why');
		UPDATE job SET run_after = clock_timestamp() + (out_->>'defer_ms')::int8 * interval '1 ms'
			WHERE id = id_ AND state = 'ready';
		RETURN NULL;
	END IF;
	RETURN out_;
END $$;

-- Takes a result. False: too late, nothing changed.
CREATE FUNCTION work_store(id_ int8, fence_ int8, result_ jsonb) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	j job;
	out_ jsonb;
	what_ text;
BEGIN
	SELECT * INTO j FROM job WHERE id = id_ FOR UPDATE;
	IF NOT FOUND OR j.fence <> fence_ OR j.state <> 'leased' OR j.lease_until <= clock_timestamp() THEN
		RETURN false;
	END IF;
	INSERT INTO blob (sha256, bytes) SELECT DISTINCT f->>'sha256', (f->>'bytes')::int8
		FROM jsonb_array_elements(coalesce(result_->'files', '[]'::jsonb)) f ON CONFLICT DO NOTHING;
	what_ := j.kind || '/' || coalesce(j.payload->>'op', '');
	out_ := CASE what_
		WHEN 'tree/import' THEN work_tree_import_store(j, result_)
		WHEN 'tree/publish' THEN jsonb_build_object('why', '')
		WHEN 'ingest/poll' THEN work_ingest_poll_store(j, result_)
		WHEN 'ingest/thread' THEN work_ingest_thread_store(j, result_)
		WHEN 'ingest/assemble' THEN work_ingest_assemble_store(j, result_)
		WHEN 'apply/' THEN work_apply_store(j, result_)
		WHEN 'plan/' THEN work_plan_store(j, result_)
		WHEN 'analyse/' THEN work_analyse_store(j, result_)
		WHEN 'reply/compose' THEN work_reply_compose_store(j, result_)
		WHEN 'reply/send' THEN work_reply_send_store(j, result_) END;
	IF NOT job_finish(id_, fence_, coalesce(out_->>'outcome', 'done'), coalesce(out_->>'why', ''), NULL, NULL) THEN
		RAISE EXCEPTION 'the lease of job % ran out while its result was stored', id_ USING ERRCODE = '40001';
	END IF;
	IF (out_->>'again')::bool THEN
		PERFORM job_again(id_);
	END IF;
	RETURN true;
END $$;

-- The child failed. outcome_ as for job_finish.
CREATE FUNCTION work_fail(id_ int8, fence_ int8, outcome_ text, why_ text) RETURNS bool LANGUAGE sql AS
	$$ SELECT job_finish(id_, fence_, outcome_, left(why_, 2000), NULL, NULL) $$;

-- What only time brings about. Any number of workers and servers may call it.
CREATE FUNCTION chain_tick() RETURNS int8 LANGUAGE plpgsql AS $$
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

-- A supervisor says how it runs its children; shown on the status page.
CREATE FUNCTION work_hello(owner_ text, sandbox_ text, jobs_ int4) RETURNS int8 LANGUAGE sql AS $$
	INSERT INTO event (entity, entity_id, what, data) VALUES ('worker', 0, 'started',
		jsonb_build_object('owner', owner_, 'sandbox', sandbox_, 'jobs', jobs_)) RETURNING id
$$;

-- A supervisor that stops gives a lease back; the attempt does not count.
CREATE FUNCTION work_release(id_ int8, fence_ int8, why_ text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	UPDATE job SET state = 'ready', attempt = greatest(attempt - 1, 0), lease_until = NULL, why = why_,
		run_after = clock_timestamp() WHERE id = id_ AND fence = fence_ AND state = 'leased';
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	UPDATE job_fence SET ended_at = clock_timestamp(), outcome = 'retry'
		WHERE job_id = id_ AND fence = fence_ AND ended_at IS NULL;
	RETURN true;
END $$;
