-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_submission_create_mbox
-- params: mbox text, mbox_bytes int8, tree text, base text, token_id int8, version int4
-- result: body jsonb
-- rows: 1
SELECT api_submission_create(NULL, NULL, NULL, $3, $4, $5, $6, $1, $2) AS body;
