-- SPDX-License-Identifier: GPL-2.0-or-later
-- Who may do what, applied after the migrations on every `wakelistd migrate`, as the owner of the
-- database. Everything is taken away first, so what stands here is all there is.
--
--   owner of the tables   migrations only; not a superuser
--   wakelist_server       reads everything; changes things by the functions api_*
--   wakelist_worker       no table at all: claims, loads, stores by functions
--   runners               no role: they speak HTTP
--
-- Functions that change things run with the rights of their owner and a fixed search path. A function
-- is callable only by the roles that it is granted to below: entry points, not their parts.

DO $$
DECLARE
	role_ text;
BEGIN
	FOREACH role_ IN ARRAY ARRAY['wakelist_server', 'wakelist_worker'] LOOP
		CONTINUE WHEN EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role_);
		BEGIN
			EXECUTE format('CREATE ROLE %I LOGIN', role_);
		EXCEPTION
			WHEN duplicate_object OR unique_violation THEN NULL; -- made by another database's migrate
			WHEN insufficient_privilege THEN
				RAISE EXCEPTION 'the role % is missing: ask who runs the database for CREATE ROLE % LOGIN',
					role_, role_ USING ERRCODE = '42501';
		END;
	END LOOP;
END $$;

-- ---- nothing ----

DO $$
BEGIN
	EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
	EXECUTE format('GRANT CONNECT ON DATABASE %I TO wakelist_server, wakelist_worker', current_database());
EXCEPTION WHEN insufficient_privilege THEN NULL; -- a database of somebody else
END $$;
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC, wakelist_server, wakelist_worker;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM PUBLIC, wakelist_server, wakelist_worker;
REVOKE ALL ON ALL ROUTINES IN SCHEMA public FROM PUBLIC, wakelist_server, wakelist_worker;
GRANT USAGE ON SCHEMA public TO wakelist_server, wakelist_worker;

DO $$
DECLARE
	f_ regprocedure;
BEGIN
	FOR f_ IN SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
			WHERE p.pronamespace = 'public'::regnamespace AND r.rolname = current_user
			AND p.prokind = 'f' AND p.provolatile = 'v' AND NOT EXISTS (SELECT 1 FROM pg_depend d
				WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e') LOOP
		EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp',
			f_);
	END LOOP;
END $$;

-- ---- server ----

GRANT SELECT ON ALL TABLES IN SCHEMA public TO wakelist_server;
GRANT INSERT ON blob TO wakelist_server;
GRANT UPDATE (used_at) ON token TO wakelist_server;

-- ---- worker ----

GRANT SELECT ON schema_migration TO wakelist_worker;

-- ---- entry points ----

DO $$
DECLARE
	f_ regprocedure;
	role_ text;
	names_ text[];
BEGIN
	FOR role_, names_ IN VALUES
		('wakelist_server', ARRAY['api\_%', 'setting_get', 'epoch_s']),
		('wakelist_worker', ARRAY['job_claim', 'job_renew', 'work_load', 'work_store', 'work_fail',
			'work_release', 'work_hello',
			'chain_tick'])
	LOOP
		FOR f_ IN SELECT p.oid::regprocedure FROM pg_proc p
				WHERE p.pronamespace = 'public'::regnamespace AND p.proname LIKE ANY (names_) LOOP
			EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', f_, role_);
		END LOOP;
	END LOOP;
END $$;
