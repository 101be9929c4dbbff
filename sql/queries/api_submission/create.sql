-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_submission_create
-- params: message_id text, list text, url text, tree text, base text, token_id int8, version int4
-- result: body jsonb
-- rows: 1
SELECT api_submission_create($1, $2, $3, $4, $5, $6, $7) AS body;
