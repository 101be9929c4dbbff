-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_job_cancel
-- params: id int8, by text
-- result: body jsonb
-- rows: 1
SELECT api_job_cancel($1, $2) AS body;
