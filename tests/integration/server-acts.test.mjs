// SPDX-License-Identifier: GPL-2.0-or-later
// What people do through the API: lists, trees, submissions, tokens, jobs, series, replies; and the shape of answers.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { Postgres, Server } from '../harness/index.mjs';

let pg, db, server;

before(async () => {
	pg = await Postgres.start();
	db = await pg.createDb();
	server = await Server.start({ db, args: ['--watch=no'] });
});
after(async () => {
	await server?.stop();
	await pg?.stop();
});

const sha = text => createHash('sha256').update(text).digest('hex');
const putBlob = text => {
	const hex = sha(text), dir = path.join(server.data, 'blobs', hex.slice(0, 2), hex.slice(2, 4));

	fs.mkdirSync(dir, { recursive: true });
	fs.writeFileSync(path.join(dir, hex), text);
	return hex;
};
const fails = (promise, status, words) => assert.rejects(promise, e => e.status === status && words.test(e.message),
	`${status} ${words}`);
// A row in a state that it would take the whole chain to reach: the state machine looks away.
const insert = sql => db.exec(`SET session_replication_role = replica; CREATE TABLE IF NOT EXISTS test_id (id text); DELETE FROM test_id;
	WITH x AS (${sql} RETURNING id::text) INSERT INTO test_id SELECT id FROM x`).then(() => db.value('SELECT id FROM test_id'));
const addSeries = (state, { root = 'root@x', why = '' } = {}) => insert(`INSERT INTO series (root_message_id, version, title,
	author_name, author_email, received, total, state, content, facts, first_time, last_time, why) VALUES ('${root}', '1',
	'sched: a title', 'Ada', 'ada@example.org', 1, 1, '${state}', 'c', '{"complete_why":"all 1 part is here"}', now(), now(), '${why}')`);

test('lists', async () => {
	const made = await server.api('POST', '/lists', { v: 1, name: 'a', url: '/srv/a/git/0.git', match: ['kernel/sched/', '!x.c'],
		reply: '', tree: null, poll_ms: 5000 });

	assert.deepEqual(made.list.match, ['kernel/sched/', '!x.c']);
	assert.equal(made.list.reply, 'hold');
	assert.equal(made.list.poll_ms, 5000);
	assert.equal(made.list.tree, null);
	await fails(server.api('POST', '/lists', { v: 1, name: 'a', url: '/srv/b' }), 409, /named a already/);
	assert.deepEqual((await server.get('/lists')).lists.map(l => l.name), ['a']);
	const { job_id } = await server.api('POST', '/lists/a/poll');

	assert.equal((await server.get(`/jobs/${job_id}`)).job.op, 'poll');
	await server.api('POST', '/lists/a/poll', { v: 1 });
	await fails(server.api('POST', '/lists/a/poll', { v: 1, now: true }), 400, /now/);
	await fails(server.api('POST', '/lists', { v: 1, name: 'b', url: '/x' }, { token: await server.token('runner') }), 403, /submitter/);
	await server.api('DELETE', '/lists/a');
	await fails(server.get('/lists/a'), 404, /lists\/a/);
	assert.equal((await server.get(`/jobs/${job_id}`)).job.state, 'cancelled');
});

test('trees', async () => {
	for (const [body, words] of [
		[{ name: 't', kind: 'svn', source: '/x' }, /kind/], [{ name: 't', kind: 'git', source: 'ssh://h/x' }, /no http/],
		[{ name: 't', kind: 'git', source: 'https://me:pw@h/x' }, /names a user/],
		[{ name: 't', kind: 'git', source: '/x', branches: ['series/1/v1'] }, /no name of a branch/],
		[{ name: 't', kind: 'git', source: '/x', fetch_ms: 5 }, /fetch_ms/],
		[{ name: 't', kind: 'dir', source: '/x', fetch_ms: 5000 }, /kind git/], [{ name: 't', kind: 'dir', source: 'x' }, /absolute/],
		[{ name: '../t', kind: 'dir', source: '/x' }, /no name/],
	])
		await fails(server.api('POST', '/trees', { v: 1, ...body }), 400, words);
	const { tree } = await server.api('POST', '/trees', { v: 1, name: 't', kind: 'tarball', source: '/usr/src/none.tar.xz' });

	assert.equal(tree.state, 'importing');
	assert.equal(await db.value("SELECT count(*)::int FROM job WHERE kind = 'tree' AND state = 'ready'"), 1);
	await fails(server.api('POST', '/trees', { v: 1, name: 't', kind: 'dir', source: '/x' }), 409, /already/);
	await server.api('POST', '/lists', { v: 1, name: 'l', url: '/x', tree: 't' });
	await fails(server.api('DELETE', '/trees/t'), 409, /used by 1 lists/);
	await server.api('DELETE', '/lists/l');
	await fails(server.api('POST', '/trees/t/fetch'), 409, /imported once/);
	await server.api('DELETE', '/trees/t');
	const git = (await server.api('POST', '/trees', { v: 1, name: 'g', kind: 'git', source: 'https://git.example.org/l.git',
		branches: ['master', 'next'], fetch_ms: 60000 })).tree;

	assert.deepEqual([git.state, git.branch, git.branches, git.fetch_ms], ['importing', 'master', [], 60000]);
	const { job_id } = await server.api('POST', '/trees/g/fetch');

	assert.equal((await server.get(`/jobs/${job_id}`)).job.op, 'fetch');
	await server.api('DELETE', '/trees/g');
	assert.equal((await server.get(`/jobs/${job_id}`)).job.state, 'cancelled');
	assert.deepEqual((await server.get('/trees')).trees, []);
});

test('submissions take ids as people write them', async () => {
	for (const [text, id, url] of [
		['20260101.1-1-a@b.org', '20260101.1-1-a@b.org', null],
		[' <a+b@c.org> ', 'a+b@c.org', null],
		['https://lore.kernel.org/lkml/x%2Fy@z.org/T/#u', 'x/y@z.org', 'https://lore.kernel.org/lkml/'],
	]) {
		const { id: number } = await server.api('POST', '/submissions', { v: 1, message_id: text, list: '', tree: '' },
			{ token: await server.token('submitter') });
		const now = await server.get(`/submissions/${number}`);

		assert.equal(now.message_id, id);
		assert.equal(now.url, url);
		assert.equal(now.state, 'fetching');
		assert.equal(await db.value(`SELECT payload->>'submission_id' FROM job WHERE key = 'thread:${number}'`), number);
	}
	await fails(server.api('POST', '/submissions', { v: 1, message_id: 'no id' }), 400, /./);
	await fails(server.api('POST', '/submissions', { v: 1, message_id: 'a@b', list: 'none' }), 404, /list none/);
	await fails(server.api('POST', '/submissions', { v: 1, message_id: 'a@b', url: 'file:///etc' }), 400, /http/);
	// a list that can only be read whole is read first
	await server.api('POST', '/lists', { v: 1, name: 'p', url: '/srv/p' });
	const { id } = await server.api('POST', '/submissions', { v: 1, message_id: 'q@r', list: 'p' });

	const load = () => db.value(`SELECT work_ingest_thread_load(j)->>'why' FROM job j WHERE key = 'thread:${id}'`);

	assert.equal(await load(), 'a list is still being read');
	await server.api('DELETE', '/lists/p');
	assert.equal(await load(), null);
});

test('tokens', async () => {
	const { token } = await server.api('POST', '/tokens', { v: 1, name: 'new', role: 'submitter' });

	await server.api('POST', '/submissions', { v: 1, message_id: 'a@b' }, { token });
	const { tokens } = await server.get('/tokens');

	assert.ok(!JSON.stringify(tokens).includes(token.slice(3)));
	assert.ok(tokens.find(t => t.name === 'new').used_at);
	await fails(server.api('POST', '/tokens', { v: 1, name: 'new', role: 'admin' }), 409, /already/);
	await fails(server.api('POST', '/tokens', { v: 1, name: 'x', role: 'king' }), 400, /role/);
	await fails(server.api('POST', '/tokens', { v: 1, name: 'x', role: 'admin' }, { token }), 403, /admin/);
	// revoked by somebody else's server: the notification empties this one's cache
	await db.exec("SELECT api_token_revoke('new')");
	await new Promise(resolve => setImmediate(resolve));
	let last;

	for (let i = 0; i < 100 && last !== 401; i++)
		last = (await server.api('POST', '/submissions', { v: 1, message_id: 'a@b' }, { token, raw: true })).status;
	assert.equal(last, 401);
});

test('series: the list, its pages, one, and by message-id', async () => {
	const ids = [];

	for (let i = 0; i < 5; i++)
		ids.push(await addSeries('not_ours', { root: `m${i}@x` }));
	await db.exec(`INSERT INTO mail (message_id, blob, received_at, order_time, kind, subject, author_name, author_email, facts)
		VALUES ('a/b@x', '${'a'.repeat(64)}', now(), now(), 'patch', 'sched: a title', 'Ada', 'ada@example.org', '{}');
		INSERT INTO series_part SELECT ${ids[0]}, '1', max(id) FROM mail`);
	const first = await server.get('/series?limit=2');

	assert.equal(first.series.length, 2);
	const second = await server.get(`/series?limit=2&before=${first.next}`);
	const third = await server.get(`/series?limit=2&before=${second.next}`);

	assert.deepEqual([...first.series, ...second.series, ...third.series].map(s => s.id), [...ids].reverse());
	assert.equal(third.next, null);
	assert.equal(first.counts.not_ours, 5);
	assert.equal((await server.get('/series?q=ADA')).series.length, 5);
	assert.equal((await server.get('/series?q=100%25')).series.length, 0);
	assert.equal((await server.get('/series?state=running')).series.length, 0);
	await fails(server.get('/series?state=foo'), 400, /state=foo is none of waiting, .*answered/);
	await fails(server.get('/series/999'), 404, /there is no series 999$/);
	await fails(server.get('/machines/none'), 404, /there is no machine none$/);
	await fails(server.get('/series?before=x'), 400, /before/);
	await fails(server.get('/series?limit=0'), 400, /limit/);

	const one = await server.get(`/series/${ids[0]}`);

	assert.deepEqual(Object.keys(one).sort(), ['application', 'events', 'jobs', 'missing', 'notes', 'parts', 'plan', 'reply',
		'series', 'stages', 'v', 'verdicts', 'versions']);
	assert.deepEqual(one.stages.map(s => s.name), ['watch', 'assemble', 'apply', 'plan', 'build', 'run', 'analyse', 'reply']);
	assert.equal(one.parts[0].message_id, 'a/b@x');
	assert.equal(one.series.final, true);
	assert.match(one.series.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
	assert.equal((await server.get('/r/a%2Fb@x')).series_id, ids[0]);
	await fails(server.get('/r/none@x'), 404, /none@x/);
	await fails(server.api('POST', `/series/${ids[0]}/retry`), 409, /only a failed one/);
	const failed = await addSeries('failed', { why: 'the tree was gone' });

	await server.api('POST', `/series/${failed}/retry`, { v: 1 });
	assert.equal((await server.get(`/series/${failed}`)).series.state, 'complete');
});

test('jobs: cancel, and retry with what waited for them', async () => {
	const a = await db.value("SELECT job_enqueue('null', 'runner', 'A', '{}', '{}', 0, NULL)::text AS id");
	const b = await db.value(`SELECT job_enqueue('null', 'runner', 'B', '{}', '{}', 0, NULL, ARRAY[${a}])::text AS id`);
	const state = async id => (await server.get(`/jobs/${id}`)).job.state;

	assert.equal(await state(b), 'waiting');
	await server.api('POST', `/jobs/${a}/cancel`);
	assert.deepEqual([await state(a), await state(b)], ['cancelled', 'skipped']);
	assert.match((await server.get(`/jobs/${a}`)).job.why, /cancelled by admin/);
	await fails(server.api('POST', `/jobs/${a}/cancel`), 409, /cancelled already/);
	await server.api('POST', `/jobs/${a}/retry`);
	assert.deepEqual([await state(a), await state(b)], ['ready', 'waiting']);
	await fails(server.api('POST', `/jobs/${a}/retry`), 409, /ready/);
});

test('replies: read, approve these bytes, reject, resolve', async () => {
	const text = 'Subject: Re: sched: a title\r\n\r\nit is slower, \u00e9\r\n', hex = putBlob(text);
	const addReply = async (state, n) => {
		const s = await addSeries('answered', { root: `r${n}@x` });

		return insert(`INSERT INTO reply (series_id, kind, message_id, state, subject, envelope_from, envelope_to, text)
			VALUES (${s}, 'r', 'reply${n}@x', '${state}', 'Re: sched: a title', 'w@x', '{ada@example.org}', '${hex}')`);
	};
	const held = await addReply('held', 1);
	const { reply } = await server.get(`/replies/${held}`);

	assert.equal(reply.text, text);
	assert.equal(reply.sha256, hex);
	assert.deepEqual(reply.to, ['ada@example.org']);
	const report = await fetch(`${server.url}/series/${reply.series_id}/report.txt`);

	assert.equal(await report.text(), text);
	assert.match(report.headers.get('content-type'), /text\/plain/);
	await fails(server.api('POST', `/replies/${held}/approve`, { v: 1, sha256: 'f'.repeat(64) }), 409, /read it again/);
	await fails(server.api('POST', `/replies/${held}/approve`, { v: 1, sha256: hex }, { token: await server.token('submitter') }),
		403, /admin/);
	await fails(server.api('POST', `/replies/${held}/resolve`, { v: 1, outcome: 'sent' }), 409, /only an unknown/);
	const approved = await server.api('POST', `/replies/${held}/approve`, { v: 1, sha256: hex });

	assert.equal(approved.reply.state, 'approved');
	assert.equal(approved.reply.approved_by, 'admin');
	assert.equal(await db.value(`SELECT payload->>'reply_id' FROM job WHERE key = 'send:${held}:0' AND state = 'ready'`), held);
	await fails(server.api('POST', `/replies/${held}/approve`, { v: 1, sha256: hex }), 409, /is approved/);

	const no = await addReply('held', 2);

	assert.equal((await server.api('POST', `/replies/${no}/reject`, { v: 1, why: 'wrong thread' })).reply.why, 'wrong thread (admin)');
	await fails(server.api('POST', `/replies/${no}/reject`, { v: 1 }), 409, /too late/);

	const lost = await addReply('unknown', 3), again = await addReply('unknown', 4);

	await fails(server.api('POST', `/replies/${lost}/resolve`, { v: 1, outcome: 'maybe' }), 400, /sent or again/);
	assert.equal((await server.api('POST', `/replies/${lost}/resolve`, { v: 1, outcome: 'sent' })).reply.state, 'sent');
	assert.equal((await server.api('POST', `/replies/${again}/resolve`, { v: 1, outcome: 'again' })).reply.state, 'approved');
	assert.equal(await db.value(`SELECT count(*)::int FROM job WHERE key = 'send:${again}:0' AND state = 'ready'`), 1);
	assert.deepEqual((await server.get('/replies?state=sent')).replies.map(r => r.id), [lost]);
	assert.equal((await server.get('/replies')).replies.length, 4);
});

test('history, status, builds and runs', async () => {
	assert.deepEqual(await server.get('/history'), { v: 1, points: [], choices: [] });
	await fails(server.get('/history?colour=red'), 400, /colour/);
	const status = await server.get('/status');

	assert.equal(status.test_database, true);
	assert.ok(status.settings.some(s => s.name === 'plan_blocks' && s.help));
	assert.ok(status.queue.every(q => q.pool && q.kind && q.state && q.n > 0));
	assert.equal(status.limits.queue_max_running, 64);
	// one kernel and one boot of it
	await db.exec(`
		INSERT INTO build (key, tree_oid, commit_id, arch, config, job_id, detail) SELECT 'b', repeat('a', 40), repeat('b', 40),
			'x86_64', 'x86_64', job_enqueue('null', 'runner', 'b', '{}', '{}', 0, NULL), '{"release":"6.1.1","compiles":3}';
		INSERT INTO run (key, build_id, topology, block, job_id, detail) SELECT 'r', max(id), 'guest-1l8', 0,
			job_enqueue('null', 'runner', 'r', '{}', '{}', 0, NULL), '{"qemu":"7.2","argv":["qemu"],"events":[{"kind":"warn","line":3,"text":"x"}]}' FROM build;
		INSERT INTO sample SELECT max(id), 'hackbench', 'g1', 'time', n, 10 + n, 's', 'lower' FROM run, generate_series(0, 2) n GROUP BY n`);
	const id = await db.value('SELECT max(id)::text FROM run');
	const run = await server.get(`/runs/${id}`);

	assert.equal(run.run.qemu, '7.2');
	assert.equal(run.run.build.commit, 'b'.repeat(40));
	assert.deepEqual(run.events, [{ kind: 'warn', line: 3, text: 'x' }]);
	assert.deepEqual(run.samples.map(s => s.value), [10, 11, 12]);
	assert.equal((await server.get(`/builds/${run.run.build_id}`)).build.compiles, 3);
	const { points, choices } = await server.get('/history?bench=hackbench&load=g1&metric=time');

	assert.deepEqual(points.map(p => [p.run_id, p.mean, p.n, p.sd]), [[id, 11, 3, 1]]);
	assert.deepEqual(choices.map(c => [c.bench, c.points]), [['hackbench', 1]]);
});
