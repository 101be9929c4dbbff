// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers of the chain tests: a database of its own, workers, archives made of mails, a kernel tree of
// two files, a runner that only pretends, and a mail server that keeps what it gets.
import { spawn, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export const top = process.env.WL_TOP ?? path.resolve(import.meta.dirname, '../..');
export const bin = path.join(process.env.WL_BUILD ?? path.join(top, 'build/asan'), 'bin');
const pgStart = path.join(top, 'tests/harness/pg-start');

export async function waitUntil(what, fn, ms = 60000) {
	const end = Date.now() + ms;
	let last;
	for (;;) {
		last = await fn();
		if (last)
			return last;
		if (Date.now() > end)
			throw new Error(`waited ${ms} ms for: ${what}`);
		await pause(50);
	}
}

export function run(argv, opts = {}) {
	return execFileSync(argv[0], argv.slice(1), { encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], ...opts });
}

// One PostgreSQL cluster a test file.
export class Cluster {
	static async start() {
		const c = new Cluster();
		c.dir = fs.mkdtempSync(path.join(os.tmpdir(), 'wl-chain-pg.'));
		run([pgStart, 'init', c.dir]);
		c.child = spawn(pgStart, ['exec', c.dir], { stdio: 'ignore' });
		run([pgStart, 'wait', c.dir]);
		return c;
	}

	// A migrated database and a data folder.
	chain(settings = {}) {
		return new Chain(this, settings);
	}

	async stop() {
		const pid = fs.readFileSync(path.join(this.dir, 'data/postmaster.pid'), 'utf8').split('\n')[0];
		const gone = new Promise((done) => this.child.on('exit', done));
		process.kill(Number(pid), 'SIGQUIT');
		await gone;
		fs.rmSync(this.dir, { recursive: true, force: true });
	}
}

let serial = 0;

export class Chain {
	constructor(cluster, settings) {
		this.name = `chain${process.pid}_${serial++}`;
		this.dsn = `host=${cluster.dir}/sock user=postgres dbname=${this.name}`;
		this.workerDsn = this.dsn.replace('user=postgres', 'user=wakelist_worker');
		this.dir = fs.mkdtempSync(path.join(os.tmpdir(), 'wl-chain.'));
		fs.chmodSync(this.dir, 0o755);
		this.data = path.join(this.dir, 'data');
		this.workers = [];
		const admin = `host=${cluster.dir}/sock user=postgres dbname=postgres`;
		run(['psql', admin, '-qc', `CREATE DATABASE ${this.name}`]);
		const sql = path.join(top, 'sql');
		const files = ['bootstrap.sql', ...fs.readdirSync(path.join(sql, 'migrations')).sort()
			.map((f) => `migrations/${f}`), 'roles.sql'];
		run(['psql', this.dsn, '-qX', '-v', 'ON_ERROR_STOP=1',
			...files.flatMap((f) => ['-f', path.join(sql, f)])],
			{ env: { ...process.env, PGOPTIONS: '-c client_min_messages=warning' } });
		for (const [name, value] of Object.entries({ test_database: 'yes', plan_blocks: '2', ...settings }))
			this.exec(`UPDATE setting SET value = '${value}' WHERE name = '${name}'`);
	}

	exec(text) {
		return run(['psql', this.dsn, '-qAtX', '-v', 'ON_ERROR_STOP=1', '-f', '-'], { input: text }).trim();
	}

	// Rows of a query as objects.
	rows(text) {
		return JSON.parse(this.exec(`SELECT coalesce(json_agg(x), '[]') FROM (${text}) x`));
	}

	one(text) {
		return this.rows(text)[0];
	}

	worker(...args) {
		const log = path.join(this.dir, `worker${this.workers.length}.log`);
		const out = fs.openSync(log, 'w');
		const child = spawn(path.join(bin, 'wakelist-worker'), ['--data', this.data, '--db', this.workerDsn,
			'--poll', '200ms', ...args], { stdio: ['ignore', out, out],
			env: { ...process.env, ASAN_OPTIONS: 'abort_on_error=1', LC_ALL: 'C' } });
		fs.closeSync(out);
		const w = { child, log, text: () => fs.readFileSync(log, 'utf8') };
		w.gone = new Promise((done) => child.on('exit', (code, signal) => done(code ?? signal)));
		w.stop = async (signal = 'SIGTERM') => {
			child.kill(signal);
			return w.gone;
		};
		this.workers.push(w);
		return w;
	}

	list(name, url, extra = {}) {
		const cols = Object.keys(extra), values = Object.values(extra).map((v) => `'${v}'`);
		return this.exec(`INSERT INTO list (${['name', 'url', ...cols].join(', ')})
			VALUES (${[`'${name}'`, `'${url}'`, ...values].join(', ')}) RETURNING id`);
	}

	tree(name, source, kind = 'dir') {
		return this.exec(`INSERT INTO tree (name, kind, source) VALUES ('${name}', '${kind}', '${source}');
			SELECT tree_import_enqueue((SELECT id FROM tree WHERE name = '${name}'))`);
	}

	poll(name) {
		this.exec(`SELECT list_poll(id) FROM list WHERE name = '${name}'`);
	}

	submit(messageId) {
		return this.exec(`INSERT INTO submission (message_id) VALUES ('${messageId}');
			SELECT job_enqueue('ingest', 'worker', 'thread:' || max(id), jsonb_build_object('v', 1, 'op', 'thread',
				'submission_id', max(id)::text), '{}', 9, NULL) FROM submission`);
	}

	series(title, version = '1') {
		return this.one(`SELECT * FROM series WHERE title = '${title.replaceAll("'", "''")}' AND version = '${version}'
			AND state <> 'withdrawn' ORDER BY id DESC LIMIT 1`);
	}

	async state(title, states, version = '1', ms = 60000) {
		const want = [states].flat();
		try {
			return await waitUntil(`"${title}" v${version} to be ${want}`, () => {
				const s = this.series(title, version);
				return s && want.includes(s.state) && s;
			}, ms);
		} catch (e) {
			throw new Error(`${e.message}; it is ${JSON.stringify(this.series(title, version)?.state)}\n${this.story()}`);
		}
	}

	// Nothing is waiting, ready or leased.
	async idle(ms = 90000) {
		try {
			await waitUntil('an empty queue', () => this.exec(`SELECT count(*) FROM job
				WHERE pool = 'worker' AND state IN ('waiting', 'ready', 'leased')`) === '0', ms);
		} catch (e) {
			throw new Error(`${e.message}\n${this.story()}`);
		}
	}

	story() {
		return JSON.stringify(this.rows(`SELECT id, kind, payload->>'op' AS op, state, attempt, why FROM job ORDER BY id`))
			+ this.workers.map((w) => w.text()).join('');
	}

	async close() {
		for (const w of this.workers)
			if (w.child.exitCode === null && w.child.signalCode === null)
				await w.stop('SIGKILL');
		fs.rmSync(this.dir, { recursive: true, force: true });
	}
}

// ---- mails and archives ----

let minute = 0;
export const author = 'Ada Example <ada@example.org>';

export function mail({ id, subject, body, reply, from = author, date, headers = '' }) {
	const when = (date ?? new Date(Date.now() + 1000 * minute++ - 3600e3)).toUTCString().replace('GMT', '+0000');
	return `From: ${from}\nTo: list@example.org\nSubject: ${subject}\nDate: ${when}\nMessage-ID: <${id}>\n`
		+ (reply ? `In-Reply-To: <${reply}>\nReferences: <${reply}>\n` : '') + headers + `\n${body}`;
}

export function diff(file, { at = 1, before = 'int a;', after = 'int b;', context = [] } = {}) {
	const lines = context.map((l) => ` ${l}\n`).join('');
	return `---\n ${file} | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n`
		+ `diff --git a/${file} b/${file}\nindex 1234567..89abcde 100644\n--- a/${file}\n+++ b/${file}\n`
		+ `@@ -${at},${1 + context.length} +${at},${1 + context.length} @@\n${lines}-${before}\n+${after}\n-- \n2.39.5\n`;
}

export function patch(opts) {
	return mail({ ...opts, body: `${opts.text ?? 'Why it is good.'}\n\nSigned-off-by: ${opts.from ?? author}\n`
		+ (opts.diff ?? diff('kernel/sched/fair.c')) });
}

// Appends mails to an epoch, as public-inbox keeps them; made where it is not there. Returns the tip.
export function epoch(dir, mails) {
	const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', HOME: '/nonexistent' };
	const fresh = !fs.existsSync(dir);
	if (fresh)
		run(['git', 'init', '-q', '--bare', '--template=', '--initial-branch=master', dir], { env });
	let text = '';
	mails.forEach((m, i) => {
		const bytes = Buffer.from(m), at = Math.floor(Date.now() / 1000) - 7200 + i;
		text += `commit refs/heads/master\ncommitter a <a@example.org> ${at} +0000\ndata 1\nm\n`
			+ (i === 0 && !fresh ? 'from refs/heads/master^0\n' : '')
			+ `M 100644 inline m\ndata ${bytes.length}\n${bytes.toString('latin1')}\n`;
	});
	run(['git', `--git-dir=${dir}`, 'fast-import', '--quiet'], { env, input: Buffer.from(text, 'latin1') });
	return run(['git', `--git-dir=${dir}`, 'rev-parse', 'master'], { env }).trim();
}

// A tree that is a kernel to the eye. Lines of fair.c: context before and after "int a;".
export function kernelTree(dir) {
	fs.mkdirSync(path.join(dir, 'kernel/sched'), { recursive: true });
	fs.writeFileSync(path.join(dir, 'Makefile'), 'VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 192\nEXTRAVERSION =\n');
	const lines = Array.from({ length: 60 }, (_, i) => `/* line ${i + 1} */`);
	lines[39] = 'int a;';
	fs.writeFileSync(path.join(dir, 'kernel/sched/fair.c'), lines.join('\n') + '\n');
	fs.writeFileSync(path.join(dir, 'kernel/sched/core.c'), 'int core;\n');
	return dir;
}

// A patch of that tree, `off` lines away from where it is.
export function fairDiff({ off = 0, before = 'int a;', after = 'int b;' } = {}) {
	const file = 'kernel/sched/fair.c', at = 37 + off;
	const around = [37, 38, 39].map((n) => ` /* line ${n} */\n`).join('');
	const behind = [41, 42, 43].map((n) => ` /* line ${n} */\n`).join('');
	return `---\n ${file} | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n`
		+ `diff --git a/${file} b/${file}\nindex 1234567..89abcde 100644\n--- a/${file}\n+++ b/${file}\n`
		+ `@@ -${at},7 +${at},7 @@\n${around}-${before}\n+${after}\n${behind}-- \n2.39.5\n`;
}

// ---- a runner that only pretends, straight on the database ----

export class NullRunner {
	constructor(chain) {
		this.chain = chain;
		chain.exec(`INSERT INTO token (name, role, hash) VALUES ('r', 'runner', 'x');
			INSERT INTO machine (name, token_id, arch, caps, topology, session, test_only)
				SELECT 'pretender', id, 'x86_64', '{kind:null}', '{"cpus":[]}', 's', true FROM token`);
	}

	// Takes what is ready and answers; true when there was something.
	step(answer = {}) {
		const jobs = this.chain.rows(`SELECT j.id, j.fence, j.payload FROM machine m,
			job_claim('runner', ARRAY['null'], m.caps, 'pretender', m.id, 60000, 4) j`);
		for (const j of jobs) {
			const p = j.payload, seed = Number.parseInt(p.seed.slice(0, 6), 16) / 0xffffff;
			const failed = p.fail === 'build' && p.role === 'build' && p.side === 'patched';
			const panic = p.fail === 'panic' && p.role === 'boot' && p.side === 'patched';
			const result = p.role === 'build'
				? { v: 1, status: failed ? 'broken' : 'ok', kernel: failed ? null : 'a'.repeat(64), release: '6.1',
					errors: failed ? [{ path: 'kernel/sched/core.c', line: 3, text: 'no member' }] : [], warnings: [],
					compiles: 1, wall_ms: 1, cc: 'null', sandbox: 'none' }
				: { v: 1, status: panic ? 'broken' : 'ok', booted: true, release: '6.1', accel: 'tcg', accel_why: '',
					qemu: '7.2', argv: [], serial: null, raw: null, wall_ms: 1, sandbox: 'none',
					events: panic ? [{ kind: 'panic', line: 1, text: 'Kernel panic - not syncing: told to', function: null,
						stack: [] }] : [],
					samples: panic ? [] : p.benches.flatMap((b) => Array.from({ length: p.runs }, (_, n) => ({ bench: b.bench,
						load: b.load, metric: 'time', n, value: p.mean * (1 + seed / 100 + n / 1000), unit: 's',
						better: 'lower' }))) };
			const outcome = failed ? 'failed' : 'done', why = failed ? 'does not compile' : panic ? 'panic' : '';
			const stored = this.chain.exec(`SELECT job_finish(${j.id}, ${j.fence}, '${outcome}', '${why}',
				'${JSON.stringify({ ...result, ...answer }).replaceAll("'", "''")}', NULL)`);
			if (stored !== 't')
				throw new Error(`a result of job ${j.id} was refused`);
		}
		return jobs.length > 0;
	}
}

// ---- a mail server on loopback ----

export class Sink {
	static async start(answers = {}) {
		const s = new Sink();
		s.mails = [];
		s.connections = 0;
		s.answers = answers; // { data: '451 later' }, { rcpt: '550 no' }, { end: '554 no' }, { end: null }: hang up
		s.server = net.createServer((c) => s.serve(c));
		await new Promise((done) => s.server.listen(0, '127.0.0.1', done));
		s.url = `smtp://127.0.0.1:${s.server.address().port}`;
		return s;
	}

	serve(c) {
		let buf = '', data = null, mail = null;
		this.connections++;
		const say = (text) => c.write(`${text}\r\n`);
		c.on('error', () => {});
		say('220 sink ESMTP');
		c.on('data', (chunk) => {
			buf += chunk.toString('latin1');
			for (;;) {
				const end = buf.indexOf('\r\n');
				if (end < 0)
					return;
				const line = buf.slice(0, end);
				buf = buf.slice(end + 2);
				if (data !== null) {
					if (line !== '.') {
						data.push(line.startsWith('..') ? line.slice(1) : line);
						continue;
					}
					if (this.answers.end === null) {
						c.destroy();
						return;
					}
					if (!this.answers.end)
						this.mails.push({ ...mail, text: data.join('\n') + '\n' });
					say(this.answers.end ?? '250 kept');
					data = null;
				} else if (/^(EHLO|HELO)/i.test(line)) {
					say('250 sink');
				} else if (/^MAIL/i.test(line)) {
					mail = { from: line.match(/<(.*?)>/)[1], to: [] };
					say('250 ok');
				} else if (/^RCPT/i.test(line)) {
					if (!this.answers.rcpt)
						mail.to.push(line.match(/<(.*?)>/)[1]);
					say(this.answers.rcpt ?? '250 ok');
				} else if (/^DATA/i.test(line)) {
					if (!this.answers.data)
						data = [];
					say(this.answers.data ?? '354 go on');
				} else if (/^QUIT/i.test(line)) {
					say('221 bye');
					c.end();
				} else {
					say('250 ok');
				}
			}
		});
	}

	async stop() {
		await new Promise((done) => this.server.close(done));
	}
}
