#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Runs programs with and without ktime, on a real GPU, and holds ktime's counts against a reference:
CUPTI's records as a bare tracer keeps them and, for some programs, nsys. The program's output and
exit code must be as without ktime; the count of every kernel name and copy direction must be the
reference's.

Prints a table and writes it to tests/gpu/RESULTS.md. Run from the root of the tree; the programs
are built by `make gpu-programs bench-programs workloads`. Ends with status 1 where a check failed.
KTIME_RUNNER names a command that programs are started by: tests/sim/run, on the simulated device.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import dataclasses
import glob
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

import counts
import machine
import nsys
import process
import profilers
import programs
import results
import sessions

SKIPPED = 77
KTIME_OPTIONS = "--profile-child-processes"
OWN_TIME_WITHIN_NS = 3000
OWN_TIME_RUNS = 5
# What a pair of events holds beyond the kernel between them (H200, driver 580).
EVENT_PAIR_NS = 2900


@dataclasses.dataclass
class Verdict:
    program: programs.Program
    skipped: str = None
    failures: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    ktime: dict = None  # {name: calls}
    reference: dict = None
    output_equal: bool = None

    def row(self):
        if self.skipped:
            return [self.program.title, "-", "-", "-", "-", f"skipped: {self.skipped}"]
        difference = sum(abs(n) for n in differences(self.ktime, self.reference).values())
        state = "ok" if not self.failures else "**FAILED**"
        return [self.program.title, sum(self.ktime.values()), sum(self.reference.values()),
                difference, "yes" if self.output_equal else "**no**", state]


def differences(ktime, reference):
    """{name: ktime's calls less the reference's}, where they differ."""
    names = set(ktime) | set(reference)
    found = {name: ktime.get(name, 0) - reference.get(name, 0) for name in sorted(names)}
    return {name: n for name, n in found.items() if n}


def environment_of(program, environment):
    """Adds CUDA's libraries to the search path for those programs that need them."""
    if program.library:
        profilers.with_libraries(environment, *machine.library_directories())
    return environment


def why_not(program):
    """Why the program cannot run here; None where it can."""
    if not os.path.exists(program.path):
        return "not built"
    if program.library:
        places = [os.path.join(d, program.library) for d in machine.library_directories()]
        if not any(os.path.exists(place) for place in places):
            try:
                ctypes.CDLL(program.library)
            except OSError:
                return f"no {program.library}"
    return None


def masked(program, text):
    return re.sub(program.masked, "", text, flags=re.M) if program.masked else text


def read_all(pattern, parse):
    """Sums up the files of a program's processes."""
    found = None
    for path in sorted(glob.glob(pattern)):
        with open(path) as file:
            found = parse(file.read(), found)
    return found or {}


def run_ktime(program, directory):
    """With a session file each process prints no table of its own: the command makes it."""
    options = f"{KTIME_OPTIONS} --log-file {directory}/ktime.%p.log -f -o {directory}/%p.session"
    argv, environment = profilers.under_ktime(list(program.argv), options)
    outcome = process.run(argv, environment_of(program, environment))
    for session in glob.glob(f"{directory}/*.session"):
        sessions.print_table(session, f"{session}.csv", "--csv --demangling off")
    return outcome, read_all(f"{directory}/*.session.csv", counts.from_ktime_csv)


def run_bare_tracer(program, directory):
    argv, environment = profilers.under_bare_tracer(
        list(program.reference_argv or program.argv), f"{directory}/bare.%p.tsv")
    outcome = process.run(argv, environment_of(program, environment))
    return outcome, read_all(f"{directory}/bare.*.tsv", counts.from_bare_tracer)


def run_nsys(program, directory):
    report = os.path.join(directory, "nsys")
    argv, environment = nsys.under_nsys(list(program.reference_argv or program.argv), report,
                                        ["--cuda-graph-trace=node"])
    process.run(argv, environment_of(program, environment))
    return nsys.read(report)


def compare_counts(verdict, title, ktime, reference):
    """One failure for each difference that is not explained."""
    if ktime and not reference:
        verdict.failures.append(f"{title} saw nothing")
        return
    for name, difference in differences(ktime, reference).items():
        text = f"{name}: {difference:+d} against {title}"
        why = verdict.program.explained.get(name)
        (verdict.notes if why else verdict.failures).append(f"{text} ({why})" if why else text)


def check_records(verdict, directory):
    """
    Notes records that were lost, which a program that has the machine for itself may not do, and
    those that no call was found for: the counts are right all the same, but what the clocks are
    compared over is less.
    """
    counters = collections.Counter()
    for path in glob.glob(f"{directory}/*.session"):
        counters.update(sessions.read(path).counters)
    for name, text in (("cupti_dropped", "dropped by CUPTI"), ("cupti_unread", "not read in time"),
                       ("unmatched_records", "without a call")):
        if counters[name]:
            lost = verdict.program.at_full_speed and name != "unmatched_records"
            (verdict.failures if lost else verdict.notes).append(
                f"{counters[name]} of {counters['cupti_records']} activity records {text}")


def check_expected(verdict):
    """Counts that are known beforehand; "kernel" stands for all kernels together."""
    seen = dict(verdict.ktime)
    seen["kernel"] = sum(n for name, n in seen.items() if not name.startswith("[CUDA"))
    for name, number in (verdict.program.expected or {}).items():
        if seen.get(name, 0) != number:
            verdict.failures.append(f"{name}: {seen.get(name, 0)} calls, {number} expected")


def own_times_alone(program, first):
    """The program's own event timings in microseconds, without ktime, its first run included."""
    argv, environment = profilers.under_nothing(list(program.argv))
    outputs = [first.stdout] + [process.run(argv, environment_of(program, environment)).stdout
                                for _ in range(OWN_TIME_RUNS - 1)]
    return [float(found.group(1)) for found in
            (re.search(program.own_time, output) for output in outputs) if found]


def check_own_time(verdict, plain, outcome, operations):
    """The kernel's time against the program's own event timings of it, taken without ktime: CUPTI
    and ktime's events lengthen what the program's own pair of events holds. Against the span of
    some runs, since they differ by up to 8 us from process to process."""
    alone = own_times_alone(verdict.program, plain)
    beside = re.search(verdict.program.own_time, outcome.stdout)
    kernels = [o for name, o in operations.items() if not name.startswith("[CUDA")]
    if not alone or not beside or len(kernels) != 1:
        verdict.failures.append("no time of its own to compare")
        return
    kernel = kernels[0].average_ns
    least, most = (time * 1e3 - EVENT_PAIR_NS for time in (min(alone), max(alone)))
    difference = max(least - kernel, kernel - most, 0)
    text = (f"kernel {kernel / 1e3:.2f} us; by the program's own events "
            f"{min(alone):.2f} to {max(alone):.2f} us in {len(alone)} runs without ktime, "
            f"{float(beside.group(1)):.2f} us with it, of which "
            f"the pair itself is {EVENT_PAIR_NS / 1e3} us")
    within = difference <= OWN_TIME_WITHIN_NS
    (verdict.notes if within else verdict.failures).append(text)


def check(program, with_nsys):
    verdict = Verdict(program, skipped=why_not(program))
    if verdict.skipped:
        return verdict
    plain_argv, plain_environment = profilers.under_nothing(list(program.argv))
    plain = process.run(plain_argv, environment_of(program, plain_environment))
    if plain.returncode == SKIPPED:
        verdict.skipped = plain.stderr.strip().splitlines()[-1].removeprefix("skipped: ")
        return verdict
    with tempfile.TemporaryDirectory(prefix="ktime-gpu-") as directory:
        _, reference = run_bare_tracer(program, directory)
        outcome, operations = run_ktime(program, directory)
        verdict.ktime, verdict.reference = counts.calls(operations), counts.calls(reference)
        compare_counts(verdict, "CUPTI", verdict.ktime, verdict.reference)
        check_records(verdict, directory)
        if with_nsys and program.nsys:
            of_nsys = counts.calls(run_nsys(program, directory))
            compare_counts(verdict, "nsys", verdict.ktime, of_nsys)
    same = masked(program, outcome.stdout) == masked(program, plain.stdout)
    verdict.output_equal = same and outcome.returncode == plain.returncode
    if outcome.returncode != plain.returncode:
        verdict.failures.append(f"exit code {outcome.returncode}, {plain.returncode} without ktime")
    if not same:
        verdict.failures.append(f"output differs: {outcome.stdout[-300:]!r}, without ktime "
                                f"{plain.stdout[-300:]!r}; stderr {outcome.stderr[-300:]!r}")
    if plain.timed_out or outcome.timed_out:
        verdict.failures.append("did not end in time")
    check_expected(verdict)
    if program.own_time:
        check_own_time(verdict, plain, outcome, operations)
    return verdict


def check_all(chosen, jobs, with_nsys):
    """Those that nothing may run beside one by one, the others several at a time; in the order
    given."""
    verdicts = {}

    def one(program):
        verdicts[program] = check(program, with_nsys)
        mark = "-" if verdicts[program].skipped else "F" if verdicts[program].failures else "."
        print(f"{mark} {program.title}", file=sys.stderr, flush=True)

    alone = [program for program in chosen if program.own_time or program.at_full_speed]
    for program in alone:
        one(program)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, [program for program in chosen if program not in alone]))
    return [verdicts[program] for program in chosen]


def report(verdicts):
    header = ["program", "operations by ktime", "by the reference", "difference", "output equal",
              "result"]
    lines = results.table(header, [verdict.row() for verdict in verdicts])
    details = [f"- {v.program.title}: {text}" for v in verdicts for text in v.failures + v.notes]
    return lines + ([""] + details if details else [])


def main():
    parser = argparse.ArgumentParser(description="Checks ktime's counts on a real GPU.")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs by their title")
    parser.add_argument("--jobs", type=int, default=4, help="programs at a time")
    parser.add_argument("--no-nsys", action="store_true", help="leave nsys out")
    options = parser.parse_args()
    if not os.path.exists(profilers.LIBRARY):
        sys.exit(f"gpu_check.py: {profilers.LIBRARY} is not built: make")
    if not machine.gpus():
        sys.exit("gpu_check.py: no NVIDIA GPU here (nvidia-smi lists none)")
    chosen = [p for p in programs.PROGRAMS if re.search(options.only, p.title)]
    verdicts = check_all(chosen, options.jobs, nsys.find() and not options.no_nsys)
    lines = report(verdicts)
    print("\n".join(lines))
    if not options.only:
        results.write_section("gpu-check", "Counts, program by program", "gpu_check.py", lines)
    failed = sum(bool(v.failures) for v in verdicts)
    skipped = sum(bool(v.skipped) for v in verdicts)
    print(f"\n{len(verdicts) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
