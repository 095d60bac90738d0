#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What ktime says that a program holds, against what cuMemGetInfo says that the device has free: from
point to point of python/memory_points.py both must change by the same, within one granule. Writes
its section of tests/gpu/RESULTS.md, and ends with status 1 if they do not. Run from the root of the
tree; KTIME_RUNNER=tests/sim/run runs the driver's part on the simulated device.
"""
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True

import machine
import process
import profilers
import results

GRANULE = 2 << 20  # what the driver takes at a time for cuMemAlloc
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python", "memory_points.py")


def held_in(profile):
    """(bytes held on device 0, allocations so far)."""
    outcome = process.run([profilers.COMMAND, "export", "--json", "-", profile],
                          profilers.command_environment())
    if outcome.returncode:
        sys.exit(f"ktime export: {outcome.stderr}")
    for use in json.loads(outcome.stdout)["memory"]:
        if use["kind"] == "total" and use["device"] == 0:
            return use["held"], use["allocations"]
    return 0, 0


def measure(what):
    """Rows of the table, and whether all agree."""
    with tempfile.TemporaryDirectory() as folder:
        argv, environment = profilers.under_ktime([sys.executable, PROGRAM, what, folder],
                                                  "--quiet --gate off")
        environment["KTIME_COMMAND"] = profilers.COMMAND
        outcome = process.run(argv, environment)
        if outcome.returncode:
            sys.exit(f"{what}: exit code {outcome.returncode}: {outcome.stderr}")
        points = [line.split() for line in outcome.stdout.splitlines()
                  if line.startswith("point ")]
        free = [int(line[2]) for line in points]
        held = [held_in(os.path.join(folder, line[1])) for line in points]
    if len(free) < 2:
        sys.exit(f"{what}: it has {len(free)} points")
    rows, good = [], True
    for i in range(1, len(free)):
        device, ktime = free[0] - free[i], held[i][0] - held[0][0]
        agrees = abs(device - ktime) <= GRANULE
        good = good and agrees
        rows.append([what, str(i), f"{held[i][1]:,}", f"{device / 2**20:+,.1f}",
                     f"{ktime / 2**20:+,.1f}", "" if agrees else "differs"])
    return rows, good


def main():
    if not machine.gpus() and not profilers.RUNNER:
        sys.exit("memory.py: no NVIDIA GPU here (nvidia-smi lists none)")
    found = [measure(what) for what in (["driver"] if profilers.RUNNER else ["driver", "torch"])]
    lines = ["MiB that the device has less than at the first point, by cuMemGetInfo and by "
             "ktime's `held`; they may differ by one granule of 2 MiB:", "",
             *results.table(["what", "point", "allocations so far", "cuMemGetInfo", "ktime", ""],
                            [row for rows, _ in found for row in rows])]
    print("\n".join(lines))
    if not profilers.RUNNER:
        results.write_section("memory", "Memory", "memory.py", lines)
    sys.exit(0 if all(good for _, good in found) else 1)


main()
