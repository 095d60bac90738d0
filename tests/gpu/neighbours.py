#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Other tools around a program that runs under ktime: nsys, ncu and compute-sanitizer must find what
they find without ktime, but for the kernels and the copy by which ktime measures what event pairs
add, and ktime must count what it counts without them. Writes its section of tests/gpu/RESULTS.md.
"""
import glob
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True

import counts
import nsys
import process
import profilers
import results

PROGRAM = os.path.join(profilers.BUILD, "workloads", "saxpy")
OWN_KERNEL = "ktime_self_timing"
ARGUMENTS = ["--repetitions", "20", "--n", "100000"]


def find(tool):
    """A tool on PATH, or where its own package puts it; None where there is none."""
    places = [shutil.which(tool), f"/usr/local/cuda/bin/{tool}",
              *sorted(glob.glob(f"/opt/nvidia/nsight-compute/*/{tool}"), reverse=True)]
    return next((place for place in places if place and os.access(place, os.X_OK)), None)


def of_nsys(report):
    """nsys's counts, as text that can be compared, without ktime's own work: its kernel, and the
    copy that it makes with it."""
    found = counts.calls(nsys.read(report))
    if found.pop(OWN_KERNEL, 0):
        found["[CUDA memcpy HtoD]"] -= 1
    return ", ".join(f"{n} {name}" for name, n in sorted(found.items()))


def of_ncu(text):
    kernels = re.findall(r"^\s+(\w+)\(.*\), Context \d+, Stream \d+", text, re.M)
    return f"{len(kernels)} kernels profiled: {', '.join(sorted(set(kernels)))}"


def of_sanitizer(text):
    match = re.search(r"ERROR SUMMARY: .*", text)
    return match.group(0) if match else "no summary"


def tools(directory):
    """[(title, what stands before the program, how its findings are read)]; None: not here."""
    report = os.path.join(directory, "nsys")
    ncu, sanitizer = find("ncu"), find("compute-sanitizer")
    return [
        ("nsys", nsys.find() and nsys.command(report), lambda outcome: of_nsys(report)),
        ("ncu", ncu and [ncu, "--metrics", "gpu__time_duration.sum"],
         lambda outcome: of_ncu(outcome.stdout)),
        ("compute-sanitizer", sanitizer and [sanitizer],
         lambda outcome: of_sanitizer(outcome.stdout + outcome.stderr)),
    ]


def run(command, file):
    """The tool and the program, under ktime where it is given a file to write to."""
    environment = nsys.environment()
    if file:
        environment["LD_PRELOAD"] = profilers.LIBRARY
        environment["KTIME_OPTIONS"] = f"--csv --demangling off --log-file {file}.ktime.%p"
    return process.run([*command, PROGRAM, *ARGUMENTS], environment)


def counted_by_ktime(pattern):
    found = None
    for path in glob.glob(pattern):
        with open(path) as file:
            found = counts.from_ktime_csv(file.read(), found)
    return counts.calls(found or {})


def check(title, command, findings, alone, directory):
    """One line of the table, and whether all is well."""
    file = os.path.join(directory, title)
    without = run(command, None)
    found_without = findings(without)
    with_ktime = run(command, file)
    found_with = findings(with_ktime)
    counted = counted_by_ktime(f"{file}.ktime.*")
    good = (found_with == found_without and with_ktime.returncode == without.returncode
            and counted == alone)
    why = "" if good else f" (ktime counted {counted}, without the tool {alone}; " \
        f"exit code {with_ktime.returncode}, without ktime {without.returncode})"
    return [title, found_without, found_with, sum(counted.values()),
            "ok" if good else "**FAILED**" + why], good


def main():
    lines, failed = [], 0
    with tempfile.TemporaryDirectory(prefix="ktime-neighbours-") as directory:
        run([], os.path.join(directory, "alone"))
        alone = counted_by_ktime(os.path.join(directory, "alone.ktime.*"))
        for title, command, findings in tools(directory):
            if not command:
                lines.append([title, "-", "-", "-", "skipped: not installed"])
                continue
            line, good = check(title, command, findings, alone, directory)
            lines.append(line)
            failed += not good
    text = results.table(["tool", "it finds without ktime", "with ktime", "operations by ktime",
                          "result"], lines)
    print("\n".join(text))
    results.write_section("neighbours", "Other tools around ktime", "neighbours.py", text)
    sys.exit(1 if failed else 0)


main()
