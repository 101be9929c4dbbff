-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: work_renew
-- params: id int8, fence int8, lease_ms int8, progress jsonb
-- result: held bool
-- rows: 1
SELECT job_renew($1, $2, $3, $4) AS held;
