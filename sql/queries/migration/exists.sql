-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: migration_exists
-- params: none
-- result: present bool
-- rows: 1
SELECT to_regclass('schema_migration') IS NOT NULL AS present;
