-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_list_create
-- params: name text, url text, match text[], tree text, reply text, address text, poll_ms int8, deadline_ms int8
-- result: body jsonb
-- rows: 1
SELECT api_list_create($1, $2, $3, $4, $5, $6, $7, $8) AS body;
