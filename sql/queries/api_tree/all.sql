-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_tree_all
-- params: none
-- result: body jsonb
-- rows: 1
SELECT jsonb_build_object('v', 1, 'trees', coalesce(jsonb_agg(api_tree(x) ORDER BY x.name), '[]')) AS body
	FROM tree x;
