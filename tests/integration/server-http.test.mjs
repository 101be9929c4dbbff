// SPDX-License-Identifier: GPL-2.0-or-later
// The HTTP edge of wakelistd: every route answers, bad input gets one clear sentence, nothing hangs.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { BIN, Postgres, Server, run, within } from '../harness/index.mjs';

let pg, server;

before(async () => {
	pg = await Postgres.start();
	server = await Server.start({ db: await pg.createDb() });
});
after(async () => {
	await server?.stop();
	await pg?.stop();
});

// Bytes as they are, and all that comes back until the server closes (or n answers are there).
function raw(bytes, { answers = Infinity } = {}) {
	return within(new Promise((resolve, reject) => {
		const socket = net.connect(server.port, '127.0.0.1', () => socket.write(bytes));
		let text = '';

		socket.setEncoding('latin1');
		socket.on('data', piece => {
			text += piece;
			if (text.split('HTTP/1.1 ').length - 1 >= answers) {
				socket.destroy();
				resolve(text);
			}
		});
		socket.on('end', () => resolve(text));
		socket.on('error', error => (text ? resolve(text) : reject(error)));
	}), 'an answer', 20000);
}

const status = text => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
const message = text => JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)).error.message;
const get = (path, headers = '') => raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);

test('every row of the table answers what it should without anything in the database', async () => {
	const expected = {
		'GET /healthz': 200, 'GET /api/v1/status': 200,
		'GET /api/v1/lists': 200, 'POST /api/v1/lists': 400, 'GET /api/v1/lists/:name': 404,
		'DELETE /api/v1/lists/:name': 404, 'POST /api/v1/lists/:name/poll': 404,
		'GET /api/v1/trees': 200, 'POST /api/v1/trees': 400, 'GET /api/v1/trees/:name': 404,
		'DELETE /api/v1/trees/:name': 404, 'POST /api/v1/trees/:name/fetch': 404,
		'POST /api/v1/submissions': 400, 'POST /api/v1/submissions/mbox': 415, 'GET /api/v1/submissions/:id': 404,
		'GET /api/v1/series': 200, 'GET /api/v1/series/:id': 404, 'GET /api/v1/series/:id/report.txt': 404,
		'POST /api/v1/series/:id/retry': 404, 'GET /api/v1/r/:msgid': 404,
		'GET /api/v1/runs/:id': 404, 'GET /api/v1/builds/:id': 404, 'GET /api/v1/history': 200,
		'GET /api/v1/jobs/:id': 404, 'GET /api/v1/jobs/:id/log': 404, 'POST /api/v1/jobs/:id/retry': 404,
		'POST /api/v1/jobs/:id/cancel': 404,
		'GET /api/v1/machines': 200, 'GET /api/v1/machines/:name': 404, 'DELETE /api/v1/machines/:name': 404,
		'GET /api/v1/replies': 200, 'GET /api/v1/replies/:id': 404, 'POST /api/v1/replies/:id/approve': 400,
		'POST /api/v1/replies/:id/reject': 404, 'POST /api/v1/replies/:id/resolve': 400,
		'GET /api/v1/tokens': 200, 'POST /api/v1/tokens': 400, 'DELETE /api/v1/tokens/:name': 404,
		'GET /api/v1/blobs/:sha256': 404, 'PUT /api/v1/blobs/:sha256': 403,
		'POST /api/v1/runner/register': 403, 'POST /api/v1/runner/lease': 403,
		'POST /api/v1/runner/jobs/:id/renew': 403, 'PUT /api/v1/runner/jobs/:id/log': 403,
		'POST /api/v1/runner/jobs/:id/release': 403, 'POST /api/v1/runner/jobs/:id/finish': 403,
		'GET /static/*path': 404, 'GET /series/:id/report.txt': 404,
	};
	const { out } = await run(`${BIN}/wakelistd`, ['--print-api-markdown']);
	// the prose above the table quotes too: rows are what has a method and a path
	const rows = out.split('\n').map(line => /^\| (\w+) \| `(\/[^`]*)` \| (\w+) \|/.exec(line)?.slice(1)).filter(Boolean);
	const seen = new Set();

	assert.ok(rows.length > 50, 'the table is printed');
	for (const [method, pattern, auth] of rows) {
		const name = `${method} ${pattern}`;
		const path = pattern.replace(':id', '999').replace(':name', 'nobody').replace(':msgid', 'a@b')
			.replace(':sha256', 'a'.repeat(64)).replace('*path', 'none.js');

		if (name === 'GET /api/v1/events')
			continue; // a stream: server-sse.test.mjs
		// PUT of a blob is a runner's or an administrator's
		const token = await server.token('admin');
		const due = name === 'PUT /api/v1/blobs/:sha256' ? 400 : expected[name] ?? 200;
		const response = await fetch(new URL(path, server.url), {
			method,
			headers: { authorization: `Bearer ${token}`, ...(method === 'GET' || method === 'DELETE' ? {}
				: { 'content-type': 'application/json' }) },
			body: method === 'GET' || method === 'DELETE' ? undefined : '{"v":1}',
		});
		const text = await response.text();

		assert.equal(response.status, due, `${name}: ${text}`);
		assert.match(response.headers.get('content-security-policy'), /default-src 'self'/, name);
		assert.equal(response.headers.get('x-content-type-options'), 'nosniff', name);
		assert.match(response.headers.get('x-request-id'), /^[0-9a-f]{16}$/, name);
		if (response.headers.get('content-type')?.startsWith('application/json'))
			assert.equal(JSON.parse(text).v, 1, name);
		if (auth !== 'open')
			seen.add(name);
	}
	// without a token, and with one that is wrong: 401 and a word
	for (const name of seen) {
		const [method, pattern] = name.split(' ');
		const path = pattern.replace(':id', '999').replace(':name', 'nobody').replace(':sha256', 'a'.repeat(64));

		for (const authorization of [undefined, 'Bearer wl_'.padEnd(53, 'x'), 'Basic abc', 'Bearer nonsense']) {
			const response = await fetch(new URL(path, server.url), {
				method,
				headers: { ...(authorization ? { authorization } : {}), 'content-type': 'application/json' },
				body: method === 'GET' || method === 'DELETE' ? undefined : '{"v":1}',
			});
			const answer = await response.json();

			assert.equal(response.status, 401, `${name} ${authorization}`);
			assert.equal(answer.error.code, 'denied');
			assert.match(answer.error.message, /token|Authorization/);
			assert.match(response.headers.get('www-authenticate'), /Bearer/);
		}
	}
});

test('HEAD, OPTIONS, and methods a path does not know', async () => {
	for (const path of ['/healthz', '/', '/static/app.js', '/api/v1/lists']) {
		const whole = await get(path);
		const head = await raw(`HEAD ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

		assert.equal(status(head), 200, path);
		assert.equal(head.split('\r\n\r\n')[1], '', 'no body');
		assert.match(head, /\r\nContent-Length: [1-9]/);
		assert.equal(/Content-Type: .*/.exec(head)[0], /Content-Type: .*/.exec(whole)[0]);
	}
	const options = await fetch(`${server.url}/api/v1/lists`, { method: 'OPTIONS' });

	assert.equal(options.status, 204);
	assert.equal(options.headers.get('allow'), 'GET, HEAD, POST, OPTIONS');
	const wrong = await fetch(`${server.url}/api/v1/lists`, { method: 'PUT', body: '' });

	assert.equal(wrong.status, 405);
	assert.equal(wrong.headers.get('allow'), 'GET, HEAD, POST, OPTIONS');
	assert.equal(status(await raw('BREW / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')), 405);
	assert.equal(status(await raw('HEAD /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')), 404);
});

test('heads that are no heads', async () => {
	for (const [bytes, due, words] of [
		['GET / HTTP/1.1\nHost: x\n\n', 400, /CR LF/],
		['GET /\r\n\r\n', 400, /request line/],
		['GET / HTTP/2.0\r\n\r\n', 505, /HTTP\/1/],
		['GET x HTTP/1.1\r\n\r\n', 400, /start with/],
		['GET /a b HTTP/1.1\r\n\r\n', 505, /HTTP/],
		['GET / HTTP/1.1\r\nBad Header: x\r\n\r\n', 400, /malformed/],
		['GET / HTTP/1.1\r\nA: x\r\n folded\r\n\r\n', 400, /malformed/],
		['GET / HTTP/1.1\r\nA: \x01\r\n\r\n', 400, /control/],
		['POST /api/v1/lists HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, /twice/],
		['POST /api/v1/lists HTTP/1.1\r\nContent-Length: -1\r\n\r\n', 400, /no number/],
		['POST /api/v1/lists HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n', 411, /Content-Length/],
		[`GET /${'a'.repeat(5000)} HTTP/1.1\r\n\r\n`, 414, /4096/],
		[`GET / HTTP/1.1\r\nA: ${'a'.repeat(20000)}\r\n\r\n`, 431, /head/],
		[`GET / HTTP/1.1\r\n${'A: b\r\n'.repeat(80)}\r\n`, 431, /64 headers/],
		['GET /%zz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, /%XX/],
		['GET /lists%00 HTTP/1.1\r\nConnection: close\r\n\r\n', 400, /NUL/],
		['GET /x HTTP/1.1\r\nExpect: miracles\r\n\r\n', 417, /100-continue/],
	]) {
		const answer = await raw(bytes);

		assert.equal(status(answer), due, JSON.stringify(bytes.slice(0, 60)));
		assert.match(message(answer), words);
		assert.match(answer, /Connection: close/);
	}
});

test('no path leaves the web root', async () => {
	for (const path of ['/static/../server.h', '/static/%2e%2e/%2e%2e/etc/passwd', '/static/..%2f..%2fetc%2fpasswd',
		'/static//etc/passwd', '/static/%2fetc%2fpasswd', '/static/views/..%5c..%5capp.js', '/../etc/passwd',
		'/static/.', '/static/', '/static/app.js%00.html', '/static/vendor/package.json', '/static/%252e%252e/app.js']) {
		const answer = await get(path);

		assert.ok([400, 404].includes(status(answer)), `${path}: ${answer.slice(0, 40)}`);
		assert.doesNotMatch(answer, /root:/);
	}
});

test('pages and files', async () => {
	const page = await fetch(`${server.url}/series/12`);

	assert.equal(page.status, 200);
	assert.match(page.headers.get('content-type'), /text\/html/);
	const etag = page.headers.get('etag');

	for (const path of ['/', '/lists', '/trees', '/submit', '/series', '/runs/3', '/history', '/machines', '/replies',
		'/replies/4', '/status', '/r/a%2Fb@c'])
		assert.equal((await fetch(server.url + path)).headers.get('etag'), etag, path);
	assert.equal((await fetch(`${server.url}/`, { headers: { 'if-none-match': etag } })).status, 304);
	assert.match((await fetch(`${server.url}/static/app.js`)).headers.get('content-type'), /text\/javascript/);
});

test('JSON is strict, and says where it is wrong', async () => {
	const token = await server.token('admin');
	const post = (body, type = 'application/json') => fetch(`${server.url}/api/v1/lists`, {
		method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': type }, body,
	});

	for (const [body, due, words, type] of [
		['{"v":1,"name":"a","url":"http://x/l","colour":"red"}', 400, /colour/],
		['{"v":1,"name":"a","url":7}', 400, /url/],
		['{"v":1,"name":"a"}', 400, /url/],
		['{"v":2,"name":"a","url":"http://x/l"}', 400, /"v" is 2/],
		['{"v":1,"name":"a","name":"b"}', 400, /line 1 column \d+/],
		['{"v":1,', 400, /line 1/],
		['[1]', 400, /object/],
		['{"v":1,"name":"\\ud800"}', 400, /line 1/],
		['[['.repeat(100) + ']]'.repeat(100), 400, /nested/],
		['{"v":1}', 415, /application\/json/, 'text/plain'],
		['{"v":1,"name":"A b","url":"http://x/l"}', 400, /no name/],
		['{"v":1,"name":"a","url":"gopher://x"}', 400, /url/],
		['{"v":1,"name":"a","url":"http://u:p@x/l"}', 400, /url/],
		['{"v":1,"name":"a","url":"/x/../y"}', 400, /url/],
		['{"v":1,"name":"a","url":"http://x/l","match":["../x"]}', 400, /\.\./],
		['{"v":1,"name":"a","url":"http://x/l","match":"kernel/"}', 400, /match/],
		['{"v":1,"name":"a","url":"http://x/l","reply":"everybody"}', 400, /reply/],
		['{"v":1,"name":"a","url":"http://x/l","poll_ms":5}', 400, /poll_ms/],
		['{"v":1,"name":"a","url":"http://x/l","tree":"none"}', 404, /tree none/],
	]) {
		const response = await post(body, type);
		const answer = await response.json();

		assert.equal(response.status, due, `${body.slice(0, 80)}: ${JSON.stringify(answer)}`);
		assert.match(answer.error.message, words);
	}
	const unknown = await fetch(`${server.url}/api/v1/series?colour=red`);

	assert.equal(unknown.status, 400);
	assert.match((await unknown.json()).error.message, /colour/);
});

test('bodies over the cap: refused with a sentence, whoever sends them and however', async () => {
	const token = await server.token('admin');
	const big = Buffer.alloc(50 << 20, 0x20);

	const response = await fetch(`${server.url}/api/v1/submissions`, {
		method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: big,
	});

	assert.equal(response.status, 413);
	assert.match((await response.json()).error.message, /52428800 bytes, at most 65536/);
	// a body that is announced only: the answer comes before it
	const asked = await raw(`POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
		'Content-Type: application/json\r\nContent-Length: 99999999999\r\nExpect: 100-continue\r\n\r\n');

	assert.equal(status(asked), 413);
	const huge = await raw(`POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
		'Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n');

	assert.equal(status(huge), 413);
	// a body where none is due
	assert.match(message(await raw('GET /healthz HTTP/1.1\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello')),
		/no body/);
	const before = await server.get('/status');

	assert.ok(before.connections < 20);
});

test('requests that are sent before the answer to the last one are answered in order', async () => {
	const one = path => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
	const token = await server.token('admin');
	const post = `POST /api/v1/lists HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
		'Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"v":1}';
	const text = await raw(one('/api/v1/lists') + post + one('/nowhere') + one('/healthz') +
		'GET /api/v1/trees HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');

	assert.deepEqual([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(m => Number(m[1])), [200, 400, 404, 200, 200]);
});

test('a peer that sends byte by byte, one that leaves at once, one that leaves in a body', async () => {
	const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
	const slow = within(new Promise((resolve, reject) => {
		const socket = net.connect(server.port, '127.0.0.1');
		let text = '', at = 0;

		socket.setNoDelay(true);
		const next = () => at < request.length && socket.write(request[at++], () => setImmediate(next));

		socket.on('connect', next);
		socket.on('data', piece => (text += piece));
		socket.on('end', () => resolve(text));
		socket.on('error', reject);
	}), 'an answer', 20000);

	assert.equal(status(await slow), 200);
	for (const bytes of ['', 'GET', request, 'POST /api/v1/lists HTTP/1.1\r\nContent-Length: 100\r\n\r\n{'])
		await new Promise(resolve => {
			const socket = net.connect(server.port, '127.0.0.1', () => {
				if (bytes)
					socket.write(bytes, () => socket.destroy());
				else
					socket.destroy();
			});

			socket.on('close', resolve);
		});
	assert.equal((await server.get('/status')).v, 1);
});

test('more connections than the cap wait, and are served when others leave', async () => {
	const small = await Server.start({ db: await pg.createDb(), args: ['--max_conns', '10'] });
	const idle = [];

	for (let i = 0; i < 14; i++)
		idle.push(net.connect(small.port, '127.0.0.1'));
	await Promise.all(idle.map(s => new Promise(resolve => s.once('connect', resolve))));
	await small.proc.waitLog('ev=http_full');
	const waiting = fetch(`${small.url}/healthz`);

	for (const socket of idle)
		socket.destroy();
	assert.equal((await within(waiting, 'the one that waited')).status, 200);
	await small.stop();
});

test('a slow reader gets it all, a silent one is dropped', async () => {
	const db = await pg.createDb(), one = await Server.start({ db, args: ['--http_timeout', '1s'] });
	const size = 48 << 20, bytes = Buffer.alloc(size, 'wakelist'), sha = createHash('sha256').update(bytes).digest('hex');
	const dir = path.join(one.data, 'blobs', sha.slice(0, 2), sha.slice(2, 4));

	fs.mkdirSync(dir, { recursive: true });
	fs.writeFileSync(path.join(dir, sha), bytes);
	// a file without a row, as a killed server leaves it: who is told that it is here may refer to it
	assert.equal((await fetch(`${one.url}/api/v1/blobs/${sha}`, { method: 'HEAD' })).status, 200);
	assert.equal(await db.value(`SELECT bytes FROM blob WHERE sha256 = '${sha}'`), size);
	const read = pauseMs => within(new Promise((resolve, reject) => {
		const socket = net.connect({ port: one.port, host: '127.0.0.1', highWaterMark: 1 << 20 }, () =>
			socket.write(`GET /api/v1/blobs/${sha} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
		let got = 0;

		socket.on('data', piece => {
			if (Math.floor(got / (8 << 20)) !== Math.floor((got + piece.length) / (8 << 20))) {
				socket.pause();
				setTimeout(() => socket.resume(), pauseMs);
			}
			got += piece.length;
		});
		socket.on('close', () => resolve(got));
		socket.on('error', error => (got ? resolve(got) : reject(error)));
	}), 'the end of the blob', 60000);

	assert.ok(await read(500) > size, 'six pauses of half the limit');
	assert.ok(await read(5000) < size, 'a pause of five times the limit');
	await one.stop();
});
