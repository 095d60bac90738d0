#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What ktime prints for saxpy, the reference program, on this machine's GPU: its three builds as a
user sees them, and one build in ktime's other modes. Writes its section of tests/gpu/RESULTS.md,
and ends with status 1 where a program or ktime failed. Run from the root of the tree.
"""
import os
import sys

sys.dont_write_bytecode = True

import machine
import process
import profilers
import results

# (build, its arguments, ktime's options)
RUNS = [
    ("saxpy", "", ""),
    ("saxpy_shared", "", ""),
    ("saxpy_driver", "", ""),
    ("saxpy", "", "--timer events --print-gpu-summary"),
    ("saxpy", "--repetitions 1000 --streams 4 --threads 4",
     "--print-gpu-summary --percentiles --cross-check"),
]


def run(build, arguments, options):
    """(lines of Markdown, why it failed or None)."""
    program = os.path.relpath(os.path.join(profilers.BUILD, "workloads", build))
    argv, environment = profilers.under_ktime([program, *arguments.split()], options)
    outcome = process.run(argv, environment)
    why = None
    if outcome.returncode:
        why = f"{program}: exit code {outcome.returncode}"
    elif "Profiling result:" not in outcome.stderr:
        why = f"{program}: no report"
    command = [f"LD_PRELOAD={os.path.relpath(profilers.LIBRARY)}",
               f'KTIME_OPTIONS="{options}"' if options else "", *argv]
    return ["```", "$ " + " ".join(filter(None, command)),
            *(outcome.stdout + outcome.stderr).splitlines(), "```", ""], why


def main():
    if not machine.gpus():
        sys.exit("tables.py: no NVIDIA GPU here (nvidia-smi lists none)")
    if not os.path.exists(profilers.LIBRARY):
        sys.exit(f"tables.py: {profilers.LIBRARY} is not built: make")
    runs = [run(*each) for each in RUNS]
    lines = [line for text, _ in runs for line in text]
    failures = [why for _, why in runs if why]
    print("\n".join(lines + failures))
    results.write_section("tables", "Tables", "tables.py", lines)
    sys.exit(1 if failures else 0)


main()
