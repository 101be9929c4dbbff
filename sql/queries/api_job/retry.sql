-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_job_retry
-- params: id int8
-- result: body jsonb
-- rows: 1
SELECT api_job_retry($1) AS body;
