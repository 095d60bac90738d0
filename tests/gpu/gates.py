#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
How right event pairs are by themselves: averages by events alone (--timer events --events all)
beside those by CUPTI alone, of kernels, memsets, graphs and copies, where the device waits for each
call (one every 50 us), where calls come one after the other, and behind a busy device. Also what a
gate costs the host. Writes its section of tests/gpu/RESULTS.md; takes about 90 s.
"""
import argparse
import os
import sys
import tempfile

sys.dont_write_bytecode = True

import process
import profilers
import results
import sessions

PROGRAM = os.path.join(profilers.BUILD, "gpu", "gates")
EVENTS = "--timer events --events all --graph graph"
CUPTI = "--timer cupti --graph graph"
PACES = {"spaced": "one call every 50 us", "back": "one after the other", "busy": "device busy"}
SIZES = [4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20]
FEW_SIZES = [4 << 10, 16 << 20]
DIRECTIONS = {"htod": "HtoD", "dtoh": "DtoH", "dtod": "DtoD", "pageable": "HtoD"}
HEADER = ["operation", "pace", "calls", "gated", "CUPTI avg", "event avg", "difference", "result"]


def size_title(size):
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} KB"


def cases(quick):
    """(title, pace, arguments, row's name); title and name None: every row that is wanted."""
    for pace in PACES:
        yield None, pace, [pace, "kernels"], None
        for size in SIZES if pace == "spaced" and not quick else FEW_SIZES:
            for kind, direction in DIRECTIONS.items():
                yield (f"{kind} {size_title(size)}", pace, [pace, "copy", kind, str(size)],
                       f"[CUDA memcpy {direction}]")


def run(arguments, options, directory):
    file = os.path.join(directory, "session")
    argv, environment = profilers.under_ktime([PROGRAM, *arguments], f"{options} -f -o {file}")
    outcome = process.run(argv, environment)
    if outcome.returncode:
        raise RuntimeError(outcome.stderr.strip())
    return sessions.read(file)


def wanted(row, name):
    if name:
        return row.name == name
    return "timed_kernel" in row.name or row.kind in ("memset", "graph")


def title_of(row):
    if row.kind == "memset":
        return "memset 64 KB"
    if row.kind == "graph":
        return "graph of 20 kernels"
    digits = "".join(c if c.isdigit() else " " for c in row.name.partition("timed_kernel")[2])
    return f"kernel of {digits.split()[0]} us"


def judge(title, pace, row, reference, gated, failures):
    cupti, events = reference and reference.cupti.average_ns, row.events.average_ns
    if not cupti or events is None:
        failures.append(f"{title}, {PACES[pace]}: not timed by both")
        return [title, PACES[pace], row.calls, gated, "-", "-", "-", "**not timed**"]
    difference = events - cupti
    held = "holds the host's part" in row.marks
    good = abs(difference) <= max(200, cupti * 0.02)
    if not good and not held:
        failures.append(f"{title}, {PACES[pace]}: {events:.0f} ns by events, {cupti:.0f} by CUPTI")
    return [title, PACES[pace], row.calls, gated, f"{cupti / 1e3:.3f}", f"{events / 1e3:.3f}",
            f"{difference / 1e3:+.3f}",
            "holds the host's part" if held else "ok" if good else "**differs**"]


def measure(title, pace, arguments, name, failures):
    with tempfile.TemporaryDirectory(prefix="ktime-gates-") as directory:
        by_events = run(arguments, EVENTS, directory)
        by_cupti = run(arguments, CUPTI, directory)
    counters = by_events.counters
    gated = f"{100 * counters['gated_pairs'] / max(1, counters['event_pairs']):.0f} %"
    # Graphs are numbered by the process, so they are found by their kind.
    references = {row.kind if row.kind == "graph" else row.name: row for row in by_cupti.rows}
    return [judge(title or title_of(row), pace, row,
                  references.get(row.kind if row.kind == "graph" else row.name), gated, failures)
            for row in by_events.rows if wanted(row, name)]


def turn(mode, options):
    argv, environment = ([PROGRAM, "latency", mode], profilers.plain_environment())
    if options:
        argv, environment = profilers.under_ktime(argv, options)
    return process.run(argv, environment).stdout.strip()


def latencies():
    ways = [("alone", None), ("event pairs", f"{EVENTS} --gate off"), ("gated pairs", EVENTS)]
    return results.table(["empty kernel, us", *[way for way, _ in ways]],
                         [[title, *[turn(mode, options) for _, options in ways]]
                          for mode, title in (("launch", "launch call"),
                                              ("wait", "launch and wait"))])


def main():
    parser = argparse.ArgumentParser(description="Compares gated event pairs with CUPTI.")
    parser.add_argument("--quick", action="store_true", help="two sizes of copies only")
    options = parser.parse_args()
    lines, failures = [], []
    for case in cases(options.quick):
        print(" ".join(case[2]), file=sys.stderr, flush=True)
        try:
            lines += measure(*case, failures)
        except (RuntimeError, OSError) as error:
            failures.append(f"{' '.join(case[2])}: {error}")
    text = [*results.table(HEADER, lines), "", *latencies(), "",
            *[f"- {failure}" for failure in failures]]
    print("\n".join(text))
    intro = ["Averages in microseconds, each clock in a run of its own. Held to: 2 % or 0.2 us.",
             "`gated`: of all event pairs of the run.", ""]
    results.write_section("gates", "Event pairs by themselves", "gates.py", intro + text)
    print(f"\n{len(lines)} rows, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
