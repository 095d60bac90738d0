#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
How busy the GPU was and why it was idle: what ktime says, beside a count over the SQLite database that
nsys exports of another run of the same program. Writes its section of tests/gpu/RESULTS.md.

  idle.py                 measures
  idle.py count DATABASE  prints the count of one database
"""
import collections
import json
import os
import re
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True

import nsys
import process
import profilers
import results

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = [
    ("four streams, copies and kernels", [os.path.join(profilers.BUILD, "gpu", "idle_streams")]),
    ("a short kernel every 30 us", [os.path.join(profilers.BUILD, "gpu", "idle_launches")]),
    ("PyTorch training, slow data loader",
     [sys.executable, os.path.join(HERE, "python", "training_loader.py")]),
]
# In points of the device's time: how far two runs of a program may be apart.
BUSY_BAR, CAUSE_BAR = 1.0, 3.0
# As ktime has it (preload/timeline/causes.h).
SHORT_NS = 5000
# The calls that ktime times (preload/driver/host_calls.def and entries.def).
TIMED = re.compile(r"Synchronize|Malloc|Free|HostAlloc|HostRegister|HostUnregister|^cuMem|^cudaMem[cs]"
                   r"|Launch|LibraryLoad|ModuleLoad|MemAlloc")
NOT_TIMED = re.compile(r"GetInfo|PointerGet|MemGet|MemPool|LaunchHostFunc.*Query")
WAITS = re.compile(r"Synchronize|^cudaMemcpy_|^cuMemcpy[HD]to[HD]_")


def tables(database):
    return {row[0] for row in database.execute("SELECT name FROM sqlite_master")}


def operations_of(database):
    """[(start, end, is copy, correlation id)] of the first device."""
    found = []
    for table, is_copy in (("KERNEL", False), ("MEMCPY", True), ("MEMSET", True)):
        name = f"CUPTI_ACTIVITY_KIND_{table}"
        if name in tables(database):
            found += [(start, end, is_copy, correlation) for start, end, correlation in
                      database.execute(f"SELECT start, end, correlationId FROM {name} WHERE deviceId = 0")]
    return sorted(found)


def calls_of(database):
    """{thread: [(begin, end, name, correlation id)]} of the calls that ktime times."""
    calls = collections.defaultdict(list)
    query = ("SELECT c.start, c.end, s.value, c.correlationId, c.globalTid FROM "
             "CUPTI_ACTIVITY_KIND_RUNTIME c JOIN StringIds s ON s.id = c.nameId ORDER BY c.start")
    for begin, end, name, correlation, thread in database.execute(query):
        mine = calls[thread]
        if mine and begin < mine[-1][1]:
            # A driver's call inside a runtime's: the operation may be its.
            mine[-1][3].add(correlation)
        elif TIMED.search(name) and not NOT_TIMED.search(name):
            mine.append((begin, end, name, {correlation}))
    return calls


def union(operations):
    covered, until = 0, 0
    for start, end, *_ in operations:
        covered += max(0, end - max(until, start))
        until = max(until, end)
    return covered


def plain(name):
    return re.sub(r"_(v\d+|ptsz|ptds).*", "", name)


def split(begin, end, calls, number, works):
    """The parts of a gap before the operation of a call: {cause: nanoseconds}."""
    call_begin, call_end = calls[number][:2]
    if end - begin < SHORT_NS:
        return {"dependency" if call_end + SHORT_NS <= begin else "short": end - begin}
    if call_end <= begin:
        return {"dependency": end - begin}
    parts = collections.Counter()

    def add(cause, start, stop):
        parts[cause] += max(0, min(stop, end) - max(start, begin))

    add("launch latency", call_begin, end)
    after = call_begin
    for i in range(number - 1, -2, -1):
        if after <= begin:
            break
        before = calls[i] if i >= 0 else None
        last = next((calls[k] for k in range(i, max(-1, i - 64), -1)
                     if WAITS.search(calls[k][2]) or calls[k][3] & works), None)
        waited = last and WAITS.search(last[2])
        add("program after waiting" if waited else "program", before[1] if before else 0, after)
        if before:
            add("call " + plain(before[2]), before[0], before[1])
            after = before[0]
    return parts


def count(path):
    """Of a database: (whole, busy, both at once, {cause: nanoseconds})."""
    database = sqlite3.connect(path)
    operations = operations_of(database)
    calls = calls_of(database)
    places = {correlation: (mine, i) for mine in calls.values()
              for i, call in enumerate(mine) for correlation in call[3]}
    works = {operation[3] for operation in operations}
    parts, until = collections.Counter(), operations[0][1]
    for start, end, _, correlation in operations:
        if start > until:
            parts.update(split(until, start, *places[correlation], works)
                         if correlation in places else {"unresolved": start - until})
        until = max(until, end)
    whole, busy = until - operations[0][0], union(operations)
    both = (union(o for o in operations if o[2]) + union(o for o in operations if not o[2])) - busy
    return whole, busy, both, parts


def of_ktime(argv, directory):
    profile = os.path.join(directory, "profile")
    argv, environment = profilers.under_ktime(argv, f"--timer cupti -f -o {profile}")
    outcome = process.run(argv, environment, 120)
    exported = process.run([profilers.COMMAND, "export", "--json", "-", profile],
                           profilers.command_environment())
    use = json.loads(exported.stdout)["use"][0]
    parts = collections.Counter()
    for cause in use["causes"]:
        function = " " + cause["function"] if "function" in cause else ""
        # nsys does not say which launches load their module.
        name = "launch latency" if cause["cause"] == "first launch" else cause["cause"] + function
        parts[name] += cause["total"]
    lines = [re.sub(r"^==\d+== ", "", line) for line in outcome.stderr.splitlines()
             if re.search("== (GPU 0|Idle):", line)]
    both = use["busy_kernels"] + use["busy_copies"] - use["busy"]
    return (use["last"] - use["first"], use["busy"], both, parts), lines


def of_nsys(argv, directory):
    report = os.path.join(directory, "nsys")
    process.run(*nsys.under_nsys(argv, report), 180)
    process.run([nsys.find(), "export", "--type", "sqlite", "-f", "true", "-o", report + ".sqlite",
                 report + ".nsys-rep"], nsys.environment(), 180)
    return count(report + ".sqlite")


def compare(title, argv):
    """[rows], [ktime's lines], what is beyond the bars"""
    with tempfile.TemporaryDirectory() as directory:
        (whole, busy, both, parts), lines = of_ktime(argv, directory)
        try:
            other_whole, other_busy, other_both, other_parts = of_nsys(argv, directory)
        except (sqlite3.Error, FileNotFoundError, TypeError) as error:
            return [[title, "nsys", str(error), "", ""]], lines, [f"{title}: nsys: {error}"]
    rows, wrong = [], []

    def row(what, one, other, bar):
        one, other = 100 * one / whole, 100 * other / other_whole
        if max(one, other) >= 0.3:
            rows.append([title if not rows else "", what, f"{one:.2f}", f"{other:.2f}",
                         f"{one - other:+.2f}"])
        if abs(one - other) > bar:
            wrong.append(f"{title}: {what}: {one:.2f} %, nsys {other:.2f} %")

    row("busy", busy, other_busy, BUSY_BAR)
    row("kernels and copies at once", both, other_both, BUSY_BAR)
    for cause in sorted(set(parts) | set(other_parts), key=lambda cause: -parts[cause]):
        row(cause, parts[cause], other_parts[cause], CAUSE_BAR)
    return rows, lines, wrong


def main(arguments):
    if arguments[:1] == ["count"]:
        whole, busy, both, parts = count(arguments[1])
        print(json.dumps({"whole": whole, "busy": busy, "both": both, "idle": parts}, indent=1))
        return 0
    if not nsys.find():
        print("idle.py: no nsys", file=sys.stderr)
        return 77
    rows, said, wrong = [], [], []
    for title, argv in PROGRAMS:
        more, lines, beyond = compare(title, argv)
        rows += more
        said += [f"{title}:", "", *("    " + line for line in lines), ""]
        wrong += beyond
    lines = results.table(["program", "part of the time", "ktime, %", "nsys, %", "difference"], rows)
    lines += ["", "A run each: nsys's figures are counted over its SQLite export. Bars: busy and overlap "
              f"{BUSY_BAR:g} point, causes {CAUSE_BAR:g}.", "", *said]
    lines += ["All within the bars." if not wrong else "Beyond the bars: " + "; ".join(wrong) + "."]
    results.write_section("idle", "Busy and idle", "idle.py", lines)
    print("\n".join(lines))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
