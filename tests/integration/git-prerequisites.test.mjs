// SPDX-License-Identifier: GPL-2.0-or-later
// Series that build on others: these are found in the database, on any list, applied first, and a part of the
// kernel that the series is compared with.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after } from 'node:test';

import { cluster, epoch, sh, until, withChain } from './chain-lib.mjs';
import { addTree, app, APPLIED, ENV, FAIR, Remote } from './git-remote.mjs';

const pg = cluster();
after(pg.stop);

const blob = (chain, sha) => fs.readFileSync(path.join(chain.data, 'blobs', sha.slice(0, 2), sha.slice(2, 4), sha));
// The build jobs of a series' plan: {base, patched}.
const builds = (chain, title) => Object.fromEntries(chain.rows(`SELECT x.side, j.payload, b.tree_oid, b.commit_id FROM plan p
	JOIN series s ON s.id = p.series_id JOIN LATERAL (VALUES ('base', p.base_build_id), ('patched', p.patched_build_id))
	x(side, id) ON true JOIN build b ON b.id = x.id JOIN job j ON j.id = b.job_id WHERE s.title = '${title}'`)
	.map(b => [b.side, b]));

test('what a series builds on is applied first', withChain(pg, { plan_profile: 'emulated' }, async (chain, list) => {
	const remote = new Remote(chain.dir), main = remote.rev('main'), other = path.join(chain.dir, 'other.git');
	const commits = {}, mails = [];
	const make = (to, key, opts) => {
		to.push(remote.patch({ id: `${key}@x`, n: 150, ...opts, at: opts.at ?? main,
			note: (opts.note ?? '') + `base-commit: ${main}\n` }));
		commits[key] = remote.last;
	};
	const others = [];

	make(mails, 'first1', { subject: 'sched: First', text: 'int first_1;', note: 'change-id: the-first\n' });
	make(mails, 'first2', { subject: 'sched: First', version: ' v2', text: 'int first_2;', note: 'change-id: the-first\n' });
	// of another list, where nobody asked for it
	make(others, 'misc', { subject: 'sched: Misc', n: 100, text: 'int misc;' });
	make(mails, 'on1', { subject: 'sched: On the first version', at: commits.first1, n: 151, text: 'int on_1;',
		note: 'prerequisite-message-id: <first1@x>\n' });
	make(mails, 'on2', { subject: 'sched: On the second version', at: commits.first2, n: 151, text: 'int on_2;',
		note: 'prerequisite-change-id: the-first:v2\n' });
	make(mails, 'onmisc', { subject: 'sched: On a patch', at: commits.misc, n: 101, text: 'int on_misc;',
		note: `prerequisite-patch-id: ${remote.patchId(commits.misc)}\n` });
	make(mails, 'deep', { subject: 'sched: On two', at: commits.on1, n: 152, text: 'int deep;',
		note: 'prerequisite-message-id: <on1@x>\n' });
	make(mails, 'gone', { subject: 'sched: On what is not here', n: 120, text: 'int gone;',
		note: 'prerequisite-message-id: <nowhere@x>\nprerequisite-change-id: the-first:v7\n' });
	make(mails, 'round1', { subject: 'sched: Round', n: 130, text: 'int round_1;', note: 'prerequisite-message-id: <round2@x>\n' });
	make(mails, 'round2', { subject: 'sched: And round', n: 140, text: 'int round_2;', note: 'prerequisite-message-id: <round1@x>\n' });
	epoch(list, mails);
	epoch(other, others);
	chain.list('misc', other, { match: '{drivers/}' });
	chain.poll('misc');
	await chain.worker();
	await chain.state('sched: Misc', 'not_ours');
	chain.list('sched', list);
	chain.poll('sched');
	await until('the mails', () => chain.exec("SELECT count(*) FROM series WHERE state = 'complete'") === '8');
	addTree(chain, 'linux', `file://${remote.bare}`);

	const check = async (title, on, tip, words) => {
		await chain.state(title, APPLIED);
		const a = app(chain, title);

		assert.deepEqual([a.base_commit, a.detail.base.how], [main, 'base-commit'], title);
		assert.equal(a.before_tree, on && remote.tree(on), title);
		assert.equal(a.patched_tree, remote.tree(tip), title);
		assert.equal(a.why, `applies to linux (6.12.0-rc3, ${main.slice(0, 12)}${words})`);
		return a;
	};

	await check('sched: On the first version', commits.first1, commits.on1, ' and 1 patch of its prerequisites');
	await check('sched: On the second version', commits.first2, commits.on2, ' and 1 patch of its prerequisites');
	await check('sched: On a patch', commits.misc, commits.onmisc, ' and 1 patch of its prerequisites');
	const deep = await check('sched: On two', commits.on1, commits.deep, ' and 2 patches of its prerequisites');

	assert.deepEqual(deep.detail.prerequisites.map(p => p.message_id), ['first1@x', 'on1@x']);
	assert.equal(deep.detail.commits.length, 3);
	assert.equal(deep.base_how, 'base-commit: of the mail; 2 patches of its prerequisites first');
	// what is not here, or leads in a circle, is an attempt of its own; then the series alone
	const gone = await check('sched: On what is not here', null, commits.gone, '');

	assert.deepEqual(gone.detail.attempts.map(t => [t.how, t.result, t.commit]), [
		['prerequisites', 'unknown', 'message-id nowhere@x is not here'],
		['prerequisites', 'unknown', 'change-id the-first:v7 is not here'],
		['base-commit', 'applied', main]]);
	await chain.state('sched: Round', APPLIED);
	assert.deepEqual(app(chain, 'sched: Round').detail.attempts[0].commit, 'message-id round1@x leads back to where it is asked for');

	// The kernels: base is with what the series builds on, so that the numbers are of the series alone.
	await chain.idle();
	const { base, patched } = builds(chain, 'sched: On two');

	assert.equal(base.tree_oid, remote.tree(commits.on1));
	assert.equal(patched.tree_oid, remote.tree(commits.deep));
	assert.deepEqual([base.commit_id, patched.commit_id], [deep.before_commit, deep.patched_commit]);
	for (const { payload: p } of [base, patched]) {
		const copy = path.join(chain.dir, `${p.commit}.git`), git = (...args) => sh(['git', `--git-dir=${copy}`, ...args], { env: ENV }).trim();

		assert.equal(p.base_tree, remote.tree(main));
		sh(['git', 'init', '-q', '--bare', copy], { env: ENV });
		fs.writeFileSync(path.join(copy, 'shallow'), `${p.base_commit}\n`);
		for (const sha of [p.base_pack, p.patch_pack])
			sh(['git', `--git-dir=${copy}`, 'index-pack', '--stdin'], { env: ENV, encoding: 'buffer', input: blob(chain, sha) });
		assert.equal(git('rev-parse', `${p.commit}^{tree}`), p.tree);
		assert.match(git('show', `${p.commit}:${FAIR}`), /^int first_1;\nint on_1;$/m);
	}
	// one that built on nothing that is here has the commit itself as base
	const alone = builds(chain, 'sched: On what is not here');

	assert.deepEqual([alone.base.commit_id, alone.base.payload.patch_pack, 'before_tree' in alone.base.payload], [main, null, false]);
	assert.equal(patched.payload.before_tree, remote.tree(commits.on1));
	// the touched lines, and how to repeat it, are those of the series alone
	const report = chain.one(`SELECT report_input(s.id) AS r FROM series s WHERE title = 'sched: On two'`).r;

	assert.ok(report.repeat.includes(`git checkout ${deep.before_commit}   # base with the prerequisites`));
	assert.equal(report.n_patches, 1);
}));

test('a prerequisite that does not apply is named to the author', withChain(pg, {}, async (chain, list) => {
	const remote = new Remote(chain.dir), main = remote.rev('main');
	const mails = [remote.patch({ id: 'lost@x', subject: 'sched: Lost', at: main, n: 150, text: 'int lost;' })
		.replaceAll('/* fair 149 */', '/* never there */').replace(/^index .*\n/m, '')];

	mails.push(remote.patch({ id: 'on@x', subject: 'sched: On it', at: remote.last, n: 150, text: 'int on;', index: false,
		note: `base-commit: ${main}\nprerequisite-message-id: <lost@x>\n` }));
	epoch(list, mails);
	addTree(chain, 'linux', `file://${remote.bare}`);
	chain.list('sched', list);
	await chain.worker();
	await chain.state('sched: On it', 'answered');
	const a = app(chain, 'sched: On it'), reply = chain.one(`SELECT r.text FROM reply r JOIN series s ON s.id = r.series_id
		WHERE s.title = 'sched: On it'`);

	assert.equal(a.result, 'conflict');
	assert.match(a.why, /^prerequisite lost@x: kernel\/sched\/fair\.c: hunk 1 of 1 /);
	assert.match(blob(chain, reply.text).toString(), /It stops at\sa patch that it builds on, "sched: Lost":\n\s+kernel\/sched\/fair\.c, hunk 1 of 1/);
}));
