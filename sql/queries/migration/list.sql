-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: migration_list
-- params: none
-- result: version int4, name text, sha256 text
-- rows: 0..n
SELECT version, name, sha256 FROM schema_migration ORDER BY version;
