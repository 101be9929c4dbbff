// SPDX-License-Identifier: GPL-2.0-or-later
// Submitting as b4 users do: the newest version of whatever mail is named, another one by its number, and
// mails on standard input; what cannot be meant is said in one sentence.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { Inbox, Postgres, Server, Smtp, Worker, kernelTree, makeMail, patchText, run, tempDir, waitUntil } from '../harness/index.mjs';

const NEWEST = /^v3, the newest known here; the mail named is of v1$/;
const NO_LIST = /^no list here carries it: the reply is held, and goes to its author alone$/;

let pg, db, smtp, inbox, server, worker;

// A patch that fits nowhere, which is the shortest way to a reply; one minute after the one before it.
let minute = 0;
const mail = (id, subject, { reply, n = 70, headers = {}, body } = {}) => makeMail({
	id: `${id}@submit.example.org`, subject, date: Date.now() - 3600e3 + 60e3 * minute++,
	body: body ?? `Because.\n\n${patchText({ n, before: '\tint elsewhere;' })}`,
	headers: { ...(reply ? { 'In-Reply-To': `<${reply}@submit.example.org>` } : {}), ...headers },
});
const version = v => mail(`roll.${v}`, `[PATCH${v > 1 ? ` v${v}` : ''}] sched/fair: Roll it`, { n: 50 + v });
const mbox = mails => Buffer.concat(mails.map(m => Buffer.concat([Buffer.from('From mboxrd@z Thu Jan  1 00:00:00 1970\n'),
	Buffer.from(m), Buffer.from('\n')])));
const name = v => `roll.${v}@submit.example.org`;

before(async () => {
	pg = await Postgres.start();
	db = await pg.createDb();
	smtp = await Smtp.start();
	inbox = await Inbox.create([version(1), version(2), version(3)]);
	server = await Server.start({ db });
	worker = await Worker.start({ server, smtp });
	// replies of this list go out by themselves, but for those that must not
	await server.api('POST', '/lists', { v: 1, name: 'sched', url: inbox.path, reply: 'author', poll_ms: 86400000 });
	await waitUntil(async () => (await server.get('/series')).series.length === 3, 'three versions');
});

after(async () => {
	await worker?.stop();
	await server?.stop();
	await smtp?.stop();
	await pg?.stop();
});

const end = id => waitUntil(async () => {
	const now = await server.get(`/submissions/${id}`);

	return now.state !== 'fetching' && now;
}, `the end of submission ${id}`);
const submit = async body => end((await server.api('POST', '/submissions', { v: 1, ...body })).id);
const upload = (bytes, { query = '', type = 'application/mbox' } = {}) => server.api('POST', `/submissions/mbox${query}`, bytes,
	{ headers: { 'content-type': type } });
const sent = async (bytes, options) => end((await upload(bytes, options)).id);
const series = async id => (await server.get(`/series/${id}`)).series;
const cli = (args, input, codes = [0, 1, 2, 3]) => server.cli(['submit', ...args], { input, codes });
const refusal = async promise => {
	const error = await promise.then(() => assert.fail('it was taken'), e => e);

	return [error.status, error.message.replace(/^[^:]*: \d+: /, '')];
};

test('the newest version is meant, whatever mail is named', async () => {
	for (const v of [1, 2, 3]) {
		const { state, why, series_id } = await submit({ message_id: name(v) });

		assert.equal(state, 'done', why);
		assert.equal((await series(series_id)).version, '3');
		if (v === 1)
			assert.match(why, NEWEST);
		if (v === 3)
			assert.equal(why, '');
	}
});

test('another version by its number; one that is not known', async () => {
	const old = await submit({ message_id: name(3), version: 2 });
	const { state, version: v, why } = await series(old.series_id);

	assert.deepEqual([old.state, old.why, old.version, state, v], ['done', '', 2, 'complete', '2'], why);
	assert.match(why, /^complete, 1 patch; waits for a kernel tree/);
	assert.deepEqual(await submit({ message_id: name(1), version: 7 }).then(u => [u.state, u.why]),
		['failed', 'no v7 of this series is known here; known: v1, v2, v3']);
	const { code, err } = await cli(['-v', '7', name(1), '--wait']);

	assert.deepEqual([code, err.trim()], [3, 'wakelist: no v7 of this series is known here; known: v1, v2, v3']);
});

test('versions that are no numbers', async () => {
	for (const version of [0, -1, 1000, 2 ** 40])
		assert.deepEqual(await refusal(server.api('POST', '/submissions', { v: 1, message_id: name(1), version })),
			[400, 'version is no number from 1 to 999']);
	for (const version of ['2', 1.5, [2]])
		assert.equal((await refusal(server.api('POST', '/submissions', { v: 1, message_id: name(1), version })))[0], 400);
	for (const text of ['x', '0', '2x', ''])
		assert.match((await cli(['--version', text, name(1)], '', [2])).err, /^wakelist: --version takes a number from 1 to 999, not/);
	assert.match((await cli(['-v'], '', [2])).err, /^wakelist: -v needs a value$/m);
	assert.deepEqual(await refusal(upload(mbox([version(1)]), { query: '?version=x' })), [400, 'version=x is no number from 1 to 999']);
});

test('a newer version ends the one before, not the one that was asked for', async () => {
	await inbox.add(version(4));
	await server.api('POST', '/lists/sched/poll', {});
	await waitUntil(async () => (await server.get('/series')).series.some(s => s.version === '4'), 'v4');
	const states = async () => Object.fromEntries((await server.get('/series')).series.map(s => [`v${s.version}`, s.state]));

	assert.deepEqual(await states(), { v1: 'superseded', v2: 'complete', v3: 'superseded', v4: 'complete' });
	await server.api('POST', '/trees', { v: 1, name: 'linux', kind: 'dir', source: kernelTree() });
	await waitUntil(async () => Object.values(await states()).filter(s => s === 'answered').length === 2, 'two answers');
	const replies = await db.query(`SELECT s.version, r.state, r.why FROM reply r JOIN series s ON s.id = r.series_id
		WHERE r.state <> 'sending' ORDER BY 1`);

	assert.deepEqual(replies[0], { version: '2', state: 'held', why: 'not the newest version; waits for a person' });
	await waitUntil(() => smtp.mails.length === 1, 'the reply to v4');
});

test('a series on standard input, which no list carries', async () => {
	const mails = [
		mail('in.0', '[PATCH 0/2] sched: From a pipe', { body: 'Two.\n\n kernel/sched/fair.c | 2 +-\n' }),
		mail('in.1', '[PATCH 1/2] sched: One', { reply: 'in.0' }),
		mail('in.2', '[PATCH 2/2] sched: Two', { reply: 'in.0', n: 90 }),
	];
	const { code, out, err } = await cli(['-', '--wait'], mbox(mails));

	assert.equal(code, 1, `it does not apply: ${err}`);
	assert.match(out, /From a pipe/);
	assert.match(err, /no list here carries it: the reply is held, and goes to its author alone/);
	const { series: [{ id }] } = await server.get('/series?q=pipe');
	const { reply } = await server.get(`/series/${id}`);

	assert.deepEqual([reply.state, reply.why], ['held', 'no list here carries it: to its author alone; waits for a person']);
	const { text } = (await server.get(`/replies/${reply.id}`)).reply;

	assert.match(text, /^To: .*dev@example\.org/m);
	assert.match(text, /^In-Reply-To: <in\.0@submit\.example\.org>$/m);
	assert.doesNotMatch(text.split('\n\n')[0], /list@example\.org/);
	// once more, from a file, is the same series
	const file = path.join(tempDir('wl-mbox'), 'x.mbox');

	fs.writeFileSync(file, mbox(mails));
	assert.match((await cli([file], '', [0])).out, /^submission \d+: its mails are being fetched\.$/m);
	assert.equal((await sent(mbox(mails))).series_id, id);
});

test('an mbox of several versions: the newest, or the one asked for', async () => {
	const two = mbox([mail('ver.1', '[PATCH] sched: Twice', { n: 110 }), mail('ver.2', '[PATCH v2] sched: Twice', { n: 111 })]);
	const newest = await sent(two), first = await sent(two, { query: '?version=1' });

	assert.match(newest.why, NO_LIST);
	assert.deepEqual([(await series(newest.series_id)).version, (await series(first.series_id)).version], ['2', '1']);
	assert.equal((await sent(two, { query: '?version=3' })).why, 'no v3 of this series is known here; known: v1, v2 ' +
		'(an mbox is taken as it is, nothing is fetched for it)');
});

test('what git format-patch writes: no ids, no threads, days apart', async () => {
	const dir = path.join(tempDir('wl-fp'), 'r');
	const env = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.org',
		GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.org' };
	const git = (args, date = '2026-01-01') => run('git', args, { cwd: dir, env: { ...env, GIT_AUTHOR_DATE: `${date}T00:00:00Z` } });

	kernelTree(dir);
	await git(['init', '-q']);
	await git(['add', '.']);
	await git(['commit', '-qm', 'base']);
	for (const [i, date] of ['2026-02-01', '2026-02-09'].entries()) {
		const file = path.join(dir, 'kernel/sched/core.c');

		fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(`\tcpu += ${30 + i};`, '\tcpu--;'));
		await git(['commit', '-qam', `sched/core: Step ${i + 1}`], date);
	}
	const { out } = await git(['format-patch', '--stdout', '-2']);
	const { state, why, series_id } = await sent(Buffer.from(out));

	assert.equal(state, 'done', why);
	assert.match(why, NO_LIST);
	const { series: s, parts } = await server.get(`/series/${series_id}`);

	assert.deepEqual([s.received, parts.map(p => p.title)], [2, ['[PATCH 1/2] sched/core: Step 1', '[PATCH 2/2] sched/core: Step 2']]);
	assert.ok(['complete', 'applied', 'planned', 'running'].includes(s.state), `${s.state}: ${s.why}`);
});

test('a single mail, with lines that an mbox would have escaped', async () => {
	const body = `From here on.\n>From there.\nFrom x Mon Sep 17 00:00:00 2001\n\n${patchText({ n: 130, before: '\tint elsewhere;' })}`;
	const { state, why, series_id } = await sent(mail('single', '[PATCH] sched: Single', { body }), { type: 'message/rfc822' });

	assert.equal(state, 'done', why);
	assert.equal((await series(series_id)).title, 'sched: Single');
});

test('mails that are none, no patches, several series', async () => {
	const replies = mbox([mail('re.1', 'Re: [PATCH] sched: X', { reply: 'x', body: 'Good.\n' }),
		mail('re.2', 'Re: [PATCH] sched: X', { reply: 'x', body: 'Bad.\n' })]);
	const two = mbox([mail('two.1', '[PATCH] sched: This'), mail('two.2', '[PATCH] sched: That')]);
	const which = ['<two.1@submit.example.org> 1 patch: sched: This', '<two.2@submit.example.org> 1 patch: sched: That'];
	const many = mbox(Array.from({ length: 1001 }, (_, i) => mail(`many.${i}`, `[PATCH] sched: Many ${i}`)));
	const rows = [
		[Buffer.from('\n\n'), /^the mbox holds no mail$/, 1, /white space|empty|no mail/],
		[Buffer.from('From a@b Thu Jan  1 00:00:00 1970\n\n'), /^the mbox holds no mail$/, 1, /./],
		[Buffer.from('just text\n'), /^no patch among 1 mail: 1 that cannot be used \(.+\)$/, 1],
		[Buffer.from(Array.from({ length: 4096 }, (_, i) => i * 7 % 256)), /^no patch among 1 mail: /, 1],
		[Buffer.from('From \nFrom\nFrom x y z\n\nnothing\n'), /^no patch among 1 mail: /, 1],
		[replies, /^no patch among 2 mails: 2 replies$/, 1],
		[two, `the mbox holds 2 series, submit one of them: ${which.join('; ')}`, 2, `wakelist: the mails hold 2 series; give one of them:\n  ${which.join('\n  ')}\n  (the patches of one series have numbers: git format-patch -n writes them)\n`],
		[many, /^the mbox holds more than 1000 mails; a series is wanted, not an archive$/, 2, /^wakelist: the mails hold 1001 series/],
	];
	const n = await db.value('SELECT count(*)::int FROM mail');

	for (const [bytes, words, code, cliWords = words.source?.replace('^', '^wakelist: ')] of rows) {
		const { state, why, series_id } = await sent(bytes);

		assert.deepEqual([state, series_id], ['failed', null]);
		if (typeof words === 'string')
			assert.equal(why, words);
		else
			assert.match(why, words);
		const said = await cli(['-'], bytes);

		assert.equal(said.code, code, said.err);
		if (code === 2 && typeof cliWords === 'string')
			assert.equal(said.err, cliWords);
		else
			assert.match(said.err.trim(), new RegExp(cliWords));
	}
	// nothing of what was refused is kept as a mail
	assert.equal(await db.value('SELECT count(*)::int FROM mail'), n);
});

test('50 MB, nothing at all, another type, a file that is not there', async () => {
	const huge = Buffer.alloc(50 << 20, 'From me\n');

	assert.deepEqual(await refusal(upload(huge)), [413, `the body is ${huge.length} bytes, at most ${32 << 20} are taken here`]);
	assert.match((await cli(['-'], huge, [1])).err, /^wakelist: .*(32 MiB|33554432|too big|over)/m);
	assert.deepEqual(await refusal(upload(Buffer.alloc(0))), [400, 'the mbox is empty']);
	assert.deepEqual(await refusal(upload(mbox([version(1)]), { type: 'text/plain' })),
		[415, 'send mails as Content-Type: application/mbox or message/rfc822']);
	assert.deepEqual(await refusal(upload(mbox([version(1)]), { query: '?list=sched' })), [400, 'unknown query key "list"']);
	assert.deepEqual(await refusal(upload(mbox([version(1)]), { query: '?tree=none' })), [404, 'there is no tree none']);
	assert.match((await cli(['no-such.mbox'], '', [1])).err, /^wakelist: "no-such\.mbox" is no message-id, and there is no such file$/m);
	assert.match((await cli(['-', '--list', 'sched'], mbox([version(1)]), [2])).err, /^wakelist: --list and --url are for a message-id/m);
	const { status } = await server.api('POST', '/submissions/mbox', mbox([version(1)]),
		{ token: null, raw: true, headers: { 'content-type': 'application/mbox' } });

	assert.equal(status, 401);
});

// Whoever hands over mails does not speak for a list.
test('other bytes under a known id: refused; and the archive has the last word', async () => {
	const forged = mail('roll.4', '[PATCH v4] sched/fair: Roll it', { n: 150 });

	assert.deepEqual(await sent(mbox([forged])).then(u => [u.state, u.why]),
		['failed', 'another mail with the message-id roll.4@submit.example.org is known here']);
	const early = mail('early', '[PATCH] sched: Early', { n: 170 }), real = mail('early', '[PATCH] sched: As posted', { n: 171 });
	const { series_id } = await sent(mbox([early]));

	await waitUntil(async () => (await series(series_id)).state === 'answered', 'the answer to what was handed over');
	await inbox.add(real);
	await server.api('POST', '/lists/sched/poll', {});
	await waitUntil(() => db.value("SELECT subject = '[PATCH] sched: As posted' FROM mail WHERE message_id = 'early@submit.example.org'"),
		'the mail as posted');
});

test('nothing is parked', async () => {
	assert.deepEqual(await db.query("SELECT id, kind, why FROM job WHERE state = 'parked'"), []);
	assert.ok(worker.proc.alive && server.proc.alive);
});
