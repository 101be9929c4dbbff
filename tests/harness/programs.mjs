// SPDX-License-Identifier: GPL-2.0-or-later
// wakelistd, wakelist-worker, wakelist-runner and wakelist, as processes.
import fs from 'node:fs';
import path from 'node:path';

import { EventStream, api } from './api.mjs';
import { BIN, Proc, TOP, run, tempDir } from './proc.mjs';
import { freePort } from './wait.mjs';

// What the three long-running ones share. Subclasses set this.proc and ready().
class Program {
	// Starts it (again) and waits until it is ready.
	async start() {
		this.proc.start();
		await this.ready();
		return this;
	}

	stop(options) {
		return this.proc.stop(options);
	}

	kill(signal) {
		return this.proc.kill(signal);
	}

	async restart() {
		await this.stop();
		await this.start();
	}

	logContains(what) {
		return this.proc.logContains(what);
	}
}

// options: db (Db), data (folder, else a new one), port, args (more options).
export class Server extends Program {
	static async start(options) {
		const server = new Server({ ...options, port: options.port ?? await freePort() });

		return server.start();
	}

	constructor({ db, data = tempDir('wl-data'), port, args = [] }) {
		super();
		Object.assign(this, { db, data, port, url: `http://127.0.0.1:${port}` });
		this.proc = new Proc('wakelistd', path.join(BIN, 'wakelistd'), ['--data', data, '--db',
			db.dsn('wakelist_server'), '--listen', `127.0.0.1:${port}`, '--web', path.join(TOP, 'web'), ...args]);
		this.tokens = {};
	}

	ready() {
		return this.proc.until(async () => (await api(this.url, 'GET', '/healthz')).ok, 'healthy');
	}

	// The secret of a token; made once for each name.
	token(name = 'admin', role = name) {
		this.tokens[name] ??= run(path.join(BIN, 'wakelistd'), ['token', 'create', name, role, '--data', this.data,
			'--db', this.db.dsn('wakelist_server')]).then(({ out }) => out.trim());
		return this.tokens[name];
	}

	// As the administrator by default; {token: null} as nobody.
	async api(method, apiPath, body, options = {}) {
		const token = options.token === undefined ? await this.token() : options.token;

		return api(this.url, method, `/api/v1${apiPath}`, body, { ...options, token });
	}

	get(apiPath, options) {
		return this.api('GET', apiPath, undefined, options);
	}

	events(query = '', options) {
		return new EventStream(this.url, `/api/v1/events${query}`, options);
	}

	// The program a person types, against this server: {code, out, err}.
	async cli(args, { codes, as = 'admin', role = as, input } = {}) {
		const file = path.join(this.data, `${as}.test-token`);

		fs.writeFileSync(file, `${await this.token(as, role)}\n`, { mode: 0o600 });
		return run(path.join(BIN, 'wakelist'), args, {
			codes, input, env: { WAKELIST_SERVER: this.url, WAKELIST_TOKEN_FILE: file },
		});
	}
}

// options: server (or db and data), jobs, smtp (Smtp), lease (how long a killed one is waited for), args.
export class Worker extends Program {
	static async start(options) {
		return new Worker(options).start();
	}

	constructor({ server, db = server.db, data = server.data, jobs = 2, smtp, lease = '10s', args = [] }) {
		super();
		this.proc = new Proc('wakelist-worker', path.join(BIN, 'wakelist-worker'), ['--data', data, '--db',
			db.dsn('wakelist_worker'), '--jobs', String(jobs), '--poll', '500ms', '--lease', lease,
			...(smtp ? ['--smtp', smtp.url] : []), ...args]);
	}

	// Each start says so once.
	async start() {
		const before = this.proc.log.split('ev=worker_start').length;

		this.proc.start();
		await this.proc.until(() => this.proc.log.split('ev=worker_start').length > before, 'started');
		return this;
	}

	// Process ids of the children that do jobs now.
	async children() {
		const { out } = await run('ps', ['-o', 'pid=', '--ppid', String(this.proc.pid)], { codes: [0, 1] });

		return out.split('\n').map(Number).filter(Boolean);
	}
}

// options: server, name, kinds, cache, args.
export class Runner extends Program {
	static async start(options) {
		const runner = new Runner(options);

		runner.secret = await options.server.token('runner');
		return runner.start();
	}

	constructor({ server, name = 'm1', kinds = 'null', cache = tempDir('wl-cache'), args = [] }) {
		super();
		Object.assign(this, { server, name, cache, tokenFile: path.join(cache, 'token') });
		this.proc = new Proc(`wakelist-runner ${name}`, path.join(BIN, 'wakelist-runner'), ['agent', '--server',
			server.url, '--token-file', this.tokenFile, '--cache', cache, '--name', name, '--kinds', kinds, ...args]);
	}

	// Ready when the database has this start's session.
	async start() {
		const session = () => this.server.db.value(`SELECT session FROM machine WHERE name = '${this.name}'`);
		const before = await session();

		fs.writeFileSync(this.tokenFile, `${this.secret}\n`, { mode: 0o600 });
		this.proc.start();
		await this.proc.until(async () => ![undefined, before].includes(await session()), 'registered');
		return this;
	}
}
