"use strict";

// Filters, order and ranks of the tables. Without this script the tables are complete.

(() => {
	const form = document.querySelector(".controls");
	const tables = [...document.querySelectorAll(".board > .scroll > table")].map((table) => ({
		table,
		empty: table.parentElement.nextElementSibling,
		headings: [...table.tHead.rows[0].cells],
		rows: [...table.tBodies].map(rowOf),
	}));
	const machines = [...new Set(tables.flatMap((t) => t.rows.map((r) => r.machine)))];
	const rankColumn = 0;

	// A table with more rows is long: it lays out, and offers to screen readers, only
	// the rows near the screen. So its rows say which of how many they are.
	const longTable = 200;
	const order = {column: rankColumn, down: false};

	// rowOf returns what filters and ranks need of a row.
	function rowOf(body, place) {
		const d = body.dataset;
		return {body, place, cells: body.rows[0].cells, keys: [], machine: d.machine, scale: Number(d.scale), conforming: d.conforming, ranked: "ranked" in d, bfs: d.bfs, sssp: d.sssp, shown: true};
	}

	const kernel = () => document.documentElement.dataset.kernel;
	const rate = (row) => Number(row[kernel()] ?? 0);

	// key returns what a row is sorted by in a column.
	function key(row, column) {
		if (column === rankColumn) {
			return -rate(row) || Infinity;
		}
		row.keys[column] ??= cellKey(row.cells[column], tables[0].headings[column].classList.contains("number"));
		const k = row.keys[column];
		return typeof k === "object" ? k[kernel()] : k;
	}

	// cellKey returns the value of a cell: a number, a text, or one for each kernel.
	function cellKey(cell, isNumber) {
		const parts = cell.querySelectorAll("[class^=of-]");
		if (parts.length > 0) {
			return Object.fromEntries([...parts].map((p) => [p.className.slice(3), Number(p.dataset.value ?? NaN)]));
		}
		const text = cell.dataset.value ?? cell.textContent;
		return isNumber ? (text === "" ? NaN : Number(text.replaceAll(",", ""))) : text;
	}

	const texts = new Intl.Collator("en", {numeric: true});

	// compare compares rows for the current order. Unknown values come last.
	function compare(a, b) {
		const x = key(a, order.column), y = key(b, order.column);
		const xMissing = x === "" || Number.isNaN(x), yMissing = y === "" || Number.isNaN(y);
		if (xMissing || yMissing) {
			return xMissing - yMissing || a.place - b.place;
		}
		const c = typeof x === "number" ? (x < y ? -1 : x > y ? 1 : 0) : texts.compare(x, y);
		return (order.down ? -c : c) || a.place - b.place;
	}

	// sort puts the rows into the current order.
	function sort() {
		for (const t of tables) {
			t.rows.sort((a, b) => (order.column === rankColumn && b.ranked - a.ranked) || compare(a, b));
			t.table.append(...t.rows.map((r) => r.body));
			count(t);
			t.headings.forEach((h, i) => {
				if (i === order.column) {
					h.setAttribute("aria-sort", order.down ? "descending" : "ascending");
				} else {
					h.removeAttribute("aria-sort");
				}
			});
		}
		form.sort.value = order.column;
	}

	// count tells screen readers the places of the shown rows of a long table.
	function count(t) {
		if (t.rows.length <= longTable) {
			return;
		}
		const shown = t.rows.filter((r) => r.shown);
		t.table.setAttribute("aria-rowcount", shown.length + 1); // with that of the headings
		shown.forEach((r, i) => r.body.rows[0].setAttribute("aria-rowindex", i + 2));
	}

	// filter shows the rows that the form asks for, and ranks them.
	function filter() {
		const {scale, machine, conforming, runs} = form;
		let shown = 0, all = 0;
		for (const t of tables) {
			for (const r of t.rows) {
				r.shown = r[kernel()] !== undefined && (!scale.value || r.scale === Number(scale.value)) &&
					(!machine.value || r.machine === machine.value) && (!conforming.value || r.conforming === conforming.value);
			}
			if (runs.value !== "") {
				keepBest(t.rows, runs.value === "scale" ? (r) => `${r.scale} ${r.machine}` : (r) => r.machine);
			}
			rank(t.rows);
			for (const r of t.rows) {
				r.body.hidden = !r.shown;
			}
			const n = t.rows.filter((r) => r.shown).length;
			t.empty.hidden = n > 0;
			t.table.parentElement.hidden = n === 0;
			shown += n;
			all += t.rows.length;
		}
		form.querySelector(".status").textContent = `${shown} of ${all} runs shown, ranked by ${kernel().toUpperCase()}.`;
	}

	// keepBest hides all but the fastest shown run of those with the same name.
	function keepBest(rows, name) {
		const best = new Map();
		for (const r of rows.filter((r) => r.shown)) {
			if (!best.has(name(r)) || rate(r) > rate(best.get(name(r)))) {
				best.set(name(r), r);
			}
		}
		for (const r of rows) {
			r.shown &&= best.get(name(r)) === r;
		}
	}

	// rank numbers the shown rows that have a rank. Equal rates share one.
	function rank(rows) {
		const ranked = rows.filter((r) => r.shown && r.ranked && rate(r) > 0).sort((a, b) => rate(b) - rate(a));
		ranked.forEach((r, i) => {
			r.rank = i > 0 && rate(ranked[i - 1]) === rate(r) ? ranked[i - 1].rank : i + 1;
			r.cells[rankColumn].querySelector(`.of-${kernel()}`).textContent = r.rank;
		});
	}

	// drawScales draws the chart of the shown runs of the first table.
	async function drawScales() {
		await chartLibrary();
		const element = document.getElementById("scales");
		const points = (tables[0]?.rows ?? []).filter((r) => r.shown && r.ranked && rate(r) > 0).map((r) => ({
			machine: r.machine, scale: r.scale, gteps: rate(r), label: `${r.machine}\nscale ${r.scale}: ${number(rate(r))} GTEPS`,
		}));
		element.closest("section").hidden = points.length === 0;
		if (points.length > 0 && element.clientWidth > 0) {
			scaleChart(element, points, machines, kernel().toUpperCase());
		}
	}

	// choose carries out what the form says.
	function choose() {
		document.documentElement.dataset.kernel = new FormData(form).get("kernel");
		filter();
		sort();
		drawScales();
	}

	// sortBy sorts by a column: numbers the largest first, ranks and texts the smallest;
	// again the other way round.
	function sortBy(column) {
		const largestFirst = column !== rankColumn && tables[0].headings[column].classList.contains("number");
		order.down = order.column === column ? !order.down : largestFirst;
		order.column = column;
		sort();
	}

	// toggle opens or closes a row.
	async function toggle(row) {
		const button = row.body.querySelector("button.name"), id = row.body.id.replace("row-", "");
		const opened = button.getAttribute("aria-expanded") !== "true";
		if (opened && row.body.rows.length === 1) {
			const detail = node("tr", {class: "detail", id: `detail-${id}`}, node("td", {colspan: row.cells.length}, "…"));
			row.body.append(detail);
			button.setAttribute("aria-controls", detail.id);
			detail.cells[0].replaceChildren(await runPart(id));
		}
		row.body.rows[1].hidden = !opened;
		row.body.classList.toggle("opened", opened);
		button.setAttribute("aria-expanded", opened);
	}

	// makeButton puts the content of an element into a button.
	function makeButton(element, className, act) {
		const button = node("button", {type: "button", class: className}, ...element.childNodes);
		button.addEventListener("click", act);
		element.replaceWith(button);
		return button;
	}

	for (const t of tables) {
		t.table.classList.toggle("long", t.rows.length > longTable);
		t.headings.forEach((h, i) => {
			makeButton(h.firstElementChild, "", () => sortBy(i)).title = h.title;
			h.removeAttribute("title"); // the button describes itself to screen readers
		});
		for (const r of t.rows) {
			makeButton(r.body.querySelector(".name"), "name", () => toggle(r)).setAttribute("aria-expanded", "false");
		}
	}
	form.addEventListener("change", (e) => (e.target === form.sort ? sortBy(Number(form.sort.value)) : choose()));
	form.addEventListener("reset", () => setTimeout(() => {
		Object.assign(order, {column: rankColumn, down: false});
		choose();
	}));
	form.hidden = false;
	document.querySelector(".chart").hidden = false;
	choose();
	let width = innerWidth;
	addEventListener("resize", () => {
		if (innerWidth !== width) {
			width = innerWidth;
			drawScales();
		}
	});
})();
