// SPDX-License-Identifier: GPL-2.0-or-later
// The HTTP API as a program sees it, and its event stream.
import http from 'node:http';

import { waitUntil } from './wait.mjs';

export class ApiError extends Error {
	constructor(method, path, status, body) {
		super(`${method} ${path}: ${status}: ${body?.error?.message ?? JSON.stringify(body)}`);
		Object.assign(this, { status, body, code: body?.error?.code });
	}
}

// body: an object is sent as JSON, a string or bytes as they are. Throws ApiError unless 2xx.
// raw: the Response itself, whatever its status.
export async function api(url, method, path, body, { token, headers, raw, timeoutMs = 30000 } = {}) {
	const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
	const response = await fetch(new URL(path, url), {
		method,
		headers: {
			connection: 'close', // one that was kept may be closed by the server as we write
			...(isJson ? { 'content-type': 'application/json' } : {}),
			...(token ? { authorization: `Bearer ${token}` } : {}),
			...headers,
		},
		body: isJson ? JSON.stringify(body) : body,
		redirect: 'manual',
		signal: AbortSignal.timeout(timeoutMs),
	});

	if (raw)
		return response;
	const text = await response.text();
	let answer = text;

	if ((response.headers.get('content-type') ?? '').startsWith('application/json'))
		answer = JSON.parse(text);
	if (!response.ok)
		throw new ApiError(method, path, response.status, answer);
	return answer;
}

// A text/event-stream that is read in the background: {id, event, data} in .events.
export class EventStream {
	constructor(url, path = '/api/v1/events', { lastId, token } = {}) {
		this.events = [];
		this.ended = false;
		this.done = this.#read(new URL(path, url), lastId, token);
	}

	// By http, not fetch: with the fetch of node 18 a body that is aborted may stay open for ever.
	#read(url, lastId, token) {
		this.request = http.get(url, {
			agent: false,
			headers: {
				accept: 'text/event-stream',
				...(lastId === undefined ? {} : { 'last-event-id': String(lastId) }),
				...(token ? { authorization: `Bearer ${token}` } : {}),
			},
		});
		return new Promise(resolve => {
			const end = error => {
				this.error ??= error;
				this.ended = true;
				resolve();
			};

			this.request.on('error', end);
			this.request.on('response', response => {
				let rest = '';

				this.status = response.statusCode;
				response.setEncoding('utf8');
				response.on('error', end);
				response.on('close', end);
				response.on('data', chunk => {
					const blocks = (rest + chunk).split('\n\n');

					rest = blocks.pop();
					for (const block of blocks)
						this.#take(block);
				});
			});
		});
	}

	#take(block) {
		const event = { id: undefined, event: 'message', data: '' };
		let isEvent = false;

		for (const line of block.split('\n')) {
			const colon = line.indexOf(':');

			if (colon === 0)
				continue; // a comment keeps the connection open
			const key = colon < 0 ? line : line.slice(0, colon);
			const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');

			if (key === 'id' || key === 'event')
				event[key] = value;
			else if (key === 'data')
				event.data += (event.data ? '\n' : '') + value;
			isEvent ||= key === 'event' || key === 'data';
		}
		if (!isEvent)
			return;
		try {
			event.json = JSON.parse(event.data);
		} catch {
			event.json = undefined;
		}
		this.events.push(event);
	}

	// The first event for which pred is true, past or to come.
	waitFor(pred, what, options) {
		return waitUntil(() => this.events.find(pred), `event: ${what}`, options);
	}

	async close() {
		this.request.destroy();
		await this.done;
	}
}
