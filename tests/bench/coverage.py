#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
How often the 95 % interval of a total by a sample of event pairs holds the truth: programs on the
simulated device, whose total is known, under libktime.so as users run it. The sampler works by real
time, so no two runs are the same. Prints a table; ends with 1 if a situation has fewer than
LEAST_HELD of its intervals hold, or means are farther off than MOST_OFF, or at MIDDLE calls more
than half of the intervals are wider than MOST_HALF_WIDTH.
Usage: coverage.py [RUNS [CALLS…]]   (from the root of the tree, after `make coverage-programs`)
"""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

BUILD = os.environ.get("BUILD", "build")
SHAPES = ["constant", "step", "ramp", "alternating", "warm-up", "periodic", "bursts", "rare",
          "heavy-tail"]
RUNS = 40
CALLS = [1_000, 5_000, 20_000]
MIDDLE = 5_000
PACE_NS = 2_000
LEAST_HELD = 0.9
MOST_OFF = 0.05
MOST_HALF_WIDTH = 0.15
SECONDS = 120


def run(shape, calls, seed, folder):
    """The truth, the row's total and half of its interval; None where there is none."""
    profile = os.path.join(folder, "profile")
    environment = dict(os.environ, LD_PRELOAD=os.path.abspath(f"{BUILD}/libktime.so"),
                       KTIME_OPTIONS=f"--timer events --quiet -f -o {profile}")
    said = subprocess.run(["tests/sim/run", f"{BUILD}/sim/preload/shapes", str(calls), str(PACE_NS),
                           shape, str(seed)], env=environment, check=True, timeout=SECONDS,
                          stdout=subprocess.PIPE, text=True).stdout
    exported = subprocess.run([f"{BUILD}/ktime", "export", "--json", "-", profile], check=True,
                              timeout=SECONDS, stdout=subprocess.PIPE).stdout
    row = next(row for row in json.loads(exported)["rows"] if row["kind"] == "kernel")
    if row["events"]["count"] == row["calls"]:
        return float(said), row["events"]["total"], 0
    return float(said), row["estimate"]["total"], row["estimate"].get("error")


def situation(shape, calls, runs, folder):
    """A line of the table; the half widths, and whether the bars are kept."""
    held, off, half_widths = 0, [], []
    for seed in range(1, runs + 1):
        truth, total, error = run(shape, calls, seed, folder)
        off.append(total / truth - 1)
        if error is not None:
            held += abs(total - truth) <= error + 0.5 * calls
            half_widths.append(error / truth)
    mean = statistics.mean(off)
    good = held >= LEAST_HELD * runs and abs(mean) <= MOST_OFF
    middle = statistics.median(half_widths) if half_widths else math.inf
    print(f"| {shape} | {calls:,} | {held} of {runs} | {len(half_widths)} | {mean:+.1%} | "
          f"{math.sqrt(statistics.mean(value * value for value in off)):.1%} | {middle:.1%} |"
          f"{'' if good else ' missed'}", flush=True)
    return half_widths, good


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    lengths = [int(word) for word in sys.argv[2:]] or CALLS
    good = True
    print("| durations | calls | intervals that hold | claimed | mean deviation | root mean square | "
          "median half width |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="ktime-coverage.") as folder:
        for calls in lengths:
            half_widths = []
            for shape in SHAPES:
                more, kept = situation(shape, calls, runs, folder)
                half_widths += more
                good &= kept
            if calls == MIDDLE and not statistics.median(half_widths) <= MOST_HALF_WIDTH:
                print(f"The median half width is {statistics.median(half_widths):.1%}.")
                good = False
    sys.exit(0 if good else 1)


main()
