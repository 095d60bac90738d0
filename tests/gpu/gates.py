#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
How right event pairs are by themselves: averages by events alone (--timer events --events all)
beside those by CUPTI alone, and by both clocks of the same calls in a third run, of kernels, memsets,
graphs and copies, where the device waits for each call (one every 50 us), where calls come one after
the other, behind a busy device, and on four threads. Also what a gate costs the host. Writes its
section of tests/gpu/RESULTS.md; takes about 110 s.
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
BOTH = "--events all --graph graph"
PACES = {"spaced": "one call every 50 us", "back": "one after the other", "busy": "device busy"}
SIZES = [4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20]
FEW_SIZES = [4 << 10, 16 << 20]
DIRECTIONS = {"htod": "HtoD", "dtoh": "DtoH", "dtod": "DtoD", "pageable": "HtoD"}
HEADER = ["operation", "pace", "calls", "gated", "CUPTI alone", "events alone", "difference",
          "CUPTI, same run", "events, same run", "difference", "result"]


def size_title(size):
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} KB"


def cases(quick):
    """(title, pace, arguments, row's name); title and name None: every row that is wanted."""
    for pace in PACES:
        yield None, pace, [pace, "kernels"], None
        if pace != "busy":
            yield None, pace, [pace, "threads"], None
        for size in SIZES if pace == "spaced" and not quick else FEW_SIZES:
            for kind, direction in DIRECTIONS.items():
                if kind == "pageable" and pace != "spaced":
                    continue
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


def within(events, cupti):
    return abs(events - cupti) <= max(200, cupti * 0.02)


def verdict(row, alone, cupti, both):
    """`both`: (CUPTI's, the events') average of the same calls in one run; None: not compared."""
    if "holds the host's part" in row.marks:
        return "holds the host's part", True
    if 2 * row.beside > row.events.calls and alone > cupti and not within(alone, cupti):
        return "upper bound, as the report says: beside other streams", True
    if both and not within(both[1], both[0]):
        return "**differs**", False
    if within(alone, cupti):
        return "ok", True
    # In its own runs CUPTI differs as much from itself, with and without pairs around the calls.
    if both and not within(both[0], cupti) and (both[0] > cupti) == (alone > cupti):
        return "ok: by CUPTI too it takes another time with pairs, or in another run", True
    return "**differs**", False


def judge(title, pace, row, reference, checked, gated, failures):
    cupti, events = reference and reference.cupti.average_ns, row.events.average_ns
    if not cupti or events is None:
        failures.append(f"{title}, {pace}: not timed by both")
        return [title, pace, row.calls, gated, *["-"] * 6, "**not timed**"]
    both = checked and checked.calls and (checked.cupti_ns / checked.calls,
                                          checked.corrected_ns / checked.calls)
    result, good = verdict(row, events, cupti, both)
    if not good:
        failures.append(f"{title}, {pace}: {events:.0f} ns by events, {cupti:.0f} by CUPTI; "
                        + ("%.0f and %.0f in the same run" % (both[1], both[0]) if both else
                           "not compared in the same run"))
    cells = [f"{cupti / 1e3:.3f}", f"{events / 1e3:.3f}", f"{(events - cupti) / 1e3:+.3f}"]
    cells += ([f"{both[0] / 1e3:.3f}", f"{both[1] / 1e3:.3f}", f"{(both[1] - both[0]) / 1e3:+.3f}"]
              if both else ["-"] * 3)
    return [title, pace, row.calls, gated, *cells, result]


def key_of(row):
    """Graphs are numbered by the process, so they are found by their kind."""
    return row.kind if row.kind == "graph" else row.name


class Ungated:
    """Over all runs by events: the rows most of whose pairs may hold a wait."""
    calls = of = 0

    @classmethod
    def add(cls, session):
        for row in session.rows:
            if row.events.calls and row.kind in ("kernel", "memcpy", "memset", "graph"):
                cls.of += row.calls
                if "holds the host's part" not in row.marks and 2 * row.may_wait > row.events.calls:
                    cls.calls += row.calls


def measure(title, pace, arguments, name, failures):
    with tempfile.TemporaryDirectory(prefix="ktime-gates-") as directory:
        by_events = run(arguments, EVENTS, directory)
        by_cupti = run(arguments, CUPTI, directory)
        by_both = run(arguments, BOTH, directory)
    Ungated.add(by_events)
    counters = by_events.counters
    gated = f"{100 * counters['gated_pairs'] / max(1, counters['event_pairs']):.0f} %"
    references = {key_of(row): row for row in by_cupti.rows}
    checked = {key_of(row): row.checked for row in by_both.rows}
    how = PACES[pace] + (", 4 threads" if "threads" in arguments else "")
    return [judge(title or title_of(row), how, row, references.get(key_of(row)),
                  checked.get(key_of(row)), gated, failures)
            for row in by_events.rows if wanted(row, name)]


def turn(mode, options):
    argv, environment = profilers.under_nothing([PROGRAM, "latency", mode])
    if options is not None:
        argv, environment = profilers.under_ktime(argv, options)
    return process.run(argv, environment).stdout.strip()


def latencies():
    ways = [("alone", None), ("event pairs", f"{EVENTS} --gate off"), ("gated pairs", EVENTS),
            ("by events, sampled", "--timer events"), ("always on", "--timer events --budget 1"),
            ("by both clocks (default)", "")]
    return results.table(["empty kernel, us", *[way for way, _ in ways]],
                         [[title, *[turn(mode, options) for _, options in ways]]
                          for mode, title in (("launch", "launch call, one every 20 us"),
                                              ("bound", "launches without a pause"),
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
    intro = ["Averages in microseconds, each clock in a run of its own, and both of the same calls in one",
             "run. Held to: 2 % or 0.2 us. `gated`: of all event pairs of the run by events alone.",
             f"Rows by events that may hold a wait: {Ungated.calls} of {Ungated.of} calls "
             f"({100 * Ungated.calls / max(1, Ungated.of):.2f} %; held to 2 %).", ""]
    results.write_section("gates", "Event pairs by themselves", "gates.py", intro + text)
    print(f"\n{len(lines)} rows, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
