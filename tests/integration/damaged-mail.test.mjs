// SPDX-License-Identifier: GPL-2.0-or-later
// Mails that lost their line ends, a reply with a cut diff in it, an answer without one: no tree comes of them
// but that of the sound mail, and the sentence says what the base has. And the sound copy among several mails.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';

import { BIN, makeMail, run, tempDir } from '../harness/index.mjs';

const CORE = 'kernel/sched/core.c', FAIR = 'kernel/sched/fair.c', SCHED = 'kernel/sched/sched.h';
const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent', GIT_AUTHOR_NAME: 'Base', GIT_AUTHOR_EMAIL: 'base@example.org',
	GIT_COMMITTER_NAME: 'Base', GIT_COMMITTER_EMAIL: 'base@example.org', GIT_AUTHOR_DATE: '@1700000000 +0000', GIT_COMMITTER_DATE: '@1700000000 +0000' };
const repo = tempDir('wl-damaged');
const git = (...args) => execFileSync('git', ['-C', repo, ...args], { env, encoding: 'utf8' });
const fn = (name, ...body) => `static int ${name}(struct rq *rq)\n{\n${body.map(l => l && `\t${l};`).join('\n')}\n}\n\n`;
const WARN = 'if (WARN_ON(rq->cpu == this_cpu())) return 0', OWN = 'if (rq->cpu == this_cpu()) return 0', IDLE = 'if (is_idle(rq->cpu)) return 1';
const core = (...[own, idle, warn]) => '/* core */\n\n' + fn('may_queue', 'if (!is_active(rq)) return 0', ...own, 'return shares_cache(rq)') + fn('takes_over', 'int n = rq->nr', ...idle, 'return n > 1') +
	fn('queue_remote', 'lock(rq)', ...warn, 'push_list(rq)', 'return kick(rq)');
const TREE = {
	[CORE]: core([], [], [WARN]),
	[FAIR]: '/* fair */\n\n' + fn('newidle_balance', 'int pulled = 0', 'pulled = pull(rq)', 'return pulled') + fn('sibling', 'int prev = rq->prev', 'if (is_idle(prev)) return prev', '', 'return pick_idle(rq)'),
	[SCHED]: 'struct rq {\n\tint cpu;\n\tint prev;\n\tint nr;\n};\n\n' + fn('add_running', 'rq->nr++', 'return rq->nr'),
};
const rev = name => git('rev-parse', '--short=12', name).trim();
let before6, merged; // the author's tree; what superseded his patch

function commit(tree, message) {
	for (const [p, t] of Object.entries(tree)) {
		fs.mkdirSync(path.join(repo, path.dirname(p)), { recursive: true });
		fs.writeFileSync(path.join(repo, p), t);
	}
	git('add', '-A');
	git('commit', '-q', '--allow-empty', '-m', message);
	return rev('HEAD');
}

function diffOf(tree, ...args) {
	commit(tree, 'by the author');
	const text = git('diff', ...args, 'HEAD^', 'HEAD');

	git('reset', '-q', '--hard', 'HEAD^');
	return text;
}

before(() => {
	git('init', '-q', '-b', 'main');
	before6 = commit(TREE, 'what the authors have');
	merged = commit({ [CORE]: core([OWN], [], []) }, 'sched: Queue on idle ones too');
	commit({ 'Makefile': 'all:\n' }, 'something else');
	git('branch', 'alone', git('commit-tree', '-m', 'import', 'HEAD^{tree}').trim());
});

const WHO = 'Ann Author <ann@example.org>';
const body = diff => `Why it is done.\n\nSigned-off-by: ${WHO}\n---\n${diff}-- \n2.39.2\n`;
const mail = (subject, id, text, headers = {}, from = WHO) => makeMail({ subject, id, from, date: '2026-03-04T05:06:07Z', headers, body: text });
// All of a mail in one line, as pages show it; addresses were taken for tags.
const fold = (subject, id, text) => `From nobody Sun May 10 09:54:16 2026 Received: from a.example.org (a.example.org [192.0.2.1]) by b.example.org; Fri, 13 Mar 2026 06:24:49 +0000 From: Ann Author To: Bob ` +
	`Cc: a-list Subject: ${subject} Date: Fri, 13 Mar 2026 14:24:27 +0800 Message-Id: <${id}> X-Mailer: git-send-email 2.27.0 List-ID: Content-Type: text/plain ${text.replace(/[\n\t]+/g, ' ')}`;
const quoted = text => text.replace(/=/g, '=3D').replace(/(\bqueue_rem)(ote\b)/, '$1= $2').replace(/^ $/gm, '=20');
const quote = text => text.replace(/^/gm, '> ');

async function apply(mails, ...args) {
	const file = path.join(tempDir('wl-damaged-mail'), 'mbox');
	const from = Buffer.from(`From ${'0'.repeat(40)} Mon Sep 17 00:00:00 2001\n`);

	fs.writeFileSync(file, mails.length === 1 ? mails[0] : Buffer.concat(mails.map(m => Buffer.concat([from, m, Buffer.from('\n')]))));
	const { code, out } = await run(path.join(BIN, 'wakelist'), ['apply', '--repo', repo, '--dry-run', ...args, file], { codes: [0, 1] });

	return { code, ...JSON.parse(out) };
}

function refused(got, words) {
	assert.deepEqual([got.code, got.result, got.tree, got.commits], [1, 'conflict', null, []]);
	assert.equal(got.error, words);
}

const FOLDED = 'line 1 of the text: line ends became blanks, so that the diff is one line and not appliable as received. By its words: ';
const notes = got => got.patches.flatMap(p => p.notes.map(n => n.code));

test('in one line: the base has a part of it, since a commit that is named', async () => {
	git('checkout', '-q', before6);
	const text = fold('[RFC PATCH] sched: Queue in the same cache', 'one@example.org', quoted(body(diffOf({ [CORE]: core([OWN], [IDLE], []) }, '-U1'))));
	const part = `its change is contained in the base in part: hunks 1, 3 of 3 of ${CORE}, but not hunk 2 of 3 of ${CORE}`;

	git('checkout', '-q', 'main');
	for (const args of [[], ['--mend']]) {
		refused(await apply([text], '--base', 'main', ...args), `${FOLDED}${part}; superseded by ${merged} ("sched: Queue on idle ones too"). Original: look up <one@example.org>`);
		refused(await apply([text], '--base', 'alone', ...args), `${FOLDED}${part}. Original: look up <one@example.org>`);
	}
	// where the author wrote it the base has nothing of it, and it is still not applied
	const got = await apply([text], '--base', before6, '--mend');

	assert.equal(got.result, 'conflict');
	assert.doesNotMatch(got.error, /contained/);
});

test('in one line: a path and a function of old', async () => {
	const diff = '--- linux-3.0.orig/kernel/sched_fair.c\n+++ linux-3.0/kernel/sched_fair.c\n@@ -5,6 +5,6 @@ out:\n static int idle_balance(struct rq *rq)\n {\n-\tint pulled = 0;\n+\tint pulled;\n \tpulled = pull(rq);\n \treturn pulled;\n }\n';
	const got = await apply([fold('Re: [patch 5/6] sched: Something else', 'two@example.org', `On Sat, Bob wrote:\n> Yes.\n\nI was pondering.\n\n kernel/sched_fair.c | 2 +-\n\nIndex: linux-3.0/kernel/sched_fair.c\n${'='.repeat(67)}\n${diff}`)], '--base', 'main');

	refused(got, `${FOLDED}kernel/sched_fair.c is an obsolete path, the base has it as ${FAIR} (since v3.3); idle_balance() is newidle_balance() there. Original: look up <two@example.org>`);
});

test('an answer without a diff', async () => {
	const text = `On 21/10/26 16:03, Ann Author wrote:\n> From: ${WHO}\n>\n> Why it is done.\n\nI gave this a spin.\n`;

	refused(await apply([text], '--base', 'main'), 'the mail holds no diff: it quotes a mail of Ann Author. Original: look up that one');
	refused(await apply([mail('Re: [PATCH] sched: A mask', 'r@example.org', text, { 'In-Reply-To': '<three@example.org>' }, 'Bob <bob@example.org>')], '--base', 'main'),
		'the mail holds no diff: it answers <three@example.org> and quotes Ann Author. Original: look up <three@example.org>');
});

test('in one line: for functions and types that the base does not have', async () => {
	const shards = { [FAIR]: TREE[FAIR] + fn('shard_pop', 'lock(rq)', 'return pop(rq)') + fn('shard_drain', 'lock(rq)', 'return drain(rq)'), [SCHED]: `struct shard {\n\tint lock;\n};\n\n${TREE[SCHED]}` };

	git('checkout', '-q', '--detach', before6);
	commit(shards, 'what it builds on');
	const diff = diffOf({ [FAIR]: shards[FAIR].replace('\treturn pop(rq)', '\tif (!rq->overload) return 0;\n\treturn pop(rq)').replace('\treturn drain(rq)', '\trq->overload = 0;\n\treturn drain(rq)'),
		[SCHED]: shards[SCHED].replace('\tint lock;\n', '\tint lock;\n\tint overload;\n').replace('\trq->nr++;\n', '\trq->nr++;\n\trq->overload = 1;\n') }, '-U1');

	git('checkout', '-q', 'main');
	refused(await apply([fold('[RFC PATCH 3/3] sched/fair: A flag for each shard', 'four@example.org', quoted(body(diff)))], '--base', 'main', '--mend'),
		`${FOLDED}${FAIR} has no shard_pop(), shard_drain() at this base; ${SCHED} has no type shard at this base; only hunk 2 of 2 of ${SCHED} would have a place, and a patch goes as a whole; ` +
		'it is part 3 of 3 of a series. Original: look up <four@example.org>');
});

test('quoted, and the last hunk lost its end', async () => {
	git('checkout', '-q', '--detach', before6);
	const more = { [FAIR]: TREE[FAIR].replace('is_idle(prev)', 'is_idle(prev) && lowest(rq)') };

	commit(more, 'what it builds on');
	const on = rev('HEAD'), diff = diffOf({ [FAIR]: more[FAIR].replace('int prev = rq->prev', 'int prev = rq->prev, aff = -1').replace('\treturn pick_idle(rq)', '\tif (aff != -1) return aff;\n\treturn pick_idle(rq)') }, '-U3');
	const sound = await apply([mail('[PATCH] x', 'x@example.org', body(diff))], '--base', on);
	const cut = diff.trimEnd().split('\n').slice(0, -2).join('\n'), text = `Re: [PATCH v7 2/2] sched/fair: Scan the lowest level\n\n[Bob <bob@example.org>]\n\nAnn wrote:\n> I changed it:\n>\n${quote(cut)}\n\nLooks neater.\n`;
	const reply = mail('Re: [PATCH v7 2/2] sched/fair: Scan the lowest level', 'y@example.org', text, { 'In-Reply-To': '<five@example.org>' }, 'Bob <bob@example.org>');

	git('checkout', '-q', 'main');
	const lost = /^line 6 of the text: the diff is quoted with ">", and line \d+ of the patch: the patch ends inside a hunk \(hunk 1 of kernel\/sched\/fair\.c has 6 of its 9 old lines\); /;

	assert.match((await apply([text], '--base', on)).error, new RegExp(`${lost.source}a quoted diff is only taken where it is asked for$`));
	// a copy of the repository that never saw what it builds on
	const shallow = tempDir('wl-damaged-shallow');

	execFileSync('git', ['clone', '-q', '--no-hardlinks', '--single-branch', '-b', 'main', `file://${repo}`, shallow], { env });
	const elsewhere = JSON.parse((await run(path.join(BIN, 'wakelist'), ['apply', '--repo', shallow, '--base', 'main', '--dry-run', '--mend', '-'], { input: reply, codes: [1] })).out);

	assert.match(elsewhere.error, /the version that it is made for \([0-9a-f]{7,12}\) is not in the repository, so no repair can be proved\. Original: look up <five@example\.org>$/);
	assert.deepEqual([elsewhere.tree, elsewhere.commits], [null, []]);
	const got = await apply([reply], '--base', on, '--mend');

	assert.deepEqual([got.result, got.tree, notes(got)], ['applied', sound.tree, ['unquoted', 'tail_filled']], got.error);
	// nobody's patch is repaired, but never committed
	const nobody = await apply([text], '--base', on, '--mend');

	assert.deepEqual([nobody.result, nobody.error, nobody.commits], ['rejected', 'the mail has no usable From', []]);
});

test('a series is repaired whole or not at all', async () => {
	git('checkout', '-q', 'main');
	// the second adds the only tabs of its hunk, so that it still applies when they are gone
	commit({ 'list.txt': 'a\nb\nc\nd\ne\nf\n' }, 'a list');
	const on = rev('HEAD'), first = { [SCHED]: TREE[SCHED].replace('\tint prev;\n', '\tint prev;\n\tint lowest;\n') }, one = diffOf(first);

	commit(first, 'the first');
	const two = diffOf({ 'list.txt': 'a\nb\nc\n\tone\td\nd\ne\nf\n' }), under = { 'In-Reply-To': '<a@example.org>' };

	git('reset', '-q', '--hard', on);
	const mails = (way, last = two) => [mail('[PATCH 1/2] sched: A', 'a@example.org', way(body(one))), mail('[PATCH 2/2] sched: B', 'b@example.org', way(body(last)), under)];
	const spaces = t => t.replace(/\t/g, '        '), sound = await apply(mails(t => t), '--base', on);
	const got = await apply(mails(spaces), '--base', on, '--mend'), alone = await apply(mails(spaces).slice(1), '--base', on, '--mend');

	assert.deepEqual([got.result, got.tree, got.commits, notes(got)], ['applied', sound.tree, sound.commits, ['tabs', 'tabs']], got.error);
	assert.deepEqual([alone.result, notes(alone)], ['applied', []]); // nothing speaks against it
	const lies = await apply(mails(spaces, two.replace(/^(index .{6,12}\.\.)......./m, '$10123456')), '--base', on, '--mend');

	refused(lies, 'patch 2 of 2: its mailer damaged what it sent; list.txt: no repair makes the file that the index line names (0123456). Original: look up <b@example.org>');
	const unknown = await apply(mails(spaces, two.replace(/^index .*\n/m, '')), '--base', on, '--mend');

	assert.deepEqual([unknown.result, notes(unknown)], ['applied', ['tabs']]);
	git('reset', '-q', '--hard', 'HEAD^');
});

// The diff of the first mail is cut and names no version, so that no repair can be proved.
const cutOf = diff => diff.replace(/^index .*\n/m, '').trimEnd().split('\n').slice(0, -2).join('\n') + '\n';

test('a sound copy among the mails is read instead of a damaged one', async () => {
	git('checkout', '-q', 'main');
	const first = diffOf({ [SCHED]: TREE[SCHED].replace('\tint prev;\n', '\tint prev;\n\tint lowest;\n') }), second = diffOf({ [FAIR]: TREE[FAIR].replace('int pulled = 0', 'int pulled = 1') });
	const one = mail('[PATCH 1/2] sched: A', 'a@example.org', body(first)), under = { 'In-Reply-To': '<a@example.org>' };
	const bad = mail('[PATCH 2/2] sched: B', 'b@example.org', `Why.\n---\n${cutOf(second)}`, under), good = mail('[PATCH 2/2] sched: B', 'b@example.org', `Why.\n---\n${second}`, under);
	const resent = mail('[PATCH RESEND 2/2] sched: B', 'c@example.org', `Why.\n---\n${second}`, under);
	const alone = await apply([one, bad], '--base', 'main');
	const sound = await apply([one, good], '--base', 'main');

	assert.match(alone.error, /^patch 2 of 2: line \d+ of the patch: .* Original: look up <b@example\.org>$/);
	assert.equal(sound.result, 'applied');
	for (const [mails, id] of [[[one, bad, good], 'b'], [[one, good, bad], 'b'], [[one, bad, resent], 'c']]) {
		const got = await apply(mails, '--base', 'main');

		assert.deepEqual([got.result, got.tree], ['applied', sound.tree], got.error);
		for (const n of got.patches[1].notes) // which of two copies with one id was looked at first does not matter
			assert.deepEqual([n.code, n.detail.endsWith(`; the diff is that of <${id}@example.org>`)], ['original', true], n.detail);
		assert.equal(got.patches[1].notes.length, id === 'c' ? 1 : got.patches[1].notes.length);
	}
	// what merely has the same title is no copy: it has another author, and so is another series
	const other = mail('[PATCH 2/2] sched: B', 'd@example.org', `Why.\n---\n${second}`, {}, 'Bob <bob@example.org>');

	await assert.rejects(apply([bad, other], '--base', 'main'), /the mails hold 2 series/);
});
