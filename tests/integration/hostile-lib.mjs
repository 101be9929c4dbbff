// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile patches (hostile-kinds.mjs) in mails, onto a tree that has links to files outside of it. Of wakelist
// apply is asked: nothing but objects is written, no link is followed, and the answer is a refusal with its
// reason, or the commit that git am makes.
import fs from 'node:fs';
import path from 'node:path';

import { BIN, tempDir } from '../harness/proc.mjs';
import { cFile, Dice, text, TRANSPORTS } from './am-cases.mjs';
import { BASE_TIME, compare, Import, results, sh, Side, WHO } from './am-lib.mjs';
import { latin, quote } from './hostile-diff.mjs';
import { benign, KINDS } from './hostile-kinds.mjs';

const BATCH = 50; // cases on one tree

// --- the tree ---

const link = target => ({ mode: '120000', bytes: Buffer.from(target), lines: [target], last: false });

// {tree, old: of the commit before; texts, links, twins, stale: paths; many, logo, canary, subId}
function makeBase(d, canary) {
	const file = more => text(cFile(d).map(l => l.replace(/[^\0-\x7f]/g, 'o')), more), tree = new Map(), old = new Map();
	const logo = Buffer.from(Array.from({ length: 300 + d.below(500) }, () => d.below(256)));
	const b = { tree, old, canary, logo, many: d.chance(0.3) ? 60 + d.below(30) : 0, subId: '8f'.repeat(20),
		texts: ['kernel/sched/core.c', 'kernel/sched/fair.c', 'include/linux/sched.h', 'Makefile', 'tools/run.sh'],
		links: ['link', 'abs', 'inlink', 'kernel/up', 'conf', 'moved'], twins: ['net/xt_MARK.c', 'net/xt_mark.c'], stale: ['kernel/sched/core.c', 'kernel/sched/fair.c'] };

	for (const p of [...b.texts, ...b.twins])
		tree.set(p, file({ mode: p.endsWith('.sh') ? '100755' : '100644', last: d.chance(0.9) }));
	tree.set('logo.bin', { bytes: logo, mode: '100644' });
	tree.set('sub', { id: b.subId, mode: '160000' });
	for (const [p, f] of tree)
		old.set(p, f);
	for (const p of b.stale) { // two lines more since
		const lines = [...tree.get(p).lines];

		lines.splice(d.below(lines.length), 0, '\tsince();', '\tthen();');
		tree.set(p, { ...tree.get(p), lines });
	}
	old.set('conf', file());
	old.set('moved/x', file());
	for (const [p, target] of Object.entries({ link: '../canary/dir', abs: `${canary}/secret`, inlink: 'kernel', 'kernel/up': '..', conf: '../canary/secret', moved: '../canary/dir' }))
		tree.set(p, link(target));
	for (let i = 0; i < b.many; i++)
		tree.set(`many/${i}`, text([`file ${i}`]));
	return b;
}

function addIds(b, repo) {
	const ids = ref => Object.fromEntries(sh('git', ['-C', repo.dir, 'ls-tree', '-r', ref]).out.split('\n').map(l => /^\d+ \w+ (\w+)\t(.*)$/.exec(l).slice(1).reverse()));

	b.ids = ids('base');
	b.oldIds = Object.fromEntries(Object.entries(ids('old')).filter(([p]) => [...b.stale, 'conf', 'moved/x'].includes(p)));
	[b.treeId, b.rootId] = sh('git', ['-C', repo.dir, 'rev-parse', 'base:kernel', 'base^{tree}']).out.split('\n');
	b.commitId = repo.refs['refs/heads/base'];
}

// --- a case ---

const PICK = Object.fromEntries(KINDS.map((k, i) => [i, k.weight]));
const WAYS = { none: 12, qp: 3, base64: 2, fold: 1, footer: 1, headers: 1, crlf: 0.5, base64crlf: 0.5, blanks: 0.5, quote: 0.5, flip: 1, drop: 1, cut: 0.5, noindex: 0.5, tabs: 0.3, wrap: 0.3 };
const KEEPS = ['none', 'qp', 'base64', 'fold', 'footer', 'headers']; // every byte of the patch
const AUTHORS = ['A U Thor <author@example.org>', '"../../x" <a@example.org>', 'Jörg <jm@example.org>', '$(touch hooked) <-u@example.org>'];

function mailOf(d, c, n, parts) {
	const number = c.mails.length > 1 ? ` ${n}/${c.mails.length}` : '', mid = i => `<${c.seed}.${i}@example.org>`;

	return `From ${'0123456789'.repeat(4)} Mon Sep 17 00:00:00 2001\nFrom: ${latin(d.pick(AUTHORS))}\nDate: ${new Date(c.time * 1000).toUTCString().replace('GMT', '+0000')}\n` +
		`Subject: [PATCH${number}] ${d.pick(['sched: Part', '../../../x', '$(touch hooked)'])} ${n}\nMessage-Id: ${mid(n)}\n${n > 1 ? `In-Reply-To: ${mid(1)}\nReferences: ${mid(1)}\n` : ''}\n` +
		`Text of part ${n}.\n---\n${parts.map(p => p.text).join('and\n')}-- \n2.39.2\n\n`;
}

const touches = (diff, p) => p && (diff.includes(p) || diff.includes(quote(p, true).slice(1, -1)));

function makeCase(seed, b) {
	const d = new Dice(seed), c = { seed, time: BASE_TIME + d.below(2000), three: d.chance(0.7), target: {}, format: [], ways: [d.weighted(WAYS)] };
	const hostile = Array.from({ length: d.weighted({ 0: 0.7, 1: 6, 2: 2.5, 3: 1 }) }, () => {
		const kind = KINDS[d.weighted(PICK)];

		return { kind: kind.name, ...kind.make(d, b) };
	});
	const parts = [...hostile, ...Array.from({ length: d.below(4) - (hostile.length ? 0 : -1) }, () => ({ text: benign(d, b) }))];

	for (let i = parts.length - 1; i > 0; i--) {
		const k = d.below(i + 1);

		[parts[i], parts[k]] = [parts[k], parts[i]];
	}
	const cut = parts.length > 1 && d.chance(0.2) ? 1 + d.below(parts.length - 1) : parts.length;

	c.mails = [parts.slice(0, cut), parts.slice(cut)].filter(m => m.length);
	if (c.ways[0] === 'qp' && parts.some(p => p.text.includes('\0'))) // where git loses what is behind a NUL
		c.ways = ['none'];
	c.hostile = hostile;
	c.isAlone = parts.length === 1;
	const isWhole = KEEPS.includes(c.ways[0]);

	for (const mail of c.mails)
		for (const p of mail)
			if (p.must && (!isWhole || (p.alone && mail.length > 1) || parts.some(q => q !== p && touches(q.text, p.twin))))
				[p.may, p.must] = [p.must, undefined];
	const clean = c.mails.map((m, i) => mailOf(d, c, i + 1, m));

	c.mail = Buffer.from(clean.map(m => TRANSPORTS[c.ways[0]](m, d)).join(''), 'latin1');
	c.cleanMail = Buffer.from(clean.join(''), 'latin1');
	return c;
}

// --- what must not change ---

// path -> what would tell of a write, but for the objects of a repository
function snapshot(top) {
	const seen = new Map();
	const walk = dir => {
		for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
			const at = path.join(dir, entry.name), s = fs.lstatSync(at, { bigint: true });

			seen.set(at, `${s.ino} ${s.mode} ${s.size} ${s.mtimeNs} ${s.ctimeNs}`);
			if (entry.isDirectory() && !at.endsWith('/.git/objects'))
				walk(at);
		}
	};

	walk(top);
	return seen;
}

function changes(before, after) {
	return [...new Set([...before.keys(), ...after.keys()])].filter(p => before.get(p) !== after.get(p) && !p.endsWith('/.git/objects'));
}

const strays = objects => fs.readdirSync(objects, { recursive: true }).filter(n => !/^(info|pack|[0-9a-f]{2})$|^[0-9a-f]{2}\/[0-9a-f]{38}$|^pack\/pack-[0-9a-f]{40}\.(pack|idx)$/.test(n));

// --- answers ---

const line = c => `${c.base} ${c.three ? '3way' : 'plain'} ${c.file}\n`;
const utf8 = new TextDecoder('utf-8', { fatal: true });

// Answers of many cases by one process; one that it dies of is {crash}.
function answers(git, cases) {
	const out = [];

	while (out.length < cases.length) {
		const r = sh(path.join(BIN, 'apply_many'), [git], { input: cases.slice(out.length).map(line).join(''), codes: null, raw: true });
		const got = utf8.decode(r.out).split('\n').slice(0, -1).map(l => JSON.parse(l));

		out.push(...got);
		if (out.length < cases.length)
			out.push({ crash: r.err.slice(0, 3000) || `status ${r.code}` });
		else if (r.code !== 0 || r.err)
			out[out.length - 1] = { crash: r.err.slice(0, 3000) || `status ${r.code}` };
	}
	return out;
}

// The program itself on one of them: {problem} or nothing.
function byProgram(git, c, answer) {
	const r = sh(path.join(BIN, 'wakelist'), ['apply', '--repo', git, '--base', c.base, '--committer', WHO, '--index', '0', ...c.three ? [] : ['--no-3way'], c.file], { codes: null });
	const said = r.out.startsWith('{') ? JSON.parse(r.out).error ?? '' : r.err.trim(); // a refused mail has JSON too
	const good = answer.exit ? r.code === answer.exit && said.endsWith(answer.error) : r.out === JSON.stringify(answer);

	return good && [0, 1].includes(r.code) ? undefined : `the program says: ${r.code} ${r.err} ${r.out.slice(0, 500)}`;
}

const isSentence = s => typeof s === 'string' && s.length > 8 && s.length < 1500 && !/[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(s);
const BAD_NAME = /^(\.\.?|\.git|git~1)$/i;

// What the resulting tree has that no tree may get: text, or nothing. entries: [mode, path] that are new or changed.
function badEntry(entries) {
	const bad = entries.find(([mode, p]) => !['100644', '100755', '000000'].includes(mode) || /[\0-\x1f\x7f\\]/.test(p) ||
		p.split('/').some(n => !n || n.length > 255 || BAD_NAME.test(n.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').replace(/[. ]*(:.*)?$/, ''))));

	return bad && `the tree has ${bad.join(' ')}`;
}

// New and changed entries of many trees against one: id -> [[mode, path]].
function entriesOf(repo, base, trees) {
	const out = sh('git', ['-C', repo.dir, 'diff-tree', '-r', '-z', '--no-renames', '--stdin'], { raw: true, input: trees.map(t => `${base} ${t}\n`).join('') }).out.toString('utf8');
	const found = new Map(trees.map(t => [t, []]));
	let now;

	for (const field of out.split(/(?<=\n)|\0/)) {
		const head = /^[0-9a-f]{40} ([0-9a-f]{40})\n$/.exec(field), raw = /^:\d+ (\d+) /.exec(field);

		if (head)
			now = found.get(head[1]);
		else if (raw)
			now.mode = raw[1];
		else if (field)
			now.push([now.mode, field]);
	}
	return found;
}

// A name that no header can have.
const UNREADABLE = /line \d+ of the patch: the header/;
const LIST = Object.fromEntries(KINDS.map(k => [k.name, 0]));

// {kind} or {problem} of one case; own: the kind whose sentence it is.
function judge(c, ours, side) {
	const must = c.hostile.filter(h => h.must), may = c.hostile.filter(h => h.may);

	if (ours.crash)
		return { problem: `crash: ${ours.crash}` };
	if (ours.exit)
		return ours.exit === 1 && isSentence(ours.error) ? { kind: 'mail refused' } : { problem: `fails: ${ours.error}` };
	const no = ours.result === 'rejected' || ours.result === 'conflict';

	if (no && !isSentence(ours.error))
		return { problem: `a reason that nobody can read: ${JSON.stringify(ours.error)}` };
	if (no && (ours.tree || ours.commits.length))
		return { problem: 'refused, but there are commits' };
	if (no) {
		const own = must.find(h => h.must.test(ours.error) && (!h.path || ours.error.includes(h.path))) ?? may.find(h => h.may.test(ours.error));

		if (own)
			return { kind: ours.result, own: own.kind };
		if (must.length && c.isAlone && !UNREADABLE.test(ours.error))
			return { problem: 'refused for another reason' };
		if (must.length)
			return { kind: ours.result };
	} else if (must.length) {
		return { problem: `${ours.result} in spite of ${must.map(h => h.kind)}` };
	}
	const bad = ours.result === 'applied' && badEntry(c.entries);

	return bad ? { problem: bad } : compare(c, side, ours, side.am(c.file, c.three, ours), c.three);
}

// Cases seed, seed + 1, ...; a tree for each 50 of them: {kinds: {outcome: n}, own: {kind: n of its refusals}, problems: [text]}.
export function runHostile(seed, count) {
	const kinds = {}, own = { ...LIST }, seen = { ...LIST }, problems = [];

	for (let first = seed; first < seed + count;) {
		const n = Math.min(BATCH - first % BATCH, seed + count - first), dir = tempDir('wl-hostile');

		for (const r of runBatch(dir, first - first % BATCH, Array.from({ length: n }, (_, i) => first + i))) {
			const kind = r.kind ?? 'problem';

			kinds[kind] = (kinds[kind] ?? 0) + 1;
			for (const h of r.c.hostile)
				seen[h.kind]++;
			if (r.own)
				own[r.own]++;
			if (r.problem)
				problems.push(`case ${r.c.seed}: ${r.problem}; ${r.c.hostile.map(h => h.kind)}; way ${r.c.ways}${r.c.three ? '' : ', no 3way'}; ours ${r.ours.result} ${r.ours.error ?? ''}`);
		}
		if (!process.env.WL_KEEP)
			fs.rmSync(dir, { recursive: true, force: true });
		first += n;
	}
	return { kinds, seen, own, problems };
}

function runBatch(dir, baseSeed, seeds) {
	const outer = path.join(dir, 'outer'), canary = path.join(outer, 'canary');

	fs.mkdirSync(path.join(canary, 'dir'), { recursive: true });
	for (const p of ['canary/secret', 'canary/dir/x', 'canary/dir/y', 'x'])
		fs.writeFileSync(path.join(outer, p), 'do not\ntouch\nthis\nfile\n');
	const b = makeBase(new Dice(baseSeed), canary), repo = new Import(path.join(outer, 'repo'));
	const base = { who: 'Base <base@example.org>', when: `${BASE_TIME} +0000`, message: 'base\n' };

	repo.commit('refs/heads/old', null, b.old, base);
	repo.commit('refs/heads/base', 'refs/heads/old', b.tree, base);
	repo.finish();
	addIds(b, repo);
	const git = path.join(repo.dir, '.git'), cases = seeds.map(s => Object.assign(makeCase(s, b), { base: b.commitId, file: path.join(dir, `${s}.mbox`), clean: path.join(dir, `${s}.clean`) }));
	const sideOf = c => new Side(dir, repo, b.commitId, c.time);

	for (const c of cases) {
		fs.writeFileSync(c.file, c.mail);
		fs.writeFileSync(c.clean, c.cleanMail);
	}
	sideOf(cases[0]).fresh();
	const before = snapshot(outer), got = answers(git, cases), after = snapshot(outer);
	const written = [...changes(before, after), ...strays(path.join(git, 'objects'))];
	const told = cases.map((c, i) => ({ c, ours: got[i] }));
	const trees = entriesOf(repo, b.rootId, [...new Set(got.filter(o => o.result === 'applied').map(o => o.tree))]);

	if (written.length)
		told[0].problem = `one of ${cases.length} wrote ${written.slice(0, 5)}: ${cases.filter(c => writes(git, outer, c)).map(c => c.seed)}`;
	// a .gitmodules is contents like others: allowed, and never acted on
	sh('git', ['-C', repo.dir, '-c', 'fsck.gitmodulesUrl=ignore', '-c', 'fsck.gitmodulesUpdate=ignore', '-c', 'fsck.gitmodulesPath=ignore', 'fsck', '--strict', '--no-dangling']);
	const one = told.find(t => !t.ours.crash && t.c.mails.length === 1);

	if (one && !one.problem)
		one.problem = byProgram(git, one.c, one.ours);
	for (const t of told) {
		t.c.entries = trees.get(t.ours.tree) ?? [];
		if (!t.problem)
			Object.assign(t, judge(t.c, t.ours, sideOf(t.c)));
	}
	return told;
}

// Does this case alone write something?
function writes(git, outer, c) {
	const before = snapshot(outer);

	answers(git, [c]);
	return changes(before, snapshot(outer)).length > 0;
}
