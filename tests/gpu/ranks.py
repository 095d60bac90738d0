#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Two GPUs: a job of two ranks under torchrun, of which the second is slow before each all-reduce. Who
waited, and how long: by ktime's traces within 2 % of what the program measured, by sums a bound that
holds. Writes its section of tests/gpu/RESULTS.md; takes about a minute. Needs PyTorch with NCCL.
"""
import glob
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

import process
import profilers
import results

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "python", "uneven_ranks.py")
CALLS = 50
MILLISECONDS = (1, 5)
TOLERANCE = 0.02
HEADER = ["rank 1 is late by", "trace", "rank 0 waited", "ktime", "difference", "slowest", "result"]


def run_job(folder, options, milliseconds):
    """Returns what the program measured, ns, and ktime's job of the merged profile."""
    argv = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
            "--no-python", profilers.COMMAND, "--profile-from-start", "off", *options, "-o",
            os.path.join(folder, "run"), sys.executable, PROGRAM, str(CALLS), str(milliseconds)]
    environment = profilers.command_environment()
    # The ring, whose kernel is the same on every machine.
    environment.setdefault("NCCL_NVLS_ENABLE", "0")
    outcome = process.run(argv, environment, 300)
    own = dict(re.findall(r"own (\d) (\d+)$", outcome.stdout, re.M))
    if outcome.returncode or sorted(own) != ["0", "1"]:
        raise RuntimeError(f"torchrun ended with {outcome.returncode}: "
                           f"{outcome.stdout[-300:]!r} {outcome.stderr[-300:]}")
    truth = int(own["1"]) - int(own["0"])
    merged = os.path.join(folder, "merged")
    files = sorted(glob.glob(os.path.join(folder, "run.[01].ktime")))
    for command in (["merge", "-o", merged, *files],
                    ["export", "--json", os.path.join(folder, "json"), merged]):
        outcome = process.run([profilers.COMMAND, *command], profilers.command_environment(), 60)
        if outcome.returncode:
            raise RuntimeError(outcome.stderr)
    with open(os.path.join(folder, "json")) as file:
        return truth, json.load(file)["job"]


def measure(traced, milliseconds, failures):
    with tempfile.TemporaryDirectory() as folder:
        truth, job = run_job(folder, ["--keep-trace", "all"] if traced else [], milliseconds)
    ranks = {entry["rank"]["number"]: entry for entry in job["processes"]}
    told = ranks[0].get("waiting") if traced else ranks[0]["waiting_least"]
    own = {number: entry["gpu"] - entry["collectives"] for number, entry in ranks.items()}
    slowest = max(own, key=own.get)
    title = f"{milliseconds} ms, {'trace' if traced else 'sums'}"
    if told is None:
        failures.append(f"{title}: the waiting time is not exact")
        return [f"{milliseconds} ms", "yes", truth, "-", "-", slowest, "**differs**"]
    difference = told / truth - 1
    good = abs(difference) <= TOLERANCE if traced else 0 < told <= truth * (1 + TOLERANCE)
    if not good or slowest != 1:
        failures.append(f"{title}: {told} ns of {truth}, slowest {slowest}")
    return [f"{milliseconds} ms", "yes" if traced else "no", f"{truth / 1e6:.2f} ms",
            f"{'' if traced else '>'}{told / 1e6:.2f} ms", f"{100 * difference:+.2f} %", slowest,
            "ok" if good and slowest == 1 else "**differs**"]


def main():
    failures, rows = [], []
    for milliseconds in MILLISECONDS:
        for traced in (True, False):
            try:
                rows.append(measure(traced, milliseconds, failures))
            except (RuntimeError, OSError, KeyError) as error:
                failures.append(str(error))
    text = results.table(HEADER, rows) + ["", *(f"- {failure}" for failure in failures)]
    print("\n".join(text))
    results.write_section("ranks", "Two ranks", "ranks.py", [
        f"torchrun, NCCL's all-reduce, {CALLS} calls; rank 1 works longer before each. What rank 0 "
        "waited is by how much longer rank 1's work took, by events of both. With a trace ktime has to be within 2 %, "
        "without its bound has to hold.", "", *text])
    print(f"\n{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
