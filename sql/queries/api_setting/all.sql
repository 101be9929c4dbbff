-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_setting_all
-- params: none
-- result: name text, value text, help text
-- rows: 0..n
SELECT name, value, help FROM setting ORDER BY name;
