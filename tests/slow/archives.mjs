// SPDX-License-Identifier: GPL-2.0-or-later
// archives: ingests the real archives of ../shared through the workers, batch by batch, and compares the series
// in the database with those of `wakelist mail series` on the whole epoch at once. WL_BUILD names the build.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { BIN, Postgres, TOP, tempDir } from '../harness/index.mjs';
import { Chain, sh, until } from '../integration/chain-lib.mjs';

const dir = path.join(TOP, '../shared/archives');
if (!fs.existsSync(dir)) {
	console.log('skipped: ../shared is absent');
	process.exit(77);
}
const pg = await Postgres.start();
let failed = 0, n_done = 0;
for (const name of (process.argv.length > 2 ? process.argv.slice(2) : ['linux-tip-commits-sched', 'linux-pm-sched'])) {
	const chain = await Chain.make(pg, {});
	const epoch = path.join(chain.dir, `${name}.git`);

	sh(['git', 'clone', '-q', '--mirror', path.join(dir, `${name}.bundle`), epoch]);
	const n = sh(['git', `--git-dir=${epoch}`, 'rev-list', '--count', 'master']).trim();
	const whole = JSON.parse(sh([path.join(BIN, 'wakelist'), 'mail', 'series', epoch], { maxBuffer: 1 << 30 })).series;
	const started = Date.now();
	chain.list(name, epoch);
	await chain.worker();
	await until('all mails', () => chain.exec('SELECT count(*) FROM mail_copy') === n, 1200000);
	await chain.idle(600000);
	n_done++;
	const seconds = (Date.now() - started) / 1000;
	const line = (id, version, complete, parts) => `${id} v${version} ${complete} ${parts.join(' ')}`;
	const want = whole.map((s) => line(s.id, s.version, s.complete, s.patches.map((p) => p.message_id))).sort();
	const got = chain.rows(`SELECT root_message_id AS id, facts FROM series WHERE state <> 'withdrawn'`)
		.map((s) => line(s.id, s.facts.version, s.facts.complete, s.facts.patches.map((p) => p.message_id))).sort();
	for (const w of chain.workers)
		await w.stop();
	try {
		assert.deepEqual(got, want);
		console.log(`ok ${name}: ${n} mails, ${got.length} series, ${seconds} s`);
	} catch (e) {
		failed++;
		console.log(`not ok ${name}: ${n} mails, ${seconds} s\n${e.message}`);
	}
}
await pg.stop();
console.log(`${n_done - failed} passed, ${failed} failed, 0 skipped`);
process.exit(failed ? 1 : 0);
