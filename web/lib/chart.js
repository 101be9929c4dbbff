/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chart.js - lines and points by uPlot, loaded when the first chart is drawn. */

let loading;

function loadPlot() {
	loading ||= new Promise((resolve, reject) => {
		const style = document.createElement("link");
		style.rel = "stylesheet";
		style.href = "/static/vendor/uplot/uPlot.min.css";
		const script = document.createElement("script");
		script.src = "/static/vendor/uplot/uPlot.iife.min.js";
		script.onload = () => resolve(window.uPlot);
		script.onerror = () => reject(new Error("the chart library did not load"));
		document.head.append(style, script);
	});
	return loading;
}

/*
 * points: [{at, mean, sd, side}] in order of time. Base and patched are two series of dots; a
 * click on the plot picks the nearest point.
 */
export async function drawHistory(element, points, label, onPick) {
	const Plot = await loadPlot();
	element.replaceChildren();
	const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	const x = points.map((p) => Date.parse(p.at) / 1000);
	const side = (name) => points.map((p) => ((p.side || "base") === name ? p.mean : null));
	const dots = (name, stroke) => ({
		label: name,
		stroke,
		width: 0,
		paths: () => null,
		points: { show: true, size: 8, fill: stroke },
	});
	const errorBars = (plot) => {
		const { ctx } = plot;
		ctx.save();
		ctx.strokeStyle = colour("--dim");
		for (const [i, p] of points.entries()) {
			if (p.sd == null)
				continue;
			const px = plot.valToPos(x[i], "x", true);
			ctx.beginPath();
			ctx.moveTo(px, plot.valToPos(p.mean - p.sd, "y", true));
			ctx.lineTo(px, plot.valToPos(p.mean + p.sd, "y", true));
			ctx.stroke();
		}
		ctx.restore();
	};
	const ends = points.flatMap((p) => [p.mean - (p.sd || 0), p.mean + (p.sd || 0)]);
	const [low, high] = [Math.min(...ends), Math.max(...ends)];
	const margin = 0.1 * (high - low || high || 1);
	const axis = { stroke: colour("--dim"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } };
	const plot = new Plot({
		width: element.clientWidth,
		height: 320,
		scales: { x: { time: true }, y: { range: [low - margin, high + margin] } },
		series: [{}, dots("base", colour("--dim")), dots("patched", colour("--accent"))],
		axes: [axis, { ...axis, label, size: 70 }],
		hooks: { draw: [errorBars] },
	}, [x, side("base"), side("patched")], element);
	plot.over.addEventListener("click", () => {
		if (plot.cursor.idx != null)
			onPick(points[plot.cursor.idx]);
	});
}
