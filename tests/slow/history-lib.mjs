// SPDX-License-Identifier: GPL-2.0-or-later
// What a project merged, what its list carried, and which series became which commits.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { BIN } from '../harness/proc.mjs';

export const ENV = {
	PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', TZ: 'UTC',
	GIT_COMMITTER_NAME: 'Test Committer', GIT_COMMITTER_EMAIL: 'committer@example.org',
	ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ''}:detect_leaks=0`,
};

// {code, out, err}; out is bytes with raw.
export function sh(file, args, { input, codes = [0], cwd, env, raw } = {}) {
	const r = spawnSync(file, args, { env: { ...ENV, ...env }, input, cwd, maxBuffer: 2 ** 30 });

	if (r.error || (codes && !codes.includes(r.status)))
		throw new Error(`${path.basename(file)} ${args.join(' ')}: ${r.status}: ${r.error ?? r.stderr}`);
	return { code: r.status, out: raw ? r.stdout : r.stdout.toString().trim(), err: r.stderr.toString() };
}

export const wakelist = (args, options) => sh(path.join(BIN, 'wakelist'), args, options);

const plain = title => title.replace(/^(\s*\[[^\]]*\])+/, '').replace(/\s+/g, ' ').trim().toLowerCase();

// Every commit of HEAD that is no merge, oldest first: {id, parent, time, author, title, links, patchId, paths}.
export function readCommits(dir) {
	const log = sh('git', ['-C', dir, 'log', '--reverse', '--no-merges', '--name-only', '-z',
		'--format=%x01%H%x02%P%x02%ct%x02%an%x02%ae%x02%s%x02%(trailers:key=Link,valueonly,separator=%x03)%x02', 'HEAD']).out;
	const diffs = sh('git', ['-C', dir, 'log', '-p', '--no-merges', 'HEAD'], { raw: true }).out;
	const ids = new Map(sh('git', ['patch-id', '--stable'], { input: diffs }).out.split('\n')
		.map(l => l.split(' ').reverse()));

	return log.split('\x01').slice(1).map((text, no) => {
		const [id, parent, time, name, email, title, links, names] = text.split('\x02');

		return { no, id, parent, time: Number(time), name, email: email.toLowerCase(), title: plain(title),
			links: links.split('\x03').map(l => decodeURIComponent(/([^/\s]+@[^/\s]+)\/?\s*$/.exec(l)?.[1] ?? '')),
			patchId: ids.get(id), paths: names.split(/[\0\n]/).filter(Boolean) };
	});
}

// Message-id -> bytes, of the ids wanted.
export function readMails(epoch, wanted) {
	const git = `--git-dir=${epoch}`;
	const commits = sh('git', [git, 'rev-list', '--reverse', '--all']).out.split('\n');
	const mails = new Map();

	for (let at = 0; at < commits.length; at += 5000) {
		const out = sh('git', [git, 'cat-file', '--batch'],
			{ input: commits.slice(at, at + 5000).map(c => `${c}:m\n`).join(''), raw: true }).out;

		for (let i = 0; i < out.length;) {
			const eol = out.indexOf(10, i), head = out.toString('latin1', i, eol).split(' ');

			i = eol + 1;
			if (head.at(-1) === 'missing')
				continue;
			const mail = out.subarray(i, i + Number(head[2]));
			const end = mail.indexOf('\n\n');
			const id = /^message-id:\s*<([^>]+)>/mi.exec(mail.toString('latin1', 0, end < 0 ? mail.length : end))?.[1];

			if (wanted.has(id) && !mails.has(id))
				mails.set(id, Buffer.from(mail));
			i += Number(head[2]) + 1;
		}
	}
	return mails;
}

// What the diffs of a mail say, read plainly: [{path, oldPath, oldId}]. Quoted-printable is undone.
export function readDiffs(mail) {
	let text = mail.toString('latin1');

	if (/^content-transfer-encoding:\s*quoted-printable/mi.test(text))
		text = text.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/gi, (_, x) => String.fromCharCode(parseInt(x, 16)));
	else if (/^content-transfer-encoding:\s*base64/mi.test(text))
		text = Buffer.from(text.slice(text.search(/\r?\n\r?\n/)), 'base64').toString('latin1');
	return text.split(/^diff --git /m).slice(1).map(part => {
		const [, oldPath, path] = /^a\/(\S+) b\/(\S+)/.exec(part) ?? [];

		return { oldPath, path, oldId: /^index ([0-9a-f]{7,40})\.\./m.exec(part.split(/^@@/m)[0])?.[1] };
	}).filter(f => f.path);
}

// The commit that each part became, in order of belief: a Link to it, its patch-id, its author and title
// with a file in common. A commit is one series' only: the newest before it that has the best claim.
const claims = {
	link: (part, c) => c.byLink.get(part.message_id),
	'patch-id': (part, c) => c.byPatchId.get(part.patch_id),
	title: (part, c) => c.byTitle.get(plain(part.title))?.filter(x =>
		[part.author.name, part.author.email.toLowerCase()].some(w => w === x.name || w === x.email) &&
		part.files.some(f => x.paths.includes(f.path) || x.paths.includes(f.oldPath))),
};

const group = (commits, keys) => {
	const map = new Map();

	for (const c of commits)
		for (const key of keys(c).filter(Boolean))
			map.set(key, [...map.get(key) ?? [], c]);
	return map;
};

// Sets part.commit and part.how where a part was merged.
export function match(commits, series) {
	const index = { byLink: group(commits, c => c.links), byPatchId: group(commits, c => [c.patchId]), byTitle: group(commits, c => [c.title]) };
	const taken = new Set();

	for (const [how, find] of Object.entries(claims)) {
		for (const s of series.toSorted((a, b) => b.version - a.version || b.last_time - a.last_time)) {
			if (how === 'title' && s.superseded_by)
				continue;
			for (const part of s.patches.filter(p => !p.commit)) {
				// a clock may be a day off
				const c = (find(part, index) ?? []).find(x => !taken.has(x.id) && (how !== 'title' || x.time > s.first_time - 86400));

				if (c) {
					Object.assign(part, { commit: c, how });
					taken.add(c.id);
				}
			}
		}
	}
}

// path -> id of the files at a commit; absent ones are not in it.
export function filesAt(dir, commit, paths) {
	const out = sh('git', ['-C', dir, 'ls-tree', '-z', commit, '--', ...paths]).out;

	return new Map(out.split('\0').filter(Boolean).map(l => [l.split('\t')[1], l.split('\t')[0]]));
}

// git am in a work tree of its own.
export class GitAm {
	constructor(from, dir) {
		this.dir = dir;
		sh('git', ['clone', '-q', '--no-checkout', from, dir]);
		fs.appendFileSync(path.join(dir, '.git/config'), '[core]\n\tfsync = none\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n' +
			'[b4]\n\tattestation-policy = off\n');
	}
	// The tree that results, or null.
	am(base, files, three) {
		fs.rmSync(path.join(this.dir, '.git/rebase-apply'), { recursive: true, force: true });
		sh('git', ['-C', this.dir, 'checkout', '-q', '-f', '--detach', base]);
		sh('git', ['-C', this.dir, 'clean', '-qfdx']);
		const r = sh('git', ['-C', this.dir, 'am', '-q', three ? '-3' : '--no-3way', ...files], { codes: null });

		this.err = r.err;
		return r.code === 0 ? sh('git', ['-C', this.dir, 'rev-parse', 'HEAD^{tree}']).out : null;
	}
	// The mbox that b4 makes of the mails of a series, or null.
	b4(mbox, id, dir) {
		fs.rmSync(dir, { recursive: true, force: true });
		fs.mkdirSync(dir);
		sh('b4', ['am', '-m', mbox, '-o', dir, '-n', 'b4', '-C', '-T', '--no-cover', id], { codes: null, cwd: this.dir, env: { HOME: dir } });
		const file = fs.readdirSync(dir).find(n => n.endsWith('.mbx'));

		return file ? path.join(dir, file) : null;
	}
}
