/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.js - one series version: its stages live, parts, base, plan, builds, boots, verdicts, reply. */
import { events, get } from "/static/api.js";
import { Badge, count, Failure, html, Loader, Progress, Short, Table, Time, tone } from "/static/lib/ui.js";

const STAGE_TEXT = {
	watch: "mail",
	assemble: "series",
	apply: "branch",
	plan: "plan",
	build: "kernels",
	run: "boots",
	analyse: "verdicts",
	reply: "reply",
};

const Stages = ({ stages }) => html`<ol class="stages">${stages.map((s) => html`<li class=${s.state}
	aria-current=${s.state === "active" ? "step" : undefined}><b>${STAGE_TEXT[s.name] || s.name}</b><span>${s.text}</span></li>`)}</ol>`;

const Parts = ({ parts, missing }) => html`<h2>Mails</h2>
	<${Table} head=${["#Part", "Title", "Author", "Files", "Arrived"]} empty="No part has arrived."
		rows=${parts.map((p) => html`<tr key=${p.message_id}><td class="num">${p.n}</td>
			<td class="wide"><a href="/api/v1/blobs/${p.blob}" target="_blank" rel="noreferrer">${p.title}</a>
				<div class="dim">${p.message_id}</div></td>
			<td>${p.author.name}</td><td><code>${(p.files || []).join(" ")}</code></td><td><${Time} at=${p.received_at} /></td></tr>`)} />
	${missing && missing.length ? html`<p class="error">Not here: part ${missing.join(", ")}</p>` : null}`;

function Application({ a }) {
	if (!a)
		return null;
	const detail = a.detail || {};
	const hunks = (detail.patches || []).flatMap((p) => (p.files || []).flatMap((f) => (f.hunks || []).map((k) => ({ n: p.n, path: f.path, ...k }))));
	return html`<h2>Base and branch</h2>
		<p class="facts"><${Badge} state=${a.result} /> ${a.why}</p>
		<dl><dt>base</dt><dd><${Short} id=${a.base_commit} /> ${a.base_how} ${a.tree && html`in ${a.tree}`}</dd>
			${a.before_commit && html`<dt>with</dt><dd><${Short} id=${a.before_commit} /> what it builds on; the base of kernels and numbers</dd>`}
			<dt>branch</dt><dd>${a.branch ? html`<code>${a.branch}</code> <${Short} id=${a.patched_commit} />` : html`<span class="dim">none</span>`}</dd></dl>
		${hunks.length ? html`<details open=${a.result === "conflict"}><summary>${count(hunks.length, "hunk")}</summary>
			<${Table} head=${["#Part", "File", "#Line", "#Offset", "Function", "Result"]} empty="" rows=${hunks.map((k) => html`<tr>
				<td class="num">${k.n}</td><td><code>${k.path}</code></td><td class="num">${k.at || "-"}</td>
				<td class="num">${k.offset ? (k.offset > 0 ? `+${k.offset}` : k.offset) : "0"}</td><td><code>${k.function || ""}</code></td>
				<td>${k.result}${k.error && html`<div class="error">${k.error}</div>`}</td></tr>`)} /></details>` : null}
		${(detail.attempts || []).length ? html`<details><summary>${count(detail.attempts.length, "base")} tried</summary>
			<${Table} head=${["Commit", "Tree", "How", "Result", "Why"]} empty="" rows=${detail.attempts.map((t) => html`<tr>
				<td>${t.how === "prerequisites" ? "" : html`<${Short} id=${t.commit} />`}</td><td>${t.tree || ""}</td><td>${t.how}</td><td>${t.result}</td><td class="wide">${t.why}</td></tr>`)} /></details>` : null}`;
}

const Builds = ({ builds }) => html`<h3>Kernels</h3><${Table} head=${["Side", "State", "Commit", "#Compiles", "#Time", "What happened"]} empty="No build."
	rows=${builds.map((b) => html`<tr key=${b.id}><td>${b.side}</td><td><${Badge} state=${b.state} /></td><td><${Short} id=${b.commit} /></td>
		<td class="num">${b.compiles == null ? "-" : b.compiles}</td><td class="num">${b.wall_ms ? `${Math.round(b.wall_ms / 1000)} s` : "-"}</td>
		<td class="wide"><${Progress} progress=${b.state === "building" ? b.progress : null} />${b.why}
			${(b.errors || []).slice(0, 3).map((e) => html`<div class="error"><code>${e.path}:${e.line}: ${e.text}</code></div>`)}
			${b.log && html`<a href="/api/v1/blobs/${b.log}" target="_blank" rel="noreferrer">log</a>`}</td></tr>`)} />`;

/* The randomised schedule as it was drawn: one row a topology, one square a boot, in order of position. */
function Schedule({ runs, seed }) {
	const topologies = [...new Set(runs.map((r) => r.topology))];
	return html`<h3>Boots</h3><p class="dim">In the order drawn with seed <code>${seed}</code>; two neighbours make a block.${" "}
			<b>B</b> base, <b>P</b> patched.</p>
		<table class="schedule"><tbody>${topologies.map((t) => html`<tr><th scope="row">${t}</th><td>${runs.filter((r) => r.topology === t)
			.sort((x, y) => x.position - y.position).map((r) => html`<a href="/runs/${r.id}" class="boot ${tone(r.state)}"
				title="block ${r.block}, ${r.side}: ${r.state}${r.why ? `: ${r.why}` : ""}"
				aria-label="${t} block ${r.block} ${r.side} ${r.state}">${r.side === "base" ? "B" : "P"}</a>`)}</td></tr>`)}</tbody></table>`;
}

function Plan({ plan }) {
	if (!plan)
		return null;
	const final = plan.runs.filter((r) => !["queued", "running"].includes(r.state)).length;
	const topologies = new Set(plan.runs.map((r) => r.topology)).size;
	const skipped = plan.runs.filter((r) => ["skipped", "cancelled", "lost"].includes(r.state)).length;
	return html`<h2>Experiment</h2>
		<p class="facts">${count(plan.blocks, "block")} on ${topologies === 1 ? "1 topology" : `${topologies} topologies`}: ${final - skipped} of ${plan.runs.length} boots done${skipped ? `, ${skipped} without a result` : ""}${" "}
			<${Progress} progress=${final < plan.runs.length ? { done: final, total: plan.runs.length, unit: "boots" } : null} /></p>
		<details><summary>Why: ${count(plan.cells.length, "cell")}</summary><${Table} head=${["Tier", "Topology", "Load", "Why"]} empty=""
			rows=${plan.cells.map((c) => html`<tr><td>${c.tier}</td><td>${c.topology}</td><td>${c.bench} ${c.load}</td><td class="wide">${c.why}</td></tr>`)} /></details>
		<${Builds} builds=${plan.builds} /><${Schedule} runs=${plan.runs} seed=${plan.seed} />`;
}

const number = (value, digits) => (typeof value === "number" ? value.toFixed(digits) : "-");
const signed = (value) => (typeof value === "number" ? `${value >= 0 ? "+" : ""}${value.toFixed(2)}` : "-");
const MARKS = { W: "worse", B: "better", "=": "no change", "?": "inconclusive", "!": "broken", ".": "shown, not judged" };

function Verdicts({ verdicts }) {
	if (!verdicts.length)
		return null;
	return html`<h2>Verdicts</h2><${Table} head=${["Mark", "Tier", "Topology", "Load", "#Base", "#Change %", "#95 % interval", "Why"]} empty=""
		rows=${verdicts.map((v) => html`<tr key=${v.row_no}><td><span class="mark m${"WB=?!.".indexOf(v.mark)}" title=${MARKS[v.mark]}>${v.mark}</span></td>
			<td>${v.tier}</td><td>${v.topology}</td><td>${v.bench} ${v.load}</td><td class="num">${number(v.detail.base, 3)}</td>
			<td class="num">${signed(v.detail.effect_pct)}</td>
			<td class="num">${v.detail.ci95_pct ? v.detail.ci95_pct.map(signed).join(" .. ") : "-"}</td>
			<td class="wide">${v.why}</td></tr>`)} />`;
}

const Jobs = ({ jobs }) => html`<details><summary>${count(jobs.length, "job")}</summary><${Table} head=${["Job", "State", "#Attempt", "Machine", "Why", "Ended"]} empty=""
	rows=${jobs.map((j) => html`<tr key=${j.id}><td>${j.kind}${j.op ? ` ${j.op}` : ""} <span class="dim">${j.id}</span></td><td><${Badge} state=${j.state} /></td>
		<td class="num">${j.attempt}</td><td>${j.machine || ""}</td><td class="wide">${j.why}
			${j.log && html` <a href="/api/v1/blobs/${j.log}" target="_blank" rel="noreferrer">log</a>`}</td><td><${Time} at=${j.ended_at} /></td></tr>`)} /></details>`;

const Events = ({ list }) => html`<details><summary>Last ${list.length} events</summary><ol class="events">${list.map((e) => html`<li key=${e.id}>
	<${Time} at=${e.at} /> ${e.entity} ${e.entity_id}: ${e.what} <span class="dim">${(e.data && (e.data.why || e.data.text)) || ""}</span></li>`)}</ol></details>`;

export class SeriesPage extends Loader {
	componentDidMount() {
		super.componentDidMount();
		this.stop = events(`?series=${this.props.args[0]}`, () => this.refresh(), () => this.refresh());
	}
	load() {
		return get(`/series/${this.props.args[0]}`);
	}
	view(d) {
		const s = d.series;
		return html`<h1>${s.title} <span class="tag">v${s.version}</span>${s.rfc && html` <span class="tag">RFC</span>`}</h1>
			<p class="facts"><${Badge} state=${s.state} why=${s.why} /> <b>${s.result || s.why}</b></p>
			<p class="facts dim">${`${s.author.name} <${s.author.email}>`} · ${s.list ? html`<a href="/series?list=${s.list}">${s.list}</a>` : "submitted"}${" "}
				· <code>${s.root_message_id}</code> ${s.mail_url && html`<a href=${s.mail_url} rel="noreferrer">archive</a>`}
				${s.deadline_at && !s.final && html` · answered at the latest <${Time} at=${s.deadline_at} />`}</p>
			${d.versions.length > 1 && html`<nav class="tabs" aria-label="versions">${d.versions.map((v) => html`<a href="/series/${v.id}"
				aria-current=${v.id === s.id ? "true" : undefined}>v${v.version} <span class="dim">${v.state}</span></a>`)}</nav>`}
			<${Stages} stages=${d.stages} />
			${d.reply && html`<p class="facts">Reply: <${Badge} state=${d.reply.state} why=${d.reply.why} /> <a href="/replies/${d.reply.id}">${d.reply.subject}</a>${" "}
				· <a href="/series/${s.id}/report.txt" target="_blank">as text</a></p>`}
			<${Verdicts} verdicts=${d.verdicts} /><${Plan} plan=${d.plan} /><${Application} a=${d.application} />
			<${Parts} parts=${d.parts} missing=${d.missing} />
			${d.notes.length ? html`<details><summary>${count(d.notes.length, "note")} on how the mails were read</summary><ul>${d.notes.map((n) => html`<li>
				<code>${n.code}</code> ${n.detail}</li>`)}</ul></details>` : null}
			<${Jobs} jobs=${d.jobs} /><${Events} list=${d.events} />`;
	}
}

/* /r/MSGID: the series that has this mail. */
export class ByMessageId extends Loader {
	async load() {
		const { series_id } = await get(`/r/${encodeURIComponent(decodeURIComponent(this.props.args[0]))}`);
		this.props.go(`/series/${series_id}`);
		return {};
	}
	view() {
		return html`<${Failure} error=${this.state.error} />`;
	}
}
