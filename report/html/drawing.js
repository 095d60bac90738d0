// SPDX-License-Identifier: MIT
// Draws a timeline: tracks, axis, and over them what is selected. At any scale a track costs as much as
// it has pixels.
"use strict";
const traceDrawing = (() => {
	const HEIGHT = 24, AXIS_HEIGHT = 22; // pixels

	const UNITS = [["s", 9], ["ms", 6], ["us", 3], ["ns", 0]];
	const unitOf = (ns) => UNITS.find(([, digits]) => Math.abs(ns) >= 10 ** digits) || UNITS[3];
	const about = (ns) => {
		const [unit, digits] = unitOf(ns);
		return `${Number((ns / 10 ** digits).toPrecision(4))} ${unit}`;
	};
	// To the nanosecond, as exports have it.
	const exact = (ns) => {
		const [unit, digits] = unitOf(ns);
		const whole = Math.floor(ns / 10 ** digits);
		const rest = String(ns - whole * 10 ** digits).padStart(digits, "0");
		return digits ? `${whole}.${rest} ${unit}` : `${ns} ns`;
	};
	const counted = (count) => count.toLocaleString("en-US");

	const SVG = document.querySelector("svg").namespaceURI; // as an address it would look like a request
	const shape = (name, attributes) => {
		const element = document.createElementNS(SVG, name);
		for (const [key, value] of Object.entries(attributes))
			element.setAttribute(key, value);
		return element;
	};

	/*
	 * `state`: view, { from, to }; selected, { track, i } or null; found, by name 1 if it is looked for, or
	 * null; area, { from, to } or null; arrows, pairs of { track, i }. Returns what draws it in the next
	 * frame, and what does so after colours have changed.
	 */
	const drawer = (data, state, { table, axis, over }) => {
		const { tracks } = data, { view } = state;
		const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
		let colours = [], ink, onBlock, line, quiet;
		const readColours = () => {
			colours = data.classes.map(([name]) => style(`--${name}`));
			[ink, onBlock, line, quiet] = ["--ink", "--on-block", "--line", "--quiet"].map(style);
		};

		const sized = (canvas, height) => {
			const ratio = window.devicePixelRatio || 1;
			const width = Math.max(Math.round(canvas.clientWidth * ratio), 1);
			if (canvas.width !== width || canvas.height !== Math.round(height * ratio)) {
				canvas.width = width;
				canvas.height = Math.round(height * ratio);
			}
			const context = canvas.getContext("2d");
			context.clearRect(0, 0, canvas.width, canvas.height);
			context.font = `${11 * ratio}px sans-serif`;
			context.textBaseline = "middle";
			return { context, width: canvas.width, height: canvas.height, ratio };
		};

		// As much of a name as there is room for.
		const widths = new Map();
		const fitted = (context, name, room, ratio) => {
			if (!widths.has(name))
				widths.set(name, context.measureText(data.names[name]).width / ratio);
			const width = widths.get(name) * ratio, text = data.names[name];
			return width <= room ? text : `${text.slice(0, Math.max(Math.floor((text.length * room) / width) - 2, 1))}\u2026`;
		};

		// What of a column of pixels is busy, its longest record, and whether it has what is looked for.
		const columns = { busy: new Float32Array(0), longest: new Int32Array(0), found: new Uint8Array(0) };
		const clearColumns = (width) => {
			if (columns.busy.length < width) {
				columns.busy = new Float32Array(width);
				columns.longest = new Int32Array(width);
				columns.found = new Uint8Array(width);
			}
			columns.busy.fill(0);
			columns.longest.fill(-1);
			columns.found.fill(0);
		};

		const drawTrack = (track) => {
			const { context, width, height, ratio } = sized(track.canvas, HEIGHT);
			const scale = width / (view.to - view.from), tall = height - 2 * ratio;
			const texts = [];
			let colour = "";
			const rectangle = (x, y, wide, high, name, bright) => {
				const next = colours[data.nameClasses[name]];
				if (next !== colour)
					context.fillStyle = colour = next;
				context.globalAlpha = bright ? 1 : 0.2;
				context.fillRect(x, y, wide, high);
			};
			clearColumns(width);
			traceRecords.walk(track, view.from, view.to, 1 / scale, (i) => {
				const left = Math.max((track.starts[i] - view.from) * scale, 0);
				const right = Math.min((track.starts[i] + track.lengths[i] - view.from) * scale, width);
				const wide = right - left, name = track.names[i];
				rectangle(left, ratio, wide > 3 ? wide - ratio : wide, tall, name, !state.found || state.found[name]);
				if (wide > 40 * ratio && !data.idle[name])
					texts.push([name, left + 4 * ratio, wide - 8 * ratio]);
			}, (start, end, busy, record, level, i) => {
				const left = (start - view.from) * scale, right = (end - view.from) * scale;
				const isFound = state.found ? track.levels[level].found[i] : 1;
				// It may lie in two columns of pixels.
				let x = Math.max(Math.floor(left), 0);
				const last = Math.min(Math.floor(right), width - 1);
				for (let from = left; x <= last; x++, from = x) {
					const part = right > left ? (Math.min(right, x + 1) - from) / (right - left) : 1;
					const before = columns.longest[x];
					if (part <= 0)
						break;
					columns.busy[x] += busy * scale * part;
					if (before < 0 || track.lengths[record] > track.lengths[before])
						columns.longest[x] = record;
					columns.found[x] |= isFound;
				}
			});
			for (let x = 0, next; x < width; x = next) {
				next = x + 1;
				if (columns.longest[x] < 0)
					continue;
				const name = track.names[columns.longest[x]];
				const high = (column) => Math.max(Math.round(tall * Math.min(columns.busy[column], 1)), 2 * ratio);
				const like = (column) => columns.longest[column] >= 0 && high(column) === high(x) &&
					data.nameClasses[track.names[columns.longest[column]]] === data.nameClasses[name] &&
					columns.found[column] === columns.found[x];
				while (next < width && like(next))
					next++;
				rectangle(x, height - ratio - high(x), next - x, high(x), name, columns.found[x]);
			}
			context.globalAlpha = 1;
			context.fillStyle = onBlock;
			for (const [name, x, room] of texts)
				context.fillText(fitted(context, name, room, ratio), x, height / 2);
			if (state.selected && state.selected.track === track) {
				const left = (track.starts[state.selected.i] - view.from) * scale;
				const right = left + Math.max(track.lengths[state.selected.i] * scale, 2 * ratio);
				context.strokeStyle = ink;
				context.lineWidth = 2 * ratio;
				context.strokeRect(Math.max(left, -4) + ratio, 2 * ratio, Math.max(Math.min(right, width + 8) - Math.max(left, -4) - 2 * ratio, ratio), height - 4 * ratio);
			}
		};

		const drawAxis = () => {
			const { context, width, height, ratio } = sized(axis, AXIS_HEIGHT);
			const span = view.to - view.from;
			const rough = Math.max(span / Math.max(width / (110 * ratio), 2), 1);
			const power = 10 ** Math.floor(Math.log10(rough));
			const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
			const [unit, digits] = unitOf(view.to);
			const shown = Math.max(digits - Math.floor(Math.log10(step) + 1e-9), 0);
			for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
				const x = ((at - view.from) / span) * width;
				context.fillStyle = line;
				context.fillRect(x, 0, ratio, height);
				context.fillStyle = quiet;
				context.fillText(`${(at / 10 ** digits).toFixed(shown)} ${unit}`, x + 4 * ratio, height / 2);
			}
		};

		// Over the tracks: what was dragged over, and arrows from calls to what they started.
		const drawOver = () => {
			const { area, arrows } = state;
			const box = axis.getBoundingClientRect(), frame = table.getBoundingClientRect();
			const across = (ns) => Math.min(Math.max(((ns - view.from) / (view.to - view.from)) * box.width, -20), box.width + 20);
			Object.assign(over.style, { left: `${box.left - frame.left}px`, top: "0", width: `${box.width}px`, height: `${frame.height}px` });
			over.replaceChildren();
			if (area) {
				const top = table.tBodies[0].getBoundingClientRect().top - frame.top;
				const left = across(area.from), right = across(area.to);
				over.append(shape("rect", { class: "timeline-area", x: left, y: top, width: Math.max(right - left, 1), height: frame.height - top }));
			}
			for (const [call, operation] of arrows) {
				const ends = [call, operation].map(({ track, i }) => {
					const place = track.canvas.getBoundingClientRect();
					return place.height ? [across(track.starts[i]), place.top + place.height / 2 - frame.top] : null;
				});
				if (!ends[0] || !ends[1] || (ends[0][0] < 0 && ends[1][0] < 0) || (ends[0][0] > box.width && ends[1][0] > box.width))
					continue;
				const [[x, y], [toX, toY]] = ends, bend = Math.max(Math.abs(toX - x) / 2, 12);
				over.append(shape("path", { class: "timeline-arrow", d: `M${x} ${y}C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}` }),
					shape("path", { class: "timeline-arrow-head", d: `M${toX} ${toY}l-7 -4v8z` }));
			}
		};

		// What is far from the window is drawn once nothing moves.
		let waiting = false, later = 0;
		const stale = new Set();
		const isNear = (track) => {
			const box = track.canvas.getBoundingClientRect();
			return box.bottom > -100 && box.top < window.innerHeight + 100;
		};
		const drawStale = () => {
			const until = performance.now() + 8;
			for (const track of stale) {
				if (performance.now() > until)
					break;
				stale.delete(track);
				drawTrack(track);
			}
			later = stale.size ? setTimeout(drawStale) : 0;
			table.classList.toggle("timeline-drawn", !stale.size);
		};
		const drawNow = () => {
			drawAxis();
			for (const track of tracks) {
				stale.delete(track);
				if (track.canvas.clientWidth && isNear(track))
					drawTrack(track);
				else if (track.canvas.clientWidth)
					stale.add(track);
			}
			drawOver();
			clearTimeout(later);
			later = setTimeout(drawStale, 150);
		};
		const draw = () => {
			if (waiting)
				return;
			waiting = true;
			requestAnimationFrame(() => {
				waiting = false;
				drawNow();
			});
		};
		const redraw = () => {
			readColours();
			draw();
		};
		readColours();
		return { draw, redraw };
	};

	return { about, exact, counted, shape, drawer };
})();
