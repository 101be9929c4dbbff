-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_event_bounds
-- params: none
-- result: first int8, last int8
-- rows: 1
SELECT coalesce(min(id), 0) AS first, coalesce(max(id), 0) AS last FROM event;
