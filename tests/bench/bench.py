#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What ktime costs, beside its peers, on this machine's GPU.

Every workload runs under every variant in turns, round after round, until the time is used up.
Prints one table and the bars it is held to, and writes both to tests/bench/RESULTS.md, in which
sections that were written by hand stay. Run from the root of the tree; everything it starts was built
by `make bench-programs library command`.

KTIME_NSYS names an nsys that is not on PATH, KTIME_NSYS_LIBRARY_PATH libraries that it needs,
KTIME_BUILD another build folder, KTIME_COMMIT the commit where there is no git.
"""
import argparse
import collections
import dataclasses
import os
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import plan
import bars
import report
import sessions
import turns
from samples import Samples, from_outcome, parse_line

import machine
import nsys
import process
import profilers


def parse_arguments():
    parser = argparse.ArgumentParser(description="Measures what ktime costs.")
    parser.add_argument("--quick", action="store_true", help="about 90 seconds, fewer figures")
    parser.add_argument("--minutes", type=float, help="time to use (default 7.5, quick 1.5)")
    parser.add_argument("--long", action="store_true", help="also 10^8 launches (3 minutes more)")
    parser.add_argument("--only", metavar="NAMES", default="",
                        help="comma-separated workloads or variants: " +
                        " ".join([*plan.ROW_TITLES, *plan.VARIANTS]))
    parser.add_argument("--output", metavar="FILE",
                        help="where the results go (default RESULTS.md beside this; none with --only)")
    parser.add_argument("--samples", metavar="FILE", help="where every single run goes, a line each")
    return parser.parse_args()


@dataclasses.dataclass(frozen=True)
class Job:
    """What is run at a time: a workload under one variant, or in turns under several."""
    name: str
    variants: tuple
    rows: tuple
    rounds: int  # at most


def chosen(options):
    """The jobs of a round, in order."""
    names = set(filter(None, options.only.split(",")))
    rows = names & set(plan.ROW_TITLES)
    variants = names & set(plan.VARIANTS)
    if names - rows - variants:
        sys.exit(f"bench.py: no workload or variant {', '.join(sorted(names - rows - variants))}")
    jobs = []
    for name, workload in plan.WORKLOADS.items():
        own_rows = workload.rows if name in rows or not rows else rows & set(workload.rows)
        if rows and not own_rows and name not in rows:
            continue
        if workload.long and not options.long or workload.not_quick and options.quick:
            continue
        wanted = tuple(variant for variant in workload.variants
                       if not variants or variant in variants | {"none"})
        if workload.rows:
            jobs.append(Job(name, wanted, tuple(own_rows), workload.rounds))
        else:
            jobs += [Job(name, (variant,), (), workload.rounds) for variant in wanted]
    return jobs


def missing():
    """[(variant or workload, why)] that this machine cannot run."""
    found = []
    if not nsys.find():
        found.append(("nsys", "nsys is neither on PATH nor in KTIME_NSYS"))
    if not os.path.exists(profilers.BARE_TRACER):
        found.append(("bare", f"{profilers.BARE_TRACER} is not built: make bench-programs"))
    return found


def command(name, variant, file):
    """(argv, environment) of a workload under a variant."""
    workload, way = plan.WORKLOADS[name], plan.VARIANTS[variant]
    return way.start([*workload.argv, *way.arguments],
                     file if workload.session or way.makes_file else None)


def run_in_turns(job, variants, directory, samples):
    """Runs a workload under all variants at once; {variant: why} of those that failed."""
    workload = plan.WORKLOADS[job.name]
    turns_seen = collections.Counter()

    def take(variant, line):
        values = parse_line(line)
        row = workload.prefix + values["workload"]
        turns_seen[row, variant] += 1
        if turns_seen[row, variant] > workload.settling:
            samples.add(row, variant, values)

    commands = {variant: command(job.name, variant, os.path.join(directory, f"{job.name}.{variant}"))
                for variant in variants}
    return turns.run(commands, [row.removeprefix(workload.prefix) for row in job.rows],
                     workload.settling + workload.turns, 240, take)


def run_once(name, variant, directory, samples):
    """Runs one job; returns the reason where it failed."""
    workload = plan.WORKLOADS[name]
    file = os.path.join(directory, f"{name}.{variant}")
    argv, environment = command(name, variant, file)
    for _ in range(workload.repeat):
        outcome = process.run(argv, environment, timeout=1200 if workload.long else 180)
        if outcome.returncode:
            return (outcome.stderr.strip().splitlines() or [f"exit {outcome.returncode}"])[-1]
        try:
            session = sessions.read(file) if workload.session and os.path.exists(file) else None
        except OSError as error:
            return str(error)
        for row, values in from_outcome(name, variant, outcome):
            if session:
                values["session"] = session
            samples.add(row, variant, values)
    return None


def run_job(job, variants, directory, samples):
    """{variant: why} of those that failed."""
    if job.rows:
        return run_in_turns(job, variants, directory, samples)
    why = run_once(job.name, variants[0], directory, samples)
    return {variants[0]: why} if why else {}


def progress(seconds, number, name, variant):
    """One line that changes on a terminal, one line a workload elsewhere."""
    if sys.stderr.isatty():
        print(f"\r{seconds:4.0f} s  round {number + 1}  {name} {variant:<12}", end="",
              file=sys.stderr, flush=True)
    elif variant == "none":
        print(f"{seconds:4.0f} s  round {number + 1}  {name}", file=sys.stderr, flush=True)


def run_all(options, jobs, skipped, directory, samples):
    """Rounds of all jobs until the time is used up; the first round is always whole."""
    begun = time.monotonic()
    minutes = options.minutes or (1.5 if options.quick else 7.5)
    duration = {}
    for number in range(99):
        ran = 0
        for job in jobs:
            variants = [variant for variant in job.variants
                        if not {job.name, variant, f"{job.name}, {variant}"} & set(skipped)]
            if number >= job.rounds or not variants:
                continue
            spent = time.monotonic() - begun
            if number and spent + duration.get(job, 0) > minutes * 60:
                continue
            start = time.monotonic()
            for variant, why in run_job(job, variants, directory, samples).items():
                skipped[job.name if variant == "none" else f"{job.name}, {variant}"] = why
            duration[job] = time.monotonic() - start
            ran += 1
            progress(spent, number, job.name, variants[0])
        if not ran or time.monotonic() - begun > minutes * 60:
            break
    if sys.stderr.isatty():
        print(file=sys.stderr)


def write(path, text):
    """Sections that were written by hand stay, at the end of the file."""
    by_hand = ""
    if os.path.exists(path):
        with open(path) as file:
            by_hand = report.written_by_hand(file.read())
    with open(path, "w") as file:
        file.write(text + ("\n" + by_hand if by_hand else ""))


def main():
    options = parse_arguments()
    samples = Samples()
    skipped = dict(missing())
    if not os.path.exists(profilers.LIBRARY):
        sys.exit(f"bench.py: {profilers.LIBRARY} is not built: make")
    if not machine.gpus():
        sys.exit("bench.py: no NVIDIA GPU here (nvidia-smi lists none)")
    with tempfile.TemporaryDirectory(prefix="ktime-bench-") as directory:
        run_all(options, chosen(options), skipped, directory, samples)
    text = report.markdown(samples, bars.evaluate(samples), skipped)
    print(text)
    output = options.output or (None if options.only else os.path.join(plan.HERE, "RESULTS.md"))
    if output:
        write(output, text)
    if options.samples:
        with open(options.samples, "w") as file:
            file.writelines(line + "\n" for line in samples.as_lines())


main()
