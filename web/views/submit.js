/* SPDX-License-Identifier: GPL-2.0-or-later */
/* submit.js - one series by message-id, and what becomes of it until its page exists. */
import { events, get, post } from "/static/api.js";
import { Badge, Form, html, Loader } from "/static/lib/ui.js";

export class Submit extends Loader {
	componentDidMount() {
		super.componentDidMount();
		this.stop = events("", (event) => event.entity === "submission" && this.follow(event), () => this.follow({}));
	}
	async load() {
		const [lists, trees] = await Promise.all([get("/lists"), get("/trees")]);
		return { lists: lists.lists, trees: trees.trees };
	}
	async send(values) {
		if (/^\d+$/.test(values.version)) // what is no number the server refuses
			values.version = Number(values.version);
		const { id } = await post("/submissions", values);
		this.setState({ submission: { id, message_id: values.message_id, state: "fetching", why: "" } });
		await this.follow({ entity_id: id });
	}
	/* Asks for the submission; goes to the series as soon as there is one. */
	async follow({ entity_id }) {
		const { submission } = this.state;
		if (!submission || (entity_id && String(entity_id) !== submission.id))
			return;
		const now = await get(`/submissions/${submission.id}`);
		if (now.series_id)
			this.props.go(`/series/${now.series_id}`);
		else if (this.mounted)
			this.setState({ submission: now });
	}
	view({ lists, trees }) {
		const { submission } = this.state;
		return html`<h1>Submit a series</h1>
			<p>A message-id of any mail of the thread, bare, in angle brackets or as a lore URL. The thread is fetched,
				assembled, applied, built and booted; nothing is mailed before a person approves.</p>
			<${Form} button="Submit" send=${(values) => this.send(values)} fields=${[
				{ name: "message_id", label: "Message-ID", required: true, placeholder: "20260301.1234-1-ada@example.org" },
				{ name: "version", label: "Version", placeholder: "the newest", help: "a number: that version is judged, newer ones do not end it" },
				{ name: "list", label: "List", options: [{ value: "", text: "every subscribed list" },
					...lists.map((l) => ({ value: l.name, text: l.name }))] },
				{ name: "tree", label: "Tree", options: [{ value: "", text: "the list's" }, ...trees.map((t) => ({ value: t.name, text: t.name }))] },
				{ name: "base", label: "Base", placeholder: "found by itself", help: "a commit; only this one is tried then" },
			]} />
			${submission && html`<p role="status"><${Badge} state=${submission.state} /> <code>${submission.message_id}</code>
				${submission.why && html`<span class=${submission.state === "failed" ? "error" : "dim"}>${submission.why}</span>`}</p>`}`;
	}
}
