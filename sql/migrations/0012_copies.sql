-- SPDX-License-Identifier: GPL-2.0-or-later
-- Where one archive has a mail with damage, another may have it sound: an apply job is handed the other copies too.
CREATE OR REPLACE FUNCTION series_mails(series_id_ int8) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT coalesce(jsonb_agg(jsonb_build_object('n', p.n, 'blob', m.blob,
		'received_at', epoch_s(m.received_at), 'copies', (SELECT coalesce(jsonb_agg(x.blob ORDER BY x.blob), '[]'::jsonb)
			FROM (SELECT DISTINCT c.blob FROM mail_copy c WHERE c.mail_id = m.id AND c.blob <> m.blob AND NOT c.withdrawn
				ORDER BY c.blob LIMIT 8) x)) ORDER BY p.n::numeric), '[]'::jsonb)
		FROM series_part p JOIN mail m ON m.id = p.mail_id WHERE p.series_id = series_id_
$$;
