// SPDX-License-Identifier: GPL-2.0-or-later
// Random cases of "a patch is made from one tree and applied to another": files that look like those of
// a kernel, edits of an author, edits of the base meanwhile, a way to mail them. All from one number.
import { random } from '../harness/faults.mjs';

export class Dice {
	constructor(seed) {
		this.next = random(seed);
	}
	below(n) {
		return Math.floor(this.next() * n);
	}
	chance(p) {
		return this.next() < p;
	}
	pick(list) {
		return list[this.below(list.length)];
	}
	// One key of {key: weight}.
	weighted(table) {
		let at = this.next() * Object.values(table).reduce((a, b) => a + b);

		return Object.keys(table).find(k => (at -= table[k]) < 0);
	}
}

// --- files ---

const WORDS = 'cpu rq task load util idle curr next prev node group domain cost delta flags mask avg min max nr'.split(' ');
const name = d => `${d.pick(WORDS)}_${d.pick(WORDS)}`;

// Lines that kernel code is full of, so that hunks fit at several places.
const STATEMENTS = [
	() => '\treturn 0;', () => '\trcu_read_lock();', () => '\trcu_read_unlock();', () => '', () => '',
	() => '\tif (!p)', () => '\t\tcontinue;', () => '\t}', () => '\tlockdep_assert_rq_held(rq);',
	d => `\t${name(d)} = ${name(d)} + ${d.below(64)};`, d => `\tif (${name(d)} > ${name(d)}) {`,
	d => `\t\t${name(d)}(rq, ${d.below(9)});`, d => `\t/* ${d.pick(WORDS)} of the ${d.pick(WORDS)} */`,
	d => `\tfor_each_cpu(cpu, ${name(d)})`, d => `\tWRITE_ONCE(rq->${name(d)}, ${d.below(1000)});`,
	d => `out_${d.pick(WORDS)}:`, d => `#ifdef CONFIG_${d.pick(WORDS).toUpperCase()}`, () => '#endif',
	d => `\tpr_info("${d.pick(['naïve', 'größer', 'plain', '%d\\n'])}");`,
];
const statement = d => d.pick(STATEMENTS)(d);

const fn = d => [`${d.pick(['static int', 'static void', 'int', 'static inline bool'])} ${name(d)}_${d.below(100)}(struct rq *rq, int ${d.pick(WORDS)})`,
	'{', ...Array.from({ length: 3 + d.below(18) }, () => statement(d)), '}', ''];

export function cFile(d) {
	const lines = ['// SPDX-License-Identifier: GPL-2.0', `#include <linux/${d.pick(WORDS)}.h>`, ''];

	for (let n = 1 + d.below(9); n; n--)
		lines.push(...fn(d));
	return lines;
}

// A tree: path -> {lines, eol, last (the last line has its newline), mode}, {bytes, mode} or, a submodule, {id, mode}.
export const text = (lines, more) => ({ lines, eol: '\n', last: true, mode: '100644', ...more });

function baseTree(d, sources) {
	const tree = new Map();
	const c = () => sources ? [...d.pick(sources)] : cFile(d);

	tree.set('kernel/sched/core.c', text(c()));
	tree.set('kernel/sched/fair.c', text(c()));
	tree.set('include/linux/sched.h', text(cFile(d)));
	tree.set('Makefile', text(['VERSION = 6', 'PATCHLEVEL = 1', '', 'all:', '\ttrue'], { last: d.chance(0.8) }));
	if (d.chance(0.3))
		tree.set('tools/run it.sh', text(['#!/bin/sh', ...cFile(d)], { mode: '100755' }));
	if (d.chance(0.2))
		tree.set('Documentation/dos.txt', text(cFile(d), { eol: '\r\n' }));
	if (d.chance(0.2))
		tree.set('logo.bin', { bytes: Buffer.from(Array.from({ length: 50 + d.below(900) }, () => d.below(256))), mode: '100644' });
	return tree;
}

export const contents = f => f.bytes ?? Buffer.from(f.lines.join(f.eol) + (f.last && f.lines.length ? f.eol : ''));
const clone = tree => new Map([...tree].map(([p, f]) => [p, { ...f, lines: f.lines && [...f.lines] }]));

// --- edits ---

function editLines(d, f, near) {
	const lines = f.lines;
	const at = near === undefined ? d.below(lines.length + 1)
		: Math.min(lines.length, Math.max(0, near + d.below(13) - 6));

	switch (d.below(6)) {
	case 0: case 1:
		lines.splice(at, 0, ...Array.from({ length: 1 + d.below(4) }, () => statement(d)));
		break;
	case 2:
		lines.splice(at, 1 + d.below(3));
		break;
	case 3: // a function more
		lines.splice(at, 0, ...fn(d));
		break;
	case 4: // a block once more, somewhere else
		lines.splice(at, 0, ...lines.slice(d.below(lines.length), d.below(lines.length) + 6));
		break;
	default:
		if (at < lines.length)
			lines[at] = d.chance(0.5) ? `${lines[at]} + 1` : statement(d);
	}
	return at;
}

function editFile(d, f, near) {
	let at = near;

	if (f.bytes) {
		f.bytes = Buffer.from(f.bytes);
		f.bytes[d.below(f.bytes.length)] ^= 1 + d.below(255);
		return at;
	}
	for (let n = 1 + d.below(3); n; n--)
		at = editLines(d, f, at !== undefined || d.chance(0.3) ? at : undefined);
	if (d.chance(0.04))
		f.last = !f.last;
	return at;
}

const rename = (d, path) => path.replace(/[^/]*$/, base => d.pick([`x86/${base}`, base.replace('.', '_new.'), `${base}.c`]));

// What was done, so that the base can do the same things nearby. Returns [{path, at}].
function change(d, tree) {
	const done = [];

	for (let n = d.weighted({ 1: 7, 2: 2, 3: 1 }); n > 0; n--) {
		const path = d.pick([...tree.keys()]), f = tree.get(path);

		switch (d.weighted({ edit: 16, mode: 1, add: 2, remove: 1, rename: 2, move: 1 })) {
		case 'mode':
			f.mode = f.mode === '100644' ? '100755' : '100644';
			break;
		case 'add':
			tree.set(`kernel/sched/${name(d)}.c`, text(cFile(d)));
			break;
		case 'remove':
			if (tree.size > 2)
				tree.delete(path);
			done.push({ path });
			break;
		case 'rename': case 'move': {
			const to = rename(d, path);

			if (tree.has(to))
				break;
			tree.delete(path);
			tree.set(to, f);
			if (d.chance(0.6))
				editFile(d, f);
			done.push({ path, to });
			break;
		}
		default:
			done.push({ path, at: editFile(d, f) });
		}
	}
	return done;
}

// What the base did meanwhile: nothing, things elsewhere, things nearby, the same and more, the file moved away.
function moveBase(d, base, after, done) {
	const kind = d.weighted({ still: 3, far: 6, near: 6, same: 2, moved: 1.5 });
	const tree = clone(kind === 'same' ? after : base);
	const edited = done.filter(x => tree.get(x.path)?.lines);
	let moved;

	if (kind === 'far' || kind === 'same')
		for (let n = d.below(4); n; n--)
			editFile(d, tree.get(d.pick([...tree.keys()])));
	if (kind === 'near')
		for (let n = 1 + d.below(3); n && edited.length; n--) {
			const { path, at } = d.pick(edited);

			editFile(d, tree.get(path), at);
		}
	if (kind === 'moved' && edited.length) {
		const { path } = d.pick(edited), f = tree.get(path), to = rename(d, path);

		if (!tree.has(to)) {
			tree.delete(path);
			tree.set(to, f);
			moved = { path, to };
			if (d.chance(0.5))
				editFile(d, f);
			if (d.chance(0.5)) { // the trap: another one, more like it
				const like = clone(base).get(path);

				tree.set(`${path}.old`, like);
				if (d.chance(0.5))
					editFile(d, like);
			}
		}
	}
	return { kind, tree, moved };
}

// --- mails ---

const SUBJECTS = ['sched/fair: Fix the thing', 'sched: Do not wake up what is awake, since this costs more than it is worth on machines with many CPUs',
	'sched/core: größere Läufe', '[RFC] sched: x', 'kernel: "quoted", and <angled>'];
const BODIES = ['Text of the patch.\n', 'Two paragraphs,\n\nand a list:\n - one\n - two\n\nFixes: 0123456789ab ("sched: Thing")\n',
	'Übergröße ☃\n', '\n', 'Indented diff:\n\n    --- a/x\n    +++ b/x\n\nEnd.\n', '>From here on.\n\tTabs.\nFrom there.\n', 'Trailing blanks   \n\n\n\nend\n'];
const AUTHORS = ['A U Thor <author@example.org>', 'Jörg Müller <jm@example.org>', 'Smith, John <js@example.org>', '王小明 <xm@example.cn>', 'x.y <x.y@example.org>'];

const formatOptions = d => [
	...d.chance(0.5) ? [`-U${d.pick([0, 1, 2, 3, 5, 10, 25])}`] : [],
	...d.chance(0.3) ? [d.pick(['--histogram', '--patience', '--minimal', '--diff-algorithm=myers'])] : [],
	...d.chance(0.4) ? [d.pick(['-M', '-M20%', '-M90%', '-C', '--no-renames', '-B', '-C -C'])].flatMap(o => o.split(' ')) : [],
	...d.chance(0.3) ? [d.pick(['--full-index', '--abbrev=8', '--abbrev=12', '--abbrev=20'])] : [],
	...d.chance(0.1) ? [d.pick(['--attach', '--inline'])] : [],
	...d.chance(0.1) ? ['-W'] : [], ...d.chance(0.1) ? ['--inter-hunk-context=4'] : [],
	...d.chance(0.15) ? [d.pick(['--signoff', '-v3', '--no-stat', '--rfc', '--from=Sender <sender@example.org>', '--subject-prefix=PATCH net'])] : [],
	...d.chance(0.04) ? [d.pick(['--no-prefix', '-D', '--no-binary', '--no-indent-heuristic', '--src-prefix=x/y/'])] : [],
];

const split = mail => {
	const at = mail.indexOf('\n\n');

	return [mail.slice(0, at + 1), mail.slice(at + 1)];
};
const latin = s => Buffer.from(s, 'utf8').toString('latin1'); // bytes as characters
const quoted = body => body.replace(/[=\x80-\xff]|[\t ](?=\n)/g, c => `=${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
	.replace(/^(.{70})(?=.{4})/gm, (line) => { // soft breaks, not inside of =XX
		const cut = /=.?$/.exec(line.slice(-2)) ? line.lastIndexOf('=') : line.length;

		return `${line.slice(0, cut)}=\n${line.slice(cut)}`;
	});
const encode = (mail, encoding, code) => {
	const [head, body] = split(mail);

	if (/^Content-Type: multipart/mi.test(head))
		return mail;
	return head.replace(/^(MIME-Version|Content-Type|Content-Transfer-Encoding):.*\n(?:[ \t].*\n)*/gmi, '') +
		'MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n' +
		`Content-Transfer-Encoding: ${encoding}\n\n${code(body.slice(1))}`;
};

// Ways of a mail; bytes as characters. Those that damage a patch are marked: git must be the judge of them too.
export const TRANSPORTS = {
	none: m => m,
	crlf: m => m.replace(/\r?\n/g, '\r\n'),
	qp: m => encode(m, 'quoted-printable', quoted),
	base64: m => encode(m, 'base64', b => Buffer.from(b, 'latin1').toString('base64').replace(/.{76}/g, '$&\n') + '\n'),
	base64crlf: m => encode(m, 'base64', b => Buffer.from(b.replace(/\n/g, '\r\n'), 'latin1').toString('base64').replace(/.{76}/g, '$&\n') + '\n'),
	fold: m => {
		const [head, body] = split(m);

		return head.replace(/^((?:Subject|From): .{12,}?) (?=\S)/gm, '$1\n ') + body;
	},
	footer: m => `${m}\n_______________________________________________\nlinux-list mailing list\n`,
	headers: m => m.replace(/\nFrom: /, '\nReceived: from a (b [127.0.0.1])\n\tby c; Thu, 1 Jan 2026 00:00:00 +0000\nDKIM-Signature: v=1;\n b=abc\nList-Id: <l.example.org>\nFrom: '),
	blanks: (m) => m.replace(/[ \t]+$/gm, ''), // blank context loses its space
	tabs: m => m.replace(/\t/g, '        '),
	wrap: m => {
		const [head, body] = split(m);

		return head + body.replace(/^(.{60,76}) (?=\S)/gm, '$1\n');
	},
	quote: m => {
		const [head, body] = split(m);

		return `${head}\n${body.slice(1).replace(/^/gm, '> ')}`;
	},
	qpleft: m => { // the header that declares it is lost
		const [head, body] = split(m);

		return `${head}\n${quoted(body.slice(1))}`;
	},
	folded: m => {
		const [head, body] = split(m);

		return `${head}\n${body.slice(1).replace(/\n/g, ' ')}\n`;
	},
	cut: (m, d) => m.slice(0, Math.floor(m.length * (0.6 + d.next() * 0.4))),
	flip: (m, d) => {
		const first = m.indexOf('\n@@ '), end = m.indexOf('\n-- \n');
		const at = first + d.below(Math.max(1, (end < 0 ? m.length : end) - first));

		return m.slice(0, at) + String.fromCharCode(32 + d.below(95)) + m.slice(at + 1);
	},
	drop: (m, d) => { // a line of the patch is lost
		const lines = m.split('\n'), first = lines.findIndex(l => l.startsWith('diff --git'));

		lines.splice(first + d.below(Math.max(1, lines.length - first)), 1);
		return lines.join('\n');
	},
	noindex: m => m.replace(/^index .*\n/gm, ''),
};
const WAYS = { none: 10, crlf: 2, qp: 3, base64: 1, base64crlf: 1, fold: 2, footer: 2, headers: 2, blanks: 1, tabs: 1.5, wrap: 1.5, quote: 1, qpleft: 1, folded: 0.5,
	cut: 1, flip: 1.5, drop: 1, noindex: 1 };

export function makeCase(seed, sources) {
	const d = new Dice(seed), base = baseTree(d, sources), after = clone(base);
	const done = change(d, after), steps = [after];

	if (d.chance(0.12)) { // a series of two
		const second = clone(after);

		done.push(...change(d, second));
		steps.push(second);
	}
	const target = moveBase(d, base, d.pick(steps), done);
	const ways = [d.weighted(WAYS), ...d.chance(0.15) ? [d.weighted(WAYS)] : []];

	return { seed, base, steps, target, shallow: d.chance(0.2), author: d.pick(AUTHORS), zone: d.pick(['+0000', '+0530', '-0800']),
		time: 1700000000 + d.below(2000) - 500, subject: d.pick(SUBJECTS), body: d.pick(BODIES), format: formatOptions(d), ways,
		mangle: mbox => Buffer.from(latin(mbox).split(/^(?=From [0-9a-f]{40} Mon Sep 17 )/m)
			.map(mail => ways.reduce((m, way) => TRANSPORTS[way](m, d), mail))
			.reduce((all, mail) => all + (all && !all.endsWith('\n') ? '\n' : '') + mail, ''), 'latin1') };
}
