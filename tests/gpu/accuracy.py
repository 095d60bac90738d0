#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
How right ktime's two clocks are: kernels of 1 to 1000 us and copies of 4 KB to 1 GB on one busy
stream, each by CUPTI and by event pairs in the same run, by CUPTI without any events injected,
and by nsys. Writes its section of tests/gpu/RESULTS.md.
"""
import argparse
import dataclasses
import os
import sys
import tempfile

sys.dont_write_bytecode = True

import counts
import nsys
import process
import profilers
import results
import sessions

PROGRAM = os.path.join(profilers.BUILD, "gpu", "accuracy")
BOTH_CLOCKS = "--timer both --events all"
SIZES = [4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20, 1 << 30]


@dataclasses.dataclass(frozen=True)
class Case:
    arguments: tuple
    title: str = None  # None: every row of the run has its own name
    row: str = None  # the one row of interest
    checked: bool = True  # held to the bar; not where the pair holds the host's part too
    nsys: bool = False


def size_title(size):
    for shift, unit in ((30, "GB"), (20, "MB"), (10, "KB")):
        if size >= 1 << shift:
            return f"{size >> shift} {unit}"
    return f"{size} B"


def cases():
    copies = [("pageable", "HtoD", "pageable HtoD", False), ("pinned", "HtoD", "pinned HtoD", True),
              ("pinned_dtoh", "DtoH", "pinned DtoH", True), ("dtod", "DtoD", "DtoD", True)]
    found = [Case(("kernels",), nsys=True), Case(("overlap",), checked=False)]
    for kind, direction, title, checked in copies:
        found += [Case(("copy", kind, str(size)), f"{title} {size_title(size)}",
                       f"[CUDA memcpy {direction}]", checked, nsys=size in (4 << 10, 16 << 20))
                  for size in SIZES]
    return found


def run_ktime(case, directory):
    """{name: sessions.Row}, both clocks on every call."""
    file = os.path.join(directory, "session")
    argv, environment = profilers.under_ktime([PROGRAM, *case.arguments],
                                              f"{BOTH_CLOCKS} -f -o {file}")
    outcome = process.run(argv, environment)
    if outcome.returncode:
        raise RuntimeError(outcome.stderr.strip())
    return {row.name: row for row in sessions.read(file).rows}


def run_bare_tracer(case, directory):
    file = os.path.join(directory, "bare")
    argv, environment = profilers.under_bare_tracer([PROGRAM, *case.arguments], file)
    process.run(argv, environment)
    if not os.path.exists(file):
        return {}
    with open(file) as text:
        return counts.from_bare_tracer(text.read())


def run_nsys(case, directory):
    report = os.path.join(directory, "nsys")
    process.run(*nsys.under_nsys([PROGRAM, *case.arguments], report))
    return nsys.read(report)


def title_of(case, name):
    if case.title:
        return case.title
    digits = "".join(c if c.isdigit() else " " for c in name.partition("timed_kernel")[2]).split()
    where = ", four streams" if case.arguments == ("overlap",) else ""
    return f"kernel of {digits[0]} us{where}" if digits else name


def microseconds(nanoseconds):
    return "-" if nanoseconds is None else f"{nanoseconds / 1e3:.3f}"


def within(value, reference, percent, nanoseconds):
    return abs(value - reference) <= max(reference * percent / 100, nanoseconds)


def judge(case, row, bare, of_nsys, failures, title):
    """One line of the table; what misses its bar goes to failures."""
    cupti, events = row.cupti.median_ns, row.events.median_ns
    marks = []
    if cupti is None or events is None:
        failures.append(f"{title}: not timed by both clocks")
        return [title, row.calls, *["-"] * 7, "**not timed by both**"]
    if not case.checked:
        marks += row.marks or ["not checked"]
    elif not within(events, cupti, 2, 200):
        failures.append(f"{title}: event median {events:.0f} ns, CUPTI {cupti:.0f} ns")
        marks.append("**differs**")
    if case.checked and bare and row.kind == "kernel" and not within(cupti, bare.median_ns, 2, 100):
        failures.append(f"{title}: CUPTI median {cupti:.0f} ns, {bare.median_ns:.0f} ns without "
                        "injected events")
        marks.append("**differs from CUPTI alone**")
    if of_nsys:
        if of_nsys.calls != row.calls:
            failures.append(f"{title}: {row.calls} calls, {of_nsys.calls} by nsys")
        if not within(cupti, of_nsys.median_ns, 2, 100):
            failures.append(f"{title}: CUPTI median {cupti:.0f} ns, "
                            f"nsys {of_nsys.median_ns:.0f} ns")
            marks.append("**nsys differs**")
    checked = row.checked
    return [title, row.calls,
            microseconds(checked.cupti_ns / checked.calls if checked.calls
                         else row.cupti.average_ns),
            microseconds(checked.raw_ns / checked.calls if checked.calls else None),
            microseconds(checked.corrected_ns / checked.calls if checked.calls
                         else row.events.average_ns),
            microseconds(cupti), microseconds(events),
            microseconds(bare.median_ns if bare else None),
            microseconds(of_nsys.median_ns if of_nsys else None), ", ".join(marks) or "ok"]


def wanted(case, name):
    return name == case.row if case.row else "timed_kernel" in name


def measure(case, with_nsys, failures):
    """The table's lines of one case."""
    with tempfile.TemporaryDirectory(prefix="ktime-accuracy-") as directory:
        rows = run_ktime(case, directory)
        bare = run_bare_tracer(case, directory)
        of_nsys = run_nsys(case, directory) if with_nsys and case.nsys else {}
    lines = []
    for name, row in rows.items():
        if wanted(case, name):
            title = title_of(case, name)
            lines.append(judge(case, row, bare.get(name), of_nsys.get(name), failures, title))
    if not lines:
        failures.append(f"{' '.join(case.arguments)}: no row in the session")
    return lines


HEADER = ["operation", "calls", "CUPTI avg", "event avg, raw", "event avg, corrected",
          "CUPTI median", "event median, corrected", "CUPTI median without events",
          "nsys median", "result"]


def main():
    parser = argparse.ArgumentParser(description="Compares ktime's two clocks on a real GPU.")
    parser.add_argument("--quick", action="store_true", help="kernels and two sizes of copies")
    parser.add_argument("--no-nsys", action="store_true", help="leave nsys out")
    options = parser.parse_args()
    with_nsys = nsys.find() and not options.no_nsys
    lines, failures = [], []
    for case in cases():
        if options.quick and case.row and not case.nsys:
            continue
        print(" ".join(case.arguments), file=sys.stderr, flush=True)
        try:
            lines += measure(case, with_nsys, failures)
        except (RuntimeError, OSError) as error:
            failures.append(f"{' '.join(case.arguments)}: {error}")
    text = results.table(HEADER, lines) + [""] + [f"- {failure}" for failure in failures]
    print("\n".join(text))
    if not options.quick:
        intro = ["Times in microseconds. Held to: event medians within 2 % or 0.2 us of CUPTI's,",
                 "nsys's medians within 2 % or 0.1 us of ktime's.", ""]
        results.write_section("accuracy", "The two clocks", "accuracy.py", intro + text)
    print(f"\n{len(lines)} rows, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
