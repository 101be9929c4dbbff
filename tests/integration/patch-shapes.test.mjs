// SPDX-License-Identifier: GPL-2.0-or-later
// Fourteen shapes in which scheduler patches come: clean at an offset, one part of a series, quilt style,
// stacked, short of a line of context, short of what came before, in the base already, made for another
// branch. A small scheduler of our own is the tree; its authors work on a version that the repository
// does not have, but for the one that `known` says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';

import { BIN, makeMail, run, tempDir } from '../harness/index.mjs';

const CORE = 'kernel/sched/core.c', FAIR = 'kernel/sched/fair.c', SCHED = 'kernel/sched/sched.h', FEATURES = 'kernel/sched/features.h',
	TOPOLOGY = 'kernel/sched/topology.c', FLAGS = 'include/linux/sched/sd_flags.h';
const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent', GIT_AUTHOR_NAME: 'Base', GIT_AUTHOR_EMAIL: 'base@example.org',
	GIT_COMMITTER_NAME: 'Base', GIT_COMMITTER_EMAIL: 'base@example.org', GIT_AUTHOR_DATE: '@1700000000 +0000', GIT_COMMITTER_DATE: '@1700000000 +0000' };
const git = (dir, ...args) => execFileSync('git', ['-C', dir, ...args], { env, encoding: 'utf8' });
const fn = (name, ...body) => `static int ${name}(struct rq *rq)\n{\n${body.map(l => `\t${l};\n`).join('')}}\n\n`;

// What the authors have.
const TREE = {
	[CORE]: '#include "sched.h"\n\n' + fn('take_pending', 'struct task *p = rq->pending', 'rq->n_pending = 0', 'rq->pending = NULL', 'put_all(rq, p)', 'return tell(rq)') +
		fn('may_queue', 'if (rq->cpu == this_cpu()) return 0', 'if (rq->nr_running > 1) return 0', 'return shares_cache(rq)') +
		fn('queue_remote', 'if (!may_queue(rq)) return 0', 'push_list(rq)', 'return kick(rq)') + fn('scan_from', 'int first = rq->cpu', 'return scan(rq, first)') +
		fn('wake_list', 'int n = 0', 'n += push_list(rq)', 'return n'),
	[FAIR]: '#include "sched.h"\n\n' + fn('note_idle_core', 'int core = rq->core', 'if (has_idle_core(core)) return 0', 'mark_idle_core(core)', 'return 1') +
		fn('pick_idle', 'int left = budget(rq)', 'int cost = average_cost(rq)', 'if (feature(PROP)) left = share(rq, cost)', 'if (feature(UTIL)) left = load_budget(rq)', 'return scan(rq, left)') +
		fn('sibling', 'int prev = rq->prev', 'if (is_idle(prev)) return prev', 'if (fits(rq, prev)) return prev', 'return pick_idle(rq)') +
		fn('numa_stats', 'int idle = 0', 'idle += is_idle(rq->cpu)', 'idle += has_idle_core(rq->core)', 'return idle'),
	[SCHED]: 'struct rq {\n\tint cpu;\n\tint core;\n\tint prev;\n\tint nr_running;\n\tint n_pending;\n\tstruct task *pending;\n};\n\n' + fn('add_running', 'rq->nr_running++', 'return rq->nr_running'),
	[FEATURES]: '/* on */\nFEATURE(EARLY, 1)\n/* on */\nFEATURE(UTIL, 1)\n/* off */\nFEATURE(PROP, 0)\n/* on */\nFEATURE(QUEUE, 1)\n',
	[TOPOLOGY]: '#include "sched.h"\n\n' + fn('build', 'link_levels(rq)', 'drop_levels(rq)', 'return count_levels(rq)') + fn('drop_levels', 'rq->level = parent(rq)', 'free_level(rq)', 'return 0'),
	[FLAGS]: '/* shared by all below */\nFLAG(PREFER_SIBLING, BELOW)\n\n/* may move to a stronger one */\nFLAG(ASYM, SHARED_CHILD | GROUPS)\n\n/* one cache */\nFLAG(CACHE, SHARED_CHILD)\n',
};
// What the base did meanwhile.
const MEANWHILE = {
	[CORE]: t => t.replace('#include "sched.h"\n', '#include "sched.h"\n#include "trace.h"\n\nint n_wakeups;\n')
		.replace('if (rq->nr_running > 1) return 0', 'if (rq->nr_running > 0) return 0').replace('n += push_list(rq)', 'n += push_all(rq, 1)'),
	[FAIR]: t => t.replace('#include "sched.h"\n', `#include "sched.h"\n\n${fn('early', 'return 0').trim()}\n`).replace('if (fits(rq, prev)) return prev', 'if (asym_fits(rq, prev)) return prev'),
	[SCHED]: t => `struct task;\nstruct level;\n\n${t}`,
};
const change = (tree, edits) => Object.fromEntries(Object.entries(tree).map(([p, t]) => [p, edits[p] ? edits[p](t) : t]));
const swap = (from, to) => t => {
	assert.ok(t.includes(from), from);
	return t.replace(from, to);
};
const line = (from, ...to) => swap(`\t${from};\n`, to.map(l => `\t${l};\n`).join(''));

// The reason of a hunk that fits nowhere.
const misfit = file => new RegExp(`^${file}: hunk \\d of \\d expects ".+" near line \\d+; the base has ".+" at \\d+$`);

// What patches need that no base has.
const SHARDS = { [CORE]: line('return kick(rq)', 'if (rq->shard) return kick_shard(rq->shard)', 'return kick(rq)'), [FAIR]: line('mark_idle_core(core)', 'mark_shard(rq->shard)', 'mark_idle_core(core)') };
const STABLE = { [CORE]: line('if (rq->nr_running > 1) return 0', 'if (flags(rq) & ON_CPU) return rq->nr_running <= 1') };
const DEGENERATE = { [TOPOLOGY]: line('free_level(rq)', 'keep_flags(rq, rq->level)', 'free_level(rq)') };

const SKIP_CORE = { [FAIR]: line('int core = rq->core', 'int core = rq->core', '', 'if (rq->n_pending) return 0') };
const USE_CORE = { [FAIR]: line('if (feature(UTIL)) left = load_budget(rq)', 'if (feature(UTIL) && !has_idle_core(rq->core)) left = load_budget(rq)') };
const STOP = { [FAIR]: line('idle += has_idle_core(rq->core)', 'if (!idle) idle += has_idle_core(rq->core)') };
const LOWEST = { [TOPOLOGY]: line('return count_levels(rq)', 'rq->lowest = rq->level', 'return count_levels(rq)'), [SCHED]: swap('\tint prev;\n', '\tint prev;\n\tint lowest;\n') };

// Rows: subject; edits of the author on what he has (on: edits of others before it); expect: outcome of
// the command, of the patch, where its hunks go beside what they say, the reason, how the base was found.
const SHAPES = [
	{ n: 1, subject: '[PATCH v2] sched: Clear the number behind the last one', edits: { [CORE]: t => line('put_all(rq, p)', 'put_all(rq, p)', 'rq->n_pending = 0')(line('rq->n_pending = 0')(t)) },
		expect: { result: 'applied', patch: 'offset', offsets: [2], how: 'list' } },
	{ n: 2, subject: '[PATCH v6 1/4] sched/fair: Look at what is pending first', edits: SKIP_CORE, expect: { result: 'applied', patch: 'offset', offsets: [4], how: 'list' } },
	{ n: 3, subject: '[PATCH v6 2/4] sched/fair: A core that is idle counts more', edits: USE_CORE, on: [SKIP_CORE], thread: 2, expect: { result: 'applied', patch: 'offset', offsets: [2], how: 'list' },
		stacked: { offsets: [4] } },
	{ n: 4, subject: '[PATCH v3 1/2] sched/numa: Stop at the first', edits: STOP, known: true, expect: { result: 'applied', patch: 'exact', offsets: [0], how: 'blobs' } },
	{ n: 5, subject: '[PATCH v3 2/2] sched/core: Begin behind this CPU', on: [STOP], thread: 4, known: true,
		edits: { [CORE]: line('return scan(rq, first)', 'return scan(rq, first + 1)'), [FAIR]: line('return scan(rq, left)', 'return scan(rq, left - 1)') },
		expect: { result: 'applied', patch: 'offset', offsets: [3, 5], how: 'list' }, stacked: { offsets: [0, 0] } },
	{ n: 6, subject: '[PATCH v4 09/12] sched/topology: One flag less', edits: { [FLAGS]: swap('SHARED_CHILD | GROUPS', 'GROUPS') }, trailer: true, known: true,
		expect: { result: 'applied', patch: 'exact', offsets: [0], how: 'base-commit' } },
	{ n: 7, subject: '[PATCH] sched/fair: Remove PROP', style: 'quilt',
		edits: { [FAIR]: line('if (feature(PROP)) left = share(rq, cost)'), [FEATURES]: swap('/* off */\nFEATURE(PROP, 0)\n', ''), [CORE]: line('int first = rq->cpu', 'int first = next(rq->cpu)'),
			[SCHED]: line('return rq->nr_running', 'return 0'), [TOPOLOGY]: line('link_levels(rq)') },
		expect: { result: 'applied', patch: 'offset', offsets: [2, 4, -1, 2, -1], how: 'list' } },
	{ n: 8, subject: '[PATCH v3 1/2] sched/fair: Tell what is short', id: '0123456789abcdef0123456789abcdef01234567.1669862147.git.ann@example.org',
		edits: { [SCHED]: swap('\tstruct task *pending;\n', '\tstruct task *pending;\n\tint is_short;\n'), [CORE]: line('push_list(rq)', 'rq->is_short = 1', 'push_list(rq)'), [FAIR]: line('int idle = 0', 'int idle = rq->is_short'),
			[FEATURES]: t => `${t}/* on */\nFEATURE(SHORT, 1)\n` }, expect: { result: 'applied', patch: 'offset', offsets: [2, 4, -1, 2], how: 'list' } },
	{ n: 9, subject: '[RESEND PATCH v7 1/2] sched: Know the lowest level', edits: LOWEST, expect: { result: 'applied', patch: 'offset', offsets: [2, -1], how: 'list' } },
	{ n: 10, subject: '[RESEND PATCH v7 2/2] sched/fair: Scan the lowest level first', on: [LOWEST], thread: 9, // would go with fuzz only
		edits: { [FAIR]: t => line('if (is_idle(prev)) return prev', 'if (is_idle(prev) && lowest(rq, prev)) return prev')(line('return scan(rq, left)', 'scan(rq, rq->lowest)', 'return scan(rq, left)')(t)) },
		expect: { result: 'conflict', patch: 'conflict', how: 'list', error: misfit('kernel/sched/fair.c') } },
	{ n: 11, subject: '[PATCH] sched/topology: Groups lose what a level loses', on: [DEGENERATE], edits: { [TOPOLOGY]: line('keep_flags(rq, rq->level)', 'keep_flags(rq, rq->level)', 'keep_groups(rq)') },
		expect: { result: 'conflict', patch: 'conflict', how: 'list', error: misfit('kernel/sched/topology.c') } },
	{ n: 12, subject: '[tip: sched/core] sched: Queue on idle ones too', // in the base; what is around one of its hunks changed since
		edits: { [CORE]: t => line('if (rq->nr_running > 1) return 0', 'if (rq->nr_running > 0) return 0')(line('n += push_list(rq)', 'n += push_all(rq)')(t)) },
		expect: { result: 'conflict', patch: 'conflict', how: 'list', hunks: ['already', 'conflict'], error: /^kernel\/sched\/core\.c: hunk 2 of 2 expects .*; 1 of its 2 hunks is in the base already$/ } },
	{ n: 13, subject: '[PATCH 5.10 434/545] sched: Mend the check of what runs', on: [STABLE],
		edits: { [CORE]: line('if (flags(rq) & ON_CPU) return rq->nr_running <= 1', 'if (flags(rq) & ON_CPU) return rq->nr_running < 1') },
		expect: { result: 'conflict', patch: 'conflict', how: 'list', error: misfit('kernel/sched/core.c') } },
	{ n: 14, subject: '[RFC PATCH 3/3] sched/fair: A flag for each shard', on: [SHARDS],
		edits: { [FAIR]: line('mark_shard(rq->shard)', 'mark_shard(rq->shard)', 'set_overload(rq->shard, 0)'), [SCHED]: line('rq->nr_running++', 'rq->nr_running++', 'set_overload(rq->shard, 1)') },
		expect: { result: 'conflict', patch: 'conflict', how: 'list', files: { [FAIR]: 'conflict', [SCHED]: 'offset' }, error: misfit('kernel/sched/fair.c') } },
];

// --- repositories ---

const base = tempDir('wl-shapes-base'), author = tempDir('wl-shapes-author');

function commit(dir, tree, message) {
	for (const [p, t] of Object.entries(tree)) {
		fs.mkdirSync(path.join(dir, path.dirname(p)), { recursive: true });
		fs.writeFileSync(path.join(dir, p), t);
	}
	git(dir, 'add', '-A');
	git(dir, 'commit', '-q', '--allow-empty', '-m', message);
	return git(dir, 'rev-parse', 'HEAD').trim();
}

// The author's tree before and after a row's edits.
const treesOf = row => {
	const mine = row.known ? TREE : Object.fromEntries(Object.entries(TREE).map(([p, t]) => [p, `/* a tree of mine */\n${t}`]));
	const from = (row.on ?? []).reduce(change, mine);

	return [from, change(from, row.edits)];
};

function diffOf(row) {
	const [from, to] = treesOf(row);

	git(author, 'rm', '-rq', '--ignore-unmatch', '.');
	const before = commit(author, from, 'before'), after = commit(author, to, 'after');
	const text = git(author, 'diff', before, after);

	return row.style !== 'quilt' ? text : text.replace(/^(diff|index) .*\n/gm, '').replace(/^--- a\/(.*)$/gm, '--- linux.orig/$1\t2026-03-04 05:06:07.000000000 +0000')
		.replace(/^\+\+\+ b\/(.*)$/gm, '+++ linux/$1\t2026-03-04 05:06:08.000000000 +0000');
}

const idOf = row => row.id ?? `2026030${row.n % 10}.${row.n}@example.org`;
const mailOf = row => makeMail({ subject: row.subject, id: idOf(row), from: 'Ann Author <ann@example.org>', date: '2026-03-04T05:06:07Z',
	headers: row.thread ? { 'In-Reply-To': `<${idOf(SHAPES[row.thread - 1])}>` } : {},
	body: `Why it is done.\n\nSigned-off-by: Ann Author <ann@example.org>\n---\n${row.diff}${row.trailer ? `\nbase-commit: ${row.base}\n` : ''}-- \n2.39.2\n` });

async function apply(mails, args = ['--dry-run']) {
	const file = path.join(tempDir('wl-shapes-mail'), 'mbox');

	fs.writeFileSync(file, Buffer.concat(mails.map(m => Buffer.concat([Buffer.from(`From ${'0'.repeat(40)} Mon Sep 17 00:00:00 2001\n`), m, Buffer.from('\n')]))));
	const { out } = await run(path.join(BIN, 'wakelist'), ['apply', '--repo', base, ...args, file], { codes: [0, 1] });

	return JSON.parse(out);
}

const hunksOf = patch => patch.files.flatMap(f => f.hunks);
let tip;

before(() => {
	for (const dir of [base, author])
		git(dir, 'init', '-q', '-b', 'main');
	commit(base, TREE, 'what some authors have');
	tip = commit(base, change(TREE, MEANWHILE), 'meanwhile');
	for (const row of SHAPES) {
		row.base = tip;
		row.diff = diffOf(row);
	}
});

// What git apply makes of the diff: a tree, or null.
function byGit(commitId, diff) {
	const index = { ...env, GIT_INDEX_FILE: path.join(tempDir('wl-shapes-index'), 'index') };
	const at = (args, input) => execFileSync('git', ['-C', base, ...args], { env: index, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] }).trim();

	at(['read-tree', commitId]);
	try {
		at(['apply', '--cached'], diff);
	} catch {
		return null;
	}
	return at(['write-tree']);
}

for (const row of SHAPES)
	test(`${row.n}: ${row.subject}`, async () => {
		const got = await apply([mailOf(row)]), [patch] = got.patches, { expect } = row;

		assert.deepEqual([got.result, patch.result, got.base.how], [expect.result, expect.patch, expect.how], got.error);
		assert.equal(got.tree, byGit(got.base.commit, row.diff));
		if (expect.offsets)
			assert.deepEqual(hunksOf(patch).map(h => h.offset), expect.offsets);
		if (expect.hunks)
			assert.deepEqual(hunksOf(patch).map(h => h.result), expect.hunks);
		for (const [name, result] of Object.entries(expect.files ?? {}))
			assert.deepEqual(patch.files.find(f => f.path === name).hunks.map(h => h.result), [result]);
		if (expect.error) {
			assert.match(got.error, expect.error);
			assert.deepEqual([got.tree, got.commits], [null, []]);
		}
	});

for (const row of SHAPES.filter(r => r.stacked))
	test(`${row.n} behind ${row.thread}`, async () => {
		const got = await apply([mailOf(SHAPES[row.thread - 1]), mailOf(row)]);

		assert.deepEqual([got.result, got.commits.length], ['applied', 2], got.error);
		assert.deepEqual(hunksOf(got.patches[1]).map(h => h.offset), row.stacked.offsets);
	});

test('7 conflicts with 3', async () => {
	assert.equal((await apply([mailOf(SHAPES[2])], ['--branch', 'with-3'])).result, 'applied');
	const got = await apply([mailOf(SHAPES[6])], ['--dry-run', '--base', 'with-3']);

	assert.deepEqual([got.result, byGit('with-3', SHAPES[6].diff)], ['conflict', null]);
	assert.match(got.error, /^kernel\/sched\/fair\.c: hunk 1 of 1 expects ".*feature\(UTIL\).*" near line \d+; the base has ".*has_idle_core.*" at \d+$/);
});
