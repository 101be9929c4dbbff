// SPDX-License-Identifier: GPL-2.0-or-later
// wakelistd starts, refuses to start with one clear sentence, and stops without losing a request.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { BIN, Postgres, Server, TOP, run, tempDir, waitUntil, within } from '../harness/index.mjs';

let pg, db;

before(async () => {
	pg = await Postgres.start();
	db = await pg.createDb();
});
after(async () => {
	await pg?.stop();
});

const wakelistd = (args, options) => run(path.join(BIN, 'wakelistd'), args, options);
const serve = (...args) => wakelistd(['--db', db.dsn('wakelist_server'), '--web', path.join(TOP, 'web'), ...args],
	{ codes: [3], timeoutMs: 20000 });

test('a port in use, a data folder in use', async () => {
	const server = await Server.start({ db });
	const port = await serve('--data', tempDir(), '--listen', `127.0.0.1:${server.port}`);

	assert.match(port.err, new RegExp(`^wakelistd: 127.0.0.1:${server.port} is in use: another program listens there`, 'm'));
	const data = await serve('--data', server.data, '--listen', '127.0.0.1:0');

	assert.match(data.err, /^wakelistd: data folder .* is in use.*\b\d+\b/m);
	assert.ok(data.err.includes(String(server.proc.pid)), data.err);
	await server.stop();
});

test('what cannot be listened on, a web folder that is none, unknown options and commands', async () => {
	for (const at of ['nonsense', '127.0.0.1', '127.0.0.1:99999', 'localhost:80'])
		assert.match((await serve('--data', tempDir(), '--listen', at)).err, /ADDRESS:PORT|names no port/, at);
	assert.match((await serve('--data', tempDir(), '--web', tempDir())).err, /index\.html/);
	assert.match((await wakelistd(['--colour', 'red'], { codes: [2] })).err, /colour/);
	assert.match((await wakelistd(['dance'], { codes: [2] })).err, /dance/);
	assert.match((await wakelistd(['token', 'create', 'x'], { codes: [2] })).err, /usage/);
	assert.match((await wakelistd(['token', 'create', 'x', 'king', '--db', db.dsn()], { codes: [3] })).err, /king/);
	assert.match((await wakelistd(['setting', 'set', 'nothing', '1', '--db', db.dsn()], { codes: [3] })).err, /nothing/);
});

test('a schema that is newer, older, or changed', async () => {
	const newer = await pg.createDb();

	await newer.exec("INSERT INTO schema_migration VALUES (9999, 'future', repeat('0', 64))");
	const refuse = async database => (await wakelistd(['--db', database.dsn('wakelist_server'), '--web',
		path.join(TOP, 'web'), '--data', tempDir(), '--listen', '127.0.0.1:0'], { codes: [3], timeoutMs: 20000 })).err;

	assert.match(await refuse(newer), /newer/);
	const older = await pg.createDb();

	await older.exec('DELETE FROM schema_migration WHERE version = (SELECT max(version) FROM schema_migration)');
	assert.match(await refuse(older), /migrate/);
	// a server that runs while somebody migrates under it stops
	const server = await Server.start({ db: await pg.createDb() });

	await server.db.exec("INSERT INTO schema_migration VALUES (9999, 'future', repeat('0', 64))");
	await server.db.cut();
	await waitUntil(() => !server.proc.alive, 'the server to end');
	assert.ok(server.logContains('ev=schema'));
});

test('settings and tokens offline', async () => {
	await wakelistd(['setting', 'set', 'plan_blocks', '3', '--db', db.dsn()]);
	assert.equal((await wakelistd(['setting', 'get', 'plan_blocks', '--db', db.dsn()])).out, '3\n');
	assert.match((await wakelistd(['setting', 'get', '--db', db.dsn()])).out, /^plan_runs_per_boot /m);
	const { out } = await wakelistd(['token', 'create', 'someone', 'submitter', '--db', db.dsn()]);

	assert.match(out, /^wl_[A-Za-z0-9_-]{43}\n$/);
	assert.match((await wakelistd(['token', 'ls', '--db', db.dsn()])).out, /^someone +submitter /m);
	assert.match((await wakelistd(['token', 'create', 'someone', 'admin', '--db', db.dsn()], { codes: [3] })).err, /already/);
	await wakelistd(['token', 'revoke', 'someone', '--db', db.dsn()]);
	assert.match((await wakelistd(['token', 'ls', '--db', db.dsn()])).out, /^someone .*revoked$/m);
	const stored = await db.value("SELECT encode(hash, 'escape') FROM token WHERE name = 'someone'");

	assert.ok(!stored.includes(out.trim().slice(3)), 'only a hash is stored');
});

test('the database goes away and comes back: 503 meanwhile, no restart', async () => {
	const server = await Server.start({ db });
	const pid = server.proc.pid;

	await pg.kill();
	await waitUntil(async () => (await fetch(`${server.url}/healthz`)).status === 503, 'healthz to say so');
	const away = await fetch(`${server.url}/api/v1/lists`);

	assert.equal(away.status, 503);
	assert.equal((await away.json()).error.code, 'unavailable');
	assert.ok(away.headers.get('retry-after'));
	assert.equal((await fetch(`${server.url}/`)).status, 200, 'pages need no database');
	await pg.start();
	await waitUntil(async () => (await fetch(`${server.url}/api/v1/lists`)).status === 200, 'lists to be back');
	assert.equal(server.proc.pid, pid);
	await server.stop();
});

test('a graceful stop: requests under way are answered, long polls end, streams are told, nobody new gets in', async () => {
	const server = await Server.start({ db });
	const runner = await server.token('runner');
	const { machine_id } = await server.api('POST', '/runner/register', { v: 1, name: 'stopper', arch: 'x86_64',
		caps: ['kind:null'], topology: {}, session: 's', test_only: true }, { token: runner });
	const poll = server.api('POST', '/runner/lease', { v: 1, machine_id, session: 's', kinds: ['null'], wait_ms: 30000 },
		{ token: runner });
	const stream = server.events();
	const idle = net.connect(server.port, '127.0.0.1');
	const hung = net.connect(server.port, '127.0.0.1', () => hung.write('POST /api/v1/lists HTTP/1.1\r\n'));

	hung.on('error', () => {});
	idle.on('error', () => {});
	await waitUntil(async () => {
		const s = await server.get('/status');

		return s.streams === 1 && s.waiting_machines === 1;
	}, 'the stream and the poll to be open');
	const begun = Date.now();
	const stopped = server.stop();

	assert.deepEqual((await poll).jobs, []);
	await within(stopped, 'the stop', 8000);
	assert.ok(Date.now() - begun < 7000, 'within its 5 s');
	await stream.done;
	assert.ok(stream.ended);
	assert.equal(server.proc.exit.code, 0);
	idle.destroy();
	hung.destroy();
	await server.start();
	assert.equal((await server.get('/lists')).v, 1);
	await server.stop();
});

test('SIGHUP reads the pages again', async () => {
	const web = tempDir('wl-web');

	fs.writeFileSync(path.join(web, 'index.html'), '<!doctype html><title>one</title>');
	const server = await Server.start({ db, args: ['--web', web] });
	const page = async () => (await fetch(`${server.url}/`)).text();

	assert.match(await page(), /one/);
	fs.writeFileSync(path.join(web, 'index.html'), '<!doctype html><title>two</title>');
	assert.match(await page(), /one/);
	process.kill(server.proc.pid, 'SIGHUP');
	await server.proc.waitLog('ev=pages_reloaded');
	assert.match(await page(), /two/);
	fs.rmSync(path.join(web, 'index.html'));
	process.kill(server.proc.pid, 'SIGHUP');
	await server.proc.waitLog('ev=pages_kept');
	assert.match(await page(), /two/);
	await server.stop();
});
