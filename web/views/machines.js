/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machines.js - who runs jobs, what each can do and what it is doing. */
import { events, get } from "/static/api.js";
import { Badge, html, Loader, Progress, Table, Time } from "/static/lib/ui.js";

const NOT_SHOWN = /^(kind|arch):/;

export class Machines extends Loader {
	componentDidMount() {
		super.componentDidMount();
		this.stop = events("", (event) => ["machine", "job"].includes(event.entity) && this.refresh(), () => this.refresh());
	}
	load() {
		return get("/machines");
	}
	view({ machines }) {
		return html`<h1>Machines</h1>
			<${Table} head=${["Machine", "State", "#CPUs", "Jobs it takes", "Can be", "Doing", "Heard of"]}
				empty="No machine has registered: nothing can be built or booted."
				rows=${machines.map((m) => html`<tr key=${m.name}><td>${m.name}<div class="dim">${m.arch}</div></td>
					<td><${Badge} state=${m.state} why=${m.why} />${m.test_only && html` <span class="tag">test only</span>`}</td>
					<td class="num">${m.cpus}</td>
					<td>${m.caps.filter((c) => c.startsWith("kind:")).map((c) => c.slice(5)).join(", ")}</td>
					<td class="wide dim">${m.caps.filter((c) => !NOT_SHOWN.test(c)).join(" ")}</td>
					<td>${m.running.length ? m.running.map((j) => html`<div>${j.kind} <${Progress} progress=${j.progress} /></div>`)
						: html`<span class="dim">idle</span>`}</td>
					<td><${Time} at=${m.seen_at} /></td></tr>`)} />`;
	}
}
