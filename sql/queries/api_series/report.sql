-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_series_report
-- params: id int8
-- result: sha256 text
-- rows: 0..1
SELECT text::text AS sha256 FROM reply WHERE series_id = $1 ORDER BY id DESC LIMIT 1;
