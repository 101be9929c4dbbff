-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_machine_all
-- params: none
-- result: body jsonb
-- rows: 1
SELECT jsonb_build_object('v', 1, 'machines', coalesce(jsonb_agg(api_machine(x) ORDER BY x.name), '[]')) AS body
	FROM machine x;
