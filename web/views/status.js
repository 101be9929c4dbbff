/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status.js - the queue, the loop and the settings, as they are now. */
import { events, get } from "/static/api.js";
import { count, html, Loader, Table } from "/static/lib/ui.js";

export class Status extends Loader {
	componentDidMount() {
		super.componentDidMount();
		this.stop = events("", (event) => event.entity === "job" && this.refresh(), () => this.refresh());
	}
	load() {
		return get("/status");
	}
	view(s) {
		return html`<h1>Status</h1>
			<p class="facts">wakelist ${s.version} · ${count(s.machines.online, "machine")} online, ${s.machines.offline} offline · event loop
				late ${s.lag.late} times, at most ${Math.round(s.lag.max_ms)} ms${s.test_database
				&& html` · <span class="tag">test database</span>`}</p>
			<h2>Queue</h2>
			<${Table} head=${["Pool", "Kind", "State", "#Jobs"]} empty="No job yet."
				rows=${s.queue.map((q) => html`<tr><td>${q.pool}</td><td>${q.kind}</td><td>${q.state}</td><td class="num">${q.n}</td></tr>`)} />
			<h2>Settings</h2>
			<${Table} head=${["Name", "Value", "What it does"]} empty="No settings."
				rows=${s.settings.map((v) => html`<tr><td><code>${v.name}</code></td><td><code>${v.value}</code></td><td class="wide">${v.help}</td></tr>`)} />`;
	}
}
