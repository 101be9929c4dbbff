/* SPDX-License-Identifier: GPL-2.0-or-later */
/* app.js - shell, menu and client-side router. The table of pages is the only place that knows them all. */
import { token } from "/static/api.js";
import { Component, html, render } from "/static/lib/ui.js";
import { SeriesList } from "/static/views/series_list.js";
import { SeriesPage, ByMessageId } from "/static/views/series.js";
import { Lists } from "/static/views/lists.js";
import { Submit } from "/static/views/submit.js";
import { Replies, ReplyPage } from "/static/views/replies.js";
import { RunPage } from "/static/views/run.js";
import { Machines } from "/static/views/machines.js";
import { History } from "/static/views/history.js";
import { Status } from "/static/views/status.js";

const PAGES = [
	{ path: /^\/(?:series)?$/, view: SeriesList, title: "Series", menu: "/series" },
	{ path: /^\/series\/(\d+)$/, view: SeriesPage, title: "Series", under: "/series" },
	{ path: /^\/r\/(.+)$/, view: ByMessageId, title: "Series", under: "/series" },
	{ path: /^\/runs\/(\d+)$/, view: RunPage, title: "Run", under: "/series" },
	{ path: /^\/submit$/, view: Submit, title: "Submit", menu: "/submit" },
	{ path: /^\/(?:lists|trees)$/, view: Lists, title: "Lists", menu: "/lists" },
	{ path: /^\/replies$/, view: Replies, title: "Replies", menu: "/replies" },
	{ path: /^\/replies\/(\d+)$/, view: ReplyPage, title: "Reply", under: "/replies" },
	{ path: /^\/history$/, view: History, title: "History", menu: "/history" },
	{ path: /^\/machines$/, view: Machines, title: "Machines", menu: "/machines" },
	{ path: /^\/status$/, view: Status, title: "Status", menu: "/status" },
];

class Account extends Component {
	constructor() {
		super();
		this.state = { open: false };
	}
	save(event) {
		event.preventDefault();
		token.set(new FormData(event.target).get("token").trim());
		this.setState({ open: false });
	}
	render(_, { open }) {
		if (open)
			return html`<form class="account" onSubmit=${(event) => this.save(event)}>
				<input name="token" type="password" placeholder="wl_..." aria-label="token" autocomplete="off" autofocus />
				<button>Use</button></form>`;
		if (token.get())
			return html`<button class="link" onClick=${() => {
				token.set("");
				this.setState({});
			}}>forget token</button>`;
		return html`<button class="link" onClick=${() => this.setState({ open: true })}>enter token</button>`;
	}
}

class App extends Component {
	constructor() {
		super();
		this.state = { url: location.pathname + location.search };
	}
	componentDidMount() {
		addEventListener("popstate", () => this.setState({ url: location.pathname + location.search }));
		addEventListener("click", (event) => this.follow(event));
	}
	go(url) {
		history.pushState(null, "", url);
		this.setState({ url });
		scrollTo(0, 0);
	}
	/* Links to our own pages do not load the shell again. */
	follow(event) {
		const link = event.target.closest && event.target.closest("a[href]");
		if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey ||
			link.target || link.origin !== location.origin || !PAGES.some((page) => page.path.test(link.pathname)))
			return;
		event.preventDefault();
		this.go(link.pathname + link.search);
	}
	render(_, { url }) {
		const { pathname, searchParams } = new URL(url, location.origin);
		const page = PAGES.find((candidate) => candidate.path.test(pathname));
		document.title = page ? `${page.title} - wakelist` : "wakelist";
		const go = (to) => this.go(to);
		return html`<header><a class="brand" href="/">wakelist</a>
			<nav aria-label="pages">${PAGES.filter((item) => item.menu).map((item) => html`<a href=${item.menu}
				aria-current=${page && (page.menu || page.under) === item.menu ? "page" : undefined}>${item.title}</a>`)}</nav>
			<${Account} /></header>
			<main>${page
				? html`<${page.view} key=${url} args=${pathname.match(page.path).slice(1)} query=${searchParams} go=${go} />`
				: html`<h1>No such page</h1><p><code>${pathname}</code> is not a page of wakelist. <a href="/series">All series</a></p>`}</main>
			<footer>wakelist: the truth about a scheduler patch before it is merged</footer>`;
	}
}

render(html`<${App} />`, document.getElementById("app"));
