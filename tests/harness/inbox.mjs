// SPDX-License-Identifier: GPL-2.0-or-later
// A mailing list made of the mails we give: an epoch as public-inbox v2 keeps one, read by path,
// or served over HTTP on loopback by Debian's public-inbox.
import fs from 'node:fs';
import path from 'node:path';

import { Proc, run, tempDir } from './proc.mjs';
import { freePort } from './wait.mjs';

const GIT_ENV = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

// One header of a mail, folded lines joined.
export function header(mail, name) {
	const head = mail.toString('latin1').split(/\r?\n\r?\n/, 1)[0].replace(/\r?\n[ \t]+/g, ' ');

	return new RegExp(`^${name}:[ \t]*(.*?)\r?$`, 'im').exec(head)?.[1] ?? '';
}

// All *.eml of a folder, in the order of their names.
export function readMails(dir) {
	return fs.readdirSync(dir).filter(name => name.endsWith('.eml')).sort()
		.map(name => fs.readFileSync(path.join(dir, name)));
}

// A small well-formed mail; body is text. headers replace or add.
export function makeMail({ subject, id, from = 'A Developer <dev@example.org>', date = new Date(), body = '', headers = {} }) {
	const lines = {
		From: from,
		To: 'list@example.org',
		Subject: subject,
		Date: new Date(date).toUTCString().replace('GMT', '+0000'),
		'Message-ID': `<${id}>`,
		...headers,
	};

	return Buffer.from(`${Object.entries(lines).map(([k, v]) => `${k}: ${v}`).join('\n')}\n\n${body}`);
}

export class Inbox {
	// mails: bytes or strings, oldest first.
	static async create(mails = [], { name = 'list', dir = tempDir('wl-inbox') } = {}) {
		const inbox = new Inbox(dir, name);

		fs.mkdirSync(path.dirname(inbox.epoch), { recursive: true });
		await run('git', ['init', '-q', '--bare', '--template=', '--initial-branch=master', inbox.epoch],
			{ env: GIT_ENV });
		await inbox.add(...mails);
		return inbox;
	}

	constructor(dir, name) {
		Object.assign(this, { dir, name, path: path.join(dir, name), address: `${name}@example.org` });
		this.epoch = path.join(this.path, 'git/0.git');
		this.count = 0;
	}

	// Appends one commit a mail; the Date of the mail is also the archive's time.
	async add(...mails) {
		for (const mail of mails)
			await this.#commit(Buffer.from(mail), 'm');
		await this.#index();
	}

	// As the archive does when a mail is withdrawn: a commit that has it as "d".
	async withdraw(mail) {
		await this.#commit(Buffer.from(mail), 'd');
		await this.#index();
	}

	async #commit(mail, file) {
		const date = Math.floor(Date.parse(header(mail, 'Date')) / 1000) || 1700000000;
		const [, author = '', email = ''] = /^(.*?)\s*<([^>]*)>/.exec(header(mail, 'From')) ?? [];
		const who = `${author.replace(/["<>]/g, '')} <${email.replace(/[<>\s]/g, '')}> ${date} +0000`;
		const subject = Buffer.from(header(mail, 'Subject') || '(no subject)', 'latin1');
		const parts = [
			`commit refs/heads/master\nauthor ${who}\ncommitter ${who}\ndata ${subject.length}\n`, subject, '\n',
			this.count ? 'from refs/heads/master^0\n' : '', 'deleteall\n',
			`M 100644 inline ${file}\ndata ${mail.length}\n`, mail, '\n',
		];

		await run('git', ['--git-dir', this.epoch, 'fast-import', '--quiet'],
			{ env: GIT_ENV, input: Buffer.concat(parts.map(part => Buffer.from(part))) });
		this.count++;
	}

	async head() {
		const { out } = await run('git', ['--git-dir', this.epoch, 'rev-parse', 'refs/heads/master'], { env: GIT_ENV });

		return out.trim();
	}

	// ---- over HTTP ----

	get #env() {
		return { PI_CONFIG: path.join(this.dir, 'pi-config'), HOME: this.dir, PI_DIR: path.join(this.dir, 'pi') };
	}

	async #index() {
		if (this.served)
			await run('public-inbox-index', ['-j0', '-L', 'medium', this.path], { env: this.#env });
	}

	// Serves it; this.url is the list. The port stays the same after stop and serve.
	async serve() {
		if (!this.served) {
			this.port = await freePort();
			this.url = `http://127.0.0.1:${this.port}/${this.name}`;
			await run('public-inbox-init', ['-V2', this.name, this.path, this.url, this.address], { env: this.#env });
			this.served = true;
			await this.#index();
			this.proc = new Proc('public-inbox-httpd', 'public-inbox-httpd',
				['-l', `127.0.0.1:${this.port}`, '-W0'], { env: this.#env });
		}
		this.proc.start();
		await this.proc.until(async () => (await fetch(`${this.url}/manifest.js.gz`)).ok, 'answering');
		return this.url;
	}

	async stop() {
		await this.proc?.kill('SIGTERM');
	}
}
