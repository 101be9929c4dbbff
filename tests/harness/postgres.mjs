// SPDX-License-Identifier: GPL-2.0-or-later
// A private PostgreSQL cluster and databases cloned from one migrated template.
import fs from 'node:fs';
import path from 'node:path';

import { BIN, Proc, TOP, run, tempDir } from './proc.mjs';
import { waitUntil } from './wait.mjs';

const PG_START = path.join(TOP, 'tests/harness/pg-start');
const TEMPLATE = 'wl_template';

// Settings of a test database: the null profile, small and quick.
export const TEST_SETTINGS = {
	test_database: 'yes',
	plan_profile: 'null',
	plan_blocks: '2',
};

function quote(text) {
	return `'${String(text).replaceAll("'", "''")}'`;
}

export class Postgres {
	static async start({ dir } = {}) {
		const pg = new Postgres(dir ?? tempDir('wl-pg'));

		if (!fs.existsSync(path.join(pg.dir, 'data/PG_VERSION')))
			await run(PG_START, ['init', pg.dir]);
		await pg.start();
		return pg;
	}

	constructor(dir) {
		this.dir = dir;
		this.proc = new Proc('postgres', PG_START, ['exec', dir]);
		this.nDatabases = 0;
	}

	dsn(database, user = 'wakelist_owner') {
		return `host=${this.dir}/sock user=${user} dbname=${database}`;
	}

	// After a kill -9 the old backends may hold the memory for a moment: tried until it stays.
	async start() {
		await waitUntil(async () => {
			if (!this.proc.alive)
				this.proc.start();
			await run('pg_isready', ['-q', '-h', `${this.dir}/sock`, '-U', 'postgres']);
			return this.proc.alive;
		}, `PostgreSQL to answer; its log:\n${this.proc.tail()}`);
	}

	async kill() {
		await this.proc.kill('SIGKILL');
	}

	// fast: sessions are cut; smart would wait for them.
	async stop() {
		await this.proc.kill('SIGINT');
	}

	async restart() {
		await this.stop();
		await this.start();
	}

	// Rows of a SELECT, as objects.
	async query(database, sql, { user = 'postgres' } = {}) {
		const { out } = await run('psql', ['-XAtq', '-v', 'ON_ERROR_STOP=1', this.dsn(database, user), '-c',
			`SELECT coalesce(json_agg(t_), '[]') FROM (${sql}) t_`]);

		return JSON.parse(out);
	}

	async exec(database, sql, { user = 'postgres' } = {}) {
		await run('psql', ['-Xq', '-v', 'ON_ERROR_STOP=1', this.dsn(database, user), '-f', '-'], { input: sql });
	}

	async #makeTemplate() {
		await this.exec('postgres', 'CREATE ROLE wakelist_owner LOGIN CREATEROLE');
		await this.exec('postgres', `CREATE DATABASE ${TEMPLATE} OWNER wakelist_owner`);
		await run(path.join(BIN, 'wakelistd'), ['migrate', '--db', this.dsn(TEMPLATE)]);
	}

	// A database of its own. settings: null leaves those of the migrations.
	async createDb({ name = `t${++this.nDatabases}`, settings = TEST_SETTINGS } = {}) {
		this.template ??= this.#makeTemplate();
		await this.template;
		await this.exec('postgres', `CREATE DATABASE ${name} OWNER wakelist_owner TEMPLATE ${TEMPLATE}`);
		await this.exec(name, `
			REVOKE ALL ON DATABASE ${name} FROM PUBLIC;
			GRANT CONNECT ON DATABASE ${name} TO wakelist_server, wakelist_worker;`);
		const db = new Db(this, name);

		for (const [key, value] of Object.entries(settings ?? {}))
			await db.set(key, value);
		return db;
	}
}

export class Db {
	constructor(pg, name) {
		Object.assign(this, { pg, name });
	}

	dsn(user = 'wakelist_owner') {
		return this.pg.dsn(this.name, user);
	}

	query(sql, options) {
		return this.pg.query(this.name, sql, options);
	}

	exec(sql, options) {
		return this.pg.exec(this.name, sql, options);
	}

	// The one value of a SELECT.
	async value(sql) {
		const rows = await this.query(sql);

		return rows.length ? Object.values(rows[0])[0] : undefined;
	}

	async set(name, value) {
		const [row] = await this.query(`SELECT count(*)::int AS n FROM setting WHERE name = ${quote(name)}`);

		if (row.n !== 1)
			throw new Error(`there is no setting ${name}`);
		await this.exec(`UPDATE setting SET value = ${quote(value)} WHERE name = ${quote(name)}`);
	}

	// Breaks every connection to this database, as an administrator could.
	cut() {
		return this.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`);
	}
}
