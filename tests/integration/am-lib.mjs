// SPDX-License-Identifier: GPL-2.0-or-later
// wakelist apply against git am and git am -3 on the cases of am-cases.mjs.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

import { BIN, tempDir } from '../harness/proc.mjs';
import { contents, makeCase } from './am-cases.mjs';

const BATCH = 50;
export const BASE_TIME = 1700000000;
export const WHO = 'Test Committer <committer@example.org>';
const ENV = {
	PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', TZ: 'UTC',
	GIT_COMMITTER_NAME: 'Test Committer', GIT_COMMITTER_EMAIL: 'committer@example.org',
	// a search for leaks at the end of each process would take half of the time
	ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ''}:detect_leaks=0`, UBSAN_OPTIONS: process.env.UBSAN_OPTIONS ?? '',
};

export function sh(file, args, { env, input, codes = [0], cwd, raw } = {}) {
	const r = spawnSync(file, args, { env: { ...ENV, ...env }, input, cwd, maxBuffer: 64 << 20 });

	if (r.error || (codes && !codes.includes(r.status)))
		throw new Error(`${path.basename(file)} ${args.join(' ')}: ${r.status}: ${r.error ?? r.stderr}`);
	return { code: r.status, out: raw ? r.stdout : r.stdout.toString().trim(), err: r.stderr.toString() };
}

// --- repositories of many cases, by one git fast-import each ---

export class Import {
	constructor(dir) {
		this.dir = dir;
		this.parts = [];
		sh('git', ['init', '-q', dir]);
		fs.appendFileSync(path.join(dir, '.git/config'), '[core]\n\tfsync = none\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n');
	}
	commit(ref, from, tree, { who, when, message }) {
		const data = b => ['data ', String(b.length), '\n', b, '\n'];

		this.parts.push(`commit ${ref}\nauthor ${who} ${when}\ncommitter ${who} ${when}\n`, ...data(Buffer.from(message)));
		if (from)
			this.parts.push(`from ${from}\n`);
		this.parts.push('deleteall\n');
		for (const [p, f] of tree)
			this.parts.push(...f.id ? [`M ${f.mode} ${f.id} "${p}"\n`] : [`M ${f.mode} inline "${p}"\n`, ...data(contents(f))]);
	}
	finish() {
		sh('git', ['-C', this.dir, 'fast-import', '--quiet', '--force'], { input: Buffer.concat(this.parts.map(p => Buffer.from(p))) });
		const refs = sh('git', ['-C', this.dir, 'for-each-ref', '--format=%(refname) %(objectname)']).out;

		this.refs = Object.fromEntries(refs.split('\n').map(l => l.split(' ')));
		this.parts = null;
		return this;
	}
}

function buildBatch(dir, cases) {
	const author = new Import(path.join(dir, 'author')), full = new Import(path.join(dir, 'full')), bare = new Import(path.join(dir, 'bare'));
	const base = { who: 'Base <base@example.org>', when: `${BASE_TIME} +0000`, message: 'base\n' };

	cases.forEach((c, i) => {
		for (const repo of [author, ...c.shallow ? [] : [full]])
			repo.commit(`refs/heads/base-${i}`, null, c.base, base);
		let from = `refs/heads/base-${i}`;

		for (const tree of c.steps) {
			author.commit(`refs/heads/a-${i}`, from, tree, { who: c.author, when: `${c.time} ${c.zone}`, message: `${c.subject}\n\n${c.body}` });
			from = null;
		}
		(c.shallow ? bare : full).commit(`refs/heads/t-${i}`, c.shallow ? null : `refs/heads/base-${i}`, c.target.tree, { ...base, message: 'moved\n' });
	});
	const repos = { author: author.finish(), full, bare };

	for (const r of [full, bare])
		if (r.parts.length)
			r.finish();
	return repos;
}

// --- the two sides ---

function readCommit(folders, id) {
	const file = folders.map(f => path.join(f, id.slice(0, 2), id.slice(2))).find(f => fs.existsSync(f));
	const raw = zlib.inflateSync(fs.readFileSync(file)).toString('latin1');

	return { id, tree: /\ntree ([0-9a-f]{40})\n|\0tree ([0-9a-f]{40})\n/.exec(raw).slice(1).find(Boolean) };
}

export class Side {
	constructor(dir, repo, head, time) {
		Object.assign(this, { dir, repo, head });
		this.git = path.join(repo.dir, '.git');
		this.date = `@${Math.max(time, BASE_TIME)} +0000`;
	}
	// The work tree as the target has it; objects made from here on go to a folder of their own.
	fresh() {
		const objects = path.join(this.dir, 'objects');

		for (const name of fs.readdirSync(this.repo.dir))
			if (name !== '.git')
				fs.rmSync(path.join(this.repo.dir, name), { recursive: true });
		for (const name of ['index', 'index.lock', 'rebase-apply', 'MERGE_RR'])
			fs.rmSync(path.join(this.git, name), { recursive: true, force: true });
		fs.rmSync(objects, { recursive: true, force: true });
		fs.mkdirSync(objects);
		fs.writeFileSync(path.join(this.git, 'HEAD'), `${this.head}\n`);
		this.env = { GIT_OBJECT_DIRECTORY: objects, GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(this.git, 'objects'), GIT_COMMITTER_DATE: this.date };
		sh('git', ['-C', this.repo.dir, 'read-tree', '-u', '--reset', 'HEAD'], { env: this.env });
	}
	run(...args) {
		return sh('git', ['-C', this.repo.dir, ...args], { env: this.env, codes: null });
	}
	// {ok, already, tree, id, err}. Where git stops at a patch that ours calls already, and that applies
	// backwards right there, it is told to go on: git am --skip. skipped counts these.
	am(file, three, ours, ...more) {
		const at = path.join(this.git, 'rebase-apply/next');
		let skipped = 0;

		this.fresh();
		let r = this.run('am', '-q', three ? '-3' : '--no-3way', ...more, file);

		for (; r.code !== 0; skipped++) {
			const n = fs.existsSync(at) ? Number(fs.readFileSync(at, 'utf8')) : 0;

			if (ours?.patches[n - 1]?.result !== 'already' || !this.isThere())
				return { ok: false, err: r.err };
			r = this.run('am', '-q', '--skip');
		}
		const id = fs.readFileSync(path.join(this.git, 'HEAD'), 'utf8').trim();

		if (id === this.head)
			return { ok: true, skipped, already: true };
		return { ok: true, skipped, ...readCommit([this.env.GIT_OBJECT_DIRECTORY, this.env.GIT_ALTERNATE_OBJECT_DIRECTORIES], id) };
	}
	// The tree of git cherry-pick of commits of another repository.
	picked(from, range) {
		this.fresh();
		this.env.GIT_ALTERNATE_OBJECT_DIRECTORIES += `:${path.join(from.dir, '.git/objects')}`;
		const ids = sh('git', ['-C', from.dir, 'rev-list', '--reverse', range]).out.split('\n');
		const r = this.run('cherry-pick', '--allow-empty', '--keep-redundant-commits', '--strategy=recursive', ...ids);

		return r.code === 0 ? this.run('rev-parse', 'HEAD^{tree}').out : null;
	}
	// Does the whole patch that git am stopped at apply backwards?
	isThere() {
		this.run('read-tree', '-u', '--reset', 'HEAD');
		return this.run('apply', '-R', '--check', '--index', path.join(this.git, 'rebase-apply/patch')).code === 0;
	}
	ours(file, three) {
		const r = sh(path.join(BIN, 'wakelist'), ['apply', '--repo', this.git, '--base', this.head, '--committer', WHO, '--dry-run', '--mend',
			...three ? [] : ['--no-3way'], file], { codes: null });

		if (![0, 1, 2, 3].includes(r.code) || /Sanitizer|runtime error/.test(r.err))
			throw new Error(`wakelist apply ${file}: ${r.code}: ${r.err}`);
		return !r.out ? { result: 'failed', error: r.err.trim(), patches: [] } : JSON.parse(r.out);
	}
}

// --- the verdict ---

const notes = (o, code) => o.patches.flatMap(p => p.notes).filter(n => n.code === code);
const MENDED = ['tail_filled', 'wrapped', 'tabs', 'qp_left', 'unquoted'];
const wasMended = o => MENDED.find(code => notes(o, code).length);
const wasRepaired = o => wasMended(o) || o.patches.some(p => p.notes.some(n => n.detail === 'the diff was read so'));
export const results = o => new Set(o.patches.map(p => p.result));

const hasOpenEnd = c => /^\\ No newline/m.test(c.text);

// A header, or its --- and +++, with two names and no lines that say rename or copy: git then writes both files.
const hasBareMove = c => {
	const moves = /^(?:diff --git a\/(\S+) b\/(?!\1\r?$)|--- a\/(\S+)\r?\n\+\+\+ b\/(?!\2\r?$))\S+\r?$/m;

	return fs.readFileSync(c.clean, 'latin1').split(/^(?=diff --git )/m).some(diff => moves.test(diff) && !/^(rename|copy) from /m.test(diff));
};

// What we refuse though git takes it: docs/applying.md, "Stricter than git".
const STRICTER = [
	['no context', o => /has no context \(made with -U0\)/.test(o.error)],
	// of these the plain search's sentence stays, since the files that the patch names need such a guess too
	['no context', (o, c) => c.format.includes('-U0') && /does not exist at this base|is already in the base|exists already at this base|quoted-printable was not decoded/.test(o.error)],
	['two places', o => /context matches at 2 places/.test(o.error)],
	['is gone', o => /is gone: /.test(o.error)],
	['last line', (o, c) => hasOpenEnd(c) && o.result === 'conflict'],
	// git puts a last line without newline in the middle of the file too, and so makes the same change twice
	['last line', (o, c) => hasOpenEnd(c) && o.result === 'already' && c.target?.kind === 'same'],
	['header cut', o => /two diffs of this patch make it/.test(o.error)],
	['rest dropped', o => /binary patch is of no known kind|binary patch has no index line|binary data is damaged/.test(o.error)],
	['end of no line', o => /"\\ No newline" follows no line|a line without newline is not the last one/.test(o.error)],
	['overlap', o => /overlaps hunk/.test(o.error)],
	['changed and deleted', o => /one diff of this patch changes it, another deletes it/.test(o.error)],
	['new by its ids alone', (o, c) => c.ways.includes('drop') && /^GIT binary patch$/m.test(fs.readFileSync(c.clean, 'latin1')) && /does not exist at this base/.test(o.error)],
	['renamed by the header alone', (o, c) => /was renamed or deleted by an earlier diff/.test(o.error) && hasBareMove(c)],
	['file to folder', o => /is below a file or link at this base/.test(o.error)],
];

// What a flipped letter or a lost line makes of a header: git reads half an address or date in its own way.
const heads = file => fs.readFileSync(file, 'latin1').match(/^(From: |Date: |Subject: .*=\?).*$/gm)?.join('\n');
const isHeadDamaged = c => c.ways?.some(w => w === 'flip' || w === 'drop') && heads(c.clean) !== heads(c.file);
const isFlipped = (o, c) => c.ways?.includes('flip') &&
	((o.result === 'failed' && /the mails hold \d+ series/.test(o.error)) || (o.result === 'rejected' && /\\.* leaves the tree/.test(o.error)));

// A file that the base moved was followed to where it is.
const followed = (o, c) => notes(o, 'renamed').length && c.target.moved && notes(o, 'renamed').every(n => n.detail.includes(`renamed to ${c.target.moved.to} `));

// One of git's answers beside ours: {kind} or {problem}. merged: the tree of git's own merge of the patches
// as they were committed, where git am took a place of STRICTER and ours merged instead.
export function compare(c, side, ours, git, three, merged) {
	const taken = ours.result === 'applied', plain = () => three ? side.am(c.file, false).err : git.err; // with -3 git keeps its reason

	if (taken && wasRepaired(ours)) {
		const same = more => side.am(c.clean, three, ours, ...more).tree === ours.tree;

		if (same([]) || same(['--keep-cr']))
			return { kind: `repaired${wasMended(ours) ? `: ${wasMended(ours)}` : ''}` };
		return followed(ours, c) ? { kind: 'stricter: git took a wrong file' } : { problem: 'repaired to something else' };
	}
	if (git.ok && git.already) {
		if (/no usable From/.test(ours.error)) // git asks for it when there is something to commit
			return { kind: 'stricter: no From' };
		if (/is gone: |binary patch has no index line/.test(ours.error)) // by a guess, and without the file
			return { kind: 'stricter: already there' };
		return ours.result === 'already' ? { kind: 'already' } : { problem: 'git: already there' };
	}
	if (git.ok && taken) {
		const last = ours.commits.at(-1);

		if (git.id === last && git.tree === ours.tree)
			return { kind: results(ours).has('3way') ? '3way' : results(ours).has('offset') ? 'offset' : 'exact' };
		if (notes(ours, 'renamed').length)
			return followed(ours, c) ? { kind: 'stricter: git took a wrong file' } : { problem: 'another tree after a rename' };
		if (merged?.() === ours.tree)
			return { kind: 'stricter: git took another place' };
		if (git.tree === ours.tree)
			return isHeadDamaged(c) ? { kind: 'stricter: damaged header' } : { problem: 'another commit' };
		// git am -3, and each where the damage is told from the end, goes on without the binary
		if (/^GIT binary patch$/m.test(c.text) && side.am(c.clean, three).tree === ours.tree)
			return { kind: 'looser: damage in the way back of a binary' };
		return hasOpenEnd(c) && results(ours).has('offset') ? { kind: 'stricter: last line' } : { problem: 'another tree' };
	}
	if (git.ok) {
		const why = ['conflict', 'already'].includes(ours.result) && STRICTER.find(([, is]) => is(ours, c));

		if (isFlipped(ours, c))
			return { kind: 'stricter: damaged header' };
		return why ? { kind: `stricter: ${why[0]}` } : { problem: 'git applies it' };
	}
	// git reads the way back of a binary too; ours knows by its id that the new file is right
	if (taken && /corrupt binary patch/.test(git.err) && side.am(c.clean, three).tree === ours.tree)
		return { kind: 'looser: damage in the way back of a binary' };
	// git stops at a patch that is there already; we say so and apply the others
	if (taken && results(ours).has('already')) {
		const rest = side.am(c.file, three, ours);

		return rest.skipped && rest.id === ours.commits.at(-1) && rest.tree === ours.tree
			? { kind: 'looser: applies what is not there yet' } : { problem: 'git does not apply the others' };
	}
	// the lines below the header name a file otherwise than it
	if (taken && /inconsistent (old|new) filename|has been renamed\/deleted|bad git-diff/.test(plain()))
		return { kind: 'looser: names at odds' };
	if (taken && isHeadDamaged(c) && /invalid date format|could not parse patch/.test(git.err))
		return { kind: 'looser: damaged header' };
	// a rename takes the file as it was before the patch, whatever other diffs of it do
	if (taken && hasBareMove(c))
		return { kind: 'looser: renamed by the header alone' };
	// a charset that nobody knows is read as UTF-8
	if (taken && /cannot convert from /.test(git.err) && side.am(c.clean, three).tree === ours.tree)
		return { kind: 'looser: unknown charset' };
	if (taken && /Assertion .* failed/.test(git.err))
		return { kind: 'looser: git crashes' };
	if (taken)
		return { problem: 'git does not apply it' };
	if (ours.result === 'already') {
		const hunks = ours.patches.flatMap(p => p.files).flatMap(f => f.hunks);

		return hunks.every(h => h.result === 'already') || [c.clean, c.file].some(f => side.am(f, three, ours).already)
			? { kind: 'already' } : { problem: 'not there backwards' };
	}
	return { kind: ours.result };
}

// What a refusal of a mail says that one way damaged and that applies undamaged.
const NAMED = {
	// a tab stands behind a name with blanks in it
	tabs: /white space| {8}(is gone|does not exist)|the header names two files; its headers are damaged too/,
	wrap: /line \d+ of the patch/, quote: /the diff is quoted with ">"/, qpleft: /quoted-printable was not decoded|line \d+ of the patch/,
	folded: /line ends became blanks/, cut: /line \d+ of the patch|the mail holds no diff|the diffstat names/,
};

// What is refused for the sake of its paths says that. Blanks are told by the base's lines, or the version before it.
function isUnnamed(c, side, ours, three) {
	const [way] = c.ways.filter(w => w !== 'none');

	if (way === 'qpleft' && /^GIT binary patch$/m.test(c.text)) // its data may hold such codes
		return false;
	if (way === 'tabs' && c.shallow && /the base has nothing like it/.test(ours.error))
		return false;
	return c.ways.filter(w => w !== 'none').length === 1 && NAMED[way] && ours.result !== 'applied' && ours.result !== 'already' &&
		!NAMED[way].test(ours.error) && !/does not exist at this base|exists already at this base/.test(ours.error) && !STRICTER.some(([, is]) => is(ours, c)) && side.am(c.clean, three).ok;
}

function judge(c, dir, repos, i) {
	const repo = c.shallow ? repos.bare : repos.full;
	const side = new Side(dir, repo, repo.refs[`refs/heads/t-${i}`], c.time);
	const clean = sh('git', ['-C', repos.author.dir, 'format-patch', '--stdout', '-q', '--thread', ...c.format,
		`base-${i}..a-${i}`], { raw: true }).out;

	if (!clean.length) // the edits came to nothing
		return [{ kind: 'empty' }];
	c.text = clean.toString('latin1');
	c.mail = c.mangle(clean);
	c.clean = path.join(dir, 'clean');
	c.file = path.join(dir, 'mail');
	fs.writeFileSync(c.clean, clean);
	fs.writeFileSync(c.file, c.mail);
	const ours = side.ours(c.file, true);
	// no merge took part: --no-3way does the same; of what does not apply every fourth is tried
	const isPlain = !results(ours).has('3way') && !results(ours).has('already') && (ours.result === 'applied' || c.seed % 4 !== 0);
	const oursPlain = isPlain ? ours : side.ours(c.file, false);
	const plain = side.am(c.file, false);
	const three = plain.ok ? plain : side.am(c.file, true);

	const merged = hasOpenEnd(c) || STRICTER.some(([, is]) => is(oursPlain, c)) ? () => side.picked(repos.author, `base-${i}..a-${i}`) : null;
	const first = { ...compare(c, side, oursPlain, plain, false, hasOpenEnd(c) ? merged : null), side: 'am', ours: oursPlain, git: plain };
	const second = { ...compare(c, side, ours, three, true, merged), side: 'am -3', ours, git: three };

	if (!second.problem && isUnnamed(c, side, ours, true))
		second.problem = 'the damage is not named';
	return [first, second];
}

// Runs cases seed, seed + 1, ...: {kinds: {'am -3: 3way': n}, problems: [text]}.
export function runCases(seed, count, { sources, keep } = {}) {
	const kinds = {}, problems = [];

	for (let first = 0; first < count; first += BATCH) {
		const dir = tempDir('wl-am');
		const cases = Array.from({ length: Math.min(BATCH, count - first) }, (_, i) => makeCase(seed + first + i, sources));
		const repos = buildBatch(dir, cases);

		cases.forEach((c, i) => {
			for (const r of judge(c, dir, repos, i)) {
				const kind = `${r.side ?? 'am'}: ${r.kind ?? 'problem'}`;

				kinds[kind] = (kinds[kind] ?? 0) + 1;
				if (r.problem)
					problems.push(`case ${c.seed} (${r.side}): ${r.problem}; ways ${c.ways}, format "${c.format.join(' ')}", base ${c.target.kind}${c.shallow ? ', shallow' : ''}; ` +
						`ours ${r.ours.result} ${[...results(r.ours)]} ${r.ours.error ?? ''}; git ${r.git.ok ? r.git.already ? 'already' : 'ok' : r.git.err.split('\n').slice(0, 3).join(' | ')}`);
			}
			if (keep)
				console.error(`# ${dir}: ${c.seed}`);
		});
		if (!keep)
			fs.rmSync(dir, { recursive: true, force: true });
	}
	return { kinds, problems };
}
