// SPDX-License-Identifier: GPL-2.0-or-later
// Bad input of every kind gets one clear sentence, costs nothing, and stops nobody: the same processes
// serve all of this file, and the series of the same list that is in order ends in its reply.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { BIN, Inbox, Postgres, Runner, Server, Smtp, TOP, Worker, chainMails, freePort, kernelTree, makeMail, run, tempDir,
	waitUntil, within } from '../harness/index.mjs';

let pg, db, smtp, inbox, server, worker, runner, pids;

const huge = makeMail({ subject: '[PATCH] sched: Fifty megabytes', id: 'huge@bad.example.org',
	body: `${'All work and no play makes the scheduler a dull boy. '.repeat(20)}\n`.repeat(50 * 1024) });
const headless = Buffer.from('\njust text, and before it not one header\n');
const good = chainMails()[5]; // does not apply: the shortest way to a reply

before(async () => {
	pg = await Postgres.start();
	db = await pg.createDb();
	smtp = await Smtp.start();
	assert.ok(huge.length > 50e6);
	inbox = await Inbox.create([headless, huge, good]);
	server = await Server.start({ db });
	worker = await Worker.start({ server, smtp });
	runner = await Runner.start({ server });
	pids = [server, worker, runner].map(program => program.proc.pid);
});

after(async () => {
	await runner?.stop();
	await worker?.stop();
	await server?.stop();
	await smtp?.stop();
	await pg?.stop();
});

const wakelistd = (...args) => run(path.join(BIN, 'wakelistd'), ['--db', db.dsn('wakelist_server'), '--web',
	path.join(TOP, 'web'), ...args], { codes: [1, 2, 3], timeoutMs: 60000 });
const error = async (method, apiPath, body, options) => {
	const response = await server.api(method, apiPath, body, { ...options, raw: true });

	return [response.status, (await response.json()).error.message];
};
const submission = async messageId => {
	const { id } = await server.api('POST', '/submissions', { v: 1, message_id: messageId });

	return waitUntil(async () => {
		const now = await server.get(`/submissions/${id}`);

		return now.state !== 'fetching' && now;
	}, `the end of the submission of ${messageId}`, { timeoutMs: 120000 });
};

test('a folder that is no kernel, a tarball that is none', async () => {
	const dir = tempDir('wl-notree'), tar = path.join(dir, 'x.tar.xz');

	fs.writeFileSync(path.join(dir, 'README'), 'not Linux\n');
	fs.writeFileSync(tar, 'not a tarball');
	for (const [name, kind, source, words] of [
		['nothing', 'dir', dir, /^this is no kernel tree: no Makefile with VERSION and PATCHLEVEL$/],
		['text', 'tarball', tar, /x\.tar\.xz: Unrecognized archive format$/],
		['absent', 'dir', path.join(dir, 'absent'), /absent: No such file or directory$/],
	]) {
		await server.api('POST', '/trees', { v: 1, name, kind, source });
		const { tree } = await waitUntil(async () => {
			const answer = await server.get(`/trees/${name}`);

			return answer.tree.state !== 'importing' && answer;
		}, `the end of the import of ${name}`, { timeoutMs: 120000 });

		assert.equal(tree.state, 'failed');
		assert.match(tree.why, words);
	}
});

test('a mail of 50 MB, a mail without headers, and a good one in the same list', async () => {
	await server.api('POST', '/trees', { v: 1, name: 'linux', kind: 'dir', source: kernelTree() });
	await server.api('POST', '/lists', { v: 1, name: 'sched', url: inbox.path });
	const { series: [first] } = await waitUntil(async () => {
		const answer = await server.get('/series?state=answered');

		return answer.series.length && answer;
	}, 'the good series to be answered', { timeoutMs: 180000 });

	assert.equal(first.title, 'sched/fair: Meet another tree');
	const kept = await db.query('SELECT message_id, kind, facts->>$$rejected$$ AS rejected FROM mail ORDER BY id');

	assert.equal(kept.length, 3);
	assert.equal(kept[0].rejected, 'the mail has no usable From');
	assert.deepEqual([kept[1].kind, kept[1].rejected], ['other', 'the mail is over 16 MiB']);
	assert.match(kept[0].message_id, /^sha256-[0-9a-f]{64}@wakelist\.invalid$/);
	assert.equal(kept[1].message_id, 'huge@bad.example.org'); // its header was read
	assert.equal(await db.value('SELECT last_commit FROM list_epoch'), await inbox.head());
	assert.equal((await submission(kept[1].message_id)).why, 'that mail cannot be used: the mail is over 16 MiB');
	assert.equal((await submission(kept[0].message_id)).why, 'that mail cannot be used: the mail has no usable From');
	// no byte was lost
	const sha = await db.value(`SELECT blob FROM mail WHERE message_id = '${kept[1].message_id}'`);
	const blob = await server.api('GET', `/blobs/${sha}`, undefined, { raw: true });

	assert.ok(Buffer.from(await blob.arrayBuffer()).equals(huge));
});

test('50 MB as a request', async () => {
	assert.deepEqual(await error('POST', '/submissions', huge, { headers: { 'content-type': 'application/json' } }),
		[413, `the body is ${huge.length} bytes, at most 65536 are taken here`]);
});

test('a message-id that nobody has, one that is none', async () => {
	const end = await submission('absent@bad.example.org');

	assert.deepEqual([end.state, end.why], ['failed', 'no subscribed list serves threads over HTTP, ' +
		'and the mail has not been seen on one that is read by path']);
	assert.deepEqual(await error('POST', '/submissions', { v: 1, message_id: 'two words' }), [400, '"two words" is no message-id']);
});

test('tokens: none, one that is no token, one that nobody has, one that may not', async () => {
	const list = { v: 1, name: 'x', url: '/x' };

	assert.deepEqual(await error('POST', '/lists', list, { token: null }),
		[401, 'this needs a token: "Authorization: Bearer wl_...", in the pages "enter token", on the command line --token-file']);
	assert.deepEqual(await error('POST', '/lists', list, { token: 'secret' }),
		[401, 'that is no token of ours: they are wl_ and 43 characters']);
	assert.deepEqual(await error('POST', '/lists', list, { token: `wl_${'A'.repeat(43)}` }),
		[401, 'the token is not known, or was revoked']);
	const runnerToken = await server.token('runner');
	const [status, words] = await error('POST', '/lists', list, { token: runnerToken });

	assert.equal(status, 403);
	assert.match(words, /runner/);
	assert.deepEqual((await server.get('/lists')).lists.map(l => l.name), ['sched']);
});

test('JSON with an unknown key', async () => {
	assert.deepEqual(await error('POST', '/lists', { v: 1, name: 'x', url: '/x', colour: 'red' }),
		[400, 'body: unknown key "colour"']);
	const { code, err } = await server.cli(['list', 'subscribe', 'x', '/x', '--colour', 'red'], { codes: [2] });

	assert.equal(code, 2);
	assert.match(err, /^wakelist: .*--colour/m);
});

test('a path that leaves the web root, plain and encoded', async () => {
	const raw = target => within(new Promise((resolve, reject) => {
		const socket = net.connect(server.port, '127.0.0.1',
			() => socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
		let text = '';

		socket.on('data', piece => { text += piece; });
		socket.on('end', () => resolve(text));
		socket.on('error', reject);
	}), 'an answer');

	fs.accessSync(path.join(TOP, 'web/../README.md'));
	for (const target of ['/static/../README.md', '/static/%2e%2e/README.md', '/static/..%2fREADME.md', '/static/%2E%2E%2FREADME.md',
		'/../README.md', '/static/%2fetc%2fpasswd', '/static/views/../../../README.md']) {
		const answer = await raw(target);

		assert.match(answer, /^HTTP\/1\.1 40[04] /, target);
		assert.doesNotMatch(answer, /SPDX|root:x|wakelist watches/, target);
		assert.match(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).error.message, /\w+ \w+ \w+/, target);
	}
});

test('a list that does not answer', async () => {
	const port = await freePort();

	await server.api('POST', '/lists', { v: 1, name: 'away', url: `http://127.0.0.1:${port}/list` });
	const { list } = await waitUntil(async () => {
		const answer = await server.get('/lists/away');

		return answer.list.why && answer;
	}, 'the trouble', { timeoutMs: 120000 });

	assert.match(list.why, new RegExp(`127\\.0\\.0\\.1(:| port )${port}|connect`));
	assert.ok(Date.parse(list.next_poll_at) > Date.now());
	await server.api('POST', '/lists', { v: 1, name: 'nowhere', url: '/nowhere/at/all' });
	assert.match((await waitUntil(async () => {
		const answer = await server.get('/lists/nowhere');

		return answer.list.why && answer;
	}, 'the trouble', { timeoutMs: 120000 })).list.why, /\/nowhere\/at\/all: (No such file or directory|.*not.*)/);
});

// A series always ends: in a reply, or in words.
test('mails that are hard to answer', async () => {
	const original = good.toString('latin1'), header = (name, value) => text =>
		text.replace(new RegExp(`^${name}:.*(\\n[ \\t].*)*$`, 'mi'), `${name}: ${value}`);
	const mails = [
		['esc@bad.example.org', header('Subject', '=?utf-8?q?[PATCH]_sched:_=1b[31mRed=1b[0m?=')],
		['name@bad.example.org', header('From', '"=?utf-8?q?A=07B?=" <bell@example.org>')],
		['noat', text => text],
		['nowhere@bad.example.org', header('From', 'Nobody <n\u00fcll@example.org>')],
	].map(([id, change], i) => Buffer.from(change(header('Message-ID', `<${id}>`)(original)).replace('sched', `sched${i}`), 'utf8'));
	const odd = await Inbox.create(mails);

	await server.api('POST', '/lists', { v: 1, name: 'odd', url: odd.path, address: 'list@example.org', poll_ms: 86400000 });
	const ends = await waitUntil(async () => {
		const rows = await db.query(`SELECT s.root_message_id AS id, s.state, s.why, r.subject FROM series s
			LEFT JOIN reply r ON r.series_id = s.id WHERE s.list_id = (SELECT id FROM list WHERE name = 'odd') ORDER BY 1`);

		return rows.length === 4 && rows.every(row => ['answered', 'failed'].includes(row.state)) && rows;
	}, 'four ends', { timeoutMs: 120000 });

	assert.deepEqual(ends.map(({ id, state }) => [id, state]), [['esc@bad.example.org', 'answered'],
		['name@bad.example.org', 'answered'], ['noat', 'answered'], ['nowhere@bad.example.org', 'failed']]);
	assert.match(ends[0].subject, /\?\[31mRed\?\[0m/);
	assert.match(ends[3].why, /^the reply could not be composed: .*no address/);
	const { series: [series] } = await server.get('/series?q=nowhere');
	const { stages } = await server.get(`/series/${series.id}`);

	assert.equal(stages.find(stage => stage.name === 'reply').state, 'failed');
	assert.equal(stages.find(stage => stage.name === 'apply').state, 'failed');
});

test('a list that could not be written to, settings that are none', async () => {
	assert.deepEqual(await error('POST', '/lists', { v: 1, name: 'inject', url: inbox.path, address: 'a@b\r\nBcc: x@y' }),
		[400, 'address "a@b  Bcc: x@y" is no mail address']);
	for (const [name, value, words] of [['base_url', 'javascript:alert(1)', /^wakelistd: base_url is an address like/],
		['plan_blocks', 'abc', /^wakelistd: plan_blocks is a whole number, not "abc"$/m],
		['test_database', 'maybe', /^wakelistd: test_database is yes or no, not "maybe"$/m]]) {
		const { err } = await wakelistd('setting', 'set', name, value);

		assert.match(err, words);
	}
	assert.match((await wakelistd('token', 'create', 'x y', 'admin')).err, /^wakelistd: name "x y" is no name: /);
});

test('words that no command takes', async () => {
	const env = { ...process.env, WAKELIST_SERVER: `${server.url}/`, WAKELIST_TOKEN_FILE: '' };
	const wakelist = (...args) => run(path.join(BIN, 'wakelist'), args, { codes: [1, 2, 3], timeoutMs: 60000, env });

	assert.match((await wakelist('reply', 'show', '.')).err, /^wakelist: the address holds a dot segment$/m);
	assert.match((await wakelist('tree', 'show', '')).err, /^wakelist: operand 1 is empty$/m);
	assert.match((await wakelist('series', 'show', '\u001b[31m\u009bx')).err, /^wakelist: [^\u001b\u009b]*$/m);
	assert.match((await wakelist('list', 'ls', '--token-file', '/etc/passwd')).err, /^wakelist: \/etc\/passwd holds no token$/m);
});

test('a port in use, a data folder in use', async () => {
	assert.match((await wakelistd('--data', tempDir(), '--listen', `127.0.0.1:${server.port}`)).err,
		new RegExp(`^wakelistd: 127\\.0\\.0\\.1:${server.port} is in use: another program listens there`, 'm'));
	const { err } = await wakelistd('--data', server.data, '--listen', '127.0.0.1:0');

	assert.match(err, /^wakelistd: data folder .* is in use/m);
	assert.ok(err.includes(String(server.proc.pid)), err);
});

test('nobody died of it, and nothing is lost', async () => {
	assert.deepEqual([server, worker, runner].map(program => program.proc.pid), pids);
	for (const program of [server, worker, runner])
		assert.ok(program.proc.alive, program.proc.name);
	assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
	assert.equal(await db.value('SELECT count(*)::int FROM mail'), 7);
	assert.deepEqual(await db.query("SELECT id, why FROM job WHERE state = 'parked'"), []);
	const { reply } = await server.get(`/replies/${(await server.get('/replies')).replies[0].id}`);

	assert.equal(reply.state, 'held');
});
