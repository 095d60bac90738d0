#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Metrics of ktime --metrics beside those of ncu, for the same kernels, and what DRAM's counters say
of the bytes that saxpy is declared to move. Writes its section of tests/gpu/RESULTS.md, and ends
with status 1 where two figures differ by more than the limit. Run from the root of the tree.
"""
import csv
import json
import os
import re
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import process
import profilers
import results

# By how many percent the averages of two tools may differ, and DRAM's bytes from those declared.
TOOLS_WITHIN = 3
DECLARED_WITHIN = 5
METRICS = ["dram_read_throughput", "dram_write_throughput", "dram_read_bytes", "dram_write_bytes",
           "gld_throughput", "gst_throughput", "gld_requested_throughput",
           "gst_requested_throughput", "gld_efficiency", "gst_efficiency", "flop_count_sp",
           "flop_count_dp", "flop_sp_efficiency", "achieved_occupancy", "sm_efficiency",
           "inst_executed"]
# (title, program, arguments, beginning of the kernel's name)
SAXPY_N = 1 << 28
COPIES = ["matcopy", "--n", "16384", "--repetitions", "20", "--variant"]
RUNS = [
    ("saxpy, N = 2^28", ["saxpy", "--n", str(SAXPY_N), "--repetitions", "20"]),
    ("matcopy 16384, coalesced", [*COPIES, "coalesced"]),
    ("matcopy 16384, strided", [*COPIES, "strided"]),
    ("matcopy 16384, transposed", [*COPIES, "transposed"]),
]
VALUES = 3
UNITS = {"": 1, "%": 1, "GB/s": 1e9}


def formulas():
    """{metric: [(factor, counter)]} as ktime --query-metrics has them."""
    listed = process.run([profilers.COMMAND, "--query-metrics"], profilers.command_environment())
    found, name = {}, None
    for line in listed.stdout.splitlines():
        if match := re.match(r" *(\w+):  ", line):
            name = match.group(1)
        elif name and "__" in line:
            found[name] = [(float(term.split(" * ")[0]) if " * " in term else 1,
                            term.split(" * ")[-1]) for term in line.strip().split(" + ")]
    return found


def number(text):
    match = re.fullmatch(r"([-+\d.e]+)(.*)", text)
    return float(match.group(1)) * UNITS[match.group(2)]


def by_ktime(argv, options):
    """({metric: (values, average)}, the profile)."""
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        argv, environment = profilers.under_ktime(argv, f"-o {profile} {options}")
        outcome = process.run(argv, environment)
        if outcome.returncode:
            sys.exit(f"{argv}: exit code {outcome.returncode}: {outcome.stderr}")
        shown = process.run([profilers.COMMAND, "show", "--csv", profile],
                            profilers.command_environment()).stdout
        exported = process.run([profilers.COMMAND, "export", "--json", "-", profile],
                               profilers.command_environment()).stdout
    lines = shown.splitlines()
    try:
        start = next(i for i, line in enumerate(lines) if '"Metric Name"' in line)
    except StopIteration:
        sys.exit(f"{argv}: no metrics: {shown}{outcome.stderr}")
    rows = [row for row in csv.reader(lines[start + 1:]) if len(row) == 8]
    return {row[3]: (int(row[2]), number(row[7])) for row in rows}, json.loads(exported)


def by_ncu(argv, counters):
    """{counter: average} over some launches, without the first."""
    outcome = process.run(
        ["ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--print-units",
         "base", "--metrics", ",".join(counters), "--launch-skip", "2", "--launch-count",
         str(VALUES), *argv], profilers.plain_environment())
    lines = outcome.stdout.splitlines()
    try:
        start = next(i for i, line in enumerate(lines) if '"Metric Name"' in line)
    except StopIteration:
        sys.exit(f"ncu: exit code {outcome.returncode}: {outcome.stdout}{outcome.stderr}")
    values = {}
    for row in csv.DictReader(lines[start:]):
        values.setdefault(row["Metric Name"], []).append(
            float(row["Metric Value"].replace(",", "")))
    return {name: sum(each) / len(each) for name, each in values.items()}


def percent(own, other):
    return 0 if own == other else 100 * (other - own) / own if own else float("inf")


def text_of(metric, value):
    if "throughput" in metric:
        return f"{value / 1e9:.1f} GB/s"
    if "efficiency" in metric:
        return f"{value:.2f} %"
    return f"{value:.4g}"


def compare(title, arguments, terms):
    """(rows of the table, whether all agree, {metric: average}, the profile, seconds of ncu)."""
    argv = [os.path.join(profilers.BUILD, "workloads", arguments[0]), *arguments[1:]]
    measured, profile = by_ktime(
        argv, f"--metrics {','.join(METRICS)} --metrics-launches {VALUES}")
    counters = sorted({counter for metric in METRICS for _, counter in terms[metric]})
    begin = time.monotonic()
    ncu = by_ncu(argv, counters)
    seconds = time.monotonic() - begin
    rows, good = [], True
    for metric in METRICS:
        theirs = sum(factor * ncu[counter] for factor, counter in terms[metric])
        values, ours = measured.get(metric, (0, float("nan")))
        found = percent(theirs, ours)
        agrees = abs(found) <= TOOLS_WITHIN
        good &= agrees
        rows.append([title, metric, text_of(metric, theirs), text_of(metric, ours), values,
                     f"{found:+.2f} %" + ("" if agrees else " **no**")])
        title = ""
    return rows, good, {name: average for name, (_, average) in measured.items()}, profile, seconds


def effective(options):
    """saxpy's bandwidth by the bytes that it is declared to move, bytes/s."""
    argv = [os.path.join(profilers.BUILD, "workloads", "saxpy"), "--n", str(SAXPY_N),
            "--repetitions", "50"]
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        argv, environment = profilers.under_ktime(
            argv, f"--csv --quiet --bytes 'saxpy=12/thread' {options} --log-file {log}")
        process.run(argv, environment)
        with open(log) as file:
            lines = file.read().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"Device","Bytes"'))
    row = next(row for row in csv.reader(lines[start + 2:]) if row[-1].startswith("saxpy("))
    return float(row[2]) * 1e9


def declared(measured):
    """Lines on DRAM's bytes beside 12 bytes a thread, and whether they agree. While CUPTI records
    kernels that may overlap, it has them do more: the rate is compared without."""
    expected = 12 * SAXPY_N
    counted = measured["dram_read_bytes"] + measured["dram_write_bytes"]
    rate = measured["dram_read_throughput"] + measured["dram_write_throughput"]
    serial, overlapping = effective("--concurrent-kernels off"), effective("")
    differences = [percent(expected, counted), percent(serial, rate)]
    return [f"saxpy, N = 2^28: declared {expected / 1e9:.4f} GB a launch, DRAM's counters "
            f"{counted / 1e9:.4f} GB ({differences[0]:+.2f} %). By `--bytes saxpy=12/thread` "
            f"{serial / 1e9:.1f} GB/s with `--concurrent-kernels off`, by the counters "
            f"{rate / 1e9:.1f} GB/s ({differences[1]:+.2f} %); at most {DECLARED_WITHIN} % apart. "
            f"With kernels recorded as they may overlap, the default, {overlapping / 1e9:.1f} "
            f"GB/s ({percent(serial, overlapping):+.2f} %): CUPTI has such kernels do more."], \
        all(abs(each) <= DECLARED_WITHIN for each in differences)


def main():
    terms = formulas()
    found = [compare(*run, terms) for run in RUNS]
    bytes_lines, bytes_agree = declared(found[0][2])
    launches = sum(each[3]["counters"]["metric_launches"] for each in found)
    seconds = sum(each[3]["counters"]["metric_ns"] for each in found) / 1e9
    lines = [*results.table(["kernel", "metric", "ncu", "ktime --metrics", "values", "difference"],
                            [row for each in found for row in each[0]]), "",
             f"Averages of {VALUES} values each; they must agree within {TOOLS_WITHIN} %. ncu runs "
             "with `--clock-control none --cache-control none`, and replays each launch; ktime's "
             "passes are of launches of their own.", "", *bytes_lines, "",
             f"Reading a pass of one launch took {seconds / launches:.3f} s on average, the first "
             f"one's preparation included ({launches} launches, {seconds:.1f} s in all)."]
    print("\n".join(lines))
    results.write_section("counters", "Counters", "counters.py", lines)
    sys.exit(0 if bytes_agree and all(each[1] for each in found) else 1)


main()
