-- SPDX-License-Identifier: GPL-2.0-or-later
-- A submission means the newest version of the series that its mail is of, or the version it names; and it
-- may bring its mails along, as an mbox. docs/submit.md is the prose.

ALTER TABLE submission ALTER COLUMN message_id DROP NOT NULL, -- of an mbox: unknown until it is read
	ADD COLUMN version int4 CHECK (version BETWEEN 1 AND 999), -- NULL: the newest
	ADD COLUMN mbox sha256_hex,                                -- the mails, as they were handed over
	ADD COLUMN fetched bool NOT NULL DEFAULT false,            -- its mails are in the database
	ADD CONSTRAINT submission_of CHECK (message_id IS NOT NULL OR mbox IS NOT NULL);
UPDATE submission u SET fetched = true WHERE state <> 'fetching' OR EXISTS (SELECT 1 FROM job j
	WHERE j.key = format('thread:%s', u.id) AND j.state = 'done');

ALTER TABLE series ADD COLUMN pinned bool NOT NULL DEFAULT false; -- asked for by its number: newer ones do not end it
CREATE INDEX series_previous ON series (previous_id);

INSERT INTO fsm_transition (entity, from_state, to_state, why) VALUES
	('series', 'superseded', 'complete', 'somebody asked for this version'),
	('series', 'superseded', 'waiting', 'somebody asked for this version, parts are missing');

-- ---- versions ----

-- Every known version of a series, itself included.
CREATE FUNCTION api_series_versions(id_ int8) RETURNS SETOF series LANGUAGE sql STABLE AS $$
	WITH RECURSIVE v (id) AS (
		SELECT id_ UNION SELECT n.id FROM v JOIN series k ON k.id = v.id CROSS JOIN LATERAL (
			SELECT k.previous_id AS id UNION ALL SELECT o.id FROM series o WHERE o.previous_id = k.id) n
			JOIN series x ON x.id = n.id AND x.state <> 'withdrawn'
	)
	SELECT s.* FROM v JOIN series s ON s.id = v.id
$$;

CREATE OR REPLACE FUNCTION series_supersede(old_ int8, new_ int8, why_ text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	job_ int8;
	plan_ int8;
BEGIN
	UPDATE series SET superseded_by = new_ WHERE id = old_ AND superseded_by IS DISTINCT FROM new_;
	IF (SELECT pinned FROM series WHERE id = old_) THEN
		RETURN;
	END IF;
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

-- An older version is judged after all, from the start.
CREATE FUNCTION series_revive(id_ int8, why_ text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	s series;
BEGIN
	SELECT * INTO s FROM series WHERE id = id_ AND state = 'superseded' FOR UPDATE;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	UPDATE series SET deadline_at = NULL WHERE id = id_;
	IF (s.facts->>'complete')::bool THEN
		PERFORM series_to(id_, 'complete', why_);
		PERFORM job_again(id) FROM job WHERE series_id = id_ AND key = format('apply:%s:%s', id_, s.content);
		RETURN;
	END IF;
	-- parts that came after the newer version were not taken in
	PERFORM series_to(id_, 'waiting', why_);
	UPDATE mail SET assembled = false WHERE id IN (SELECT mail_id FROM series_part WHERE series_id = id_);
	PERFORM assemble_enqueue();
END $$;

-- ---- mails ----

-- As before, and: a mail that only a submitter had shown (no list carries it) is as the archive says, once
-- one has it with another patch. The assembly's lock, to the end of the transaction: an assembly that is
-- being stored meanwhile would not see these mails nor the submission that waits for them, and its caller
-- would not see that they are assembled.
CREATE OR REPLACE FUNCTION work_mails_store(list_id_ int8, r jsonb) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	new_ int8;
BEGIN
	PERFORM pg_advisory_xact_lock(hashtext('wl_assemble'));
	WITH rows AS MATERIALIZED (SELECT * FROM work_mail_rows(r)
	), added AS (
		INSERT INTO mail (message_id, blob, received_at, order_time, kind, robot, subject, author_name,
				author_email, facts)
			SELECT w.message_id, w.blob, w.received_at, w.order_time, w.kind, w.robot, w.subject,
				w.author_name, w.author_email, w.facts FROM rows w WHERE w.first
			ON CONFLICT (message_id) DO NOTHING RETURNING mail.id, mail.message_id
	), corrected AS (
		UPDATE mail m SET blob = w.blob, received_at = w.received_at, order_time = w.order_time, kind = w.kind,
				robot = w.robot, subject = w.subject, author_name = w.author_name,
				author_email = w.author_email, facts = w.facts, assembled = false
			FROM rows w WHERE list_id_ IS NOT NULL AND w.first AND w.message_id = m.message_id
				AND w.facts->'patch_sha256' IS DISTINCT FROM m.facts->'patch_sha256'
				AND NOT EXISTS (SELECT 1 FROM mail_copy c WHERE c.mail_id = m.id) RETURNING m.id, m.message_id
	), keyed AS (
		INSERT INTO mail_key (key, mail_id, window_s, link)
			SELECT DISTINCT ON (k->>'key', a.id) k->>'key', a.id, (k->>'window_s')::int8, (k->>'link')::bool
			FROM (TABLE added UNION ALL TABLE corrected) a JOIN rows w ON w.message_id = a.message_id AND w.first,
				jsonb_array_elements(w.keys) k
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

-- ---- submissions ----

DROP FUNCTION api_submission_create(text, text, text, text, text, int8);
-- By the message-id of a mail, or by the mails themselves: mbox_, a blob of mbox_bytes_. The thread is
-- fetched after the lists have been read that can only be read whole.
CREATE FUNCTION api_submission_create(message_id_ text, list_ text, url_ text, tree_ text, base_ text,
	token_id_ int8, version_ int4 DEFAULT NULL, mbox_ text DEFAULT NULL, mbox_bytes_ int8 DEFAULT NULL)
	RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	list_id_ int8;
	tree_id_ int8;
	id_ int8;
	op_ CONSTANT text := CASE WHEN mbox_ IS NULL THEN 'thread' ELSE 'mbox' END;
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
	IF mbox_ IS NOT NULL THEN
		INSERT INTO blob (sha256, bytes) VALUES (mbox_, mbox_bytes_) ON CONFLICT DO NOTHING;
	END IF;
	INSERT INTO submission (message_id, list_id, url, tree_id, base, token_id, version, mbox)
		VALUES (message_id_, list_id_, url_, tree_id_, base_, token_id_, version_, mbox_) RETURNING id INTO id_;
	IF mbox_ IS NULL AND url_ IS NULL AND NOT EXISTS (SELECT 1 FROM mail WHERE message_id = message_id_) THEN
		PERFORM list_poll(x.id) FROM (SELECT l.id FROM list l WHERE l.url !~ '^https?://' AND l.state = 'active'
			AND (l.id = list_id_ OR list_id_ IS NULL) ORDER BY l.id LIMIT 20) x;
	END IF;
	PERFORM job_enqueue('ingest', 'worker', format('%s:%s', op_, id_), jsonb_build_object('v', 1,
		'op', op_, 'submission_id', id_::text), '{}', 9, NULL);
	RETURN jsonb_build_object('v', 1, 'id', id_::text);
END $$;

-- The series that a mail is part of; of an answer the one that it is about.
CREATE FUNCTION mail_series(m mail) RETURNS series LANGUAGE plpgsql STABLE AS $$
DECLARE
	s series;
BEGIN
	SELECT x.* INTO s FROM series x JOIN series_part p ON p.series_id = x.id
		WHERE p.mail_id = m.id AND x.state <> 'withdrawn' ORDER BY x.id DESC LIMIT 1;
	IF NOT FOUND AND m.kind = 'reply' THEN
		SELECT x.* INTO s FROM series x JOIN series_part p ON p.series_id = x.id
			JOIN mail q ON q.id = p.mail_id
			WHERE q.message_id IN (SELECT jsonb_array_elements_text(m.facts->'references')
				UNION SELECT jsonb_array_elements_text(m.facts->'in_reply_to'))
			AND x.state <> 'withdrawn' ORDER BY x.id DESC LIMIT 1;
	END IF;
	RETURN s;
END $$;

-- Why the version that was asked for cannot be had.
CREATE FUNCTION submission_no_version(u submission, m mail, of_ int8) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT format('no v%s of this series is known here; known: %s', u.version,
			(SELECT string_agg('v' || v, ', ' ORDER BY v::numeric)
				FROM (SELECT DISTINCT version AS v FROM api_series_versions(of_)) x))
		|| CASE WHEN u.mbox IS NOT NULL THEN ' (an mbox is taken as it is, nothing is fetched for it)'
			WHEN EXISTS (SELECT 1 FROM mail_copy c WHERE c.mail_id = m.id AND c.epoch >= 0) THEN ''
			ELSE ' (only the thread of that mail was fetched: name a mail of that version)' END
$$;

-- What a submission that has its series should say: nothing, where it is as expected.
CREATE FUNCTION submission_words(u submission, named_ series, s series) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT concat_ws('; ',
		CASE WHEN u.version IS NULL AND s.id <> named_.id
			THEN format('v%s, the newest known here; the mail named is of v%s', s.version, named_.version) END,
		CASE WHEN s.state = 'superseded' AND u.version IS NULL THEN s.why END,
		CASE WHEN s.list_id IS NULL
			THEN 'no list here carries it: the reply is held, and goes to its author alone' END)
$$;

-- A submission whose mails are assembled gets its series, or the reason why there is none.
CREATE OR REPLACE FUNCTION submission_settle(id_ int8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	u submission;
	m mail;
	named_ series;
	s series;
	words_ text;
BEGIN
	SELECT * INTO u FROM submission WHERE id = id_ AND state = 'fetching' AND fetched FOR UPDATE;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	SELECT * INTO m FROM mail WHERE message_id = u.message_id;
	-- a newer version may be among what came with it
	IF NOT FOUND OR NOT m.assembled OR EXISTS (SELECT 1 FROM work_neighbours(ARRAY[m.id]) n
			JOIN mail x ON x.id = n.mail_id WHERE NOT x.assembled) THEN
		RETURN;
	END IF;
	named_ := mail_series(m);
	IF named_.id IS NULL THEN
		UPDATE submission SET state = 'failed', why = CASE m.kind
			WHEN 'reply' THEN 'that mail is an answer, and no patch it answers is known'
			WHEN 'other' THEN coalesce('that mail cannot be used: ' || (m.facts->>'rejected'),
				'that mail holds no patch')
			ELSE 'that mail belongs to no series' END WHERE id = id_;
		RETURN;
	END IF;
	SELECT * INTO s FROM api_series_versions(named_.id) v WHERE u.version IS NULL OR v.version::numeric = u.version
		ORDER BY v.version::numeric DESC, v.last_time DESC, v.id DESC LIMIT 1;
	IF NOT FOUND THEN
		UPDATE submission SET state = 'failed', why = submission_no_version(u, m, named_.id) WHERE id = id_;
		RETURN;
	END IF;
	UPDATE series SET explicit = true, pinned = pinned OR u.version IS NOT NULL WHERE id = s.id;
	words_ := CASE WHEN (s.facts->>'complete')::bool THEN s.facts->>'complete_why' ELSE s.facts->>'waiting_why' END;
	IF s.state IN ('not_ours', 'opted_out') THEN
		PERFORM series_to(s.id, CASE WHEN (s.facts->>'complete')::bool THEN 'complete' ELSE 'waiting' END,
			words_ || ' (submitted)');
	ELSIF u.version IS NOT NULL THEN
		PERFORM series_revive(s.id, words_ || ' (submitted)');
	END IF;
	UPDATE submission SET state = 'done', series_id = s.id, why = submission_words(u, named_, s) WHERE id = id_;
	PERFORM series_enqueue_apply(s.id);
END $$;

CREATE OR REPLACE FUNCTION work_ingest_thread_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
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
	UPDATE submission SET fetched = true WHERE id = sub_;
	PERFORM assemble_enqueue();
	PERFORM submission_settle(sub_);
	RETURN jsonb_build_object('why', format('%s new mails', new_));
END $$;

CREATE FUNCTION work_ingest_mbox_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	u submission;
BEGIN
	SELECT * INTO u FROM submission WHERE id = (j.payload->>'submission_id')::int8;
	IF NOT FOUND OR u.state <> 'fetching' THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'nothing to read');
	END IF;
	RETURN jsonb_build_object('mbox', u.mbox, 'own', work_own_addresses());
END $$;

-- The mails of an mbox are of no list. One that is known already stays as it is.
CREATE FUNCTION work_ingest_mbox_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	sub_ int8 := (j.payload->>'submission_id')::int8;
	new_ int8;
	other_ text;
BEGIN
	PERFORM 1 FROM submission WHERE id = sub_ AND state = 'fetching' FOR UPDATE;
	IF NOT FOUND THEN
		RETURN jsonb_build_object('why', 'no longer wanted');
	END IF;
	SELECT m.message_id INTO other_ FROM work_mail_rows(r) w JOIN mail m ON m.message_id = w.message_id
		WHERE m.facts->'patch_sha256' IS DISTINCT FROM w.facts->'patch_sha256' LIMIT 1;
	IF other_ IS NOT NULL OR r->>'reason' IS NOT NULL THEN
		other_ := coalesce(r->>'reason', format('another mail with the message-id %s is known here', other_));
		UPDATE submission SET state = 'failed', why = other_ WHERE id = sub_;
		RETURN jsonb_build_object('why', other_);
	END IF;
	new_ := work_mails_store(NULL, r);
	UPDATE submission SET fetched = true, message_id = r->>'message_id' WHERE id = sub_;
	PERFORM assemble_enqueue();
	PERFORM submission_settle(sub_);
	RETURN jsonb_build_object('why', format('%s new mails', new_));
END $$;

-- What job_after does for a thread, for an mbox; and a job that was cancelled.
CREATE FUNCTION submission_lost() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE submission SET state = 'failed', why = NEW.why
		WHERE id = (NEW.payload->>'submission_id')::int8 AND state = 'fetching';
	RETURN NULL;
END $$;
CREATE TRIGGER submission_lost AFTER UPDATE OF state ON job FOR EACH ROW
	WHEN (NEW.state <> OLD.state AND NEW.state IN ('failed', 'parked', 'skipped', 'cancelled')
		AND NEW.kind = 'ingest' AND NEW.payload ? 'submission_id') EXECUTE FUNCTION submission_lost();

-- ---- replies ----

-- A list's policy speaks for what the list carries, and for its newest version.
CREATE OR REPLACE FUNCTION work_reply_compose_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
	policy_ text;
	held_ text;
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
		SELECT l.reply_policy INTO policy_ FROM list l WHERE l.id = s.list_id;
		held_ := CASE WHEN policy_ IS NULL THEN 'no list here carries it: to its author alone; waits for a person'
			WHEN s.superseded_by IS NOT NULL THEN 'not the newest version; waits for a person'
			WHEN policy_ = 'hold' THEN 'waits for a person' END;
		IF held_ IS NOT NULL THEN
			UPDATE reply SET state = 'held', why = held_ WHERE id = id_;
		ELSE
			UPDATE reply SET state = 'approved', why = 'the list''s policy is ' || policy_,
				approved_by = 'policy', approved_sha256 = text WHERE id = id_;
			PERFORM reply_send_enqueue(id_);
		END IF;
	END IF;
	PERFORM series_to(s.id, 'answered', r->>'verdict');
	RETURN jsonb_build_object('why', r->>'verdict');
END $$;

-- ---- entry points of the supervisor ----

-- The function of a job, by its name: work_KIND_load, or work_KIND_OP_load for a kind that has several;
-- likewise _store. So a new one is added beside the others, and none of these is replaced for it.
CREATE FUNCTION work_function(j job, what_ text) RETURNS regproc LANGUAGE sql STABLE AS $$
	SELECT p.oid::regproc FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
		AND p.proname = concat_ws('_', 'work', j.kind, j.payload->>'op', what_)
$$;

CREATE OR REPLACE FUNCTION work_load(id_ int8, fence_ int8) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	j job;
	out_ jsonb;
	load_ regproc;
BEGIN
	SELECT * INTO j FROM job WHERE id = id_ AND fence = fence_ AND state = 'leased'
		AND lease_until > clock_timestamp();
	IF NOT FOUND THEN
		RETURN NULL;
	END IF;
	load_ := work_function(j, 'load');
	IF load_ IS NULL THEN
		out_ := jsonb_build_object('finish', 'failed', 'why',
			format('no such job: %s/%s', j.kind, j.payload->>'op'));
	ELSE
		EXECUTE format('SELECT %s($1)', load_) INTO out_ USING j;
	END IF;
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

CREATE OR REPLACE FUNCTION work_store(id_ int8, fence_ int8, result_ jsonb) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	j job;
	out_ jsonb;
	store_ regproc;
BEGIN
	SELECT * INTO j FROM job WHERE id = id_ FOR UPDATE;
	IF NOT FOUND OR j.fence <> fence_ OR j.state <> 'leased' OR j.lease_until <= clock_timestamp() THEN
		RETURN false;
	END IF;
	INSERT INTO blob (sha256, bytes) SELECT DISTINCT f->>'sha256', (f->>'bytes')::int8
		FROM jsonb_array_elements(coalesce(result_->'files', '[]'::jsonb)) f ON CONFLICT DO NOTHING;
	store_ := work_function(j, 'store');
	IF store_ IS NOT NULL THEN -- tree/publish changes nothing here
		EXECUTE format('SELECT %s($1, $2)', store_) INTO out_ USING j, result_;
	END IF;
	IF NOT job_finish(id_, fence_, coalesce(out_->>'outcome', 'done'), coalesce(out_->>'why', ''), NULL, NULL) THEN
		RAISE EXCEPTION 'the lease of job % ran out while its result was stored', id_ USING ERRCODE = '40001';
	END IF;
	IF (out_->>'again')::bool THEN
		PERFORM job_again(id_);
	END IF;
	RETURN true;
END $$;
