// SPDX-License-Identifier: GPL-2.0-or-later
// Lists over HTTP: the manifest is asked politely, a change enqueues the poll, and trouble is said in words.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { Postgres, Server, freePort, waitUntil } from '../harness/index.mjs';

let pg, db, server, archive, answer;
const asked = [];

const manifest = fingerprint => gzipSync(JSON.stringify({ '/sched/git/0.git': { reference: null, fingerprint,
	description: 'x', modified: 1, owner: 'x' } }));

before(async () => {
	pg = await Postgres.start();
	db = await pg.createDb();
	server = await Server.start({ db, args: ['--contact', 'mailto:someone@example.org'] });
	archive = http.createServer((request, response) => {
		asked.push({ url: request.url, headers: request.headers, at: Date.now() });
		answer(request, response);
	});
	await new Promise(resolve => archive.listen(0, '127.0.0.1', resolve));
});
after(async () => {
	await server?.stop();
	archive?.closeAllConnections();
	archive?.close();
	await pg?.stop();
});

const url = () => `http://127.0.0.1:${archive.address().port}/sched`;
const list = async name => (await server.get(`/lists/${name}`)).list;
const poll = id => db.value(`SELECT state FROM job WHERE key = 'poll:${id}'`);
// as a worker would: the poll is done
const walk = id => db.exec(`SELECT job_claim('worker', '{ingest}', '{}', 'w', NULL, 60000, 10);
	SELECT job_finish(id, fence, 'done', '', NULL, NULL) FROM job WHERE key = 'poll:${id}'`);
// due for the server, which takes lists 5 s early, and not yet for the workers' clock
const DUE = "now() + interval '3 s'";
const soon = name => db.exec(`UPDATE list SET next_poll_at = ${DUE} WHERE name = '${name}'`);
const nextAsk = async () => {
	const n = asked.length;

	return waitUntil(() => asked.length > n && asked.at(-1), 'the archive to be asked');
};

test('unchanged manifests cost nothing, changed ones enqueue a poll', async () => {
	answer = (request, response) => {
		if (request.headers['if-none-match'] === '"one"')
			return response.writeHead(304).end();
		response.writeHead(200, { 'content-type': 'application/gzip', etag: '"one"', 'last-modified': 'Tue, 01 Dec 2026 00:00:00 GMT' });
		response.end(manifest('aaaa'));
	};
	const first = nextAsk();
	const { list: { id } } = await server.api('POST', '/lists', { v: 1, name: 'sched', url: url() });

	assert.equal(await poll(id), 'ready', 'the first poll does not wait');
	assert.equal((await first).url, '/sched/manifest.js.gz');
	assert.match((await first).headers['user-agent'], /^wakelist\/[\d.]+ \(\+mailto:someone@example\.org\)$/);
	await walk(id);
	assert.equal(await poll(id), 'done');

	const again = nextAsk();

	await soon('sched');
	assert.equal((await again).headers['if-none-match'], '"one"');
	assert.equal((await again).headers['if-modified-since'], 'Tue, 01 Dec 2026 00:00:00 GMT');
	await waitUntil(async () => (await list('sched')).polled_at, 'the answer to be noted');
	assert.equal(await poll(id), 'done', 'nothing changed, nothing to do');

	answer = (request, response) => response.writeHead(200, { 'content-type': 'application/gzip' }).end(manifest('bbbb'));
	await soon('sched');
	await waitUntil(async () => await poll(id) === 'ready', 'a poll after the change');
	await walk(id);
	await server.api('DELETE', '/lists/sched');
});

test('what goes wrong stands at the list in words, with back-off', async () => {
	const port = await freePort();
	const { list: { id } } = await server.api('POST', '/lists', { v: 1, name: 'gone', url: `http://127.0.0.1:${port}/x` });

	await walk(id);
	const down = await waitUntil(async () => {
		const l = await list('gone');

		return l.failures > 0 && l;
	}, 'the failure to be noted');

	assert.match(down.why, new RegExp(`127.0.0.1:${port}/x/manifest.js.gz: .*connect`, 'i'));
	const wait = (Date.parse(down.next_poll_at) - Date.now()) / 1000;

	assert.ok(wait > 40 && wait < 80, `asked again in a minute, not ${wait} s`);
	assert.ok((await server.get('/lists')).lists.some(l => l.name === 'gone' && l.why), 'the others see it too');

	for (const [reply, words] of [
		[[404, {}, 'no'], /there is no list.*404/],
		[[200, { 'content-type': 'text/html' }, '<html>prove that you are human</html>'], /a page/],
		[[200, {}, 'not gzip'], /manifest\.js\.gz/],
		[[200, {}, gzipSync('{"/x/description":{}}')], /no git epoch/],
		[[200, {}, manifest('x').subarray(0, 20)], /gzip/],
		[[200, {}, gzipSync(Buffer.alloc(8 << 20, 0x20))], /MiB/],
		[[302, { location: 'http://localhost:1/sched/manifest.js.gz' }, ''], /another host/],
		[[302, { location: '/sched/manifest.js.gz' }, ''], /redirects more than 3/],
		[[500, {}, ''], /answered 500/],
	]) {
		answer = (request, response) => response.writeHead(reply[0], reply[1]).end(reply[2]);
		await db.exec(`UPDATE list SET url = '${url()}', failures = 0, why = '', next_poll_at = ${DUE} WHERE name = 'gone'`);
		const l = await waitUntil(async () => {
			const now = await list('gone');

			return now.why && now;
		}, `trouble: ${words}`);

		assert.match(l.why, words);
	}
	answer = (request, response) => response.writeHead(503, { 'retry-after': '7200' }).end();
	await db.exec(`UPDATE list SET failures = 0, why = '', next_poll_at = ${DUE} WHERE name = 'gone'`);
	const busy = await waitUntil(async () => {
		const now = await list('gone');

		return now.why && now;
	}, 'Retry-After to be heard');

	assert.match(busy.why, /left alone/);
	assert.ok(Date.parse(busy.next_poll_at) - Date.now() > 7000_000, 'two hours, as it asked');

	answer = (request, response) => (request.url === '/sched/manifest.js.gz'
		? response.writeHead(301, { location: '/elsewhere' }).end() : response.writeHead(200).end(manifest('zz')));
	assert.equal(await poll(id), 'done');
	await soon('gone');
	await waitUntil(async () => await poll(id) === 'ready', 'a redirect on the same host to be followed');
});
