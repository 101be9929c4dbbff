-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_list_all
-- params: none
-- result: body jsonb
-- rows: 1
SELECT jsonb_build_object('v', 1, 'lists', coalesce(jsonb_agg(api_list(x) ORDER BY x.name), '[]')) AS body
	FROM list x;
