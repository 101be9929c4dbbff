// SPDX-License-Identifier: GPL-2.0-or-later
// history --repo DIR --epoch DIR: every series of a list that its project merged is assembled by us, its
// base is looked for by us as the history was when it was mailed, and it is applied; then git am, git am -3
// and, where it is installed, b4 say what they make of it. DIRs: a git folder of the project, whose HEAD is
// the branch that counts, and a public-inbox epoch; both are only read. WL_EVERY=N takes each N-th series,
// WL_MINUTES=N begins none after so long.
//
// The true base is the parent of the first commit that a series became. It is found when the base that we
// take has the same files as it, of those that the series touches. Where that parent has other files than the
// mails say, the series was merged elsewhere than it was made for: then a base that has every file as the
// mails say is found, and nothing less. What is refused by rule (docs/applying.md) is counted apart; else
// the trees are git am's wherever git am succeeds.
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { tempDir } from '../harness/proc.mjs';
import { GitAm, filesAt, match, readCommits, readDiffs, readMails, sh, wakelist } from './history-lib.mjs';

const { values: args } = parseArgs({ options: { repo: { type: 'string' }, epoch: { type: 'string' } } });

if (!args.repo || !args.epoch) {
	console.log('skipped: needs --repo DIR --epoch DIR');
	process.exit(77);
}
const top = tempDir('wl-history');
const store = path.join(top, 'store.git'), box = path.join(top, 'box');

sh('git', ['clone', '-q', '--bare', args.repo, store]);
fs.mkdirSync(box);
const git = new GitAm(store, path.join(top, 'am'));
const commits = readCommits(store);
const { series: all, other } = JSON.parse(wakelist(['mail', 'series', args.epoch]).out);
const mails = readMails(args.epoch, new Set(all.flatMap(s => [s.cover, ...s.patches.flatMap(p => [p.message_id, p.replaces])])));
const line = sh('git', ['-C', store, 'log', '--first-parent', '--format=%H %ct', 'HEAD']).out.split('\n').map(l => l.split(' '));
const has_b4 = sh('sh', ['-c', 'command -v b4'], { codes: null }).code === 0;

for (const s of all)
	for (const p of s.patches) {
		p.author = s.author;
		p.files = mails.has(p.message_id) ? readDiffs(mails.get(p.message_id)) : [];
	}
match(commits, all);

// --- one series ---

// The files that it touches, and the ids that it says those of them have which it does not make itself.
function touched(s) {
	const paths = new Set(), wants = new Map();

	for (const f of s.patches.flatMap(p => p.files)) {
		if (f.oldId && !paths.has(f.oldPath))
			wants.set(f.oldPath, /^0+$/.test(f.oldId) ? '' : f.oldId);
		paths.add(f.oldPath).add(f.path);
	}
	return { paths: [...paths], wants };
}

const nHeld = (wants, files) => [...wants].filter(([p, id]) => {
	const got = files.get(p)?.split(' ')[2];

	return id ? got?.startsWith(id) : !got;
}).length;

function write(s) {
	const parts = s.patches.map((p, i) => {
		const file = path.join(box, `${String(i + 1).padStart(4, '0')}.eml`);

		fs.writeFileSync(file, mails.get(p.message_id));
		return file;
	});
	const files = [...parts];

	if (mails.has(s.cover)) {
		files.unshift(path.join(box, '0000.eml'));
		fs.writeFileSync(files[0], mails.get(s.cover));
	}
	const mbox = path.join(box, 'mbox');

	fs.writeFileSync(mbox, Buffer.concat(files.flatMap(f => [
		Buffer.from('From mboxrd@z Thu Jan  1 00:00:00 1970\n'),
		Buffer.from(fs.readFileSync(f, 'latin1').replace(/^(>*From )/gm, '>$1').replace(/\n*$/, '\n\n'), 'latin1')])));
	return { parts, files, mbox };
}

const ours = (files, ...options) => {
	const r = wakelist(['apply', '--repo', store, ...options, ...files], { codes: null });

	if (r.code === null)
		throw new Error(`wakelist apply: ${r.err}`);
	if (r.code > 1)
		return { result: 'failed', error: r.err.trim(), base: null, tree: null, attempts: [] };
	return JSON.parse(r.out);
};

// What git makes of it at a base: plainly, else with a merge.
function gits(base, files) {
	const plain = git.am(base, files, false);

	return plain ? { tree: plain, how: 'am' } : { tree: git.am(base, files, true), how: 'am -3', err: git.err };
}

const isApplied = o => o.result === 'applied' || o.result === 'already';

const olderMails = s => s.patches.map(p => p.replaces).filter(id => mails.has(id));

function examine(s) {
	const merged = s.patches.filter(p => p.commit).map(p => p.commit).toSorted((a, b) => a.no - b.no);
	const truth = merged[0].parent.split(' ')[0];
	const tip = (line.find(([, time]) => Number(time) <= s.last_time) ?? line.at(-1))[0];
	const { parts, files, mbox } = write(s);

	// the mails of the version that a part comes from, so that the parts are found to be one series
	for (const [i, id] of olderMails(s).entries()) {
		files.push(path.join(box, `9${i}.eml`));
		fs.writeFileSync(files.at(-1), mails.get(id));
	}
	const { paths, wants } = touched(s);

	sh('git', ['-C', store, 'update-ref', 'refs/heads/then', tip]);
	const found = ours(files, '--tree', 'then');
	const at = found.base?.commit;
	const there = filesAt(store, truth, paths), here = at ? filesAt(store, at, paths) : new Map();
	const r = { s, truth, tip, found, at, exact: at === truth, wants: wants.size, heldThere: nHeld(wants, there), heldHere: nHeld(wants, here),
		same: at && paths.every(p => there.get(p) === here.get(p)) };

	r.atTruth = r.exact ? found : ours(files, '--base', truth, '--index', '0');
	r.gitTruth = gits(truth, parts);
	r.gitFound = !at || r.exact ? r.gitTruth : gits(at, parts);
	if (has_b4) {
		const file = git.b4(mbox, s.cover ?? s.patches[0].message_id, path.join(top, 'b4'));

		r.b4 = file && git.am(truth, [file], true);
	}
	return r;
}

// --- the report ---

const pct = (n, of) => `${n} of ${of} (${(100 * n / of).toFixed(1)} %)`;
const short = id => id?.slice(0, 12) ?? '-';

const some = all.filter(s => s.patches.some(p => p.commit));
const most = some.filter(s => 2 * s.patches.filter(p => p.commit).length > s.patches.length);
const whole = most.filter(s => s.complete).toSorted((a, b) => a.last_time - b.last_time);
const every = Number(process.env.WL_EVERY ?? 1);
const todo = whole.filter((_, i) => i % every === 0);
const until = Date.now() + 60000 * Number(process.env.WL_MINUTES ?? Infinity);
const results = [];
const n_parts = how => some.flatMap(s => s.patches).filter(p => p.how === how).length;

console.log(`# ${commits.length} commits, ${all.length} series; parts merged by link ${n_parts('link')}, ` +
	`patch-id ${n_parts('patch-id')}, title ${n_parts('title')}`);
console.log(`# series with a merged part: ${some.length}; most parts merged: ${most.length}; of these complete: ${whole.length}`);
for (const s of most.filter(x => !x.complete))
	console.log(`# not complete: ${s.title}: ${s.why}`);

// Commits that link a mail which holds a diff and is in no series. Most such links are to reports and advice.
const loose = new Map(other.map(o => [o.message_id, o]));
const linked = commits.flatMap(c => c.links.filter(id => loose.has(id)).map(id => ({ c, id })));
const held = readMails(args.epoch, new Set(linked.map(l => l.id)));

for (const { c, id } of linked.filter(l => readDiffs(held.get(l.id)).length))
	console.log(`# in no series: ${loose.get(id).kind}, ${loose.get(id).why}: ${c.title}`);
console.log(`# links to mails in no series: ${linked.length}`);
for (const [i, s] of todo.entries()) {
	if (Date.now() > until) {
		console.log(`# time is up: ${todo.length - i} series were not examined`);
		break;
	}
	results.push(examine(s));
	if (i % 10 === 9)
		console.error(`# ${i + 1} of ${todo.length}`);
}

const n = results.length;
const found = results.filter(r => r.same);
const fits = results.filter(r => r.heldThere === r.wants);
const placed = results.filter(r => r.same || (r.heldThere < r.wants && r.heldHere === r.wants));
const isRefused = o => o.result === 'rejected' && /symbolic link|submodule|leaves the tree|binary file/.test(o.error);
const compare = (r, o, g) => g.tree && !isRefused(o) && (g.how === 'am' || o.tree) && o.tree !== g.tree;
const differing = results.filter(r => compare(r, r.atTruth, r.gitTruth) || compare(r, r.found, r.gitFound));
const lost = results.filter(r => r.gitTruth.tree && !isApplied(r.atTruth));

console.log(`base found: ${pct(found.length, n)}; the very commit: ${pct(results.filter(r => r.exact).length, n)}`);
console.log(`base found where the true base has the files that the mails name: ${pct(fits.filter(r => r.same).length, fits.length)}`);
console.log(`base found, or one that has every file as the mails say: ${pct(placed.length, n)}`);
console.log(`refused by rule: ${results.filter(r => isRefused(r.found) || isRefused(r.atTruth)).length}`);
console.log(`applied at the base we took: ${pct(results.filter(r => isApplied(r.found)).length, n)}`);
console.log(`applied at the true base: ours ${pct(results.filter(r => isApplied(r.atTruth)).length, n)}, ` +
	`git am ${pct(results.filter(r => r.gitTruth.tree && r.gitTruth.how === 'am').length, n)}, git am -3 ${pct(results.filter(r => r.gitTruth.tree).length, n)}`);
if (has_b4)
	console.log(`b4 am and git am -3 at the true base: ${pct(results.filter(r => r.b4).length, n)}`);
console.log(`trees compared: ${results.filter(r => r.gitTruth.tree).length} at true bases, ` +
	`${results.filter(r => !r.exact && r.gitFound.tree).length} at others; different: ${differing.length}`);

const why = r => {
	if (!r.at)
		return 'no base';
	if (r.heldThere < r.wants)
		return r.heldHere === r.wants ? 'merged elsewhere than made for' : r.heldHere ? 'made for no commit of the branch' : 'no file known';
	return r.heldHere === r.wants ? 'same old files, others differ' : `not found: ${r.found.result}`;
};

console.log('\n# not found\n| reason | date | held at ours, at true, of | how | base | true base | our result | title |');
for (const r of results.filter(x => !x.same))
	console.log(`| ${why(r)} | ${new Date(r.s.last_time * 1000).toISOString().slice(0, 10)} | ${r.heldHere}, ${r.heldThere}, ${r.wants} | ` +
		`${r.found.base?.how ?? '-'} | ${short(r.at)} | ${short(r.truth)} | ${r.found.result} | ${r.s.title} |`);
console.log('\n# not applied, or differently\n| what | ours | git | error | title |');
for (const r of results.filter(x => !isApplied(x.found)))
	console.log(`| at our base ${short(r.at)} | ${r.found.result} | ${r.gitFound.tree ? r.gitFound.how : 'fails'} | ${r.found.error} | ${r.s.title} |`);
for (const r of lost)
	console.log(`| at the true base ${short(r.truth)} | ${r.atTruth.result} | ${r.gitTruth.how} | ${r.atTruth.error} | ${r.s.title} |`);
for (const r of differing)
	console.log(`| tree | ${short(r.atTruth.tree)} ${short(r.found.tree)} | ${short(r.gitTruth.tree)} ${short(r.gitFound.tree)} | ` +
		`at ${short(r.truth)} ${short(r.at)} | ${r.s.title} |`);
const applied = results.filter(r => isApplied(r.found)).length;
const checks = {
	'series examined': n > 0,
	'base found': fits.filter(r => r.same).length >= 0.95 * fits.length && placed.length >= 0.95 * n,
	'trees': !differing.length,
	'nothing lost': lost.every(r => isRefused(r.atTruth)),
	'applied share': applied >= results.filter(r => (has_b4 ? r.b4 : r.gitTruth.tree)).length,
};
for (const [name, ok] of Object.entries(checks))
	console.log(`${ok ? 'ok' : 'not ok'} ${name}`);
const failed = Object.values(checks).filter(ok => !ok).length;

console.log(`${Object.keys(checks).length - failed} passed, ${failed} failed, 0 skipped`);
process.exit(failed ? 1 : 0);
