-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_token_find
-- params: hash bytea
-- result: id int8, name text, role text
-- rows: 0..1
UPDATE token SET used_at = now() WHERE hash = $1 AND revoked_at IS NULL
	RETURNING id, name::text AS name, role;
