#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What of CUPTI makes the launches of a graph longer that the host waits for, while nothing is recorded:
the same loop (attached.c) with one part of CUPTI on at a time, and under ktime. Two sizes of graph tell
what a launch takes from what each of its nodes takes. Prints a table; --output writes it to a file.

Run from the root of the tree, built by `make bench-programs library`; takes about 80 s on a GPU.

How to read it. The row "copies recorded, kernels off again" is what ktime has on outside its windows. The
first row in which the time for each node is high names the cause: if it is "attached, no kind", only
detaching helps; if a kind's, that kind must not have been on; if "runtime calls", API rows cost it.
"Whole graphs, kernels off" and "… nodes in windows" say whether a graph that CUPTI traces as a whole is
cheaper than one that it does not trace; "detached" whether anything is left once CUPTI is gone.
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

PROGRAM = os.path.join(profilers.BUILD, "bench", "attached")
SIZES = (50, 200)


def cupti():
    return "cupti=" + machine.find_library("libcupti.so")


def steps(once=(), before=(), after=(), timed=("wait={wait}", "queue={queue}"), sizes=SIZES,
          scale=1.0):
    """The program's arguments: `before` and `after` each graph is made."""
    made = [*once]
    for size in sizes:
        made += [*before, f"graph={size}", *after]
        made += [step.format(wait=max(1, int(scale * (200 if size == SIZES[0] else 350))),
                             queue=max(1, int(scale * 120))) for step in timed]
    return made


def by_hand(title, **parts):
    return title, lambda scale: profilers.under_nothing([PROGRAM, *steps(scale=scale, **parts)])


def under_ktime(options):
    title = f"ktime {options}".strip()
    return title, lambda scale: profilers.under_ktime([PROGRAM, *steps(scale=scale)],
                                                      f"--quiet {options}")


def in_windows(step):
    return (step, "queue={queue}")


WAYS = [
    by_hand("no CUPTI"),
    by_hand("no CUPTI, again"),
    by_hand("attached, no kind", once=[cupti()]),
    by_hand("runtime calls", once=[cupti(), "on=runtime"]),
    by_hand("copies, off again", once=[cupti(), "on=copies", "off=copies"]),
    by_hand("kernels, off again", once=[cupti(), "on=kernel", "off=kernel"]),
    by_hand("kernels and copies, off again", once=[cupti(), "on=work", "off=work"]),
    by_hand("copies recorded, kernels off again", once=[cupti(), "on=work", "off=kernel"]),
    by_hand("copies recorded, kernels in windows", once=[cupti(), "on=work", "off=kernel"],
            timed=in_windows("windows=kernel,{wait}")),
    by_hand("kernels and copies off again, and runtime calls", once=[cupti(), "on=runtime", "on=work", "off=work"]),
    by_hand("kernels and copies off again, overheads", once=[cupti(), "on=overhead", "on=work",
                                                             "off=work"]),
    by_hand("kernels and copies recorded, then off", once=[cupti()],
            after=["on=work", "wait=20", "off=work"]),
    by_hand("kernels and copies, off once the graph is made", once=[cupti()], before=["on=work"],
            after=["off=work"]),
    by_hand("the same, attached after the graph was made", after=[cupti(), "on=work", "off=work"],
            sizes=SIZES[1:]),
    by_hand("kernels and copies recorded", once=[cupti(), "on=work"]),
    by_hand("kernels and copies in windows", once=[cupti(), "on=work", "off=work"],
            timed=in_windows("windows=work,{wait}")),
    by_hand("whole graphs", once=[cupti(), "on=graph"]),
    by_hand("whole graphs, kernels off", once=[cupti(), "on=graph", "on=kernel", "off=kernel"]),
    by_hand("whole graphs and kernels", once=[cupti(), "on=graph", "on=kernel"]),
    by_hand("whole graphs and kernels, nodes in windows", once=[cupti(), "on=graph", "on=kernel"],
            timed=in_windows("wholes={wait}")),
    by_hand("all of these, off again", once=[cupti(), "on=graph", "on=work", "off=work",
                                             "off=graph"]),
    by_hand("detached before the graph is made",
            once=[cupti(), "on=work", "launches=1000", "finalize"]),
    by_hand("detached after the graph was made", once=[cupti(), "on=work", "off=work"],
            after=["finalize"], sizes=SIZES[1:]),
    *(under_ktime(options) for options in (
        "", "--profile-api-trace none", "--events off", "--graph graph",
        "--graph graph --profile-api-trace none", "--graph node", "--budget 5", "--budget 1")),
]
HEADER = ["", "call, 50 nodes", "call, 200 nodes", "waited, 50", "waited, 200", "median, 200", "off alone",
          "a node", "queued, 200"]


def measure(seconds, only, scale):
    """({title: {(step, nodes, name): [values]}}, {title: why it failed})."""
    figures, failed = collections.defaultdict(lambda: collections.defaultdict(list)), {}
    begun, longest = time.monotonic(), 0
    for number in range(9):
        start = time.monotonic()
        for title, command in WAYS:
            if title in failed or only and not any(part in title for part in only):
                continue
            argv, environment = command(scale)
            outcome = process.run(argv, environment, timeout=20)
            if outcome.returncode:
                failed[title] = (outcome.stderr.strip().splitlines()
                                 or [f"exit {outcome.returncode}"])[-1]
                continue
            # The last of each counts: what a way does before is printed as well.
            last = {}
            for line in outcome.stdout.splitlines():
                values = parse_line(line)
                step = "queue" if values["step"] == "queue" else "wait"
                last |= {(step, int(values["nodes"]), name): values[name]
                         for name in ("ns", "median_ns", "call_ns")}
            for key, value in last.items():
                figures[title][key].append(value)
        longest = max(longest, time.monotonic() - start)
        if time.monotonic() - begun + longest > seconds:
            break
    return figures, failed, number + 1


def attach_again(seconds):
    """Rows of what came of detaching CUPTI while other threads launch, and attaching it again."""
    rows = []
    for threads in (1, 4, 16):
        argv, environment = profilers.under_nothing(
            [PROGRAM, cupti(), f"again={threads},{int(1000 * seconds / 3)}"])
        outcome = process.run(argv, environment, timeout=seconds + 20)
        values = parse_line(outcome.stdout)
        end = "timed out" if outcome.timed_out else f"{outcome.returncode} " + \
            (outcome.stderr.strip().splitlines() or [""])[-1]
        rows.append([threads, *(f"{values[name] / scale:.0f}" if name in values else "-"
                                for name, scale in (("cycles", 1), ("attach_ns", 1e6),
                                                    ("detach_ns", 1e6))), end.strip()])
    return rows


def cells(title, figures):
    def middle(step, nodes, name, of=title):
        values = figures.get(of, {}).get((step, nodes, name))
        return statistics.median(values) / 1000 if values else None

    few, many = SIZES
    alone = [middle("wait", size, "ns", WAYS[0][0]) for size in SIZES]
    waited = [middle("wait", size, "ns") for size in SIZES]
    shown = [middle("wait", few, "call_ns"), middle("wait", many, "call_ns"), *waited,
             middle("wait", many, "median_ns")]
    row = ["-" if value is None else f"{value:.1f}" for value in shown]
    if None in (*alone, waited[1]):
        return [title, *row, "-", "-", "-"]
    added = waited[1] - alone[1]
    node = added / many if waited[0] is None else (added - waited[0] + alone[0]) / (many - few)
    return [title, *row, f"{100 * added / alone[1]:+.1f} %", f"{node:+.3f}",
            f"{middle('queue', many, 'ns'):.1f}"]


def main():
    parser = argparse.ArgumentParser(description="What of CUPTI costs launches of graphs.")
    parser.add_argument("--seconds", type=float, default=80, help="rounds of all until then")
    parser.add_argument("--only", default="", help="comma-separated parts of the first column")
    parser.add_argument("--again", type=float, default=0, metavar="SECONDS",
                        help="also detach CUPTI and attach it again, while threads launch")
    parser.add_argument("--scale", type=float, default=1.0, help="of what each step takes")
    parser.add_argument("--output", metavar="FILE")
    options = parser.parse_args()
    if not os.path.exists(PROGRAM):
        sys.exit(f"attached.py: {PROGRAM} is not built: make bench-programs")
    only = [WAYS[0][0], *options.only.split(",")] if options.only else []
    figures, failed, rounds = measure(options.seconds, only, options.scale)
    lines = ["# What of CUPTI costs launches of graphs", "", *machine.describe(), "",
             f"Microseconds, medians of {rounds} rounds. A launch of a graph of kernels of 2.5 us, of 50 and of",
             "200; `waited`: until the host has read a word after it, the mean; `a node`: what each adds to",
             "that, off the first row.", "",
             *results.table(HEADER, [cells(title, figures) for title, _ in WAYS if title in figures]),
             "", *(f"- {title}: {why}" for title, why in failed.items())]
    if options.again:
        lines += ["", "CUPTI attached and detached, again and again, while threads launch:", "",
                  *results.table(["threads", "times", "attaching, ms", "detaching, ms", "end"],
                                 attach_again(options.again))]
    text = "\n".join(lines).rstrip() + "\n"
    print(text, end="")
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)
    sys.exit(1 if failed else 0)


main()
