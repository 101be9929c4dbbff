// SPDX-License-Identifier: GPL-2.0-or-later
// A line added at the top of every function of kernel/sched: each function must be named, and no
// other. What a function is comes from a plain reading here: a name and "(" in a line at column 0,
// then "{" alone at column 0; so the scanner's spans are compared with the kernel's own layout.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { BIN, run, tempDir } from '../harness/proc.mjs';

const TARBALL = '/usr/src/linux-source-6.1.tar.xz';
const skip = !fs.existsSync(TARBALL) && `skipped: ${TARBALL} is absent`;
const EXPECTED = {
	select_idle_sibling: 'wake_path idle_scan', select_idle_cpu: 'idle_scan', wake_affine: 'wake_path', try_to_wake_up: 'wake_path',
	ttwu_queue_cond: 'wakelist_ipi', sched_ttwu_pending: 'wakelist_ipi', sched_balance_newidle: 'newidle',
	load_balance: 'load_balance', update_idle_cpu_scan: 'idle_scan', sd_init: 'topology', do_idle: 'idle_states',
	___update_load_sum: 'pelt', place_entity: 'fair_class', __update_idle_core: 'idle_scan', find_idlest_group: 'wake_path',
	find_busiest_group: 'load_balance', resched_curr: 'wakelist_ipi', rebalance_domains: 'load_balance',
};

// Names of the functions of a text; the text with a line more in each.
const mark = text => {
	const lines = text.split('\n'), out = [], names = new Set();
	let head = '';

	for (const line of lines) {
		out.push(line);
		if (/^[A-Za-z_]/.test(line) && line.includes('('))
			head = line;
		else if (!/^\s+\S|^[A-Za-z_]|^\{/.test(line))
			head = '';
		if (line === '{' && head) {
			const [, macro, first] = /(SYSCALL_DEFINE\d)\((\w+)/.exec(head) ?? [];
			const name = macro ? `sys_${first}` : /(\w+)\s*\(/.exec(head.replace(/__attribute__\s*\(\(.*?\)\)/, ''))?.[1];

			names.add(name);
			out.push('\twl_touched();');
			head = '';
		}
	}
	return { names, text: out.join('\n') };
};

// kernel/sched of the tarball as a repository of one commit.
const makeRepo = name => {
	const repo = tempDir(name);
	const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent' };
	const git = (...args) => execFileSync('git', ['-C', repo, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args],
		{ env, encoding: 'utf8', maxBuffer: 64 << 20 });

	execFileSync('tar', ['-xJf', TARBALL, '-C', repo, '--strip-components=1', '--wildcards', 'linux-source-6.1/kernel/sched']);
	git('init', '-q');
	git('add', '-A');
	git('commit', '-q', '-m', 'base');
	return { git, repo, sched: path.join(repo, 'kernel/sched') };
};

const touch = async (repo, input) => JSON.parse(
	(await run(path.join(BIN, 'wakelist'), ['touch', '--repo', repo, '--base', 'HEAD', '-'], { input })).out);

test('every function of kernel/sched', { skip }, async () => {
	const { git, repo, sched } = makeRepo('wl-touch-kernel');
	const wanted = {};

	for (const name of fs.readdirSync(sched).filter(n => /\.[ch]$/.test(n))) {
		const { names, text } = mark(fs.readFileSync(path.join(sched, name), 'latin1'));

		fs.writeFileSync(path.join(sched, name), text, 'latin1');
		wanted[`kernel/sched/${name}`] = names;
	}
	const t = await touch(repo, git('diff'));
	const found = {};

	assert.equal(t.result, 'applied');
	assert.deepEqual(t.notes, []);
	for (const f of t.functions)
		(found[f.path] ??= new Set()).add(f.name);
	let n = 0;
	const missing = [], more = [];

	for (const [file, names] of Object.entries(wanted)) {
		n += names.size;
		missing.push(...[...names].filter(x => !found[file]?.has(x)).map(x => `${file}: ${x}`));
		more.push(...[...found[file] ?? []].filter(x => !names.has(x)).map(x => `${file}: ${x}`));
	}
	console.log(`# ${n} functions, ${missing.length} not named, ${more.length} named besides`);
	assert.deepEqual({ missing, more }, { missing: [], more: [] });
	assert.ok(n > 1500);
});

test('functions of 6.1 and their aspects', { skip }, async () => {
	const { git, repo, sched } = makeRepo('wl-touch-aspects');
	const files = fs.readdirSync(sched).filter(n => n.endsWith('.c')).map(n => path.join(sched, n));

	for (const [name, aspects] of Object.entries(EXPECTED)) {
		const head = new RegExp(`^(?:[A-Za-z_][^\\n;]*\\b)?${name}\\([^;{]*\\)\\n\\{\\n`, 'm');
		const file = files.find(f => head.test(fs.readFileSync(f, 'latin1')));

		assert.ok(file, `${name} is nowhere`);
		fs.writeFileSync(file, fs.readFileSync(file, 'latin1').replace(head, '$&\twl_touched();\n'), 'latin1');
		const t = await touch(repo, git('diff'));

		git('checkout', '-q', '.');
		assert.deepEqual(t.functions.map(f => f.name), [name]);
		assert.equal(t.aspects.map(a => a.id).join(' '), aspects, name);
	}
});
