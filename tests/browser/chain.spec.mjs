// SPDX-License-Identifier: GPL-2.0-or-later
// A person with a browser: subscribes a list, submits a message-id, follows the series and approves its
// reply. Every page is looked at by axe-core in two sizes and both colour schemes, and kept as a picture
// in build/screenshots.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, test } from 'node:test';
import playwright from 'playwright-core';

import { Chain, Postgres, TOP, chainMails, kernelTree, waitUntil } from '../harness/index.mjs';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const SHOTS = path.join(TOP, 'build/screenshots');
const SIZES = [{ width: 1280, height: 900 }, { width: 390, height: 844 }];
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const skip = fs.existsSync(CHROMIUM) ? false : 'chromium is absent';
const TIMEOUT = 90000;

let pg, chain, browser, page;
const complaints = []; // console errors, exceptions, violations of the content security policy

before(async () => {
	if (skip)
		return;
	pg = await Postgres.start();
	chain = await Chain.start({ pg, mails: chainMails() });
	browser = await playwright.chromium.launch({ executablePath: CHROMIUM,
		args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking',
			'--disable-component-update', '--no-first-run'] });
	const context = await browser.newContext({ viewport: SIZES[0], baseURL: chain.server.url });

	await context.addInitScript(() => addEventListener('securitypolicyviolation',
		event => console.error(`CSP: ${event.violatedDirective} ${event.blockedURI}`)));
	page = await context.newPage();
	page.setDefaultTimeout(TIMEOUT);
	page.on('console', message => message.type() === 'error' && complaints.push(`${page.url()}: ${message.text()}`));
	page.on('pageerror', error => complaints.push(`${page.url()}: ${error.message}`));
	fs.mkdirSync(SHOTS, { recursive: true });
});

after(async () => {
	await browser?.close();
	await chain?.stop();
	await pg?.stop();
});

const field = label => page.getByLabel(label, { exact: true });
const row = text => page.getByRole('row').filter({ hasText: text });
const badge = text => page.locator('main .badge', { hasText: new RegExp(`^${text}$`) });

test('a token is entered once', { skip }, async () => {
	await page.goto('/');
	await page.getByText('Nothing here yet.').waitFor();
	await page.getByRole('button', { name: 'enter token' }).click();
	await page.getByLabel('token').fill(await chain.server.token());
	await page.getByRole('button', { name: 'Use' }).click();
	await page.getByRole('button', { name: 'forget token' }).waitFor();
	assert.doesNotMatch(page.url(), /wl_/);
});

test('a tree and a list by their forms', { skip }, async () => {
	await page.getByRole('link', { name: 'Lists' }).click();
	const form = name => page.locator('form').filter({ has: page.getByRole('button', { name }) });

	await form('Add').getByLabel('Name', { exact: true }).fill('linux');
	await form('Add').getByLabel('Path on the server, or URL').fill(kernelTree());
	await form('Add').getByLabel('Kind').selectOption('dir');
	await form('Add').getByRole('button').click();
	await row('linux').locator('.badge', { hasText: 'ready' }).waitFor();

	// the archive is an absolute path or a URL: anything else is refused in words, and stays in the form
	await form('Subscribe').getByLabel('Name').fill('sched');
	await form('Subscribe').getByLabel('Archive').fill('not a place');
	await form('Subscribe').getByRole('button').click();
	assert.match(await page.getByRole('alert').textContent(), /url/);
	complaints.length = 0; // the browser tells of the 400 that we asked for
	await form('Subscribe').getByLabel('Archive').fill(chain.inbox.path);
	await form('Subscribe').getByLabel('Replies').selectOption('list');
	await form('Subscribe').getByLabel('Replies').selectOption('hold');
	await form('Subscribe').getByRole('button').click();
	await row('sched').locator('.badge', { hasText: 'active' }).waitFor();
	await waitUntil(async () => (await row(chain.inbox.path).locator('.num').first().textContent()) === String(chainMails().length),
		'the mails to be counted', { timeoutMs: TIMEOUT });
});

test('a message-id by its form, and the series that comes of it, live', { skip }, async () => {
	await page.getByRole('link', { name: 'Submit' }).click();
	await field('Message-ID').fill('<other.1@chain.example.org>');
	await page.getByRole('button', { name: 'Submit' }).click();
	await page.waitForURL(/\/series\/\d+$/);
	assert.match(await page.locator('h1').textContent(), /mm: Sort the slabs/);
	assert.deepEqual(await page.locator('.stages li b').allTextContents(),
		['mail', 'series', 'branch', 'plan', 'kernels', 'boots', 'verdicts', 'reply']);
	await badge('answered').first().waitFor(); // without a reload
	assert.equal(await page.locator('.stages li.done').count(), 8);
	assert.match(await page.locator('.facts b').first().textContent(), /^boots 2 of 2; reply held$/);
	assert.equal(await page.locator('.boot').count(), 4);
	assert.equal(await page.locator('.mark').count(), 1);
});

test('the reply is read, approved, and sent once', { skip }, async () => {
	assert.equal(chain.smtp.mails.length, 0);
	await page.getByRole('link', { name: 'Re: [PATCH] mm: Sort the slabs' }).click();
	await badge('held').waitFor();
	const text = await page.locator('pre.mail').textContent();

	assert.match(text, /^In-Reply-To: <other\.1@chain\.example\.org>$/m);
	await page.getByRole('button', { name: 'Approve and send' }).click();
	await badge('sent').waitFor();
	assert.equal(await page.getByRole('button', { name: 'Approve and send' }).count(), 0);
	assert.equal(chain.smtp.mails.length, 1);
	assert.equal(chain.smtp.mails[0].raw.toString().replaceAll('\r\n', '\n'), text);
});

test('every page in every size: no serious violation, nothing over the edge', { skip }, async () => {
	await waitUntil(async () => (await chain.server.get('/series?state=answered')).series.length === 6,
		'all series to be answered', { timeoutMs: TIMEOUT });
	const { series } = await chain.server.get('/series');
	const id = title => series.find(s => s.title.includes(title)).id;
	const { plan, reply } = await chain.server.get(`/series/${id('good CPU')}`);
	const panic = (await chain.server.get(`/series/${id('Panic early')}`)).plan.runs.find(r => r.state === 'broken');
	const { choices: [choice] } = await chain.server.get('/history');
	const pages = {
		'series': '/series', 'submit': '/submit', 'lists': '/lists', 'replies': '/replies', 'machines': '/machines',
		'status': '/status', 'history': '/history', 'reply': `/replies/${reply.id}`, 'series-good': `/series/${id('good CPU')}`,
		'series-conflict': `/series/${id('Meet another')}`, 'series-no-build': `/series/${id('semicolon')}`,
		'series-panic': `/series/${id('Panic early')}`, 'run': `/runs/${plan.runs[0].id}`, 'run-panic': `/runs/${panic.id}`,
		'history-one': `/history?${new URLSearchParams(Object.entries(choice).filter(([k]) =>
			['bench', 'load', 'metric', 'topology', 'machine'].includes(k)))}`,
		'by-message-id': '/r/good.1%40chain.example.org',
	};
	const bad = new Set();

	for (const size of SIZES) {
		await page.setViewportSize(size);
		for (const [name, url] of Object.entries(pages)) {
			await page.goto(url);
			await page.locator('main h1').first().waitFor();
			await page.locator('[aria-busy]').waitFor({ state: 'detached' });
			if (name === 'history-one')
				await page.locator('.chart canvas').waitFor();
			await page.screenshot({ path: path.join(SHOTS, `${name}-${size.width}.png`), fullPage: true });
			const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);

			if (wide > 0)
				bad.add(`${name} at ${size.width}: ${wide} pixels over the edge`);
			for (const colorScheme of ['light', 'dark']) {
				await page.emulateMedia({ colorScheme });
				await page.evaluate(axe);
				const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));

				for (const v of violations.filter(one => ['serious', 'critical'].includes(one.impact)))
					bad.add(`${name} at ${size.width}, ${colorScheme}: ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map(n => n.html).join(' | ')}`);
			}
			await page.emulateMedia({ colorScheme: 'light' });
		}
	}
	assert.deepEqual([...bad], []);
});

test('what is not there is said', { skip }, async () => {
	assert.deepEqual(complaints, []);
	await page.goto('/series/99999');
	assert.match(await page.getByRole('alert').textContent(), /99999/);
	await page.goto('/no/such/page');
	assert.equal(await page.locator('body').textContent().then(text => /no such|not|there is no/i.test(text)), true);
});
