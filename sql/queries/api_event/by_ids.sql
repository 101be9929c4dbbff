-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_event_by_ids
-- params: ids int8[]
-- result: id int8, entity text, body jsonb, series text
-- rows: 0..n
SELECT e.id, e.entity, api_event(e) AS body, array_to_string(api_event_series(e), ',') AS series
	FROM event e WHERE e.id = ANY ($1) ORDER BY e.id;
