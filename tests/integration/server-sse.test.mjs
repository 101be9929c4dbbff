// SPDX-License-Identifier: GPL-2.0-or-later
// Event streams: live events, resuming after an id, reload when that is impossible, slow readers, a lost database.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, test } from 'node:test';

import { Postgres, Server, waitUntil } from '../harness/index.mjs';

let pg, db, server;

before(async () => {
	pg = await Postgres.start();
	db = await pg.createDb();
	server = await Server.start({ db });
});
after(async () => {
	await server?.stop();
	await pg?.stop();
});

const add = (entity_id, n = 1, series = 'NULL') => db.exec(`INSERT INTO event (entity, entity_id, series_id, what, data)
	SELECT 'tree', ${entity_id}, ${series}, 'progress', '{"text":"x"}' FROM generate_series(1, ${n})`);
const open = async (query, options) => {
	const stream = server.events(query, options);
	const was = (await server.get('/status')).streams;

	await waitUntil(() => stream.status === 200, `the stream (${was} are open)`);
	return stream;
};
const entityIds = stream => stream.events.filter(e => e.event === 'tree').map(e => Number(e.json.entity_id));

test('events arrive as they happen, with ids, and only those of the series that was asked for', async () => {
	const all = await open();
	const one = await open('?series=77');

	await add(1);
	await add(2, 1, '77');
	await add(3, 1, '78');
	await all.waitFor(e => e.json?.entity_id === '3', 'the third');
	await one.waitFor(e => e.json?.entity_id === '2', 'its own');
	assert.deepEqual(entityIds(all), [1, 2, 3]);
	assert.deepEqual(entityIds(one), [2]);
	const [first] = all.events;

	assert.equal(first.event, 'tree');
	assert.match(first.id, /^\d+$/);
	assert.deepEqual(Object.keys(first.json).sort(), ['at', 'data', 'entity', 'entity_id', 'id', 'series_id', 'v', 'what']);
	await Promise.all([all.close(), one.close()]);
	await waitUntil(async () => (await server.get('/status')).streams === 0, 'the server to notice that both left');
});

test('a client resumes after the last id it saw, and misses nothing, also across a restart', async () => {
	const stream = await open();

	await add(10, 5);
	await waitUntil(() => stream.events.length === 5, 'five events');
	const last = stream.events[2].id;

	await stream.close();
	await add(11, 700); // more than a page of the backlog
	await server.restart();
	const again = await open('', { lastId: last });

	await waitUntil(() => entityIds(again).filter(id => id === 11).length === 700, 'the backlog');
	assert.equal(entityIds(again).filter(id => id === 10).length, 2);
	await add(12);
	await again.waitFor(e => e.json?.entity_id === '12', 'a live one after the backlog');
	const ids = again.events.filter(e => e.event === 'tree').map(e => e.json.id);

	assert.equal(new Set(ids).size, ids.length, 'none twice when nothing overlapped');
	await again.close();
	const byQuery = await open(`?after=${last}`);

	await waitUntil(() => entityIds(byQuery).length === 703, 'the same by ?after');
	await byQuery.close();
});

test('a transaction that commits late is not lost to one who resumes', async () => {
	// id A is given out, then B is committed, then A
	await db.exec(`CREATE EXTENSION IF NOT EXISTS dblink`);
	const stream = await open();
	const socket = `host=${pg.dir}/sock user=postgres dbname=${db.name}`;

	await db.exec(`
		SELECT dblink_connect('late', '${socket}');
		SELECT dblink_exec('late', 'BEGIN');
		SELECT dblink_exec('late', 'INSERT INTO event (entity, entity_id, what) VALUES (''tree'', 20, ''late'')');
		INSERT INTO event (entity, entity_id, what) VALUES ('tree', 21, 'early');
		SELECT pg_notify('wl_event', (SELECT max(id) FROM event)::text);
		SELECT dblink_connect('early', '${socket}');
		SELECT dblink_exec('early', 'INSERT INTO event (entity, entity_id, what) VALUES (''tree'', 22, ''early'')');
		SELECT pg_sleep(0.3);
		SELECT dblink_exec('late', 'COMMIT');`);
	const early = await stream.waitFor(e => e.json?.entity_id === '22', 'the one that committed first');

	await stream.close();
	const resumed = await open('', { lastId: early.id });

	await resumed.waitFor(e => e.json?.entity_id === '20', 'the late one');
	await resumed.close();
});

test('too long ago, or from another database: reload', async () => {
	await add(30, 3);
	await db.exec('DELETE FROM event WHERE id <= (SELECT max(id) FROM event) - 2');
	const old = await open('', { lastId: 1 });

	await old.waitFor(e => e.event === 'reload', 'reload');
	await add(31);
	await old.waitFor(e => e.json?.entity_id === '31', 'live ones after it');
	await old.close();
	const future = await open('', { lastId: 99999999 });

	await future.waitFor(e => e.event === 'reload', 'reload');
	await future.close();
	const wrong = await fetch(`${server.url}/api/v1/events`, { headers: { 'last-event-id': 'yesterday' } });

	assert.equal(wrong.status, 400);
});

test('a reader that does not read is dropped, the others go on', async () => {
	const good = await open();
	const bad = net.connect(server.port, '127.0.0.1');

	bad.pause();
	bad.on('error', () => {});
	bad.write('GET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n');
	await waitUntil(async () => (await server.get('/status')).streams === 2, 'both to be open');
	for (let i = 0; i < 60 && !server.logContains('ev=sse_slow'); i++)
		await db.exec(`INSERT INTO event (entity, entity_id, what, data)
			SELECT 'tree', 40, 'progress', jsonb_build_object('text', repeat('x', 4000)) FROM generate_series(1, 50)`);
	await waitUntil(async () => (await server.get('/status')).streams === 1, 'the slow one to be dropped');
	assert.ok(server.logContains('ev=sse_slow'));
	await add(41);
	await good.waitFor(e => e.json?.entity_id === '41', 'events for the good one');
	bad.destroy();
	await good.close();
});

test('the database restarts: reload, then live events again', async () => {
	const stream = await open();

	await pg.restart();
	await stream.waitFor(e => e.event === 'reload', 'reload');
	await add(50);
	await stream.waitFor(e => e.json?.entity_id === '50', 'a live one');
	await stream.close();
});

test('no more streams than the cap', async () => {
	const small = await Server.start({ db, args: ['--max_streams', '2'] });
	const streams = [small.events(), small.events()];

	await waitUntil(() => streams.every(s => s.status === 200), 'two streams');
	const third = await fetch(`${small.url}/api/v1/events`);

	assert.equal(third.status, 503);
	assert.match((await third.json()).error.message, /2 event streams/);
	await Promise.all(streams.map(s => s.close()));
	await small.stop();
});
