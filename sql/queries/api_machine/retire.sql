-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_machine_retire
-- params: name text
-- result: body jsonb
-- rows: 1
SELECT api_machine_retire($1) AS body;
