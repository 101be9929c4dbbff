// SPDX-License-Identifier: GPL-2.0-or-later
// wakelist apply on a repository with a history: the base is found by the old files of the patch, far from the
// tip by the index, and what a mail names as its prerequisites goes first.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';

import { BIN, run, tempDir } from '../harness/index.mjs';

const repo = tempDir('wl-base'), FAIR = 'kernel/sched/fair.c', N_COMMITS = 150; // more than are looked at one by one
const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent', GIT_AUTHOR_NAME: 'Ada Example',
	GIT_AUTHOR_EMAIL: 'ada@example.org', GIT_COMMITTER_NAME: 'Ada Example', GIT_COMMITTER_EMAIL: 'ada@example.org' };
const git = (...args) => execFileSync('git', ['-C', repo, ...args], { env, encoding: 'utf8' }).trim();
const lines = Array.from({ length: 40 }, (_, i) => `\tint line_${i + 1};`);
let old;

// One more commit of the file; returns its id.
const commit = (subject, change) => {
	change(lines);
	fs.writeFileSync(path.join(repo, FAIR), `${lines.join('\n')}\n`);
	git('add', '-A');
	git('commit', '-q', '-m', subject);
	return git('rev-parse', 'HEAD');
};
const mailOf = (...args) => execFileSync('git', ['-C', repo, 'format-patch', '--stdout', ...args], { env, encoding: 'utf8' });

async function apply(args, input, codes = [0]) {
	const { out } = await run(path.join(BIN, 'wakelist'), ['apply', '--repo', repo, ...args, '-'], { input, codes });

	return JSON.parse(out);
}

before(() => {
	git('init', '-q', '-b', 'main');
	fs.mkdirSync(path.join(repo, path.dirname(FAIR)), { recursive: true });
	commit('start', () => {});
	for (let i = 0; i < N_COMMITS; i++) {
		const id = commit(`sched/fair: change ${i}`, l => { l[20] = `\tint changed_${i};`; });

		if (i === 10)
			old = id;
	}
	git('checkout', '-q', '-b', 'topic', old);
	lines[20] = '\tint changed_10;';
});

test('the newest commit with the old files is the base, and the tree is that of the author', async () => {
	commit('sched/fair: written long ago', l => { l[22] = '\tint topic;'; });
	const mail = mailOf('-1');
	const tree = git('rev-parse', 'topic^{tree}');

	git('checkout', '-q', 'main');
	const dry = await apply(['--dry-run', '--index', '0'], mail);

	assert.ok(!fs.existsSync(path.join(repo, '.git/wakelist')), '--dry-run writes nothing');
	assert.equal(dry.base.commit, old, 'commit by commit, without the index');
	const got = await apply([], mail);

	assert.equal(got.result, 'applied');
	assert.deepEqual([got.base.commit, got.base.how, got.tree], [old, 'blobs', tree]);
	assert.equal(got.attempts.at(-1).commit, old);
	const [index, ...others] = fs.readdirSync(path.join(repo, '.git/wakelist')).filter(name => !name.endsWith('.lock'));

	assert.ok(index && !others.length, 'the index of the branch');
	const again = await apply(['--index', '0'], mail);

	assert.deepEqual([again.base.commit, again.tree], [old, tree]);
	fs.truncateSync(path.join(repo, '.git/wakelist', index), 100);
	assert.equal((await apply([], mail)).base.commit, old, 'a damaged index is no reason to fail');
});

test('what a mail names as its prerequisite goes first', async () => {
	git('checkout', '-q', '-B', 'topic', 'main');
	lines.splice(0, lines.length, ...git('show', `main:${FAIR}`).split('\n').map(line => `\t${line.trim()}`));
	const base = git('rev-parse', 'main');

	commit('sched/fair: come first', l => { l[5] = '\tint first;'; });
	const first = mailOf('-1');

	commit('sched/fair: come second', l => { l[6] = '\tint second;'; });
	const second = mailOf('-1', `--base=${base}`), tree = git('rev-parse', 'topic^{tree}');

	assert.match(second, /^prerequisite-patch-id: /m);
	git('checkout', '-q', 'main');
	const got = await apply(['--dry-run'], first + second);

	assert.deepEqual([got.result, got.base.commit, got.tree], ['applied', base, tree]);
	assert.deepEqual([got.prerequisites.length, got.patches.length, got.commits.length], [1, 1, 2]);
	const alone = await apply(['--dry-run', '--no-3way'], second, [1]);

	assert.equal(alone.result, 'conflict');
});

test('of a series with a part that cannot be used nothing is applied', async () => {
	const mails = mailOf('main~2..main').replaceAll('From: Ada Example <ada@example.org>', 'From: nobody at all');
	const first = mails.replace('From: nobody at all', 'From: Ada Example <ada@example.org>');
	const { code, out, err } = await run(path.join(BIN, 'wakelist'), ['apply', '--repo', repo, '--base', 'main~2', '-'],
		{ input: first, codes: [1] });

	const { result, error, commits } = JSON.parse(out);

	assert.deepEqual([code, err, result, commits], [1, '', 'rejected', []]);
	assert.match(error, /^\S+@wakelist\.invalid: the mail has no usable From$/);
});

test('a part that lost its diff stops the series', async () => {
	const mails = mailOf('main~2..main').replace(/^diff --git (.|\n)*?^-- $/m, '-- ');
	const { code, out } = await run(path.join(BIN, 'wakelist'), ['apply', '--repo', repo, '--base', 'main~2', '--dry-run', '-'],
		{ input: mails, codes: [1] });
	const { result, error, tree } = JSON.parse(out);

	assert.deepEqual([code, result, tree], [1, 'conflict', null]);
	assert.match(error, /the mail holds no diff$/);
});

test('what is given and not applied is named', async () => {
	const base = git('rev-parse', 'main');

	git('checkout', '-q', '-B', 'topic', 'main');
	commit('sched/fair: stands alone', l => { l[8] = '\tint alone;'; });
	const alone = mailOf('-1');

	commit('sched/fair: is of another series', l => { l[9] = '\tint other;'; });
	const other = mailOf('-1', '--subject-prefix=PATCH 1/2', '-N');

	git('checkout', '-q', 'main');
	const { out, err } = await run(path.join(BIN, 'wakelist'), ['apply', '--repo', repo, '--base', base, '--dry-run', '-'],
		{ input: alone + other, codes: [0] });

	assert.equal(JSON.parse(out).commits.length, 1);
	assert.match(err, /^wakelist: left out: <.*> 1 patch, incomplete: sched\/fair: is of another series$/m);
});

test('a branch that a work tree is on stays, and so does what is no branch', async () => {
	git('checkout', '-q', '-B', 'topic', 'main');
	commit('sched/fair: for a branch', l => { l[8] = '\tint branch;'; });
	const mail = mailOf('-1'), tip = git('rev-parse', 'topic');

	for (const [branch, why] of [['topic', /branch topic is checked out/], ['HEAD', /HEAD is no branch name/], ['refs/heads/x', /is no branch name/]]) {
		const { err } = await run(path.join(BIN, 'wakelist'), ['apply', '--repo', repo, '--base', 'main', '--branch', branch, '-'],
			{ input: mail, codes: [2, 3] });

		assert.match(err, why);
	}
	assert.equal(git('rev-parse', 'topic'), tip);
	git('checkout', '-q', 'main');
});

test('a hunk for the end of the file is not called damaged', async () => {
	git('checkout', '-q', '-B', 'topic', 'main');
	commit('sched/fair: at the end', l => { l.push('\tint end;'); });
	const mail = mailOf('-1');

	git('checkout', '-q', '-B', 'longer', 'main');
	lines.pop();
	commit('sched/fair: longer', l => { l.push('\tint more;', '\tint most;'); });
	const { error } = await apply(['--base', 'longer', '--dry-run', '--no-3way'], mail, [1]);

	assert.match(error, /is for the end of the file, but the base has 2 more lines after line \d+;/);
	assert.doesNotMatch(error, /white space/);
	git('checkout', '-q', 'main');
});
