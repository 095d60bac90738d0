#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A program under `--timer events --budget 1` with a metrics file, for ten minutes: is its memory
constant, is every call counted, and what does it cost? The same program without a profiler works in
turns with it, a piece of work each; the cost is the median of how much longer a turn took than the
one beside it. Writes its section of tests/gpu/RESULTS.md. Run from the root of the tree.
"""
import argparse
import glob
import os
import re
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))

import machine
import profilers
import results
import turns

PROGRAM = os.path.join(profilers.BUILD, "bench", "launch_loop")
OPTIONS = "--timer events --budget 1 --quiet --prometheus"
BUDGET = 1.0  # percent
# What a turn of each launches: its operations and a quarter before them, by each of its threads.
WORK = {"empty": 25000, "kernel_3us": 18750, "kernel_10us": 6250, "copies": 25000, "threads": 80000}
SETTLE_S = 17  # within that ktime writes the metrics once more
# Beyond this, in KiB from the third minute to the last, memory is not constant.
MOST_GROWTH = 512


def resident(process):
    with open(f"/proc/{process}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


def counted(folder):
    """Calls of kernels and copies by the metrics file; 0 before there is one."""
    for path in glob.glob(os.path.join(folder, "*.prom")):
        with open(path) as file:
            return sum(int(calls) for calls in re.findall(
                r"^ktime_(?:kernel|copy)_calls_total\{.*\} (\d+)$", file.read(), re.M))
    return 0


def minute_of_turns(programs, until, ratios):
    """Calls that the program under ktime made."""
    made = 0
    while time.monotonic() < until:
        for work, variant in turns.in_turns(WORK, 1, list(programs)):
            lines = programs[variant].work(work)
            if lines is None:
                raise RuntimeError(f"{variant} ended early")
            ratios.setdefault(work, {}).setdefault(variant, []).append(
                float(re.search(r"\bns=([\d.]+)", lines[-1]).group(1)))
        made += sum(WORK.values())
    return made


def added(times):
    """Percent, by the turns side by side."""
    pairs = zip(times["ktime"], times["alone"])
    return 100 * (statistics.median(ktime / alone for ktime, alone in pairs) - 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("minutes", type=int, nargs="?", default=10)
    minutes = parser.parse_args().minutes
    if not machine.gpus():
        sys.exit("always_on.py: no NVIDIA GPU here (nvidia-smi lists none)")
    rows, failures, ratios, made = [], [], {}, 0
    with tempfile.TemporaryDirectory() as folder:
        argv = [PROGRAM, "--turns"]
        commands = {"alone": profilers.under_nothing(argv), "ktime": profilers.under_ktime(
            argv, f"{OPTIONS} {os.path.join(folder, 'loop.prom')}")}
        programs = {name: turns.Program(*command, 60 * minutes + 120)
                    for name, command in commands.items()}
        for program in programs.values():
            program.lines_until("ready")
        process = programs["ktime"].process_id()
        begin = time.monotonic()
        memory = []
        for minute in range(1, minutes + 1):
            made += minute_of_turns(programs, begin + 60 * minute - SETTLE_S, ratios)
            time.sleep(max(0.0, begin + 60 * minute - time.monotonic()))
            memory.append(resident(process))
            calls = counted(folder)
            rows.append([minute, f"{memory[-1]:,}", f"{made:,}", f"{calls:,}"])
            if calls != made:
                failures.append(f"minute {minute}: {made} calls, {calls} counted")
        ends = [program.wait() for program in programs.values()]
        failures += [end for end in ends if end]
        if glob.glob(os.path.join(folder, "*.prom")):
            failures.append("the metrics file is left behind")
    if max(memory[2:], default=0) - memory[min(2, minutes - 1)] > MOST_GROWTH:
        failures.append("memory grows")
    costs = {work: added(times) for work, times in ratios.items()}
    failures += [f"{work}: {cost:.2f} % slower, over the budget of {BUDGET:g} %"
                 for work, cost in costs.items() if cost > BUDGET]
    lines = [f"`{OPTIONS}` for {minutes} minutes, in turns with the same program alone. Memory in "
             "KiB, calls by the program and by the metrics file:", "",
             *results.table(["minute", "resident", "calls", "counted"], rows), "",
             "How much longer it took than alone, median over the turns side by side:", "",
             *results.table(["work", "turns", "longer"],
                            [[work, len(ratios[work]["ktime"]), f"{cost:+.2f} %"]
                             for work, cost in costs.items()]),
             "", *(f"- {failure}" for failure in failures)]
    print("\n".join(lines))
    results.write_section("always-on", "Always on", "always_on.py", lines)
    sys.exit(1 if failures else 0)


main()
