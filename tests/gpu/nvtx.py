#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
GPU time by NVTX range: ktime's ranges beside the same sums over nsys's export of another run, and
nsys's own report nvtx_gpu_proj_sum of both exports. The programs: ranges.cu, and PyTorch with
torch.cuda.nvtx and emit_nvtx, CuPy and Numba where they are installed. And what --nvtx-include
chooses of range_filter.cu beside what Nsight Compute's option of that name does. Writes its section of
tests/gpu/RESULTS.md; takes about 80 s. Needs nsys (KTIME_NSYS) and ncu for the comparisons.
"""
import argparse
import bisect
import csv
import importlib.util
import io
import os
import re
import shutil
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True

import nsys
import process
import profilers
import results
import sessions

HERE = os.path.dirname(os.path.abspath(__file__))
RANGES = os.path.join(profilers.BUILD, "gpu", "ranges")
FILTERED = os.path.join(profilers.BUILD, "gpu", "range_filter")
PYTHON = os.path.join(HERE, "python")
# What --nvtx-include takes.
EXPRESSIONS = ["a/", "a/b/", "a/+/d", "a/*/d", "[a/", "b]", "library@x/", "regex:step [0-9]/",
               "a\\/b/", "request", "request,reply", "library@request"]
HEADER = ["range", "calls", "GPU ops", "nsys: ops", "GPU time", "nsys: GPU time", "difference",
          "result"]
PUSH_POP, START_END, DOMAIN = 59, 60, 75


class Skipped(Exception):
    """A program that cannot run here."""


class Sum:
    """Of a range, by the names of those around it."""

    def __init__(self):
        self.calls, self.operations, self.time = 0, 0, 0

    def add(self, operations, time):
        self.operations += operations
        self.time += time


def of_ktime(session):
    """{path: Sum} of what was called in a range and in those inside of it."""
    ranges = session["ranges"]
    paths, sums = [], {}
    for entry in ranges:
        name = (entry["domain"] + "@" if entry["domain"] else "") + entry["name"]
        path = (*paths[entry["parent"]], name) if "parent" in entry else (name,)
        if entry["style"] == "start/end":
            path = (name + " (start/end)",)
        paths.append(path)
        total = sums.setdefault(path, Sum())
        total.calls += entry["calls"]
        total.add(entry["all"]["operations"], entry["all"]["time"])
    return sums


def without_numbers(name):
    """As ktime keeps what emit_nvtx names: without what tells each call from the others."""
    for number in (", seq = ", ", op_id = "):
        before, found, after = name.partition(number)
        if found and after[:1].isdigit():
            name = before
    return name


def operations_of(database):
    """(thread, start of the call, duration) of each GPU operation."""
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    for table in ("KERNEL", "MEMCPY", "MEMSET"):
        if f"CUPTI_ACTIVITY_KIND_{table}" in tables:
            yield from database.execute(
                f"SELECT call.globalTid, call.start, work.end - work.start "
                f"FROM CUPTI_ACTIVITY_KIND_{table} work JOIN CUPTI_ACTIVITY_KIND_RUNTIME call "
                f"ON work.correlationId = call.correlationId")


def of_sqlite(path):
    """The same over nsys's tables: an operation is in the ranges that its call began in."""
    with sqlite3.connect(path) as database:
        names = {(thread >> 24, number): name for number, thread, name in database.execute(
            f"SELECT domainId, globalTid, text FROM NVTX_EVENTS WHERE eventType = {DOMAIN}")}
        events = database.execute(
            f"SELECT start, end, eventType, globalTid, domainId, coalesce(text, value, '') "
            f"FROM NVTX_EVENTS LEFT JOIN StringIds ON textId = id "
            f"WHERE eventType IN ({PUSH_POP}, {START_END}) AND end IS NOT NULL "
            f"ORDER BY start, end DESC").fetchall()
        operations = sorted(operations_of(database))
    sums, open_now, by_thread = {}, {}, {}
    for start, end, kind, thread, domain, text in events:
        domain = names.get((thread >> 24, domain), "")
        name = (domain + "@" if domain else "") + without_numbers(text)
        path = (name + " (start/end)",)
        if kind == PUSH_POP:
            stack = open_now.setdefault(thread, [])
            while stack and stack[-1][0] < end:
                stack.pop()
            path = (*stack[-1][1], name) if stack else (name,)
            stack.append((end, path))
        sums.setdefault(path, Sum()).calls += 1
        by_thread.setdefault(thread if kind == PUSH_POP else None, []).append((start, end, path))
    calls = {}
    for thread, start, duration in operations:
        for key in (thread, None):
            calls.setdefault(key, []).append((start, duration))
    for thread, ranges in by_thread.items():
        inside = sorted(calls.get(thread, []))
        starts = [start for start, _ in inside]
        for start, end, path in ranges:
            part = inside[bisect.bisect_left(starts, start):bisect.bisect_left(starts, end)]
            sums[path].add(len(part), sum(duration for _, duration in part))
    return sums


def projected(path, force):
    """{range: (instances, GPU operations, projected ns)} as nsys's report nvtx_gpu_proj_sum has it."""
    done = process.run([nsys.find(), "stats", "-q", "-r", "nvtx_gpu_proj_sum", "--format", "csv",
                        *force, path], nsys.environment())
    start = done.stdout.find("Range,")
    found = {}
    for row in csv.DictReader(io.StringIO(done.stdout[start:])) if start >= 0 else ():
        name = without_numbers(row["Range"].removeprefix(":"))
        instances, operations, time = found.get(name, (0, 0, 0))
        found[name] = (instances + int(row.get("Range Instances") or 0),
                       operations + int(row.get("Total GPU Ops") or 0),
                       time + float(row.get("Total Proj Time (ns)") or 0))
    return found


def under_ktime(argv, directory):
    file, database = os.path.join(directory, "session"), os.path.join(directory, "ktime.sqlite")
    command, environment = profilers.under_ktime(argv, f"-f -o {file} --keep-trace all")
    outcome = process.run(command, environment, timeout=60)
    if outcome.returncode == 77:
        raise Skipped(next(line for line in outcome.stderr.splitlines() if "skipped" in line))
    if outcome.returncode:
        raise RuntimeError(f"under ktime: {outcome.stderr.strip()[-1000:]}")
    done = process.run([profilers.COMMAND, "export", "-f", "--sqlite", database, file],
                       profilers.command_environment())
    if done.returncode:
        raise RuntimeError(f"export: {done.stderr.strip()}")
    return of_ktime(sessions.export(file)), database


def under_nsys(argv, directory):
    report = os.path.join(directory, "nsys")
    command, environment = nsys.under_nsys(argv, report, ["--export=sqlite"], "cuda,nvtx")
    outcome = process.run(command, environment, timeout=90)
    database = report + ".sqlite"
    if not os.path.exists(database):
        raise RuntimeError(f"under nsys: {(outcome.stdout + outcome.stderr).strip()[-300:]}")
    return database


def compare(title, own, other, tolerance, failures):
    rows = []
    for path in sorted(own.keys() | other.keys(), key=lambda path: -own.get(path, Sum()).time):
        mine, theirs = own.get(path, Sum()), other.get(path, Sum())
        if mine.operations + theirs.operations == 0:
            continue
        difference = mine.time - theirs.time
        good = (mine.calls == theirs.calls and mine.operations == theirs.operations and
                abs(difference) <= max(5000, theirs.time * tolerance))
        if not good:
            failures.append(f"{title}, {'/'.join(path)}: {mine.operations:.0f} operations of "
                            f"{mine.time / 1e3:.1f} us, nsys {theirs.operations} of "
                            f"{theirs.time / 1e3:.1f} us; {mine.calls} and {theirs.calls} calls")
        rows.append(["/".join(path), mine.calls, f"{mine.operations:.0f}", theirs.operations,
                     f"{mine.time / 1e6:.3f} ms", f"{theirs.time / 1e6:.3f} ms",
                     f"{100 * difference / theirs.time:+.2f} %" if theirs.time else "-",
                     "ok" if good else "**differs**"])
    return rows


def measure(title, argv, tolerance, failures):
    lines = [f"### {title}", ""]
    with tempfile.TemporaryDirectory(prefix="ktime-nvtx-") as directory:
        own, database = under_ktime(argv, directory)
        # The trace and the rows of one run are one.
        compare(f"{title}, its own trace", own, of_sqlite(database), 0, failures)
        if tolerance is None or not nsys.find():
            rows = [["/".join(path), one.calls, f"{one.operations:.0f}", f"{one.time / 1e6:.3f} ms"]
                    for path, one in own.items()]
            return lines + ["Compared with ktime's own trace alone.", "",
                            *results.table(["range", "calls", "GPU ops", "GPU time"], rows), ""]
        theirs = under_nsys(argv, directory)
        rows = compare(title, own, of_sqlite(theirs), tolerance, failures)
        lines += [*results.table(HEADER, rows[:40]), ""]
        if len(rows) > 40:
            lines += [f"And {len(rows) - 40} more ranges.", ""]
        mine, original = projected(database, []), projected(theirs, [])
    names = [name for name in original if original[name][1]]
    lines += ["nsys's nvtx_gpu_proj_sum, of its own export and of ktime's:", "", *results.table(
        ["range", "instances", "of ktime's", "GPU ops", "of ktime's", "projected", "of ktime's"],
        [[name, original[name][0], mine.get(name, (0, 0, 0))[0], original[name][1],
          mine.get(name, (0, 0, 0))[1], f"{original[name][2] / 1e6:.3f} ms",
          f"{mine.get(name, (0, 0, 0))[2] / 1e6:.3f} ms"] for name in names[:20]]), ""]
    failures += [f"{title}, nsys's report of ktime's export: {name} has "
                 f"{mine.get(name, (0, 0, 0))[:2]}, not {original[name][:2]}" for name in names
                 if mine.get(name, (0, 0, 0))[:2] != original[name][:2]]
    return lines


def run_filtered(expression):
    """The kernels of range_filter.cu that ktime reports."""
    with tempfile.TemporaryDirectory(prefix="ktime-nvtx-") as directory:
        file = os.path.join(directory, "session")
        process.run(*profilers.under_ktime(
            [FILTERED], f"--quiet -f -o {file} --nvtx-include '{expression}'"), timeout=30)
        return {re.sub(r"\(.*", "", row["name"]) for row in sessions.export(file)["rows"]
                if row["kind"] == "kernel" and row["calls"]}


def run_filtered_by_ncu(expression):
    """Those that Nsight Compute profiles; None where it refuses the expression."""
    outcome = process.run(["ncu", "--nvtx", "--nvtx-include", expression, "--clock-control", "none",
                           "--metrics", "launch__grid_size", FILTERED],
                          profilers.plain_environment(), 60)
    said = outcome.stdout + outcome.stderr
    if outcome.timed_out or "==ERROR==" in said:
        return None
    return set(re.findall(r'Profiling "(\w+)', said))


def filtered(failures):
    lines = ["### --nvtx-include, and Nsight Compute's", ""]
    if not shutil.which("ncu"):
        return lines + ["ncu is not here.", ""]
    rows = []
    for expression in EXPRESSIONS:
        own, other = run_filtered(expression), run_filtered_by_ncu(expression)
        good = own == other
        if not good:
            difference = "refused" if other is None else " ".join(sorted(own ^ other))
            failures.append(f"--nvtx-include '{expression}': ktime {sorted(own)}, ncu: {difference}")
        rows.append([f"`{expression}`", len(own), "refused" if other is None else len(other),
                     " ".join(sorted(own)), "ok" if good else "**differs**"])
    return lines + results.table(["expression", "kernels", "ncu: kernels", "which", "result"],
                                 rows) + [""]


def main():
    parser = argparse.ArgumentParser(description="Compares GPU time by NVTX range with nsys's.")
    parser.add_argument("program", nargs="*", help="another program than ranges and PyTorch's")
    options = parser.parse_args()
    failures, text = [], []
    cases = [("ranges.cu", [RANGES], 0.02)]
    for package, title, tolerance, script in (
            ("torch", "PyTorch training", 0.1, ["nvtx_training.py"]),
            ("cupy", "CuPy", None, ["nvtx_arrays.py", "cupy"]),
            ("numba", "Numba", None, ["nvtx_arrays.py", "numba"])):
        if importlib.util.find_spec(package):
            argv = [sys.executable, os.path.join(PYTHON, script[0]), *script[1:]]
            cases.append((title, argv, tolerance))
    if options.program:
        cases = [(options.program[0], options.program, 0.1)]
    for title, argv, tolerance in cases:
        print(title, file=sys.stderr, flush=True)
        try:
            text += measure(title, argv, tolerance, failures)
        except Skipped as skipped:
            text += [f"### {title}", "", str(skipped), ""]
        except (RuntimeError, OSError, sqlite3.Error) as error:
            failures.append(f"{title}: {error}")
    if not options.program:
        text += filtered(failures)
    text += [f"- {failure}" for failure in failures]
    print("\n".join(text))
    if not options.program:
        results.write_section("nvtx", "GPU time by NVTX range", "nvtx.py", [
            "Two runs, one under each profiler; by the names of the ranges, all threads together. "
            "Calls and operations must be equal, GPU time within 2 % (Python 10 %) or 5 us; "
            "and equal to what the SQLite export of ktime's run gives.", "", *text])
    print(f"\n{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
