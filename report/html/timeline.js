// SPDX-License-Identifier: MIT
// The timeline's controls: draws its tracks in place of their pictures, down to the single record.
"use strict";
(() => {
	const source = document.getElementById("timeline-data");
	const table = document.getElementById("timeline-table");
	// Without it the pictures stay, as without scripts.
	if (!source || !table || typeof DecompressionStream === "undefined")
		return;

	const NARROWEST = 20; // ns
	const NAMES_MOST = 10; // in the sums of a selection
	const ARROWS_MOST = 200; // a graph may have thousands of nodes
	const { about, exact, counted } = traceDrawing;

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
		const { tracks, names, details, idle } = data;
		// What names are searched by, and read as: of idle time its cause, and in what call it was.
		const texts = names.map((name, i) => (idle[i] ? data.classes[data.nameClasses[i]][1] : name));
		const titleOf = (track, i) => {
			const text = texts[track.names[i]], name = names[track.names[i]];
			return text.endsWith(name) ? text : `${text}, ${name}`;
		};
		const view = { from: data.begin, to: data.end };
		const state = { view, selected: null, found: null, area: null, arrows: [] };

		const show = (from, to) => {
			const most = Math.max(data.end - data.begin, 1);
			const span = Math.min(Math.max(to - from, Math.min(NARROWEST, most)), most);
			view.from = Math.min(Math.max(from, data.begin), data.begin + most - span);
			view.to = view.from + span;
			range.textContent = `${about(span)} from ${exact(Math.round(view.from))} on, of ${about(data.end - data.begin)}`;
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

		const allRows = () => [...document.querySelectorAll("table.rows > tbody > tr")];
		const rowOf = (name) => allRows().find((row) => rowName(row) === name);
		const wholeNames = () => new Map(allRows().map((row) => [rowName(row), row.querySelector(".full-name")?.textContent]));
		const rowName = (row) => {
			const summary = row.cells[0].querySelector("summary");
			return summary && (summary.dataset.short ?? summary.textContent);
		};
		const goToRow = (row) => {
			const fold = row.closest(".scroll").nextElementSibling;
			if (fold?.matches(".fold"))
				fold.open = true;
			row.hidden = false;
			row.scrollIntoView({ block: "center" });
			row.querySelector("summary").focus();
		};

		// Opens what a row of the tracks is folded away in.
		const unfold = (row) => {
			let depth = Number(row.dataset.depth);
			for (let each = row.previousElementSibling; each && depth > 0; each = each.previousElementSibling) {
				if (Number(each.dataset.depth) >= depth)
					continue;
				depth = Number(each.dataset.depth);
				each.querySelector(".toggle[aria-expanded=false]")?.click();
			}
		};
		const choose = (track, i) => {
			if (i < 0 || i >= track.count)
				return;
			unfold(track.canvas.closest("tr"));
			state.selected = { track, i };
			const name = names[track.names[i]], partners = traceRecords.partnersOf(data, state.selected);
			const row = idle[track.names[i]] ? null : rowOf(name), detail = details[track.details[i]];
			state.arrows = partners.slice(0, ARROWS_MOST).map((partner) => (track.kind === "calls" ? [state.selected, partner] : [partner, state.selected]));
			said.textContent = `${track.label}: ${titleOf(track, i)}, ${times(track, i)}${detail ? `; ${detail}` : ""}`;
			actions.replaceChildren(button("Zoom to it", "", () => zoomTo(state.selected)));
			if (partners.length) {
				const first = partners[0], many = partners.length > 1 ? `, the first of ${counted(partners.length)}` : "";
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

		const countFound = () => counted(traceRecords.countFound(data, state.found));
		// Chooses the next one, or the one before, round the ends.
		const findNext = (backwards) => {
			const next = state.found && (traceRecords.nearest(data, state.found, state.selected, backwards) ||
				traceRecords.nearest(data, state.found, null, backwards));
			if (!next)
				return;
			foundText.textContent = `${counted(traceRecords.countFound(data, state.found, next) + 1)} of ${countFound()}`;
			choose(next.track, next.i);
		};
		// 1 for each name that is looked for; null: none is.
		const find = (chosen) => {
			state.found = chosen;
			traceRecords.markFound(data, chosen);
			foundText.textContent = chosen ? countFound() : "";
			draw();
		};
		const search = () => {
			const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
			const whole = wholeNames();
			const matches = (text, i) => words.every((word) => `${text} ${whole.get(names[i]) ?? ""}`.toLowerCase().includes(word));
			find(words.length ? Uint8Array.from(texts, matches) : null);
		};
		const goToName = (name) => {
			input.value = name;
			find(Uint8Array.from(names, (each, i) => each === name && !idle[i]));
			state.selected = null;
			section.scrollIntoView();
			findNext(false);
			input.focus({ preventScroll: true });
		};

		const drawSums = () => {
			const { area } = state, { kinds, rows } = traceRecords.sumsOf(data, area);
			const span = area.to - area.from, named = rows.filter((row) => !idle[row.id]);
			const heading = (text, number) => made("th", { scope: "col", textContent: text, className: number ? "number" : "" });
			const filled = (row) => {
				const mark = made("span", { className: "timeline-mark" });
				mark.style.background = `var(--${data.classes[row.class][0]})`;
				const name = made("th", { scope: "row", className: row.id === undefined ? "" : "name" }, mark, row.name);
				return made("tr", {}, name, ...[counted(row.count), exact(Math.round(row.time)), `${((100 * row.time) / span).toFixed(1)} %`]
					.map((text) => made("td", { className: "number", textContent: text })));
			};
			const body = made("tbody", {}, ...[...kinds, ...named.slice(0, NAMES_MOST)].map(filled));
			const caption = made("caption", { textContent: `Selected: ${about(span)} from ${exact(Math.round(area.from))} on. Times are what lies inside; ${named.length > NAMES_MOST ? `the ${NAMES_MOST} names with most of it` : "names"} follow the kinds.` });
			const head = made("thead", {}, made("tr", {}, heading("What"), heading("Records", true), heading("Time", true), heading("of the selection", true)));
			sums.replaceChildren(made("div", { className: "tools" }, button("Zoom to the selection", "", () => show(area.from, area.to)), button("Clear the selection", "", clear)),
				made("table", { className: "timeline-sums" }, caption, head, body));
		};
		const select = (from, to) => {
			state.area = { from: Math.max(Math.min(from, to), data.begin), to: Math.min(Math.max(from, to), data.end) };
			drawSums();
			draw();
		};
		const clear = () => {
			Object.assign(state, { area: null, selected: null, arrows: [] });
			input.value = "";
			sums.replaceChildren();
			actions.replaceChildren();
			said.textContent = help;
			find(null);
		};

		const timeAt = (track, event) => {
			const box = track.canvas.getBoundingClientRect();
			return view.from + ((event.clientX - box.left) / box.width) * (view.to - view.from);
		};
		const recordUnder = (track, event) =>
			traceRecords.recordAt(track, timeAt(track, event), (view.to - view.from) / track.canvas.clientWidth);
		let pointer = 0.5; // where it is over the tracks, from 0 to 1: keys zoom there
		const pointAt = (track, event) => {
			const box = track.canvas.getBoundingClientRect();
			pointer = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
			const { i, others, busy } = recordUnder(track, event);
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
		const over = traceDrawing.shape("svg", { class: "timeline-over", "aria-hidden": "true" });
		const tip = made("div", { className: "timeline-tip", hidden: true });
		tip.setAttribute("aria-hidden", "true");
		const input = made("input", { type: "search", className: "timeline-search", placeholder: "Find records by name" });
		input.setAttribute("aria-label", "Find records in the timeline by name");
		const foundText = made("output", { className: "filter-status timeline-found" });

		const step = (track, by) => {
			if (state.selected?.track === track)
				choose(track, state.selected.i + by);
			else
				choose(track, Math.min(traceRecords.countUntil(track, view.from), track.count - 1));
		};
		const keys = {
			"+": () => zoom(0.5, pointer), "=": () => zoom(0.5, pointer), "-": () => zoom(2, pointer), "0": whole, Home: whole,
			ArrowLeft: () => pan(-0.25), ArrowRight: () => pan(0.25),
			w: () => zoom(0.8, pointer), s: () => zoom(1.25, pointer), a: () => pan(-0.1), d: () => pan(0.1),
			"[": (track) => step(track, -1), "]": (track) => step(track, 1),
			Enter: () => state.selected && zoomTo(state.selected), Escape: clear,
			n: () => findNext(false), N: () => findNext(true),
		};

		const listen = (track) => {
			const { canvas } = track;
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
				from = { x: event.clientX, at: timeAt(track, event), view: { ...view }, moves: event.button || event.shiftKey, moved: false };
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
					const at = timeAt(track, event);
					state.area = { from: Math.min(at, from.at), to: Math.max(at, from.at) };
					draw();
				}
			});
			canvas.addEventListener("pointerup", (event) => {
				if (from && !from.moved && !from.moves)
					choose(track, recordUnder(track, event).i);
				else if (from && from.moved && !from.moves)
					select(from.at, timeAt(track, event));
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
				const { i } = recordUnder(track, event);
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
			row.cells[0].title = track.label;
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
		const known = new Set(names.filter((_, i) => !idle[i]));
		// A range's row has its domain before its name, and its kind behind it.
		const rangeName = (row) => {
			const label = row.cells[0].lastChild.textContent.replace(/ \(start\/end\)$/, "");
			return known.has(label) ? label : label.slice(label.indexOf("@") + 1);
		};
		for (const row of [...allRows(), ...document.querySelectorAll("#ranges-table > tbody > tr")]) {
			const name = rowName(row) ?? rangeName(row);
			if (!known.has(name))
				continue;
			const jump = button("", `${name} in the timeline`, () => goToName(name));
			jump.className = "to-timeline";
			jump.title = "In the timeline";
			row.cells[0].prepend(jump);
		}

		const { draw, redraw } = traceDrawing.drawer(data, state, { table, axis, over });
		whole();
		new ResizeObserver(draw).observe(table);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
	};

	// Tables that stand behind this script are there by then.
	traceRecords.load(source.textContent).then(begin);
})();
