#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Ends programs from a host function in each way, alone and under ktime, and prints how long the end
took, from the call that ends the program to the end of the process. Under ktime each must have its
report and the status that it has alone, and be gone within a second.
"""
import argparse
import os
import statistics
import subprocess
import sys
import threading
import time

import profilers

HOWS = ("function", "callback", "node", "captured")
WAYS = ("exit", "_exit", "quick_exit", "abort", "terminate", "SIGTERM")
MOST_S = 1.0
LIMIT_S = 30


def one_run(argv, environment):
    """Status, seconds from the line that it prints before its end, and what it said."""
    child = subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    guard = threading.Timer(LIMIT_S, child.kill)
    guard.start()
    child.stdout.readline()
    began = time.monotonic()
    said = []
    reader = threading.Thread(target=lambda: said.append(child.stderr.read()))
    reader.start()
    status = child.wait(timeout=2 * LIMIT_S)
    seconds = time.monotonic() - began
    guard.cancel()
    reader.join()
    return status, seconds, said[0]


def measure(program, how, way, runs, options):
    alone = [one_run(*profilers.under_nothing([program, how, way])) for _ in range(runs)]
    under = [one_run(*profilers.under_ktime([program, how, way], options)) for _ in range(runs)]
    reports = sum(said.count("Profiling result:") == 1 for _, _, said in under)
    same = {run[0] for run in under} == {run[0] for run in alone}
    longest = max(run[1] for run in under)
    good = reports == runs and same and longest < MOST_S
    print(f"{how:9} {way:11} {options or '-':16} alone median {statistics.median(r[1] for r in alone):.2f} s, "
          f"longest {max(r[1] for r in alone):.2f}; under ktime median {statistics.median(r[1] for r in under):.2f} s, "
          f"longest {longest:.2f}; {reports} reports of {runs}; status {'as alone' if same else 'NOT as alone'}"
          f"{'' if good else '  FAILED'}", flush=True)
    print("   ", " ".join(f"{r[1]:.2f}" for r in alone), "|", " ".join(f"{r[1]:.2f}" for r in under), flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description="Ends programs from a host function, on a real GPU.")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--how", default="", help=f"one of {', '.join(HOWS)} alone")
    parser.add_argument("--program", default=os.path.join(profilers.BUILD, "gpu", "host_ends"))
    options = parser.parse_args()
    good = True
    for how in (options.how,) if options.how else HOWS:
        # The ways are the same wherever the driver calls from.
        for way in WAYS if how == "function" else ("exit", "_exit", "quick_exit"):
            good &= measure(options.program, how, way, options.runs if how == "function" else max(1, options.runs // 4), "")
    for way in ("exit", "_exit"):
        good &= measure(options.program, "function", way, max(1, options.runs // 4), "--timer events")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
