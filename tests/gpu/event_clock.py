#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What the event clock and the statistics are for: the kernels of a ResNet-50 inference by events alone
beside CUPTI's, sampled as by default and around every call, and what `ktime diff` says of five runs a side of a hundred kernels that are the same,
and that are 5 % slower on one side. Writes its section of tests/gpu/RESULTS.md; takes about 90 s.
--runs N a side; --only runs|inference writes no section.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import process
import profilers
import results
import sessions

KERNELS = os.path.join(profilers.BUILD, "gpu", "hundred_kernels")
INFERENCE = [sys.executable, os.path.join("tests", "gpu", "python", "resnet_inference.py")]
# Of runs that are sampled, and that these are held against: enough for the sample to tell 3 %.
MANY = 2000
WITHIN_PERCENT = 3
LEAST_SHARE = 0.01
SLOWER_PERCENT = 5
VERDICTS = ("faster", "slower", "less time", "more time")
MOST_FALSE = 0.02
LEAST_FOUND = 0.95


def profile(argv, options, file):
    argv, environment = profilers.under_ktime(argv, f"{options} -f -o {file}")
    outcome = process.run(argv, environment, timeout=100)
    if outcome.returncode:
        raise RuntimeError(outcome.stderr.strip()[-500:])
    return file


def short(name):
    return name if len(name) <= 60 else name[:57] + "..."


def inference(directory, failures):
    runs = {clock: sessions.read(profile([*INFERENCE, *times], options,
                                         os.path.join(directory, clock)))
            for clock, options, times in (("sampled", "--timer events", [str(MANY)]),
                                          ("cupti", "--timer cupti", [str(MANY)]),
                                          ("events", "--timer events --events all", []),
                                          ("both", "--events all", []))}
    rows = {clock: {row.name: row for row in session.rows} for clock, session in runs.items()}
    work = [row for row in runs["cupti"].rows if row.kind in ("kernel", "memcpy", "memset")]
    total = sum(row.cupti.total_ns for row in work)
    lines = []
    for row in sorted(work, key=lambda row: -row.cupti.total_ns):
        sampled, every, both = (rows[clock].get(row.name) for clock in ("sampled", "events", "both"))
        share = row.cupti.total_ns / total
        if share < LEAST_SHARE or not sampled or not sampled.events.calls or not every:
            continue
        cupti = row.cupti.average_ns

        def percent(average):
            return 100 * (average - cupti) / cupti

        off = percent(sampled.total_ns / sampled.calls)
        error = sampled.interval and 100 * (sampled.interval[1] - sampled.total_ns) / sampled.total_ns
        check = both and both.checked
        held = "holds the host's part" in sampled.marks
        good = held or abs(off) <= WITHIN_PERCENT
        if not good:
            failures.append(f"{short(row.name)}: {off:+.1f} % by events")
        lines.append([short(row.name), row.calls, f"{100 * share:.1f} %", f"{cupti / 1e3:.2f}",
                      sampled.events.calls, f"{off:+.1f} %", f"{error:.1f} %" if error else "-",
                      f"{percent(every.events.average_ns):+.1f} %" if every.events.calls else "-",
                      f"{100 * (check.corrected_ns - check.cupti_ns) / check.cupti_ns:+.1f} %"
                      if check and check.calls else "-",
                      "holds the host's part" if held else "ok" if good else "**differs**"])
    counters = runs["events"].counters
    calls = sum(row.calls for row in runs["events"].rows
                if row.kind in ("kernel", "memcpy", "memset"))
    ungated = sum(row.calls for row in runs["events"].rows
                  if row.kind in ("kernel", "memcpy", "memset") and
                  "holds the host's part" not in row.marks and
                  2 * row.may_wait > row.events.calls > 0)
    return ["### ResNet-50 inference, batch 1", "",
            f"Rows over 1 % of the time; `--timer events` held to {WITHIN_PERCENT} % of the average by "
            f"CUPTI, in us, over {MANY} inferences",
            "each, a run of its own. ±: what its row states. Beside it `--events all` of 120 inferences, and "
            "both clocks of the same calls.",
            f"{counters['gated_pairs']} of {counters['event_pairs']} pairs of every call were gated, "
            f"{counters['gates_forced']} gates opened by force; rows that may hold a wait have "
            f"{ungated} of {calls} calls.", "",
            *results.table(["row", "calls", "time", "CUPTI", "timed by events", "difference", "±",
                            "every call", "both in one run", "result"], lines)]


def verdicts(one, other, directory):
    """{row type and name: verdict} of `ktime diff` with several runs a side."""
    file = os.path.join(directory, "diff.json")
    done = subprocess.run([profilers.COMMAND, "diff", "-f", "--json", file, *one, "--", *other],
                          env=profilers.command_environment(), capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    with open(file) as read:
        return {(row["type"], row["name"]): row["verdict"] for row in json.load(read)["rows"]}


def count(found, words, kind=None):
    chosen = [verdict for (row, _), verdict in found.items() if kind in (None, row)]
    return sum(verdict in words for verdict in chosen), len(chosen)


def hundred_kernels(directory, runs, failures):
    lines = []
    for options in ("", "--timer events"):
        sides = {}
        # In turns, as a machine drifts.
        for number in range(runs):
            for side, arguments in (("first", []), ("second", []),
                                    ("slower", [str(SLOWER_PERCENT)])):
                file = os.path.join(directory, f"{side}.{number}")
                sides.setdefault(side, []).append(profile([KERNELS, *arguments], options, file))
        same = verdicts(sides["first"], sides["second"], directory)
        slower = verdicts(sides["first"], sides["slower"], directory)
        false, rows = count(same, VERDICTS)
        found, kernels = count(slower, ("slower",), "gpu")
        lines.append([options or "(default)", f"{false} of {rows}", f"{found} of {kernels}"])
        if false > MOST_FALSE * rows:
            failures.append(f"{options or 'default'}: {false} of {rows} rows of equal runs differ: " +
                            ", ".join(f"{name[:40]} {verdict}" for (_, name), verdict in same.items()
                                      if verdict in VERDICTS))
        if kernels < 100 or found < LEAST_FOUND * kernels:
            failures.append(f"{options or 'default'}: {found} of {kernels} slower kernels were found")
    return ["### Equal and slower runs", "",
            f"A hundred kernels of 3 to 60 us, 40 launches each, {runs} runs a side, `ktime diff`. Held to: "
            "at most 2 of 100 rows of equal",
            f"runs with a verdict, API rows included; 95 of 100 kernels found that are {SLOWER_PERCENT} % "
            "slower.", "",
            *results.table(["options", "rows with a verdict, equal runs",
                            "kernels found slower"], lines)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=["runs", "inference"])
    options = parser.parse_args()
    failures, parts = [], []
    with tempfile.TemporaryDirectory(prefix="ktime-events-") as directory:
        for name, make in (("inference", lambda: inference(directory, failures)),
                           ("runs", lambda: hundred_kernels(directory, options.runs, failures))):
            if options.only in (None, name):
                try:
                    parts += [*make(), ""]
                except (RuntimeError, OSError, KeyError) as error:
                    failures.append(f"{name}: {error}")
    text = parts + [f"- {failure}" for failure in failures]
    print("\n".join(text))
    if not options.only:
        results.write_section("events", "The event clock in programs", "event_clock.py", text)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
