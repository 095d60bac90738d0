#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Holds the sources to folders.txt. A room is x.c with x.h (or x.def, x.S). Fails, naming each, on
  an include of a folder that the table does not allow,
  a circle of more than MOST_IN_CIRCLE rooms inside a folder.
Usage: check.py [--summary] [ROOT]; --summary prints the largest of each instead.
"""
import os
import re
import sys

MOST_IN_CIRCLE = 3
SOURCES = (".c", ".h", ".def", ".S")
HERE = os.path.dirname(os.path.abspath(__file__))


def read_table(path):
    """{folder: folders it may include}, and what is wrong with the table itself."""
    table, wrong = {}, []
    for line in open(path, encoding="utf-8"):
        folder, *allowed = line.split("#")[0].split() or [None]
        if folder is None:
            continue
        wrong += [f"folders.txt: {folder} lists {other}, which does not stand above it"
                  for other in allowed if other not in table]
        table[folder] = allowed
    return table, wrong


def find_sources(root):
    for top in ("preload", "cupti", "report"):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(names):
                if name.endswith(SOURCES):
                    yield os.path.relpath(os.path.join(folder, name), root)


def room_of(path):
    return os.path.splitext(path)[0]


def includes_of(root, path):
    """(line number, path as it is written) of each include in quotes."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if found:
                yield number, found.group(1)


def circles(arrows):
    """Tarjan's algorithm: the sets of rooms that reach each other, each of two rooms or more."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(room):
        index[room] = low[room] = len(index)
        stack.append(room)
        on_stack.add(room)
        for other in arrows.get(room, ()):
            if other not in index:
                visit(other)
                low[room] = min(low[room], low[other])
            elif other in on_stack:
                low[room] = min(low[room], index[other])
        if low[room] == index[room]:
            circle = []
            while not circle or circle[-1] != room:
                circle.append(stack.pop())
                on_stack.discard(circle[-1])
            if len(circle) > 1:
                found.append(sorted(circle))

    sys.setrecursionlimit(10000)
    for room in sorted(arrows):
        if room not in index:
            visit(room)
    return found


def main(arguments):
    summary = "--summary" in arguments
    root = ([a for a in arguments if not a.startswith("-")] or [os.path.join(HERE, "..", "..")])[0]
    table, wrong = read_table(os.path.join(root, "tests", "structure", "folders.txt"))
    rooms, arrows, lines = {}, {}, {}
    for path in find_sources(root):
        folder = os.path.dirname(path)
        rooms.setdefault(folder, set()).add(room_of(path))
        arrows.setdefault(room_of(path), set())
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines[path] = sum(1 for _ in file)
        if folder not in table:
            wrong.append(f"{path}: {folder} is not in folders.txt")
            continue
        for number, target in includes_of(root, path):
            other = os.path.dirname(target)
            if not os.path.exists(os.path.join(root, target)):
                wrong.append(f"{path}:{number}: \"{target}\" is not a path from the root")
            elif other != folder and other not in table[folder]:
                wrong.append(f"{path}:{number}: {folder} may not include {other}")
            elif room_of(target) != room_of(path):
                arrows[room_of(path)].add(room_of(target))
    all_circles = circles(arrows)
    wrong += [f"a circle of {len(circle)} rooms: {' '.join(circle)}"
              for circle in all_circles if len(circle) > MOST_IN_CIRCLE]
    if summary:
        print(f"{sum(lines.values())} lines, {len(arrows)} rooms in {len(rooms)} folders,"
              f" at most {max(map(len, rooms.values()))} in one;"
              f" largest circle {max(map(len, all_circles), default=1)},"
              f" longest file {max(lines.values())} lines, {len(wrong)} violations")
        return 0
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
