-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_tick_run
-- params: keep_events int8, sweep bool
-- result: n int8
-- rows: 1
SELECT api_tick($1, $2) AS n;
