"use strict";

// The opened row of a run: all that its JSON holds. Texts of a run go into the page as
// text only, never as HTML.

// node returns an element with attributes and children (texts or nodes).
function node(name, attributes, ...children) {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes ?? {})) {
		element.setAttribute(key, value);
	}
	element.append(...children.filter((c) => c !== null));
	return element;
}

// facts returns a list of names and values. Unknown values are left out.
function facts(list) {
	const known = list.filter(([, value]) => value !== null && value !== undefined && value !== "");
	return node("dl", {class: "facts"}, ...known.map(([name, value]) => node("div", {}, node("dt", {}, name), node("dd", {}, String(value)))));
}

// tableOf returns a table; the first cell of a row is its heading.
function tableOf(caption, headings, rows) {
	const cells = (row) => row.map((c, i) => (i === 0 ? node("th", {scope: "row"}, String(c)) : node("td", {class: "number"}, String(c))));
	return node("div", {class: "wide", role: "region", tabindex: "0", "aria-label": caption}, node("table", {"aria-label": caption},
		node("thead", {}, node("tr", {}, ...headings.map((h, i) => node("th", {scope: "col", class: i === 0 ? "" : "number"}, h)))),
		node("tbody", {}, ...rows.map((r) => node("tr", {}, ...cells(r))))));
}

// lazily returns details whose content is made when they are opened.
function lazily(title, content) {
	const details = node("details", {}, node("summary", {}, title));
	details.addEventListener("toggle", () => details.append(content()), {once: true});
	return details;
}

// bytes formats a number of bytes.
function bytes(n) {
	return n ? `${fourDigits.format(n / 2 ** 30)} GiB` : "";
}

// shellWords joins arguments as a shell reads them.
function shellWords(args) {
	return args.map((a) => (/^[\w@%+=:,./-]+$/.test(a) ? a : `'${a.replaceAll("'", `'\\''`)}'`)).join(" ");
}

// runFacts returns the facts of machine, program and graph.
function runFacts(run, file) {
	const d = run.device, g = run.graph;
	return [
		node("h4", {}, "Machine"),
		facts([
			["host", run.machine.host], ["hosts", run.nodes > 1 ? run.nodes : ""], ["processes", run.ranks.length > 1 ? run.ranks.length : ""],
			["processor", run.machine.processor], ["logical processors", run.cores], ["memory of a host", bytes(run.machine.memory_bytes)],
			["system", run.machine.os], ["engine", `${run.engine.name}: ${run.engine.hardware}`], ["threads", run.threads],
			["GPU", d?.name], ["GPU memory", bytes(d?.memory_bytes)], ["compute capability", d?.architecture], ["multiprocessors", d?.multiprocessors],
			["clock", d && `${number(d.clock_mhz)} MHz`], ["driver for CUDA", d?.driver], ["copy rate", d?.copy_bandwidth ? `${number(d.copy_bandwidth / 1e9)} GB/s` : ""],
		]),
		node("h4", {}, "Graph and program"),
		facts([
			["source", run.input.source], ["scale", run.input.scale], ["edgefactor", run.input.edgefactor], ["seeds", `${run.input.seed1}, ${run.input.seed2}`],
			["vertices", g.vertices.toLocaleString("en")], ["isolated vertices", `${number(100 * g.isolated_share)} %`], ["input edges", g.tuples.toLocaleString("en")],
			["self loops, duplicates", `${g.self_loops.toLocaleString("en")}, ${g.duplicates.toLocaleString("en")}`], ["largest degree", g.max_degree.toLocaleString("en")],
			["label width", run.engine.label_bits ? `${run.engine.label_bits} bits` : ""],
			["generation", duration(run.graph_generation)], ["construction", duration(run.construction_time)], ["peak memory of all processes", bytes(run.peak_memory_bytes)],
			["commit", run.program.commit], ["version", run.program.version.replace("(devel)", "")], ["compiler", run.program.go_version], ["started", run.started], ["file", file],
		]),
	];
}

// list returns a heading and a list of texts, or nothing if there are none.
function list(title, texts) {
	return texts.length === 0 ? [] : [node("h4", {}, title), node("ul", {}, ...texts.map((t) => node("li", {}, t)))];
}

// boardText returns what is known of a board, as a line.
function boardText(b) {
	const clock = (c) => (c.min_mhz === c.max_mhz ? `${number(c.max_mhz)} MHz` : `${number(c.min_mhz)} to ${number(c.max_mhz)} MHz`);
	return [
		`${b.bus_id}: ${b.samples} readings`,
		b.sm_clock.max_mhz ? `clock ${clock(b.sm_clock)}` : "", b.memory_clock.max_mhz ? `memory ${clock(b.memory_clock)}` : "",
		b.power_limit_watts ? `power limit ${number(b.power_limit_watts)} W` : "", b.ecc === null ? "" : `ECC ${b.ecc ? "on" : "off"}`,
		b.slowed_by.length > 0 ? `slowed by ${b.slowed_by.join(", ")}` : "", b.other_processes ? `${b.other_processes} other processes` : "",
	].filter((t) => t !== "").join(", ");
}

// kernelPart returns the part about the searches of a kernel.
function kernelPart(k, median) {
	const title = k.kernel.toUpperCase(), level = k.kernel === "sssp" ? "round" : "level", search = k.searches[median];
	const times = node("div", {class: "plot strip"}), levels = node("div", {class: "plot profile"});
	const part = node("section", {"aria-label": title},
		node("h3", {}, `${title}: ${number(k.teps.harmonic_mean / 1e9)} GTEPS, strategy ${k.strategy}${k.delta ? `, delta ${k.delta}` : ""}`),
		statistics(k),
		node("p", {}, `Slowest search: ${duration(k.slowest.seconds)} from vertex ${k.slowest.root}; 99th percentile of the times: ${duration(k.slowest.p99_seconds)}.`
			+ (k.elsewhere_share === undefined ? "" : ` Search keys in components smaller than the largest: ${number(100 * k.elsewhere_share)} %.`)),
		...list("Energy of the searches", (k.energy ?? []).map((e) => `${e.measured}: ${number(e.watts)} W, ${number(e.joules_per_search)} J a search, ${number(e.mteps_per_watt)} MTEPS/W`)),
		node("h4", {}, `Times of the ${k.searches.length} searches, with quartiles and median`), times,
		node("h4", {}, `Median search, from vertex ${search.root}: ${duration(search.seconds)}, ${search.level_count} ${level}s`), levels,
		lazily(`The ${level}s of the median search in numbers`, () => levelTable(search, level)),
		lazily("All searches in numbers", () => searchTable(k.searches)));
	strip(times, k);
	if (search.levels.length > 0) {
		profile(levels, search.levels, level);
	} else {
		levels.append(`This strategy records no ${level}s.`);
	}
	return part;
}

function statistics(k) {
	const names = ["min", "first_quartile", "median", "third_quartile", "max"];
	const row = (title, s, format, mean, deviation) => [title, ...names.map((n) => format(s[n])), format(mean), format(deviation)];
	const rate = (x) => number(x / 1e9);
	const rows = [
		row("time", k.time, duration, k.time.mean, k.time.stddev),
		row("GTEPS", k.teps, rate, k.teps.harmonic_mean, k.teps.harmonic_stddev),
		row("edges", k.nedge, number, k.nedge.mean, k.nedge.stddev),
	];
	if (k.validate) {
		rows.push(row("validation", k.validate, duration, k.validate.mean, k.validate.stddev));
	}
	return tableOf("Statistics", ["", "min", "1st quartile", "median", "3rd quartile", "max", "mean (GTEPS: harmonic)", "deviation"], rows);
}

function levelTable(search, level) {
	return tableOf("Levels", [level, "direction", "step", "frontier", "found", "examined", "time"],
		search.levels.map((l, i) => [i, l.direction, l.step, l.frontier.toLocaleString("en"), l.found.toLocaleString("en"), l.examined.toLocaleString("en"), l.seconds > 0 ? duration(l.seconds) : ""]));
}

function searchTable(searches) {
	return tableOf("Searches", ["search", "root", "time", "GTEPS", "edges", "visited", "depth", "validation"],
		searches.map((s, i) => [i + 1, s.root, duration(s.seconds), number(s.teps / 1e9), s.nedge.toLocaleString("en"), s.visited.toLocaleString("en"), s.depth ?? "", s.validate_seconds === null ? "none" : duration(s.validate_seconds)]));
}

// runPart returns all about a run.
async function runPart(id) {
	const [{file, medians, reasons, run}] = await Promise.all([unpack(id), chartLibrary()]);
	return node("div", {class: "inside"},
		node("h4", {}, "Command"), node("pre", {class: "command"}, shellWords(run.command)),
		...list("Not conforming", reasons), ...list("Warnings of the run", run.warnings),
		...run.kernels.map((k) => kernelPart(k, medians[k.kernel])),
		...runFacts(run, file),
		...list("GPU boards during the searches", run.boards.map(boardText)),
		...list("Environment", Object.entries(run.environment).map(([name, value]) => `${name}=${value}`)),
		lazily("Phases of the run", () => tableOf("Phases", ["phase", "time"], run.phases.map((p) => [p.name, duration(p.seconds)]))),
		lazily("The whole run in JSON", () => node("pre", {class: "json"}, JSON.stringify(run, null, 1))));
}
