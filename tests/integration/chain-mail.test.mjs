// SPDX-License-Identifier: GPL-2.0-or-later
// From an archive to series in their states: every ordinary shape of a thread, late and missing parts,
// what cannot be used, and workers that are killed at any moment.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after } from 'node:test';
import { pause } from '../harness/index.mjs';
import { cluster, diff, epoch, mail, patch, sh, until, withChain } from './chain-lib.mjs';

const pg = cluster();
after(pg.stop);

function isAlive(pid) {
	try {
		return !/^State:\s+[ZX]/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
	} catch {
		return false;
	}
}

const cover = (id, subject, extra = {}) => mail({ id, subject,
	body: 'About it.\n\n kernel/sched/fair.c | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n', ...extra });

test('series of every ordinary shape end in their states', withChain(pg, {}, async (chain, git) => {
	const tip = epoch(git, [
		patch({ id: 'one@x', subject: '[PATCH] sched/fair: One' }),
		cover('c0@x', '[PATCH 0/2] sched: With a cover'),
		patch({ id: 'c1@x', subject: '[PATCH 1/2] sched: First', reply: 'c0@x' }),
		patch({ id: 'c2@x', subject: '[PATCH 2/2] sched: Second', reply: 'c0@x' }),
		patch({ id: 'n1@x', subject: '[PATCH 1/2] sched: Naked first' }),
		patch({ id: 'n2@x', subject: '[PATCH 2/2] sched: Naked second', reply: 'n1@x' }),
		patch({ id: 't1@x', subject: '[PATCH] sched: In thread' }),
		patch({ id: 't2@x', subject: '[PATCH v2] sched: In thread', reply: 't1@x' }),
		patch({ id: 'o1@x', subject: '[PATCH] sched: Out of thread, told by its title' }),
		patch({ id: 'o2@x', subject: '[PATCH v2] sched: Out of thread, told by its title' }),
		patch({ id: 'r1@x', subject: '[RFC PATCH] sched: A question' }),
		patch({ id: 'm1@x', subject: '[PATCH 1/3] sched: Part one' }),
		patch({ id: 'm3@x', subject: '[PATCH 3/3] sched: Part three', reply: 'm1@x' }),
		patch({ id: 'd1@x', subject: '[PATCH] docs: Not for us', diff: diff('Documentation/x.rst') }),
		mail({ id: 'a1@x', subject: 'Re: [PATCH] sched/fair: One', reply: 'one@x', from: 'Rev <rev@example.org>',
			body: 'Good.\n\nReviewed-by: Rev <rev@example.org>\n' }),
		mail({ id: 'q1@x', subject: 'A question', body: 'Hello?\n' }),
	]);
	chain.list('sched', git);
	const w = await chain.worker();
	await chain.state('sched/fair: One', 'complete');
	await chain.idle();
	const state = (title, version) => chain.series(title, version)?.state;
	assert.equal(state('sched: With a cover'), 'complete');
	assert.match(chain.series('sched: With a cover').why, /^complete, 2 patches; waits for a kernel tree/);
	assert.equal(chain.series('sched: With a cover').received, 2);
	assert.equal(state('sched: Naked first'), 'complete');
	assert.equal(state('sched: In thread'), 'superseded');
	assert.match(chain.series('sched: In thread').why, /^superseded by v2/);
	assert.equal(state('sched: In thread', '2'), 'complete');
	assert.equal(state('sched: Out of thread, told by its title'), 'superseded');
	assert.equal(state('sched: Out of thread, told by its title', '2'), 'complete');
	assert.equal(chain.series('sched: Out of thread, told by its title', '2').previous_id,
		chain.series('sched: Out of thread, told by its title').id);
	assert.equal(chain.series('sched: A question').rfc, true);
	assert.equal(state('sched: A question'), 'complete');
	assert.equal(state('sched: Part one'), 'incomplete');
	assert.match(chain.series('sched: Part one').why, /^incomplete: part 2 of 3 did not arrive on sched by \d\d:\d\d UTC/);
	assert.equal(state('docs: Not for us'), 'not_ours');
	assert.match(chain.series('docs: Not for us').why, /touches no watched path/);
	assert.equal(chain.exec('SELECT count(*) FROM series'), '10');
	assert.equal(chain.exec('SELECT count(*) FROM mail'), '16');
	assert.equal(chain.exec('SELECT count(*) FROM mail WHERE NOT assembled'), '0');
	assert.equal(chain.exec('SELECT last_commit FROM list_epoch'), tip);

	// A late part completes it; a person submits what is not ours.
	epoch(git, [patch({ id: 'm2@x', subject: '[PATCH 2/3] sched: Part two', reply: 'm1@x' })]);
	chain.poll('sched');
	await chain.state('sched: Part one', 'complete');
	chain.submit('d1@x');
	await chain.state('docs: Not for us', 'complete');
	chain.submit('a1@x');
	chain.submit('q1@x');
	chain.submit('nobody@x');
	await chain.idle();
	assert.deepEqual(chain.rows('SELECT state, why, series_id IS NOT NULL AS has FROM submission ORDER BY id'), [
		{ state: 'done', why: '', has: true },
		{ state: 'done', why: '', has: true },
		{ state: 'failed', why: 'that mail holds no patch', has: false },
		{ state: 'failed', why: 'no subscribed list serves threads over HTTP, and the mail has not been seen on one '
			+ 'that is read by path', has: false },
	]);

	// The same archive under another name: nothing is doubled.
	chain.list('again', git);
	chain.poll('again');
	await chain.idle();
	assert.equal(chain.exec('SELECT count(*) FROM mail'), '17');
	assert.equal(chain.exec('SELECT count(*) FROM mail_copy'), '34');
	assert.equal(chain.exec("SELECT count(*) FROM series WHERE state <> 'withdrawn'"), '10');
	await w.stop();
}));

test('a waiting series becomes incomplete by the clock', withChain(pg, { incomplete_after_ms: '864000000' }, async (chain, git) => {
	epoch(git, [patch({ id: 'w1@x', subject: '[PATCH 1/2] sched: Half' })]);
	chain.list('sched', git);
	await chain.worker();
	const s = await chain.state('sched: Half', 'waiting');
	assert.equal(s.why, 'waiting for part 2 of 2');
	chain.exec("UPDATE setting SET value = '1000' WHERE name = 'incomplete_after_ms'");
	assert.match((await chain.state('sched: Half', 'incomplete')).why, /^incomplete: part 2 of 2 did not arrive on sched/);
}));

test('what cannot be used is kept with its reason', withChain(pg, {}, async (chain, git) => {
	const huge = mail({ id: 'huge@x', subject: '[PATCH] sched: Huge', body: 'x'.repeat(79).concat('\n').repeat(655360) });
	epoch(git, [huge, '\n\n', 'no headers at all\n', patch({ id: 'ok@x', subject: '[PATCH] sched: Fine' }),
		Buffer.from('From: a@x\nSubject: \xff\xfe\nMessage-ID: <raw@x>\n\n\x00\x01\n', 'latin1').toString('latin1')]);
	chain.list('sched', git);
	await chain.worker();
	await chain.state('sched: Fine', 'complete', '1', 120000);
	await chain.idle();
	assert.equal(chain.exec('SELECT count(*) FROM mail'), '5');
	assert.equal(chain.exec("SELECT count(*) FROM mail WHERE kind = 'other' AND message_id LIKE '%wakelist.invalid'"), '2');
	assert.equal(chain.exec("SELECT subject FROM mail WHERE message_id = 'huge@x'"), '[PATCH] sched: Huge');
	assert.equal(chain.one("SELECT facts->>'rejected' AS why FROM mail WHERE blob = (SELECT sha256 FROM blob ORDER BY bytes DESC LIMIT 1)").why,
		'the mail is over 16 MiB');
	assert.equal(chain.exec("SELECT count(*) FROM series"), '1');
	assert.equal(chain.exec("SELECT why FROM list"), '');
}));

test('a list that is not there says so and is asked again later', withChain(pg, {}, async (chain, git) => {
	chain.list('gone', path.join(chain.dir, 'nowhere'));
	chain.list('refused', 'http://127.0.0.1:9/list');
	await chain.worker();
	await until('two failures', () => chain.exec('SELECT count(*) FROM list WHERE failures > 0') === '2');
	const rows = chain.rows("SELECT name, why, failures, next_poll_at > now() + interval '30 s' AS later FROM list ORDER BY name");
	assert.match(rows[0].why, /nowhere: No such file or directory/);
	assert.match(rows[1].why, /http:\/\/127\.0\.0\.1:9\/list\/manifest\.js\.gz: .*(refused|connect)/i);
	for (const r of rows)
		assert.deepEqual([r.failures, r.later], [1, true]);

	// What is on another list is found all the same; what is on none tells why it may be missed.
	epoch(git, [patch({ id: 'here@x', subject: '[PATCH] sched: Here' })]);
	chain.exec("UPDATE list SET state = 'paused' WHERE name = 'refused'");
	chain.list('sched', git);
	for (const id of ['here@x', 'nobody@x'])
		chain.submit(id);
	await until('two ends', () => chain.exec("SELECT count(*) FROM submission WHERE state <> 'fetching'") === '2');
	const ends = chain.rows('SELECT state, why FROM submission ORDER BY id');
	assert.deepEqual(ends[0], { state: 'done', why: '' });
	assert.equal(ends[1].state, 'failed');
	assert.match(ends[1].why, /^list gone could not be read: .*nowhere: No such file or directory$/);
}));

test('history that was rewritten is walked again, nothing is doubled', withChain(pg, {}, async (chain, git) => {
	const mails = Array.from({ length: 5 }, (_, i) => patch({ id: `h${i}@x`, subject: `[PATCH] sched: H${i}` }));
	epoch(git, mails);
	chain.list('sched', git);
	await chain.worker();
	await chain.state('sched: H4', 'complete');
	sh(['rm', '-rf', git]);
	const tip = epoch(git, [...mails.slice(1), patch({ id: 'h9@x', subject: '[PATCH] sched: H9' })]);
	chain.poll('sched');
	await chain.state('sched: H9', 'complete');
	assert.equal(chain.exec('SELECT last_commit FROM list_epoch'), tip);
	assert.equal(chain.exec('SELECT count(*) FROM mail'), '6');
	assert.equal(chain.exec('SELECT count(*) FROM series'), '6');
}));

test('killed anywhere, no mail is lost or doubled', withChain(pg, {}, async (chain, git, t) => {
	const mails = [];
	for (let i = 0; i < 40; i++) {
		mails.push(cover(`k${i}.0@x`, `[PATCH 0/2] sched: K${i}`));
		for (const n of [1, 2])
			mails.push(patch({ id: `k${i}.${n}@x`, subject: `[PATCH ${n}/2] sched: K${i} part ${n}`, reply: `k${i}.0@x` }));
	}
	const tip = epoch(git, mails);
	chain.exec("UPDATE setting SET value = '40' WHERE name = 'job_max_attempts'");
	chain.list('sched', git, { poll_ms: 1000 });
	// the last few live long enough to finish
	let seed = 12345, kills = 0;
	const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
	for (let round = 0; round < 12; round++) {
		const w = await chain.worker({ lease: '1s' });
		await pause(random() * 1500);
		if (round % 3 === 2) { // a child this time
			const kids = w.proc.alive ? await w.children() : [];
			for (const pid of kids)
				try { process.kill(pid, 'SIGKILL'); kills++; } catch { /* it was quicker */ }
			await pause(random() * 500);
		}
		const kids = w.proc.alive ? await w.children() : [];
		await w.kill();
		kills++;
		await until('its children to die with it', () => kids.every((pid) => !isAlive(pid)));
	}
	chain.exec("UPDATE job SET max_attempts = 40");
	await chain.worker();
	await chain.state('sched: K39', 'complete', '1', 120000);
	await chain.idle();
	t.diagnostic(`${kills} kills`);
	assert.equal(chain.exec('SELECT count(*) FROM mail'), '120');
	assert.equal(chain.exec('SELECT count(*) FROM mail_copy'), '120');
	assert.equal(chain.exec('SELECT last_commit FROM list_epoch'), tip);
	assert.equal(chain.exec("SELECT count(*) FROM series WHERE state = 'complete' AND received = 2"), '40');
	assert.equal(chain.exec('SELECT count(*) FROM series'), '40');
	assert.equal(chain.exec(`SELECT count(*) FROM mail m WHERE NOT EXISTS (SELECT 1 FROM blob b WHERE b.sha256 = m.blob)`), '0');
	assert.equal(chain.exec(`SELECT count(*) FROM (SELECT job_id, fence FROM job_fence GROUP BY 1, 2 HAVING count(*) > 1) x`), '0');
}));
