#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What a load of launches leaves behind for the graphs of the same program, alone and under ktime: a
process that has launched into some more streams has slower graphs for good on an H100 (graph_after.cu).
So ktime must put nothing into a stream of its own while a program works. Prints tables; --output writes
them to a file.

Run from the root of the tree, built by `make bench-programs library`; 20 turns take about 9 min on a GPU.

How to read it. Each figure is the wall time of a launch of the graph: the median of all
turns, and by how much it is longer than alone. A mode that is 20 % longer has used streams. `slow` counts
the runs that took more than 10 % longer than the median alone. The second table is for other streams of
the program's own: the step must be at the same number of streams in each mode.
"""
import argparse
import collections
import os
import statistics
import sys
import time

sys.dont_write_bytecode = True

import plan
from samples import parse_line

import machine
import process
import profilers
import results

PROGRAM = os.path.join(profilers.BUILD, "bench", "graph_after")
LOADS = ("short", "long", "graph")
STREAMS = tuple(f"streams={count}" for count in (0, 1, 2, 3, 4, 8))
MODES = (None, "", "--timer events", "--timer events --budget 1", "--budget 1", "--gate off",
         "--events off")


def title(mode):
    return "alone" if mode is None else f"ktime {mode}".strip()


def launch_us(load, mode):
    """What a launch of the graph took; raises RuntimeError where the program failed."""
    command = [PROGRAM, load]
    argv, environment = profilers.under_nothing(command) if mode is None else \
        profilers.under_ktime(command, f"--quiet {mode}")
    outcome = process.run(argv, environment, timeout=60)
    if outcome.returncode:
        raise RuntimeError((outcome.stderr.strip().splitlines()
                            or [f"exit {outcome.returncode}"])[-1])
    return float(parse_line(outcome.stdout)["ns"]) / 1000


def measure(loads, turns, seconds):
    """({(load, mode): [us]}, {(load, mode): why it failed}), all in turns."""
    figures, failed = collections.defaultdict(list), {}
    end = time.monotonic() + seconds
    for _ in range(turns):
        for load in loads:
            for mode in MODES:
                if (load, mode) in failed or time.monotonic() > end:
                    continue
                try:
                    figures[load, mode].append(launch_us(load, mode))
                except RuntimeError as error:
                    failed[load, mode] = str(error)
    return figures, failed


def cell(figures, load, mode):
    values, alone = figures.get((load, mode)), figures.get((load, None))
    if not values or not alone:
        return "-"
    middle, reference = statistics.median(values), statistics.median(alone)
    if mode is None:
        return f"{middle:.1f} ({len(values)} runs)"
    slow = sum(value > 1.1 * reference for value in values)
    return f"{middle:.1f}, {100 * (middle / reference - 1):+.1f} %, {slow} of {len(values)} slow"


def tables(loads, turns, seconds):
    figures, failed = measure(loads, turns, seconds)
    rows = [[title(mode), *(cell(figures, load, mode) for load in loads)] for mode in MODES]
    return [*results.table(["", *loads], rows), "",
            *(f"- {title(mode)}, {load}: {why}" for (load, mode), why in failed.items())]


def main():
    parser = argparse.ArgumentParser(description="What a load leaves behind for graphs.")
    parser.add_argument("--turns", type=int, default=20, help="of the loads")
    parser.add_argument("--stream-turns", type=int, default=3, help="of the numbers of streams")
    parser.add_argument("--seconds", type=float, default=500, help="no run begins later")
    parser.add_argument("--output", metavar="FILE")
    options = parser.parse_args()
    if not os.path.exists(PROGRAM):
        sys.exit(f"graph_after.py: {PROGRAM} is not built: make bench-programs")
    begun = time.monotonic()
    lines = ["# A graph of 100 empty kernels after other work of its process", "",
             *machine.describe(), "", f"Microseconds a launch; medians of {options.turns} turns.", "",
             *tables(LOADS, options.turns, options.seconds),
             f"The same behind `long` and so many more streams; {options.stream_turns} turns.", "",
             *tables(STREAMS, options.stream_turns, options.seconds - time.monotonic() + begun)]
    text = "\n".join(lines).rstrip() + "\n"
    print(text, end="")
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)


main()
