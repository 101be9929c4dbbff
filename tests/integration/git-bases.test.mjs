// SPDX-License-Identifier: GPL-2.0-or-later
// Where a base is looked for when the list's tree does not have it: other trees, releases, a fetch made for it.
import assert from 'node:assert/strict';
import test, { after } from 'node:test';

import { GitHttp } from '../harness/index.mjs';
import { cluster, epoch, until, withChain } from './chain-lib.mjs';
import { addTree, app, APPLIED, CORE, FAIR, Remote, treeIs } from './git-remote.mjs';
import path from 'node:path';

const pg = cluster();
after(pg.stop);

test('all trees are looked at, the one that the subject names first', withChain(pg, { test_database: 'yes', plan_profile: 'null' },
	async (chain, list) => {
		const linux = new Remote(chain.dir, 8), tip = new Remote(chain.dir, 12, 'tip');

		addTree(chain, 'linux', `file://${linux.bare}`, ['main']);
		addTree(chain, 'tip', `file://${tip.bare}`, ['main', 'next']);
		await chain.worker();
		for (const name of ['linux', 'tip'])
			await treeIs(chain, name, t => t.state === 'ready');
		epoch(list, [
			tip.patch({ id: 'named@x', subject: 'sched: Named', at: 'main', n: 150, text: 'int named;', index: false,
				version: ' tip' }),
			tip.patch({ id: 'branch@x', subject: 'sched: Branch', at: 'next', file: CORE, n: 12, text: 'int branch;', index: false })
				.replace('[PATCH]', '[PATCH tip/next]'),
			tip.patch({ id: 'trailer@x', subject: 'sched: Trailer', at: 'main~2', n: 150, text: 'int trailer;', index: false,
				note: `base-commit: ${tip.rev('main~2')}\n` }),
			tip.patch({ id: 'blobs@x', subject: 'sched: Blobs', at: 'main~1', n: 150, text: 'int blobs;' }),
			linux.patch({ id: 'list@x', subject: 'sched: List', at: 'main', n: 150, text: 'int list;', index: false }),
		]);
		chain.list('sched', list);
		chain.poll('sched');
		const check = async (title, tree, commit, how) => {
			await chain.state(title, APPLIED);
			const a = app(chain, title);

			assert.deepEqual([chain.exec(`SELECT name FROM tree WHERE id = ${a.tree_id}`), a.base_commit, a.detail.base.how],
				[tree, commit, how], title);
			return a;
		};

		await check('sched: Named', 'tip', tip.rev('main'), 'prefix');
		const branch = await check('sched: Branch', 'tip', tip.rev('next'), 'prefix');

		assert.equal(branch.detail.attempts[0].tree, 'tip/next');
		assert.equal(branch.detail.base.why, 'the subject names tip/next, at the time of the mail');
		await check('sched: Trailer', 'tip', tip.rev('main~2'), 'base-commit');
		await check('sched: Blobs', 'tip', tip.rev('main~1'), 'blobs');
		await check('sched: List', 'linux', linux.rev('main'), 'list');
		// branches and packs are made in the tree of the base
		await chain.idle();
		assert.equal(chain.exec("SELECT count(*) FROM series WHERE state IN ('failed', 'refused')"), '0');
		assert.equal(chain.exec("SELECT string_agg(DISTINCT t.name, ' ' ORDER BY t.name) FROM tree_base b JOIN tree t ON t.id = b.tree_id"), 'linux tip');
		assert.equal(chain.exec("SELECT count(*) FROM job WHERE payload->>'op' = 'publish' AND state = 'done'"), '5');
	}));

test('a release, when the branch has moved on', withChain(pg, { test_database: 'yes', plan_profile: 'null' }, async (chain, list) => {
	const remote = new Remote(chain.dir, 4), http = await GitHttp.start(path.dirname(remote.bare));

	try {
		const release = remote.rev('main');

		remote.git('tag', '-a', '-m', '6.12-rc3', 'v6.12-rc3', release);
		remote.line(FAIR, 150, 'int changed_for_good;').commit('sched/fair: Change for good');
		remote.git('tag', 'unrelated', 'main');
		remote.push('main', 'v6.12-rc3', 'unrelated');
		addTree(chain, 'linux', `${http.url}/linux.git`, ['main']);
		await chain.worker();
		await treeIs(chain, 'linux', t => t.state === 'ready');
		epoch(list, [remote.patch({ id: 'old@x', subject: 'sched: Old', at: release, n: 150, text: 'int old;', index: false })]);
		chain.list('sched', list);
		chain.poll('sched');
		await chain.state('sched: Old', APPLIED);
		const a = app(chain, 'sched: Old');

		assert.deepEqual([a.base_commit, a.detail.base.how], [release, 'tag']);
		assert.match(a.base_how, /^v6\.12-rc3, the newest release before the mail/);
	} finally {
		await http.stop();
	}
}));

test('a base-commit that is in no tree: one fetch, then on', withChain(pg, { test_database: 'yes', plan_profile: 'null' },
	async (chain, list) => {
		const linux = new Remote(chain.dir, 4), tip = new Remote(chain.dir, 5, 'tip');

		addTree(chain, 'linux', `file://${linux.bare}`, ['main']);
		addTree(chain, 'tip', `file://${tip.bare}`, ['main']);
		await chain.worker();
		for (const name of ['linux', 'tip'])
			await treeIs(chain, name, t => t.state === 'ready');
		await chain.idle();
		const ends = name => Number(chain.exec(`SELECT count(*) FROM job_fence f JOIN job j ON j.id = f.job_id JOIN tree t
			ON j.key = 'fetch:' || t.id WHERE t.name = '${name}' AND f.ended_at IS NOT NULL`));
		const before = [ends('linux'), ends('tip')];

		chain.exec("UPDATE tree SET fetched_at = now() - interval '6 min'");
		// pushed since the last fetch
		const base = tip.line(FAIR, 150, 'int since;').commit('sched/fair: Since');

		tip.push('main');
		epoch(list, [tip.patch({ id: 'new@x', subject: 'sched: New', at: base, n: 151, text: 'int new;', version: ' tip',
			note: `base-commit: ${base}\n` })]);
		chain.list('sched', list);
		chain.poll('sched');
		await chain.state('sched: New', APPLIED);
		assert.deepEqual([app(chain, 'sched: New').base_commit, app(chain, 'sched: New').detail.base.how], [base, 'base-commit']);
		await chain.idle();
		assert.deepEqual([ends('linux'), ends('tip')], [before[0], before[1] + 1]); // the tree that the subject names
		// never pushed: the first tree is fetched once, then the attempt stands as unknown
		chain.exec("UPDATE tree SET fetched_at = now() - interval '6 min'");
		linux.git('checkout', '-q', '--detach', 'main');
		linux.line(CORE, 5, 'int own;').commit('sched/core: Own');
		const own = linux.rev('HEAD');

		linux.git('checkout', '-q', 'main');
		epoch(list, [linux.patch({ id: 'own@x', subject: 'sched: Own', at: 'main', n: 150, text: 'int mine;', index: false,
			note: `base-commit: ${own}\n` })]);
		chain.poll('sched');
		await chain.state('sched: Own', APPLIED);
		await chain.idle();
		assert.deepEqual([ends('linux'), ends('tip')], [before[0] + 1, before[1] + 1]);
		assert.deepEqual(app(chain, 'sched: Own').detail.attempts.map(t => [t.how, t.result]),
			[['base-commit', 'unknown'], ['list', 'applied']]);
		await until('no more waiting', () => chain.exec('SELECT count(*) FROM base_wait') === '0');
	}));

test('what one archive has with damage is read as another has it', withChain(pg, { test_database: 'yes', plan_profile: 'null' },
	async (chain, list) => {
		const remote = new Remote(chain.dir, 4), second = path.join(chain.dir, 'second.git');
		const make = (key, n) => remote.patch({ id: `${key}@x`, subject: `sched: Copy ${key}`, at: 'main', n, text: `int ${key};` });
		const lone = make('lone', 150), twice = make('twice', 151), tree = remote.tree(remote.last);
		const cut = text => text.replace(/^\+int .*\n/m, '');

		addTree(chain, 'linux', `file://${remote.bare}`);
		await chain.worker();
		await treeIs(chain, 'linux', t => t.state === 'ready');
		// no list asks for them, so that both archives are read before they are submitted
		const archive = async (name, dir, mails) => {
			epoch(dir, mails);
			chain.list(name, dir, { match: '{drivers/}' });
			chain.poll(name);
			await until(`the mails of ${name}`, () => chain.exec(`SELECT count(*) FROM mail_copy c JOIN list l ON l.id = c.list_id
				WHERE l.name = '${name}'`) === String(mails.length));
		};

		await archive('first', list, [cut(lone), cut(twice)]);
		await archive('second', second, [twice]);
		for (const key of ['lone', 'twice']) {
			await chain.state(`sched: Copy ${key}`, 'not_ours');
			chain.submit(`${key}@x`);
		}
		await chain.state('sched: Copy twice', APPLIED);
		const a = app(chain, 'sched: Copy twice');

		assert.equal(a.patched_tree, tree);
		assert.deepEqual(a.detail.patches[0].notes.map(n => n.code), ['original']);
		assert.match(a.detail.patches[0].notes[0].detail, /^the mail is damaged \(corrupt patch at line .*\); the diff is that of <twice@x>$/);
		assert.match(a.why, /\), 1 of 1 patch read from a sound copy of its mail$/);
		assert.equal(chain.one(`SELECT report_input(s.id) AS r FROM series s WHERE title = 'sched: Copy twice'`).r.applied,
			'1 of 1 patch read from a sound copy of its mail');
		await chain.state('sched: Copy lone', ['refused', 'answered']);
		const none = app(chain, 'sched: Copy lone');

		assert.equal(none.result, 'conflict');
		assert.match(none.why, /the hunk has more lines than its header says; .* Original: look up <lone@x>$/);
	}));
