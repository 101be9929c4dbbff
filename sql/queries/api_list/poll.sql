-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_list_poll
-- params: name text
-- result: body jsonb
-- rows: 1
SELECT api_list_poll($1) AS body;
