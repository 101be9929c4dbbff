// SPDX-License-Identifier: GPL-2.0-or-later
// As tests/integration/apply-as-git.test.mjs, with 10,000 cases of generated files, and 1,000 of the
// kernel's own scheduler where its source is. WL_SEED chooses others, WL_CASES how many.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { tempDir } from '../harness/proc.mjs';
import { runCases } from '../integration/am-lib.mjs';

const TARBALL = '/usr/src/linux-source-6.1.tar.xz';
const seed = Number(process.env.WL_SEED ?? Math.floor(Math.random() * 1e9));
const count = Number(process.env.WL_CASES ?? 10000);

function check(n, options) {
	const { kinds, problems } = runCases(seed, n, options);

	console.log(`# seed ${seed}, ${n} cases: ${JSON.stringify(kinds)}`);
	assert.deepEqual(problems, []);
}

test('the same answers as git am and git am -3', () => check(count));

test('on files of kernel/sched', { skip: !fs.existsSync(TARBALL) && `skipped: ${TARBALL} is absent` }, () => {
	const dir = tempDir('wl-am-kernel');

	execFileSync('tar', ['-xJf', TARBALL, '-C', dir, '--strip-components=1', '--wildcards', 'linux-source-6.1/kernel/sched']);
	const sched = path.join(dir, 'kernel/sched');
	const sources = fs.readdirSync(sched).filter(n => /\.[ch]$/.test(n))
		.map(n => fs.readFileSync(path.join(sched, n), 'utf8').replace(/\n$/, '').split('\n'));

	check(Math.ceil(count / 10), { sources });
});
