// SPDX-License-Identifier: GPL-2.0-or-later
// A public-inbox over HTTP on loopback (Debian's): its epoch is fetched and followed, a thread is fetched by
// message-id. With ../shared/archives there, also a hundred mails of a real list.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after } from 'node:test';
import zlib from 'node:zlib';
import { GitHttp, Inbox, tempDir } from '../harness/index.mjs';
import { cluster, diff, epoch, fairDiff, kernelTree, mail, patch, sh, top, until, withChain } from './chain-lib.mjs';

const installed = fs.existsSync('/usr/bin/public-inbox-httpd') && fs.existsSync('/usr/bin/public-inbox-index');
const archive = path.join(top, '../shared/archives/linux-pm-sched.bundle');
const pg = cluster();
after(pg.stop);

// The mails on a list served over HTTP.
const withInbox = (mails, body) => withChain(pg, {}, async (chain) => {
	const inbox = await Inbox.create();

	try {
		fs.rmSync(inbox.epoch, { recursive: true });
		epoch(inbox.epoch, await mails());
		inbox.count = 1;
		await inbox.serve();
		await body(chain, inbox);
	} finally {
		await inbox.stop();
	}
});

test('an epoch over HTTP is fetched, and followed', { skip: !installed && 'public-inbox is not installed' },
	withInbox(() => [patch({ id: 'a@x', subject: '[PATCH] sched: A' })], async (chain, inbox) => {
		chain.list('pi', inbox.url);
		await chain.worker();
		await chain.state('sched: A', 'complete');
		await inbox.add(patch({ id: 'b@x', subject: '[PATCH] sched: B' }));
		await inbox.stop(); // it caches its manifest
		await inbox.serve();
		chain.poll('pi');
		await chain.state('sched: B', 'complete');
		assert.deepEqual(chain.one("SELECT last_commit, fingerprint <> '' AS known FROM list_epoch"),
			{ last_commit: await inbox.head(), known: true });
		assert.equal(chain.exec('SELECT count(*) FROM mail'), '2');
	}));

// A host that was named may be one that answers to anybody; those behind it are not.
test('an epoch is not fetched from another host', withChain(pg, {}, async (chain) => {
	const other = await GitHttp.start(chain.dir);
	const list = await GitHttp.start(chain.dir, { files: { '/l/manifest.js.gz':
		zlib.gzipSync(JSON.stringify({ '/l/git/0.git': { fingerprint: 'f' } })) } });

	try {
		epoch(path.join(chain.dir, 'l/0'), [patch({ id: 'a@x', subject: '[PATCH] sched: A' })]);
		list.redirect = `http://localhost:${other.port}`;
		chain.list('l', `${list.url}/l`);
		await chain.worker();
		const why = await until('the refusal', () => chain.exec("SELECT why FROM list WHERE name = 'l'"));
		assert.match(why, /^fetching http:.*\/l\/0: cannot redirect from '127\.0\.0\.1' to 'localhost'$/);
		assert.deepEqual(other.asked, []);
		// on the same host it may
		list.redirect = other.url;
		chain.poll('l');
		await chain.state('sched: A', 'complete');
		assert.notDeepEqual(other.asked, []);
	} finally {
		await list.stop();
		await other.stop();
	}
}));

test('a submitted message-id brings its thread', { skip: !installed && 'public-inbox is not installed' },
	withInbox(() => [
		mail({ id: 'odd/id%2@x', subject: '[PATCH 0/2] sched: Thread', body: 'Two.\n\n a | 1 +\n 1 file changed\n' }),
		patch({ id: 't1@x', subject: '[PATCH 1/2] sched: T1', reply: 'odd/id%2@x', diff: fairDiff() }),
		patch({ id: 't2@x', subject: '[PATCH 2/2] sched: T2', reply: 'odd/id%2@x',
			text: 'From here it is text.\n>From there too.', diff: fairDiff({ before: 'int b;', after: 'int c;' }) }),
		patch({ id: 'else@x', subject: '[PATCH] docs: Else', diff: diff('Documentation/x.rst') }),
	], async (chain, inbox) => {
		chain.tree('linux', kernelTree(path.join(chain.dir, 'linux')));
		// the list is known, but not read yet
		chain.list('pi', inbox.url, { next_poll_at: '2100-01-01' });
		chain.submit('t2@x');
		chain.submit('else@x');
		chain.submit('nobody@x');
		await chain.worker();
		const s = await chain.state('sched: Thread', ['applied', 'planned']);
		assert.deepEqual([s.explicit, s.received, s.root_message_id], [true, 2, 'odd/id%2@x']);
		await chain.idle();
		assert.deepEqual(chain.rows('SELECT message_id, state, why FROM submission ORDER BY id'), [
			{ message_id: 't2@x', state: 'done', why: '' },
			{ message_id: 'else@x', state: 'done', why: '' },
			{ message_id: 'nobody@x', state: 'failed', why: `${inbox.url} does not have that mail` },
		]);
		assert.equal(chain.exec('SELECT count(*) FROM mail'), '4');
		// The same mail from the epoch is the same blob: the mbox escape was undone.
		chain.poll('pi');
		await until('the epoch', () => chain.exec('SELECT count(*) FROM mail_copy WHERE epoch = 0') === '4');
		assert.equal(chain.exec(`SELECT count(*) FROM mail_copy a JOIN mail_copy b ON b.mail_id = a.mail_id AND b.epoch = -1
			WHERE a.epoch = 0 AND a.blob = b.blob`), '4');
		await chain.idle();
		assert.equal(chain.exec("SELECT count(*) FROM series WHERE state <> 'withdrawn'"), '2');
	}));

test('a hundred mails of a real list', { skip: !installed ? 'public-inbox is not installed'
	: !fs.existsSync(archive) && '../shared is absent' }, (t) => {
	let ids;
	const hundred = (dir) => {
		const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' };
		const git = (...args) => sh(['git', `--git-dir=${dir}`, ...args], { env, encoding: 'latin1' });

		sh(['git', 'clone', '-q', '--mirror', archive, dir], { env });
		const mails = git('rev-list', '--reverse', 'master').trim().split('\n').slice(-100)
			.map((c) => git('show', `${c}:m`));
		ids = mails.map((m) => /^Message-ID:\s*<(.*?)>/im.exec(m)?.[1]);
		return mails.map((m) => Buffer.from(m, 'latin1'));
	};

	return withInbox(() => hundred(path.join(tempDir('wl-archive'), 'all.git')), async (chain, inbox) => {
		chain.list('pm', inbox.url);
		chain.submit(ids[50]);
		await chain.worker();
		await until('a hundred mails', () => chain.exec('SELECT count(*) FROM mail_copy WHERE epoch = 0') === '100', 120000);
		await chain.idle(180000);
		const u = chain.one('SELECT * FROM submission');
		assert.notEqual(u.state, 'fetching');
		assert.ok(u.state === 'done' ? u.series_id : u.why);
		assert.equal(chain.exec('SELECT count(*) FROM mail WHERE NOT assembled'), '0');
		assert.equal(chain.exec("SELECT count(*) FROM series WHERE why = ''"), '0');
	})(t);
});
