// SPDX-License-Identifier: GPL-2.0-or-later
// Trees and applying: what is a kernel tree, where a patch goes, and what is said when it does not.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after } from 'node:test';
import { cluster, epoch, fairDiff, kernelTree, patch, sh, until, withChain } from './chain-lib.mjs';

const pg = cluster();
after(pg.stop);

const treeState = (chain, name) => until(`tree ${name}`, () => {
	const t = chain.one(`SELECT * FROM tree WHERE name = '${name}'`);
	return t.state !== 'importing' && t;
});

test('a folder and a tarball of it become the same commit; what is no kernel is refused',
	withChain(pg, {}, async (chain) => {
		const dir = kernelTree(path.join(chain.dir, 'linux-6.1'));
		fs.mkdirSync(path.join(dir, '.git'));
		fs.writeFileSync(path.join(dir, '.git/HEAD'), 'not part of it');
		fs.symlinkSync('core.c', path.join(dir, 'kernel/sched/link.c'));
		fs.writeFileSync(path.join(dir, '.gitignore'), '/*\n');
		const tar = path.join(chain.dir, 'linux.tar.xz');
		sh(['tar', '-C', chain.dir, '--exclude=.git', '-cJf', tar, 'linux-6.1']);
		const noMake = path.join(chain.dir, 'no-make');
		fs.mkdirSync(noMake);
		fs.writeFileSync(path.join(noMake, 'Makefile'), 'all:\n');
		const noSched = path.join(chain.dir, 'no-sched');
		fs.mkdirSync(noSched);
		fs.writeFileSync(path.join(noSched, 'Makefile'), 'VERSION = 6\nPATCHLEVEL = 1\n');
		fs.writeFileSync(path.join(chain.dir, 'broken.tar.xz'), fs.readFileSync(tar).subarray(0, 200));
		chain.tree('dir', dir);
		chain.tree('tar', tar, 'tarball');
		chain.tree('no-make', noMake);
		chain.tree('no-sched', noSched);
		chain.tree('gone', path.join(chain.dir, 'gone'));
		chain.tree('broken', path.join(chain.dir, 'broken.tar.xz'), 'tarball');
		await chain.worker();
		const a = await treeState(chain, 'dir'), b = await treeState(chain, 'tar');
		assert.deepEqual([a.state, a.why, a.label, Number(a.files)], ['ready', '', '6.1.192', 5]);
		assert.deepEqual([a.commit_id, a.tree_oid, a.base_pack], [b.commit_id, b.tree_oid, b.base_pack]);
		const git = (...args) => sh(['git', `--git-dir=${chain.data}/trees/dir.git`, '-c', 'safe.directory=*', ...args]).trim();
		assert.equal(git('rev-parse', 'main'), a.commit_id);
		assert.equal(git('ls-tree', '-r', '--name-only', 'main'),
			'.gitignore\nMakefile\nkernel/sched/core.c\nkernel/sched/fair.c\nkernel/sched/link.c');
		assert.equal(git('fsck', '--strict'), '');
		const pack = path.join(chain.data, 'blobs', a.base_pack.slice(0, 2), a.base_pack.slice(2, 4), a.base_pack);
		assert.equal(fs.readFileSync(pack).subarray(0, 4).toString(), 'PACK');
		assert.equal((await treeState(chain, 'no-make')).why,
			'this is no kernel tree: no Makefile with VERSION and PATCHLEVEL');
		assert.equal((await treeState(chain, 'no-sched')).why, 'this is no kernel tree: no kernel/sched/');
		assert.match((await treeState(chain, 'gone')).why, /gone: No such file or directory/);
		assert.match((await treeState(chain, 'broken')).why, /broken\.tar\.xz: /);
	}));

// The developer had another line 12 than the tree has, which keeps that version under another name.
const OLD = (dir) => fs.readFileSync(path.join(dir, 'kernel/sched/fair.c'), 'utf8').replace('/* line 12 */', '/* the twelfth */');
const mergeDiff = (dir) => {
	const oid = (text) => sh(['git', 'hash-object', '--stdin'], { input: text }).trim();
	const ids = `${oid(OLD(dir))}..${oid(OLD(dir).replace('/* line 9 */', 'int nine;'))}`;
	return '---\n kernel/sched/fair.c | 2 +-\n\ndiff --git a/kernel/sched/fair.c b/kernel/sched/fair.c\n'
		+ `index ${ids} 100644\n--- a/kernel/sched/fair.c\n+++ b/kernel/sched/fair.c\n@@ -6,7 +6,7 @@\n`
		+ ' /* line 6 */\n /* line 7 */\n /* line 8 */\n-/* line 9 */\n+int nine;\n /* line 10 */\n /* line 11 */\n'
		+ ' /* the twelfth */\n-- \n2.39.5\n';
};

test('applied at an offset on a branch, or refused with file, hunk and reason', withChain(pg, {}, async (chain, git) => {
	const linux = kernelTree(path.join(chain.dir, 'linux'));
	fs.writeFileSync(path.join(linux, 'kernel/sched/old.c'), OLD(linux));
	epoch(git, [
		patch({ id: 'merge@x', subject: '[PATCH] sched: Merge', diff: mergeDiff(linux) }),
		patch({ id: 'exact@x', subject: '[PATCH] sched: Exact', diff: fairDiff() }),
		patch({ id: 'off@x', subject: '[PATCH] sched: Off', diff: fairDiff({ off: 11 }) }),
		patch({ id: 'no@x', subject: '[PATCH] sched: No', diff: fairDiff({ before: 'int other;' }) }),
		patch({ id: 'evil@x', subject: '[PATCH] sched: Evil', diff: fairDiff().replaceAll('kernel/sched/fair.c',
			'kernel/sched/../../../etc/passwd') }),
		patch({ id: 's1@x', subject: '[PATCH 1/2] sched: Two', diff: fairDiff() }),
		patch({ id: 's2@x', subject: '[PATCH 2/2] sched: Two more', reply: 's1@x',
			diff: fairDiff({ before: 'int b;', after: 'int c;' }) }),
		patch({ id: 'robot@x', subject: '[PATCH] sched: Robot', headers: 'Auto-Submitted: auto-generated\n',
			diff: fairDiff({ before: 'int other;' }) }),
	]);
	chain.list('sched', git);
	await chain.worker();
	// the mails are there first, the tree comes later
	await chain.state('sched: Two', 'complete');
	assert.match(chain.series('sched: Two').why, /waits for a kernel tree/);
	chain.tree('linux', linux);
	const applied = ['applied', 'planned', 'running', 'analysed', 'answered'];
	await chain.state('sched: Exact', applied);
	await chain.state('sched: Off', applied);
	await chain.state('sched: Merge', applied);
	await chain.state('sched: Two', applied);
	await chain.state('sched: No', ['refused', 'answered']);
	await chain.state('sched: Evil', ['refused', 'answered']);
	// what a program sent is judged when a person asks, and nobody is answered
	await chain.state('sched: Robot', 'opted_out');
	chain.submit('robot@x');
	assert.equal((await chain.state('sched: Robot', 'unanswered')).why, 'robots are not answered');
	assert.equal(chain.exec("SELECT count(*) FROM reply r JOIN series s ON s.id = r.series_id WHERE s.title = 'sched: Robot'"), '0');
	await chain.idle();
	const app = (title) => chain.one(`SELECT a.* FROM application a JOIN series s ON s.id = a.series_id
		WHERE s.title = '${title}'`);
	assert.equal(app('sched: Exact').why, 'applies to linux (6.1.192)');
	assert.equal(app('sched: Off').why, 'applies to linux (6.1.192), 1 hunk at an offset');
	assert.equal(app('sched: Off').patched_tree, app('sched: Exact').patched_tree);
	assert.equal(app('sched: Off').detail.patches[0].files[0].hunks[0].offset, -11);
	assert.equal(app('sched: Merge').why, 'applies to linux (6.1.192), 1 of 1 patch merged three-way');
	const no = app('sched: No');
	assert.equal(no.result, 'conflict');
	assert.match(no.why, /^kernel\/sched\/fair\.c: hunk 1 of 1 expects "int other;" near line 40; the base has "int a;"/);
	assert.equal(no.detail.attempts.length, 1);
	assert.equal(app('sched: Evil').result, 'rejected');
	assert.match(app('sched: Evil').why, /leaves the tree/);
	const two = app('sched: Two'), gitDir = `${chain.data}/trees/linux.git`;
	assert.equal(two.detail.commits.length, 2);
	const show = (...args) => sh(['git', `--git-dir=${gitDir}`, '-c', 'safe.directory=*', ...args]);
	assert.equal(show('rev-parse', two.branch).trim(), two.patched_commit);
	assert.match(show('show', `${two.branch}:kernel/sched/fair.c`), /^int c;$/m);
	assert.equal(show('log', '--format=%s', two.branch), 'sched: Two more\nsched: Two\nlinux 6.1.192\n');
	// What a runner does with the packs: an empty repository and two blobs are enough.
	const tree = chain.one("SELECT * FROM tree WHERE name = 'linux'"), copy = path.join(chain.dir, 'copy.git');
	sh(['git', 'init', '-q', '--bare', copy]);
	for (const sha of [tree.base_pack, two.patch_pack])
		sh(['git', `--git-dir=${copy}`, 'index-pack', '--stdin'], { encoding: 'buffer',
			input: fs.readFileSync(path.join(chain.data, 'blobs', sha.slice(0, 2), sha.slice(2, 4), sha)) });
	assert.match(sh(['git', `--git-dir=${copy}`, 'show', `${two.patched_commit}:kernel/sched/fair.c`]), /^int c;$/m);
	// nothing is left behind
	assert.deepEqual(fs.readdirSync(path.join(chain.data, 'scratch')).flatMap((d) =>
		fs.readdirSync(path.join(chain.data, 'scratch', d))), []);
}));

test('a child sees neither the database nor the secrets, and leaves no trace', withChain(pg, {}, async (chain, git) => {
	epoch(git, [patch({ id: 'p@x', subject: '[PATCH] sched: P', diff: fairDiff() })]);
	chain.list('sched', git);
	const w = await chain.worker();
	await chain.state('sched: P', 'complete');
	const { sandbox } = chain.one("SELECT data->>'sandbox' AS sandbox FROM event WHERE entity = 'worker'");
	assert.match(sandbox, /^(bubblewrap|no bubblewrap \(.*\): limits), (own user \d+|our user)$/);
	await w.stop();
	assert.deepEqual(fs.readdirSync(path.join(chain.data, 'scratch')), []);
}));
