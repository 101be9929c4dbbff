/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.js - one metric of one load on one topology of one machine, over time; each point leads to its boot. */
import { get } from "/static/api.js";
import { html, Loader, Short, Table, Time } from "/static/lib/ui.js";
import { drawHistory } from "/static/lib/chart.js";

const FIELDS = ["bench", "load", "metric", "topology", "machine"];

export class History extends Loader {
	load() {
		const query = new URLSearchParams();
		for (const name of FIELDS)
			if (this.props.query.get(name))
				query.set(name, this.props.query.get(name));
		return get(`/history?${query}`);
	}
	componentDidUpdate() {
		const { data } = this.state;
		if (data && data.points && data.points.length && this.canvas)
			drawHistory(this.canvas, data.points, this.unit(data), (point) => this.props.go(`/runs/${point.run_id}`));
	}
	unit(data) {
		const choice = (data.choices || []).find((c) => FIELDS.every((name) => !this.props.query.get(name) || c[name] === this.props.query.get(name)));
		return choice ? `${choice.metric} in ${choice.unit}, ${choice.better} is better` : this.props.query.get("metric") || "";
	}
	view(data) {
		const points = data.points || [];
		const title = FIELDS.map((name) => this.props.query.get(name)).filter(Boolean).join(" · ");
		return html`<h1>History</h1>
			${title && html`<p class="facts"><b>${title}</b> <a href="/history">all</a></p>`}
			${points.length ? html`<p class="dim">Boot means; bars are one standard deviation between the runs of the boot. Emulated times are shown, not judged.</p>
				<div class="chart" ref=${(element) => (this.canvas = element)}></div>
				<${Table} head=${["Boot", "Side", "Commit", "Series", "#Mean", "#sd", "#Runs", "When"]} empty="" rows=${points.slice().reverse().map((p) => html`<tr key=${p.run_id}>
					<td><a href="/runs/${p.run_id}">${p.run_id}</a></td><td>${p.side || "-"}</td><td><${Short} id=${p.commit} /></td>
					<td class="wide">${p.series_id ? html`<a href="/series/${p.series_id}">${p.title}</a>` : "-"}</td>
					<td class="num">${p.mean.toFixed(4)}</td><td class="num">${p.sd == null ? "-" : p.sd.toFixed(4)}</td><td class="num">${p.n}</td>
					<td><${Time} at=${p.at} /></td></tr>`)} />` : null}
			${!points.length || !title ? html`<${Table} head=${["Benchmark", "Load", "Metric", "Topology", "Machine", "#Boots"]} empty="No boot has given numbers yet."
				rows=${(data.choices || []).map((c) => html`<tr><td>${c.bench}</td>
					<td><a href="/history?${new URLSearchParams(FIELDS.map((name) => [name, c[name]]))}">${c.load}</a></td>
					<td>${c.metric} <span class="dim">${c.unit}, ${c.better} is better</span></td><td>${c.topology}</td><td>${c.machine}</td><td class="num">${c.points}</td></tr>`)} />` : null}`;
	}
}
