/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series_list.js - every series, newest first, with what it came to. */
import { events, get } from "/static/api.js";
import { Badge, html, Loader, Progress, Table, Time } from "/static/lib/ui.js";

/* What people look for, and the states behind it. */
const FILTERS = [
	["", "all"],
	["running", "running"],
	["answered", "answered"],
	["incomplete", "incomplete"],
	["superseded", "superseded"],
	["not_ours", "not ours"],
	["failed", "failed"],
];

export class SeriesList extends Loader {
	componentDidMount() {
		super.componentDidMount();
		this.stop = events("", (event) => (event.entity === "series" || event.entity === "job") && this.refresh(), () => this.refresh());
	}
	load() {
		const query = new URLSearchParams();
		for (const name of ["state", "list", "q", "before"])
			if (this.props.query.get(name))
				query.set(name, this.props.query.get(name));
		return get(`/series?${query}`);
	}
	search(event) {
		event.preventDefault();
		const query = new URLSearchParams(this.props.query);
		query.set("q", new FormData(event.target).get("q"));
		query.delete("before");
		this.props.go(`/series?${query}`);
	}
	view({ series, next, counts }) {
		const state = this.props.query.get("state") || "";
		const older = new URLSearchParams(this.props.query);
		older.set("before", next);
		return html`<h1>Series</h1>
			<div class="bar"><nav class="tabs" aria-label="states">${FILTERS.map(([value, text]) => html`<a
				href=${value ? `/series?state=${value}` : "/series"} aria-current=${value === state ? "true" : undefined}>${text}${value
				&& counts && counts[value] ? html` <b>${counts[value]}</b>` : ""}</a>`)}</nav>
			<form class="search" role="search" onSubmit=${(event) => this.search(event)}><input name="q" type="search"
				placeholder="title, author or message-id" aria-label="search" defaultValue=${this.props.query.get("q") || ""} /></form></div>
			<${Table} head=${["State", "Series", "Author", "#Parts", "List", "Changed"]}
				empty=${html`Nothing here yet. <a href="/lists">Subscribe a list</a> or <a href="/submit">submit a message-id</a>.`}
				rows=${series.map((s) => html`<tr key=${s.id}>
					<td><${Badge} state=${s.state} why=${s.why} /></td>
					<td class="wide"><a href="/series/${s.id}">${s.title}</a> <span class="tag">v${s.version}</span>${s.rfc
						&& html` <span class="tag">RFC</span>`}
						<div class="dim">${s.result || s.why}</div><${Progress} progress=${s.final ? null : s.progress} /></td>
					<td>${s.author.name}</td>
					<td class="num">${s.received}${s.total ? `/${s.total}` : ""}</td>
					<td>${s.list || html`<span class="dim">-</span>`}</td>
					<td><${Time} at=${s.changed_at} /></td></tr>`)} />
			${next && html`<p><a href="/series?${older}">older</a></p>`}`;
	}
}
