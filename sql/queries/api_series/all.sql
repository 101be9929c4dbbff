-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_series_all
-- params: state text, list text, before_us int8, before_id int8, q text, n int4
-- result: body jsonb
-- rows: 1
WITH fit AS MATERIALIZED (
	SELECT s FROM series s WHERE ($1::text IS NULL OR s.state = $1)
		AND ($1::text IS NOT NULL OR s.state <> 'withdrawn')
		AND ($2::text IS NULL OR s.list_id = (SELECT id FROM list WHERE name = $2))
		AND ($3::int8 IS NULL OR (s.last_time, s.id) <
			(timestamptz 'epoch' + $3 * interval '1 us', $4::int8))
		AND ($5::text IS NULL OR position(lower($5) IN lower(s.title)) > 0
			OR position(lower($5) IN lower(s.author_name || ' ' || s.author_email)) > 0
			OR EXISTS (SELECT 1 FROM series_part p JOIN mail m ON m.id = p.mail_id
				WHERE p.series_id = s.id AND position($5 IN m.message_id) > 0))
		ORDER BY s.last_time DESC, s.id DESC LIMIT $6 + 1
), page AS (
	SELECT f.s, row_number() OVER (ORDER BY (f.s).last_time DESC, (f.s).id DESC) AS n FROM fit f
)
SELECT jsonb_build_object('v', 1,
	'series', coalesce((SELECT jsonb_agg(api_series(p.s) ORDER BY p.n) FROM page p WHERE p.n <= $6), '[]'),
	'next', (SELECT (extract(epoch FROM (p.s).last_time) * 1000000)::int8 || '.' || (p.s).id
		FROM page p WHERE p.n = $6 AND EXISTS (SELECT 1 FROM page WHERE n > $6)),
	'counts', (SELECT coalesce(jsonb_object_agg(c.state, c.n), '{}') FROM (SELECT s.state, count(*) AS n
		FROM series s WHERE $2::text IS NULL OR s.list_id = (SELECT id FROM list WHERE name = $2)
		GROUP BY s.state) c)) AS body;
