-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_tree_delete
-- params: name text
-- result: body jsonb
-- rows: 1
SELECT api_tree_delete($1) AS body;
