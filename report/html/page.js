// SPDX-License-Identifier: MIT
// Sorting, filtering and full names. The page is whole without it.
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

	// Shows the rows whose name, short or full, has every word that is typed.
	const filterBy = (table, text, status) => {
		const words = text.toLowerCase().split(/\s+/).filter(Boolean);
		let shown = 0;
		for (const row of table.tBodies[0].rows) {
			const parts = row.cells[0].querySelectorAll("summary, .full-name");
			const name = (parts.length ? [...parts] : [row.cells[0]])
				.map((part) => part.dataset.names || part.textContent).join(" ").toLowerCase();
			row.hidden = !words.every((word) => name.includes(word));
			shown += !row.hidden;
		}
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

	// A row of a tree with rows below it gets a button that hides and shows them.
	const makeTree = (table) => {
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
		});
	};

	document.querySelectorAll("table.tree").forEach(makeTree);
	document.querySelectorAll("table.sortable").forEach(makeSortable);
	document.querySelectorAll("table.filterable").forEach((table) => {
		if (table.tBodies[0].rows.length >= LEAST_TO_FILTER)
			makeFilterable(table);
	});
})();
