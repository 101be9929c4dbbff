// SPDX-License-Identifier: GPL-2.0-or-later
// Waiting: the only place in the tests where time passes.
import net from 'node:net';

export const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

// Polls cond (may be async) until it returns something true, which is the answer. A cond that
// throws counts as false; its last error is told when time is up.
export async function waitUntil(cond, what, { timeoutMs = 60000, everyMs = 50 } = {}) {
	const end = Date.now() + timeoutMs;
	let last;

	for (;;) {
		try {
			const got = await cond();

			if (got)
				return got;
			last = undefined;
		} catch (error) {
			if (error?.fatal)
				throw error;
			last = error;
		}
		if (Date.now() >= end)
			throw new Error(`waited ${timeoutMs} ms for ${what}` + (last ? `: ${last.message}` : ''));
		await pause(everyMs);
	}
}

// The promise, or an error after timeoutMs.
export async function within(promise, what, timeoutMs = 60000) {
	let timer;
	const late = new Promise((_, reject) => {
		timer = setTimeout(() => reject(new Error(`waited ${timeoutMs} ms for ${what}`)), timeoutMs);
	});

	try {
		return await Promise.race([promise, late]);
	} finally {
		clearTimeout(timer);
	}
}

// A TCP port of loopback that is free now.
export function freePort() {
	return new Promise((resolve, reject) => {
		const server = net.createServer();

		server.once('error', reject);
		server.listen(0, '127.0.0.1', () => {
			const { port } = server.address();

			server.close(() => resolve(port));
		});
	});
}
