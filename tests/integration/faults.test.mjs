// SPDX-License-Identifier: GPL-2.0-or-later
// kill -9 of every process at each state change and at 100 random instants: the same end as without.
//
// One round is one database: seven series from a list to a sent reply, by real programs and the null
// kind of job. The first round is left alone; what it came to is what all others must come to.
// WL_FAULTS_SEED repeats a run (as far as time can be repeated), WL_FAULTS_S is the time for the kills
// at state changes (0: until every change has met every process that lives then, or six rounds met
// nothing new), WL_FAULTS_N the random kills.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { Changes, Inbox, Kept, Postgres, Runner, Server, Smtp, Worker, chainMails, descendants, failByTitle, kernelTree,
	kill9, oncePerStart, postgresAnswers, random, waitUntil } from '../harness/index.mjs';

// The leak check at a program's end runs in a tracer of its own; one that a kill hits leaves the program
// spinning for ever, which no program without sanitizers does. Other tests look for leaks.
process.env.ASAN_OPTIONS = `${process.env.ASAN_OPTIONS ?? ''}:detect_leaks=0`;

const seed = Number(process.env.WL_FAULTS_SEED ?? Date.now() % 1000000);
const stateSeconds = Number(process.env.WL_FAULTS_S ?? 120);
const randomKills = Number(process.env.WL_FAULTS_N ?? 100);
const TARGETS = ['server', 'worker child', 'supervisor', 'runner', 'runner child', 'PostgreSQL'];
const LIST = 'list@example.org';
const N_ANSWERED = 6;
const KILLS_MAX = 25; // in one round
// Superseded before anything is done for it, unless kills of the reader make its two mails come apart.
const OLD = "(s.title = 'sched/fair: Roll it' AND s.version = '1')";

const rand = random(seed);
const mails = chainMails();
let pg, keptPg, tree, reference, number = 0;

before(async () => {
	pg = await Postgres.start();
	keptPg = new Kept(pg.proc, () => postgresAnswers(pg)).keep();
	tree = kernelTree();
	console.log(`# seed ${seed}`);
});

after(async () => {
	keptPg.release();
	await pg.stop();
});

// ---- one round ----

class Round {
	static async start() {
		const round = new Round();

		round.smtp = await Smtp.start();
		round.db = await pg.createDb({ name: `round${number++}` });
		// The cluster of the harness may lose what it said was committed; a database must not.
		await round.db.exec(`ALTER DATABASE ${round.db.name} SET synchronous_commit = on`);
		// Many kills of few jobs: none may be parked for it, or wait a minute for each attempt.
		await round.db.exec(`CREATE FUNCTION test_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
				NEW.max_attempts := 100;
				NEW.run_after := least(NEW.run_after, clock_timestamp() + interval '4 s');
				RETURN NEW;
			END $$;
			CREATE TRIGGER test_attempts BEFORE INSERT OR UPDATE ON job FOR EACH ROW EXECUTE FUNCTION test_attempts()`);
		await round.db.set('plan_topologies', 'guest-2l4');
		await failByTitle(round.db);
		round.inbox = await Inbox.create(mails);
		round.server = await Server.start({ db: round.db });
		await round.server.token();
		round.worker = await Worker.start({ server: round.server, smtp: round.smtp, args: ['--lease', '3s'] });
		round.runner = await Runner.start({ server: round.server });
		round.kept = {
			server: new Kept(round.server.proc, async () => (await fetch(`${round.server.url}/healthz`)).ok),
			worker: new Kept(round.worker.proc, oncePerStart(round.worker.proc, 'ev=worker_start')),
			runner: new Kept(round.runner.proc, oncePerStart(round.runner.proc, 'ev=registered')),
		};
		for (const kept of Object.values(round.kept))
			kept.keep();
		round.changes = new Changes(round.db);
		round.kills = [];
		return round;
	}

	// Until the server has taken it; 409 is what an answer that got lost looks like.
	#ask(method, apiPath, body) {
		return waitUntil(async () => {
			try {
				return await this.server.api(method, apiPath, body, { timeoutMs: 5000 });
			} catch (error) {
				if (error.status === 409)
					return true;
				if (error.status && error.status !== 503)
					error.fatal = true;
				throw error;
			}
		}, `${method} ${apiPath}`);
	}

	// What a person does; the rest is the machine's.
	async begin() {
		await this.#ask('POST', '/trees', { v: 1, name: 'linux', kind: 'dir', source: tree });
		await this.#ask('POST', '/lists', { v: 1, name: 'sched', url: this.inbox.path, reply: 'list', address: LIST,
			poll_ms: 2000 });
		await this.#ask('POST', '/submissions', { v: 1, message_id: 'other.1@chain.example.org' });
	}

	// The process ids of a target, when it is there to be killed.
	#victims(target) {
		const { server, worker, runner } = this.kept;

		switch (target) {
		case 'server':
			return server.ready ? [server.proc.pid] : [];
		case 'supervisor':
			return worker.ready ? [worker.proc.pid] : [];
		case 'runner':
			return runner.ready ? [runner.proc.pid] : [];
		case 'worker child':
			return worker.ready ? descendants(worker.proc.pid) : [];
		case 'runner child':
			return runner.ready ? descendants(runner.proc.pid) : [];
		case 'PostgreSQL':
			return keptPg.ready ? [pg.proc.pid] : [];
		}
	}

	// True when something was killed.
	kill(target, at) {
		const victims = this.#victims(target);

		if (!victims.length || !kill9(victims[Math.floor(rand() * victims.length)]))
			return false;
		for (const kept of [keptPg, ...Object.values(this.kept)])
			if (kept.proc.pid === victims[0])
				kept.ready = false;
		this.kills.push(`${target} at ${at}`);
		return true;
	}

	async isOver() {
		const [row] = await this.changes.query(`SELECT
			(SELECT count(*)::int FROM series s WHERE s.state = 'answered' AND NOT ${OLD}) AS answered,
			(SELECT count(*)::int FROM series s WHERE ${OLD} AND s.state NOT IN ('superseded', 'answered')) AS old,
			(SELECT count(*)::int FROM reply r JOIN series s ON s.id = r.series_id WHERE r.state IN ('sent', 'unknown')
				AND NOT ${OLD}) AS sent,
			(SELECT count(*)::int FROM reply WHERE state NOT IN ('sent', 'unknown', 'obsolete')) AS unsent,
			(SELECT count(*)::int FROM submission WHERE state = 'fetching') AS fetching,
			(SELECT count(*)::int FROM job WHERE payload->>'op' = 'publish' AND state <> 'done') AS unpublished`) ?? [];

		this.state = row ?? 'the database did not answer';
		return row && row.answered === N_ANSWERED && row.sent === N_ANSWERED &&
			row.old + row.unsent + row.fetching + row.unpublished === 0;
	}

	// Follows the round to its end. meet(round, changes) may kill; it is called all the time.
	async follow(meet = () => {}) {
		let look = 0;

		await Promise.all([this.begin(), waitUntil(async () => {
			const changes = await this.changes.poll();

			await meet(this, changes);
			return look++ % 20 === 19 && this.isOver();
		}, 'the end of the round', { timeoutMs: 300000, everyMs: 15 })]).catch(async error => {
			throw new Error(`${error.message}: ${JSON.stringify(this.state)}\nkilled: ${this.kills.join(', ')}\n${await this.story()}`);
		});
	}

	async story() {
		await keptPg.waitReady();
		const rows = await this.db.query(`SELECT concat_ws(' ', id, kind, payload->>'op', payload->>'role', state,
			attempt || '/' || max_attempts, why) AS job FROM job ORDER BY id`);
		const series = await this.db.query(`SELECT concat_ws(' ', title, version, state, why) AS s FROM series ORDER BY id`);

		const replies = await this.db.query("SELECT concat_ws(' ', 'reply of', series_id, state, why) AS r FROM reply");
		const submissions = await this.db.query("SELECT concat_ws(' ', 'submission', message_id, state, why) AS s FROM submission");

		return [...series.map(row => row.s), ...replies.map(row => row.r), ...submissions.map(row => row.s),
			...rows.filter(row => !/ done 1\/100/.test(row.job)).map(row => row.job), this.server.proc.tail(20),
			this.worker.proc.tail(20), this.runner.proc.tail(20)].join('\n');
	}

	async stop() {
		this.changes.close();
		for (const kept of Object.values(this.kept))
			kept.release();
		await this.runner.stop();
		await this.worker.stop();
		await this.server.stop();
		await this.smtp.stop();
	}

	// After a failure: nothing of it stays.
	abandon() {
		this.changes.close();
		for (const kept of Object.values(this.kept)) {
			kept.release();
			kept.proc.child.kill('SIGKILL');
		}
		this.smtp.server.close();
	}

	// ---- what it came to ----

	#blob(sha) {
		return fs.readFileSync(path.join(this.server.data, 'blobs', sha.slice(0, 2), sha.slice(2, 4), sha), 'latin1');
	}

	// Everything that must not depend on the faults: not ids, which rolled back transactions use up, nor which
	// of two series came first to boots that both use, nor whether the old version of a series was applied
	// before the new one came and lent it its base.
	async outcome() {
		const replies = await this.db.query(`SELECT s.title, s.version, r.kind, r.message_id, r.subject, r.envelope_from,
			r.envelope_to, r.text FROM reply r JOIN series s ON s.id = r.series_id WHERE NOT ${OLD} ORDER BY 1, 2, 3`);

		return {
			mails: await this.db.query('SELECT message_id, blob, kind FROM mail ORDER BY 1'),
			copies: await this.db.query(`SELECT c.epoch, c.commit_id, m.message_id FROM mail_copy c
				JOIN mail m ON m.id = c.mail_id ORDER BY 1, 2`),
			submissions: await this.db.query(`SELECT DISTINCT u.message_id, u.state, s.title FROM submission u
				LEFT JOIN series s ON s.id = u.series_id ORDER BY 1`),
			series: await this.db.query(`SELECT title, version, total, received, CASE WHEN ${OLD} THEN '' ELSE state END AS state,
				CASE WHEN ${OLD} THEN '' ELSE why END AS why, content FROM series s WHERE state <> 'withdrawn' ORDER BY 1, 2`),
			applications: await this.db.query(`SELECT s.title, s.version, a.result, a.why, a.base_commit, a.patched_commit,
				a.patched_tree FROM application a JOIN series s ON s.id = a.series_id WHERE NOT ${OLD} ORDER BY 1, 2`),
			builds: await this.db.query(`SELECT key, state, kernel FROM build b WHERE EXISTS (SELECT 1 FROM plan p
				JOIN series s ON s.id = p.series_id WHERE b.id IN (p.base_build_id, p.patched_build_id) AND NOT ${OLD}) ORDER BY 1`),
			runs: await this.db.query(`SELECT r.key, r.state, r.serial, (SELECT md5(string_agg(m::text, ' '
				ORDER BY m.bench, m.load, m.n)) FROM (SELECT bench, load, metric, n, value, unit FROM sample
				WHERE run_id = r.id) m) AS samples FROM run r WHERE EXISTS (SELECT 1 FROM plan_run q JOIN plan p ON p.id = q.plan_id
				JOIN series s ON s.id = p.series_id WHERE q.run_id = r.id AND NOT ${OLD}) ORDER BY 1`),
			verdicts: await this.db.query(`SELECT s.title, v.row_no, v.tier, v.topology, v.bench, v.load, v.metric, v.mark,
				v.why, v.detail FROM verdict v JOIN plan p ON p.id = v.plan_id JOIN series s ON s.id = p.series_id
				WHERE NOT ${OLD} ORDER BY 1, 2`),
			replies: replies.map(({ text, ...reply }) => ({ ...reply, lines: this.#blob(text).replace(/^Date: .*$/m, 'Date')
				.replace(/\/(series|runs)\/\d+/g, '/$1/N').replace(/;\s+\d+ boots? of base shared with\s+another series/, '')
				.replace(/^(base +linux .* [0-9a-f]{12}) \((default tree[^)]*|base of the previous version)\)$/m, '$1')
				.split('\n') })),
		};
	}

	// What must hold in every round, whatever happened.
	async check() {
		const none = async (sql, what) => assert.deepEqual(await this.db.query(sql), [], what);

		await none(`SELECT f.job_id, f.n, coalesce(e.n, 0) AS events FROM (SELECT job_id, count(*) AS n FROM job_fence
			GROUP BY 1) f LEFT JOIN (SELECT entity_id, count(*) AS n FROM event WHERE entity = 'job' AND what = 'leased'
			GROUP BY 1) e ON e.entity_id = f.job_id WHERE f.n IS DISTINCT FROM e.n`, 'one number for each lease');
		await none(`SELECT j.id, e.n, f.n FROM job j
			LEFT JOIN LATERAL (SELECT count(*) AS n FROM event e WHERE e.entity = 'job' AND e.entity_id = j.id
				AND e.what IN ('done', 'failed')) e ON true
			LEFT JOIN LATERAL (SELECT count(*) AS n FROM job_fence f WHERE f.job_id = j.id
				AND f.outcome IN ('done', 'failed')) f ON true
			WHERE e.n <> f.n`, 'one outcome for each number');
		await none(`SELECT f.job_id, f.fence FROM job_fence f JOIN job j ON j.id = f.job_id
			WHERE (f.outcome IS NULL) <> (j.state = 'leased' AND j.fence = f.fence)`, 'leases that never ended');
		await none('SELECT series_id FROM reply GROUP BY series_id HAVING count(*) > 1', 'two replies for one version');
		await none(`SELECT s.id FROM series s WHERE s.state = 'answered' AND NOT EXISTS
			(SELECT 1 FROM reply r WHERE r.series_id = s.id)`, 'answered without a reply');
		const taken = this.smtp.mails.map(mail => mail.messageId.replace(/[<>]/g, '')).sort();

		assert.deepEqual(taken, [...new Set(taken)], `sent twice; killed: ${this.kills.join(', ')}`);
		for (const { message_id: id, state } of await this.db.query('SELECT message_id, state FROM reply')) {
			assert.ok(['sent', 'unknown', 'obsolete'].includes(state), `reply ${id} is ${state}`);
			if (state === 'sent')
				assert.ok(taken.includes(id), `${id} is "sent", but no server took it`);
		}
		for (const mail of this.smtp.mails)
			assert.ok(mail.to.includes(LIST), `${mail.messageId} went to ${mail.to}`);
	}

	// Nobody sends what is unknown again: not even after everything was started anew and the list was
	// asked once more.
	async checkUnknown() {
		const [{ n }] = await this.db.query("SELECT count(*)::int AS n FROM reply WHERE state = 'unknown'");

		if (!n)
			return 0;
		const taken = this.smtp.mails.length;

		for (const kept of Object.values(this.kept))
			kill9(kept.proc.pid), kept.ready = false;
		for (const kept of Object.values(this.kept))
			await kept.waitReady();
		const polled = await this.db.value('SELECT extract(epoch FROM polled_at)::text FROM list');

		await waitUntil(async () => await this.db.value('SELECT extract(epoch FROM polled_at)::text FROM list') !== polled,
			'the list to be asked again');
		assert.equal(await this.db.value("SELECT count(*)::int FROM reply WHERE state = 'unknown'"), n);
		assert.equal(this.smtp.mails.length, taken);
		return n;
	}
}

async function oneRound(meet) {
	const round = await Round.start();

	try {
		await round.follow(meet);
		await round.check();
		round.came = await round.outcome();
		for (const [what, rows] of Object.entries(reference ?? {}))
			assert.deepEqual(round.came[what], rows, `${what}; killed: ${round.kills.join(', ')}`);
		round.unknown = await round.checkUnknown();
		await round.stop();
	} catch (error) {
		round.abandon();
		throw error;
	}
	return round;
}

// ---- the tests ----

const seen = new Map(); // state change -> targets that it met

test('without faults', { timeout: 600000 }, async () => {
	const round = await oneRound((_, changes) => {
		for (const { key } of changes)
			seen.set(key, new Set());
	});

	reference = round.came;
	assert.deepEqual(reference.series.map(s => [s.title, s.version, s.state]), [
		['mm: Sort the slabs', '1', 'answered'],
		['sched/core: Forget a semicolon', '1', 'answered'],
		['sched/fair: Meet another tree', '1', 'answered'],
		['sched/fair: Roll it', '1', ''],
		['sched/fair: Roll it', '2', 'answered'],
		['sched/topology: Panic early', '1', 'answered'],
		['sched: Choose the good CPU', '1', 'answered'],
	]);
	assert.equal(reference.replies.length, N_ANSWERED);
	assert.equal(round.smtp.mails.length, N_ANSWERED);
	assert.equal(reference.builds.filter(b => b.state === 'broken').length, 1);
	assert.equal(reference.runs.filter(r => r.state === 'broken').length, 2);
	assert.equal(reference.runs.filter(r => r.state === 'skipped').length, 2);
	assert.ok(reference.verdicts.some(v => v.mark === '!'));
	for (const change of ['series applied>planned', 'series running>analysed', 'reply approved>sending', 'build queued>building',
		'run running>ok', 'run running>broken', 'run queued>skipped', 'tree importing>ready', 'job plan leased>done'])
		assert.ok(seen.has(change), `${change} was seen; seen were ${[...seen.keys()].join(', ')}`);
});

test('kill -9 at each state change', { skip: stateSeconds < 0, timeout: 7200000 }, async () => {
	const end = Date.now() + 1000 * (stateSeconds || 7000);
	const missing = () => [...seen].reduce((n, [, met]) => n + TARGETS.length - met.size, 0);
	const unhurt = () => TARGETS.filter(target => ![...seen].some(([, met]) => met.has(target)));
	const never = () => [...seen].filter(([, met]) => !met.size).map(([key]) => key);
	let kills = 0, rounds = 0, unknown = 0, stale = 0;

	// on a slow machine: until nearly every change has met one process at least, and every process one change
	while ((Date.now() < end || ((never().length > seen.size / 10 || unhurt().length) && rounds < 10)) &&
		missing() > 0 && stale < 6) {
		const met = seen.size * TARGETS.length - missing();
		let last = '', latest = '';

		const round = await oneRound((one, changes) => {
			const kill = (targets, key) => {
				const target = targets.find(t => one.kill(t, key));

				if (target) {
					seen.get(key).add(target);
					last = target;
					kills++;
				}
				return target;
			};

			// the change that has met the fewest first; one kill, then the chain may move on
			for (const { key } of changes.sort((a, b) => (seen.get(a.key)?.size ?? 0) - (seen.get(b.key)?.size ?? 0))) {
				if (!seen.has(key))
					seen.set(key, new Set());
				const met = seen.get(key);
				const left = TARGETS.filter(target => !met.has(target) && target !== last).sort(() => rand() - 0.5);

				latest = key;
				if (one.kills.length < KILLS_MAX && kill(Date.now() < end || !met.size ? left : [], key))
					return;
			}
			// a process that lives shorter than we look at changes: whenever it is there
			if (latest)
				kill(unhurt(), latest);
		});

		rounds++;
		unknown += round.unknown;
		stale = seen.size * TARGETS.length - missing() > met ? 0 : stale + 1;
	}
	const pairs = seen.size * TARGETS.length;

	console.log(`# ${kills} kills in ${rounds} rounds; ${pairs - missing()} of ${pairs} pairs of change and process; ` +
		`${unknown} replies unknown; not met by any: ${never().join(', ') || 'none'}`);
	assert.ok(never().length <= seen.size / 10, `state changes that no kill met: ${never().join(', ')}`);
	assert.deepEqual(unhurt(), [], 'processes that were never killed');
});

test(`kill -9 at ${randomKills} random instants`, { skip: randomKills < 1, timeout: 7200000 }, async () => {
	const killed = Object.fromEntries(TARGETS.map(target => [target, 0]));
	let kills = 0, rounds = 0, unknown = 0;

	while (kills < randomKills) {
		const next = () => Date.now() - 350 * Math.log(1 - rand());
		let at = next(), target = TARGETS[Math.floor(rand() * TARGETS.length)];

		const round = await oneRound(one => {
			if (kills >= randomKills || one.kills.length >= KILLS_MAX || Date.now() < at || !one.kill(target, 'a random instant'))
				return;
			killed[target]++;
			kills++;
			at = next();
			target = TARGETS[Math.floor(rand() * TARGETS.length)];
		});

		rounds++;
		unknown += round.unknown;
	}
	console.log(`# ${kills} kills in ${rounds} rounds: ${JSON.stringify(killed)}; ${unknown} replies unknown`);
});
