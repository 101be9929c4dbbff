// SPDX-License-Identifier: GPL-2.0-or-later
// The cases of ../shared, by the check scripts that lie beside them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { BIN, run } from '../harness/proc.mjs';

const SHARED = path.resolve(process.env.WL_TOP ?? '.', '../shared');
// a search for leaks at the end of each process would take most of the time
const NO_LEAKS = { ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ''}:detect_leaks=0` };

function absent() {
	if (!fs.existsSync(path.join(SHARED, 'mail/check.py')))
		return 'skipped: ../shared is absent';
	try {
		execFileSync('python3', ['--version']);
	} catch {
		return 'skipped: python3 is absent';
	}
	return false;
}

const CHECKS = [
	['mail parse', ['mail/check.py', 'mail', 'mail/parse']],
	['apply', ['mail/check.py', 'apply', 'mail/shapes']],
	['bench parse', ['bench/check.py', '--strict', '--dir', 'bench']],
];

for (const [name, args] of CHECKS)
	test(`${name}: every case`, { skip: absent() }, async () => {
		const { out } = await run('python3', [...args, '--wakelist', path.join(BIN, 'wakelist')], { cwd: SHARED, codes: [0, 1], env: NO_LEAKS });

		assert.match(out, /^score: (\d+)\/\1\b/m, out);
	});
