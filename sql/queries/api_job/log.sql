-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_job_log
-- params: id int8
-- result: fence int8, log text
-- rows: 0..1
SELECT fence, log::text AS log FROM job WHERE id = $1;
