// SPDX-License-Identifier: GPL-2.0-or-later
// Git trees: fetched by URL and on a period, series on the commits that they were made for, and what a person
// reads when there is none. The remote is a repository of a hundred commits and two branches.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after } from 'node:test';

import { GitHttp } from '../harness/index.mjs';
import { author, cluster, epoch, mail, sh, until, withChain } from './chain-lib.mjs';

const pg = cluster();
after(pg.stop);

const ENV = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null',
	GIT_AUTHOR_NAME: 'Dev', GIT_AUTHOR_EMAIL: 'dev@example.org', GIT_COMMITTER_NAME: 'Dev',
	GIT_COMMITTER_EMAIL: 'dev@example.org' };
const FAIR = 'kernel/sched/fair.c', CORE = 'kernel/sched/core.c';
const N_COMMITS = 120; // more than are compared one by one: the index must answer
let day = 0;

// A kernel's history as developers push it: each commit changes one line of fair.c.
class Remote {
	constructor(dir) {
		this.bare = path.join(dir, 'remote/linux.git');
		this.work = path.join(dir, 'work');
		sh(['git', 'init', '-q', '--bare', '--template=', '--initial-branch=main', this.bare], { env: ENV });
		sh(['git', 'init', '-q', '--template=', '--initial-branch=main', this.work], { env: ENV });
		fs.mkdirSync(path.join(this.work, 'kernel/sched'), { recursive: true });
		this.write('Makefile', 'VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 0\nEXTRAVERSION = -rc3\n');
		this.write(FAIR, Array.from({ length: 200 }, (_, i) => `/* fair ${i + 1} */\n`).join(''));
		this.write(CORE, Array.from({ length: 60 }, (_, i) => `/* core ${i + 1} */\n`).join(''));
		this.commit('start');
		for (let i = 1; i < N_COMMITS; i++)
			this.line(FAIR, 1 + i % 60, `int step_${i};`).commit(`sched/fair: Step ${i}`);
		this.git('checkout', '-q', '-b', 'next', 'main~10');
		this.line(CORE, 10, 'int next;').commit('sched/core: Next');
		this.git('checkout', '-q', 'main');
		this.push('main', 'next');
	}

	git(...args) {
		const date = `${Math.floor(Date.now() / 1000) - 86400 * 90 + 600 * day} +0000`;

		return sh(['git', '-C', this.work, ...args], { env: { ...ENV, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date } }).trim();
	}

	write(file, text) {
		fs.writeFileSync(path.join(this.work, file), text);
	}

	line(file, n, text) {
		const lines = fs.readFileSync(path.join(this.work, file), 'utf8').split('\n');

		lines[n - 1] = text;
		this.write(file, lines.join('\n'));
		return this;
	}

	commit(title) {
		day++;
		this.git('add', '-A');
		this.git('commit', '-q', '-m', `${title}\n\nSigned-off-by: Dev <dev@example.org>`);
		return this.rev('HEAD');
	}

	rev(name) {
		return this.git('rev-parse', name);
	}

	push(...branches) {
		this.git('push', '-q', '-f', this.bare, ...branches);
	}

	// A mail with one change of a file made on top of a commit, as git format-patch writes its diff.
	patch({ id, subject, at, file = FAIR, n, text, note = '', index = true }) {
		const back = this.git('branch', '--show-current') || this.rev('HEAD');

		this.git('checkout', '-q', '--detach', at);
		this.line(file, n, text).commit(subject);
		let diff = this.git('show', '--format=', '--full-index', 'HEAD');
		this.git('checkout', '-q', back);
		if (!index)
			diff = diff.replace(/^index .*\n/m, '');
		return mail({ id, subject: `[PATCH] ${subject}`,
			body: `Because.\n\nSigned-off-by: ${author}\n---\n${diff}\n\n${note}-- \n2.39.5\n` });
	}
}

const treeIs = (chain, name, ok) => until(`the tree ${name}`, () => {
	const { t } = chain.one(`SELECT api_tree(t) AS t FROM tree t WHERE name = '${name}'`);

	return ok(t) && t;
});
const addTree = (chain, name, url, branches = []) => chain.exec(`SELECT api_tree_create('${name}', 'git', '${url}', NULL,
	ARRAY[${branches.map(b => `'${b}'`).join(',')}]::text[], 3600000)`);
const fetchTree = async (chain, name) => {
	const jobs = () => Number(chain.exec(`SELECT count(*) FROM job_fence f JOIN job j ON j.id = f.job_id
		WHERE j.payload->>'op' = 'fetch' AND f.ended_at IS NOT NULL`));
	const before = jobs();

	chain.exec(`SELECT api_tree_fetch('${name}')`);
	await until('the fetch', () => jobs() > before);
};
const app = (chain, title) => chain.one(`SELECT a.* FROM application a JOIN series s ON s.id = a.series_id
	WHERE s.title = '${title}' ORDER BY a.id DESC LIMIT 1`);
const APPLIED = ['applied', 'planned', 'running', 'analysed', 'answered'];
const blob = (chain, sha) => fs.readFileSync(path.join(chain.data, 'blobs', sha.slice(0, 2), sha.slice(2, 4), sha));

test('a series goes to the commit that it was made for', withChain(pg, { test_database: 'yes', plan_profile: 'null' },
	async (chain, list) => {
		const remote = new Remote(chain.dir), old = remote.rev('main~100'), older = remote.rev('main~110');
		const http = await GitHttp.start(path.dirname(remote.bare));

		try {
			epoch(list, [
				remote.patch({ id: 'blobs@x', subject: 'sched: By blobs', at: old, n: 150, text: 'int blobs;' }),
				remote.patch({ id: 'next@x', subject: 'sched: On next', at: 'next', file: CORE, n: 30, text: 'int on_next;' }),
				remote.patch({ id: 'trailer@x', subject: 'sched: By trailer', at: older, n: 150, text: 'int trailer;',
					index: false, note: `base-commit: ${older}\n` }),
			]);
			addTree(chain, 'linux', `${http.url}/linux.git`, ['main', 'next']);
			chain.list('sched', list);
			await chain.worker();
			const t = await treeIs(chain, 'linux', x => x.state !== 'importing');

			assert.deepEqual([t.state, t.why, t.label, t.commit, t.failures], ['ready', '', '6.12.0-rc3', remote.rev('main'), 0]);
			assert.deepEqual(t.branches.map(b => [b.name, b.commit, b.behind]),
				[['main', remote.rev('main'), 0], ['next', remote.rev('next'), 0]]);
			assert.equal(fs.readdirSync(`${chain.data}/trees/linux.git/wakelist`).filter(f => f.endsWith('.blobs')).length, 2);
			for (const title of ['sched: By blobs', 'sched: On next', 'sched: By trailer'])
				await chain.state(title, APPLIED);
			const blobs = app(chain, 'sched: By blobs'), trailer = app(chain, 'sched: By trailer');

			assert.deepEqual([blobs.base_commit, blobs.detail.base.how], [old, 'blobs']);
			assert.equal(blobs.why, `applies to linux/main (6.12.0-rc3, ${old.slice(0, 12)})`);
			assert.deepEqual([app(chain, 'sched: On next').base_commit, app(chain, 'sched: On next').detail.base.tree],
				[remote.rev('next'), 'linux/next']);
			assert.deepEqual([trailer.base_commit, trailer.detail.base.how], [older, 'base-commit']);
			assert.equal(trailer.detail.attempts.length, 1);

			// the next version names no file that is known: it starts where the one before did
			epoch(list, [remote.patch({ id: 'blobs2@x', subject: 'sched: By blobs', at: old, n: 150, text: 'int better;',
				index: false }).replace('[PATCH]', '[PATCH v2]')]);
			chain.poll('sched');
			await chain.state('sched: By blobs', APPLIED, '2');
			const again = chain.one(`SELECT a.* FROM application a JOIN series s ON s.id = a.series_id
				WHERE s.title = 'sched: By blobs' AND s.version = '2'`);

			assert.deepEqual([again.base_commit, again.detail.base.how], [old, 'previous']);

			// what a runner gets: the base without its history, and the patches; made once for each base
			await chain.idle();
			const bases = chain.rows('SELECT * FROM tree_base'), copy = path.join(chain.dir, 'copy.git');

			assert.deepEqual(bases.map(b => b.commit_id).sort(), [old, older, remote.rev('next')].sort());
			sh(['git', 'init', '-q', '--bare', copy], { env: ENV });
			fs.writeFileSync(path.join(copy, 'shallow'), `${old}\n`);
			for (const sha of [bases.find(b => b.commit_id === old).pack, blobs.patch_pack])
				sh(['git', `--git-dir=${copy}`, 'index-pack', '--stdin'], { env: ENV, encoding: 'buffer', input: blob(chain, sha) });
			assert.match(sh(['git', `--git-dir=${copy}`, 'show', `${blobs.patched_commit}:${FAIR}`], { env: ENV }), /^int blobs;$/m);
			assert.equal(sh(['git', `--git-dir=${copy}`, 'log', '--format=%H', blobs.patched_commit], { env: ENV }).trim(),
				`${blobs.patched_commit}\n${old}`);
			assert.equal(sh(['git', `--git-dir=${copy}`, 'fsck', '--strict', '--no-dangling'], { env: ENV }).trim(), '');
			assert.equal(chain.exec("SELECT count(*) FROM series WHERE state IN ('failed', 'refused')"), '0');
		} finally {
			await http.stop();
		}
	}));

test('a base that is not there yet is waited for; a forced push loses nothing', withChain(pg, {}, async (chain, list) => {
	const remote = new Remote(chain.dir), first = remote.rev('main');

	// made on top of a commit that nobody has pushed
	remote.git('checkout', '-q', '-b', 'later', 'main');
	const base = remote.line(FAIR, 150, 'int not_there_yet;').commit('sched/fair: Not there yet');
	epoch(list, [remote.patch({ id: 'early@x', subject: 'sched: Early', at: base, n: 151, text: 'int early;' }),
		remote.patch({ id: 'old@x', subject: 'sched: Old', at: first, n: 180, text: 'int old;' })]);
	addTree(chain, 'linux', `file://${remote.bare}`);
	chain.list('sched', list);
	await chain.worker();
	await chain.state('sched: Old', APPLIED);
	const early = await until('the wait', () => {
		const s = chain.series('sched: Early');

		return s && /tried again when linux has new commits, until 20/.test(s.why) && s;
	});

	assert.equal(early.state, 'complete');
	assert.match(early.why, /^no commit of linux is as this was made for: kernel\/sched\/fair\.c: hunk 1 of 1 expects/);
	assert.equal(app(chain, 'sched: Early').result, 'no_base');
	assert.ok(app(chain, 'sched: Early').detail.attempts.length > 0);
	// a fetch that brings nothing changes nothing
	await fetchTree(chain, 'linux');
	assert.equal(chain.exec('SELECT wanted, again_at IS NULL FROM base_wait'), 'f|t');
	// pushed, fetched, applied
	remote.git('checkout', '-q', 'main');
	remote.git('merge', '-q', '--ff-only', 'later');
	remote.push('main');
	await fetchTree(chain, 'linux');
	await chain.state('sched: Early', APPLIED);
	assert.equal(app(chain, 'sched: Early').base_commit, base);
	assert.equal(chain.exec('SELECT count(*) FROM base_wait'), '0');
	// at most once in six hours, for three days
	await chain.idle();
	remote.git('checkout', '-q', '--detach', 'main');
	const never = remote.line(FAIR, 100, 'int never;').commit('sched/fair: Never pushed');
	epoch(list, [remote.patch({ id: 'lost@x', subject: 'sched: Lost', at: never, n: 101, text: 'int lost;' })]);
	remote.git('checkout', '-q', 'main');
	chain.poll('sched');
	await until('the second wait', () => chain.exec('SELECT count(*) FROM base_wait') === '1');
	const tries = () => chain.exec("SELECT count(*) FROM job_fence f JOIN job j ON j.id = f.job_id JOIN series s ON s.id = j.series_id WHERE s.title = 'sched: Lost' AND j.kind = 'apply'");

	for (const [n, want] of [[1, '2'], [2, '2']]) {
		remote.line(CORE, 40 + n, `int more_${n};`).commit(`sched/core: More ${n}`);
		remote.push('main');
		await fetchTree(chain, 'linux');
		await chain.idle();
		assert.equal(tries(), want);
	}
	chain.exec("UPDATE base_wait SET again_at = again_at - interval '6 hours'; SELECT chain_tick()");
	await chain.idle();
	assert.equal(tries(), '3');
	chain.exec("UPDATE base_wait SET since = since - interval '3 days'; SELECT chain_tick()");
	await chain.state('sched: Lost', ['refused', 'answered']);
	assert.match(app(chain, 'sched: Lost').why, /^no commit of linux is as this was made for: /);

	// a forced push: the branch is there as it is now, the base of the old series stays
	remote.git('reset', '-q', '--hard', 'main~20');
	const forced = remote.line(CORE, 5, 'int forced;').commit('sched/core: Forced');
	remote.push('main');
	await fetchTree(chain, 'linux');
	const t = await treeIs(chain, 'linux', x => x.commit === forced);

	assert.deepEqual([t.state, t.why, t.branches[0].behind], ['ready', '', 0]);
	const git = (...args) => sh(['git', `--git-dir=${chain.data}/trees/linux.git`, '-c', 'safe.directory=*', ...args], { env: ENV }).trim();

	assert.equal(git('rev-parse', 'main'), forced);
	assert.equal(git('cat-file', '-t', app(chain, 'sched: Early').base_commit), 'commit');
	epoch(list, [remote.patch({ id: 'forced@x', subject: 'sched: On forced', at: 'main', file: CORE, n: 50, text: 'int f;' })]);
	chain.poll('sched');
	await chain.state('sched: On forced', APPLIED);
	assert.equal(app(chain, 'sched: On forced').base_commit, forced);
}));

test('what cannot be fetched is said, and tried again later', withChain(pg, {}, async (chain) => {
	const remote = new Remote(chain.dir), http = await GitHttp.start(path.dirname(remote.bare));
	const notKernel = path.join(chain.dir, 'other.git');

	sh(['git', 'init', '-q', '--bare', '--template=', '--initial-branch=main', notKernel], { env: ENV });
	sh(['git', `--git-dir=${notKernel}`, 'fast-import', '--quiet'], { env: ENV,
		input: 'commit refs/heads/main\ncommitter a <a@x> 1 +0000\ndata 1\nm\nM 100644 inline f\ndata 1\nx\n' });
	addTree(chain, 'away', 'http://127.0.0.1:9/linux.git');
	addTree(chain, 'gone', path.join(chain.dir, 'none.git'));
	addTree(chain, 'branchless', `${http.url}/linux.git`, ['no-such']);
	addTree(chain, 'other', notKernel);
	addTree(chain, 'flaky', `${http.url}/linux.git`);
	await chain.worker();
	const failed = async name => {
		const t = await treeIs(chain, name, x => x.state !== 'importing');

		assert.equal(t.state, 'failed');
		assert.equal(t.failures, 1);
		return t.why;
	};

	assert.match(await failed('away'), /^fetching http:\/\/127\.0\.0\.1:9\/linux\.git: .*connect/i);
	assert.match(await failed('gone'), /none\.git: No such file or directory/);
	assert.match(await failed('branchless'), /has no branch no-such$/);
	assert.match(await failed('other'), /^branch main: this is no kernel tree: /);
	assert.equal((await treeIs(chain, 'flaky', x => x.state !== 'importing')).state, 'ready');
	// what was fetched stays in use; failures are counted, and asked again after 1, 2, 4 minutes
	http.down = true;
	for (const n of [1, 2]) {
		chain.exec("UPDATE tree SET next_fetch_at = now() WHERE name = 'flaky'; SELECT chain_tick()");
		const t = await treeIs(chain, 'flaky', x => x.failures === n);

		assert.equal(t.state, 'ready');
		assert.equal(t.commit, remote.rev('main'));
		assert.match(t.why, /^fetching http:.*503/);
		assert.equal(chain.exec(`SELECT next_fetch_at - now() BETWEEN interval '${n * 60 - 20} s' AND interval '${n} min'
			FROM tree WHERE name = 'flaky'`), 't');
	}
	http.down = false;
	chain.exec("UPDATE tree SET next_fetch_at = now() WHERE name = 'flaky'; SELECT chain_tick()");
	const back = await treeIs(chain, 'flaky', x => x.failures === 0);

	assert.deepEqual([back.state, back.why], ['ready', '']);
	// a first fetch that failed is made good by the next
	sh(['git', 'clone', '-q', '--bare', '--template=', remote.bare, path.join(chain.dir, 'none.git')], { env: ENV });
	await fetchTree(chain, 'gone');
	assert.equal((await treeIs(chain, 'gone', x => x.state === 'ready')).label, '6.12.0-rc3');
	await http.stop();
}));
