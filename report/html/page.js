// SPDX-License-Identifier: MIT
// Sorting, filtering, full names, and a look into a picture of ranges. The page is whole without it.
"use strict";
(() => {
	// Fewer rows are seen at once.
	const LEAST_TO_FILTER = 5;

	const element = (name, properties, ...children) => {
		const made = Object.assign(document.createElement(name), properties);
		made.append(...children);
		return made;
	};

	// The row's cell in a column: its number where it has one, else its text.
	const valueOf = (row, column) => {
		const cell = row.cells[column];
		if (cell.dataset.value !== undefined)
			return Number(cell.dataset.value);
		return (cell.querySelector("summary") || cell).textContent;
	};

	const compare = (left, right) =>
		typeof left === "number" ? left - right : left.localeCompare(right);

	// A first click has the largest number, or the first name, at the top.
	const sortBy = (table, heading, column) => {
		const downwards = heading.getAttribute("aria-sort")
			? heading.getAttribute("aria-sort") === "ascending"
			: heading.classList.contains("number");
		const rows = [...table.tBodies[0].rows].map((row) => ({ row, value: valueOf(row, column) }));
		rows.sort((a, b) => (downwards ? compare(b.value, a.value) : compare(a.value, b.value)));
		table.tBodies[0].append(...rows.map((entry) => entry.row));
		for (const other of table.tHead.rows[0].cells)
			other.removeAttribute("aria-sort");
		heading.setAttribute("aria-sort", downwards ? "descending" : "ascending");
	};

	const makeSortable = (table) => {
		[...table.tHead.rows[0].cells].forEach((heading, column) => {
			if (heading.classList.contains("unsorted"))
				return;
			const button = element("button", { type: "button", textContent: heading.textContent });
			button.addEventListener("click", () => sortBy(table, heading, column));
			heading.replaceChildren(button);
		});
	};

	// Shows all rows of a long table.
	const unfold = (table) => {
		const fold = table.parentElement.nextElementSibling;
		if (fold?.matches(".fold"))
			fold.open = true;
	};

	const refreshes = new WeakMap(); // of a tree: what shows the rows that are open

	// Shows the rows whose name, short or full, has every word that is typed, and of a tree those
	// that they are in, which come before them.
	const filterBy = (table, text, status) => {
		const words = text.toLowerCase().split(/\s+/).filter(Boolean);
		let shown = 0, inside = 0;
		if (words.length)
			unfold(table);
		for (const row of [...table.tBodies[0].rows].reverse()) {
			const depth = Number(row.dataset.depth ?? 0);
			const parts = row.cells[0].querySelectorAll("summary, .full-name");
			const name = (parts.length ? [...parts] : [row.cells[0]])
				.map((part) => part.dataset.names || part.textContent).join(" ").toLowerCase();
			const found = words.every((word) => name.includes(word));
			row.hidden = !found && depth >= inside;
			if (!row.hidden)
				inside = depth;
			shown += found;
		}
		if (!words.length)
			refreshes.get(table)?.();
		status.textContent = words.length ? `${shown} of ${table.tBodies[0].rows.length} rows` : "";
	};

	const showNames = (table, full) => {
		table.classList.toggle("full-shown", full);
		for (const summary of table.querySelectorAll("summary")) {
			const long = summary.parentElement.querySelector(".full-name");
			if (!long)
				continue;
			summary.dataset.short ??= summary.textContent;
			summary.textContent = full ? long.textContent : summary.dataset.short;
		}
	};

	// The whole name at the pointer.
	const makeTitles = (table) => {
		for (const long of table.querySelectorAll("details > .full-name"))
			long.parentElement.firstElementChild.title = long.textContent;
	};

	const makeFilterable = (table) => {
		const status = element("output", { className: "filter-status" });
		const input = element("input", { type: "search", className: "filter", placeholder: "Filter by name" });
		input.setAttribute("aria-label", `Filter by name: ${table.caption.textContent}`);
		input.addEventListener("input", () => filterBy(table, input.value, status));
		const tools = element("div", { className: "tools" }, input);
		if (table.querySelector(".full-name")) {
			const box = element("input", { type: "checkbox", className: "full-names" });
			box.addEventListener("change", () => showNames(table, box.checked));
			tools.append(element("label", {}, box, " Full names"));
		}
		tools.append(status);
		table.parentElement.before(tools);
	};

	// A row of a tree with rows below it gets a button that hides and shows them. Of a long tree
	// two levels are open, of many tracks one, so that what follows is near.
	const makeTree = (table) => {
		const tracks = table.classList.contains("timeline");
		const [long, open] = tracks ? [40, 1] : [20, 2]; // rows and levels
		const rows = [...table.tBodies[0].rows];
		const depths = rows.map((row) => Number(row.dataset.depth));
		const closed = new Set();
		const refresh = () => {
			let below = Infinity;
			rows.forEach((row, i) => {
				row.hidden = depths[i] > below;
				if (depths[i] <= below)
					below = closed.has(i) ? depths[i] : Infinity;
			});
		};
		refreshes.set(table, refresh);
		rows.forEach((row, i) => {
			if (!(depths[i + 1] > depths[i]))
				return;
			const button = element("button", { type: "button", className: "toggle", textContent: "\u25be" });
			const name = row.cells[0].textContent;
			const turn = () => {
				const open = !closed.delete(i);
				if (open)
					closed.add(i);
				button.textContent = open ? "\u25b8" : "\u25be";
				button.setAttribute("aria-expanded", String(!open));
				refresh();
			};
			button.setAttribute("aria-label", `What is inside of ${name}`);
			button.setAttribute("aria-expanded", "true");
			button.addEventListener("click", turn);
			row.cells[0].prepend(button);
			if (rows.length > long && depths[i] >= open - 1)
				turn();
		});
	};

	// A click or Enter on a block makes it as wide as the picture, with what is below it; once more,
	// or Escape, and everything is there again.
	const makeIcicle = (picture) => {
		const LEAST_NAMED = 40; // pixels
		const blocks = [...picture.querySelectorAll("svg")].map((block) => ({
			block, at: parseFloat(block.getAttribute("x")), length: parseFloat(block.getAttribute("width")),
			name: block.querySelector("title").textContent.replace(/: [^:]*$/, ""),
		}));
		let shown = null;
		const name = ({ block, name }) => {
			const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
			text.setAttribute("x", "4");
			text.setAttribute("y", "15");
			text.textContent = name;
			block.append(text);
		};
		const show = (chosen) => {
			const { at, length } = chosen || { at: 0, length: 100 };
			shown = chosen;
			for (const each of blocks) {
				const from = Math.max(0, (each.at - at) * 100 / length);
				const width = Math.min(100, (each.at + each.length - at) * 100 / length) - from;
				const wide = width * picture.clientWidth / 100 >= LEAST_NAMED;
				each.block.style.display = width > 0.01 ? "" : "none";
				each.block.setAttribute("x", `${from}%`);
				each.block.setAttribute("width", `${Math.max(0, width)}%`);
				if (wide && !each.block.querySelector("text"))
					name(each);
				each.block.setAttribute("tabindex", wide && width > 0.01 ? "0" : "-1");
			}
		};
		const choose = (block) => {
			const chosen = blocks.find((each) => each.block === block);
			if (chosen)
				show(chosen === shown ? null : chosen);
		};
		picture.setAttribute("role", "group");
		blocks.forEach(({ block }) => block.setAttribute("role", "button"));
		picture.addEventListener("click", (event) => choose(event.target.closest("svg")));
		picture.addEventListener("keydown", (event) => {
			if (event.key !== "Enter" && event.key !== " " && event.key !== "Escape")
				return;
			event.preventDefault();
			if (event.key === "Escape")
				show(null);
			else
				choose(event.target.closest("svg"));
		});
		picture.parentElement.querySelector("figcaption").append("; a click or Enter widens a block, Escape shows all");
		show(null);
	};

	// The browser's search finds what is seen.
	document.addEventListener("keydown", (event) => {
		if ((event.ctrlKey || event.metaKey) && event.key === "f")
			document.querySelectorAll("table").forEach(unfold);
	});
	document.querySelectorAll("svg.icicle").forEach(makeIcicle);
	document.querySelectorAll("table.tree").forEach(makeTree);
	document.querySelectorAll("table.sortable").forEach(makeSortable);
	document.querySelectorAll("table.rows").forEach(makeTitles);
	document.querySelectorAll("table.filterable").forEach((table) => {
		if (table.tBodies[0].rows.length >= LEAST_TO_FILTER)
			makeFilterable(table);
	});
})();
