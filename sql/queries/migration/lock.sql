-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: migration_lock
-- params: key int8
-- result: locked bool
-- rows: 1
SELECT pg_advisory_lock($1) IS NOT NULL AS locked;
