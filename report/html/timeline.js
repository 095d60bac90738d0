// SPDX-License-Identifier: MIT
// Draws the timeline's tracks in place of their pictures, down to the single record. What it reads is
// described in report/html/pack.h.
"use strict";
(() => {
	const source = document.getElementById("timeline-data");
	const table = document.getElementById("timeline-table");
	// Without it the pictures stay, as without scripts.
	if (!source || !table || typeof DecompressionStream === "undefined")
		return;

	const HEIGHT = 24, AXIS_HEIGHT = 22; // pixels
	const NARROWEST = 20; // ns
	const CHILDREN = 4; // of a node, as a power of two: below
	const SHIFT = 2;
	const ARROWS_MOST = 200, NAMES_MOST = 10;

	const unpack = async () => {
		const text = atob(source.textContent);
		const packed = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++)
			packed[i] = text.charCodeAt(i);
		const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	};

	// Calls `take` with each number of a column.
	const columnReader = (bytes, begin) => {
		let at = begin;
		const number = () => {
			let value = 0, scale = 1, byte = bytes[at++];
			for (; byte > 127; byte = bytes[at++], scale *= 128)
				value += (byte - 128) * scale;
			return value + byte * scale;
		};
		return { number };
	};

	/*
	 * Above the records of a track stand nodes, each of four records or nodes: their last end, how long
	 * they took together, and the longest record. What is narrower than a pixel is drawn from its node, so
	 * a picture costs as much as it has pixels, however many records there are.
	 */
	const addLevels = (track) => {
		const { count, starts, lengths } = track;
		let ends = new Float64Array(count), busy = lengths, longest = null;
		for (let i = 0; i < count; i++)
			ends[i] = starts[i] + lengths[i];
		track.levels = [{ ends, busy, longest, count }];
		while (track.levels.at(-1).count > 1) {
			const below = track.levels.at(-1), size = Math.ceil(below.count / CHILDREN);
			const level = { ends: new Float64Array(size), busy: new Float64Array(size), longest: new Uint32Array(size), count: size };
			for (let i = 0; i < size; i++) {
				let end = 0, sum = 0, best = below.longest ? below.longest[i * CHILDREN] : i * CHILDREN;
				for (let j = i * CHILDREN; j < Math.min((i + 1) * CHILDREN, below.count); j++) {
					const record = below.longest ? below.longest[j] : j;
					end = Math.max(end, below.ends[j]);
					sum += below.busy[j];
					if (lengths[record] > lengths[best])
						best = record;
				}
				level.ends[i] = end;
				level.busy[i] = sum;
				level.longest[i] = best;
			}
			track.levels.push(level);
		}
	};

	const readTrack = (track, number) => {
		const count = number();
		track.count = count;
		track.starts = new Float64Array(count); // exact: 2^53 ns are 104 days
		track.lengths = new Float64Array(count);
		track.names = new Uint32Array(count);
		track.details = new Uint32Array(count);
		track.correlations = new Uint32Array(count);
		for (let i = 0, at = 0; i < count; i++)
			track.starts[i] = at += number();
		for (const column of [track.lengths, track.names, track.details])
			for (let i = 0; i < count; i++)
				column[i] = number();
		for (let i = 0, at = 0; i < count; i++) {
			const value = number();
			track.correlations[i] = at += value % 2 ? -(value + 1) / 2 : value / 2;
		}
		addLevels(track);
	};

	const read = (bytes) => {
		const end = bytes.indexOf(0);
		const data = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
		const { number } = columnReader(bytes, end + 1);
		for (const track of data.tracks)
			readTrack(track, number);
		return data;
	};

	/*
	 * Goes through what of a track is in [from, to], in its order: `record` is called with each record
	 * that is at least `narrowest` long, `node` with what is narrower: its start, its end, its busy time,
	 * its longest record, its level and its place in it.
	 */
	const walk = (track, from, to, narrowest, record, node) => {
		const visit = (level, i) => {
			const start = track.starts[i * CHILDREN ** level];
			const { ends, busy, longest } = track.levels[level];
			if (start > to || ends[i] < from)
				return start <= to;
			if (ends[i] - start < narrowest)
				node(start, ends[i], busy[i], level ? longest[i] : i, level, i);
			else if (!level)
				record(i);
			else
				for (let j = i << SHIFT; j < Math.min((i + 1) << SHIFT, track.levels[level - 1].count); j++)
					if (!visit(level - 1, j))
						return false;
			return true;
		};
		if (track.count)
			visit(track.levels.length - 1, 0);
	};
	const recordsOf = (level, i, track) => Math.min((i + 1) * CHILDREN ** level, track.count) - i * CHILDREN ** level;

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

	const made = (name, properties, ...children) => {
		const element = Object.assign(document.createElement(name), properties);
		element.append(...children);
		return element;
	};
	const button = (text, label, act) => {
		const element = made("button", { type: "button", textContent: text });
		if (label)
			element.setAttribute("aria-label", label);
		element.addEventListener("click", act);
		return element;
	};

	const begin = (data) => {
		const { tracks, names, details } = data;
		const isIdle = (name) => data.classes[data.nameClasses[name]][0].startsWith("idle");
		// What names are searched by, and read as: of idle time its cause, and in what call it was.
		const texts = names.map((name, i) => (isIdle(i) ? data.classes[data.nameClasses[i]][1] : name));
		const titleOf = (track, i) => {
			const text = texts[track.names[i]], name = names[track.names[i]];
			return text.endsWith(name) ? text : `${text}, ${name}`;
		};
		const view = { from: data.begin, to: Math.max(data.end, data.begin + 1) };
		let selected = null; // { track, i }
		let found = null; // by name: 1 if it is looked for
		let area = null; // { from, to }: what was dragged over
		let arrows = [];

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
				widths.set(name, context.measureText(names[name]).width / ratio);
			const width = widths.get(name) * ratio, text = names[name];
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
			walk(track, view.from, view.to, 1 / scale, (i) => {
				const left = Math.max((track.starts[i] - view.from) * scale, 0);
				const right = Math.min((track.starts[i] + track.lengths[i] - view.from) * scale, width);
				const wide = right - left, name = track.names[i];
				rectangle(left, ratio, wide > 3 ? wide - ratio : wide, tall, name, !found || found[name]);
				if (wide > 40 * ratio && !isIdle(name))
					texts.push([name, left + 4 * ratio, wide - 8 * ratio]);
			}, (start, end, busy, record, level, i) => {
				const left = (start - view.from) * scale, right = (end - view.from) * scale;
				const isFound = found ? track.levels[level].found[i] : 1;
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
			if (selected && selected.track === track) {
				const left = (track.starts[selected.i] - view.from) * scale;
				const right = left + Math.max(track.lengths[selected.i] * scale, 2 * ratio);
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
		const SVG = document.querySelector("svg").namespaceURI;
		const shape = (name, attributes) => {
			const element = document.createElementNS(SVG, name);
			for (const [key, value] of Object.entries(attributes))
				element.setAttribute(key, value);
			return element;
		};
		const drawOver = () => {
			const box = axis.getBoundingClientRect(), frame = table.getBoundingClientRect();
			const across = (ns) => Math.min(Math.max(((ns - view.from) / (view.to - view.from)) * box.width, -20), box.width + 20);
			Object.assign(over.style, { left: `${box.left - frame.left}px`, top: "0", width: `${box.width}px`, height: `${frame.height}px` });
			over.replaceChildren();
			if (area) {
				const left = across(area.from), right = across(area.to);
				over.append(shape("rect", { class: "timeline-area", x: left, y: box.top - frame.top, width: Math.max(right - left, 1), height: frame.bottom - box.top }));
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
		};
		const drawNow = (all) => {
			drawAxis();
			for (const track of tracks)
				if (track.canvas.clientWidth && (all || isNear(track))) {
					stale.delete(track);
					drawTrack(track);
				} else if (track.canvas.clientWidth) {
					stale.add(track);
				}
			drawOver();
			range.textContent = `${about(view.to - view.from)} from ${exact(Math.round(view.from))} on, of ${about(data.end - data.begin)}`;
			clearTimeout(later);
			later = stale.size ? setTimeout(drawStale, 150) : 0;
		};
		const draw = () => {
			if (waiting)
				return;
			waiting = true;
			requestAnimationFrame(() => {
				waiting = false;
				drawNow(false);
			});
		};

		const show = (from, to) => {
			const most = Math.max(data.end - data.begin, 1);
			const span = Math.min(Math.max(to - from, Math.min(NARROWEST, most)), most);
			view.from = Math.min(Math.max(from, data.begin), data.begin + most - span);
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
		const whole = () => show(data.begin, data.end);
		const zoomTo = ({ track, i }) => {
			const length = Math.max(track.lengths[i], 1);
			show(track.starts[i] - length / 4, track.starts[i] + 1.25 * length);
		};

		const times = (track, i) => `${exact(track.lengths[i])} from ${exact(track.starts[i])}`;

		// The call that started an operation, or what a call started.
		const partnersOf = ({ track, i }) => {
			const id = track.correlations[i], partners = [];
			const wanted = track.kind === "calls" ? "stream" : track.kind === "stream" ? "calls" : null;
			if (!id || !wanted)
				return partners;
			for (const other of tracks)
				if (other.kind === wanted && other.process === track.process)
					for (let j = other.correlations.indexOf(id); j >= 0 && partners.length < ARROWS_MOST; j = other.correlations.indexOf(id, j + 1))
						partners.push({ track: other, i: j });
			return partners.sort((a, b) => a.track.starts[a.i] - b.track.starts[b.i]);
		};

		const rowOf = (name) => [...document.querySelectorAll("table.rows")].flatMap((each) => [...each.tBodies[0].rows])
			.find((row) => rowName(row) === name);
		const rowName = (row) => {
			const summary = row.cells[0].querySelector("summary");
			return summary && (summary.dataset.short ?? summary.textContent);
		};
		const goToRow = (row) => {
			row.hidden = false;
			row.scrollIntoView({ block: "center" });
			row.querySelector("summary").focus();
		};

		const choose = (track, i) => {
			if (i < 0 || i >= track.count)
				return;
			selected = { track, i };
			const name = names[track.names[i]], partners = partnersOf(selected);
			const row = isIdle(track.names[i]) ? null : rowOf(name), detail = details[track.details[i]];
			arrows = partners.map((partner) => (track.kind === "calls" ? [selected, partner] : [partner, selected]));
			said.textContent = `${track.label}: ${titleOf(track, i)}, ${times(track, i)}${detail ? `; ${detail}` : ""}`;
			actions.replaceChildren(button("Zoom to it", "", () => zoomTo(selected)));
			if (partners.length) {
				const first = partners[0], many = partners.length > 1 ? `, the first of ${partners.length}` : "";
				const what = `${names[first.track.names[first.i]]}${many}`;
				actions.append(button(track.kind === "calls" ? `What it started: ${what}` : `The call: ${what}`, "", () => choose(first.track, first.i)));
			}
			if (row)
				actions.append(button("Its row in the table", "", () => goToRow(row)));
			const end = track.starts[i] + track.lengths[i], span = view.to - view.from;
			if (end < view.from || track.starts[i] > view.to)
				show(track.starts[i] - span / 2, track.starts[i] + span / 2);
			draw();
		};

		// Search: which names, then which nodes have them.
		const markFound = (chosen) => {
			found = chosen;
			for (const track of tracks)
				track.levels.forEach((level, height) => {
					const below = track.levels[height - 1];
					level.found = chosen && new Uint8Array(level.count);
					for (let i = 0; chosen && i < level.count; i++)
						if (!height)
							level.found[i] = chosen[track.names[i]];
						else
							for (let j = i * CHILDREN; j < Math.min((i + 1) * CHILDREN, below.count); j++)
								level.found[i] |= below.found[j];
				});
		};
		// How many records of a track come before one of any track: by their start, then by the track.
		const countBefore = (track, { track: other, i }) => {
			if (track === other)
				return i;
			const start = other.starts[i], first = tracks.indexOf(track) < tracks.indexOf(other);
			let low = 0, high = track.count;
			while (low < high) {
				const middle = (low + high) >> 1;
				if (track.starts[middle] < start || (first && track.starts[middle] === start))
					low = middle + 1;
				else
					high = middle;
			}
			return low;
		};
		// The nearest record that is looked for, after one or before it; null: there is none.
		const nearest = (from, backwards) => {
			let best = null;
			for (const track of tracks) {
				const step = backwards ? -1 : 1;
				let i = !from ? (backwards ? track.count - 1 : 0) : countBefore(track, from) + (backwards ? -1 : track === from.track ? 1 : 0);
				while (i >= 0 && i < track.count && !found[track.names[i]])
					i += step;
				if (i >= 0 && i < track.count && (!best || (countBefore(track, best) > i) !== backwards))
					best = { track, i };
			}
			return best;
		};
		const countOf = (isCounted) => {
			let count = 0;
			for (const track of tracks)
				for (let i = 0, end = isCounted(track); i < end; i++)
					count += found[track.names[i]];
			return count;
		};
		// Chooses the next one, or the one before, round the ends.
		const findNext = (backwards) => {
			const next = found && (nearest(selected, backwards) || nearest(null, backwards));
			if (!next)
				return;
			foundText.textContent = `${counted(countOf((track) => countBefore(track, next)) + 1)} of ${counted(countOf((track) => track.count))}`;
			choose(next.track, next.i);
		};
		const countFound = () => {
			foundText.textContent = found ? counted(countOf((track) => track.count)) : "";
		};
		const search = () => {
			const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
			markFound(words.length ? Uint8Array.from(texts, (text) => words.every((word) => text.toLowerCase().includes(word))) : null);
			countFound();
			draw();
		};
		const goToName = (name) => {
			input.value = name;
			markFound(Uint8Array.from(names, (each, i) => each === name && !isIdle(i)));
			selected = null;
			section.scrollIntoView();
			findNext(false);
			input.focus({ preventScroll: true });
		};

		// What runs in a part of the time, by class, then by name.
		const sumsOf = ({ from, to }) => {
			const time = new Float64Array(names.length), count = new Uint32Array(names.length);
			for (const track of tracks)
				walk(track, from, to, 0, (i) => {
					const inside = Math.min(track.starts[i] + track.lengths[i], to) - Math.max(track.starts[i], from);
					time[track.names[i]] += inside;
					count[track.names[i]] += inside > 0 || !track.lengths[i];
				});
			const rows = names.map((name, id) => ({ id, name, class: data.nameClasses[id], time: time[id], count: count[id] })).filter((row) => row.count);
			const classes = data.classes.map(([, text], i) => rows.filter((row) => row.class === i)
				.reduce((sum, row) => ({ ...sum, time: sum.time + row.time, count: sum.count + row.count }), { name: text, class: i, time: 0, count: 0 }));
			rows.sort((a, b) => b.time - a.time);
			return { classes: classes.filter((row) => row.count), rows: rows.filter((row) => !isIdle(row.id)) };
		};
		const drawSums = () => {
			const { classes, rows } = sumsOf(area);
			const span = area.to - area.from;
			const heading = (text, number) => Object.assign(made("th", { scope: "col", textContent: text, className: number ? "number" : "" }));
			const filled = (row) => {
				const mark = made("span", { className: "timeline-mark" });
				mark.style.background = `var(--${data.classes[row.class][0]})`;
				const name = made("th", { scope: "row", className: row.id === undefined ? "" : "name" }, mark, row.name);
				return made("tr", {}, name, ...[counted(row.count), exact(Math.round(row.time)), `${((100 * row.time) / span).toFixed(1)} %`]
					.map((text) => made("td", { className: "number", textContent: text })));
			};
			const body = made("tbody", {}, ...classes.map(filled), ...rows.slice(0, NAMES_MOST).map(filled));
			const caption = made("caption", { textContent: `Selected: ${about(span)} from ${exact(Math.round(area.from))} on. Times are what lies inside; ${rows.length > NAMES_MOST ? `the ${NAMES_MOST} names with most of it` : "names"} follow the kinds.` });
			const head = made("thead", {}, made("tr", {}, heading("What"), heading("Records", true), heading("Time", true), heading("of the selection", true)));
			sums.replaceChildren(made("div", { className: "tools" }, button("Zoom to the selection", "", () => show(area.from, area.to)), button("Clear the selection", "", clear)),
				made("table", { className: "timeline-sums" }, caption, head, body));
		};
		const select = (from, to) => {
			area = { from: Math.max(Math.min(from, to), data.begin), to: Math.min(Math.max(from, to), data.end) };
			drawSums();
			draw();
		};
		const clear = () => {
			area = selected = null;
			arrows = [];
			input.value = "";
			markFound(null);
			countFound();
			sums.replaceChildren();
			actions.replaceChildren();
			said.textContent = help;
			draw();
		};

		// The record at a place of a track, and how many others are in the same pixel.
		const recordAt = (track, event) => {
			const box = track.canvas.getBoundingClientRect();
			const pixel = (view.to - view.from) / box.width, at = view.from + (event.clientX - box.left) * pixel;
			let wide = -1, longest = -1, others = 0, busy = 0;
			walk(track, at - pixel, at + pixel, pixel, (i) => {
				if (track.starts[i] <= at && at <= track.starts[i] + track.lengths[i])
					wide = i;
			}, (start, end, time, record, level, i) => {
				if (longest < 0 || track.lengths[record] > track.lengths[longest])
					longest = record;
				others += recordsOf(level, i, track);
				busy += time;
			});
			if (wide >= 0)
				return { i: wide, others: 0 };
			return { i: longest, others: Math.max(others - 1, 0), busy };
		};
		let pointer = 0.5; // where it is over the tracks, from 0 to 1: keys zoom there
		const pointAt = (track, event) => {
			const box = track.canvas.getBoundingClientRect();
			pointer = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
			const { i, others, busy } = recordAt(track, event);
			tip.hidden = i < 0;
			if (i < 0)
				return;
			const detail = details[track.details[i]];
			tip.replaceChildren(made("b", { textContent: titleOf(track, i) }), made("div", { textContent: times(track, i) }));
			if (detail)
				tip.append(made("div", { textContent: detail }));
			if (others)
				tip.append(made("div", { textContent: `the longest of ${counted(others + 1)} records here, ${about(busy)} together` }));
			const x = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
			const y = event.clientY + 18 + tip.offsetHeight > window.innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18;
			Object.assign(tip.style, { left: `${Math.max(x, 4)}px`, top: `${y}px` });
		};

		const section = table.closest("section");
		const range = made("output", { className: "timeline-range" });
		const help = "Point at a record, or choose one with [ and ].";
		const said = made("output", { className: "timeline-said", textContent: help });
		const actions = made("div", { className: "tools" });
		const sums = made("div", { className: "scroll" });
		const axis = made("canvas", { className: "timeline-axis" });
		axis.setAttribute("role", "img");
		axis.setAttribute("aria-label", "Time");
		const over = shape("svg", { class: "timeline-over", "aria-hidden": "true" });
		const tip = made("div", { className: "timeline-tip", hidden: true });
		tip.setAttribute("aria-hidden", "true");
		const input = made("input", { type: "search", className: "timeline-search", placeholder: "Find records by name" });
		input.setAttribute("aria-label", "Find records in the timeline by name");
		const foundText = made("output", { className: "filter-status timeline-found" });

		const step = (track, by) => {
			if (selected && selected.track === track)
				choose(track, selected.i + by);
			else
				walk(track, view.from, view.to, 0, (i) => {
					if (!selected || selected.track !== track)
						choose(track, i);
				});
		};
		const keys = {
			"+": () => zoom(0.5, pointer), "=": () => zoom(0.5, pointer), "-": () => zoom(2, pointer), "0": whole, Home: whole,
			ArrowLeft: () => pan(-0.25), ArrowRight: () => pan(0.25),
			w: () => zoom(0.8, pointer), s: () => zoom(1.25, pointer), a: () => pan(-0.1), d: () => pan(0.1),
			"[": (track) => step(track, -1), "]": (track) => step(track, 1),
			Enter: () => selected && zoomTo(selected), Escape: clear,
			n: () => findNext(false), N: () => findNext(true),
		};

		const listen = (track) => {
			const { canvas } = track;
			const timeAt = (event) => {
				const box = canvas.getBoundingClientRect();
				return view.from + ((event.clientX - box.left) / box.width) * (view.to - view.from);
			};
			canvas.addEventListener("keydown", (event) => {
				const act = keys[event.key];
				if (!act || event.ctrlKey || event.metaKey || event.altKey)
					return;
				event.preventDefault();
				act(track);
			});
			// With a key held, as a page that is scrolled would be caught by it.
			canvas.addEventListener("wheel", (event) => {
				if (!event.ctrlKey && !event.shiftKey && document.activeElement !== canvas)
					return;
				event.preventDefault();
				const box = canvas.getBoundingClientRect();
				if (!event.shiftKey && Math.abs(event.deltaX) > Math.abs(event.deltaY))
					pan(event.deltaX / box.width);
				else
					zoom(event.deltaY < 0 || event.deltaX < 0 ? 0.8 : 1.25, (event.clientX - box.left) / box.width);
			}, { passive: false });
			let from = null;
			canvas.addEventListener("pointerdown", (event) => {
				if (event.button > 1)
					return;
				if (event.button)
					event.preventDefault();
				from = { x: event.clientX, at: timeAt(event), view: { ...view }, moves: event.button || event.shiftKey, moved: false };
				canvas.setPointerCapture(event.pointerId);
			});
			canvas.addEventListener("pointermove", (event) => {
				if (!from)
					return pointAt(track, event);
				from.moved ||= Math.abs(event.clientX - from.x) > 3;
				tip.hidden = true;
				if (!from.moved)
					return;
				if (from.moves) {
					const by = ((event.clientX - from.x) / canvas.clientWidth) * (from.view.to - from.view.from);
					show(from.view.from - by, from.view.to - by);
				} else {
					const at = timeAt(event);
					area = { from: Math.min(at, from.at), to: Math.max(at, from.at) };
					draw();
				}
			});
			canvas.addEventListener("pointerup", (event) => {
				if (from && !from.moved && !from.moves)
					choose(track, recordAt(track, event).i);
				else if (from && from.moved && !from.moves)
					select(from.at, timeAt(event));
				from = null;
			});
			canvas.addEventListener("pointercancel", () => {
				from = null;
			});
			canvas.addEventListener("pointerleave", () => {
				pointer = 0.5;
				tip.hidden = true;
			});
			canvas.addEventListener("dblclick", (event) => {
				const { i } = recordAt(track, event);
				if (i >= 0)
					zoomTo({ track, i });
			});
		};

		[...table.tBodies[0].rows].forEach((row, place) => {
			const track = tracks[place];
			track.canvas = made("canvas", { className: "timeline-track", tabIndex: 0 });
			track.canvas.setAttribute("role", "application");
			track.canvas.setAttribute("aria-label", `${track.label}: ${counted(track.count)} records; [ and ] choose one`);
			row.querySelector(".track").replaceChildren(track.canvas);
			listen(track);
		});
		table.querySelector(".track-heading").replaceChildren(axis);

		input.addEventListener("input", search);
		input.addEventListener("keydown", (event) => {
			if (event.key === "Enter")
				findNext(event.shiftKey);
			else if (event.key === "Escape")
				clear();
		});
		const tools = made("div", { className: "tools timeline-tools" },
			button("+", "Zoom in", () => zoom(0.5)), button("\u2212", "Zoom out", () => zoom(2)),
			button("\u2190", "Earlier", () => pan(-0.25)), button("\u2192", "Later", () => pan(0.25)),
			button("Whole", "The whole trace", whole), button("Sum up", "Sum up what is in view", () => select(view.from, view.to)), range);
		tools.append(input, button("\u2191", "Previous record found", () => findNext(true)), button("\u2193", "Next record found", () => findNext(false)), foundText);
		const keysText = made("details", { className: "remark" }, made("summary", { textContent: "Keys and mouse" }), made("p", { textContent:
			"On a track: W and S or + and - zoom, A and D or the arrows move, 0 shows the whole, [ and ] choose a record, Enter or a double click "
			+ "zooms to it, N and Shift+N go through what was found, Escape clears. A drag selects a time and sums it up, with Shift it moves; the "
			+ "wheel zooms once a track was clicked, or with Shift." }));
		const frame = table.parentElement;
		// Below the tracks, so that these stay where they are; and in sight.
		frame.before(tools, keysText);
		frame.after(made("div", { className: "timeline-panel" }, said, actions), sums);
		frame.classList.add("timeline-frame");
		frame.append(over);
		document.body.append(tip);

		// From a row of a table to its records.
		const known = new Set(names.filter((_, i) => !isIdle(i)));
		for (const row of document.querySelectorAll("table.rows > tbody > tr")) {
			const name = rowName(row);
			if (!known.has(name))
				continue;
			const jump = button("", `${name} in the timeline`, () => goToName(name));
			jump.className = "to-timeline";
			jump.title = "In the timeline";
			row.cells[0].prepend(jump);
		}

		readColours();
		drawNow(true);
		table.classList.add("timeline-drawn");
		new ResizeObserver(() => drawNow(true)).observe(table);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
			readColours();
			drawNow(true);
		});
	};

	// Tables that stand behind this script are there by then.
	unpack().then((bytes) => begin(read(bytes)));
})();
