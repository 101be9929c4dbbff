/* SPDX-License-Identifier: GPL-2.0-or-later */
/* api.js - the only caller of the API: JSON, errors with words, the token, the event stream. */

const TOKEN_KEY = "wakelist.token";

/* An answer that is not 2xx: code and message come from the server's {"error":{...}}. */
export class ApiError extends Error {
	constructor(status, code, message) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

/* The pasted token lives as long as the tab; it is never put in a URL or a cookie. */
export const token = {
	get: () => sessionStorage.getItem(TOKEN_KEY) || "",
	set: (value) => (value ? sessionStorage.setItem(TOKEN_KEY, value) : sessionStorage.removeItem(TOKEN_KEY)),
};

async function call(method, path, body) {
	const headers = {};
	if (token.get())
		headers.Authorization = `Bearer ${token.get()}`;
	if (body !== undefined)
		headers["Content-Type"] = "application/json";
	let response;
	try {
		response = await fetch(`/api/v1${path}`, {
			method,
			headers,
			body: body === undefined ? undefined : JSON.stringify(body),
		});
	} catch (error) {
		throw new ApiError(0, "unavailable", "the server does not answer");
	}
	const text = await response.text();
	let json = null;
	try {
		json = text ? JSON.parse(text) : null;
	} catch (error) {
		throw new ApiError(response.status, "internal", "the server's answer is not JSON");
	}
	if (!response.ok) {
		const e = (json && json.error) || {};
		throw new ApiError(response.status, e.code || "internal", e.message || `HTTP status ${response.status}`);
	}
	return json;
}

export const get = (path) => call("GET", path);
export const post = (path, body) => call("POST", path, { v: 1, ...body });
export const remove = (path) => call("DELETE", path);

/* Text of a blob (a log, a mail), cut at max_bytes with a note. */
export async function blobText(sha256, maxBytes = 1 << 20) {
	const response = await fetch(`/api/v1/blobs/${sha256}`, { headers: { Range: `bytes=0-${maxBytes - 1}` } });
	if (!response.ok)
		throw new ApiError(response.status, "not_found", "the server does not have these bytes any more");
	return response.text();
}

/* A job's log from an offset on; grows while the job runs. */
export async function jobLog(id, offset) {
	const response = await fetch(`/api/v1/jobs/${id}/log?offset=${offset}`);
	return response.ok ? response.text() : "";
}

/*
 * Events from now on; onEvent(event) for each, onReload() when some were missed and the page
 * has to ask again. Returns a function that ends the stream. EventSource reconnects by itself
 * and sends the last id it saw.
 */
export function events(query, onEvent, onReload) {
	const source = new EventSource(`/api/v1/events${query}`);
	const handle = (message) => onEvent(JSON.parse(message.data));
	for (const entity of ["tree", "list", "submission", "series", "job", "build", "run", "machine", "reply"])
		source.addEventListener(entity, handle);
	source.addEventListener("reload", onReload);
	return () => source.close();
}
