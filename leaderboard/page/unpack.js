"use strict";

// Unpacks the compressed parts of the page: the chart library and the runs. packing.go
// describes the form of the runs.

// unpackText returns the text that the script element of that name holds in letters.
async function unpackText(id) {
	if (document.readyState === "loading") { // the element can be further down the page
		await new Promise((done) => document.addEventListener("DOMContentLoaded", done));
	}
	const letters = document.getElementById(id).textContent.trim();
	const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(stream).text();
}

// once returns a function that calls the given one at most once.
function once(f) {
	let result;
	return () => (result ??= f());
}

// chartLibrary resolves when the chart library has run.
const chartLibrary = once(async () => {
	const script = document.createElement("script");
	script.textContent = await unpackText("library");
	document.head.append(script);
});

const packedRuns = once(async () => JSON.parse(await unpackText("runs")));

// unpack returns the data of a run.
async function unpack(id) {
	const {runs, lists} = await packedRuns();
	return unpackValue(runs[id], lists);
}

function unpackValue(packed, lists) {
	if (packed === null || typeof packed !== "object") {
		return packed;
	}
	if (!Array.isArray(packed)) {
		return Object.fromEntries(Object.entries(packed).map(([name, p]) => [name, unpackValue(p, lists)]));
	}
	const [records, ...rest] = packed;
	return records ? unpackColumn("", rest[1], rest[0], lists) : rest.map((p) => unpackValue(p, lists));
}

// unpackColumn returns the n values of a field of that name.
function unpackColumn(name, column, n, lists) {
	if (typeof column === "number") {
		const list = lists[name][column];
		return Array.isArray(list) ? list : list.values.map((v) => v * list.factor / Number(`1e${list.power}`));
	}
	if (Array.isArray(column)) {
		const lengths = unpackColumn(name, column[0], n, lists), elements = unpackColumn(name, column[1], lengths.reduce((sum, length) => sum + length, 0), lists);
		let begin = 0;
		return lengths.map((length) => elements.slice(begin, begin += length));
	}
	const fields = Object.entries(column).map(([field, c]) => [field, c === null ? null : unpackColumn(field, c, n, lists)]);
	return Array.from({length: n}, (_, i) => {
		const record = Object.fromEntries(fields.map(([field, values]) => [field, values?.[i]]));
		for (const [field, values] of fields) {
			if (values === null) {
				record[field] = record.nedge / record.seconds;
			}
		}
		return record;
	});
}
