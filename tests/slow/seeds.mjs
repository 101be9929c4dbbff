// SPDX-License-Identifier: GPL-2.0-or-later
// The five founding mails on kernel/sched of Debian's 6.1 tree. None can be applied; each is answered by the
// sentence that its author needs. The tree gets a short history, so that what superseded the first can be named.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';

import { BIN, run, tempDir, TOP } from '../harness/proc.mjs';

const TARBALL = '/usr/src/linux-source-6.1.tar.xz', SEEDS = path.join(TOP, '../shared/seeds'), CORE = 'kernel/sched/core.c';
const skip = (!fs.existsSync(SEEDS) && 'skipped: ../shared is absent') || (!fs.existsSync(TARBALL) && `skipped: ${TARBALL} is absent`);
const OWN_CPU = '\tif (cpu == smp_processor_id())\n\t\treturn false;\n\n';
const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent' };
let repo, merged;
const git = (...args) => execFileSync('git', ['-C', repo, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { env, encoding: 'utf8', maxBuffer: 64 << 20 }).trim();

before(() => {
	if (skip)
		return;
	repo = tempDir('wl-seeds');
	execFileSync('tar', ['-xJf', TARBALL, '-C', repo, '--strip-components=1', '--wildcards', 'linux-source-6.1/kernel/sched']);
	const file = path.join(repo, CORE), text = fs.readFileSync(file, 'utf8');

	assert.equal(text.split(OWN_CPU).length, 2);
	git('init', '-q', '-b', 'history');
	fs.writeFileSync(file, text.replace(OWN_CPU, ''));
	git('add', '-A');
	git('commit', '-q', '-m', 'before');
	fs.writeFileSync(file, text);
	git('commit', '-q', '-a', '-m', 'sched: Also when the wakee CPU is idle');
	merged = git('rev-parse', '--short=12', 'HEAD');
	fs.writeFileSync(path.join(repo, 'kernel/sched/other.c'), '\n');
	git('add', '-A');
	git('commit', '-q', '-m', 'something else');
	git('branch', 'tarball', git('commit-tree', '-m', 'import', 'HEAD^{tree}'));
});

const FOLDED = 'line 1 of the text: line ends became blanks, so that the diff is one line and not appliable as received. By its words: ';
const QUOTED = 'line 118 of the text: the diff is quoted with ">", and line 42 of the patch: the patch ends inside a hunk (hunk 3 of kernel/sched/fair.c has 3 of its 6 old lines); ';
const PART = 'its change is contained in the base in part: hunks 1, 3 of 3 of kernel/sched/core.c, but not hunk 2 of 3 of kernel/sched/core.c';
const original = id => `. Original: look up <${id}>`;
const TABLE = [
	{ seed: '000', base: 'history', says: () => `${FOLDED}${PART}; superseded by ${merged} ("sched: Also when the wakee CPU is idle")${original('20220513062427.2375743-1-dtcccc@linux.alibaba.com')}` },
	{ seed: '000', base: 'tarball', says: () => `${FOLDED}${PART}${original('20220513062427.2375743-1-dtcccc@linux.alibaba.com')}` },
	{ seed: '001', base: 'tarball', says: () => `${FOLDED}kernel/sched_fair.c is an obsolete path, the base has it as kernel/sched/fair.c (since v3.3); idle_balance() is sched_balance_newidle() there${original('1321677680.6307.15.camel@marge.simson.net')}` },
	{ seed: '002', base: 'tarball', says: () => 'the mail holds no diff: it quotes a mail of Aubrey Li. Original: look up that one' },
	{ seed: '003', base: 'tarball', says: () => `${FOLDED}kernel/sched/fair.c has no shared_runq_reassign_domains(), __shared_runq_drain(), shared_runq_pop_task() at this base; kernel/sched/sched.h has no type shared_runq_shard at this base; ` +
		`only hunk 2 of 2 of kernel/sched/sched.h would have a place, and a patch goes as a whole; it is part 3 of 3 of a series${original('20230831104508.7619-4-kprateek.nayak@amd.com')}` },
	{ seed: '004', base: 'tarball', says: mend => QUOTED + (mend.length ? 'kernel/sched/fair.c: the version that it is made for (0989116b0796) is not in the repository, so no repair can be proved' : 'a quoted diff is only taken where it is asked for') },
];

async function apply(base, files, args) {
	const { code, out } = await run(path.join(BIN, 'wakelist'), ['apply', '--repo', repo, '--base', base, '--dry-run', ...args, ...files], { codes: [0, 1] });

	return { code, ...JSON.parse(out) };
}

for (const row of TABLE)
	for (const mend of [[], ['--mend']])
		test(`${row.seed} on ${row.base}${mend.length ? ', to be mended' : ''}`, { skip }, async () => {
			const got = await apply(row.base, [path.join(SEEDS, fs.readdirSync(SEEDS).find(f => f.startsWith(row.seed)))], mend);

			assert.deepEqual([got.code, got.result, got.tree, got.commits], [1, 'conflict', null, []]);
			assert.equal(got.error, row.says(mend));
		});

const v7 = process.env.WL_V7?.split(' ');

test('what the fifth is made for: 1/2 applies, 2/2 only by a merge', { skip: skip || (!v7 && 'skipped: WL_V7 names no mails') }, async () => {
	const first = await apply('tarball', v7.slice(0, 1), ['--no-3way']), both = await apply('tarball', v7, ['--no-3way']);

	assert.deepEqual([first.result, both.result, both.patches[1].result], ['applied', 'conflict', 'conflict']);
	assert.equal(both.tree, null);
});
