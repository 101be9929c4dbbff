/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.js - one boot: what ran where, its numbers, what the log says, and the log itself, growing. */
import { blobText, events, get, jobLog } from "/static/api.js";
import { Badge, html, Loader, Short, Table, Time } from "/static/lib/ui.js";

export class RunPage extends Loader {
	componentDidMount() {
		super.componentDidMount();
		this.stop = events("", (event) => ["run", "job"].includes(event.entity) && this.refresh(), () => this.refresh());
	}
	async load() {
		const data = await get(`/runs/${this.props.args[0]}`);
		let log = "";
		if (data.run.serial)
			log = await blobText(data.run.serial);
		else if (data.run.job_id)
			log = await jobLog(data.run.job_id, 0);
		return { ...data, log };
	}
	view({ run, samples, events: found, plans, log }) {
		const loads = new Map();
		for (const s of samples) {
			const key = `${s.bench} ${s.load} ${s.metric}`;
			loads.set(key, [...(loads.get(key) || []), s]);
		}
		return html`<h1>Boot on ${run.topology}, block ${run.block}</h1>
			<p class="facts"><${Badge} state=${run.state} why=${run.why} /> <b>${run.why}</b></p>
			<p class="dim">Times under emulation show that the load ran; they are not evidence of speed.</p>
			<dl><dt>kernel</dt><dd>${run.build ? html`<${Short} id=${run.build.commit} /> ${run.build.release || ""} ${run.build.arch} ${run.build.config}` : "-"}</dd>
				<dt>machine</dt><dd>${run.machine || "-"}</dd>
				<dt>emulator</dt><dd>${run.qemu || "-"} ${run.accel || ""} <span class="dim">${run.accel_why || ""}</span></dd>
				<dt>sandbox</dt><dd>${run.sandbox || "-"}</dd>
				<dt>started</dt><dd><${Time} at=${run.started_at} /> ${run.wall_ms ? html`took ${(run.wall_ms / 1000).toFixed(1)} s` : ""}</dd>
				<dt>used by</dt><dd>${plans.map((p) => html`<div><a href="/series/${p.series_id}">${p.title}</a> v${p.version} as ${p.side}, position ${p.position}</div>`)}</dd></dl>
			<h2>Numbers</h2>
			<${Table} head=${["Load", "Metric", "Unit", "Values, in order"]} empty=${["queued", "running"].includes(run.state) ? "Not yet." : "This boot gave no numbers."}
				rows=${[...loads].map(([key, list]) => html`<tr key=${key}><td>${list[0].bench} ${list[0].load}</td><td>${list[0].metric}</td><td>${list[0].unit}</td>
					<td class="num wide">${list.sort((a, b) => a.n - b.n).map((s) => s.value).join("  ")}
						<a class="dim" href="/history?bench=${list[0].bench}&load=${encodeURIComponent(list[0].load)}&metric=${list[0].metric}&topology=${run.topology}">history</a></td></tr>`)} />
			<h2>What the log says</h2>
			<${Table} head=${["Kind", "#Line", "Text", "Function"]} empty=${["queued", "running"].includes(run.state) ? "Not yet." : run.state === "ok" ? "No panic, no warning, no stall." : "Nothing that the log check knows."}
				rows=${found.map((e) => html`<tr><td><${Badge} state=${e.kind} /></td><td class="num">${e.line}</td><td class="wide"><code>${e.text}</code></td>
					<td><code>${e.function || ""}</code></td></tr>`)} />
			<h2>Serial log ${run.serial && html`<a class="small" href="/api/v1/blobs/${run.serial}" target="_blank" rel="noreferrer">whole</a>`}
				${run.raw && html` <a class="small" href="/api/v1/blobs/${run.raw}" target="_blank" rel="noreferrer">results as they came</a>`}</h2>
			<pre class="log" tabindex="0" aria-label="serial log">${log || "nothing yet"}</pre>
			${(run.argv || []).length ? html`<details><summary>Repeat it</summary><pre>${run.argv.map((a) => (/[^\w@%+=:,./-]/.test(a) ? `'${a}'` : a)).join(" ")}</pre></details>` : null}`;
	}
}
