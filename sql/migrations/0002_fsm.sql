-- SPDX-License-Identifier: GPL-2.0-or-later
-- State machines. The same tables stand in lib/model/fsm.c; a test compares both.

CREATE TABLE fsm_transition (
	entity text NOT NULL,
	from_state text NOT NULL,
	to_state text NOT NULL,
	why text NOT NULL,
	PRIMARY KEY (entity, from_state, to_state)
);
CREATE TABLE fsm_state (
	entity text NOT NULL,
	state text NOT NULL,
	final bool NOT NULL,             -- nothing more happens by itself
	initial bool NOT NULL DEFAULT false, -- a row may begin in it
	PRIMARY KEY (entity, state)
);

INSERT INTO fsm_state (entity, state, final) VALUES
	('tree', 'importing', false), ('tree', 'ready', true), ('tree', 'failed', true),
	('list', 'active', false), ('list', 'paused', false),
	('submission', 'fetching', false), ('submission', 'done', true), ('submission', 'failed', true),
	('series', 'waiting', false), ('series', 'incomplete', false), ('series', 'ambiguous', false),
	('series', 'corrupt', false), ('series', 'complete', false), ('series', 'applied', false),
	('series', 'refused', false), ('series', 'planned', false), ('series', 'running', false),
	('series', 'analysed', false), ('series', 'answered', true), ('series', 'superseded', true),
	('series', 'withdrawn', true), ('series', 'not_ours', false), ('series', 'opted_out', true),
	('series', 'failed', true), ('series', 'unanswered', true),
	('job', 'waiting', false), ('job', 'ready', false), ('job', 'leased', false),
	('job', 'done', true), ('job', 'failed', true), ('job', 'parked', true),
	('job', 'cancelled', true), ('job', 'skipped', true),
	('build', 'queued', false), ('build', 'building', false), ('build', 'ok', true),
	('build', 'broken', true), ('build', 'lost', true), ('build', 'cancelled', true),
	('run', 'queued', false), ('run', 'running', false), ('run', 'ok', true),
	('run', 'broken', true), ('run', 'lost', true), ('run', 'skipped', true), ('run', 'cancelled', true),
	('machine', 'online', false), ('machine', 'offline', false), ('machine', 'retired', true),
	('reply', 'composed', false), ('reply', 'held', false), ('reply', 'approved', false),
	('reply', 'sending', false), ('reply', 'sent', true), ('reply', 'unknown', false),
	('reply', 'rejected', true), ('reply', 'obsolete', true);
UPDATE fsm_state SET initial = true WHERE (entity, state) IN (('tree', 'importing'), ('list', 'active'),
	('submission', 'fetching'), ('series', 'waiting'), ('job', 'waiting'), ('job', 'ready'),
	('build', 'queued'), ('run', 'queued'), ('machine', 'online'), ('reply', 'composed'));

INSERT INTO fsm_transition (entity, from_state, to_state, why) VALUES
	('tree', 'importing', 'ready', 'imported'),
	('tree', 'importing', 'failed', 'cannot be imported'),
	('tree', 'failed', 'importing', 'a person asked again'),
	('tree', 'ready', 'importing', 'fetched again'),
	('list', 'active', 'paused', 'a person paused it'),
	('list', 'paused', 'active', 'a person resumed it'),
	('submission', 'fetching', 'done', 'its series is known'),
	('submission', 'fetching', 'failed', 'no source has it'),
	('series', 'waiting', 'complete', 'all parts are here'),
	('series', 'waiting', 'incomplete', 'parts did not arrive in time'),
	('series', 'waiting', 'ambiguous', 'two mails claim one part'),
	('series', 'waiting', 'corrupt', 'subject and mails disagree'),
	('series', 'waiting', 'not_ours', 'touches no watched path'),
	('series', 'waiting', 'opted_out', 'the author or a rule opted out'),
	('series', 'waiting', 'superseded', 'a newer version came'),
	('series', 'waiting', 'withdrawn', 'its mails belong elsewhere now'),
	('series', 'incomplete', 'complete', 'a late part came'),
	('series', 'incomplete', 'waiting', 'a late part came, more are missing'),
	('series', 'incomplete', 'ambiguous', 'two mails claim one part'),
	('series', 'incomplete', 'corrupt', 'subject and mails disagree'),
	('series', 'incomplete', 'not_ours', 'touches no watched path'),
	('series', 'incomplete', 'superseded', 'a newer version came'),
	('series', 'incomplete', 'withdrawn', 'its mails belong elsewhere now'),
	('series', 'ambiguous', 'complete', 'a person chose'),
	('series', 'ambiguous', 'waiting', 'the claim is settled, parts are missing'),
	('series', 'ambiguous', 'corrupt', 'subject and mails disagree'),
	('series', 'ambiguous', 'superseded', 'a newer version came'),
	('series', 'ambiguous', 'withdrawn', 'its mails belong elsewhere now'),
	('series', 'corrupt', 'complete', 'a late part explained it'),
	('series', 'corrupt', 'waiting', 'a late part explained it, parts are missing'),
	('series', 'corrupt', 'ambiguous', 'two mails claim one part'),
	('series', 'corrupt', 'superseded', 'a newer version came'),
	('series', 'corrupt', 'withdrawn', 'its mails belong elsewhere now'),
	('series', 'not_ours', 'complete', 'somebody submitted it'),
	('series', 'not_ours', 'waiting', 'somebody submitted it, parts are missing'),
	('series', 'not_ours', 'superseded', 'a newer version came'),
	('series', 'not_ours', 'withdrawn', 'its mails belong elsewhere now'),
	('series', 'opted_out', 'complete', 'somebody submitted it'),
	('series', 'complete', 'ambiguous', 'a second mail claims one part'),
	('series', 'complete', 'applied', 'applies to its base'),
	('series', 'complete', 'refused', 'does not apply'),
	('series', 'complete', 'failed', 'we could not try'),
	('series', 'complete', 'superseded', 'a newer version came'),
	('series', 'complete', 'withdrawn', 'its mails belong elsewhere now'),
	('series', 'applied', 'planned', 'the experiment is designed'),
	('series', 'applied', 'failed', 'we could not plan'),
	('series', 'applied', 'superseded', 'a newer version came'),
	('series', 'planned', 'running', 'the first job started'),
	('series', 'planned', 'analysed', 'every cell is final'),
	('series', 'planned', 'failed', 'we could not judge'),
	('series', 'planned', 'superseded', 'a newer version came'),
	('series', 'running', 'analysed', 'every cell is final, or the deadline passed'),
	('series', 'running', 'failed', 'we could not judge'),
	('series', 'running', 'superseded', 'a newer version came'),
	('series', 'analysed', 'answered', 'the reply is composed'),
	('series', 'analysed', 'failed', 'we could not compose the reply'),
	('series', 'analysed', 'unanswered', 'judged, but its author is a program'),
	('series', 'analysed', 'superseded', 'a newer version came'),
	('series', 'refused', 'answered', 'the reply is composed'),
	('series', 'refused', 'failed', 'we could not compose the reply'),
	('series', 'refused', 'unanswered', 'judged, but its author is a program'),
	('series', 'refused', 'superseded', 'a newer version came'),
	('series', 'failed', 'complete', 'a person asked again'),
	('job', 'waiting', 'ready', 'what it needs is done'),
	('job', 'waiting', 'skipped', 'what it needs failed'),
	('job', 'waiting', 'cancelled', 'no longer wanted'),
	('job', 'ready', 'leased', 'taken'),
	('job', 'ready', 'cancelled', 'no longer wanted'),
	('job', 'leased', 'done', 'finished'),
	('job', 'leased', 'failed', 'the answer is final'),
	('job', 'leased', 'ready', 'will be tried again'),
	('job', 'leased', 'parked', 'tried too often, a person must look'),
	('job', 'leased', 'cancelled', 'no longer wanted'),
	('job', 'parked', 'ready', 'a person asked again'),
	('job', 'parked', 'cancelled', 'no longer wanted'),
	('job', 'done', 'ready', 'wanted again'),
	('job', 'failed', 'ready', 'a person asked again'),
	('job', 'cancelled', 'ready', 'wanted again'),
	('job', 'skipped', 'ready', 'wanted again'),
	('job', 'cancelled', 'waiting', 'wanted again'),
	('job', 'skipped', 'waiting', 'wanted again'),
	('build', 'queued', 'building', 'its job started'),
	('build', 'queued', 'lost', 'no machine could do it'),
	('build', 'queued', 'cancelled', 'no longer wanted'),
	('build', 'building', 'queued', 'its machine was lost, again'),
	('build', 'building', 'ok', 'a kernel came out'),
	('build', 'building', 'broken', 'does not compile'),
	('build', 'building', 'lost', 'no machine could do it'),
	('build', 'building', 'cancelled', 'no longer wanted'),
	('build', 'cancelled', 'queued', 'wanted again'),
	('build', 'lost', 'queued', 'wanted again'),
	('run', 'queued', 'running', 'its job started'),
	('run', 'queued', 'skipped', 'there is no kernel to boot'),
	('run', 'queued', 'lost', 'no machine could do it'),
	('run', 'queued', 'cancelled', 'no longer wanted'),
	('run', 'running', 'queued', 'its machine was lost, again'),
	('run', 'running', 'ok', 'booted and gave results'),
	('run', 'running', 'broken', 'panicked, warned or hung'),
	('run', 'running', 'lost', 'no machine could do it'),
	('run', 'running', 'cancelled', 'no longer wanted'),
	('run', 'cancelled', 'queued', 'wanted again'),
	('run', 'skipped', 'queued', 'wanted again'),
	('run', 'lost', 'queued', 'wanted again'),
	('machine', 'online', 'offline', 'not heard of'),
	('machine', 'offline', 'online', 'heard of again'),
	('machine', 'online', 'retired', 'a person removed it'),
	('machine', 'offline', 'retired', 'a person removed it'),
	('reply', 'composed', 'held', 'the list''s policy is hold'),
	('reply', 'composed', 'approved', 'the list''s policy sends'),
	('reply', 'composed', 'rejected', 'a person said no'),
	('reply', 'composed', 'obsolete', 'a newer version came'),
	('reply', 'held', 'approved', 'a person approved'),
	('reply', 'held', 'rejected', 'a person said no'),
	('reply', 'held', 'obsolete', 'a newer version came'),
	('reply', 'approved', 'sending', 'the mail server is being asked'),
	('reply', 'approved', 'rejected', 'a person said no'),
	('reply', 'approved', 'obsolete', 'a newer version came'),
	('reply', 'sending', 'sent', 'the mail server took it'),
	('reply', 'sending', 'approved', 'not taken, will be tried again'),
	('reply', 'sending', 'held', 'the mail server refused it'),
	('reply', 'sending', 'unknown', 'nobody knows whether it was taken'),
	('reply', 'unknown', 'sent', 'seen in the archive, or a person said so'),
	('reply', 'unknown', 'approved', 'a person said send again');

-- Refuses a transition that is not in the table, and tells the world about the others. A new "why" in
-- the same state is told too.
CREATE FUNCTION fsm_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	entity_ text := TG_ARGV[0];
	from_ text;
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NOT EXISTS (SELECT 1 FROM fsm_state f WHERE f.entity = entity_ AND f.state = NEW.state
				AND f.initial) THEN
			RAISE EXCEPTION '% cannot begin as %', entity_, NEW.state USING ERRCODE = '23514';
		END IF;
	ELSE
		from_ := OLD.state;
		IF NEW.state = OLD.state AND NEW.why IS NOT DISTINCT FROM OLD.why THEN
			RETURN NULL;
		ELSIF NEW.state <> OLD.state AND NOT EXISTS (SELECT 1 FROM fsm_transition f
				WHERE f.entity = entity_ AND f.from_state = OLD.state AND f.to_state = NEW.state) THEN
			RAISE EXCEPTION '% % cannot go from % to %', entity_, NEW.id, OLD.state, NEW.state
				USING ERRCODE = '23514';
		END IF;
	END IF;
	-- Builds and runs belong to several series: who reads the event finds them (api_event_series).
	INSERT INTO event (entity, entity_id, series_id, what, data) VALUES (entity_, NEW.id, CASE entity_
			WHEN 'series' THEN NEW.id
			WHEN 'submission' THEN (to_jsonb(NEW)->>'series_id')::int8
			WHEN 'job' THEN (to_jsonb(NEW)->>'series_id')::int8
			WHEN 'reply' THEN (to_jsonb(NEW)->>'series_id')::int8
		END, NEW.state, jsonb_build_object('from', from_, 'why', NEW.why));
	RETURN NULL;
END $$;

CREATE FUNCTION event_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('wl_event', NEW.id::text);
	RETURN NULL;
END $$;
CREATE TRIGGER event_notify AFTER INSERT ON event FOR EACH ROW EXECUTE FUNCTION event_notify();

DO $$
DECLARE t text;
BEGIN
	FOREACH t IN ARRAY ARRAY['tree', 'list', 'submission', 'series', 'job', 'build', 'run', 'machine', 'reply'] LOOP
		EXECUTE format('CREATE TRIGGER fsm_guard AFTER INSERT OR UPDATE OF state ON %I
			FOR EACH ROW EXECUTE FUNCTION fsm_guard(%L)', t, t);
	END LOOP;
END $$;
