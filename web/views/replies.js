/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replies.js - what we would say, and the person who lets it go. Approval names the bytes approved. */
import { events, get, post } from "/static/api.js";
import { Badge, Failure, html, Loader, Table, Time } from "/static/lib/ui.js";

export class Replies extends Loader {
	componentDidMount() {
		super.componentDidMount();
		this.stop = events("", (event) => event.entity === "reply" && this.refresh(), () => this.refresh());
	}
	load() {
		const state = this.props.query.get("state");
		return get(`/replies${state ? `?state=${state}` : ""}`);
	}
	view({ replies }) {
		return html`<h1>Replies</h1>
			<nav class="tabs" aria-label="states">${["", "held", "approved", "sent", "unknown", "obsolete"].map((state) => html`<a
				href=${state ? `/replies?state=${state}` : "/replies"}
				aria-current=${state === (this.props.query.get("state") || "") ? "true" : undefined}>${state || "all"}</a>`)}</nav>
			<${Table} head=${["State", "Subject", "To", "Composed", "Sent"]} empty="No reply yet."
				rows=${replies.map((r) => html`<tr key=${r.id}><td><${Badge} state=${r.state} why=${r.why} /></td>
					<td class="wide"><a href="/replies/${r.id}">${r.subject}</a><div class="dim">${r.why}</div></td>
					<td>${r.to.join(", ")}</td><td><${Time} at=${r.created_at} /></td><td><${Time} at=${r.sent_at} /></td></tr>`)} />`;
	}
}

/* What a person may do in each state: button, path, body, whether it needs a second look. */
const ACTS = {
	held: [
		{ text: "Approve and send", path: "approve", body: (r) => ({ sha256: r.sha256 }) },
		{ text: "Reject", path: "reject", body: () => ({ why: "a person rejected it" }), quiet: true },
	],
	unknown: [
		{ text: "It was sent", path: "resolve", body: () => ({ outcome: "sent" }) },
		{ text: "Send again", path: "resolve", body: () => ({ outcome: "again" }), quiet: true },
	],
};

export class ReplyPage extends Loader {
	componentDidMount() {
		super.componentDidMount();
		this.stop = events("", (event) => event.entity === "reply" && this.refresh(), () => this.refresh());
	}
	load() {
		return get(`/replies/${this.props.args[0]}`);
	}
	async act(reply, act) {
		try {
			await post(`/replies/${reply.id}/${act.path}`, act.body(reply));
			this.setState({ failure: null });
		} catch (failure) {
			this.setState({ failure });
		}
		this.refresh();
	}
	view(data) {
		const r = data.reply || data;
		return html`<h1>${r.subject}</h1>
			<p class="facts"><${Badge} state=${r.state} why=${r.why} /> ${r.why} <a href="/series/${r.series_id}">the series</a>
				${r.sent_at && html`sent <${Time} at=${r.sent_at} />`} ${r.approved_by && html`approved by ${r.approved_by}`}</p>
			${r.server_said && html`<p class="dim">The mail server said: ${r.server_said}</p>`}
			<p class="actions">${(ACTS[r.state] || []).map((act) => html`<button class=${act.quiet ? "quiet" : ""}
				onClick=${() => this.act(r, act)}>${act.text}</button>`)}</p>
			<${Failure} error=${this.state.failure} />
			<pre class="mail" tabindex="0" aria-label="the mail">${r.text}</pre>
			<p class="dim">SHA-256 of these bytes: <code>${r.sha256}</code></p>`;
	}
}
