// SPDX-License-Identifier: GPL-2.0-or-later
// kill -9 for a running chain: processes that come back as under runit, a watch on what changes in the
// database, and the process ids to kill.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import readline from 'node:readline';

import { run } from './proc.mjs';
import { pause, waitUntil } from './wait.mjs';

// Numbers in [0, 1) from a seed (mulberry32), so that a run can be repeated.
export function random(seed) {
	let a = seed >>> 0;

	return () => {
		a = (a + 0x6d2b79f5) >>> 0;
		let t = Math.imul(a ^ (a >>> 15), a | 1);

		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

// Direct and indirect children of a process, the nearest first. Not those that are a copy of their parent:
// LeakSanitizer looks at a process from such a one, and the process waits for ever when it is killed.
export function descendants(pid) {
	const found = [];

	try {
		const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');

		for (const child of fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' '))
			if (child && fs.readFileSync(`/proc/${child}/cmdline`, 'latin1') !== command)
				found.push(Number(child), ...descendants(Number(child)));
			else if (child)
				found.push(...descendants(Number(child)));
	} catch {
		// it has ended meanwhile
	}
	return found;
}

export function kill9(pid) {
	try {
		process.kill(pid, 'SIGKILL');
		return true;
	} catch (error) {
		if (error.code === 'ESRCH')
			return false;
		throw error;
	}
}

// A process that is started again 100 ms after its end, whatever that was. isReady() says whether this
// start of it is of use already: what is killed before that has not come back at all.
export class Kept {
	constructor(proc, isReady) {
		Object.assign(this, { proc, isReady, ready: false, starts: 0, keeping: false });
	}

	// Takes over a process that runs already, or starts it.
	keep() {
		this.keeping = true;
		this.loop = this.#loop();
		return this;
	}

	async #loop() {
		while (this.keeping) {
			if (!this.proc.alive)
				this.proc.start();
			this.starts++;
			const ready = this.#watch(this.starts);

			await this.proc.exited;
			this.ready = false;
			await ready;
			await pause(100);
		}
	}

	async #watch(start) {
		while (this.keeping && this.proc.alive && this.starts === start && !this.ready) {
			try {
				this.ready = Boolean(await this.isReady()) && this.proc.alive;
			} catch {
				// not yet
			}
			await pause(30);
		}
	}

	waitReady() {
		return waitUntil(() => this.ready, `${this.proc.name} to be back; its log:\n${this.proc.tail()}`);
	}

	// Keeps it no longer; it runs on.
	release() {
		this.keeping = false;
	}
}

// True when the log of a process has one more line of that kind than at the last call that was true.
export function oncePerStart(proc, text) {
	let seen = 0;

	return () => {
		const n = proc.log.split(text).length - 1;

		if (n <= seen)
			return false;
		seen = n;
		return true;
	};
}

export async function postgresAnswers(pg) {
	await run('pg_isready', ['-q', '-h', `${pg.dir}/sock`, '-U', 'postgres']);
	return true;
}

// State changes of a database as they are committed: {id, key}, key like "series applied>planned" or
// "job reply/send ready>leased". Survives the end of the database.
export class Changes {
	constructor(db) {
		Object.assign(this, { db, last: 0 });
	}

	#open() {
		this.child = spawn('psql', ['-XAtq', this.db.dsn('postgres')], {
			stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, LC_ALL: 'C' } });
		this.child.stdin.on('error', () => {});
		this.lines = readline.createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
	}

	// Rows of a SELECT by the one session we keep; null while the database is away.
	async query(sql) {
		if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null)
			this.#open();
		this.child.stdin.write(`SELECT row_to_json(t_) FROM (${sql}) t_;\n\\echo done\n`);
		const rows = [];

		for (;;) {
			const { value, done } = await this.lines.next();

			if (done) {
				this.close();
				return null;
			}
			if (value === 'done')
				return rows;
			rows.push(JSON.parse(value));
		}
	}

	// What is new; nothing while the database is away.
	async poll() {
		const changes = await this.query(`SELECT e.id, concat_ws(' ', e.entity,
				nullif(concat_ws('/', j.kind, j.payload->>'op', j.payload->>'role'), ''),
				concat(e.data->>'from', '>', e.what)) AS key
			FROM event e LEFT JOIN job j ON e.entity = 'job' AND j.id = e.entity_id
			WHERE e.id > ${this.last} AND e.data ? 'from' AND e.data->>'from' IS DISTINCT FROM e.what ORDER BY e.id`) ?? [];

		this.last = changes.at(-1)?.id ?? this.last;
		return changes;
	}

	close() {
		this.child?.kill('SIGKILL');
		this.child = null;
	}
}
