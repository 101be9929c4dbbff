// SPDX-License-Identifier: GPL-2.0-or-later
// A real SMTP server on loopback that keeps what it took, and can misbehave on request.
import { createRequire } from 'node:module';

import { header } from './inbox.mjs';
import { waitUntil } from './wait.mjs';

const { SMTPServer } = createRequire(import.meta.url)('smtp-server');

// What a scripted answer may be; each is used up by one mail.
export const ANSWERS = [
	'accept', //
	'refuse-rcpt', // 550 at RCPT
	'busy-rcpt', // 451 at RCPT
	'refuse-data', // 554 after the final dot
	'busy-data', // 451 after the final dot
	'drop-rcpt', // closes the connection at RCPT: nothing was taken
	'drop-after-data', // takes the mail, closes the connection without an answer
	'slow', // takes the mail, answers when release() is called
];

function answer(code, text) {
	return Object.assign(new Error(text), { responseCode: code });
}

export class Smtp {
	static async start() {
		const smtp = new Smtp();

		await smtp.listen(0);
		return smtp;
	}

	constructor() {
		this.mails = []; // {from, to[], raw, messageId} in the order they were taken
		this.script = []; // answers for the next mails; empty: accept
		this.seen = 0; // connections that came as far as RCPT
		this.held = [];
	}

	listen(port) {
		this.server = new SMTPServer({
			authOptional: true,
			disabledCommands: ['STARTTLS', 'AUTH'],
			disableReverseLookup: true,
			logger: false,
			onRcptTo: (address, session, done) => this.#onRcpt(session, done),
			onData: (stream, session, done) => this.#onData(stream, session, done),
		});
		this.server.on('error', () => {});
		return new Promise((resolve, reject) => {
			this.server.once('error', reject);
			this.server.listen(port, '127.0.0.1', () => {
				this.port = this.server.server.address().port;
				this.server.server.unref(); // a test that failed must not wait for it
				this.url = `smtp://127.0.0.1:${this.port}`;
				resolve();
			});
		});
	}

	#drop(session) {
		for (const connection of this.server.connections)
			if (connection.session === session || connection.id === session.id)
				connection._socket.destroy();
	}

	#onRcpt(session, done) {
		session.plan ??= this.script.shift() ?? 'accept';
		this.seen += session.counted ? 0 : 1;
		session.counted = true;
		switch (session.plan) {
		case 'refuse-rcpt':
			return done(answer(550, 'no such user here'));
		case 'busy-rcpt':
			return done(answer(451, 'try again later'));
		case 'drop-rcpt':
			return this.#drop(session);
		default:
			return done();
		}
	}

	#onData(stream, session, done) {
		const chunks = [];

		stream.on('data', chunk => chunks.push(chunk));
		stream.on('end', () => {
			const raw = Buffer.concat(chunks);
			const plan = session.plan;

			session.plan = undefined; // the next mail of this connection has its own
			if (plan === 'refuse-data')
				return done(answer(554, 'looks like spam'));
			if (plan === 'busy-data')
				return done(answer(451, 'queue is full'));
			this.mails.push({
				from: session.envelope.mailFrom.address, to: session.envelope.rcptTo.map(one => one.address),
				raw, messageId: header(raw, 'Message-ID'),
			});
			if (plan === 'drop-after-data')
				return this.#drop(session);
			if (plan === 'slow')
				return void this.held.push(() => done(null, 'taken, at last'));
			return done(null, 'taken');
		});
	}

	// Answers those that were slow.
	release() {
		for (const one of this.held.splice(0))
			one();
	}

	waitMails(n, options) {
		return waitUntil(() => this.mails.length >= n && this.mails, `${n} mails at the SMTP server`, options);
	}

	async stop() {
		for (const connection of this.server.connections)
			connection._socket.destroy();
		await new Promise(resolve => this.server.close(resolve));
	}

	// Again on the same port after stop().
	start() {
		return this.listen(this.port);
	}
}
