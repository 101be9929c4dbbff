// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel tree of a few files, mails with patches for it, and the whole chain started on a list of them.
import fs from 'node:fs';
import path from 'node:path';

import { Inbox, makeMail } from './inbox.mjs';
import { tempDir } from './proc.mjs';
import { Runner, Server, Worker } from './programs.mjs';
import { Smtp } from './smtp.mjs';

const FILES = ['kernel/sched/fair.c', 'kernel/sched/core.c', 'kernel/sched/topology.c', 'mm/slab.c'];
const N_LINES = 240;

// Line n (from 1) of a file of the tree.
function line(file, n) {
	if (n % 20 === 1)
		return `static int ${path.basename(file, '.c')}_part${(n - 1) / 20}(int cpu)`;
	return { 2: '{', 0: '}' }[n % 20] ?? `\tcpu += ${n};`;
}

// A folder that is a kernel to the eye; nothing in it compiles.
export function kernelTree(dir = path.join(tempDir('wl-tree'), 'linux')) {
	for (const file of FILES) {
		const lines = Array.from({ length: N_LINES }, (_, i) => line(file, i + 1));

		fs.mkdirSync(path.join(dir, path.dirname(file)), { recursive: true });
		fs.writeFileSync(path.join(dir, file), `${lines.join('\n')}\n`);
	}
	fs.writeFileSync(path.join(dir, 'Makefile'),
		'# SPDX-License-Identifier: GPL-2.0\nVERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 100\nEXTRAVERSION =\nNAME = Small\n');
	return dir;
}

// A patch that gives line n of a file a new text. before: what it expects there; shift: how many
// lines away from n the hunk says it is.
export function patchText({ file = FILES[0], n = 10, to = '\tcpu += 7;', before = line(file, n), shift = 0 } = {}) {
	const around = from => [0, 1, 2].map(i => ` ${line(file, from + i)}\n`).join('');
	const at = n - 3 + shift;

	return `Signed-off-by: A Developer <dev@example.org>\n---\n ${file} | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n` +
		`diff --git a/${file} b/${file}\nindex 1234567..89abcde 100644\n--- a/${file}\n+++ b/${file}\n` +
		`@@ -${at},7 +${at},7 @@\n${around(n - 3)}-${before}\n+${to}\n${around(n + 1)}-- \n2.39.5\n`;
}

// Mails of the series that a chain test needs, one minute apart, the oldest first. What the runner
// shall do with one is in its title (failByTitle).
export function chainMails({ date = Date.now() - 3600e3, domain = 'chain.example.org' } = {}) {
	let minute = 0;
	const mail = (id, subject, body, { reply } = {}) => makeMail({
		id: `${id}@${domain}`, subject, body, date: date + 60e3 * minute++,
		headers: reply ? { 'In-Reply-To': `<${reply}@${domain}>`, References: `<${reply}@${domain}>` } : {},
	});

	return [
		mail('good.0', '[PATCH 0/2] sched: Choose the good CPU', 'Two steps.\n\nA Developer (2):\n  sched/fair: Look first\n' +
			'  sched/core: Leap then\n\n kernel/sched/core.c | 2 +-\n kernel/sched/fair.c | 2 +-\n'),
		mail('good.1', '[PATCH 1/2] sched/fair: Look first', `Look.\n\n${patchText()}`, { reply: 'good.0' }),
		mail('good.2', '[PATCH 2/2] sched/core: Leap then', `Leap.\n\n${patchText({ file: FILES[1], n: 30, shift: 5 })}`,
			{ reply: 'good.0' }),
		mail('roll.1', '[PATCH] sched/fair: Roll it', `First try.\n\n${patchText({ n: 50, to: '\tcpu += 1;' })}`),
		mail('roll.2', '[PATCH v2] sched/fair: Roll it', `v2: better.\n\n${patchText({ n: 50, to: '\tcpu += 2;' })}`),
		mail('no.1', '[PATCH] sched/fair: Meet another tree', `Elsewhere.\n\n${patchText({ n: 70, before: '\tint elsewhere;' })}`),
		mail('build.1', '[PATCH] sched/core: Forget a semicolon', `Oops.\n\n${patchText({ file: FILES[1], n: 90, to: '\tcpu +=' })}`),
		mail('panic.1', '[PATCH] sched/topology: Panic early', `Boom.\n\n${patchText({ file: FILES[2], n: 110, to: '\tBUG();' })}`),
		mail('other.1', '[PATCH] mm: Sort the slabs', `Not ours.\n\n${patchText({ file: FILES[3], n: 130 })}`),
	];
}

// Jobs of kind null whose series has such a title fail that way, in the database of a test.
export function failByTitle(db, ways = { 'Forget a semicolon': 'build', 'Panic early': 'panic' }) {
	const cases = Object.entries(ways).map(([title, way]) => `WHEN s.title LIKE '%${title}%' THEN '"${way}"'`).join(' ');

	return db.exec(`
		CREATE FUNCTION test_fail_by_title() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
		BEGIN
			NEW.payload := jsonb_set(NEW.payload, '{fail}', coalesce(
				(SELECT (CASE ${cases} END)::jsonb FROM series s WHERE s.id = NEW.series_id), 'null'));
			RETURN NEW;
		END $$;
		CREATE TRIGGER test_fail_by_title BEFORE INSERT ON job FOR EACH ROW WHEN (NEW.kind = 'null')
			EXECUTE FUNCTION test_fail_by_title()`);
}

// Everything of one chain on a database of its own.
export class Chain {
	// options: pg (Postgres), mails, settings, worker, runner (more options of each), serve (by HTTP).
	static async start({ pg, mails = [], settings, worker = {}, runner = {}, serve = false }) {
		const chain = new Chain();

		chain.db = await pg.createDb();
		for (const [name, value] of Object.entries(settings ?? {}))
			await chain.db.set(name, value);
		await failByTitle(chain.db);
		chain.inbox = await Inbox.create(mails);
		chain.smtp = await Smtp.start();
		chain.server = await Server.start({ db: chain.db });
		chain.worker = await Worker.start({ server: chain.server, smtp: chain.smtp, ...worker });
		chain.runner = await Runner.start({ server: chain.server, ...runner });
		if (serve)
			await chain.inbox.serve();
		return chain;
	}

	// Ends all; throws where one does not end well.
	async stop() {
		await this.runner.stop();
		await this.worker.stop();
		await this.server.stop();
		await this.inbox.stop();
		await this.smtp.stop();
	}
}
