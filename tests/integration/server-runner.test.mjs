// SPDX-License-Identifier: GPL-2.0-or-later
// The runner's protocol: register, lease by long poll, renew, log, blobs, finish; and who is refused.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { Postgres, Server, waitUntil } from '../harness/index.mjs';

let pg, db, server, runner, nJobs = 0;

before(async () => {
	pg = await Postgres.start();
	db = await pg.createDb();
	server = await Server.start({ db });
	runner = await server.token('runner');
});
after(async () => {
	await server?.stop();
	await pg?.stop();
});

const sha = bytes => createHash('sha256').update(bytes).digest('hex');
const call = (method, path_, body, token = runner) => server.api(method, path_, body, { token });
const register = (name, session, more = {}) => call('POST', '/runner/register', { v: 1, name, arch: 'x86_64',
	caps: ['kind:null', 'arch:x86_64'], topology: { cpus: [{}, {}] }, tools: { gcc: '12.2' }, session, test_only: true, ...more });
const lease = (machine_id, session, wait_ms = 0, max = 1) => call('POST', '/runner/lease',
	{ v: 1, machine_id, session, kinds: ['null'], max, wait_ms });
const enqueue = (role = 'boot') => db.value(`SELECT job_enqueue('null', 'runner', 'test:${++nJobs}',
	'{"v":1,"role":"${role}"}', '{kind:null}', 0, NULL)::text AS id`);
const sample = { bench: 'null', load: '1', metric: 'time', n: 0, value: 10.5, unit: 's', better: 'lower' };
const finish = (job, more = {}) => call('POST', `/runner/jobs/${job.id}/finish`, { v: 1, fence: job.fence, outcome: 'done',
	why: 'booted', result: { v: 1, status: 'ok', booted: true, samples: [sample], events: [] }, log: null, ...more });
const state = id => db.value(`SELECT state FROM job WHERE id = ${id}`);

test('a job from lease to finish, once', async () => {
	const { machine_id } = await register('m1', 's1');

	assert.deepEqual((await lease(machine_id, 's1')).jobs, []);
	const waiting = lease(machine_id, 's1', 20000);
	const id = await enqueue();
	const begun = Date.now();
	const { jobs: [job] } = await waiting;

	assert.ok(Date.now() - begun < 1500, 'NOTIFY ends the poll');
	assert.equal(job.id, id);
	assert.equal(job.payload.role, 'boot');
	assert.equal(job.lease_ms, 60000);
	assert.equal(await state(id), 'leased');
	await call('POST', `/runner/jobs/${id}/renew`, { v: 1, fence: job.fence, progress: { done: 1, total: 3, unit: 'runs', text: 'x' } });
	assert.equal((await server.get('/machines/m1')).machine.running[0].progress.done, 1);
	assert.equal((await server.get('/machines')).machines[0].cpus, 2);

	// the log grows by pieces; a wrong offset is told where to go on
	const put = (text, offset, fence = job.fence) => call('PUT', `/runner/jobs/${id}/log?fence=${fence}&offset=${offset}`,
		Buffer.from(text));

	assert.deepEqual(await put('hello ', 0), { v: 1, size: 6 });
	await assert.rejects(put('x', 3), e => e.status === 409 && e.body.size === 6);
	assert.deepEqual(await put('world\n', 6), { v: 1, size: 12 });
	const log = await fetch(`${server.url}/api/v1/jobs/${id}/log?offset=6`);

	assert.equal(await log.text(), 'world\n');
	assert.equal(log.headers.get('x-log-size'), '12');

	// the whole log becomes a blob
	const hex = sha('hello world\n');

	await assert.rejects(finish(job, { log: hex }), /was not uploaded/);
	await call('PUT', `/blobs/${hex}`, Buffer.from('hello world\n'));
	await finish(job, { log: hex });
	assert.equal(await state(id), 'done');
	assert.equal(await (await fetch(`${server.url}/api/v1/jobs/${id}/log`)).text(), 'hello world\n');
	await assert.rejects(finish(job), e => e.status === 409);
	await assert.rejects(put('late', 12), e => e.status === 409);
	await assert.rejects(call('POST', `/runner/jobs/${id}/renew`, { v: 1, fence: job.fence }), e => e.status === 409);
	const { leases } = await server.get(`/jobs/${id}`);

	assert.deepEqual(leases.map(l => [l.fence, l.owner, l.outcome]), [[1, 'm1', 'done']]);
});

test('late results are refused by number', async () => {
	const { machine_id } = await register('m1', 's1');
	const id = await enqueue();
	const { jobs: [first] } = await lease(machine_id, 's1');

	await db.exec(`UPDATE job SET lease_until = clock_timestamp() WHERE id = ${id}`);
	await waitUntil(async () => await state(id) === 'ready', 'the janitor to take it back');
	const { jobs: [second] } = await lease(machine_id, 's1', 5000);

	assert.equal(second.id, id);
	assert.equal(second.fence, first.fence + 1);
	await assert.rejects(finish(first), e => e.status === 409);
	assert.equal(await state(id), 'leased');
	await finish(second);
	assert.equal(await state(id), 'done');
});

test('a new session of a machine frees what the old one had; the old one is told', async () => {
	const { machine_id } = await register('m2', 'a');
	const id = await enqueue();
	const { jobs: [job] } = await lease(machine_id, 'a');

	assert.equal(job.id, id);
	await register('m2', 'b');
	assert.equal(await state(id), 'ready');
	await assert.rejects(lease(machine_id, 'a'), e => e.status === 409 && /another session/.test(e.message));
	const { jobs: [again] } = await lease(machine_id, 'b');

	assert.equal(again.id, id);
	await finish(again, { outcome: 'retry', why: 'no disk', result: null });
	assert.equal(await state(id), 'ready');
	await call('DELETE', '/machines/m2', undefined, await server.token('admin'));
	await assert.rejects(register('m2', 'c'), e => e.status === 409 && /retired/.test(e.message));
	await db.exec(`SELECT job_cancel(${id}, 'test')`);
});

test('a machine that leaves during the poll does not keep the job', async () => {
	const { machine_id } = await register('m3', 's');
	const abort = new AbortController();
	const poll = fetch(`${server.url}/api/v1/runner/lease`, { method: 'POST', signal: abort.signal,
		headers: { authorization: `Bearer ${runner}`, 'content-type': 'application/json' },
		body: JSON.stringify({ v: 1, machine_id, session: 's', kinds: ['null'], wait_ms: 20000 }) }).catch(() => 'left');

	await waitUntil(async () => (await server.get('/status')).waiting_machines === 1, 'the poll to be open');
	abort.abort();
	assert.equal(await poll, 'left');
	await waitUntil(async () => (await server.get('/status')).waiting_machines === 0, 'the server to notice');
	const id = await enqueue();
	const { jobs } = await lease(machine_id, 's', 3000);

	assert.equal(jobs[0]?.id, id);
	assert.equal(jobs[0].fence, 1);
	await finish(jobs[0]);
});

test('results are checked', async () => {
	const { machine_id } = await register('m1', 's1');
	const id = await enqueue();
	const { jobs: [job] } = await lease(machine_id, 's1', 3000);
	const ok = { v: 1, status: 'ok', booted: true, samples: [sample], events: [] };

	for (const [more, words] of [
		[{ outcome: 'splendid' }, /outcome/],
		[{ result: null }, /needs a result/],
		[{ outcome: 'retry' }, /has no result/],
		[{ result: { ...ok, colour: 'red' } }, /colour/],
		[{ result: { ...ok, status: 'fine' } }, /status/],
		[{ result: { ...ok, serial: 'abc' } }, /serial/],
		[{ result: { ...ok, samples: {} } }, /arrays/],
		[{ result: { ...ok, samples: [{ ...sample, better: 'bigger' }] } }, /better/],
		[{ result: { ...ok, samples: [{ ...sample, value: 'x' }] } }, /value/],
		[{ result: { ...ok, samples: [{ ...sample, n: -1 }] } }, /range/],
		[{ result: { ...ok, events: [{ kind: 'panic' }] } }, /event/],
		[{ log: 'x' }, /log/],
		[{ fence: 'one' }, /fence/],
		[{ result: { ...ok, raw: 'b'.repeat(64) } }, /was not uploaded/],
	])
		await assert.rejects(finish(job, more), e => e.status === 400 && words.test(e.message), JSON.stringify(more));
	assert.equal(await state(id), 'leased');
	await finish(job);
});

test('who is refused', async () => {
	const other = await server.token('other', 'runner');
	const { machine_id } = await register('m1', 's1');
	const id = await enqueue();
	const { jobs: [job] } = await lease(machine_id, 's1', 3000);
	const as = token => ({ token });

	await assert.rejects(server.api('POST', '/runner/register', { v: 1, name: 'm1', arch: 'x', caps: [], topology: {},
		session: 'z' }, as(other)), e => e.status === 409 && /another token/.test(e.message));
	await assert.rejects(server.api('POST', '/runner/lease', { v: 1, machine_id, session: 's1', kinds: ['null'] }, as(other)),
		e => e.status === 403);
	await assert.rejects(server.api('POST', `/runner/jobs/${id}/renew`, { v: 1, fence: job.fence }, as(other)),
		e => e.status === 403);
	await assert.rejects(server.api('POST', `/runner/jobs/${id}/finish`, { v: 1, fence: job.fence, outcome: 'park' }, as(other)),
		e => e.status === 403);
	await assert.rejects(server.api('POST', '/runner/lease', { v: 1, machine_id, session: 's1', kinds: ['null'] },
		as(await server.token('submitter'))), e => e.status === 403 && /runner/.test(e.message));
	await assert.rejects(lease('424242', 's1'), e => e.status === 404);
	await finish(job);
	await db.set('test_database', 'no');
	await assert.rejects(register('m9', 's'), e => e.status === 403 && /test database/.test(e.message));
	await assert.rejects(register('m9', 's', { test_only: false }), e => e.status === 403);
	await db.set('test_database', 'yes');
	// a revoked token ends at once, although it was cached
	await server.api('DELETE', '/tokens/other');
	await assert.rejects(server.api('POST', '/runner/lease', { v: 1, machine_id, session: 's1', kinds: ['null'] }, as(other)),
		e => e.status === 401);
});

test('a machine that is silent goes offline, and comes back', async () => {
	const { machine_id } = await register('m4', 's');

	await db.exec("UPDATE machine SET seen_at = now() - interval '2 min' WHERE name = 'm4'");
	await waitUntil(async () => (await server.get('/machines/m4')).machine.state === 'offline', 'offline');
	await lease(machine_id, 's');
	assert.equal((await server.get('/machines/m4')).machine.state, 'online');
});

test('blobs: put, get, ranges, and what is refused', async () => {
	const bytes = randomBytes(3_000_000), hex = sha(bytes);
	const url = `${server.url}/api/v1/blobs/${hex}`;

	assert.equal((await fetch(url, { method: 'HEAD' })).status, 404);
	assert.deepEqual(await call('PUT', `/blobs/${hex}`, bytes), { v: 1, sha256: hex, bytes: 3_000_000 });
	assert.equal((await call('PUT', `/blobs/${hex}`, bytes)).bytes, 3_000_000);
	const head = await fetch(url, { method: 'HEAD' });

	assert.equal(head.status, 200);
	assert.equal(head.headers.get('content-length'), '3000000');
	assert.ok(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes));
	for (const [range, due, from, to] of [
		['bytes=0-9', 206, 0, 10], ['bytes=2999990-', 206, 2999990, 3000000], ['bytes=-5', 206, 2999995, 3000000],
		['bytes=10-99999999', 206, 10, 3000000], ['bytes=3000000-', 416], ['bytes=5-2', 416],
		['bytes=0-1,4-5', 200, 0, 3000000], ['lines=1', 200, 0, 3000000],
	]) {
		const part = await fetch(url, { headers: { range } });

		assert.equal(part.status, due, range);
		if (due === 416)
			assert.equal(part.headers.get('content-range'), 'bytes */3000000');
		else
			assert.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(from, to)), range);
	}
	assert.equal((await fetch(url, { headers: { 'if-none-match': `"${hex}"` } })).status, 304);
	assert.match((await fetch(url)).headers.get('content-type'), /octet-stream/);
	// the body comes while the token is still being looked up
	for (let i = 0; i < 3; i++) {
		await server.token(`short${i}`, 'runner');
		await server.api('DELETE', `/tokens/short${i}`); // empties the cache
		assert.equal((await call('PUT', `/blobs/${hex}`, bytes)).bytes, 3_000_000);
	}
	const text = Buffer.from('From: a\n\nhello\n');

	await call('PUT', `/blobs/${sha(text)}`, text);
	assert.match((await fetch(`${server.url}/api/v1/blobs/${sha(text)}`)).headers.get('content-type'), /text\/plain/);
	await call('PUT', `/blobs/${sha('')}`, Buffer.alloc(0));
	assert.equal((await fetch(`${server.url}/api/v1/blobs/${sha('')}`)).status, 200);

	await assert.rejects(call('PUT', `/blobs/${'0'.repeat(64)}`, bytes), e => e.status === 400 && /SHA-256/.test(e.message));
	await assert.rejects(call('PUT', '/blobs/..%2f..%2fetc', bytes), e => e.status === 400);
	await assert.rejects(call('PUT', `/blobs/${hex}`, bytes, await server.token('submitter')), e => e.status === 403);
	await assert.rejects(server.api('PUT', `/blobs/${hex}`, bytes, { token: null }), e => e.status === 401);
	assert.deepEqual(fs.readdirSync(path.join(server.data, 'blobs/spool')), [], 'nothing half is left');
});
