-- SPDX-License-Identifier: GPL-2.0-or-later
-- Builds and boots that several plans share: a plan that is being stored and the end, or the cancelling,
-- of a part of it each see the other. Whoever links or stops parts holds their jobs, lowest id first;
-- whoever ends one holds its job already (job_finish, job_reap).

-- As before, and: one plan is stored at a time, so that what two want alike is there for the second; and
-- the jobs that it shares cannot move until it is there to be moved on by their ends.
CREATE OR REPLACE FUNCTION work_plan_store(j job, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
	p plan;
	d jsonb := r->'plan';
	x jsonb;
	id_ int8;
BEGIN
	PERFORM pg_advisory_xact_lock(hashtext('wl_plan'));
	SELECT * INTO s FROM series WHERE id = (j.payload->>'series_id')::int8 FOR UPDATE;
	IF s.state <> 'applied' THEN
		RETURN jsonb_build_object('why', 'no longer wanted');
	END IF;
	PERFORM 1 FROM job WHERE id IN (
		SELECT b.job_id FROM build b WHERE b.key IN (SELECT e->>'key' FROM jsonb_array_elements(d->'builds') e)
		UNION SELECT u.job_id FROM run u WHERE u.key IN (SELECT e->>'key' FROM jsonb_array_elements(d->'runs') e))
		ORDER BY id FOR UPDATE;
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

-- Jobs of the parts of a plan, and whether another live plan wants them.
CREATE FUNCTION plan_parts(plan_id_ int8) RETURNS TABLE (job_id int8, shared bool) LANGUAGE sql STABLE AS $$
	SELECT r.job_id, EXISTS (
			SELECT 1 FROM plan_run o JOIN plan p ON p.id = o.plan_id JOIN series s ON s.id = p.series_id
			WHERE o.run_id = r.id AND o.plan_id <> plan_id_ AND s.state IN ('planned', 'running'))
		FROM plan_run pr JOIN run r ON r.id = pr.run_id
		WHERE pr.plan_id = plan_id_ AND r.state IN ('queued', 'running')
	UNION
	SELECT b.job_id, EXISTS (
			SELECT 1 FROM plan o JOIN series s ON s.id = o.series_id
			WHERE b.id IN (o.base_build_id, o.patched_build_id) AND o.id <> plan_id_
			AND s.state IN ('planned', 'running'))
		FROM plan p JOIN build b ON b.id IN (p.base_build_id, p.patched_build_id)
		WHERE p.id = plan_id_ AND b.state IN ('queued', 'building')
$$;

-- Stops what nobody else wants. Finished things stay. Looked at anew once their jobs are held: a plan that
-- was being stored meanwhile may want them.
CREATE OR REPLACE FUNCTION plan_cancel(plan_id_ int8, why_ text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	job_ int8;
BEGIN
	PERFORM 1 FROM job WHERE id IN (SELECT job_id FROM plan_parts(plan_id_)) ORDER BY id FOR UPDATE;
	-- boots before the builds they wait for
	FOR job_ IN SELECT job_id FROM plan_parts(plan_id_) WHERE NOT shared ORDER BY 1 DESC LOOP
		PERFORM job_cancel(job_, why_);
	END LOOP;
END $$;
