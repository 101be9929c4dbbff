// SPDX-License-Identifier: GPL-2.0-or-later
// Git trees: fetched by URL and on a period, series on the commits that they were made for, and what a person
// reads when there is none. The remote is a repository of a hundred commits and two branches.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after } from 'node:test';

import { GitHttp } from '../harness/index.mjs';
import { cluster, epoch, sh, until, withChain } from './chain-lib.mjs';
import { addTree, app, APPLIED, CORE, ENV, FAIR, fetchTree, Remote, treeIs } from './git-remote.mjs';

const pg = cluster();
after(pg.stop);

const N_COMMITS = 120; // more than are compared one by one: the index must answer

const blob = (chain, sha) => fs.readFileSync(path.join(chain.data, 'blobs', sha.slice(0, 2), sha.slice(2, 4), sha));

test('a series goes to the commit that it was made for', withChain(pg, { test_database: 'yes', plan_profile: 'null' },
	async (chain, list) => {
		const remote = new Remote(chain.dir, N_COMMITS), old = remote.rev('main~100'), older = remote.rev('main~110');
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
	const remote = new Remote(chain.dir, N_COMMITS), first = remote.rev('main');

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
	const remote = new Remote(chain.dir, N_COMMITS), http = await GitHttp.start(path.dirname(remote.bare));
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
