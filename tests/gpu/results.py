# SPDX-License-Identifier: MIT
"""tests/gpu/RESULTS.md: sections, each rewritten by the script that measures it."""
import os
import re

import machine

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "RESULTS.md")
TITLE = "# What ktime shows on a real GPU\n"


def table(header, rows):
    """A Markdown table, its columns padded so that it reads in a terminal as well."""
    rows = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"

    return [line(header), "|" + "|".join("-" * (w + 2) for w in widths) + "|", *map(line, rows)]


def write_section(name, title, lines, path=PATH):
    """Replaces the section of that name, or adds it, under the machine it was measured on."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    text = "\n".join([begin, f"## {title}", "", *machine.describe(), "", *lines, "", end])
    try:
        with open(path) as file:
            whole = file.read()
    except FileNotFoundError:
        whole = TITLE
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if pattern.search(whole):
        whole = pattern.sub(lambda _: text, whole)
    else:
        whole = whole.rstrip() + "\n\n" + text + "\n"
    with open(path, "w") as file:
        file.write(whole)
