// SPDX-License-Identifier: GPL-2.0-or-later
// wakelist touch on a small repository: mails and diffs in, JSON out, nothing written.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';

import { BIN, hasCtags, run, tempDir } from '../harness/proc.mjs';

const repo = tempDir('wl-touch');
const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent', GIT_AUTHOR_NAME: 'Ada Example',
	GIT_AUTHOR_EMAIL: 'ada@example.org', GIT_COMMITTER_NAME: 'Ada Example', GIT_COMMITTER_EMAIL: 'ada@example.org' };
const git = (...args) => execFileSync('git', ['-C', repo, ...args], { env, encoding: 'utf8' });
const FAIR = 'kernel/sched/fair.c';
const fair = `static int
select_idle_cpu(int target)
{
	return target;
}

/* where to wake */
int wake_wide(int p)
{
	int a = p;
	int b = p;

	return a + b;
}
`;

const write = (name, text) => {
	fs.mkdirSync(path.dirname(path.join(repo, name)), { recursive: true });
	fs.writeFileSync(path.join(repo, name), text);
};

// What the change makes of the base, as a mail; the work tree is as before.
const mailOf = (title, change) => {
	change();
	git('add', '-A');
	git('commit', '-q', '-m', title);
	const mail = git('format-patch', '--stdout', '-1');
	git('reset', '-q', '--hard', 'HEAD^');
	return mail;
};

const touch = async (input, { codes = [0], args = ['--base', 'HEAD'] } = {}) => {
	const { out } = await run(path.join(BIN, 'wakelist'), ['touch', '--repo', repo, ...args, '-'], { input, codes });

	return JSON.parse(out);
};
const ids = t => t.aspects.map(a => a.id);

before(() => {
	git('init', '-q', '-b', 'master');
	write(FAIR, fair);
	write('kernel/sched/features.h', 'SCHED_FEAT(TTWU_QUEUE, true)\n');
	write('init/Kconfig', 'config SCHED_MC\n\tbool "x"\n');
	write('Documentation/scheduler/a.rst', 'text\n');
	git('add', '-A');
	git('commit', '-q', '-m', 'base');
});

test('functions, aspects and why', { skip: !hasCtags() && 'no Universal Ctags with a sandbox here' }, async () => {
	const t = await touch(mailOf('sched/fair: two functions', () => {
		write(FAIR, fair.replace('return target', 'return sched_feat(SIS_UTIL) ? target : -1')
			.replace('int wake_wide', 'int wake_wider'));
		write('kernel/sched/features.h', 'SCHED_FEAT(TTWU_QUEUE, false)\n');
		write('init/Kconfig', 'config SCHED_MC\n\tbool "y"\n');
	}));

	assert.equal(t.v, 1);
	assert.equal(t.result, 'applied');
	assert.deepEqual(t.notes, []);
	assert.deepEqual(t.functions, [
		{ path: FAIR, name: 'select_idle_cpu', kind: 'function', change: 'changed', other: null, added: 1, removed: 1 },
		{ path: FAIR, name: 'wake_wider', kind: 'function', change: 'renamed', other: 'wake_wide', added: 1, removed: 0 },
		{ path: FAIR, name: 'wake_wide', kind: 'function', change: 'renamed', other: 'wake_wider', added: 0, removed: 1 },
	]);
	assert.deepEqual(ids(t), ['wake_path', 'wakelist_ipi', 'idle_scan', 'features', 'fair_class']);
	assert.deepEqual(t.aspects[2].why,
		[{ path: FAIR, line: 4, function: 'select_idle_cpu', side: 'patched', lines: 1 }]);
	assert.deepEqual(t.configs, ['CONFIG_SCHED_MC']);
	assert.deepEqual(t.features, ['SIS_UTIL', 'TTWU_QUEUE']);
});

test('a hunk that moved is judged where it went', { skip: !hasCtags() && 'no Universal Ctags with a sandbox here' }, async () => {
	const mail = mailOf('sched/fair: less', () => write(FAIR, fair.replace('return a + b', 'return a')));

	write(FAIR, `int first(void)\n{\n\treturn 0;\n}\n\n${fair}`);
	git('commit', '-q', '-a', '-m', 'moved');
	try {
		const t = await touch(mail);

		assert.deepEqual(ids(t), ['wake_path']);
		assert.equal(t.aspects[0].why[0].line, 18);
	} finally {
		git('reset', '-q', '--hard', 'HEAD^');
	}
});

test('documentation only', async () => {
	const t = await touch(mailOf('docs', () => write('Documentation/scheduler/a.rst', 'other text\n')));

	assert.deepEqual(ids(t), ['docs']);
	assert.deepEqual(t.functions, []);
});

test('a diff without a mail, and nothing is written', async () => {
	write(FAIR, fair.replace('return target', 'return -1'));
	const diff = git('diff');

	git('checkout', '-q', '.');
	const before = git('count-objects');
	const t = await touch(diff);

	assert.deepEqual(ids(t), ['idle_scan']);
	assert.equal(git('count-objects'), before);
	assert.equal(git('status', '--porcelain'), '');
});

test('a mail without From is taken, and that is said', async () => {
	const whole = mailOf('sched: doc', () => write('Documentation/scheduler/sched.rst', 'words\nmore\n'));
	const lines = whole.split('\n');
	const t = await touch(lines.filter(l => !l.startsWith('From: ')).slice(1).join('\n'));

	assert.equal(t.result, 'applied');
	assert.ok(t.notes.some(n => n.code === 'no_author'), JSON.stringify(t.notes));
	assert.ok(!(await touch(whole)).notes.some(n => n.code === 'no_author'));
});

test('one that does not apply is judged by its text', async () => {
	const mail = mailOf('sched/fair: scan less', () => write(FAIR, fair.replace('return target', 'return -1')));
	const edited = mail.replaceAll('return target', 'return other');
	const t = await touch(edited.replace(/^index .*\n/m, ''), { codes: [1] });

	assert.equal((await touch(edited, { codes: [1] })).result, 'rejected'); // its own blobs say that it was edited
	assert.equal(t.result, 'conflict');
	assert.match(t.error, /kernel\/sched\/fair\.c: hunk 1/);
	assert.deepEqual(ids(t), ['idle_scan']);
	assert.deepEqual(t.notes.map(n => n.code), ['no_spans']);
});

test('a scanner that is not there is said', async () => {
	const tools = tempDir('wl-no-ctags');
	const mail = mailOf('sched/fair: scan less', () => write(FAIR, fair.replace('return target', 'return -1')));
	const { out } = await run(path.join(BIN, 'wakelist'), ['touch', '--repo', repo, '--base', 'HEAD', '-'],
		{ input: mail, env: { ...process.env, PATH: tools } });
	const t = JSON.parse(out);

	assert.deepEqual(ids(t), ['idle_scan']);
	assert.deepEqual(t.notes.map(n => n.code), ['no_spans', 'ctags']);
});

test('a table of one\'s own', async () => {
	const table = path.join(tempDir('wl-table'), 'aspects');
	const mail = mailOf('sched/fair: scan less', () => write(FAIR, fair.replace('return target', 'return -1')));

	fs.writeFileSync(table, 'function kernel/* select_idle_* pelt\n');
	assert.deepEqual(ids(await touch(mail, { args: ['--aspects', table] })), ['pelt']);
	fs.writeFileSync(table, 'function kernel/* select_idle_* nonsense\n');
	await run(path.join(BIN, 'wakelist'), ['touch', '--repo', repo, '--aspects', table, '-'], { input: mail, codes: [1] });
});

test('called wrongly', async () => {
	const wakelist = (args, codes) => run(path.join(BIN, 'wakelist'), ['touch', ...args], { codes, input: '' });

	assert.match((await wakelist(['--help'], [0])).out, /^usage: wakelist touch/);
	assert.match((await wakelist(['-'], [2])).err, /needs --repo/);
	assert.match((await wakelist(['--repo', repo], [2])).err, /at least one/);
	assert.match((await wakelist(['--repo', repo, '--nonsense', 'x', '-'], [2])).err, /no option --nonsense/);
	await wakelist(['--repo', '/nonexistent', '-'], [1, 3]);
});
