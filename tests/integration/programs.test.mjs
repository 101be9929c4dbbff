// SPDX-License-Identifier: GPL-2.0-or-later
// The programs start, are killed and come back, each alone; a mail gets through afterwards.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';

import { BIN, Inbox, Postgres, Runner, Server, Worker, makeMail, run, tempDir, waitUntil } from '../harness/index.mjs';

const body = '---\n kernel/sched/fair.c | 1 +\n';
const mail = n => makeMail({ subject: `[PATCH] sched/fair: change ${n}`, id: `${n}@example.org`, body });
let pg, db, server, worker, runner, inbox;

after(async () => {
	for (const one of [runner, worker, server, inbox, pg])
		await one?.stop();
});

const mails = n => waitUntil(async () => await db.value('SELECT count(*)::int FROM mail') === n, `${n} mails`);

test('all start, and a list is read', async () => {
	pg = await Postgres.start();
	db = await pg.createDb();
	server = await Server.start({ db });
	worker = await Worker.start({ server });
	runner = await Runner.start({ server });
	inbox = await Inbox.create([mail(1)]);

	const events = server.events();

	await server.api('POST', '/lists', { v: 1, name: 'sched', url: inbox.path, poll_ms: 1000 });
	await mails(1);
	await events.waitFor(e => e.event === 'list', 'the list');
	await events.close();
	assert.match((await server.cli(['list', 'ls'])).out, /^sched +active/m);
});

test('each dies by kill -9 and comes back', async () => {
	for (const one of [worker, runner, server, pg]) {
		await one.kill();
		await one.start();
	}
	await waitUntil(() => server.get('/status'), 'the server to answer again');
	await inbox.add(mail(2));
	await mails(2);
});

test('who may not, may not', async () => {
	await assert.rejects(server.api('POST', '/lists', { v: 1, name: 'x', url: '/x' }, { token: null }), e => e.status === 401);
	await assert.rejects(server.api('POST', '/lists', { v: 1, name: 'x', url: '/x' }, { token: 'nonsense' }),
		e => e.status === 401);
});

test('a data folder that the children of jobs could not enter is refused', { skip: process.getuid() !== 0 }, async () => {
	const data = tempDir('wl-closed');

	fs.chmodSync(data, 0o700);
	const { err } = await run(path.join(BIN, 'wakelist-worker'), ['--data', data, '--db', db.dsn('wakelist_worker')],
		{ codes: [3], env: { PATH: '/nonexistent' } }); // no bubblewrap there

	assert.match(err, new RegExp(`why="${data} cannot be entered by user \\d+, whom jobs run as: chmod a\\+x`, 'm'));
});
