-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: api_blob_put
-- params: sha256 text, bytes int8
-- result: none
-- rows: 0
INSERT INTO blob (sha256, bytes) VALUES ($1::text, $2) ON CONFLICT DO NOTHING;
