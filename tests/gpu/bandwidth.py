#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Rates of ktime --bandwidth beside a program's own, taken with its events in the same run, and what
`ktime devices` says of this machine's GPU. Writes its section of tests/gpu/RESULTS.md, and ends
with status 1 where two figures differ by more than the limit. Run from the root of the tree.
"""
import csv
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

import machine
import process
import profilers
import results

# By how many percent two averages may differ.
KERNELS_WITHIN = 2
COPIES_WITHIN = 3
# (title, elements, repetitions, compared). The program's one pair of events is around all launches:
# the time between two short ones is in it.
SAXPY = [("saxpy, N = 20 Mi", 20 << 20, 50, False), ("saxpy, N = 2^28", 1 << 28, 50, True)]
SAXPY_OPTIONS = "--bytes 'saxpy=12/thread' --flops 'saxpy=2/thread'"
# (KIND, MEMORY, MiB, copies, row)
TRANSFERS = [
    ("HtoD", "pinned", 256, 20, "[CUDA memcpy HtoD]"),
    ("DtoH", "pinned", 256, 20, "[CUDA memcpy DtoH]"),
    ("HtoD", "pageable", 256, 20, "[CUDA memcpy HtoD]"),
    ("DtoH", "pageable", 256, 20, "[CUDA memcpy DtoH]"),
    ("DtoD", "pinned", 1024, 20, "[CUDA memcpy DtoD]"),
    ("memset", "pinned", 1024, 20, "[CUDA memset]"),
]
# Columns of the rates in CSV.
AVERAGE, LEAST, MOST, PERCENT, PEAK, PEAK_OF = 2, 3, 4, 5, 6, 7
GFLOPS, BOUND, OCCUPANCY, NAME = 9, 15, 17, -1


def run(argv, options):
    """(what the program printed, its rows of rates by name)."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        argv, environment = profilers.under_ktime(
            argv, f"--csv --quiet --bandwidth --log-file {log} {options}")
        outcome = process.run(argv, environment)
        if outcome.returncode:
            sys.exit(f"{argv}: exit code {outcome.returncode}: {outcome.stderr}")
        with open(log) as file:
            lines = file.read().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"Device"'))
    return outcome.stdout, {row[NAME]: row for row in csv.reader(lines[start + 2:])}


def difference(own, ktime):
    return 100 * (ktime - own) / own


def saxpy(title, elements, repetitions, compared):
    """(a row of the table, whether the figures agree)."""
    program = os.path.join(profilers.BUILD, "workloads", "saxpy")
    output, rows = run([program, "--n", str(elements), "--repetitions", str(repetitions)],
                       SAXPY_OPTIONS)
    row = next(row for name, row in rows.items() if name.startswith("saxpy("))
    own = float(re.search(r"bandwidth \(GB/s\): ([\d.]+)", output).group(1))
    flops = float(re.search(r"Throughput \(GFLOP/s\): ([\d.]+)", output).group(1))
    found = difference(own, float(row[AVERAGE]))
    differences = [found, difference(flops, float(row[GFLOPS]))]
    cells = cells_of(title, f"{own:.1f}", row, found)
    cells.append(("" if compared else "not compared: gaps between launches; ") +
                 f"{float(row[GFLOPS]):.1f} GFLOP/s (own {flops:.1f}), bound by "
                 f"{row[BOUND] or '-'}, occupancy {row[OCCUPANCY]} %")
    return cells, not compared or all(abs(each) <= KERNELS_WITHIN for each in differences)


def transfers(kind, memory, mib, count, name):
    program = os.path.join(profilers.BUILD, "gpu", "transfers")
    output, rows = run([program, kind, memory, str(mib), str(count)], "--print-gpu-summary")
    row, own = rows[name], [float(figure) for figure in output.split()]
    found = difference(own[0], float(row[AVERAGE]))
    cells = cells_of(f"{kind} {mib} MiB" + (f", {memory}" if "H" in kind else ""),
                     " / ".join(f"{figure:.1f}" for figure in own), row, found)
    return [*cells, ""], abs(found) <= COPIES_WITHIN


def cells_of(title, own, row, found):
    ktime = " / ".join(f"{float(row[i]):.1f}" for i in (AVERAGE, LEAST, MOST))
    of_peak = f"{float(row[PERCENT]):.1f} % of {float(row[PEAK]):.1f} ({row[PEAK_OF]})" \
        if row[PERCENT] else "-"
    return [title, own, ktime, f"{found:+.2f} %", of_peak]


def main():
    if not machine.gpus() and not profilers.RUNNER:
        sys.exit("bandwidth.py: no NVIDIA GPU here (nvidia-smi lists none)")
    devices = process.run([*profilers.RUNNER, profilers.COMMAND, "devices"],
                          profilers.command_environment())
    if devices.returncode:
        sys.exit(f"ktime devices: {devices.stderr}")
    found = [saxpy(*each) for each in SAXPY] + [transfers(*each) for each in TRANSFERS]
    lines = ["```", "$ ktime devices", *devices.stdout.splitlines(), "```", "",
             "GB/s by the program's own events and by `ktime --bandwidth`, in the same run "
             "(average / slowest / fastest call):", "",
             *results.table(["what", "own", "ktime", "difference", "of peak", ""],
                            [cells for cells, _ in found]), "",
             f"Averages must agree within {KERNELS_WITHIN} % (kernels) and {COPIES_WITHIN} % "
             "(copies and memsets)."]
    print("\n".join(lines))
    results.write_section("bandwidth", "Bandwidth", "bandwidth.py", lines)
    sys.exit(0 if all(good for _, good in found) else 1)


main()
