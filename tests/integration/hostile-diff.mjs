// SPDX-License-Identifier: GPL-2.0-or-later
// Diffs written by hand, as no git would write them. All texts are bytes as characters.
import zlib from 'node:zlib';

export const latin = text => Buffer.from(text, 'utf8').toString('latin1');

// A name as git quotes it; every byte as an octal escape when all is set.
export const quote = (name, all = false) => `"${name.replace(all ? /[^]/g : /[^ !#-[\]-~]/g,
	c => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`;
const mustQuote = name => /[\n\t"\0\r]|^ | $/.test(name);

// The name as a header has it: plain where that is possible, often quoted.
export const named = (d, name) => mustQuote(name) || d.chance(0.2) ? quote(name, d.chance(0.3)) : name;

// The first line of a git diff: both names quoted or none, since git cannot read one of each.
const header = (d, from, to = from) => {
	const isQuoted = mustQuote(`a/${from}`) || mustQuote(`b/${to}`) || d.chance(0.2);

	return `diff --git ${[`a/${from}`, `b/${to}`].map(n => (isQuoted ? quote(n) : n)).join(' ')}\n`;
};

// One hunk of lines: from line `at` (0-based) `gone` lines are replaced by `added`.
export function hunk(lines, at, gone, added, { context = 3, moved = 0, last = true, func = '' } = {}) {
	const from = Math.max(0, at - context), to = Math.min(lines.length, at + gone + context);
	const body = [...lines.slice(from, at).map(l => ` ${l}`), ...lines.slice(at, at + gone).map(l => `-${l}`), ...added.map(l => `+${l}`),
		...lines.slice(at + gone, to).map(l => ` ${l}`)];
	const n = to - from, m = n - gone + added.length;

	if (to === lines.length && !last)
		body.push('\\ No newline at end of file');
	return `@@ -${n ? from + 1 : from},${n} +${m ? from + 1 + moved : from + moved},${m} @@${func}\n${body.join('\n')}\n`;
}

// Hunks of one file, far enough from each other not to touch.
export function edits(d, file, n = 1) {
	const { lines, last } = file, out = [];
	let moved = 0;

	for (let i = 0, at = 0; i < n && at < lines.length; i++) {
		at += 7 + d.below(8);
		if (i === 0 && d.chance(0.3))
			at = d.below(Math.min(4, lines.length));
		if (at >= lines.length)
			break;
		const gone = d.below(Math.min(3, lines.length - at)), added = Array.from({ length: d.below(3) + (gone ? 0 : 1) }, () => `\tchanged(${d.below(1e6)});`);

		out.push(hunk(lines, at, gone, added, { moved, last }));
		moved += added.length - gone;
		at += gone;
	}
	return out.join('') || hunk(lines, 0, 0, ['first'], { last });
}

const id = d => Array.from({ length: 7 + d.below(6) }, () => d.below(16).toString(16)).join('');
const zero = '0000000';
const index = (d, old, made, mode) => d.chance(0.8) ? `index ${old}..${made}${mode ? ` ${mode}` : ''}\n` : '';
const whole = (lines, sign) => lines.map(l => `${sign}${l}\n`).join('');

// Ways to say that a file changes. `mode` is what the index line says.
const CHANGES = {
	git: (d, p, hunks, mode) => `${header(d, p)}${index(d, id(d), id(d), mode)}` +
		`--- ${named(d, `a/${p}`)}\n+++ ${named(d, `b/${p}`)}\n${hunks}`,
	bare: (d, p, hunks) => `--- ${named(d, `a/${p}`)}\n+++ ${named(d, `b/${p}`)}\n${hunks}`,
	index: (d, p, hunks) => `Index: ${p.replace(/\n/g, '?')}\n${'='.repeat(67)}\n--- ${named(d, `a/${p}`)}\n+++ ${named(d, `b/${p}`)}\n${hunks}`,
	quilt: (d, p, hunks) => `--- ${named(d, `linux.orig/${p}`)}\t2026-03-04 05:06:07.000000000 +0000\n` +
		`+++ ${named(d, `linux/${p}`)}\t2026-03-04 05:06:08.000000000 +0000\n${hunks}`,
};
export const change = (d, p, hunks, { mode = '100644', way } = {}) => CHANGES[way ?? d.weighted({ git: 6, bare: 2, index: 1, quilt: 1 })](d, p, hunks, mode);

export const create = (d, p, lines, { mode = '100644', git = d.chance(0.7), last = true } = {}) => {
	const hunks = lines.length ? `@@ -0,0 +1,${lines.length} @@\n${whole(lines, '+')}${last ? '' : '\\ No newline at end of file\n'}` : '';

	if (git || !lines.length)
		return `${header(d, p)}new file mode ${mode}\n${index(d, zero, id(d))}` +
			(hunks && `--- /dev/null\n+++ ${named(d, `b/${p}`)}\n${hunks}`);
	return `--- ${d.chance(0.5) ? '/dev/null' : `${named(d, `a/${p}`)}\t1970-01-01 00:00:00.000000000 +0000`}\n+++ ${named(d, `b/${p}`)}\n${hunks}`;
};

export const remove = (d, p, lines, { mode = '100644', git = d.chance(0.7), last = true } = {}) => {
	const hunks = `@@ -1,${lines.length} +0,0 @@\n${whole(lines, '-')}${last ? '' : '\\ No newline at end of file\n'}`;

	return (git ? `${header(d, p)}deleted file mode ${mode}\n${index(d, id(d), zero)}` : '') +
		`--- ${named(d, `a/${p}`)}\n+++ /dev/null\n${hunks}`;
};

// verb: rename or copy
export const move = (d, verb, from, to, hunks = '') => `${header(d, from, to)}similarity index ${hunks ? 90 : 100}%\n` +
	`${verb} from ${named(d, from)}\n${verb} to ${named(d, to)}\n${hunks && `--- ${named(d, `a/${from}`)}\n+++ ${named(d, `b/${to}`)}\n${hunks}`}`;

export const remode = (d, p, from, to) => `${header(d, p)}old mode ${from}\nnew mode ${to}\n`;

// --- binary ---

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';

function base85(bytes) {
	const out = [];

	for (let at = 0; at < bytes.length; at += 52) {
		const line = bytes.subarray(at, at + 52), n = line.length;
		const padded = Buffer.concat([line, Buffer.alloc((4 - n % 4) % 4)]);
		let text = n <= 26 ? String.fromCharCode(64 + n) : String.fromCharCode(96 + n - 26);

		for (let k = 0; k < padded.length; k += 4) {
			let v = padded.readUInt32BE(k), five = '';

			for (let i = 0; i < 5; i++, v = Math.floor(v / 85))
				five = DIGITS[v % 85] + five;
			text += five;
		}
		out.push(`${text}\n`);
	}
	return out.join('');
}

// bytes: of a file, or of a delta; size: what the header says of them.
export const blob = (kind, bytes, size = bytes.length) => `${kind} ${size}\n${base85(zlib.deflateSync(bytes))}\n`;

const varint = n => n < 128 ? [n] : [n % 128 + 128, ...varint(Math.floor(n / 128))];
// A delta of copies [from, length] of the old file; lengths under 64 KiB.
export const delta = (oldSize, newSize, copies) => Buffer.from([...varint(oldSize), ...varint(newSize),
	...copies.flatMap(([from, n]) => [0x80 | 0x03 | 0x30, from & 255, from >> 8, n & 255, n >> 8])]);

export const binary = (d, p, oldId, newId, blobs, { made = false } = {}) => `${header(d, p)}` +
	`${made ? 'new file mode 100644\n' : ''}index ${oldId}..${newId}${made ? '' : ' 100644'}\nGIT binary patch\n${blobs}\n`;
