/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ui.js - html templates, the loading base class and the small parts that every view uses. */
import { h, Component, render } from "/static/vendor/preact/preact.mjs";
import htm from "/static/vendor/htm/htm.mjs";

export { Component, render };
export const html = htm.bind(h);

/* Colour class of a state, by what it means to a reader, not by its name. */
const TONE = {
	good: ["ready", "active", "applied", "answered", "done", "ok", "online", "sent", "approved"],
	bad: ["failed", "refused", "broken", "corrupt", "parked", "rejected", "lost", "conflict", "no_base",
		"panic", "oops", "warn", "lockdep", "rcu_stall", "soft_lockup", "hung_task", "kasan", "kcsan", "oom", "reboot"],
	busy: ["importing", "fetching", "leased", "building", "running", "planned", "analysed", "complete", "sending", "queued", "ready-job"],
	ask: ["held", "ambiguous", "unknown", "incomplete"],
};
export const tone = (state) => Object.keys(TONE).find((key) => TONE[key].includes(state)) || "calm";
export const Badge = ({ state, why }) => html`<span class="badge ${tone(state)}" title=${why || ""}>${state}</span>`;

/* "3 min ago"; the exact time is the title. */
export function Time({ at }) {
	if (!at)
		return html`<span class="dim">-</span>`;
	const seconds = Math.round((Date.now() - Date.parse(at)) / 1000);
	const steps = [[90, 1, "s"], [5400, 60, "min"], [129600, 3600, "h"], [Infinity, 86400, "d"]];
	const [, divisor, unit] = steps.find(([limit]) => Math.abs(seconds) < limit);
	const amount = Math.round(Math.abs(seconds) / divisor);
	return html`<time datetime=${at} title=${at}>${seconds < 0 ? `in ${amount} ${unit}` : `${amount} ${unit} ago`}</time>`;
}

export function Progress({ progress }) {
	if (!progress || !progress.total)
		return progress && progress.text ? html`<span class="dim">${progress.text}</span>` : null;
	const percent = Math.min(100, Math.floor((100 * progress.done) / progress.total));
	return html`<span class="progress" role="progressbar" aria-valuenow=${percent} aria-valuemin="0" aria-valuemax="100"
		aria-label=${progress.text || "progress"}><progress max="100" value=${percent}></progress>
		<span>${progress.done}/${progress.total} ${progress.unit || ""}${progress.text ? ` · ${progress.text}` : ""}</span></span>`;
}

export const count = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
export const Short = ({ id }) => (id ? html`<code title=${id}>${id.slice(0, 12)}</code>` : html`<span class="dim">-</span>`);
export const Failure = ({ error }) => (error ? html`<p class="error" role="alert">${error.message}</p>` : null);

/* head: column titles; "#" before one whose numbers stand to the right. */
export function Table({ head, rows, empty }) {
	if (!rows.length)
		return html`<p class="empty">${empty}</p>`;
	return html`<div class="scroll" tabindex="0" role="group" aria-label=${`table of ${head.join(", ").replaceAll("#", "")}`}><table><thead><tr>${head.map((text) => html`<th scope="col" class=${text[0] === "#" ? "right" : undefined}>${text.replace(/^#/, "")}</th>`)}</tr></thead>
		<tbody>${rows}</tbody></table></div>`;
}

/*
 * A view that shows what load() returned, and loads again when refresh() is called, at most
 * once in 300 ms: bursts of events cost one request.
 */
export class Loader extends Component {
	constructor() {
		super();
		this.state = { data: null, error: null };
	}
	componentDidMount() {
		this.mounted = true;
		this.reload();
	}
	componentWillUnmount() {
		this.mounted = false;
		clearTimeout(this.timer);
		if (this.stop)
			this.stop();
	}
	async reload() {
		try {
			const data = await this.load();
			if (this.mounted)
				this.setState({ data, error: null });
		} catch (error) {
			if (this.mounted)
				this.setState({ error });
		}
	}
	refresh() {
		if (this.timer)
			return;
		this.timer = setTimeout(() => {
			this.timer = null;
			this.reload();
		}, 300);
	}
	render() {
		const { data, error } = this.state;
		if (!data && error)
			return html`<${Failure} error=${error} />`;
		if (!data)
			return html`<p class="dim" aria-busy="true">loading</p>`;
		return html`${error && html`<${Failure} error=${error} />`}${this.view(data)}`;
	}
}

/*
 * A form that sends its named fields; empty ones are left out. props: send(values), fields, button.
 * No field has a value of ours: preact would put it back over what is typed with every event.
 */
export class Form extends Component {
	constructor() {
		super();
		this.state = { error: null, busy: false };
	}
	async submit(event) {
		event.preventDefault();
		const form = event.target;
		const values = {};
		for (const [name, value] of new FormData(form))
			if (String(value).trim())
				values[name] = String(value).trim();
		this.setState({ busy: true, error: null });
		try {
			await this.props.send(values);
			form.reset();
			this.setState({ busy: false });
		} catch (error) {
			this.setState({ busy: false, error });
		}
	}
	render({ fields, button, children }, { busy, error }) {
		return html`<form onSubmit=${(event) => this.submit(event)}>
			${fields.map((f) => html`<label><span>${f.label}</span>
				${f.options
					? html`<select name=${f.name}>${f.options.map((o) => html`<option value=${o.value}>${o.text}</option>`)}</select>`
					: html`<input name=${f.name} required=${!!f.required} placeholder=${f.placeholder || ""} spellcheck=${false}
						autocomplete="off" />`}
				${f.help && html`<small>${f.help}</small>`}</label>`)}
			<button disabled=${busy}>${button}</button>${children}
			<${Failure} error=${error} />
		</form>`;
	}
}
