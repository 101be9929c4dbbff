-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_tree_fetch
-- params: name text
-- result: body jsonb
-- rows: 1
SELECT api_tree_fetch($1) AS body;
