-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_setting_get
-- params: name text
-- result: value text
-- rows: 0..1
SELECT value FROM setting WHERE name = $1;
