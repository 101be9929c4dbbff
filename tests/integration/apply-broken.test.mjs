// SPDX-License-Identifier: GPL-2.0-or-later
// wakelist apply called wrongly, or on what cannot be read or written: one sentence that says what and where, the
// right exit code, and nothing half-written.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';

import { BIN, makeMail, run, tempDir } from '../harness/index.mjs';

const dir = tempDir('wl-broken'), repo = path.join(dir, 'r'), FAIR = 'kernel/sched/fair.c', mbox = path.join(dir, 'a.mbox');
const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent', GIT_AUTHOR_NAME: 'Ada Example',
	GIT_AUTHOR_EMAIL: 'ada@example.org', GIT_COMMITTER_NAME: 'Ada Example', GIT_COMMITTER_EMAIL: 'ada@example.org' };
const gitIn = (where, ...args) => execFileSync('git', ['-C', where, ...args], { env, encoding: 'utf8', stdio: 'pipe' }).trim();
const git = (...args) => gitIn(repo, ...args);
const apply = (args, options = {}) => run(path.join(BIN, 'wakelist'), ['apply', ...args],
	{ codes: [0, 1, 2, 3], timeoutMs: 60000, ...options });
// libgit2 1.5 forgets some memory where it reads extensions in a configuration
const NO_LEAKS = { env: { ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ''}:detect_leaks=0` } };
const lines = (first, last) => `${Array.from({ length: last - first + 1 }, (_, i) => first + i).join('\n')}\n`;
let copies = 0;

// A repository to break; not a hard link is shared with the first.
function copy(from = repo) {
	const to = path.join(dir, `copy${copies++}`);

	fs.cpSync(from, to, { recursive: true, preserveTimestamps: true });
	return to;
}

// Every file below, with its size and age.
function snapshot(where) {
	return fs.readdirSync(where, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap(entry => {
		const name = path.join(where, entry.name), st = fs.lstatSync(name, { bigint: true });

		return entry.isDirectory() ? snapshot(name) : [`${name} ${st.size} ${st.mtimeNs}`];
	});
}
const objects = where => snapshot(path.join(where, '.git/objects')).map(line => line.split(' ')[0]);
const mboxOf = mails => mails.map(mail => `From mboxrd@z Thu Jan  1 00:00:00 1970\n${mail}\n`).join('');
const looseFile = (where, id) => path.join(where, '.git/objects', id.slice(0, 2), id.slice(2));

async function refuses(args, code, words, options) {
	const got = await apply(args, options);

	assert.equal(got.code, code, `${args.join(' ')}: ${got.err}${got.out}`);
	assert.match(got.err, words);
	assert.equal(got.out, '', 'no JSON for 2 and 3');
	assert.equal(got.err.trim().split('\n').length, 1, got.err);
}

before(() => {
	fs.mkdirSync(path.join(repo, path.dirname(FAIR)), { recursive: true });
	git('init', '-q', '-b', 'main');
	fs.writeFileSync(path.join(repo, FAIR), lines(1, 60));
	for (let i = 1; i < 6; i++)
		fs.writeFileSync(path.join(repo, `f${i}`), lines(i, 90));
	git('add', '-A');
	git('commit', '-q', '-m', 'start');
	fs.writeFileSync(path.join(repo, FAIR), lines(1, 59));
	git('commit', '-q', '-a', '-m', 'second');
	git('checkout', '-q', '-b', 'topic');
	fs.writeFileSync(path.join(repo, FAIR), lines(1, 59).replace('\n30\n', '\nthirty\n'));
	git('commit', '-q', '-a', '-m', 'sched/fair: thirty');
	fs.writeFileSync(mbox, `${git('format-patch', '--stdout', '-1')}\n`);
	git('checkout', '-q', 'main');
});

test('called wrongly', async () => {
	const R = ['--repo', repo];

	for (const [args, words] of [
		[[mbox], /^wakelist: apply needs --repo DIR$/m],
		[R, /^wakelist: apply needs at least one mail$/m],
		[[...R, '--repo', repo, mbox], /^wakelist: apply: --repo is given twice$/m],
		[[...R, mbox, '--base'], /^wakelist: apply --base needs a value$/m],
		[[...R, '--base', '--dry-run', mbox], /^wakelist: apply --base needs a value$/m],
		[[...R, '--dry-run=1', mbox], /^wakelist: apply --dry-run takes no value$/m],
		[[...R, '--frob', mbox], /^wakelist: apply has no option --frob /m],
		[[...R, '-n', mbox], /^wakelist: apply has no option -n /m],
		[[...R, '--tree', 'mian', mbox], /^wakelist: --tree: no commit mian: .* in .*r$/m],
		[[...R, '--tree', `main:f1`, mbox], /^wakelist: --tree: no commit main:f1: /m],
		[[...R, '--link', 'https://a\nX-Evil: b', mbox], /^wakelist: --link takes the start of a URL, not /m],
		[[...R, '--committer', 'A\nB <a@b>', mbox], /^wakelist: --committer takes "Name <address>" in UTF-8, not /m],
		[[...R, '--committer', 'A <a@b> <c@d>', mbox], /^wakelist: --committer takes /m],
		[[...R, '--committer', '<a@b>', mbox], /^wakelist: --committer takes /m],
		[[...R, '--committer', ' . <a@b>', mbox], /^wakelist: --committer takes /m],
		[[...R, '--branch', 'a..b', mbox], /^wakelist: --branch: a\.\.b is no branch name$/m],
		[[...R, '--branch', git('rev-parse', 'HEAD'), mbox], /^wakelist: --branch: [0-9a-f]{40} is no branch name$/m],
		[[...R, '--branch', 'x', '--tree-only', mbox], /^wakelist: --branch needs commits/m],
	])
		await refuses(args, 2, words);
	// a byte that is no UTF-8 cannot be passed by node
	const latin = execFileSync('sh', ['-c', `"$1" apply --repo "$2" --committer "$(printf 'J\\366rg <a@b>')" "$3" 2>&1; echo $?`, 'sh',
		path.join(BIN, 'wakelist'), repo, mbox], { encoding: 'latin1' });

	assert.match(latin, /--committer takes "Name <address>" in UTF-8, not [^]*\n2\n$/);
	assert.equal((await apply([...R, '--dry-run', '--', mbox])).code, 0);
});

test('what cannot be read', async () => {
	const bad = copy();

	await refuses(['--repo', repo, repo], 3, /^wakelist: reading .*: Is a directory$/m);
	await refuses(['--repo', repo, path.join(dir, 'none')], 3, /^wakelist: .*none: No such file or directory$/m);
	await refuses(['--repo', path.join(dir, 'none'), mbox], 3, /^wakelist: cannot open repository .*none: No such file/m);
	await refuses(['--repo', mbox, mbox], 3, /^wakelist: cannot open repository .*a\.mbox: Not a directory$/m);
	await refuses(['--repo', path.join(repo, 'kernel'), mbox], 3, /^wakelist: cannot open repository .*kernel: could not find/m);
	gitIn(bad, 'config', 'core.repositoryFormatVersion', '1');
	gitIn(bad, 'config', 'extensions.worktreeConfig', 'true'); // as git sparse-checkout does
	assert.equal((await apply(['--repo', bad, '--dry-run', mbox], NO_LEAKS)).code, 0);
	gitIn(bad, 'config', 'extensions.unheardOf', 'true');
	await refuses(['--repo', bad, mbox], 3, /^wakelist: cannot open repository .*: unsupported extension/m, NO_LEAKS);
	execFileSync('git', ['init', '-q', '--object-format=sha256', path.join(dir, 'sha256')], { env });
	await refuses(['--repo', path.join(dir, 'sha256'), mbox], 3, /^wakelist: cannot open repository .*sha256: unsupported extension/m, NO_LEAKS);
	// touch, mail and submit read files in the same way
	for (const args of [['mail', 'parse', dir], ['mail', 'claims', dir], ['touch', '--repo', repo, dir]])
		assert.equal((await run(path.join(BIN, 'wakelist'), args, { codes: [3] })).code, 3, args.join(' '));
});

test('a mail that is refused is one JSON object', async () => {
	const text = fs.readFileSync(mbox, 'utf8'), diff = text.slice(text.indexOf('diff --git'));
	const circle = [['a', 'b'], ['b', 'c'], ['c', 'a']].map(([id, on]) => makeMail({ subject: `[PATCH] sched: ${id}`, id: `${id}@example.org`,
		body: `text\n\nSigned-off-by: A <a@example.org>\n---\n${diff}\nprerequisite-message-id: <${on}@example.org>\n` }));

	for (const [name, input, words] of [
		['empty', '', /^standard input: the mail is empty$/],
		['no From', `Subject: [PATCH] x\n\ntext\n---\n${diff}`, /: the mail has no usable From$/],
		['giant', `${text}${'x'.repeat(17 << 20)}`, /the mail is over 16 MiB$/],
		['circle', mboxOf(circle), /^the mails hold series that build on each other in a circle: <[abc]@example\.org> builds on <[abc]@example\.org>, which builds on <[abc]@example\.org>, which builds on <[abc]@example\.org>$/],
	]) {
		const { code, out, err } = await apply(['--repo', repo, '--json', '-'], { input });

		assert.equal(code, 1, `${name}: ${err}`);
		const answer = JSON.parse(out);

		assert.deepEqual([answer.v, answer.result, answer.base, answer.tree, answer.commits, answer.patches],
			[1, 'rejected', null, null, [], []], name);
		assert.match(answer.error, words);
	}
});

test('prerequisites that are too far away stand in the top sentence', async () => {
	const text = fs.readFileSync(mbox, 'utf8'), diff = text.slice(text.indexOf('diff --git')).replaceAll('30', 'no such line');
	const mails = mboxOf(Array.from({ length: 8 }, (_, i) => makeMail({ subject: `[PATCH] sched: ${i}`, id: `p${i}@example.org`,
		body: `text\n---\n${diff}\n${i < 7 ? `prerequisite-message-id: <p${i + 1}@example.org>\n` : ''}` })));
	const { code, out } = await apply(['--repo', repo, '--dry-run', '-'], { input: mails });

	assert.equal(code, 1);
	assert.match(JSON.parse(out).error, /; prerequisite message-id p6@example\.org is too many series away$/);
});

test('a damaged loose object is named with its file', async () => {
	for (const what of ['main', 'main^{tree}', 'main:kernel', `main:${FAIR}`]) {
		const id = git('rev-parse', what), size = fs.statSync(looseFile(repo, id)).size;

		for (const [how, change] of [
			['empty', file => fs.truncateSync(file, 0)],
			['cut short', file => fs.truncateSync(file, size >> 1)],
			['without its checksum', file => fs.truncateSync(file, size - 1)],
			['garbage', file => fs.writeFileSync(file, 'x'.repeat(size))],
			['absent', file => fs.unlinkSync(file)],
		]) {
			const bad = copy(), file = looseFile(bad, id);

			fs.chmodSync(file, 0o644);
			change(file);
			const was = snapshot(bad);

			for (const args of [[], ['--base', 'main'], ['--base', git('rev-parse', '--short', 'main')], ['--branch', 'x']]) {
				if (args[1]?.match(/^[0-9a-f]{7}/) && how === 'absent')
					continue;
				const { code, err } = await apply(['--repo', bad, '--index', '0', ...args, mbox]);

				assert.equal(code, 3, `${what} ${how} ${args.join(' ')}: ${err}`);
				assert.ok(err.startsWith('wakelist: the repository is damaged: object '), err);
				assert.ok(err.includes(how === 'absent' ? `${id} is not in ` : `${id} in ${file} cannot be read: `), err);
			}
			assert.deepEqual(snapshot(bad), was, 'nothing was written');
		}
	}
});

test('a damaged pack is named', async () => {
	const packed = copy();

	gitIn(packed, 'repack', '-qad');
	const [name] = fs.readdirSync(path.join(packed, '.git/objects/pack')).filter(file => file.endsWith('.pack'));
	const fileOf = where => path.join(where, '.git/objects/pack', name), indexOf = where => fileOf(where).replace(/pack$/, 'idx');
	const at = what => Number(gitIn(packed, 'verify-pack', '-v', indexOf(packed)).match(new RegExp(`^${git('rev-parse', what)} \\w+ +\\d+ \\d+ (\\d+)`, 'm'))[1]);
	const scribble = where => {
		const fd = fs.openSync(fileOf(where), 'r+');

		fs.writeSync(fd, Buffer.alloc(8, 0xff), 0, 8, at(`main:${FAIR}`) + 4);
		fs.closeSync(fd);
	};

	assert.equal((await apply(['--repo', packed, '--dry-run', mbox])).code, 0);
	for (const [how, change, words] of [
		['cut short', where => fs.truncateSync(fileOf(where), fs.statSync(fileOf(where)).size - 30), /\.pack is cut short/],
		['cut to nothing', where => fs.truncateSync(fileOf(where), 5), /\.pack is cut short/],
		['another', where => fs.writeFileSync(fileOf(where), Buffer.alloc(fs.statSync(fileOf(where)).size)), /\.pack does not begin as a pack does/],
		['no pack', where => fs.unlinkSync(fileOf(where)), /\.pack: No such file/],
		['index cut short', where => fs.truncateSync(indexOf(where), 500), /\.idx is cut short/],
		['no index', where => fs.unlinkSync(indexOf(where)), /object [0-9a-f]{40} is not in /],
		['inside', scribble, new RegExp(`object [0-9a-f]{40} in .*/${name} cannot be read: `)],
	]) {
		const bad = copy(packed);

		for (const file of [fileOf(bad), indexOf(bad)])
			fs.chmodSync(file, 0o644);
		change(bad);
		await refuses(['--repo', bad, '--base', 'main', mbox], 3, /^wakelist: the repository is damaged: /m);
		await refuses(['--repo', bad, '--branch', 'x', mbox], 3, words);
		if (how !== 'no index' && how !== 'inside')
			await refuses(['--repo', bad, '--base', git('rev-parse', 'main'), mbox], 3, words);
	}
});

test('clones that are not whole', async () => {
	const url = `file://${repo}`, to = name => path.join(dir, name);

	git('config', 'uploadpack.allowFilter', 'true');
	for (const [name, ...args] of [['partial', '--filter=blob:none'], ['shallow', '--depth', '1'], ['shared', '--shared']])
		execFileSync('git', ['clone', '-q', '--bare', ...args, name === 'shared' ? repo : url, to(name)], { env, stdio: 'pipe' });
	const blob = git('rev-parse', `main:${FAIR}`);

	await refuses(['--repo', to('partial'), mbox], 3, new RegExp(`object ${blob} is not here, as the repository is a partial clone; "git -C .* cat-file -e ${blob}" fetches it$`, 'm'), NO_LEAKS);
	gitIn(to('partial'), 'cat-file', '-e', blob);
	for (const name of ['partial', 'shallow', 'shared']) {
		const { code, err } = await apply(['--repo', to(name), '--branch', 'new', mbox], NO_LEAKS);

		assert.equal(code, 0, `${name}: ${err}`);
		assert.equal(gitIn(to(name), 'rev-parse', 'new^{tree}'), git('rev-parse', 'topic^{tree}'), name);
	}
	assert.equal((await apply(['--repo', to('shallow'), '--base', 'main~1', mbox])).code, 1);
	fs.writeFileSync(path.join(to('shared'), 'objects/info/alternates'), '/nonexistent/objects\n');
	await refuses(['--repo', to('shared'), '--base', 'main', mbox], 3, /borrows from is not there: \/nonexistent\/objects$/m);
	// an id is an id, even where a branch is called so
	const id = '0123456789'.repeat(4);

	git('update-ref', `refs/heads/${id}`, 'main');
	assert.match(JSON.parse((await apply(['--repo', repo, '--base', id, mbox])).out).error, /unknown commit 0123/);
	git('update-ref', '-d', `refs/heads/${id}`);
});

test('a branch that cannot be set leaves no object behind', async () => {
	const where = copy(), wt = path.join(dir, 'wt'), before_ = objects(where);

	for (const name of ['kept', 'a/b', 'out'])
		gitIn(where, 'branch', name, 'main');
	gitIn(where, 'pack-refs', '--all');
	gitIn(where, 'symbolic-ref', 'refs/heads/other', 'refs/heads/kept');
	gitIn(where, 'worktree', 'add', '-q', wt, 'out');
	fs.writeFileSync(path.join(where, '.git/refs/heads/locked.lock'), '');
	fs.writeFileSync(path.join(where, '.git/refs/heads/file'), `${gitIn(where, 'rev-parse', 'main')}\n`);
	// so that the commit is not there already
	const mail = fs.readFileSync(mbox, 'utf8').replace('thirty', 'thirty again').replace('+thirty', '+thirty again');

	for (const [branch, words] of [
		['main', /^wakelist: branch main is checked out/m],
		['out', /^wakelist: branch out is checked out/m],
		['a', /^wakelist: branch a cannot be made: branch a\/b is in the way$/m],
		['kept/x', /^wakelist: branch kept\/x cannot be made: branch kept is in the way$/m],
		['file/y', /^wakelist: branch file\/y cannot be made: branch file is in the way$/m],
		['other', /^wakelist: branch other is only another name of refs\/heads\/kept$/m],
		['locked', /^wakelist: branch locked is locked by another program: .*refs\/heads\/locked\.lock is there$/m],
	]) {
		await refuses(['--repo', where, '--index', '0', '--branch', branch, '-'], 3, words, { input: mail });
		assert.deepEqual(objects(where), before_, branch);
	}
	await refuses(['--repo', wt, '--branch', 'main', '-'], 3, /^wakelist: branch main is checked out/m, { input: mail });
	assert.equal((await apply(['--repo', where, '--branch', 'kept', '-'], { input: mail })).code, 0);
	assert.equal(gitIn(where, 'rev-parse', 'kept~1', 'other~1'), `${gitIn(where, 'rev-parse', 'main')}\n`.repeat(2).trim());
	assert.ok(!fs.existsSync(path.join(where, '.git/refs/heads/kept.lock')));
	gitIn(where, 'fsck', '--strict');
});

test('--dry-run touches nothing, and what is stored already becomes young', async () => {
	const where = copy(), old = new Date('2020-01-01'), result = looseFile(where, git('rev-parse', `topic:${FAIR}`));

	for (const file of objects(where))
		fs.utimesSync(file, old, old);
	const was = snapshot(path.join(where, '.git'));

	assert.equal((await apply(['--repo', where, '--dry-run', '--branch', 'new', mbox])).code, 0);
	assert.equal((await apply(['--repo', where, '--dry-run', '--tree-only', mbox])).code, 0);
	assert.deepEqual(snapshot(path.join(where, '.git')), was);
	assert.equal((await apply(['--repo', where, '--index', '0', mbox])).code, 0);
	assert.notEqual(fs.statSync(result).mtimeMs, old.getTime(), 'git gc spares it');
});

test('a line that is of no header, in the place of an index line, in what makes a file: stricter than git', async () => {
	const mail = makeMail({ subject: '[PATCH] x', id: 'dash@example.org',
		body: 'text\n---\ndiff --git a/n b/n\nnew file mode 100644\n---\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n-- \n2.1\n' });
	const where = copy(), { code, out } = await apply(['--repo', where, '--base', 'main', '--dry-run', '-'], { input: mail });

	assert.equal(code, 1);
	assert.match(JSON.parse(out).error, /^n: two diffs of this patch make it/);
	execFileSync('git', ['-C', where, 'am', '-q'], { env, input: mail, stdio: ['pipe', 'pipe', 'pipe'] });
	assert.equal(gitIn(where, 'show', 'HEAD:n'), 'n');
});
