-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_machine_get
-- params: name text
-- result: body jsonb
-- rows: 0..1
SELECT jsonb_build_object('v', 1, 'machine', api_machine(x) || jsonb_build_object('topology', x.topology)) AS body FROM machine x WHERE x.name = $1;
