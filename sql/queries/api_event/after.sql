-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_event_after
-- params: after int8, series_id int8, n int4
-- result: id int8, entity text, body jsonb, series text
-- rows: 0..n
SELECT e.id, e.entity, api_event(e) AS body, array_to_string(api_event_series(e), ',') AS series
	FROM event e WHERE e.id > $1 AND ($2::int8 IS NULL OR $2 = ANY (api_event_series(e)))
	ORDER BY e.id LIMIT $3::int4;
