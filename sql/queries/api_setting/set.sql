-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_setting_set
-- params: name text, value text
-- result: value text
-- rows: 1
SELECT api_setting_set($1, $2) AS value;
