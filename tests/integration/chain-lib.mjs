// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers of the chain tests, which look at the database directly: archives made of mails, a kernel tree of
// two files, and a runner that only pretends.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { Postgres, TOP as top, Worker, tempDir, waitUntil } from '../harness/index.mjs';

export { top };
export const until = (what, fn, ms = 60000) => waitUntil(fn, what, { timeoutMs: ms });

// A program to its end, its output as text.
export function sh(argv, opts = {}) {
	return execFileSync(argv[0], argv.slice(1), { encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], ...opts });
}

// A test on a chain of its own: `body(chain, path of its epoch)`.
export function withChain(pg, settings, body) {
	return async (t) => {
		const chain = await Chain.make(await pg(), settings);

		try {
			await body(chain, path.join(chain.dir, 'list.git'), t);
		} finally {
			for (const w of chain.workers)
				await w.kill();
		}
	};
}

// One cluster a test file, started by the first that asks.
export function cluster() {
	let pg;
	const get = () => pg ??= Postgres.start();

	get.stop = async () => (await pg)?.stop();
	return get;
}

// A database and a data folder, and what tests ask of them.
export class Chain {
	static async make(pg, settings) {
		const chain = new Chain();

		chain.db = await pg.createDb();
		chain.dir = tempDir('wl-chain');
		chain.data = path.join(chain.dir, 'data');
		chain.workers = [];
		for (const [name, value] of Object.entries(settings ?? {}))
			await chain.db.set(name, value);
		return chain;
	}

	exec(text) {
		return sh(['psql', this.db.dsn('postgres'), '-qAtX', '-v', 'ON_ERROR_STOP=1', '-f', '-'], { input: text }).trim();
	}

	// Rows of a query as objects.
	rows(text) {
		return JSON.parse(this.exec(`SELECT coalesce(json_agg(x), '[]') FROM (${text}) x`));
	}

	one(text) {
		return this.rows(text)[0];
	}

	async worker({ lease, smtp } = {}) {
		const w = await Worker.start({ db: this.db, data: this.data, smtp, lease });

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
		return this.exec(`SELECT api_submission_create('${messageId}', NULL, NULL, NULL, NULL, NULL)`);
	}

	series(title, version = '1') {
		return this.one(`SELECT * FROM series WHERE title = '${title.replaceAll("'", "''")}' AND version = '${version}'
			AND state <> 'withdrawn' ORDER BY id DESC LIMIT 1`);
	}

	async state(title, states, version = '1', ms = 120000) {
		const want = [states].flat();
		try {
			return await until(`"${title}" v${version} to be ${want}`, () => {
				const s = this.series(title, version);
				return s && want.includes(s.state) && s;
			}, ms);
		} catch (e) {
			throw new Error(`${e.message}; it is ${JSON.stringify(this.series(title, version)?.state)}\n${this.story()}`);
		}
	}

	// Nothing is waiting, ready or leased.
	async idle(ms = 120000) {
		try {
			await until('an empty queue', () => this.exec(`SELECT count(*) FROM job
				WHERE pool = 'worker' AND state IN ('waiting', 'ready', 'leased')`) === '0', ms);
		} catch (e) {
			throw new Error(`${e.message}\n${this.story()}`);
		}
	}

	story() {
		return JSON.stringify(this.rows(`SELECT id, kind, payload->>'op' AS op, state, attempt, why FROM job ORDER BY id`))
			+ this.workers.map((w) => w.proc.tail(60)).join('');
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
		sh(['git', 'init', '-q', '--bare', '--template=', '--initial-branch=master', dir], { env });
	let text = '';
	mails.forEach((m, i) => {
		const bytes = Buffer.from(m), at = Math.floor(Date.now() / 1000) - 7200 + i;
		text += `commit refs/heads/master\ncommitter a <a@example.org> ${at} +0000\ndata 1\nm\n`
			+ (i === 0 && !fresh ? 'from refs/heads/master^0\n' : '')
			+ `M 100644 inline m\ndata ${bytes.length}\n${bytes.toString('latin1')}\n`;
	});
	sh(['git', `--git-dir=${dir}`, 'fast-import', '--quiet'], { env, input: Buffer.from(text, 'latin1') });
	return sh(['git', `--git-dir=${dir}`, 'rev-parse', 'master'], { env }).trim();
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
