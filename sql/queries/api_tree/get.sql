-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_tree_get
-- params: name text
-- result: body jsonb
-- rows: 0..1
SELECT jsonb_build_object('v', 1, 'tree', api_tree(x)) AS body FROM tree x WHERE x.name = $1;
