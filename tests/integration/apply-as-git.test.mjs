// SPDX-License-Identifier: GPL-2.0-or-later
// Random patches, mailed in random ways, onto bases that moved: verdict, tree and commit id of wakelist
// apply are those of git am, and with --3way those of git am -3. WL_SEED and WL_CASES choose others.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runCases } from './am-lib.mjs';

const seed = Number(process.env.WL_SEED ?? 40000), count = Number(process.env.WL_CASES ?? 300);

test('the same answers as git am and git am -3', () => {
	const { kinds, problems } = runCases(seed, count);

	console.log(`# seed ${seed}, ${count} cases: ${JSON.stringify(kinds)}`);
	assert.deepEqual(problems, []);
	if (count < 300)
		return;
	// it says something only if all kinds are among them
	for (const kind of ['am: exact', 'am: offset', 'am: conflict', 'am: already', 'am -3: 3way', 'am -3: conflict', 'am -3: already'])
		assert.ok(kinds[kind] >= 5, `${kind}: ${kinds[kind]}`);
});
