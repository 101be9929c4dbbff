-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_token_revoke
-- params: name text
-- result: body jsonb
-- rows: 1
SELECT api_token_revoke($1) AS body;
