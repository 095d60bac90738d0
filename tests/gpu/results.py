# SPDX-License-Identifier: MIT
"""
tests/gpu/RESULTS.md: sections, each rewritten by the script that measures it. The whole document is
put together here; text outside the sections is not kept.
"""
import os
import re

import machine

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "RESULTS.md")
INTRODUCTION = """\
# What ktime shows on a real GPU

Written by `make gpu-check`, each section by the script that it names, on the machine that it names.
What ktime costs is in [tests/bench/RESULTS.md](../bench/RESULTS.md).
"""
# What a reader wants to see first comes first; a section not named here goes to the end.
ORDER = ("tables", "bandwidth", "memory", "counters", "gpu-check", "cupti-versions", "cupti-windows",
         "cupti-subscribers", "accuracy", "energy", "idle", "nvtx", "graph-ranges", "gates", "events", "workloads", "ranks",
         "always-on", "neighbours", "signals", "host-functions")
SECTION = re.compile(r"<!-- begin (\S+) -->\n(.*?)\n<!-- end \1 -->", re.S)


def table(header, rows):
    """A Markdown table, its columns padded so that it reads in a terminal as well."""
    rows = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"

    return [line(header), "|" + "|".join("-" * (w + 2) for w in widths) + "|", *map(line, rows)]


def read_sections(path=PATH):
    """{name: text} of the document as it is; none where there is no document."""
    try:
        with open(path) as file:
            return dict(SECTION.findall(file.read()))
    except FileNotFoundError:
        return {}


def write_section(name, title, script, lines, path=PATH, about=None):
    """Replaces the section of that name, or adds it, under the machine it was measured on, which is
    this one where it is not told of."""
    sections = read_sections(path)
    about = [*(about or machine.describe()), f"- by: `tests/gpu/{script}`"]
    text = "\n".join([f"## {title}", "", *about, "", *lines]).rstrip()
    sections[name] = text
    names = [name for name in ORDER if name in sections]
    names += [name for name in sections if name not in ORDER]
    with open(path, "w") as file:
        file.write(INTRODUCTION)
        for name in names:
            file.write(f"\n<!-- begin {name} -->\n{sections[name]}\n<!-- end {name} -->\n")
