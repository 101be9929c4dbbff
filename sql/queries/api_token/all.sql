-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_token_all
-- params: none
-- result: body jsonb
-- rows: 1
SELECT jsonb_build_object('v', 1, 'tokens', coalesce(jsonb_agg(api_token(t) ORDER BY t.name), '[]')) AS body
	FROM token t;
