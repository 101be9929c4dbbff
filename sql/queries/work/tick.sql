-- SPDX-License-Identifier: GPL-2.0-or-later
-- name: work_tick
-- params: none
-- result: changed int8
-- rows: 1
SELECT chain_tick() AS changed;
