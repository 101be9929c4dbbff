-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: migration_insert
-- params: version int4, name text, sha256 text
-- result: none
-- rows: 0
INSERT INTO schema_migration (version, name, sha256) VALUES ($1, $2, $3);
