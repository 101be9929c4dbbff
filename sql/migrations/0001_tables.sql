-- SPDX-License-Identifier: GPL-2.0-or-later
-- Entities of the chain. Times are timestamptz by the database's clock, durations *_ms, sizes *_bytes.
-- Bytes of any kind (mails, packs, kernels, logs) live in the blob store; here is only their SHA-256.

CREATE DOMAIN sha256_hex AS text CHECK (VALUE ~ '^[0-9a-f]{64}$');
CREATE DOMAIN oid_hex AS text CHECK (VALUE ~ '^[0-9a-f]{40}$');
CREATE DOMAIN entity_name AS text CHECK (VALUE ~ '^[a-z0-9][a-z0-9._-]{0,62}$');

CREATE TABLE setting (
	name text PRIMARY KEY,
	value text NOT NULL,
	help text NOT NULL,
	form text NOT NULL,          -- regular expression of a value
	wants text NOT NULL,         -- the same in words
	CONSTRAINT setting_form CHECK (value ~ form)
);
INSERT INTO setting (name, value, form, wants, help) VALUES
	('test_database', 'no',
		'^(yes|no)$', 'yes or no',
		'yes only in test databases: allows machines that run null jobs'),
	('plan_blocks', '4',
		'^[0-9]{1,12}$', 'a whole number',
		'K: blocks of one base and one patched boot for each topology'),
	('plan_profile', 'emulated',
		'^(emulated|null)$', 'emulated or null',
		'emulated, or null in a test database'),
	('plan_runs_per_boot', '3',
		'^[0-9]{1,12}$', 'a whole number',
		'benchmark runs in each boot, after one warm-up'),
	('incomplete_after_ms', '1800000',
		'^[0-9]{1,12}$', 'a whole number',
		'a series whose newest part is older is incomplete'),
	('reply_from', 'wakelist <wakelist@localhost>',
		'^[^<>[:cntrl:]]* <[^@<>[:space:][:cntrl:]]+@[^@<>[:space:][:cntrl:]]+>$', 'NAME <ADDRESS>',
		'From of replies'),
	('reply_domain', 'localhost',
		'^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$', 'a domain',
		'domain of our Message-IDs'),
	('base_url', 'http://127.0.0.1:8080',
		'^https?://[A-Za-z0-9.:_-]+(/[A-Za-z0-9._~/-]*)?$', 'an address like https://host/path',
		'where the pages are, as printed in replies'),
	('queue_max_waiting', '20000',
		'^[0-9]{1,12}$', 'a whole number',
		'jobs waiting or ready; more are refused'),
	('queue_max_running', '64',
		'^[0-9]{1,12}$', 'a whole number',
		'jobs leased at once, all kinds together'),
	('job_max_attempts', '3',
		'^[0-9]{1,12}$', 'a whole number',
		'leases of one job before it is parked');

CREATE TABLE token (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name entity_name NOT NULL UNIQUE,
	role text NOT NULL CHECK (role IN ('admin', 'submitter', 'runner')),
	hash bytea NOT NULL UNIQUE, -- BLAKE2b-256 of the secret; the secret is shown once
	created_at timestamptz NOT NULL DEFAULT now(),
	revoked_at timestamptz,
	used_at timestamptz
);

CREATE TABLE blob (
	sha256 sha256_hex PRIMARY KEY,
	bytes int8 NOT NULL CHECK (bytes >= 0),
	created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tree (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name entity_name NOT NULL UNIQUE,
	kind text NOT NULL CHECK (kind IN ('dir', 'tarball')),
	source text NOT NULL,        -- path as given
	branch text NOT NULL DEFAULT 'main',
	state text NOT NULL DEFAULT 'importing',
	why text NOT NULL DEFAULT '',
	label text NOT NULL DEFAULT '',  -- what the Makefile says: "6.1.192"
	commit_id oid_hex,
	tree_oid oid_hex,
	base_pack sha256_hex,        -- pack with everything of commit_id, for runners
	files int8,
	created_at timestamptz NOT NULL DEFAULT now(),
	ready_at timestamptz
);

CREATE TABLE list (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name entity_name NOT NULL UNIQUE,
	url text NOT NULL,           -- http(s)://host/list, or an absolute path of an inbox or epoch
	match text[] NOT NULL DEFAULT '{kernel/sched/,include/linux/sched/}',
	tree_id int8 REFERENCES tree(id), -- NULL: the oldest tree that is ready
	reply_policy text NOT NULL DEFAULT 'hold' CHECK (reply_policy IN ('hold', 'author', 'list')),
	address text NOT NULL DEFAULT '', -- posting address, Cc of replies; empty: as the mail says
	poll_ms int8 NOT NULL DEFAULT 60000 CHECK (poll_ms BETWEEN 1000 AND 86400000),
	deadline_ms int8 NOT NULL DEFAULT 86400000 CHECK (deadline_ms > 0),
	state text NOT NULL DEFAULT 'active',
	why text NOT NULL DEFAULT '',    -- last error, in words
	failures int4 NOT NULL DEFAULT 0,
	polled_at timestamptz,
	next_poll_at timestamptz NOT NULL DEFAULT now(),
	created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE list_epoch (
	list_id int8 NOT NULL REFERENCES list(id) ON DELETE CASCADE,
	epoch int4 NOT NULL,
	last_commit oid_hex,         -- the watermark; moves only with the mails it covers
	fingerprint text NOT NULL DEFAULT '',
	walked_at timestamptz,
	PRIMARY KEY (list_id, epoch)
);

CREATE TABLE mail (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	message_id text NOT NULL UNIQUE CHECK (length(message_id) BETWEEN 1 AND 998),
	blob sha256_hex NOT NULL,
	received_at timestamptz NOT NULL,
	order_time timestamptz NOT NULL,
	kind text NOT NULL CHECK (kind IN ('cover', 'patch', 'reply', 'other')),
	robot bool NOT NULL DEFAULT false,
	subject text NOT NULL,
	author_name text NOT NULL,
	author_email text NOT NULL,
	facts jsonb NOT NULL,        -- what assembly needs (mail parse JSON)
	assembled bool NOT NULL DEFAULT false
);
CREATE INDEX mail_unassembled ON mail (id) WHERE NOT assembled;

CREATE TABLE mail_copy (
	list_id int8 NOT NULL REFERENCES list(id) ON DELETE CASCADE,
	epoch int4 NOT NULL,         -- -1: fetched as a thread
	commit_id text NOT NULL,     -- commit of the epoch, or the message-id for a thread
	mail_id int8 NOT NULL REFERENCES mail(id),
	blob sha256_hex NOT NULL,
	withdrawn bool NOT NULL DEFAULT false,
	PRIMARY KEY (list_id, epoch, commit_id)
);
CREATE INDEX mail_copy_mail ON mail_copy (mail_id);

CREATE TABLE mail_key (              -- neighbourhood of assembly (lib/mail/assemble.h: mail_keys)
	key text NOT NULL,
	mail_id int8 NOT NULL REFERENCES mail(id),
	PRIMARY KEY (key, mail_id)
);
CREATE INDEX mail_key_mail ON mail_key (mail_id);

CREATE TABLE series (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	list_id int8 REFERENCES list(id) ON DELETE SET NULL,
	root_message_id text NOT NULL,   -- of the cover, else of the lowest patch
	version text NOT NULL DEFAULT '1',
	title text NOT NULL,
	author_name text NOT NULL,
	author_email text NOT NULL,
	total int4,
	received int4 NOT NULL,
	rfc bool NOT NULL DEFAULT false,
	explicit bool NOT NULL DEFAULT false, -- somebody submitted it
	state text NOT NULL DEFAULT 'waiting',
	why text NOT NULL DEFAULT '',
	content text NOT NULL,           -- hash over the ordered parts; changes when a part does
	facts jsonb NOT NULL,            -- one element of `mail series` JSON
	previous_id int8 REFERENCES series(id),
	superseded_by int8 REFERENCES series(id),
	first_time timestamptz NOT NULL,
	last_time timestamptz NOT NULL,  -- received_at of the newest part
	deadline_at timestamptz,         -- set when the series is complete
	created_at timestamptz NOT NULL DEFAULT now(),
	changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX series_root ON series (root_message_id);
CREATE INDEX series_recent ON series (last_time DESC, id DESC);
CREATE INDEX series_state ON series (state);

CREATE TABLE series_part (
	series_id int8 NOT NULL REFERENCES series(id) ON DELETE CASCADE,
	n text NOT NULL,                 -- "0" is the cover; "0.5" exists
	mail_id int8 NOT NULL REFERENCES mail(id),
	PRIMARY KEY (series_id, n)
);
CREATE INDEX series_part_mail ON series_part (mail_id);

CREATE TABLE submission (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	message_id text NOT NULL,
	list_id int8 REFERENCES list(id) ON DELETE SET NULL, -- where to fetch; NULL: every subscribed list
	url text,                        -- or an inbox URL given by the submitter
	tree_id int8 REFERENCES tree(id),
	base text,                       -- --base REV
	state text NOT NULL DEFAULT 'fetching',
	why text NOT NULL DEFAULT '',
	series_id int8 REFERENCES series(id),
	token_id int8 REFERENCES token(id),
	created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX submission_series ON submission (series_id);

CREATE TABLE application (           -- series x base: every attempt
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	series_id int8 NOT NULL REFERENCES series(id) ON DELETE CASCADE,
	content text NOT NULL,           -- series.content it was made for
	tree_id int8 REFERENCES tree(id),
	result text NOT NULL CHECK (result IN ('applied', 'already', 'conflict', 'rejected', 'no_base')),
	why text NOT NULL,               -- one sentence: file, hunk, reason
	base_commit oid_hex,
	base_tree oid_hex,
	base_how text NOT NULL DEFAULT '',
	patched_commit oid_hex,
	patched_tree oid_hex,
	branch text,                     -- series/<id>/v<version> in the tree's repository
	patch_pack sha256_hex,           -- thin pack base..patched
	detail jsonb NOT NULL,           -- JSON of `wakelist apply`
	created_at timestamptz NOT NULL DEFAULT now(),
	UNIQUE (series_id, content)
);

CREATE TABLE machine (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name entity_name NOT NULL UNIQUE,
	token_id int8 NOT NULL REFERENCES token(id),
	arch text NOT NULL,              -- x86_64, aarch64
	caps text[] NOT NULL,            -- kind:boot arch:x86_64 emu:x86_64 topo:guest-1l8 ...
	topology jsonb NOT NULL,         -- `topo show` JSON
	tools jsonb NOT NULL DEFAULT '{}',
	state text NOT NULL DEFAULT 'online',
	why text NOT NULL DEFAULT '',
	test_only bool NOT NULL DEFAULT false,
	session text NOT NULL,           -- changes with each start of the agent
	seen_at timestamptz NOT NULL DEFAULT now(),
	created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE job (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	kind text NOT NULL,
	pool text NOT NULL CHECK (pool IN ('worker', 'runner')),
	key text NOT NULL UNIQUE,        -- same key, same work: enqueueing twice is one job
	state text NOT NULL DEFAULT 'ready',
	why text NOT NULL DEFAULT '',
	payload jsonb NOT NULL,
	needs text[] NOT NULL DEFAULT '{}', -- subset of the machine's caps
	priority int4 NOT NULL DEFAULT 0,
	run_after timestamptz NOT NULL DEFAULT now(),
	attempt int4 NOT NULL DEFAULT 0,
	max_attempts int4 NOT NULL DEFAULT 3,
	fence int8 NOT NULL DEFAULT 0,   -- grows with each lease; late results carry an old one
	lease_until timestamptz,
	lease_owner text,
	machine_id int8 REFERENCES machine(id),
	progress jsonb NOT NULL DEFAULT '{}', -- {"done","total","unit","text"}
	result jsonb,
	log sha256_hex,                  -- whole log once final
	series_id int8 REFERENCES series(id) ON DELETE SET NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	started_at timestamptz,
	ended_at timestamptz
);
CREATE INDEX job_claimable ON job (pool, priority DESC, run_after, id) WHERE state = 'ready';
CREATE INDEX job_open ON job (id) WHERE state IN ('ready', 'waiting');
CREATE INDEX job_leased ON job (lease_until) WHERE state = 'leased';
CREATE INDEX job_series ON job (series_id);

CREATE TABLE job_need (              -- job waits for needs_id
	job_id int8 NOT NULL REFERENCES job(id) ON DELETE CASCADE,
	needs_id int8 NOT NULL REFERENCES job(id),
	PRIMARY KEY (job_id, needs_id)
);
CREATE INDEX job_need_back ON job_need (needs_id);

CREATE TABLE job_fence (             -- every lease ever given and how it ended: proof of "one at a time"
	job_id int8 NOT NULL REFERENCES job(id) ON DELETE CASCADE,
	fence int8 NOT NULL,
	owner text NOT NULL,
	leased_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	ended_at timestamptz,
	outcome text,                    -- done failed retry park expired cancelled
	PRIMARY KEY (job_id, fence)
);

CREATE TABLE build (                 -- one kernel: source tree x arch x config
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	key text NOT NULL UNIQUE,        -- build:<tree oid>:<arch>:<config>
	tree_oid oid_hex NOT NULL,
	commit_id oid_hex NOT NULL,
	arch text NOT NULL,
	config text NOT NULL,            -- name of the config fragment
	job_id int8 NOT NULL REFERENCES job(id),
	state text NOT NULL DEFAULT 'queued',
	why text NOT NULL DEFAULT '',
	kernel sha256_hex,
	detail jsonb NOT NULL DEFAULT '{}', -- errors[], warnings[], compiles, wall_ms, cc
	created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE plan (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	series_id int8 NOT NULL UNIQUE REFERENCES series(id) ON DELETE CASCADE,
	application_id int8 NOT NULL REFERENCES application(id),
	seed text NOT NULL CHECK (seed ~ '^[0-9a-f]{16}$'),
	blocks int4 NOT NULL,
	profile text NOT NULL,           -- emulated | null
	detail jsonb NOT NULL,           -- plan JSON (lib/plan/plan.h)
	base_build_id int8 REFERENCES build(id),
	patched_build_id int8 REFERENCES build(id),
	created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX plan_base_build ON plan (base_build_id);
CREATE INDEX plan_patched_build ON plan (patched_build_id);

CREATE TABLE cell (                  -- topology x benchmark load: one row of the report
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	plan_id int8 NOT NULL REFERENCES plan(id) ON DELETE CASCADE,
	tier text NOT NULL CHECK (tier IN ('model', 'emulated', 'metal')),
	topology text NOT NULL,
	bench text NOT NULL,
	load text NOT NULL,
	why text NOT NULL,
	UNIQUE (plan_id, topology, bench, load)
);

CREATE TABLE run (                   -- one boot of one kernel on one topology; base boots are shared
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	key text NOT NULL UNIQUE,        -- boot:<tree oid>:<config>:<topology>:<block>
	build_id int8 REFERENCES build(id),
	topology text NOT NULL,
	block int4 NOT NULL,
	job_id int8 NOT NULL REFERENCES job(id),
	machine_id int8 REFERENCES machine(id),
	state text NOT NULL DEFAULT 'queued',
	why text NOT NULL DEFAULT '',
	serial sha256_hex,               -- whole serial log
	raw sha256_hex,                  -- results channel as it came
	detail jsonb NOT NULL DEFAULT '{}', -- log check JSON, accel, qemu version, argv, seconds
	started_at timestamptz,
	ended_at timestamptz
);
CREATE INDEX run_build ON run (build_id);

CREATE TABLE plan_run (
	plan_id int8 NOT NULL REFERENCES plan(id) ON DELETE CASCADE,
	run_id int8 NOT NULL REFERENCES run(id),
	side text NOT NULL CHECK (side IN ('base', 'patched')),
	position int4 NOT NULL,          -- order of the randomised schedule
	PRIMARY KEY (plan_id, run_id)
);
CREATE INDEX plan_run_run ON plan_run (run_id);

CREATE TABLE sample (
	run_id int8 NOT NULL REFERENCES run(id) ON DELETE CASCADE,
	bench text NOT NULL,
	load text NOT NULL,
	metric text NOT NULL,
	n int4 NOT NULL,                 -- run within the boot, from 0
	value float8 NOT NULL,
	unit text NOT NULL,
	better text NOT NULL CHECK (better IN ('lower', 'higher')),
	PRIMARY KEY (run_id, bench, load, metric, n)
);

CREATE TABLE verdict (
	plan_id int8 NOT NULL REFERENCES plan(id) ON DELETE CASCADE,
	row_no int4 NOT NULL,
	tier text NOT NULL,
	topology text NOT NULL,
	bench text NOT NULL,
	load text NOT NULL,
	metric text NOT NULL,
	mark text NOT NULL CHECK (mark IN ('W', 'B', '=', '?', '!', '.')),
	why text NOT NULL,
	detail jsonb NOT NULL,           -- base, patched, change, ci, p, n
	PRIMARY KEY (plan_id, row_no)
);

CREATE TABLE reply (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	series_id int8 NOT NULL REFERENCES series(id),
	kind text NOT NULL CHECK (kind IN ('r', 'c', 'n')),
	attempt int4 NOT NULL DEFAULT 0,
	message_id text NOT NULL UNIQUE, -- derived from what is answered (spec: wl1.KIND.H@DOMAIN)
	state text NOT NULL DEFAULT 'composed',
	why text NOT NULL DEFAULT '',
	subject text NOT NULL,
	envelope_from text NOT NULL,
	envelope_to text[] NOT NULL,
	text sha256_hex NOT NULL,        -- the whole mail, frozen
	approved_by text,
	approved_sha256 sha256_hex,
	fence int8,                      -- of the job that is sending
	server_said text NOT NULL DEFAULT '',
	created_at timestamptz NOT NULL DEFAULT now(),
	sent_at timestamptz,
	UNIQUE (series_id, kind, attempt)
);

CREATE TABLE event (
	id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	entity text NOT NULL,
	entity_id int8 NOT NULL,
	series_id int8,
	what text NOT NULL,              -- new state, "created", "progress"
	data jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX event_series ON event (series_id, id);
