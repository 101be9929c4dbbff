// SPDX-License-Identifier: GPL-2.0-or-later
// As tests/integration/apply-hostile.test.mjs, 10,000 cases. WL_SEED chooses others, WL_CASES how many.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runHostile } from '../integration/hostile-lib.mjs';

const seed = Number(process.env.WL_SEED ?? Math.floor(Math.random() * 1e9));
const count = Number(process.env.WL_CASES ?? 10000);

test('hostile patches are refused, or are what git am makes of them', () => {
	const { kinds, seen, own, problems } = runHostile(seed, count);

	console.log(`# seed ${seed}, ${count} cases: ${JSON.stringify(kinds)}`);
	for (const [kind, n] of Object.entries(seen))
		console.log(`# ${kind}: ${n}, ${own[kind]} refused by its own sentence`);
	assert.deepEqual(problems, []);
});
