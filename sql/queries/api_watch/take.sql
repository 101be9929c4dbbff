-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_watch_take
-- params: ahead_ms int8
-- result: id int8, name text, url text, failures int4, polled bool
-- rows: 0..n
SELECT id, name, url, failures, polled FROM api_watch_take($1);
