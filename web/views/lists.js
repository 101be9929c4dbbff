/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lists.js - watched lists and the trees that series are applied to, with their forms. */
import { events, get, post } from "/static/api.js";
import { Badge, Form, html, Loader, Progress, Short, Table, Time } from "/static/lib/ui.js";

const POLICIES = [
	{ value: "hold", text: "hold: a person approves each reply" },
	{ value: "author", text: "author: mail only the author" },
	{ value: "list", text: "list: answer on the list" },
];

export class Lists extends Loader {
	componentDidMount() {
		super.componentDidMount();
		this.stop = events("", (event) => ["list", "tree", "series", "job"].includes(event.entity) && this.refresh(), () => this.refresh());
	}
	async load() {
		const [lists, trees] = await Promise.all([get("/lists"), get("/trees")]);
		return { lists: lists.lists, trees: trees.trees };
	}
	async subscribe({ name, url, match, tree, reply }) {
		await post("/lists", {
			name,
			url,
			...(match ? { match: match.split(/\s+/) } : {}),
			...(tree ? { tree } : {}),
			...(reply ? { reply } : {}),
		});
		this.refresh();
	}
	view({ lists, trees }) {
		return html`<h1>Lists</h1>
			<${Table} head=${["List", "State", "Watched paths", "Tree", "Replies", "#Mails", "#Series", "Asked"]}
				empty="No list is watched yet."
				rows=${lists.map((l) => html`<tr key=${l.name}><td class="wide"><a href="/series?list=${l.name}">${l.name}</a>
					<div class="dim">${l.url}</div>${l.why && html`<div class="error">${l.why}</div>`}</td>
					<td><${Badge} state=${l.state} /></td><td><code>${l.match.join(" ")}</code></td>
					<td>${l.tree || html`<span class="dim">first</span>`}</td><td>${l.reply}</td>
					<td class="num">${l.mails}</td><td class="num">${l.series}</td><td><${Time} at=${l.polled_at} /></td></tr>`)} />
			<h2>Subscribe a list</h2>
			<${Form} button="Subscribe" send=${(values) => this.subscribe(values)} fields=${[
				{ name: "name", label: "Name", required: true, placeholder: "linux-sched" },
				{ name: "url", label: "Archive", required: true, placeholder: "https://lore.example.org/list or /path/to/epoch.git",
					help: "a public-inbox by HTTP, or an epoch repository on the server" },
				{ name: "match", label: "Watched paths", placeholder: "kernel/sched/ include/linux/sched/",
					help: "a series is ours if one of its patches touches one of these" },
				{ name: "tree", label: "Tree", options: [{ value: "", text: "the first one" }, ...trees.map((t) => ({ value: t.name, text: t.name }))] },
				{ name: "reply", label: "Replies", options: POLICIES },
			]} />
			<h1>Trees</h1>
			<${Table} head=${["Tree", "State", "Version", "Commit", "#Files", "Ready", "Fetched"]} empty="No tree yet: nothing can be applied."
				rows=${trees.map((t) => html`<tr key=${t.name}><td class="wide">${t.name}<div class="dim">${t.source}</div>
						${t.branches.map((b) => html`<div class="dim" key=${b.name}>${b.name} <${Short} id=${b.commit} /></div>`)}</td>
					<td><${Badge} state=${t.state} why=${t.why} />${t.why && (t.state === "failed" || t.failures > 0) && html`<div class="error">${t.why}</div>`}
						<${Progress} progress=${t.state === "importing" ? t.progress : null} /></td>
					<td>${t.label || "-"}</td><td><${Short} id=${t.commit} /></td><td class="num">${t.files || "-"}</td>
					<td><${Time} at=${t.ready_at} /></td><td><${Time} at=${t.fetched_at} /></td></tr>`)} />
			<h2>Add a tree</h2>
			<${Form} button="Add" send=${async (values) => {
				const branches = (values.branches ?? "").split(/\s+/).filter(Boolean);
				await post("/trees", { name: values.name, source: values.source, kind: values.kind,
					...(branches.length > 0 ? { branches } : {}) });
				this.refresh();
			}} fields=${[
				{ name: "name", label: "Name", required: true, placeholder: "debian-6.1" },
				{ name: "source", label: "Path on the server, or URL", required: true, placeholder: "https://git.example.org/linux.git" },
				{ name: "branches", label: "Branches", placeholder: "master", help: "of git; none: the one that its HEAD names" },
				{ name: "kind", label: "Kind", options: [{ value: "git", text: "git" }, { value: "tarball", text: "tarball" }, { value: "dir", text: "folder" }] },
			]} />`;
	}
}
