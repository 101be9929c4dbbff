// SPDX-License-Identifier: GPL-2.0-or-later
// Git repositories over smart HTTP on loopback, by git's own http-backend; it can misbehave on request.
import { spawn } from 'node:child_process';
import http from 'node:http';

const ENV = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null',
	GIT_HTTP_EXPORT_ALL: '1' };

export class GitHttp {
	// root: a folder of bare repositories, served at URL/NAME. files: path -> bytes, answered as they are.
	static async start(root, { host = '127.0.0.1', files = {} } = {}) {
		const git = new GitHttp();

		Object.assign(git, { root, files, redirect: null, down: false, asked: [] });
		git.server = http.createServer((request, response) => git.#answer(request, response));
		await new Promise(resolve => git.server.listen(0, host, resolve));
		git.port = git.server.address().port;
		git.url = `http://${host}:${git.port}`;
		return git;
	}

	#answer(request, response) {
		const { pathname, search } = new URL(request.url, this.url);

		this.asked.push(request.url);
		if (this.files[pathname])
			response.end(this.files[pathname]);
		else if (this.redirect)
			response.writeHead(302, { location: `${this.redirect}${request.url}` }).end();
		else if (this.down)
			response.writeHead(503).end();
		else
			this.#backend(request, response, pathname, search.slice(1));
	}

	#backend(request, response, pathname, query) {
		const child = spawn('git', ['http-backend'], { stdio: ['pipe', 'pipe', 'ignore'], env: { ...ENV,
			GIT_PROJECT_ROOT: this.root, PATH_INFO: pathname, QUERY_STRING: query, REQUEST_METHOD: request.method,
			CONTENT_TYPE: request.headers['content-type'] ?? '', REMOTE_ADDR: '127.0.0.1',
			HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
			...(request.headers['content-length'] ? { CONTENT_LENGTH: request.headers['content-length'] } : {}) } });
		let head = Buffer.alloc(0), sent = false;

		child.stdin.on('error', () => {});
		request.pipe(child.stdin);
		child.stdout.on('data', chunk => {
			if (sent)
				return response.write(chunk);
			head = Buffer.concat([head, chunk]);
			const end = head.indexOf('\r\n\r\n');
			if (end < 0)
				return;
			const lines = head.subarray(0, end).toString('latin1').split('\r\n').map(l => l.split(/:\s*/, 2));
			const status = Number.parseInt(lines.find(([k]) => k.toLowerCase() === 'status')?.[1] ?? '200', 10);
			response.writeHead(status, Object.fromEntries(lines.filter(([k]) => k.toLowerCase() !== 'status')));
			response.write(head.subarray(end + 4));
			sent = true;
		});
		child.stdout.on('end', () => response.end());
	}

	async stop() {
		this.server.closeAllConnections();
		await new Promise(resolve => this.server.close(resolve));
	}
}
