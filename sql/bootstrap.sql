-- SPDX-License-Identifier: GPL-2.0-or-later
-- What `wakelistd migrate` needs before the first migration. Idempotent.
CREATE TABLE IF NOT EXISTS schema_migration (
	version int4 PRIMARY KEY,
	name text NOT NULL,
	sha256 text NOT NULL,
	applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
