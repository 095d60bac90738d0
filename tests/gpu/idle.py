#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
How busy the GPU was and why it was idle: what ktime says, beside the same count over its own trace of
the same run, and over the SQLite databases that nsys exports of other runs of the program; where kernels
are recorded in windows, as by default, what ktime estimates. Writes its section of tests/gpu/RESULTS.md.

  idle.py                 measures
  idle.py only TITLE      measures programs with this in their title, and writes no section
  idle.py count DATABASE  prints the count of one database

KTIME_CUDA_SAMPLES names a folder with a built simpleStreams of NVIDIA's cuda-samples.
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
SAMPLE = os.path.join(os.environ.get("KTIME_CUDA_SAMPLES", "/nowhere"), "simpleStreams")
PROGRAMS = [
    ("four streams, copies and kernels", [os.path.join(profilers.BUILD, "gpu", "idle_streams")]),
    ("a short kernel every 30 us", [os.path.join(profilers.BUILD, "gpu", "idle_launches")]),
    ("PyTorch training, slow data loader",
     [sys.executable, os.path.join(HERE, "python", "training_loader.py")]),
    ("PyTorch decoder, a graph a token", [sys.executable, os.path.join(HERE, "python", "decoder.py")]),
]
if os.path.exists(SAMPLE):
    PROGRAMS.insert(0, ("simpleStreams of cuda-samples", [SAMPLE, "--sync_method=4"]))
SERVER = [sys.executable, os.path.join(HERE, "python", "server.py")]
# In the default mode, whose figures are estimates.
IN_WINDOWS = [
    ("PyTorch decoder, recorded in windows", SERVER + ["500", "0"]),
    ("PyTorch server with pauses, recorded in windows", SERVER + ["150", "0.05"]),
]
# Under each profiler, in turns.
RUNS = 2
# Busy and overlap: how far the times of ktime's and nsys's runs may be apart, in percent of nsys's. (Not
# the shares of the run: how long a run is from its first operation to its last varies.)
TIME_BAR = 1.0
# Causes, in points of the run.
CAUSE_BAR = 3.0
# As ktime has it (preload/timeline/timeline.h).
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
    """The Account of a database."""
    database = sqlite3.connect(path)
    operations = operations_of(database)
    calls = calls_of(database)
    places = {correlation: (mine, i) for mine in calls.values()
              for i, call in enumerate(mine) for correlation in call[3]}
    works = {operation[3] for operation in operations}
    parts, until, last = collections.Counter(), operations[0][1], None
    for start, end, _, correlation in operations:
        if start > until and correlation == last:
            # Nodes of a graph have the correlation id of its launch.
            parts["graph"] += start - until
        elif start > until:
            parts.update(split(until, start, *places[correlation], works)
                         if correlation in places else {"unresolved": start - until})
        until, last = max(until, end), correlation
    whole, busy = until - operations[0][0], union(operations)
    both = (union(o for o in operations if o[2]) + union(o for o in operations if not o[2])) - busy
    return Account(whole, busy, both, parts)


class Account:
    """Of one run; times in nanoseconds."""

    def __init__(self, whole, busy, both, parts):
        self.whole, self.busy, self.both, self.parts = whole, busy, both, parts

    def percent(self, cause):
        return 100 * self.parts[cause] / self.whole


def exported(option, path, profile):
    done = process.run([profilers.COMMAND, "export", "-f", option, path, profile],
                       profilers.command_environment())
    if done.returncode:
        raise RuntimeError(f"ktime export {option}: {done.stderr.strip()}")


def under_ktime(argv, options, profile):
    """The Account of a run, its lines of the report, and what the profile has."""
    argv, environment = profilers.under_ktime(argv, f"{options} -f -o {profile}")
    outcome = process.run(argv, environment, 120)
    exported("--json", profile + ".json", profile)
    with open(profile + ".json") as file:
        whole = json.load(file)
    use = whole["use"][0]
    parts = collections.Counter()
    for cause in use["causes"]:
        function = " " + cause["function"] if "function" in cause else ""
        # A trace does not say which launches load their module.
        name = "launch latency" if cause["cause"] == "first launch" else cause["cause"] + function
        parts[name] += cause["total"]
    lines = [re.sub(r"^==\d+== ", "", line) for line in outcome.stderr.splitlines()
             if re.search("== (GPU 0|Idle):", line)]
    both = use["busy_kernels"] + use["busy_copies"] - use["busy"]
    return Account(use["last"] - use["first"], use["busy"], both, parts), lines, whole


def of_ktime(argv, directory):
    """What ktime says of a run, the count over its trace of it, and its lines of the report."""
    profile, database = os.path.join(directory, "profile"), os.path.join(directory, "ktime.sqlite")
    account, lines, _ = under_ktime(argv, "--timer cupti --keep-trace all", profile)
    exported("--sqlite", database, profile)
    return account, count(database), lines


def in_windows(title, argv):
    """[rows], [lines], what is beyond the bars: of a run in ktime's default mode, beside nsys's."""
    try:
        with tempfile.TemporaryDirectory(prefix="ktime-idle-") as directory:
            own, lines, whole = under_ktime(argv, "", os.path.join(directory, "profile"))
            other = of_nsys(argv, directory)
    except (sqlite3.Error, OSError, RuntimeError, LookupError, TypeError) as error:
        return [[title, "", repr(error), "", "", ""]], [], [f"{title}: {error!r}"]
    rows, use = [], whole["use"][0]
    wrong = [] if whole["counters"]["windows"] and "error" in use else [f"{title}: no windows"]
    parts = {"busy": (100 * own.busy / own.whole, 100 * other.busy / other.whole)}
    parts.update((name, (own.percent(name), other.percent(name)))
                 for name in sorted(own.parts | other.parts, key=lambda name: -own.parts[name]))
    for name, (mine, theirs) in parts.items():
        if max(mine, theirs) < 0.3:
            continue
        interval = f" ± {100 * use.get('error', 0) / own.whole:.2f}" if name == "busy" else ""
        rows.append(["" if rows else title, name + ", %", f"{mine:.2f}{interval}", f"{theirs:.2f}",
                     f"{mine - theirs:+.2f} points", ""])
        if abs(mine - theirs) > CAUSE_BAR:
            wrong.append(f"{title}: {name}: {mine - theirs:+.2f} points from nsys")
    return rows, lines, wrong


def of_nsys(argv, directory):
    report = os.path.join(directory, "nsys")
    process.run(*nsys.under_nsys(argv, report, ["--export=sqlite", "--cuda-graph-trace=node"]), 180)
    return count(report + ".sqlite")


def runs_of(argv):
    """(ktime's accounts, those of its traces, nsys's), ktime's lines of the last run"""
    accounts = [], [], []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory(prefix="ktime-idle-") as directory:
            own, trace, lines = of_ktime(argv, directory)
            for found, account in zip(accounts, (own, trace, of_nsys(argv, directory))):
                found.append(account)
    return accounts, lines


def compare(title, argv):
    """[rows], [lines], what is beyond the bars"""
    try:
        accounts, lines = runs_of(argv)
    except (sqlite3.Error, OSError, RuntimeError, LookupError, TypeError) as error:
        return [[title, "", repr(error), "", "", ""]], [], [f"{title}: {error!r}"]
    rows, wrong = [], []

    def row(what, runs, unit, bar, difference, from_trace):
        own, other = (" ".join(f"{one:.2f}" for one in found) for found in runs)
        rows.append(["" if rows else title, what, own, other, f"{difference:+.2f} {unit}",
                     f"{from_trace:+.2f} {unit}"])
        if max(abs(difference), abs(from_trace) if unit == "%" else 0) > bar:
            wrong.append(f"{title}: {what}: {difference:+.2f} {unit} from nsys, {from_trace:+.2f} from "
                         "the trace")

    def largest(differences):
        return max(differences, key=abs)

    for what, member in (("whole, ms", "whole"), ("busy, ms", "busy"), ("both at once, ms", "both")):
        own, trace, other = ([getattr(account, member) / 1e6 for account in found]
                             for found in accounts)
        if sum(other):
            row(what, (own, other), "%", 1e9 if member == "whole" else TIME_BAR,
                100 * (sum(own) / sum(other) - 1),
                largest([100 * (one / two - 1) for one, two in zip(own, trace) if two]))
    names = {name for found in accounts for account in found for name in account.parts}
    for name in sorted(names, key=lambda name: -accounts[0][0].parts[name]):
        own, trace, other = ([account.percent(name) for account in found] for found in accounts)
        if max(sum(own), sum(other)) >= 0.3 * RUNS:
            row(name + ", %", (own, other), "points", CAUSE_BAR, (sum(own) - sum(other)) / RUNS,
                largest([one - two for one, two in zip(own, trace)]))
    return rows, lines, wrong


def main(arguments):
    if arguments[:1] == ["count"]:
        print(json.dumps(vars(count(arguments[1])), indent=1))
        return 0
    if not nsys.find():
        print("idle.py: no nsys", file=sys.stderr)
        return 77
    rows, said, wrong = [], [], []
    chosen = arguments[1] if arguments[:1] == ["only"] else ""
    for title, argv in PROGRAMS + IN_WINDOWS:
        if chosen not in title:
            continue
        more, lines, beyond = (in_windows if (title, argv) in IN_WINDOWS else compare)(title, argv)
        rows += more
        said += [f"{title}:", "", *("    " + line for line in lines), ""]
        wrong += beyond
    lines = results.table(["program", "part of the time", "ktime", "nsys", "difference",
                           "from its trace"], rows)
    lines += ["", f"{RUNS} runs each, in turns. The difference is that of the means; the last column has "
              "the largest one of a run of ktime's from the same count over its own trace, which lacks the "
              "driver's calls that the runtime makes. Programs recorded in windows run once under each. "
              f"Bars: busy and overlap {TIME_BAR:g} %, causes {CAUSE_BAR:g} points.", "", *said]
    lines += ["All within the bars." if not wrong else "Beyond the bars: " + "; ".join(wrong) + "."]
    if not chosen:
        results.write_section("idle", "Busy and idle", "idle.py", lines)
    print("\n".join(lines))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
