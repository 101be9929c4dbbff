// SPDX-License-Identifier: GPL-2.0-or-later
// A public-inbox over HTTP on loopback (Debian's): its epoch is fetched and followed, a thread is fetched by
// message-id. With ../shared/archives there, also a hundred mails of a real list.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { Cluster, diff, epoch, fairDiff, kernelTree, mail, patch, run, top, waitUntil } from './chain-lib.mjs';

const installed = fs.existsSync('/usr/bin/public-inbox-httpd') && fs.existsSync('/usr/bin/public-inbox-index');
const archive = path.join(top, '../shared/archives/linux-pm-sched.bundle');
let cluster;
before(async () => { cluster = await Cluster.start(); });
after(async () => { await cluster.stop(); });

function freePort() {
	return new Promise((done) => {
		const s = net.createServer().listen(0, '127.0.0.1', () => {
			const { port } = s.address();
			s.close(() => done(port));
		});
	});
}

class Inbox {
	// make(epochPath) puts the mails in.
	static async start(dir, make) {
		const b = new Inbox();
		b.home = path.join(dir, 'pi');
		b.dir = path.join(b.home, 'list');
		fs.mkdirSync(b.home);
		b.env = { PATH: process.env.PATH, HOME: b.home, PI_CONFIG: path.join(b.home, 'config'), LC_ALL: 'C' };
		run(['public-inbox-init', '-V2', 'list', b.dir, 'http://127.0.0.1/list', 'list@example.org'], { env: b.env });
		b.epoch = path.join(b.dir, 'git/0.git');
		fs.rmSync(b.epoch, { recursive: true, force: true });
		make(b.epoch);
		b.index();
		const port = await freePort();
		b.url = `http://127.0.0.1:${port}/list`;
		b.log = fs.openSync(path.join(b.home, 'log'), 'w');
		b.child = spawn('public-inbox-httpd', ['-l', `127.0.0.1:${port}`, '-W0'],
			{ env: b.env, stdio: ['ignore', b.log, b.log] });
		await waitUntil('public-inbox', () => fetch(`${b.url}/manifest.js.gz`).then((r) => r.ok, () => false));
		return b;
	}

	index() {
		run(['public-inbox-index', '-j0', '-L', 'medium', this.dir], { env: this.env });
	}

	async stop() {
		const gone = new Promise((done) => this.child.on('exit', done));
		this.child.kill();
		await gone;
	}
}

async function withInbox(make, fn) {
	const chain = cluster.chain();
	const inbox = await Inbox.start(chain.dir, make);
	try {
		await fn(chain, inbox);
	} finally {
		await inbox.stop();
		await chain.close();
	}
}

test('an epoch over HTTP is fetched, and followed', { skip: !installed && 'public-inbox is not installed' }, async () =>
	withInbox((git) => epoch(git, [patch({ id: 'a@x', subject: '[PATCH] sched: A' })]), async (chain, inbox) => {
		chain.list('pi', inbox.url);
		chain.worker();
		await chain.state('sched: A', 'complete');
		const tip = epoch(inbox.epoch, [patch({ id: 'b@x', subject: '[PATCH] sched: B' })]);
		inbox.index();
		await inbox.stop(); // it caches its manifest
		inbox.child = spawn('public-inbox-httpd', ['-l', inbox.url.match(/127[^/]*/)[0], '-W0'],
			{ env: inbox.env, stdio: 'ignore' });
		await waitUntil('public-inbox', () => fetch(`${inbox.url}/manifest.js.gz`).then((r) => r.ok, () => false));
		chain.poll('pi');
		await chain.state('sched: B', 'complete');
		assert.deepEqual(chain.one('SELECT last_commit, fingerprint <> $$$$ AS known FROM list_epoch'),
			{ last_commit: tip, known: true });
		assert.equal(chain.exec('SELECT count(*) FROM mail'), '2');
	}));

test('a submitted message-id brings its thread', { skip: !installed && 'public-inbox is not installed' }, async () =>
	withInbox((git) => epoch(git, [
		mail({ id: 'odd/id%2@x', subject: '[PATCH 0/2] sched: Thread', body: 'Two.\n\n a | 1 +\n 1 file changed\n' }),
		patch({ id: 't1@x', subject: '[PATCH 1/2] sched: T1', reply: 'odd/id%2@x', diff: fairDiff() }),
		patch({ id: 't2@x', subject: '[PATCH 2/2] sched: T2', reply: 'odd/id%2@x',
			text: 'From here it is text.\n>From there too.', diff: fairDiff({ before: 'int b;', after: 'int c;' }) }),
		patch({ id: 'else@x', subject: '[PATCH] docs: Else', diff: diff('Documentation/x.rst') }),
	]), async (chain, inbox) => {
		chain.tree('linux', kernelTree(path.join(chain.dir, 'linux')));
		// the list is known, but not read yet
		chain.list('pi', inbox.url, { next_poll_at: '2100-01-01' });
		chain.submit('t2@x');
		chain.submit('else@x');
		chain.submit('nobody@x');
		chain.worker();
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
		await waitUntil('the epoch', () => chain.exec('SELECT count(*) FROM mail_copy WHERE epoch = 0') === '4');
		assert.equal(chain.exec(`SELECT count(*) FROM mail_copy a JOIN mail_copy b ON b.mail_id = a.mail_id AND b.epoch = -1
			WHERE a.epoch = 0 AND a.blob = b.blob`), '4');
		await chain.idle();
		assert.equal(chain.exec("SELECT count(*) FROM series WHERE state <> 'withdrawn'"), '2');
	}));

test('a hundred mails of a real list', { skip: !installed ? 'public-inbox is not installed'
	: !fs.existsSync(archive) && '../shared is absent' }, async () => {
	let ids;
	await withInbox((git) => {
		const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' };
		const whole = `${git}.all`;
		run(['git', 'clone', '-q', '--mirror', archive, whole], { env });
		const commits = run(['git', `--git-dir=${whole}`, 'rev-list', '--reverse', 'master'], { env }).trim().split('\n').slice(-100);
		const mails = commits.map((c) => run(['git', `--git-dir=${whole}`, 'show', `${c}:m`], { env, encoding: 'latin1' }));
		fs.rmSync(whole, { recursive: true });
		ids = mails.map((m) => /^Message-ID:\s*<(.*?)>/im.exec(m)?.[1]);
		epoch(git, mails.map((m) => Buffer.from(m, 'latin1')));
	}, async (chain, inbox) => {
		chain.list('pm', inbox.url);
		chain.submit(ids[50]);
		chain.worker();
		await waitUntil('a hundred mails', () => chain.exec('SELECT count(*) FROM mail_copy WHERE epoch = 0') === '100', 120000);
		await chain.idle(180000);
		const u = chain.one('SELECT * FROM submission');
		assert.notEqual(u.state, 'fetching');
		assert.ok(u.state === 'done' ? u.series_id : u.why);
		assert.equal(chain.exec('SELECT count(*) FROM mail WHERE NOT assembled'), '0');
		assert.equal(chain.exec("SELECT count(*) FROM series WHERE why = ''"), '0');
	});
});
