// SPDX-License-Identifier: MIT
// Draws the timeline's tracks in place of their pictures, at any scale. Keys and wheel as in the line of
// help above it.
"use strict";
(() => {
	const source = document.getElementById("timeline-data");
	const table = document.getElementById("timeline-table");
	if (!source || !table)
		return;
	const data = JSON.parse(source.textContent);
	// Of a block: start after the one before, length, name, class, records, how much they have of it in %.
	const FIELDS = 6;
	const HEIGHT = 24, AXIS_HEIGHT = 22, NARROWEST = 100; // ns

	const view = { from: 0, to: Math.max(data.end, 1) };
	const colours = new Map();
	const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	const readColours = () => {
		colours.clear();
		for (const name of data.classes)
			colours.set(name, style(`--${name}`));
	};

	const time = (ns) => {
		const units = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];
		const [unit, size] = units.find(([, least]) => Math.abs(ns) >= least) || units[3];
		return `${Number((ns / size).toPrecision(4))} ${unit}`;
	};

	// Blocks with their starts added up, and for the search in them.
	const tracks = data.tracks.map((track) => {
		const count = track.blocks.length / FIELDS;
		const starts = new Float64Array(count), lengths = new Float64Array(count);
		let at = 0;
		for (let i = 0; i < count; i++) {
			at += track.blocks[i * FIELDS];
			starts[i] = at;
			lengths[i] = track.blocks[i * FIELDS + 1];
		}
		return { label: track.label, blocks: track.blocks, starts, lengths, count, chosen: -1 };
	});
	const field = (track, i, which) => track.blocks[i * FIELDS + which];

	// The first block that does not end before a time. Blocks of a track may overlap a little.
	const firstFrom = (track, from) => {
		let low = 0, high = track.count;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (track.starts[middle] < from)
				low = middle + 1;
			else
				high = middle;
		}
		return Math.max(0, low - 1);
	};

	const describe = (track, i) => {
		const records = field(track, i, 4);
		const name = data.names[field(track, i, 2)];
		const what = records > 1
			? `${records} records with ${field(track, i, 5)} % of the time, the longest ${name}` : name;
		return `${track.label}: ${what}, ${time(track.lengths[i])} from ${time(track.starts[i])}`;
	};

	const sized = (canvas, height) => {
		const ratio = window.devicePixelRatio || 1;
		const width = canvas.clientWidth;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		const context = canvas.getContext("2d");
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		return [context, width];
	};

	const drawTrack = (track) => {
		const [context, width] = sized(track.canvas, HEIGHT);
		const scale = width / (view.to - view.from);
		let drawn = -1;
		context.font = "11px sans-serif";
		context.textBaseline = "middle";
		for (let i = firstFrom(track, view.from); i < track.count && track.starts[i] < view.to; i++) {
			const left = Math.max((track.starts[i] - view.from) * scale, 0);
			const right = Math.min((track.starts[i] + track.lengths[i] - view.from) * scale, width);
			const wide = Math.max(right - left, 1);
			if (right < 0 || left + wide <= drawn)
				continue;
			context.fillStyle = colours.get(data.classes[field(track, i, 3)]);
			const high = Math.max(2, ((HEIGHT - 2) * field(track, i, 5)) / 100);
			context.fillRect(left, HEIGHT - 1 - high, wide > 3 ? wide - 1 : wide, high);
			drawn = left + 1;
			if (i === track.chosen) {
				context.strokeStyle = style("--ink");
				context.lineWidth = 2;
				context.strokeRect(left + 1, 2, Math.max(wide - 2, 1), HEIGHT - 4);
			}
			if (wide > 48 && high > 14 && !data.classes[field(track, i, 3)].startsWith("idle")) {
				context.save();
				context.beginPath();
				context.rect(left + 3, 0, wide - 6, HEIGHT);
				context.clip();
				context.fillStyle = style("--on-block");
				context.fillText(data.names[field(track, i, 2)], left + 4, HEIGHT / 2);
				context.restore();
			}
		}
	};

	const drawAxis = () => {
		const [context, width] = sized(axis, AXIS_HEIGHT);
		const span = view.to - view.from;
		const rough = span / Math.max(width / 110, 1);
		const power = 10 ** Math.floor(Math.log10(rough));
		const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
		context.font = "11px sans-serif";
		context.textBaseline = "middle";
		for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
			const x = ((at - view.from) / span) * width;
			context.fillStyle = style("--line");
			context.fillRect(x, 0, 1, AXIS_HEIGHT);
			context.fillStyle = style("--quiet");
			context.fillText(time(at), x + 4, AXIS_HEIGHT / 2);
		}
	};

	let waiting = false;
	const draw = () => {
		if (waiting)
			return;
		waiting = true;
		requestAnimationFrame(() => {
			waiting = false;
			drawAxis();
			tracks.forEach(drawTrack);
			range.textContent = `${time(view.from)} to ${time(view.to)} of ${time(data.end)}`;
		});
	};

	const show = (from, to) => {
		const most = Math.max(data.end, 1);
		const span = Math.min(Math.max(to - from, Math.min(NARROWEST, most)), most);
		view.from = Math.min(Math.max(from, 0), most - span);
		view.to = view.from + span;
		draw();
	};
	// `at`: the part of the view, from 0 to 1, that stays where it is.
	const zoom = (factor, at = 0.5) => {
		const span = view.to - view.from, middle = view.from + span * at;
		show(middle - span * factor * at, middle + span * factor * (1 - at));
	};
	const pan = (part) => {
		const by = (view.to - view.from) * part;
		show(view.from + by, view.to + by);
	};
	const whole = () => show(0, data.end);

	const choose = (track, i) => {
		if (i < 0 || i >= track.count)
			return;
		for (const other of tracks)
			other.chosen = -1;
		track.chosen = i;
		said.textContent = describe(track, i);
		const end = track.starts[i] + track.lengths[i], span = view.to - view.from;
		if (end < view.from || track.starts[i] > view.to)
			show(track.starts[i] - span / 2, track.starts[i] + span / 2);
		draw();
	};

	const made = (name, properties, ...children) => {
		const element = Object.assign(document.createElement(name), properties);
		element.append(...children);
		return element;
	};
	const button = (text, label, act) => {
		const element = made("button", { type: "button", textContent: text });
		element.setAttribute("aria-label", label);
		element.addEventListener("click", act);
		return element;
	};
	const range = made("output", { className: "timeline-range" });
	const said = made("output", { className: "timeline-said", textContent: "Point at a block, or choose one with [ and ]." });
	const axis = made("canvas", { className: "timeline-axis" });
	axis.setAttribute("role", "img");
	axis.setAttribute("aria-label", "Time");

	const keys = {
		"+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": whole, Home: whole,
		ArrowLeft: () => pan(-0.25), ArrowRight: () => pan(0.25),
	};

	const blockAt = (track, event) => {
		const box = track.canvas.getBoundingClientRect();
		const at = view.from + ((event.clientX - box.left) / box.width) * (view.to - view.from);
		const near = (view.to - view.from) / box.width;
		for (let i = firstFrom(track, at + near); i >= 0 && i > firstFrom(track, at) - 8; i--)
			if (track.starts[i] - near <= at && at <= track.starts[i] + track.lengths[i] + near)
				return i;
		return -1;
	};

	[...table.tBodies[0].rows].forEach((row, place) => {
		const track = tracks[place], cell = row.querySelector(".track");
		track.canvas = made("canvas", { className: "timeline-track", tabIndex: 0 });
		track.canvas.setAttribute("role", "application");
		track.canvas.setAttribute("aria-label", `${track.label}: ${track.count} blocks; [ and ] choose one`);
		cell.replaceChildren(track.canvas);
		track.canvas.addEventListener("keydown", (event) => {
			const act = event.key === "[" ? () => choose(track, track.chosen - 1)
				: event.key === "]" ? () => choose(track, track.chosen < 0 ? firstFrom(track, view.from) : track.chosen + 1)
				: keys[event.key];
			if (!act || event.ctrlKey || event.metaKey || event.altKey)
				return;
			event.preventDefault();
			act();
		});
		// With a key held, as a page that is scrolled would be caught by it.
		track.canvas.addEventListener("wheel", (event) => {
			if (!event.ctrlKey && !event.shiftKey && document.activeElement !== track.canvas)
				return;
			event.preventDefault();
			const box = track.canvas.getBoundingClientRect();
			zoom(event.deltaY < 0 || event.deltaX < 0 ? 0.8 : 1.25, (event.clientX - box.left) / box.width);
		}, { passive: false });
		let from = null;
		track.canvas.addEventListener("pointerdown", (event) => {
			from = { x: event.clientX, view: { ...view }, moved: false };
			track.canvas.setPointerCapture(event.pointerId);
		});
		track.canvas.addEventListener("pointermove", (event) => {
			if (!from) {
				const i = blockAt(track, event);
				if (i >= 0)
					said.textContent = describe(track, i);
				return;
			}
			from.moved ||= Math.abs(event.clientX - from.x) > 3;
			const span = from.view.to - from.view.from;
			const by = ((event.clientX - from.x) / track.canvas.clientWidth) * span;
			if (from.moved)
				show(from.view.from - by, from.view.to - by);
		});
		track.canvas.addEventListener("pointerup", (event) => {
			if (from && !from.moved)
				choose(track, blockAt(track, event));
			from = null;
		});
	});

	table.querySelector(".track-heading").replaceChildren(axis);
	const tools = made("div", { className: "tools timeline-tools" },
		button("+", "Zoom in", () => zoom(0.5)), button("\u2212", "Zoom out", () => zoom(2)),
		button("\u2190", "Earlier", () => pan(-0.25)), button("\u2192", "Later", () => pan(0.25)),
		button("Whole", "The whole trace", whole), range);
	const help = made("p", { className: "remark", textContent:
		"On a track: + and - zoom, the arrows move, 0 shows the whole, [ and ] choose a block. "
		+ "A drag moves; the wheel zooms once a track was clicked, or with Shift." });
	table.parentElement.before(tools, help, said);
	table.classList.add("timeline-drawn");
	readColours();
	new ResizeObserver(draw).observe(table);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
		readColours();
		draw();
	});
	draw();
})();
