#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The figures of the bundled workloads beside ktime's for the same run: bandwidths by the program's own
events and by ktime's row with declared bytes, the host's timers of vecadd, operations a second, cycles by the clock of
a multiprocessor in several runs, and which calls return at once. Writes its section of
tests/gpu/RESULTS.md, and ends with status 1 where a figure misses its bar or a result is wrong. Run
from the root of the tree; --quick takes small sizes and holds no bar, for the simulated device, and
--only one workload: neither writes the section.
"""
import argparse
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

import clock_reads
import process
import profilers
import results
import sessions

KERNEL_WITHIN_PERCENT = 2
COPY_WITHIN_PERCENT = 3
LATENCY_RUNS = 3
LATENCY_WITHIN_CYCLES = 2
SAXPY_VARIANTS = [("plain", 256), ("plain", 512), ("plain", 1024), ("grid-stride", 256),
                  ("grid-stride", 1024), ("float4", 128), ("float4", 256), ("float4", 1024)]


class Failed(Exception):
    pass


def path_of(name):
    return os.path.relpath(os.path.join(profilers.BUILD, "workloads", name))


def run(name, *arguments):
    """What the workload prints, alone."""
    argv, environment = profilers.under_nothing([path_of(name), *arguments])
    outcome = process.run(argv, environment)
    if outcome.returncode:
        raise Failed(f"{name} {' '.join(arguments)}: exit code {outcome.returncode}: "
                     f"{(outcome.stdout + outcome.stderr).strip()[-300:]}")
    return outcome.stdout


def run_under_ktime(name, *arguments, bytes_of=None):
    """(what it prints, {name of a row: sessions.Row}); bytes_of: what ktime's --bytes declares."""
    with tempfile.TemporaryDirectory(prefix="ktime-workloads-") as directory:
        file = os.path.join(directory, "session")
        argv, environment = profilers.under_ktime([path_of(name), *arguments], f"--quiet -f -o {file}")
        outcome = process.run(argv, environment)
        if outcome.returncode:
            raise Failed(f"{name} {' '.join(arguments)} under ktime: exit code "
                         f"{outcome.returncode}: {(outcome.stdout + outcome.stderr).strip()[-300:]}")
        rows = sessions.read(file, ("--bytes", bytes_of) if bytes_of else ()).rows
    return outcome.stdout, {row.name: row for row in rows}


def row_named(rows, part):
    """The row whose name has the part; the kernels' names are mangled."""
    for name, row in rows.items():
        if part in name and row.total_ns:
            return row
    raise Failed(f"ktime has no timed row {part}")


def figure(pattern, text):
    found = re.search(pattern, text, re.M)
    if not found:
        raise Failed(f"no {pattern} in:\n{text}")
    return float(found.group(1))


class Report:
    """Lines of the section, and what missed its bar."""

    def __init__(self, quick):
        self.lines, self.failures, self.quick = [], [], quick

    def bar(self, holds, why):
        if not holds and not self.quick:
            self.failures.append(why)
        return "ok" if holds or self.quick else "**missed**"

    def table(self, title, header, rows):
        self.lines += [f"### {title}", "", *results.table(header, rows), ""]

    def text(self, title, text):
        self.lines += [f"### {title}", "", "```", *text.rstrip().splitlines(), "```", ""]


def compared(report, title, own, row, within, times=1):
    """A line: GB/s by the program's events and by ktime's row, whose bytes count `times` times."""
    if row.bandwidth is None:
        raise Failed(f"{title}: ktime's row has no bandwidth")
    ktime = times * row.bandwidth
    difference = 100 * (own / ktime - 1)
    holds = report.bar(abs(difference) <= within, f"{title}: {own:.1f} GB/s by its own events, "
                       f"{ktime:.1f} by ktime")
    return [title, row.calls, f"{own:.1f}", f"{ktime:.1f}", f"{difference:+.2f} %", holds]


HEADER = ["workload", "calls", "GB/s by its own events", "GB/s by ktime's row", "difference",
          "result"]


def measure_saxpy(report):
    n = 1 << 20 if report.quick else 1 << 28
    repetitions = 20
    rows, best = [], (0, "")
    for variant, block in SAXPY_VARIANTS[:2] if report.quick else SAXPY_VARIANTS:
        text, session = run_under_ktime("saxpy", "--n", str(n), "--repetitions", str(repetitions),
                                        "--variant", variant, "--block", str(block),
                                        bytes_of=f"saxpy={12 * n}/launch")
        row = row_named(session, "saxpy")
        title = f"saxpy --n {n} --variant {variant} --block {block}"
        own = figure(r"^Effective bandwidth \(GB/s\): ([\d.]+)", text)
        rows.append(compared(report, title, own, row, KERNEL_WITHIN_PERCENT))
        share = 100 * row.bandwidth / row.peak if row.peak else 0
        rows[-1].insert(4, f"{share:.1f} % of {row.peak or 0:.1f}")
        best = max(best, (share, title))
    report.table("saxpy", HEADER[:4] + ["of DRAM's"] + HEADER[4:], rows)
    share = best[0]
    report.bar(share >= 85, f"the best saxpy reaches {share:.1f} % of DRAM's bandwidth")
    report.lines += [f"The best: `{best[1]}`, {share:.1f} % of the theoretical bandwidth of DRAM.", ""]


def measure_matcopy(report):
    rows = []
    for n, repetitions in ((512, 2),) if report.quick else ((2048, 100), (16384, 10)):
        text, session = run_under_ktime("matcopy", "--n", str(n), "--repetitions", str(repetitions),
                                        bytes_of=f"copy_={8 * n * n}/launch")
        for variant in ("coalesced", "strided", "transposed"):
            own = figure(rf"^{variant}\s+[\d.]+\s+([\d.]+)", text)
            # Between short kernels the device takes a microsecond that is no kernel's.
            within = KERNEL_WITHIN_PERCENT if n > 2048 else 1000
            rows.append(compared(report, f"matcopy --n {n}, {variant}", own,
                                 row_named(session, f"copy_{variant}"), within))
    report.table("matcopy", HEADER, rows)


DIRECTIONS = [("host to device", "HtoD", 1), ("device to host", "DtoH", 1),
              ("device to device", "DtoD", 2)]


def measure_bandwidth(report):
    rows = []
    for memory in ("pinned", "pageable"):
        size = 1 << 20 if report.quick else 256 << 20
        text, session = run_under_ktime("bandwidth", "--memory", memory, "--bytes", str(size),
                                        "--copies", "30")
        for direction, short, times in DIRECTIONS:
            if memory == "pageable" and short == "DtoD":
                continue
            own = figure(rf"^{direction}\s+\S+\s+\d+\s+[\d.]+\s+([\d.]+)", text)
            rows.append(compared(report, f"{direction}, {memory}, {size >> 20} MB", own,
                                 row_named(session, f"[CUDA memcpy {short}]"),
                                 COPY_WITHIN_PERCENT, times))
    report.table("bandwidth", HEADER, rows)
    report.text("bandwidth alone, as bandwidthTest's default size",
                run("bandwidth", *(("--bytes", "1048576") if report.quick else ())))


def measure_vecadd(report):
    rows = []
    arguments = ("--n", "1048576") if report.quick else ()
    for wait in ("spin", "block"):
        text, session = run_under_ktime("vecadd", "--wait", wait, *arguments)
        alone = run("vecadd", "--wait", wait, *arguments)
        kernel = row_named(session, "vector_add")
        for where, output in (("alone", alone), ("under ktime", text)):
            times = [figure(rf"^Kernel time by {timer} \(us\): ([\d.]+)", output)
                     for timer in (r"gettimeofday\(\)", r"clock\(\)", "events")]
            rows.append([f"vecadd --wait {wait}, {where}", *(f"{time:.1f}" for time in times),
                         f"{kernel.total_ns / 1e3:.1f}" if where != "alone" else "-"])
    report.table("vecadd: one kernel in microseconds", ["run", "gettimeofday()", "clock()",
                                                         "events", "ktime"], rows)
    argv, environment = profilers.under_ktime([path_of("vecadd"), *arguments], "--print-gpu-summary")
    outcome = process.run(argv, environment)
    report.text("vecadd under ktime", outcome.stdout + outcome.stderr)


def measure_latency(report):
    runs = []
    for _ in range(LATENCY_RUNS):
        text = run("latency")
        runs.append({title.strip(): float(each) for title, each in
                     re.findall(r"^(\S.{35})(?: +\d+){4} +([\d.]+)$", text, re.M)})
    rows = []
    for title in runs[0]:
        figures = [found[title] for found in runs]
        spread = max(figures) - min(figures)
        rows.append([title, *(f"{each:.2f}" for each in figures),
                     report.bar(spread <= LATENCY_WITHIN_CYCLES,
                                f"latency: {title}: {figures} cycles in {LATENCY_RUNS} runs")])
    report.table("latency: cycles in several runs",
                 ["operation", *(f"run {i + 1}" for i in range(LATENCY_RUNS)), "result"], rows)
    report.text("latency, the last run", text)
    edited = run("latency", "--cubin", path_of("latency.cubin"))
    report.bar("shared load" in edited, "latency --cubin has no figure")
    if clock_reads.find_cuobjdump():
        wrong = clock_reads.check(path_of("latency.cubin"))
        for why in wrong:
            report.bar(False, f"latency: {why}")
        report.lines += [f"Between the clocks of {len(clock_reads.EXPECTED) - len(wrong)} of "
                         f"{len(clock_reads.EXPECTED)} kernels stands only what they measure "
                         "(`tests/gpu/clock_reads.py`).", ""]


def measure_flops(report):
    report.text("flops", run("flops", *(("--n", "8", "--blocks", "2") if report.quick else ())))


def measure_async(report):
    report.text("async", run("async"))


def main():
    parser = argparse.ArgumentParser(description="The workloads' figures beside ktime's.")
    parser.add_argument("--quick", action="store_true", help="small sizes, no bars, no section")
    parser.add_argument("--only", help="one workload, no section")
    options = parser.parse_args()
    report = Report(options.quick)
    parts = [measure_saxpy, measure_matcopy, measure_bandwidth, measure_vecadd, measure_flops,
             measure_async]
    if not options.quick:
        parts.insert(5, measure_latency)  # the simulated device has no clock for it
    if options.only:
        parts = [part for part in parts if part.__name__ == f"measure_{options.only}"]
    for part in parts:
        print(part.__name__, file=sys.stderr, flush=True)
        try:
            part(report)
        except (Failed, OSError) as error:
            report.failures.append(str(error))
    lines = [*(f"- {why}" for why in report.failures), ""] if report.failures else []
    intro = ["What the workloads print beside ktime's rows of the same run. saxpy and matcopy count 12 bytes",
             "an element and two times the matrix; a copy within the device is counted as read and as written.",
             f"Held to: kernels within {KERNEL_WITHIN_PERCENT} %, copies within {COPY_WITHIN_PERCENT} %, cycles within "
             f"{LATENCY_WITHIN_CYCLES} in {LATENCY_RUNS} runs.", ""]
    print("\n".join(report.lines + lines))
    if not options.quick and not options.only:
        results.write_section("workloads", "Workloads", "workloads.py",
                              intro + report.lines + lines)
    print(f"{len(report.failures)} failures")
    sys.exit(1 if report.failures else 0)


main()
