-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_tree_create
-- params: name text, kind text, source text, branch text, branches text[], fetch_ms int8
-- result: body jsonb
-- rows: 1
SELECT api_tree_create($1, $2, $3, $4, $5, $6) AS body;
