-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: work_claim
-- params: kinds text[], owner text, lease_ms int8, n int4
-- result: id int8, fence int8, kind text, op text, attempt int4, series_id int8
-- rows: 0..n
SELECT id, fence, kind, coalesce(payload->>'op', '') AS op, attempt, series_id
FROM job_claim('worker', $1, '{}', $2, NULL, $3, $4);
