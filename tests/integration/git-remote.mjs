// SPDX-License-Identifier: GPL-2.0-or-later
// A git repository that stands for a developer's: made of commits, pushed, and mailed from.
import fs from 'node:fs';
import path from 'node:path';

import { author, mail, sh, until } from './chain-lib.mjs';

export const ENV = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null',
	GIT_AUTHOR_NAME: 'Dev', GIT_AUTHOR_EMAIL: 'dev@example.org', GIT_COMMITTER_NAME: 'Dev',
	GIT_COMMITTER_EMAIL: 'dev@example.org' };
export const FAIR = 'kernel/sched/fair.c', CORE = 'kernel/sched/core.c';
let day = 0;

// A kernel's history as developers push it: each commit changes one line of fair.c.
export class Remote {
	constructor(dir, commits = 8, name = 'linux') {
		this.bare = path.join(dir, `remote/${name}.git`);
		this.work = path.join(dir, `work-${name}`);
		sh(['git', 'init', '-q', '--bare', '--template=', '--initial-branch=main', this.bare], { env: ENV });
		sh(['git', 'init', '-q', '--template=', '--initial-branch=main', this.work], { env: ENV });
		fs.mkdirSync(path.join(this.work, 'kernel/sched'), { recursive: true });
		this.write('Makefile', 'VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 0\nEXTRAVERSION = -rc3\n');
		this.write(FAIR, Array.from({ length: 200 }, (_, i) => `/* fair ${i + 1} */\n`).join(''));
		this.write(CORE, Array.from({ length: 60 }, (_, i) => `/* core ${i + 1} */\n`).join(''));
		this.commit('start');
		for (let i = 1; i < commits; i++)
			this.line(FAIR, 1 + i % 60, `int step_${i};`).commit(`sched/fair: Step ${i}`);
		this.git('checkout', '-q', '-b', 'next', `main~${Math.min(10, commits - 1)}`);
		this.line(CORE, 10, 'int next;').commit('sched/core: Next');
		this.git('checkout', '-q', 'main');
		this.push('main', 'next');
	}

	git(...args) {
		const date = `${Math.floor(Date.now() / 1000) - 86400 * 90 + 600 * day} +0000`;

		return sh(['git', '-C', this.work, ...args], { env: { ...ENV, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date } }).trim();
	}

	write(file, text) {
		fs.writeFileSync(path.join(this.work, file), text);
	}

	line(file, n, text) {
		const lines = fs.readFileSync(path.join(this.work, file), 'utf8').split('\n');

		lines[n - 1] = text;
		this.write(file, lines.join('\n'));
		return this;
	}

	commit(title) {
		day++;
		this.git('add', '-A');
		this.git('commit', '-q', '-m', `${title}\n\nSigned-off-by: Dev <dev@example.org>`);
		return this.rev('HEAD');
	}

	rev(name) {
		return this.git('rev-parse', name);
	}

	patchId(commit) {
		return sh(['git', '-C', this.work, 'patch-id', '--stable'], { env: ENV, input: this.git('show', commit) }).split(' ')[0];
	}

	tree(commit) {
		return this.rev(`${commit}^{tree}`);
	}

	push(...branches) {
		this.git('push', '-q', '-f', this.bare, ...branches);
	}

	// A mail with one change of a file made on top of a commit, as git format-patch writes its diff. The commit
	// is `last` then, for mails on top of it.
	patch({ id, subject, at, file = FAIR, n, text, note = '', index = true, version = '' }) {
		const back = this.git('branch', '--show-current') || this.rev('HEAD');

		this.git('checkout', '-q', '--detach', at);
		this.last = this.line(file, n, text).commit(subject);
		let diff = this.git('show', '--format=', '--full-index', 'HEAD');
		this.git('checkout', '-q', back);
		if (!index)
			diff = diff.replace(/^index .*\n/m, '');
		return mail({ id, subject: `[PATCH${version}] ${subject}`,
			body: `Because.\n\nSigned-off-by: ${author}\n---\n${diff}\n\n${note}-- \n2.39.5\n` });
	}
}

export const treeIs = (chain, name, ok) => until(`the tree ${name}`, () => {
	const { t } = chain.one(`SELECT api_tree(t) AS t FROM tree t WHERE name = '${name}'`);

	return ok(t) && t;
});
export const addTree = (chain, name, url, branches = []) => chain.exec(`SELECT api_tree_create('${name}', 'git', '${url}', NULL,
	ARRAY[${branches.map(b => `'${b}'`).join(',')}]::text[], 3600000)`);
export const fetchTree = async (chain, name) => {
	const jobs = () => Number(chain.exec(`SELECT count(*) FROM job_fence f JOIN job j ON j.id = f.job_id
		WHERE j.payload->>'op' = 'fetch' AND f.ended_at IS NOT NULL`));
	const before = jobs();

	chain.exec(`SELECT api_tree_fetch('${name}')`);
	await until('the fetch', () => jobs() > before);
};
export const app = (chain, title) => chain.one(`SELECT a.* FROM application a JOIN series s ON s.id = a.series_id
	WHERE s.title = '${title}' ORDER BY a.id DESC LIMIT 1`);
export const APPLIED = ['applied', 'planned', 'running', 'analysed', 'answered'];
