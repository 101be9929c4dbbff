-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_job_get
-- params: id int8
-- result: body jsonb
-- rows: 0..1
SELECT jsonb_build_object('v', 1, 'job', api_job(j) || jsonb_build_object('payload', j.payload,
		'result', j.result),
	'needs', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', d.id::text, 'kind', d.kind, 'state', d.state)
		ORDER BY d.id), '[]') FROM job_need n JOIN job d ON d.id = n.needs_id WHERE n.job_id = j.id),
	'leases', (SELECT coalesce(jsonb_agg(jsonb_build_object('fence', f.fence, 'owner', f.owner,
		'leased_at', api_time(f.leased_at), 'ended_at', api_time(f.ended_at), 'outcome', f.outcome)
		ORDER BY f.fence), '[]') FROM job_fence f WHERE f.job_id = j.id)) AS body
	FROM job j WHERE j.id = $1;
