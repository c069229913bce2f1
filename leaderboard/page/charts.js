"use strict";

// Charts of the page, drawn by Observable Plot in the colours of page.css. They have no
// colours of their own, so that they follow dark mode and print.

const seriesColours = 7; // --series-0 ... in page.css
const seriesSymbols = ["circle", "square", "triangle", "diamond", "star"];

// seriesOf returns colour and symbol of series i.
function seriesOf(i) {
	return {colour: `var(--series-${i % seriesColours})`, symbol: seriesSymbols[i % seriesSymbols.length]};
}

const fourDigits = new Intl.NumberFormat("en", {maximumSignificantDigits: 4});

// number formats x with four digits.
function number(x) {
	return Math.abs(x) < 1e6 ? fourDigits.format(x) : fourDigits.format(x / 1e6) + " million";
}

// timeUnit returns the unit for times up to the given one.
function timeUnit(largest) {
	return largest >= 1 ? {name: "s", size: 1} : largest >= 1e-3 ? {name: "ms", size: 1e-3} : {name: "µs", size: 1e-6};
}

// duration formats a time with its unit.
function duration(seconds) {
	const unit = timeUnit(seconds);
	return `${fourDigits.format(seconds / unit.size)} ${unit.name}`;
}

// draw puts a chart into an element and draws it again when the width changes.
function draw(element, options) {
	let width = 0;
	new ResizeObserver(() => {
		const now = Math.floor(element.clientWidth);
		if (now > 0 && now !== width) {
			width = now;
			element.replaceChildren(Plot.plot({width, style: {color: "var(--ink)"}, ...options(width)}));
		}
	}).observe(element);
}

// scaleChart draws rates over scales: points {machine, scale, gteps, label}. machines
// lists all machines of the page, so that each keeps its colour.
function scaleChart(element, points, machines, kernel) {
	const rates = points.map((p) => p.gteps);
	const logarithmic = Math.max(...rates) / Math.min(...rates) >= 20;
	const fastest = [...d3.rollup(points, (p) => d3.greatest(p, (q) => q.gteps), (p) => p.machine, (p) => p.scale).values()]
		.flatMap((byScale) => [...byScale.values()]);
	const [first, last] = d3.extent(points, (p) => p.scale);
	const series = (p) => seriesOf(machines.indexOf(p.machine));
	const colours = {stroke: (p) => series(p).colour};
	const plot = Plot.plot({
		width: element.clientWidth,
		height: Math.min(420, Math.max(280, element.clientWidth * 0.45)),
		marginLeft: 56,
		marginTop: 30,
		marginBottom: 40,
		grid: true,
		style: {color: "var(--ink)"},
		ariaLabel: `${kernel}: GTEPS over scale by machine`,
		ariaDescription: "The tables below hold the same numbers.",
		x: {label: "scale", ticks: d3.range(first, last + 1, Math.ceil((last - first + 1) * 24 / element.clientWidth)), tickFormat: "d", inset: 12},
		y: {label: `${kernel} GTEPS, harmonic mean${logarithmic ? ", logarithmic" : ""}`, type: logarithmic ? "log" : "linear", zero: !logarithmic, tickFormat: number, ticks: logarithmic ? 6 : undefined, nice: true},
		color: {type: "identity"},
		symbol: {type: "identity"},
		marks: [
			Plot.line(fastest, {x: "scale", y: "gteps", z: "machine", ...colours, strokeWidth: 2, sort: "scale"}),
			Plot.dot(points, {x: "scale", y: "gteps", symbol: (p) => series(p).symbol, fill: (p) => series(p).colour, r: 4, stroke: "var(--paper)", strokeWidth: 1}),
			Plot.tip(points, Plot.pointer({x: "scale", y: "gteps", title: "label", fill: "var(--panel)", stroke: "var(--line)"})),
		],
	});
	element.replaceChildren(legend([...new Set(points.map((p) => p.machine))].map((m) => ({name: m, ...seriesOf(machines.indexOf(m))}))), plot);
}

// legend lists names with their marks.
function legend(items) {
	const list = document.createElement("ul");
	list.className = "legend";
	for (const {name, colour, symbol} of items) {
		const item = document.createElement("li");
		const mark = Plot.plot({
			width: 16, height: 16, margin: 0, axis: null, x: {domain: [0, 1]}, y: {domain: [0, 1]}, symbol: {type: "identity"}, color: {type: "identity"},
			marks: [Plot.dot([0], {x: 0.5, y: 0.5, r: 5, symbol: [symbol], fill: [colour]})],
		});
		mark.setAttribute("aria-hidden", "true");
		item.append(mark, name);
		list.append(item);
	}
	return list;
}

// strip draws the times of all searches of a kernel as marks on one axis, with quartiles.
function strip(element, k) {
	const searches = k.searches;
	const unit = timeUnit(d3.max(searches, (s) => s.seconds));
	const times = searches.map((s, i) => ({x: s.seconds / unit.size, label: `search ${i + 1} from ${s.root}: ${duration(s.seconds)}, ${number(s.teps / 1e9)} GTEPS`}));
	const quartiles = [k.time.first_quartile, k.time.median, k.time.third_quartile].map((t) => t / unit.size);
	draw(element, () => ({
		height: 92, marginLeft: 12, marginRight: 24, marginTop: 10, marginBottom: 36,
		ariaLabel: `Times of the ${searches.length} searches of ${k.kernel.toUpperCase()}`,
		x: {label: `time of a search, ${unit.name}`, inset: 8, nice: true, tickFormat: number},
		marks: [
			Plot.rect([quartiles], {x1: (q) => q[0], x2: (q) => q[2], fill: "var(--accent)", fillOpacity: 0.18}),
			Plot.ruleX(times, {x: "x", stroke: "var(--series-0)", strokeOpacity: 0.65, strokeWidth: 1.5, insetTop: 8}),
			Plot.ruleX([quartiles[1]], {stroke: "var(--series-1)", strokeWidth: 3}),
			Plot.tip(times, Plot.pointerX({x: "x", title: "label", fill: "var(--panel)", stroke: "var(--line)"})),
		],
	}));
}

// profile draws the levels of a search: vertices of the frontier and found, and the
// time where it is known.
function profile(element, levels, level) {
	const timed = levels.some((l) => l.seconds > 0);
	const unit = timeUnit(d3.max(levels, (l) => l.seconds));
	const rows = levels.map((l, i) => ({
		level: i, time: l.seconds / unit.size, frontier: l.frontier,
		step: [l.direction, l.step].filter(Boolean).join(", ") || level,
		label: `${level} ${i}${l.step || l.direction ? `: ${[l.direction, l.step].filter(Boolean).join(", ")}` : ""}\nfrontier ${number(l.frontier)}, found ${number(l.found)}\n${l.seconds > 0 ? duration(l.seconds) : ""}`,
	}));
	const steps = [...new Set(rows.map((r) => r.step))];
	const value = timed ? "time" : "frontier";
	draw(element, (width) => ({
		height: 220, marginLeft: 56, marginBottom: 40,
		ariaLabel: `${timed ? "Time" : "Frontier"} of each ${level} of the median search`,
		x: {label: level, type: "band", ticks: rows.filter((r) => r.level % Math.ceil(rows.length * 28 / width) === 0).map((r) => r.level)},
		y: {label: timed ? `time, ${unit.name}` : "vertices of the frontier", grid: true, tickFormat: number},
		color: {type: "identity"},
		marks: [
			Plot.barY(rows, {x: "level", y: value, fill: (r) => seriesOf(steps.indexOf(r.step)).colour}),
			Plot.ruleY([0]),
			Plot.tip(rows, Plot.pointerX({x: "level", y: value, title: "label", fill: "var(--panel)", stroke: "var(--line)"})),
		],
	}));
	if (steps.length > 1) {
		element.before(legend(steps.map((s, i) => ({name: s, colour: seriesOf(i).colour, symbol: "square"}))));
	}
}
