#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What small copies, memsets, launches and graphs cost with a budget of 1 %, in a program's first tenth of
a second (a graph's first 500 launches) and in ten seconds (start_loop.cu): medians beside the same
program alone, run by run. Prints a table; --output writes it to a file.

Run from the root of the tree, built by `make library bench-programs`; takes about two minutes on a
GPU. The first part is of new processes, in turns, as one is up to 2 % slower than the next for as
long as it lives; the second of one process each, which work in turns, a quarter of a second at a time.
"""
import argparse
import collections
import os
import statistics
import sys
import time

sys.dont_write_bytecode = True

import plan
import turns
from samples import parse_line

import machine
import process
import profilers
import results

PROGRAM = os.path.join(profilers.BUILD, "bench", "start_loop")
FIRST_S, TURN_S = 0.1, 0.25
TITLES = {
    "copies": "pinned 4 KB to the device, asynchronous",
    "synchronous": "pinned 4 KB to the device, synchronous",
    "within": "4 KB within the device, asynchronous",
    "memsets": "memset of 4 KB, asynchronous",
    "empty": "empty kernels",
    "graph": "graph of 100 empty kernels",
}
VARIANTS = ("none", "again", "always_on", "budget_1")
WAYS = {**plan.VARIANTS, "budget_1": plan.ktime("ktime --budget 1", "--budget 1")}
BUDGET = 1.0  # percent
MOST_NS = 30.0  # the bar over ten seconds, if that is more than the budget


def start(variant, argv):
    argv, environment = WAYS[variant].start([PROGRAM, *argv], None)
    if variant in ("always_on", "budget_1"):
        environment["KTIME_OPTIONS"] += " --quiet"
    return argv, environment


def first_calls(names, rounds, seconds, failed):
    """{name: {variant: [ns]}} of new processes."""
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    begun = time.monotonic()
    for number in range(rounds):
        for name, variant in turns.in_turns(names, 1, list(VARIANTS)):
            argv, environment = start(variant, [name, str(FIRST_S)])
            outcome = process.run(argv, environment, timeout=30)
            if outcome.returncode:
                failed[f"{name}, {variant}"] = (outcome.stderr.strip().splitlines() or
                                                [f"exit {outcome.returncode}"])[-1]
                continue
            times[name][variant].append(parse_line(outcome.stdout)["ns"])
        if time.monotonic() - begun > seconds * (number + 1) / (number + 2):
            break
    return times


def long_runs(names, seconds, failed):
    """The same of one process each, which works `seconds` on each in all."""
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    settling = 2  # turns

    def take(variant, line):
        values = parse_line(line)
        times[values["workload"]][variant].append(values["ns"])

    commands = {variant: start(variant, ["--turns", str(TURN_S)]) for variant in VARIANTS}
    failed |= turns.run(commands, names, settling + max(3, round(seconds / TURN_S)), 600, take)
    return {name: {variant: taken[settling:] for variant, taken in variants.items()}
            for name, variants in times.items()}


def added(times, variant):
    """(median, half the distance between the quartiles) of what it added, ns, run by run."""
    differences = [with_it - without for with_it, without in zip(times[variant], times["none"])]
    low, median, high = statistics.quantiles(differences, method="inclusive")
    return median, (high - low) / 2


def cell(times, variant):
    if min(len(times[variant]), len(times["none"])) < 2:
        return "-"
    alone, (median, spread) = statistics.median(times["none"]), added(times, variant)
    return f"{100 * median / alone:+.2f} ±{100 * spread / alone:.2f} %, {median:+.0f} ns"


def reached(times, first):
    """Whether both variants keep to the bar; "cannot be told" within what chance gives."""
    if min(len(times[variant]) for variant in VARIANTS) < 2:
        return "-"
    alone = statistics.median(times["none"])
    bar = BUDGET / 100 * alone if first else max(BUDGET / 100 * alone, MOST_NS)
    chance = abs(added(times, "again")[0])
    over = max(added(times, variant)[0] for variant in ("always_on", "budget_1")) - bar
    return "yes" if over <= 0 else "cannot be told" if over <= chance else "**no**"


def rows(times, window, first):
    return [[TITLES[name], window(name), f"{statistics.median(times[name]['none']) / 1000:.3f} us",
             *(cell(times[name], variant) for variant in VARIANTS[1:]), reached(times[name], first)]
            for name in TITLES if times.get(name, {}).get("none")]


def main():
    parser = argparse.ArgumentParser(description="What small operations cost with a budget of 1 %.")
    parser.add_argument("--rounds", type=int, default=15, help="of new processes, at most")
    parser.add_argument("--seconds", type=float, default=70, help="for these rounds, at most")
    parser.add_argument("--long", type=float, default=2.5, metavar="SECONDS",
                        help="of each process's work of each kind (10: two minutes more)")
    parser.add_argument("--only", default="", help="comma-separated: " + " ".join(TITLES))
    parser.add_argument("--output", metavar="FILE")
    options = parser.parse_args()
    names = list(filter(None, options.only.split(","))) or list(TITLES)
    if set(names) - set(TITLES):
        parser.error("no workload " + ", ".join(sorted(set(names) - set(TITLES))))
    if not os.path.exists(PROGRAM):
        sys.exit(f"start.py: {PROGRAM} is not built: make bench-programs")
    failed = {}
    first = first_calls(names, options.rounds, options.seconds, failed)
    later = long_runs(names, options.long, failed) if options.long > 0 else {}
    lines = ["# Small operations with a budget of 1 %", "", *machine.describe(), "",
             f"An operation's time, and what each variant added to it: medians of "
             f"{max((len(t['none']) for t in first.values()), default=0)} new processes, and of turns "
             f"of {TURN_S:g} s, {options.long:g} s in all; ± is half the distance between the quartiles.",
             "",
             *results.table(["operation", "in", "alone", "by chance", "`--timer events --budget 1`",
                             "`--budget 1`", "kept"],
                            rows(first, lambda name: "first 500" if name == "graph"
                                 else f"first {FIRST_S:g} s", True) +
                            rows(later, lambda name: f"{options.long:g} s", False)),
             "", *(f"- {what}: {why}" for what, why in failed.items())]
    text = "\n".join(lines).rstrip() + "\n"
    print(text, end="")
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)
    sys.exit(1 if failed else 0)


main()
