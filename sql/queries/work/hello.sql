-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: work_hello
-- params: owner text, sandbox text, jobs int4
-- result: id int8
-- rows: 1
SELECT work_hello($1, $2, $3) AS id;
