// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile patches of all kinds, combined, onto a tree with links out of it: refused with a reason or equal to
// git am, and nothing but objects is written. WL_SEED and WL_CASES choose others.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runHostile } from './hostile-lib.mjs';

const seed = Number(process.env.WL_SEED ?? 70000), count = Number(process.env.WL_CASES ?? 200);

test('hostile patches are refused, or are what git am makes of them', () => {
	const { kinds, seen, own, problems } = runHostile(seed, count);

	console.log(`# seed ${seed}, ${count} cases: ${JSON.stringify(kinds)}`);
	assert.deepEqual(problems, []);
	if (count < 200)
		return;
	const named = Object.values(own).filter(n => n).length, tried = Object.values(seen).filter(n => n).length;

	assert.ok(tried >= 50 && named >= 30, `${tried} kinds tried, ${named} refused by their own sentence`);
	assert.ok(kinds.exact >= 5, 'some apply');
});
