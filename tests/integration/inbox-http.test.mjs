// SPDX-License-Identifier: GPL-2.0-or-later
// Debian's public-inbox on loopback, with about a hundred real mails where the archives are there: submit
// by message-id, a subscription over HTTP, and a list that does not answer.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { Inbox, Postgres, Runner, Server, Smtp, TOP, Worker, chainMails, freePort, header, kernelTree, run, tempDir,
	waitUntil } from '../harness/index.mjs';

const N_REAL = 100;
const bundle = path.join(TOP, '../shared/archives/linux-pm-sched.bundle');
const hasInbox = (await run('sh', ['-c', 'command -v public-inbox-httpd'], { codes: [0, 1, 127] })).code === 0;
const skip = !hasInbox ? 'public-inbox is absent' : false;
const skipReal = skip || (!fs.existsSync(bundle) ? '../shared is absent' : false);

let pg, db, smtp, inbox, server, worker, runner, mails = [];

// The newest mails of the archive, oldest first.
async function realMails() {
	const dir = path.join(tempDir('wl-bundle'), 'archive.git');

	await run('git', ['clone', '-q', '--mirror', bundle, dir]);
	const { out } = await run('git', ['--git-dir', dir, 'rev-list', '--reverse', `--max-count=${N_REAL}`, 'master']);
	const commits = out.trim().split('\n');

	return Promise.all(commits.map(async commit =>
		Buffer.from((await run('git', ['--git-dir', dir, 'cat-file', 'blob', `${commit}:m`])).out)));
}

before(async () => {
	if (skip)
		return;
	pg = await Postgres.start();
	db = await pg.createDb();
	smtp = await Smtp.start();
	mails = skipReal ? [] : await realMails();
	inbox = await Inbox.create([...mails, ...chainMails()]);
	await inbox.serve();
	server = await Server.start({ db });
	worker = await Worker.start({ server, smtp });
	runner = await Runner.start({ server });
	await server.cli(['tree', 'add', 'linux', '--dir', kernelTree()]);
	await waitUntil(async () => (await server.get('/trees/linux')).tree.state === 'ready', 'the tree');
});

after(async () => {
	if (skip)
		return;
	await runner?.stop();
	await worker?.stop();
	await server?.stop();
	await inbox?.stop();
	await smtp?.stop();
	await pg?.stop();
});

const submit = (messageId, ...args) => server.cli(['submit', messageId, '--url', inbox.url, '--wait', ...args],
	{ codes: [0, 1, 3] });

test('a series that is submitted ends in a held reply', { skip }, async () => {
	const { code, out, err } = await submit('<good.2@chain.example.org>');

	assert.equal(code, 0, err);
	assert.match(out, /Choose the good CPU/);
	const { replies } = await server.get('/replies');

	assert.deepEqual(replies.map(r => [r.state, r.subject]), [['held', 'Re: [PATCH 0/2] sched: Choose the good CPU']]);
	assert.match((await server.get(`/replies/${replies[0].id}`)).reply.text, /^In-Reply-To: <good\.0@chain\.example\.org>$/m);
});

test('one that does not apply ends in a reply that says where', { skip }, async () => {
	const { code, out, err } = await submit(`${inbox.url}/no.1@chain.example.org/`);

	assert.equal(code, 1, `the answer is no: ${err}`);
	assert.match(out, /kernel\/sched\/fair\.c: hunk 1 of 1 expects "int elsewhere;"/);
});

test('what no archive has is said', { skip }, async () => {
	const { code, err } = await submit('nobody-has-this@example.org');

	assert.equal(code, 3);
	assert.match(err, /^wakelist: .*(nobody-has-this@example\.org|no such mail|does not have|not found)/m);
});

test('an archive that does not answer is said', { skip }, async () => {
	const port = await freePort();
	const { err } = await server.cli(['submit', 'a@example.org', '--url', `http://127.0.0.1:${port}/list`, '--wait'],
		{ codes: [1, 3] });

	assert.match(err, new RegExp(`^wakelist: .*127\\.0\\.0\\.1.*`, 'm'));
});

test('real mails: each thread ends in a reply or a stated reason', { skip: skipReal }, async () => {
	const threads = new Map(); // subject without its marks -> message-id of a mail

	for (const mail of mails) {
		const subject = header(mail, 'Subject').replace(/^(re|aw): */i, '').replace(/\[[^\]]*\]/, '').trim();

		threads.set(subject, header(mail, 'Message-I[Dd]').replace(/[<>]/g, ''));
	}
	const chosen = [...threads].slice(-6);

	assert.ok(chosen.length >= 3, `${threads.size} threads`);
	for (const [subject, messageId] of chosen) {
		const { id } = await server.api('POST', '/submissions', { v: 1, message_id: messageId, url: inbox.url });
		const end = await waitUntil(async () => {
			const submission = await server.get(`/submissions/${id}`);

			if (submission.state === 'failed')
				return submission;
			if (!submission.series_id)
				return null;
			const { series, reply } = await server.get(`/series/${submission.series_id}`);

			if (series.state === 'failed')
				throw Object.assign(new Error(`${subject}: ${series.why}`), { fatal: true });
			return (reply || ['incomplete', 'ambiguous', 'corrupt', 'superseded'].includes(series.state)) &&
				{ state: series.state, why: reply ? reply.subject : series.why };
		}, `the end of "${subject}"`, { timeoutMs: 120000 });

		console.log(`# ${subject}: ${end.state}: ${end.why}`);
		assert.match(end.why, /\w+ \w+/, `${subject}: ${end.state} without a reason`);
	}
});

test('a subscription over HTTP brings every mail once, and what comes later', { skip }, async () => {
	await server.cli(['list', 'subscribe', 'real', inbox.url, '--poll', '1s']);
	const list = async () => (await server.get('/lists/real')).list;
	const n = async () => db.value(`SELECT count(*)::int FROM mail_copy WHERE epoch = 0 AND
		list_id = (SELECT id FROM list WHERE name = 'real')`);
	const total = mails.length + chainMails().length;

	await waitUntil(async () => await n() >= total, `${total} mails`, { timeoutMs: 120000 });
	assert.equal(await n(), total);
	const mark = () => db.value("SELECT last_commit FROM list_epoch WHERE epoch = 0");

	assert.equal(await mark(), await inbox.head());
	assert.equal((await list()).why, '');
	const [mail] = chainMails({ domain: 'late.example.org' }).slice(5, 6);

	await inbox.add(mail);
	await waitUntil(async () => await n() === total + 1, 'the mail that came later', { timeoutMs: 120000 });
	assert.equal(await mark(), await inbox.head());
	// each message-id has been seen by a thread and by the epoch: still one mail
	assert.equal(await db.value('SELECT count(*)::int FROM mail GROUP BY message_id HAVING count(*) > 1'), undefined);
});

test('a list that does not answer says so, and when it is asked again', { skip }, async () => {
	const port = await freePort();

	await server.cli(['list', 'subscribe', 'away', `http://127.0.0.1:${port}/away`]);
	const away = await waitUntil(async () => {
		const { list } = await server.get('/lists/away');

		return list.why && list;
	}, 'the trouble to be noted', { timeoutMs: 120000 });

	assert.match(away.why, /127\.0\.0\.1|connect/i);
	assert.ok(away.failures >= 1);
	assert.ok(Date.parse(away.next_poll_at) > Date.now(), `asked again at ${away.next_poll_at}`);
	assert.match((await server.cli(['list', 'ls'])).out, /^away .*(connect|refused|answer)/mi);
});
