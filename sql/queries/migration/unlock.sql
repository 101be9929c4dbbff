-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: migration_unlock
-- params: key int8
-- result: unlocked bool
-- rows: 1
SELECT pg_advisory_unlock($1) AS unlocked;
