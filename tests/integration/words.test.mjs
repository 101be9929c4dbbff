// SPDX-License-Identifier: GPL-2.0-or-later
// What the plumbing commands say: the reason is the true one, in the words of who called, with the right exit code.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';

import { BIN, run, tempDir } from '../harness/proc.mjs';

const dir = tempDir('wl-words'), repo = path.join(dir, 'r'), FILE = 'kernel/sched/fair.c';
const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent', GIT_AUTHOR_NAME: 'Ada Example',
	GIT_AUTHOR_EMAIL: 'ada@example.org', GIT_COMMITTER_NAME: 'Ada Example', GIT_COMMITTER_EMAIL: 'ada@example.org' };
const git = (...args) => execFileSync('git', ['-C', repo, ...args], { env, encoding: 'utf8', stdio: 'pipe' });
const cli = (args, options = {}) => run(path.join(BIN, 'wakelist'), args, { codes: [0, 1, 2, 3], timeoutMs: 60000, ...options });
const LONG = 'a_call_with_a_name_that_alone_is_as_long_as_a_quote_can_be_here(cpu, group, ';
const text = `int a;\nint b;\n\t${LONG}power_state,\n\t\t\tlast);\nint c;\nint d;\nint e;\n`;

function commit(name, body, title) {
	fs.mkdirSync(path.dirname(path.join(repo, name)), { recursive: true });
	fs.writeFileSync(path.join(repo, name), body);
	git('add', '-A');
	git('commit', '-q', '-m', title);
}

// The change as a mail; the branch is where it was.
function mailOf(name, body, title, ...options) {
	commit(name, body, title);
	const mail = git('format-patch', '--stdout', '-1', ...options);

	git('reset', '-q', '--hard', 'HEAD^');
	return mail;
}
async function apply(input, ...args) {
	const { out, err, code } = await cli(['apply', '--repo', repo, '--dry-run', ...args, '-'], { input });

	return { err, code, ...(out && JSON.parse(out)) };
}

before(() => {
	fs.mkdirSync(repo);
	git('init', '-q', '-b', 'main');
	commit(FILE, text, 'start');
	commit('crlf.txt', text.replaceAll('\n', '\r\n'), 'a file with CR LF');
});

test('lines that differ where a quote ends are told apart', async () => {
	const mail = mailOf(FILE, text.replace('int c', 'long c'), 'sched: Change c');
	const t = await apply(mail.replace('power_state,', 'power_state)'));

	assert.equal(t.code, 1);
	assert.match(t.error, /expects "\.\.\.[^"]*power_state\)" near line 3; the base has "\.\.\.[^"]*power_state," at 3/);
	assert.doesNotMatch(t.error, /white space/);
	// and white space is named where it is that
	assert.match((await apply(mail.replace(`\t${LONG}`, `        ${LONG}`))).patches[0].files[0].hunks[0].error, /\(white space differs\)$/);
});

test('a repair that is proved names its option, where there is one', async () => {
	const mail = mailOf(FILE, text.replace('int c', 'long c'), 'sched: Change c', '--abbrev=40').replaceAll(/^([ +-].*)\t\t\t/gm, '$1                        ');

	assert.match((await apply(mail)).error, /a repair is proved, but was not asked for: --mend does it$/);
	assert.equal((await apply(mail, '--mend')).result, 'applied');
	const touched = JSON.parse((await cli(['touch', '--repo', repo, '-'], { input: mail })).out);

	assert.match(touched.error, /a repair is proved, but was not asked for$/);
});

test('CR LF line ends of a file are named', async () => {
	const mail = mailOf('crlf.txt', text.replace('int c', 'long c').replaceAll('\n', '\r\n'), 'sched: Change c');
	const t = await apply(mail);

	assert.equal(t.result, 'conflict');
	assert.match(t.error, /expects "int b;" near line 2; the base has "int b;" at 2 \(with CR LF as its line end\)/);
	assert.match(t.error, /; the base's crlf\.txt has CR LF line ends: CRs at the line ends of a mail are taken for those of its transport, as git am does without --keep-cr$/);
	// white space that is more than CRs is not said to be these
	assert.doesNotMatch((await apply(mail.replaceAll('int b', 'int  b'))).error, /keep-cr/);
});

test('HEAD without a commit, and a base that is unknown, are the same in apply and touch', async () => {
	const mail = mailOf(FILE, text.replace('int c', 'long c'), 'sched: Change c'), empty = path.join(dir, 'empty');
	const both = args => Promise.all([cli(['apply', ...args, '-'], { input: mail }), cli(['touch', ...args, '-'], { input: mail })]);

	execFileSync('git', ['init', '-q', empty], { env });
	for (const [args, words] of [[['--repo', empty], 'no base: HEAD has no commit yet'],
		[['--repo', repo, '--base', 'nosuch'], 'no base: asked for: unknown commit nosuch']]) {
		for (const { out, err, code } of await both(args)) {
			const t = JSON.parse(out);

			assert.deepEqual([t.result, t.error, t.base, t.tree, code, err], ['no_base', words, null, null, 1, '']);
		}
	}
	assert.deepEqual(JSON.parse((await both(['--repo', repo, '--base', 'nosuch']))[1].out).files.map(f => f.path), [FILE]);
	assert.match((await apply(mail.replaceAll(/^index .*\n/gm, ''))).base.why, /^HEAD\b/);
	assert.match((await apply(mail, '--tree', 'nosuch')).err, /^wakelist: --tree: .*nosuch/);
});

test('patches without numbers: how they get them', async () => {
	commit(FILE, `${text}1\n`, 'sched: One');
	commit(FILE, `${text}1\n2\n`, 'sched: Two');
	const plain = await apply(git('format-patch', '-N', '--stdout', '-2'));
	const numbered = git('format-patch', '-n', '--stdout', '-2');
	const one = await apply(numbered + mailOf(FILE, text, 'sched: Three', '-n', '--subject-prefix=PATCH v2'));

	git('reset', '-q', '--hard', 'HEAD~2');
	assert.equal(plain.code, 2);
	assert.match(plain.err, /the mails hold 2 series; give one of them:\n {2}.*\n {2}.*\n {2}\(the patches of one series have numbers: git format-patch -n writes them\)\n$/);
	assert.equal((await apply(numbered)).result, 'applied');
	assert.doesNotMatch(one.err, /format-patch/);
});

test('what the base has is already there, hunk by hunk', async () => {
	const mail = mailOf(FILE, text.replace('int c', 'long c'), 'sched: Change c', '--abbrev=40');

	commit(FILE, text.replace('int c', 'long c').replace('int b', 'long b'), 'both');
	const merged = await apply(mail, '--base', 'main');

	assert.deepEqual([merged.result, merged.patches[0].result], ['already', 'already']);
	assert.deepEqual(merged.patches[0].files[0].hunks.map(h => [h.result, h.error]), [['already', null]]);
	assert.equal((await apply(mail, '--base', 'main', '--no-3way')).result, 'conflict');
	git('reset', '-q', '--hard', 'HEAD^');
	const text0 = await apply('From: Ada <ada@example.org>\nSubject: [PATCH] sched: Nothing\n\nText.\n');

	assert.deepEqual([text0.code, text0.result, text0.error], [1, 'conflict', 'the mail holds no diff']);
});

test('a table of aspects that cannot be read names its file', async () => {
	const bad = path.join(dir, 'bad.table'), mail = mailOf(FILE, text.replace('int c', 'long c'), 'sched: Change c');

	fs.writeFileSync(bad, 'nonsense here\n');
	const { err, code } = await cli(['touch', '--repo', repo, '--aspects', bad, '-'], { input: mail });

	assert.ok(err.startsWith(`wakelist: ${bad}: `), err);
	assert.equal(code, 1);
});

test('numbers are printed as they were read', async () => {
	const table = 'From: Ada <ada@example.org>\nSubject: x\n\nhackbench (seconds)    base    patched\n1 group    0.98    0.071 (-92.76%)\n';
	const { out } = await cli(['mail', 'claims', '-'], { input: table });

	assert.match(out, /"base":0\.98,/);
	assert.match(out, /"patched":0\.071,/);
	assert.doesNotMatch(out, /\d{16}/);
});

test('log check answers under the name that was called', async () => {
	const log = path.join(dir, 'log');

	fs.writeFileSync(log, '[    0.000000] Linux version 6.1\n[    1.000000] Kernel panic - not syncing: x\n');
	const { out, code } = await cli(['log', 'check', log]);

	assert.equal(code, 0);
	assert.equal(JSON.parse(out).events[0].kind, 'panic');
	for (const [args, want, words] of [[['check', '/nonexistent/log'], 3, /^wakelist: \/nonexistent\/log: No such file/],
		[['check', dir], 3, new RegExp(`^wakelist: ${dir}: Is a directory`)], [['check'], 2, /^wakelist: log check takes one file/],
		[['chekc', log], 2, /^wakelist: no log command "chekc"; did you mean check\?/], [[], 2, /^wakelist: usage: wakelist log check/]]) {
		const got = await cli(['log', ...args]);

		assert.equal(got.code, want, args.join(' '));
		assert.match(got.err, words);
	}
	assert.match((await cli(['log', 'check', '--help'])).out, /^usage: wakelist log check FILE\|-\n/);
});

test('an unknown verb is no series', async () => {
	const { err, code } = await cli(['series', 'foo']);

	assert.deepEqual([err, code], ['wakelist: no series command "foo"\n', 2]);
	assert.match((await cli(['--help'])).out, /^ {2}mail .*tables of results$/m);
});
