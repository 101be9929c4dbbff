-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_series_retry
-- params: id int8
-- result: body jsonb
-- rows: 1
SELECT api_series_retry($1) AS body;
