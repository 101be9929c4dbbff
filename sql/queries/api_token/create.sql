-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_token_create
-- params: name text, role text, hash bytea
-- result: body jsonb
-- rows: 1
SELECT api_token_create($1, $2, $3) AS body;
