// SPDX-License-Identifier: GPL-2.0-or-later
// The whole chain without hardware: plan, boots that only pretend, analysis, one held reply, approval, one
// mail. And what comes of it when a kernel does not build, panics, or a mail server has its own mind.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after } from 'node:test';
import { Smtp, hasCtags } from '../harness/index.mjs';
import { NullRunner, cluster, epoch, fairDiff, kernelTree, patch, until, withChain } from './chain-lib.mjs';

const pg = cluster();
after(pg.stop);

// With a tree and a runner.
const withNull = (settings, body) => withChain(pg, { plan_profile: 'null', reply_from: 'wakelist <wl@test.example>',
	reply_domain: 'test.example', ...settings }, async (chain, git) => {
	chain.tree('linux', kernelTree(path.join(chain.dir, 'linux')));
	await body(chain, git, new NullRunner(chain));
});

async function answered(chain, runner, title, version = '1') {
	return until(`"${title}" to be answered`, () => {
		runner.step();
		const s = chain.series(title, version);
		if (s?.state === 'failed')
			throw new Error(`${s.why}\n${chain.story()}`);
		return s?.state === 'answered' && s;
	}, 120000).catch((e) => { throw new Error(`${e.message}: ${JSON.stringify(chain.series(title, version))} ${chain.story()}`); });
}

const replyOf = (chain, title) => chain.one(`SELECT r.* FROM reply r JOIN series s ON s.id = r.series_id
	WHERE s.title = '${title}'`);
const blob = (chain, sha) => fs.readFileSync(path.join(chain.data, 'blobs', sha.slice(0, 2), sha.slice(2, 4), sha), 'utf8');
const approve = (chain, r) => chain.exec(`UPDATE reply SET state = 'approved', approved_sha256 = text WHERE id = ${r.id};
	SELECT reply_send_enqueue(${r.id})`);
const replyState = (chain, r, state) => until(`reply ${r.id} to be ${state}`, () =>
	chain.one(`SELECT * FROM reply WHERE id = ${r.id} AND state = '${state}'`)).catch((e) => {
	throw new Error(`${e.message}; it is ${JSON.stringify(chain.one(`SELECT state, why FROM reply WHERE id = ${r.id}`))}\n${chain.story()}`);
});

test('from a mail to one held reply, and to one mail when a person approves',
	withNull({}, async (chain, git, runner) => {
		const sink = await Smtp.start();
		epoch(git, [patch({ id: 'p1@x', subject: '[PATCH] sched: One', diff: fairDiff() }),
			patch({ id: 'p2@x', subject: '[PATCH] sched: Other', diff: fairDiff({ after: 'int z;' }) }),
			patch({ id: 'p3@x', subject: '[PATCH] sched: No', diff: fairDiff({ before: 'int other;' }) })]);
		chain.list('sched', git);
		const w = await chain.worker({ smtp: sink });
		await answered(chain, runner, 'sched: One');
		await answered(chain, runner, 'sched: Other');
		await answered(chain, runner, 'sched: No');

		// the plan: K blocks of base and patched on two topologies; the base boots are shared
		const plans = chain.rows('SELECT * FROM plan ORDER BY id');
		assert.equal(plans.length, 2);
		assert.match(plans[0].seed, /^[0-9a-f]{16}$/);
		assert.notEqual(plans[0].seed, plans[1].seed);
		for (const p of plans)
			assert.equal(chain.exec(`SELECT count(*) FROM plan_run WHERE plan_id = ${p.id}`), '8');
		assert.equal(chain.exec('SELECT count(*) FROM run'), '12');
		assert.equal(chain.exec('SELECT count(*) FROM build'), '3');
		assert.equal(chain.exec("SELECT count(*) FROM cell WHERE why = ''"), '0');
		// ctags is reached inside the sandbox, and named when it is not
		const { notes } = plans[0].detail;
		if (hasCtags())
			assert.deepEqual(notes, []);
		else
			assert.match(notes.join(), /^functions of 1 file are read from the hunks: ctags: /);
		assert.match(chain.one("SELECT why FROM cell WHERE bench = 'boot' AND topology = 'guest-2l4' LIMIT 1").why,
			hasCtags() ? /^fair class: [bz] added, a removed, and .*; two LLCs let wakeups cross a cache boundary$/ : /^fair class: /);
		assert.deepEqual(plans.map((p) => p.detail.aspects), [['fair_class'], ['fair_class']]);
		assert.equal(chain.exec("SELECT count(*) FROM run WHERE state <> 'ok'"), '0');
		assert.equal(chain.exec('SELECT count(DISTINCT mark) FROM verdict'), '1');
		assert.equal(chain.one('SELECT mark FROM verdict LIMIT 1').mark, '.'); // emulated times are shown, not judged

		const r = replyOf(chain, 'sched: One'), text = blob(chain, r.text);
		assert.equal(r.state, 'held');
		assert.equal(r.subject, 'Re: [PATCH] sched: One');
		assert.deepEqual(r.envelope_to, ['ada@example.org', 'list@example.org']);
		assert.match(text, /^In-Reply-To: <p1@x>$/m);
		assert.match(text, new RegExp(`^Message-ID: <${r.message_id.replaceAll('.', '\\.')}>$`, 'm'));
		assert.match(text, /^Auto-Submitted: auto-replied$/m);
		assert.match(text, /guest-1l8/);
		assert.match(text, /guest-2l4/);
		const no = replyOf(chain, 'sched: No');
		assert.match(blob(chain, no.text), /int other;/);
		assert.equal(sink.seen, 0);

		approve(chain, r);
		const sent = await replyState(chain, r, 'sent');
		assert.match(sent.server_said, /^250 .*taken/);
		await chain.idle();
		assert.equal(sink.mails.length, 1);
		assert.equal(sink.mails[0].raw.toString().replaceAll('\r\n', '\n'), text);
		assert.deepEqual([sink.mails[0].from, sink.mails[0].to], ['wl@test.example', ['ada@example.org', 'list@example.org']]);
		assert.equal(replyOf(chain, 'sched: Other').state, 'held');
		assert.equal(chain.exec('SELECT count(*) FROM reply'), '3');
		await w.stop();
		await sink.stop();
	}));

for (const fail of ['build', 'panic'])
	test(`a kernel that does not ${fail === 'build' ? 'build' : 'boot'}`, withNull({ null_fail: fail }, async (chain, git, runner) => {
		epoch(git, [patch({ id: 'p1@x', subject: '[PATCH] sched: One', diff: fairDiff() })]);
		chain.list('sched', git);
		await chain.worker();
		await answered(chain, runner, 'sched: One');
		const text = blob(chain, replyOf(chain, 'sched: One').text);
		if (fail === 'build') {
			assert.equal(chain.exec("SELECT count(*) FROM run WHERE state = 'skipped'"), '4');
			assert.match(text, /no member/);
			assert.match(text, /^X-Wakelist-Verdict: does-not-build$/m);
		} else {
			assert.equal(chain.exec("SELECT count(*) FROM run WHERE state = 'broken'"), '4');
			assert.equal(chain.exec("SELECT count(*) FROM verdict WHERE mark = '!'"), '1');
			assert.match(text, /panic/);
			assert.match(text, /^X-Wakelist-Verdict: broken$/m);
		}
	}));

test('a newer version stops the older one, shared boots go on', withNull({}, async (chain, git, runner) => {
	epoch(git, [patch({ id: 'p1@x', subject: '[PATCH] sched: One', diff: fairDiff() }),
		patch({ id: 'p2@x', subject: '[PATCH] sched: Other', diff: fairDiff({ after: 'int z;' }) })]);
	chain.list('sched', git);
	await chain.worker();
	await chain.state('sched: One', 'planned');
	await chain.state('sched: Other', 'planned');
	epoch(git, [patch({ id: 'p1v2@x', subject: '[PATCH v2] sched: One', reply: 'p1@x', diff: fairDiff({ after: 'int v2;' }) })]);
	chain.poll('sched');
	await chain.state('sched: One', 'superseded');
	await chain.state('sched: One', 'planned', '2');
	assert.equal(chain.exec("SELECT count(*) FROM run WHERE state = 'cancelled'"), '4');
	assert.equal(chain.exec("SELECT count(*) FROM build WHERE state = 'cancelled'"), '1');
	await answered(chain, runner, 'sched: Other');
	await answered(chain, runner, 'sched: One', '2');
	assert.equal(chain.exec("SELECT count(*) FROM run WHERE state = 'ok'"), '12');
	assert.equal(chain.exec('SELECT count(*) FROM reply'), '2');
}));

test('at the deadline the reply says what is missing', withNull({}, async (chain, git) => {
	epoch(git, [patch({ id: 'p1@x', subject: '[PATCH] sched: One', diff: fairDiff() })]);
	chain.list('sched', git);
	await chain.worker();
	const s = await chain.state('sched: One', 'planned');
	chain.exec(`UPDATE series SET deadline_at = now() WHERE id = ${s.id}`);
	await chain.state('sched: One', 'answered');
	assert.match(blob(chain, replyOf(chain, 'sched: One').text), /not finished by the\s+deadline/);
	assert.equal(chain.exec("SELECT count(*) FROM run WHERE state <> 'cancelled'"), '0');
	assert.equal(chain.exec('SELECT count(*) FROM reply'), '1');
}));

test('a mail is sent at most once, whatever the server does', withNull({}, async (chain, git, runner) => {
	const smtp = await Smtp.start();
	const titles = ['A', 'B', 'C', 'D', 'E'];
	epoch(git, titles.map((t) => patch({ id: `${t}@x`, subject: `[PATCH] sched: ${t}`, diff: fairDiff({ before: `int ${t};` }) })));
	chain.list('sched', git);
	let w = await chain.worker({ smtp, lease: '5s' });
	for (const t of titles)
		await answered(chain, runner, `sched: ${t}`);
	const [a, b, c, d, e] = titles.map((t) => replyOf(chain, `sched: ${t}`));

	smtp.script = ['busy-rcpt', 'drop-rcpt']; // before the mail went out: tried again by itself
	approve(chain, a);
	await replyState(chain, a, 'sent');
	assert.equal(smtp.seen, 3);
	assert.equal(smtp.mails.length, 1);

	smtp.script = ['refuse-rcpt'];
	approve(chain, b);
	assert.match((await replyState(chain, b, 'held')).why, /not sent: 550 .*no such user/);

	smtp.script = ['drop-after-data']; // hangs up where the answer is due
	approve(chain, c);
	assert.match((await replyState(chain, c, 'unknown')).why, /^nobody knows/);

	smtp.script = ['refuse-data'];
	approve(chain, d);
	assert.match((await replyState(chain, d, 'held')).why, /554 .*spam/);

	// The worker dies while the server has not answered: unknown, and never again by itself.
	smtp.script = ['slow'];
	approve(chain, e);
	await smtp.waitMails(3);
	assert.equal(chain.one(`SELECT state FROM reply WHERE id = ${e.id}`).state, 'sending');
	await w.kill();
	smtp.release();
	w = await chain.worker({ smtp });
	assert.match((await replyState(chain, e, 'unknown')).why, /the sender was lost/);
	await chain.idle();
	assert.equal(smtp.mails.length, 3); // one each of a, c, e
	// the list's archive has it after all
	epoch(git, [patch({ id: e.message_id, subject: 'Re: [PATCH] sched: E', reply: 'E@x', from: 'wakelist <wl@test.example>' })]);
	chain.poll('sched');
	assert.equal((await replyState(chain, e, 'sent')).why, 'seen in the archive');
	await smtp.stop();
}));
