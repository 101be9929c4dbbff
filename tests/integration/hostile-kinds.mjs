// SPDX-License-Identifier: GPL-2.0-or-later
// What a hostile patch may try: rows of {name, weight, make(dice, base)}. A row makes
//   text    one or more file diffs
//   must    the sentence it is refused with, whatever else is in the mail; without it git am is the judge,
//   may     unless the sentence is this one
//   path    what the sentence names
//   alone   must holds only if nothing else is in the mail
//   twin    must holds only while no other part touches this path
// Texts are bytes as characters. base: hostile-lib.mjs.
import { binary, blob, change, create, delta, edits, hunk, latin, move, named, quote, remode, remove } from './hostile-diff.mjs';

const LEAVES = /leaves the tree/, GIT = /is a git directory in disguise/, LINK = /symbolic link|is a link/, SUB = /a submodule/;
const text = (d, b) => d.pick(b.texts);
const fresh = d => `new/${d.below(1e6)}.c`;
const few = d => Array.from({ length: 1 + d.below(4) }, () => `\tint x${d.below(1000)};`);
const plain = path => /^[!-~]{1,110}$/.test(path) && !/[\\"]/.test(path) ? path : undefined;

// --- every way to touch a path that nobody may touch ---

const CANARY = ['do not', 'touch', 'this', 'file'];
const OPS = {
	create: (d, b, p) => create(d, p, few(d)),
	empty: (d, b, p) => create(d, p, []),
	modify: (d, b, p) => change(d, p, hunk(CANARY, d.below(4), 1, ['touched'])),
	prepend: (d, b, p) => change(d, p, hunk(CANARY, 0, 0, ['touched'])),
	remove: (d, b, p) => remove(d, p, CANARY),
	rename: (d, b, p) => move(d, 'rename', text(d, b), p),
	copy: (d, b, p) => move(d, 'copy', text(d, b), p),
	from: (d, b, p) => move(d, d.pick(['rename', 'copy']), p, fresh(d)),
	mode: (d, b, p) => remode(d, p, '100644', '100755'),
	hook: (d, b, p) => create(d, p, ['#!/bin/sh', 'touch ../canary/hooked'], { mode: '100755', git: true }),
	binary: (d, b, p) => binary(d, p, '0'.repeat(40), 'ce013625030ba8dba906f756967f9e9ca394464a', blob('literal', Buffer.from('hello\n')), { made: true }),
};
const touch = (d, b, path, says) => ({ text: OPS[d.pick(Object.keys(OPS))](d, b, path), must: says, path: plain(path) });

const zeroWidth = () => ['\u200c', '\u200d', '\u200e', '\u200f', '\u202a', '\u202e', '\u206a', '\u206f', '\ufeff'].map(latin);
// "git" with something in it that HFS does not see, in any case
const hfs = d => [...'.git'].map(c => (d.chance(0.5) ? c.toUpperCase() : c)).map((c, i, all) => (i === d.below(all.length) || d.chance(0.2) ? c + d.pick(zeroWidth()) : c)).join('');
const ntfs = d => d.pick(['.git', '.Git', 'git~1', 'GIT~1', '.GIT']) + d.pick(['', '', '.', '...', ' ', '. .', ':x', '::$INDEX_ALLOCATION', ' :a', '.:$DATA']);
const below = (d, dir) => d.pick(['', '', 'kernel/', 'a/b/']) + dir + d.pick(['', '/config', '/hooks/post-checkout', '/objects/info/alternates', '/x']);
const inName = (d, bytes) => d.pick(['', 'kernel/', 'a/']) + d.pick(['x', '']) + bytes + d.pick(['y', '.c']);

const CONTROLS = ['\x01', '\n', '\t', '\r', '\x1b[31m', '\x7f', '\b', '\u0080', '\u0085', '\u009f', '\u202a', '\u202b', '\u202d', '\u202e', '\u2066', '\u2069'];
const NOT_UTF8 = ['\xff', '\xfe\xfe', '\xc0\xaf', '\xc0\xae\xc0\xae', '\xed\xa0\x80', '\xf0\x82\x82\xac', '\xe2\x82', '\xf5\x80\x80\x80', '\x80', '\xc3('];

const PATHS = [
	{ name: 'parent', weight: 3, make: (d, b) => touch(d, b, d.pick(['../canary/secret', '../x', '..', 'a/..', 'kernel/../../canary/secret', 'kernel/sched/../../../canary/dir/x', 'a/../b', '../../../../../../tmp/x']), LEAVES) },
	{ name: 'dot', weight: 1, make: (d, b) => touch(d, b, d.pick(['./x', 'kernel/./sched/core.c', 'kernel/.', '.']), LEAVES) },
	{ name: 'folder', weight: 0.5, make: (d, b) => touch(d, b, d.pick(['kernel/', 'a/b/']), LEAVES) },
	{ name: 'absolute', weight: 1, make: (d, b) => {
		const to = d.pick([`${b.canary}/secret`, '/etc/wakelist.conf', '/x']);

		return d.chance(0.5) ? { text: move(d, d.pick(['rename', 'copy']), text(d, b), to).replace(/"?a\/.* "?b\/.*\n/, 'a/x b/x\n'), must: LEAVES, path: plain(to) }
			: { text: OPS[d.pick(['create', 'modify', 'remove'])](d, b, to), may: LEAVES }; // a//x is a/x to git
	} },
	{ name: 'drive or share', weight: 1, make: (d, b) => touch(d, b, d.pick(['C:/x', 'c:x', 'Z:\\x', '\\\\host\\share\\x', '..\\canary\\secret', 'kernel\\..\\..\\x', 'a\\b', '.git\\config']), LEAVES) },
	{ name: 'git directory', weight: 2, make: (d, b) => touch(d, b, below(d, d.pick(['.git', '.GIT', '.gIt'])), GIT) },
	{ name: 'NTFS disguise', weight: 2, make: (d, b) => touch(d, b, below(d, ntfs(d)), GIT) },
	{ name: 'HFS disguise', weight: 2, make: (d, b) => touch(d, b, below(d, hfs(d)), /in disguise|control character/) },
	{ name: 'control character', weight: 2, make: (d, b) => touch(d, b, inName(d, latin(d.pick(CONTROLS))), /contains a control character/) },
	{ name: 'not UTF-8', weight: 1.5, make: (d, b) => touch(d, b, inName(d, d.pick(NOT_UTF8)), /is not UTF-8/) },
	{ name: 'NUL in a name', weight: 1, make: (d, b) => ({ text: OPS[d.pick(['create', 'modify', 'remove', 'mode'])](d, b, `${text(d, b)}\0.c`), may: /control character|line \d+ of the patch: the header/ }) },
	{ name: 'long name', weight: 0.5, make: (d, b) => touch(d, b, `${'n'.repeat(256 + d.below(200))}/x`, /component of over 255 bytes/) },
	{ name: 'long path', weight: 0.5, make: (d, b) => touch(d, b, Array.from({ length: 300 }, () => 'directory-name').join('/'), /has over 4,096 bytes/) },
	{ name: 'two names', weight: 2, make: (d, b) => { // the header says one, the lines below it another
		const p = text(d, b), q = d.pick(['../canary/secret', '.git/config', 'link/x', fresh(d)]);
		const lines = [`--- a/${p}\n`, `+++ b/${p}\n`, `diff --git a/${p} b/${p}\n`], which = d.below(3);

		lines[which] = lines[which].replaceAll(p, q);
		return { text: `${lines[2]}index 1234567..89abcde 100644\n${lines[0]}${lines[1]}${edits(d, b.tree.get(p))}`, may: /leaves the tree|by an earlier diff/ };
	} },
	{ name: 'shell in a name', weight: 1, make: (d, b) => { // is a name like others
		const p = d.pick(['$(touch hooked)', '`touch hooked`', ';touch hooked;', '|touch hooked', '-rf', '--exec=touch hooked', '&& x', '*?[a]', '%s%n', '~', '~/x', '${IFS}', '\'q\'', 'a b  c', '.gitignore', '.gi\u0142', 'git~2', '.git0', '...', '.gitx/y'].map(latin));

		return { text: create(d, p, few(d)) };
	} },
	{ name: 'settings of git', weight: 1, make: d => ({ text: create(d, d.pick(['.gitattributes', 'kernel/.gitattributes', '.gitmodules', '.mailmap', '.gitignore', '.lfsconfig']),
		d.pick([['* filter=evil diff=evil merge=evil'], ['[submodule "x"]', '\tpath = ../x', '\turl = -u./payload', '\tupdate = !touch hooked'], ['*']])) }) },
];

// --- modes ---

const ODD_MODES = ['100664', '100600', '104755', '100777', '040000', '060000', '120755', '160001', '177777', '020000', '100000'];
const says = mode => (mode.startsWith('12') ? LINK : mode.startsWith('16') ? SUB : /has mode 0/);
const SUBPROJECT = ['Subproject commit 0123456789abcdef0123456789abcdef01234567'];

const MODES = [
	{ name: 'new link', weight: 2, make: (d, b) => ({ text: create(d, d.pick([fresh(d), '.gitmodules', 'kernel/sched/link']), [d.pick(['../canary/secret', '/etc/passwd', '.git/config', 'kernel', `${b.canary}/dir`])],
		{ mode: '120000', git: true, last: d.chance(0.5) }), must: LINK }) },
	{ name: 'new submodule', weight: 1, make: d => ({ text: create(d, fresh(d), SUBPROJECT, { mode: '160000', git: true }), must: SUB }) },
	{ name: 'file to link', weight: 2, make: (d, b) => {
		const p = text(d, b), f = b.tree.get(p), mode = d.pick(['120000', '160000']), both = d.chance(0.5);

		return { text: both ? remove(d, p, f.lines, { last: f.last, mode: f.mode, git: true }) + create(d, p, ['../canary/secret'], { mode, git: true, last: false })
			: remode(d, p, f.mode, mode) + (d.chance(0.5) ? `--- a/${p}\n+++ b/${p}\n${edits(d, f)}` : ''), must: says(mode) };
	} },
	{ name: 'odd mode', weight: 2, make: (d, b) => {
		const p = text(d, b), mode = d.pick(ODD_MODES);

		return { text: d.pick([() => create(d, fresh(d), few(d), { mode, git: true }), () => remode(d, p, b.tree.get(p).mode, mode), () => remode(d, p, mode, '100755'),
			() => change(d, p, edits(d, b.tree.get(p)), { way: 'git', mode }).replace(/^(?!.*^index)(diff.*\n)/m, `$1index 1234567..89abcde ${mode}\n`)])(), must: says(mode) };
	} },
	{ name: 'mode that is none', weight: 1, make: (d, b) => ({ text: remode(d, text(d, b), d.pick(['100644', '0', '', 'x', '-1']), d.pick(['', '8', '100644x', '0', '000000', '00100644', '0x81a4', '1006440', '99999999999999999999', '-100644'])), may: /has mode 0|octal/ }) },
	{ name: 'link that is there', weight: 3, make: (d, b) => { // by its own mode or a lie
		const p = d.pick(b.links), target = [b.tree.get(p).lines[0]], mode = d.pick(['120000', '100644']), last = d.chance(0.3);

		return { text: d.pick([() => remove(d, p, target, { mode, last, git: true }), () => change(d, p, hunk(target, 0, 1, ['../canary'], { last }), { mode }),
			() => move(d, 'rename', p, fresh(d)), () => move(d, 'copy', p, fresh(d)), () => remode(d, p, mode, '100755'), () => change(d, p, hunk(CANARY, 1, 1, ['touched'])),
			() => create(d, p, few(d), { mode: '100644' })])(), must: /symbolic link|is a link|exists already/, path: p };
	} },
	{ name: 'submodule that is there', weight: 1, make: (d, b) => ({ text: d.pick([() => change(d, 'sub', hunk([`Subproject commit ${b.subId}`], 0, 1, SUBPROJECT), { mode: d.pick(['160000', '100644']) }),
		() => remove(d, 'sub', [`Subproject commit ${b.subId}`], { mode: '160000', git: true }), () => move(d, 'rename', 'sub', fresh(d))])(), must: SUB, path: 'sub' }) },
];

// --- what is on the way ---

const THROUGH = /goes through/;
const touchBelow = (d, b, dir, rest) => ({ ...touch(d, b, `${dir}/${rest}`, THROUGH), path: dir });

const WAY = [
	{ name: 'through a link', weight: 4, make: (d, b) => touchBelow(d, b, d.pick(b.links), d.pick(['x', 'secret', 'dir/x', 'sched/core.c', 'Makefile', 'y/z'])) },
	{ name: 'through a submodule', weight: 1, make: (d, b) => touchBelow(d, b, 'sub', 'x') },
	{ name: 'through a file', weight: 1, make: (d, b) => {
		const made = { ...touchBelow(d, b, 'Makefile', d.pick(['x', 'a/b'])), twin: 'Makefile' };

		// moved below its own name it is no longer in the way
		return made.text.includes('rename from Makefile\n') ? { text: made.text } : made;
	} },
	{ name: 'file becomes folder', weight: 1, make: (d, b) => {
		const f = b.tree.get('Makefile'), parts = [remove(d, 'Makefile', f.lines, { last: f.last, mode: f.mode }), create(d, 'Makefile/x', few(d))];

		return { text: (d.chance(0.5) ? parts : parts.reverse()).join('') };
	} },
	{ name: 'link becomes folder', weight: 1.5, make: (d, b) => {
		const p = d.pick(b.links), target = [b.tree.get(p).lines[0]];
		const parts = [d.pick([() => remove(d, p, target, { mode: d.pick(['120000', '100644']), last: false, git: true }), () => move(d, 'rename', p, fresh(d))])(), create(d, `${p}/x`, few(d))];

		return { text: (d.chance(0.5) ? parts : parts.reverse()).join(''), must: /symbolic link|is a link|goes through/, path: p };
	} },
	{ name: 'was a file, is a link', weight: 2, make: (d, b) => { // what the patch knows is in an older commit, with its blob
		const p = d.pick(['conf', 'moved/x']), f = b.old.get(p);

		return { text: `diff --git a/${p} b/${p}\nindex ${b.oldIds[p]}..89abcde 100644\n--- a/${p}\n+++ b/${p}\n${edits(d, f)}`, must: /is a link|goes through/, path: p.split('/')[0] };
	} },
	{ name: 'source that is not there', weight: 2, make: (d, b) => {
		const verb = d.pick(['rename', 'copy']), from = d.pick(['no/such.c', `${text(d, b)}.c`, 'kernel/schedx']);

		return { text: move(d, verb, from, fresh(d), d.chance(0.3) ? hunk(CANARY, 1, 1, ['x']) : ''), must: /, the source of the (rename|copy), does not exist/, path: from };
	} },
];

// --- other formats, sizes ---

const BIG = Buffer.alloc(70000, 'wakelist');
const binaryNew = (d, blobs) => binary(d, `new/${d.below(1e6)}.bin`, '0'.repeat(40), 'ce013625030ba8dba906f756967f9e9ca394464a', blobs, { made: true });
const logo = (d, b, blobs) => binary(d, 'logo.bin', b.ids['logo.bin'], 'ce013625030ba8dba906f756967f9e9ca394464a', blobs);
const many = (n, one) => Array.from({ length: n }, (_, i) => one(i)).join('');

const SIZES = [
	{ name: 'ed script', weight: 1, make: (d, b) => ({ text: `diff -e a/${text(d, b)} b/x\n${d.pick(['1,2c\nx\n.\n', '7d\n', '3a\n!touch hooked\n.\nw\n'])}`, alone: true, must: /not a unified diff/ }) },
	{ name: 'context diff', weight: 1, make: (d, b) => ({ text: `*** a/${text(d, b)}\tx\n--- b/${text(d, b)}\ty\n***************\n*** 1,3 ****\n  a\n! b\n  c\n--- 1,3 ----\n  a\n! x\n  c\n`, alone: true, must: /not a unified diff/ }) },
	{ name: 'big binary', weight: 1, make: d => ({ text: binaryNew(d, blob('literal', BIG)), must: /binary file .*MB/ }) },
	{ name: 'binary that lies', weight: 2, make: (d, b) => ({ text: d.pick([() => binaryNew(d, blob('literal', Buffer.alloc(10 << 20), 100)), () => binaryNew(d, blob('literal', Buffer.from('hello\n'), 60000)),
		() => binaryNew(d, blob('literal', Buffer.from('hello\n'), 5)), () => binaryNew(d, 'literal 6\nFzzzzzzz\n\n'), () => binaryNew(d, `literal 99999999999999999999\n${blob('literal', BIG.subarray(0, 9)).split('\n').slice(1).join('\n')}`),
		() => binaryNew(d, blob('zlib', Buffer.from('hello\n'))), () => binaryNew(d, 'literal 6\n\n'), () => binaryNew(d, blob('delta', delta(0, 6, [[0, 6]]))),
		() => logo(d, b, blob('delta', delta(b.logo.length, 1e6, [[0, 60000]]))), () => logo(d, b, blob('delta', delta(7, 14, [[0, 7], [0, 7]]))),
		() => logo(d, b, blob('delta', delta(b.logo.length, 2 ** 50, [[0, 10]]))), () => logo(d, b, blob('literal', Buffer.from('hello\n'))).replace(/index [0-9a-f]{40}/, 'index 1234567')])(), may: /binary|damaged|line \d+ of the patch/ }) },
	{ name: 'delta of 9 MB', weight: 0.5, make: (d, b) => ({ text: logo(d, b, blob('delta', delta(b.logo.length, 9e6, Array.from({ length: 9e6 / 50 }, () => [0, 50])))), must: /binary file .*MB/ }) },
	{ name: 'no binary data', weight: 1, make: (d, b) => ({ text: `diff --git a/logo.bin b/logo.bin\nindex ${b.ids['logo.bin'].slice(0, 12)}..1234567 100644\nBinary files a/logo.bin and b/logo.bin differ\n`, must: /no binary data is in the mail/ }) },
	{ name: 'huge file', weight: 0.05, make: d => ({ text: create(d, fresh(d), Array.from({ length: 9 }, () => 'x'.repeat(1 << 20).slice(2))), must: /limit 8 MiB/ }) },
	{ name: 'huge in two steps', weight: 0.05, make: (d, b) => {
		const p = text(d, b), f = b.tree.get(p), add = Array.from({ length: 5 }, () => 'y'.repeat(1 << 20).slice(2));

		return { text: change(d, p, hunk(f.lines, 0, 0, add, f)) + change(d, p, hunk([...add, ...f.lines], 0, 0, add, f)), must: /limit 8 MiB/ };
	} },
	{ name: 'too many files', weight: 0.3, make: d => ({ text: many(2001, i => create(d, `n/${i}`, ['x'], { git: false })), must: /over 2000 files/ }) },
	{ name: 'too many hunks', weight: 0.05, make: () => ({ text: `--- a/Makefile\n+++ b/Makefile\n${many(20001, i => `@@ -${4 * i + 1} +${4 * i + 1} @@\n-a\n+b\n`)}`, must: /over 20000 hunks/ }) },
	{ name: 'mass deletion', weight: 0.3, make: d => ({ text: many(501, i => remove(d, `n/${i}`, ['x'])), must: /deletes 501 files/ }) },
	{ name: 'most of the tree', weight: 1, make: (d, b) => (b.many ? { text: many(b.many, i => remove(d, `many/${i}`, [`file ${i}`])), must: /deletes \d+ of \d+ files/ } : { text: '' }) },
	{ name: 'NUL in a hunk', weight: 1.5, make: (d, b) => {
		const p = text(d, b), lines = edits(d, b.tree.get(p)).split('\n'), at = 1 + d.below(lines.length - 2);

		lines[at] = d.chance(0.5) ? `${lines[at]}\0` : `${lines[at].slice(0, 1)}a\0b`;
		return { text: change(d, p, lines.join('\n')), must: /line \d+ of the patch is not text|line \d+ of the patch: the hunk/ };
	} },
	{ name: 'NUL between', weight: 0.5, make: (d, b) => ({ text: `junk\0junk\n${benign(d, b)}more\0junk\n`, may: /not text/ }) },
	{ name: 'line over 1 MiB', weight: 0.1, make: (d, b) => ({ text: change(d, text(d, b), hunk(['a', 'b'], 1, 1, ['z'.repeat((1 << 20) + 5)])), must: /is not text/ }) },
];

// --- names that differ only in case ---

const TWINS = /differ only in case/;
const recase = (d, p) => p.replace(/[a-z]/, c => c.toUpperCase()).replace(/([a-z])(?=[^a-z]*$)/, c => (d.chance(0.5) ? c.toUpperCase() : c));

const CASES = [
	{ name: 'twins', weight: 1, make: d => {
		const p = fresh(d);

		return { text: create(d, p, few(d)) + create(d, recase(d, p), few(d)), must: TWINS };
	} },
	{ name: 'twin of a file that is there', weight: 2, make: (d, b) => {
		const p = text(d, b), to = recase(d, p);

		return { text: d.pick([() => create(d, to, few(d)), () => move(d, 'copy', p, to), () => move(d, 'rename', text(d, { texts: b.texts.filter(t => t !== p) }), to)])(), must: TWINS, path: to, twin: p };
	} },
	{ name: 'twins behind twins', weight: 1, make: (d, b) => { // those that are both there are fine, and hide nothing
		const p = fresh(d).replace('new', 'zzz');

		return { text: b.twins.map(t => change(d, t, edits(d, b.tree.get(t)))).join('') + create(d, p, few(d)) + create(d, recase(d, p), few(d)), must: TWINS };
	} },
	{ name: 'twins that are there', weight: 0.5, make: (d, b) => ({ text: b.twins.map(t => change(d, t, edits(d, b.tree.get(t)))).join('') }) },
	{ name: 'other case', weight: 1, make: (d, b) => {
		const p = text(d, b), to = recase(d, p), f = b.tree.get(p);

		return { text: d.chance(0.5) ? move(d, 'rename', p, to) : remove(d, p, f.lines, { last: f.last, mode: f.mode, git: true }) + create(d, to, few(d)), may: TWINS };
	} },
];

// --- hunks; git is the judge ---

const broken = (d, h) => {
	const lines = h.split('\n'), n = () => d.pick([0, 1, 2, 3, 7, 4294967295, 4294967296, 99999999999, -1]);
	const header = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@/.exec(lines[0]).slice(1).map(Number), k = d.below(4);

	header[k] = d.chance(0.6) ? header[k] + d.pick([1, -1, 2, 100]) : n();
	lines[0] = `@@ -${header[0]},${header[1]} +${header[2]},${header[3]} @@`;
	return lines.join('\n');
};

const HUNKS = [
	{ name: 'lying counts', weight: 3, make: (d, b) => {
		const p = text(d, b);

		return { text: change(d, p, broken(d, edits(d, b.tree.get(p)))), may: /-U0|header is damaged/ };
	} },
	{ name: 'overlapping hunks', weight: 2, make: (d, b) => {
		const p = text(d, b), f = b.tree.get(p), at = d.below(Math.max(1, f.lines.length - 4));

		return { text: change(d, p, hunk(f.lines, at, 1, ['x'], f) + hunk(f.lines, at + d.below(4), 1, ['y'], f)), must: /overlaps hunk|does not|hunk \d+ of \d+/ };
	} },
	{ name: 'overlap behind another', weight: 1, make: (d, b) => {
		const p = text(d, b), f = b.tree.get(p), at = d.below(Math.max(1, f.lines.length - 20));

		return { text: change(d, p, hunk(f.lines, at, 1, ['x'], f) + hunk(f.lines, at + 12, 1, ['y'], f) + hunk(f.lines, at + 1, 1, ['z'], f)), may: /overlaps hunk/ };
	} },
	{ name: 'unordered hunks', weight: 1, make: (d, b) => {
		const p = text(d, b);

		return { text: change(d, p, edits(d, b.tree.get(p), 3).split(/^(?=@@)/m).reverse().join('')), may: /-U0/ };
	} },
	{ name: 'a hunk twice', weight: 1, make: (d, b) => {
		const p = text(d, b), h = edits(d, b.tree.get(p));

		return { text: d.chance(0.5) ? change(d, p, h + h) : change(d, p, h) + change(d, p, h), may: /overlaps hunk|-U0/ };
	} },
	{ name: 'damaged hunk', weight: 2, make: (d, b) => {
		const p = text(d, b), lines = edits(d, b.tree.get(p)).split('\n'), at = d.below(lines.length - 1);

		d.pick([() => lines.splice(at, 1), () => lines.splice(at, 0, '\\ No newline at end of file'), () => lines.splice(at, 0, '?'), () => { lines[at] = '@@ @@'; }, () => lines.splice(at, 0, '@@ -1,0 +1,0 @@'),
			() => lines.splice(at, 0, '-- '), () => { lines[at] += '\r'; }, () => lines.splice(1, lines.length)])();
		return { text: change(d, p, lines.join('\n')), may: /overlaps hunk|-U0/ };
	} },
	{ name: 'no file for a hunk', weight: 0.5, make: (d, b) => ({ text: edits(d, b.tree.get(text(d, b))), alone: true, must: /without a file header|no diff/ }) },
];

// --- diffs against each other; git is the judge ---

const TANGLES = [
	{ name: 'file and folder', weight: 1, make: d => {
		const p = fresh(d), parts = [create(d, p, few(d)), create(d, `${p}/x`, few(d))];

		return { text: (d.chance(0.5) ? parts : parts.reverse()).join('') };
	} },
	{ name: 'into a folder', weight: 1, make: (d, b) => ({ text: d.pick([() => create(d, 'kernel', few(d)), () => move(d, 'rename', 'Makefile', 'kernel'), () => move(d, 'rename', 'kernel/sched', fresh(d)),
		() => change(d, 'kernel', hunk(CANARY, 1, 1, ['x'])), () => remove(d, 'kernel', CANARY), () => remode(d, 'kernel/sched', '100644', '100755'), () => move(d, 'rename', text(d, b), `${text(d, b)}/x`)])() }) },
	{ name: 'made twice', weight: 1, make: d => {
		const p = fresh(d);

		return { text: create(d, p, few(d)) + create(d, p, few(d)), may: /two diffs of this patch make it/ };
	} },
	{ name: 'what is there made', weight: 1, make: (d, b) => ({ text: d.pick([() => create(d, text(d, b), few(d)), () => move(d, 'rename', 'Makefile', d.pick(b.texts)), () => move(d, 'copy', 'Makefile', d.pick(b.texts))])() }) },
	{ name: 'removed twice', weight: 1, make: (d, b) => {
		const p = text(d, b), f = b.tree.get(p);

		return { text: remove(d, p, f.lines, { last: f.last, mode: f.mode }) + d.pick([() => remove(d, p, f.lines, { last: f.last, mode: f.mode }), () => change(d, p, edits(d, f)), () => move(d, 'rename', p, fresh(d)), () => create(d, p, few(d))])() };
	} },
	{ name: 'other contents removed', weight: 1, make: (d, b) => {
		const p = text(d, b), f = b.tree.get(p);

		return { text: remove(d, p, d.chance(0.5) ? [...f.lines, 'more'] : f.lines.slice(0, -1), { mode: f.mode }) };
	} },
	{ name: 'swap', weight: 1, make: (d, b) => {
		const [p, q] = b.texts.slice(d.below(b.texts.length - 1)), r = fresh(d);

		return { text: d.pick([() => move(d, 'rename', p, q) + move(d, 'rename', q, p), () => move(d, 'rename', p, r) + move(d, 'rename', r, q), () => move(d, 'rename', p, r) + move(d, 'copy', p, fresh(d)),
			() => move(d, 'rename', p, r) + move(d, 'rename', p, fresh(d)), () => move(d, 'rename', p, r) + create(d, p, few(d)), () => move(d, 'rename', p, p), () => move(d, 'copy', p, p)])(), may: /two diffs of this patch make it/ };
	} },
	{ name: 'two things at once', weight: 1, make: (d, b) => {
		const p = text(d, b), q = fresh(d);
		const says = ['new file mode 100644', 'deleted file mode 100644', `rename from ${p}`, `rename to ${q}`, `copy from ${p}`, `copy to ${q}`, 'old mode 100644', 'new mode 100755', 'similarity index 5%', 'index 0000000..1234567'];

		return { text: `diff --git a/${p} b/${d.chance(0.5) ? p : q}\n${Array.from({ length: 1 + d.below(4) }, () => `${d.pick(says)}\n`).join('')}${d.chance(0.5) ? `--- a/${p}\n+++ b/${d.chance(0.7) ? p : q}\n${edits(d, b.tree.get(p))}` : ''}` };
	} },
	{ name: 'index that lies', weight: 3, make: (d, b) => { // a merge is made of what it names
		const p = text(d, b), f = b.tree.get(p), old = d.pick([b.ids[p], b.ids.link, b.ids.Makefile, b.ids['logo.bin'], b.treeId, b.commitId, b.subId, 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391', ...Object.values(b.oldIds)]);
		const lines = d.pick([b.old.get(p)?.lines ?? f.lines, f.lines, ['../canary/dir'], b.tree.get('Makefile').lines]);
		const h = edits(d, { lines, last: true });

		return { text: `diff --git a/${p} b/${p}\nindex ${old.slice(0, d.pick([7, 12, 40]))}..89abcde 100644\n--- a/${p}\n+++ b/${p}\n${h}`, may: /-U0/ };
	} },
];

export const KINDS = [...PATHS, ...MODES, ...WAY, ...SIZES, ...CASES, ...HUNKS, ...TANGLES];

// --- what is not hostile ---

const BENIGN = {
	edit: (d, b, p) => change(d, p, edits(d, b.tree.get(p), 1 + d.below(3))),
	create: d => create(d, fresh(d), few(d)),
	rename: (d, b, p) => move(d, 'rename', p, fresh(d), d.chance(0.5) ? edits(d, b.tree.get(p)) : ''),
	copy: (d, b, p) => move(d, 'copy', p, fresh(d)),
	mode: (d, b, p) => remode(d, p, b.tree.get(p).mode, b.tree.get(p).mode === '100644' ? '100755' : '100644'),
	quoted: (d, b, p) => `--- ${quote(`a/${p}`, true)}\n+++ ${named(d, `b/${p}`)}\n${edits(d, b.tree.get(p))}`,
	stale: (d, b) => { // of the older commit: a merge
		const p = d.pick(b.stale);

		return `diff --git a/${p} b/${p}\nindex ${b.oldIds[p]}..89abcde 100644\n--- a/${p}\n+++ b/${p}\n${edits(d, b.old.get(p))}`;
	},
};

export function benign(d, b) {
	return BENIGN[d.weighted({ edit: 8, create: 1, rename: 1, copy: 1, mode: 1, quoted: 1, stale: 1.5 })](d, b, text(d, b));
}
