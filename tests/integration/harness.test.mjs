// SPDX-License-Identifier: GPL-2.0-or-later
// The tools of the other tests do what they say.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, test } from 'node:test';

import { Inbox, Postgres, Proc, Smtp, freePort, header, makeMail, run, waitUntil } from '../harness/index.mjs';

const stops = [];

after(async () => {
	for (const stop of stops.reverse())
		await stop();
});

test('waitUntil tells what it waited for, and why', async () => {
	let n = 0;

	assert.equal(await waitUntil(() => ++n === 3 && 'yes', 'three', { everyMs: 1 }), 'yes');
	await assert.rejects(waitUntil(() => { throw new Error('not there'); }, 'a thing', { timeoutMs: 20, everyMs: 5 }),
		/waited 20 ms for a thing: not there/);
});

test('a process that ends is told with its last words', async () => {
	const proc = new Proc('sh', '/bin/sh', ['-c', 'echo so long; exit 3']).start();

	await assert.rejects(proc.waitLog('never'), /sh ended \(\{"code":3,"signal":null\}\):\nso long/);
	proc.log += 'fair.c:1:2: runtime error: shift';
	assert.throws(() => proc.assertClean(), /sanitizer/);
});

test('a process that ignores SIGTERM is an error, and gone', async () => {
	const proc = new Proc('sh', '/bin/sh', ['-c', 'trap "" TERM; echo up; while :; do sleep 1; done']).start();

	await proc.waitLog('up');
	await assert.rejects(proc.stop({ timeoutMs: 300 }), /waited 300 ms/);
	assert.equal(proc.alive, false);
});

test('PostgreSQL is killed and comes back with its data', async () => {
	const pg = await Postgres.start();

	stops.push(() => pg.stop());
	await pg.exec('postgres', 'CREATE TABLE t (x int); INSERT INTO t VALUES (7)');
	await pg.restart();
	assert.deepEqual(await pg.query('postgres', 'SELECT x FROM t'), [{ x: 7 }]);
	await pg.kill();
	await assert.rejects(pg.query('postgres', 'SELECT 1'), /psql/);
	await pg.start();
	assert.deepEqual(await pg.query('postgres', 'SELECT x FROM t'), [{ x: 7 }]);
});

const mail = makeMail({ subject: '[PATCH] a', id: 'one@example.org', body: 'text\n', date: '2026-11-01T10:00:00Z' });
const second = makeMail({
	subject: 'Re: [PATCH] a', id: 'two@example.org', date: '2026-11-01T11:00:00Z',
	headers: { 'In-Reply-To': '<one@example.org>' },
});

test('an inbox is an epoch: one commit a mail, the same ids each time', async () => {
	const [a, b] = [await Inbox.create([mail, second]), await Inbox.create([mail, second])];
	const { out } = await run('git', ['--git-dir', a.epoch, 'log', '--format=%s|%ae|%ct']);

	assert.equal(await a.head(), await b.head());
	assert.equal(out, 'Re: [PATCH] a|dev@example.org|1793530800\n[PATCH] a|dev@example.org|1793527200\n');
	assert.equal((await run('git', ['--git-dir', a.epoch, 'show', 'master~1:m'])).out, mail.toString());
	await a.withdraw(second);
	assert.equal((await run('git', ['--git-dir', a.epoch, 'show', 'master:d'])).out, second.toString());
});

test('an inbox over HTTP: manifest, raw mail, thread, and what is added later', async () => {
	const inbox = await Inbox.create([mail]);
	const url = await inbox.serve();

	stops.push(() => inbox.stop());
	assert.match(await (await fetch(`${url}/one@example.org/raw`)).text(), /^Message-ID: <one@example.org>/m);
	await inbox.add(second);
	await waitUntil(async () => (await fetch(`${url}/two@example.org/raw`)).ok, 'the second mail');
	assert.equal((await fetch(`${url}/one@example.org/t.mbox.gz`)).status, 200);
	const { out } = await run('git', ['ls-remote', `${url}/0`]);

	assert.match(out, new RegExp(`^${await inbox.head()}\trefs/heads/master$`, 'm'));
});

// Speaks just enough SMTP to see the server's answers: the last line it got.
function speak(port, text) {
	return new Promise(resolve => {
		const socket = net.connect(port, '127.0.0.1');
		const lines = ['EHLO me', 'MAIL FROM:<a@example.org>', 'RCPT TO:<b@example.org>', 'DATA', `${text}\r\n.`];
		let last = '';

		socket.setEncoding('utf8');
		socket.on('error', () => {});
		socket.on('close', () => resolve(last));
		socket.on('data', data => {
			last = data.trim().split('\r\n').at(-1);
			if (/^[23]\d\d /.test(last) && lines.length)
				socket.write(`${lines.shift()}\r\n`);
			else
				socket.end();
		});
	});
}

test('the SMTP server keeps mails and misbehaves as it is told', async () => {
	const smtp = await Smtp.start();
	const text = 'Message-ID: <x@example.org>\r\n\r\nhello';

	stops.push(() => smtp.stop());
	assert.match(await speak(smtp.port, text), /^250 /);
	assert.deepEqual([smtp.mails[0].from, smtp.mails[0].to, smtp.mails[0].messageId],
		['a@example.org', ['b@example.org'], '<x@example.org>']);
	smtp.script = ['refuse-rcpt', 'busy-data', 'drop-rcpt', 'drop-after-data', 'slow'];
	assert.match(await speak(smtp.port, text), /^550 /);
	assert.match(await speak(smtp.port, text), /^451 /);
	assert.match(await speak(smtp.port, text), /^250 /); // the one to MAIL; RCPT had no answer
	assert.equal(smtp.mails.length, 1);
	assert.match(await speak(smtp.port, text), /^354 /);
	assert.equal(smtp.mails.length, 2);
	const slow = speak(smtp.port, text);

	await smtp.waitMails(3);
	smtp.release();
	assert.match(await slow, /^250 .*at last/);
});

test('headers are unfolded', () => {
	assert.equal(header(Buffer.from('A: 1\nSubject: a\n b\n\nSubject: no'), 'subject'), 'a b');
	assert.equal(header(Buffer.from('A: 1\n\n'), 'Subject'), '');
});

test('ports are free', async () => {
	assert.notEqual(await freePort(), await freePort());
});
