// SPDX-License-Identifier: GPL-2.0-or-later
// One child process with its log. It dies with us; a sanitizer's report in its log is an error.
import { execFile, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { waitUntil, within } from './wait.mjs';

export const TOP = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const BIN = process.env.WAKELIST_BIN ??
	path.join(process.env.WL_BUILD ?? path.join(TOP, 'build/asan'), 'bin');
const LOG_MAX = 16 << 20;
const SANITIZER = /AddressSanitizer|LeakSanitizer|UndefinedBehaviorSanitizer|: runtime error:/;

const running = new Set();
const folders = new Set();

process.on('exit', () => {
	for (const proc of running)
		proc.child.kill('SIGKILL');
	for (const folder of folders)
		fs.rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
	process.once(signal, () => process.exit(1));

// Universal Ctags, with a sandbox of its own: without it functions are read from the hunks.
export function hasCtags() {
	try {
		return execFileSync('ctags', ['--list-features'], { encoding: 'utf8' }).includes('sandbox');
	} catch {
		return false;
	}
}

// A folder that is gone when the test program ends. WL_KEEP=1 keeps it.
export function tempDir(name = 'wl-test') {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), `${name}.`));

	fs.chmodSync(dir, 0o755); // children of the worker may be another user
	if (process.env.WL_KEEP)
		console.error(`# kept: ${dir}`);
	else
		folders.add(dir);
	return dir;
}

// Runs a program to its end: {code, out, err}. Throws when the code is not among `codes`.
export function run(file, args, { codes = [0], input, env, cwd, timeoutMs = 120000 } = {}) {
	return new Promise((resolve, reject) => {
		const child = execFile(file, args, {
			env: { ...process.env, LC_ALL: 'C', ...env }, cwd, timeout: timeoutMs,
			killSignal: 'SIGKILL', maxBuffer: 64 << 20,
		}, (error, out, err) => {
			const code = error ? error.code ?? error.signal ?? 'killed' : 0;

			if (codes.includes(code))
				resolve({ code, out, err });
			else
				reject(new Error(`${path.basename(file)} ${args.join(' ')}: ${code}: ${err || out || error?.message}`));
		});

		child.stdin.on('error', () => {});
		child.stdin.end(input);
	});
}

export class Proc {
	constructor(name, file, args, { env, cwd } = {}) {
		Object.assign(this, { name, file, args, env, cwd });
		this.log = '';
		this.exit = null; // {code, signal} once it has ended
	}

	// Starts it (again); the log goes on.
	start() {
		if (this.child && !this.exit)
			throw new Error(`${this.name} runs already`);
		this.exit = null;
		const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', this.file, ...this.args], {
			cwd: this.cwd, stdio: ['ignore', 'pipe', 'pipe'],
			env: { ...process.env, LC_ALL: 'C', ...this.env },
		});

		this.child = child;
		running.add(this);
		for (const stream of [child.stdout, child.stderr]) {
			stream.setEncoding('utf8');
			stream.on('data', text => {
				this.log += text;
				if (this.log.length > LOG_MAX)
					this.log = this.log.slice(-LOG_MAX / 2);
				if (process.env.WL_VERBOSE)
					process.stderr.write(text.replace(/^(?=.)/gm, `# ${this.name}: `));
			});
		}
		this.exited = new Promise(resolve => {
			child.once('error', error => {
				this.log += `${error.message}\n`;
				this.exit = { code: 127, signal: null };
				running.delete(this);
				resolve(this.exit);
			});
			// What it started may outlive it and hold its log open: that is not waited for.
			child.once('exit', (code, signal) => {
				this.exit = { code, signal };
				running.delete(this);
				setTimeout(() => {
					child.stdout.destroy();
					child.stderr.destroy();
					resolve(this.exit);
				}, 500);
			});
			child.once('close', () => resolve(this.exit));
		});
		return this;
	}

	get pid() {
		return this.child?.pid;
	}

	get alive() {
		return Boolean(this.child) && !this.exit;
	}

	tail(lines = 30) {
		return this.log.split('\n').slice(-lines - 1).join('\n');
	}

	logContains(what) {
		return typeof what === 'string' ? this.log.includes(what) : what.test(this.log);
	}

	// Waits for a condition of this process; an end meanwhile is told with its last words.
	async until(cond, what, options) {
		return waitUntil(async () => {
			if (!this.alive)
				throw Object.assign(new Error(`${this.name} ended (${JSON.stringify(this.exit)}):\n${this.tail()}`),
					{ fatal: true });
			return cond();
		}, `${this.name}: ${what}`, options);
	}

	waitLog(what, options) {
		return this.until(() => this.logContains(what), `"${what}" in its log`, options);
	}

	// kill -9 by default; returns when it is gone.
	async kill(signal = 'SIGKILL') {
		if (!this.alive)
			return this.exit;
		this.child.kill(signal);
		return within(this.exited, `the end of ${this.name} by ${signal}`);
	}

	// SIGTERM; must end by itself with status 0.
	async stop({ timeoutMs = 30000 } = {}) {
		if (!this.child)
			return;
		if (this.alive) {
			this.child.kill('SIGTERM');
			try {
				await within(this.exited, `the end of ${this.name}`, timeoutMs);
			} catch (error) {
				// with handle_abort=1 in ASAN_OPTIONS the log gets its stack
				this.child.kill('SIGABRT');
				await within(this.exited, 'its last words', 5000).catch(() => this.child.kill('SIGKILL'));
				await this.exited;
				throw new Error(`${error.message}\n${this.tail()}`);
			}
			if (this.exit.code !== 0 && this.exit.signal !== 'SIGTERM')
				throw new Error(`${this.name} ended with ${JSON.stringify(this.exit)}:\n${this.tail()}`);
		}
		this.assertClean();
	}

	assertClean() {
		if (SANITIZER.test(this.log)) {
			const at = this.log.search(SANITIZER);

			throw new Error(`${this.name}: a sanitizer's report:\n${this.log.slice(Math.max(0, at - 200), at + 6000)}`);
		}
	}
}
