// SPDX-License-Identifier: MIT
// What the tests ask of a page, called by name from pages.py. It is evaluated in the page from
// outside, so it works with the page's own scripts off as well.
(() => {
	const shown = (element) => element.checkVisibility({ visibilityProperty: true });
	const texts = (list) => [...list].map((element) => element.textContent);

	// "rgb(1, 2, 3)" and "rgba(1, 2, 3, 0.5)" as [red, green, blue, alpha].
	const colour = (text) => {
		const parts = text.match(/[\d.]+/g).map(Number);
		return parts.length === 3 ? [...parts, 1] : parts;
	};
	const over = (front, back) => back.map((value, i) => (i === 3 ? 1 : front[i] * front[3] + value * (1 - front[3])));

	// The colour behind an element: the backgrounds of what it is in, on the window's.
	const behind = (element) => {
		const layers = [];
		for (let each = element; each; each = each.parentElement)
			layers.push(colour(getComputedStyle(each).backgroundColor));
		const dark = matchMedia("(prefers-color-scheme: dark)").matches;
		return layers.reverse().reduce((back, front) => over(front, back), dark ? [0, 0, 0, 1] : [255, 255, 255, 1]);
	};

	// WCAG 2.1: relative luminance and contrast ratio.
	const luminance = (rgb) => {
		const [r, g, b] = rgb.slice(0, 3).map((value) => {
			const part = value / 255;
			return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
		});
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const contrast = (one, other) => {
		const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
		return (light + 0.05) / (dark + 0.05);
	};
	const where = (element) =>
		`${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""}${element.className && element.className.baseVal === undefined ? `.${element.className}` : ""}`;

	const checks = {
		// Text whose colour is too close to what is behind it.
		contrast() {
			const found = new Set();
			const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
			for (let node = walker.nextNode(); node; node = walker.nextNode()) {
				const element = node.parentElement;
				if (!node.data.trim() || element.closest("script, style, svg title") || !shown(element))
					continue;
				const style = getComputedStyle(element);
				const back = behind(element);
				const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
				const ratio = contrast(over(colour(element.closest("svg") ? style.fill : style.color), back), back);
				if (ratio < (large ? 3 : 4.5))
					found.add(`${where(element)} "${node.data.trim().slice(0, 30)}": contrast ${ratio.toFixed(2)}`);
			}
			return [...found];
		},

		// The order and the number of headings.
		headings() {
			const levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((each) => Number(each.tagName[1]));
			const found = levels.filter((level) => level === 1).length === 1 ? [] : ["there is not one h1"];
			levels.forEach((level, i) => {
				if (level > (i ? levels[i - 1] : 0) + 1)
					found.push(`heading ${i} is an h${level} after an h${i ? levels[i - 1] : 0}`);
			});
			return found;
		},

		// Tables without a name, headings of columns or of rows. (Whether these have names the browser's tree tells.)
		tables() {
			const found = [];
			for (const table of document.querySelectorAll("table")) {
				if (!table.caption || !table.caption.textContent.trim())
					found.push(`${where(table)} has no caption`);
				if (!table.tHead || [...table.tHead.rows[0].cells].some((cell) => cell.tagName !== "TH" || cell.scope !== "col"))
					found.push(`${where(table)} has a column without a heading`);
				const columns = table.tHead ? table.tHead.rows[0].cells.length : 0;
				for (const row of table.tBodies[0].rows) {
					if (row.cells.length !== columns)
						found.push(`${where(table)} has a row of ${row.cells.length} cells for ${columns} columns`);
					if (row.cells[0].tagName !== "TH" || row.cells[0].scope !== "row")
						found.push(`${where(table)} has a row without a heading`);
				}
			}
			return [...new Set(found)];
		},

		// Ids that are there twice, and references to none.
		references() {
			const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
			const found = ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `the id ${id} is there twice`);
			for (const link of document.querySelectorAll("a[href^='#']"))
				if (!ids.includes(link.hash.slice(1)))
					found.push(`a link to ${link.hash}, which is not there`);
			for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for"])
				for (const element of document.querySelectorAll(`[${name}]`))
					for (const id of element.getAttribute(name).split(/\s+/))
						if (!ids.includes(id))
							found.push(`${where(element)}: ${name} names ${id}, which is not there`);
			return found;
		},

		// What comes in the page's order when a user walks through it by keys.
		focusable() {
			const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]");
			return [...all].filter((each) => shown(each) && !each.disabled && each.tabIndex >= 0).length;
		},
		// Numbers the elements that get the focus; whether the present one shows that it has it.
		focused() {
			const element = document.activeElement;
			if (!element || element === document.body)
				return null;
			const all = [...document.querySelectorAll("*")];
			const style = getComputedStyle(element);
			return {
				at: all.indexOf(element),
				where: where(element),
				visible: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
				inside: element.getClientRects().length > 0,
			};
		},

		// A table's cells by row; rows that a filter hides are left out.
		cells(id) {
			return [...document.getElementById(id).tBodies[0].rows].filter(shown).map((row) => texts(row.cells).map((text) => text.trim()));
		},
		names(id) {
			return [...document.getElementById(id).tBodies[0].rows].filter(shown)
				.map((row) => (row.cells[0].querySelector("summary") || row.cells[0]).textContent.trim());
		},
		values(id, column) {
			return [...document.getElementById(id).tBodies[0].rows].filter(shown).map((row) => Number(row.cells[column].dataset.value));
		},
		sorts(id) {
			return [...document.getElementById(id).tHead.rows[0].cells].map((cell) => cell.getAttribute("aria-sort"));
		},
		// A column of bars has no order of its own.
		sortableColumns(id) {
			return [...document.getElementById(id).tHead.rows[0].cells].flatMap((cell, i) => (cell.querySelector("button") ? [i] : []));
		},
		sortable() {
			return [...document.querySelectorAll("table.sortable")].map((table) => table.id);
		},
		height() {
			return Math.ceil(document.documentElement.getBoundingClientRect().height);
		},
		wideTables() {
			return [...document.querySelectorAll(".scroll")].filter((each) => each.scrollWidth > each.clientWidth + 1)
				.map((each) => each.querySelector("table").id);
		},
		width() {
			return document.documentElement.scrollWidth;
		},
	};
	return checks;
})()
