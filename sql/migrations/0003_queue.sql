-- SPDX-License-Identifier: GPL-2.0-or-later
-- The queue: leases by the database's clock, fencing numbers, limits, NOTIFY only wakes.

CREATE FUNCTION setting_get(name_ text) RETURNS text LANGUAGE sql STABLE AS
	$$ SELECT value FROM setting WHERE name = name_ $$;

CREATE FUNCTION job_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.state = 'ready' THEN
		PERFORM pg_notify('wl_job_' || NEW.pool, NEW.kind);
	ELSIF NEW.state = 'cancelled' AND TG_OP = 'UPDATE' AND OLD.state = 'leased' THEN
		PERFORM pg_notify('wl_cancel', NEW.id::text);
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER job_notify AFTER INSERT OR UPDATE OF state ON job
	FOR EACH ROW EXECUTE FUNCTION job_notify();

-- Same key, same job: returns the existing one. needs_ids_ not all done: the job waits; one of them ended
-- badly: it is skipped at once. queue_max_waiting may be passed by as many as enqueue at one instant.
CREATE FUNCTION job_enqueue(kind_ text, pool_ text, key_ text, payload_ jsonb, needs_ text[],
	priority_ int4, series_ int8, needs_ids_ int8[] DEFAULT '{}', delay_ms_ int8 DEFAULT 0,
	max_attempts_ int4 DEFAULT NULL) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	id_ int8;
	open_ int8;
	bad_ int8;
BEGIN
	SELECT id INTO id_ FROM job WHERE key = key_;
	IF FOUND THEN
		RETURN id_;
	END IF;
	SELECT count(*) INTO open_ FROM job WHERE state IN ('ready', 'waiting');
	IF open_ >= setting_get('queue_max_waiting')::int8 THEN
		RAISE EXCEPTION 'the queue is full: % jobs wait, the limit is %', open_,
			setting_get('queue_max_waiting') USING ERRCODE = '53400';
	END IF;
	-- What it needs cannot end between our look at it and our row being there to be woken.
	PERFORM 1 FROM job WHERE id = ANY (needs_ids_) ORDER BY id FOR SHARE;
	INSERT INTO job (kind, pool, key, payload, needs, priority, series_id, run_after, max_attempts, state)
		VALUES (kind_, pool_, key_, payload_, needs_, priority_, series_,
			now() + delay_ms_ * interval '1 ms',
			coalesce(max_attempts_, setting_get('job_max_attempts')::int4),
			CASE WHEN EXISTS (SELECT 1 FROM job WHERE id = ANY (needs_ids_) AND state <> 'done')
				THEN 'waiting' ELSE 'ready' END)
		ON CONFLICT (key) DO NOTHING RETURNING id INTO id_;
	IF id_ IS NULL THEN
		SELECT id INTO id_ FROM job WHERE key = key_;
		RETURN id_;
	END IF;
	INSERT INTO job_need (job_id, needs_id) SELECT id_, unnest(needs_ids_) ON CONFLICT DO NOTHING;
	FOR bad_ IN SELECT id FROM job WHERE id = ANY (needs_ids_)
			AND state IN ('failed', 'parked', 'cancelled', 'skipped') ORDER BY id LOOP
		PERFORM job_settle(bad_);
	END LOOP;
	RETURN id_;
END $$;

-- Takes up to n_ jobs. caps_ must hold all that a job needs. The running limit counts all leases; the lock
-- makes it exact, and is not taken when there is nothing to take.
CREATE FUNCTION job_claim(pool_ text, kinds_ text[], caps_ text[], owner_ text, machine_ int8,
	lease_ms_ int8, n_ int4) RETURNS SETOF job LANGUAGE plpgsql AS $$
DECLARE
	room_ int8;
BEGIN
	PERFORM 1 FROM job j WHERE j.state = 'ready' AND j.pool = pool_ AND j.kind = ANY (kinds_)
		AND j.needs <@ caps_ AND j.run_after <= clock_timestamp() LIMIT 1;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	PERFORM pg_advisory_xact_lock(hashtext('wl_job_claim'));
	SELECT setting_get('queue_max_running')::int8 - count(*) INTO room_ FROM job WHERE state = 'leased';
	IF room_ <= 0 THEN
		RETURN;
	END IF;
	RETURN QUERY
	WITH picked AS MATERIALIZED (
		SELECT j.id FROM job j
		WHERE j.state = 'ready' AND j.pool = pool_ AND j.kind = ANY (kinds_) AND j.needs <@ caps_
			AND j.run_after <= clock_timestamp()
		ORDER BY j.priority DESC, j.run_after, j.id
		LIMIT least(n_, room_) FOR UPDATE SKIP LOCKED
	), taken AS (
		UPDATE job j SET state = 'leased', why = '', attempt = j.attempt + 1, fence = j.fence + 1,
			lease_until = clock_timestamp() + lease_ms_ * interval '1 ms', lease_owner = owner_,
			machine_id = machine_, started_at = clock_timestamp(), ended_at = NULL, progress = '{}'
		FROM picked WHERE j.id = picked.id RETURNING j.*
	), fenced AS (
		INSERT INTO job_fence (job_id, fence, owner) SELECT t.id, t.fence, owner_ FROM taken t
	)
	SELECT t.* FROM taken t ORDER BY t.priority DESC, t.id;
END $$;

-- True while the lease is still ours; false: stop, somebody else has it or it was cancelled.
CREATE FUNCTION job_renew(id_ int8, fence_ int8, lease_ms_ int8, progress_ jsonb)
	RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	series_ int8;
BEGIN
	UPDATE job SET lease_until = clock_timestamp() + lease_ms_ * interval '1 ms',
		progress = coalesce(progress_, progress)
		WHERE id = id_ AND fence = fence_ AND state = 'leased' AND lease_until > clock_timestamp()
		RETURNING series_id INTO series_;
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	IF progress_ IS NOT NULL THEN
		INSERT INTO event (entity, entity_id, series_id, what, data)
			VALUES ('job', id_, series_, 'progress', progress_);
	END IF;
	RETURN true;
END $$;

-- Ends a lease. outcome_: done | failed | retry | park. False when the fence is old: nothing changed.
CREATE FUNCTION job_finish(id_ int8, fence_ int8, outcome_ text, why_ text, result_ jsonb, log_ text)
	RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	j job;
	to_ text;
BEGIN
	IF outcome_ IS NULL OR outcome_ NOT IN ('done', 'failed', 'retry', 'park') THEN
		RAISE EXCEPTION 'outcome %: done, failed, retry or park', outcome_ USING ERRCODE = '22023';
	END IF;
	SELECT * INTO j FROM job WHERE id = id_ FOR UPDATE;
	IF NOT FOUND OR j.fence <> fence_ OR j.state <> 'leased' OR j.lease_until <= clock_timestamp() THEN
		RETURN false;
	END IF;
	to_ := CASE outcome_ WHEN 'done' THEN 'done' WHEN 'failed' THEN 'failed' WHEN 'park' THEN 'parked'
		WHEN 'retry' THEN CASE WHEN j.attempt >= j.max_attempts THEN 'parked' ELSE 'ready' END END;
	IF outcome_ = 'retry' AND to_ = 'parked' THEN
		why_ := format('tried %s times: %s', j.attempt, why_);
	END IF;
	UPDATE job SET state = to_, why = why_, result = result_, log = coalesce(log_, log),
		lease_until = NULL, ended_at = CASE WHEN to_ = 'ready' THEN NULL ELSE clock_timestamp() END,
		run_after = CASE WHEN to_ = 'ready'
			THEN clock_timestamp() + least(power(2, j.attempt), 60) * interval '1 s' ELSE run_after END
		WHERE id = id_;
	UPDATE job_fence SET ended_at = clock_timestamp(), outcome = outcome_ WHERE job_id = id_ AND fence = fence_;
	PERFORM job_settle(id_);
	RETURN true;
END $$;

-- Wakes or skips what waited for a job that is now final. What waits is locked first, lowest id first:
-- two needs that end at one instant each see the other's end, and nobody locks the other out.
CREATE FUNCTION job_settle(id_ int8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	j job;
	w int8;
BEGIN
	SELECT * INTO j FROM job WHERE id = id_;
	IF j.state = 'done' THEN
		PERFORM 1 FROM job WHERE id IN (SELECT job_id FROM job_need WHERE needs_id = id_)
			AND state = 'waiting' ORDER BY id FOR UPDATE;
		UPDATE job SET state = 'ready' WHERE state = 'waiting'
			AND id IN (SELECT job_id FROM job_need WHERE needs_id = id_)
			AND NOT EXISTS (SELECT 1 FROM job_need n JOIN job d ON d.id = n.needs_id
				WHERE n.job_id = job.id AND d.state <> 'done');
	ELSIF j.state IN ('failed', 'parked', 'cancelled', 'skipped') THEN
		PERFORM 1 FROM job WHERE state = 'waiting' AND id IN (
			WITH RECURSIVE behind (id) AS (
				SELECT job_id FROM job_need WHERE needs_id = id_
				UNION SELECT n.job_id FROM behind b JOIN job_need n ON n.needs_id = b.id)
			SELECT id FROM behind) ORDER BY id FOR UPDATE;
		FOR w IN SELECT n.job_id FROM job_need n JOIN job d ON d.id = n.job_id
				WHERE n.needs_id = id_ AND d.state = 'waiting' ORDER BY 1 LOOP
			UPDATE job SET state = 'skipped', ended_at = clock_timestamp(),
				why = left(format('the %s it needs %s: %s', coalesce(j.payload->>'role', j.kind),
					CASE j.state WHEN 'failed' THEN 'failed' ELSE 'was ' || j.state END, j.why), 1000)
				WHERE id = w AND state = 'waiting';
			PERFORM job_settle(w);
		END LOOP;
	END IF;
END $$;

-- Leases that ran out: tried again, or parked with the reason. Returns how many.
CREATE FUNCTION job_reap() RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	j job;
	n_ int8 := 0;
BEGIN
	FOR j IN SELECT * FROM job WHERE state = 'leased' AND lease_until <= clock_timestamp()
			ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED LOOP
		UPDATE job_fence SET ended_at = clock_timestamp(), outcome = 'expired'
			WHERE job_id = j.id AND fence = j.fence;
		IF j.attempt >= j.max_attempts THEN
			UPDATE job SET state = 'parked', lease_until = NULL, ended_at = clock_timestamp(),
				why = format('its lease ran out in attempt %s of %s, on %s', j.attempt,
					j.max_attempts, j.lease_owner)
				WHERE id = j.id;
		ELSE
			UPDATE job SET state = 'ready', lease_until = NULL, run_after = clock_timestamp(),
				why = format('%s did not answer; attempt %s of %s follows', j.lease_owner,
					j.attempt + 1, j.max_attempts)
				WHERE id = j.id;
		END IF;
		PERFORM job_settle(j.id);
		n_ := n_ + 1;
	END LOOP;
	RETURN n_;
END $$;

CREATE FUNCTION job_cancel(id_ int8, why_ text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	UPDATE job SET state = 'cancelled', why = why_, lease_until = NULL, ended_at = clock_timestamp()
		WHERE id = id_ AND state IN ('waiting', 'ready', 'leased', 'parked');
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	UPDATE job_fence SET ended_at = clock_timestamp(), outcome = 'cancelled'
		WHERE job_id = id_ AND ended_at IS NULL;
	PERFORM job_settle(id_);
	RETURN true;
END $$;
