-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_list_get
-- params: name text
-- result: body jsonb
-- rows: 0..1
SELECT jsonb_build_object('v', 1, 'list', api_list(x)) AS body FROM list x WHERE x.name = $1;
