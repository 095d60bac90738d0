#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A program under `--timer events --budget 1` with a metrics file, for ten minutes: is its memory
constant, and is every call counted? And what does it cost: short runs of it, each beside two of the
same program without a profiler, in turns. One process is up to 2 % slower than the next for as long
as it lives, so what counts are many processes, and how far the two without differ says what chance
gives. Writes its section of tests/gpu/RESULTS.md. Run from the root of the tree.
"""
import argparse
import glob
import math
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
TURNS = 5  # of each process
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


def stay(minutes, failures):
    """Rows of the table: a minute each."""
    rows, memory, made = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        program = turns.Program(*profilers.under_ktime(
            [PROGRAM, "--turns"], f"{OPTIONS} {os.path.join(folder, 'loop.prom')}"),
            60 * minutes + 120)
        program.lines_until("ready")
        begin = time.monotonic()
        for minute in range(1, minutes + 1):
            while time.monotonic() < begin + 60 * minute - SETTLE_S:
                for work, calls in WORK.items():
                    if program.work(work) is None:
                        raise RuntimeError("the program ended early")
                    made += calls
            time.sleep(max(0.0, begin + 60 * minute - time.monotonic()))
            memory.append(resident(program.process_id()))
            calls = counted(folder)
            rows.append([minute, f"{memory[-1]:,}", f"{made:,}", f"{calls:,}"])
            if calls != made:
                failures.append(f"minute {minute}: {made} calls, {calls} counted")
        if end := program.end():
            failures.append(end)
        if glob.glob(os.path.join(folder, "*.prom")):
            failures.append("the metrics file is left behind")
    if memory and max(memory[2:], default=0) - memory[min(2, minutes - 1)] > MOST_GROWTH:
        failures.append("memory grows")
    return rows


def times_of_round(work):
    """{variant: median ns of an operation}, each by a process of its own."""
    times = {}

    def take(variant, line):
        times.setdefault(variant, []).append(float(re.search(r"\bns=([\d.]+)", line).group(1)))

    with tempfile.TemporaryDirectory() as folder:
        argv = [PROGRAM, "--turns"]
        failed = turns.run({"alone": profilers.under_nothing(argv),
                            "again": profilers.under_nothing(argv),
                            "ktime": profilers.under_ktime(
                                argv, f"{OPTIONS} {os.path.join(folder, 'loop.prom')}")},
                           [work], TURNS, 60, take)
    if failed:
        raise RuntimeError(str(failed))
    return {variant: statistics.median(taken) for variant, taken in times.items()}


def mean_and_error(values):
    return statistics.mean(values), statistics.stdev(values) / math.sqrt(len(values))


def cost(works, rounds, failures):
    """Rows of the table: a kind of work each."""
    rows = []
    for work in works:
        times = [times_of_round(work) for _ in range(rounds)]
        longer, error = mean_and_error(
            [200 * t["ktime"] / (t["alone"] + t["again"]) - 100 for t in times])
        chance, chance_error = mean_and_error([100 * t["again"] / t["alone"] - 100 for t in times])
        rows.append([work, f"{times[0]['alone']:,.0f} ns", f"{longer:+.2f} ± {error:.2f} %",
                     f"{chance:+.2f} ± {chance_error:.2f} %"])
        if longer - 2 * error > BUDGET:
            failures.append(f"{work}: {longer:.2f} % slower, over the budget of {BUDGET:g} %")
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=30, help="of the cost")
    parser.add_argument("--work", nargs="+", choices=WORK, default=WORK, help="whose cost")
    arguments = parser.parse_args()
    if not machine.gpus():
        sys.exit("always_on.py: no NVIDIA GPU here (nvidia-smi lists none)")
    failures = []
    costs = cost(arguments.work, arguments.rounds, failures)
    minutes = stay(arguments.minutes, failures)
    lines = [f"`{OPTIONS}`, {arguments.rounds} processes each in turns with two of the same program "
             "alone. How much longer an operation took, mean and standard error, and by how much "
             "the two alone differ:", "",
             *results.table(["work", "alone", "under ktime", "by chance"], costs), "",
             f"One process for {arguments.minutes} minutes. Memory in KiB, calls by the program and "
             "by the metrics file:", "",
             *results.table(["minute", "resident", "calls", "counted"], minutes),
             "", *(f"- {failure}" for failure in failures)]
    print("\n".join(lines))
    results.write_section("always-on", "Always on", "always_on.py", lines)
    sys.exit(1 if failures else 0)


main()
