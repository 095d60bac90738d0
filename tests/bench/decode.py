#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What a profiler does to a server: a transformer that decodes by replays of a graph at batch 1
(decoder.py), under each profiler in turns with none. Tokens a second, and how far each profiler's
table of kernels is from the truth: the number of calls and the times that a bare CUPTI tracer
records, of which two runs are compared as well. Writes decode.md beside RESULTS.md, or --output.

Run from the root of the tree, built by `make bench-programs library command`.
"""
import argparse
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import plan
import turns
from samples import Samples, parse_line

import counts
import machine
import nsys
import process
import profilers
import results
import sessions

# Another program that understands decoder.py's options: KTIME_DECODER.
DECODER = os.environ.get("KTIME_DECODER", "").split() or [
    sys.executable, os.path.join(plan.HERE, "decoder.py")]
ROW = "decode"
# Rows that together take this share of the time, the longest first, are compared.
COMPARED_SHARE = 0.99


@dataclasses.dataclass(frozen=True)
class Way:
    title: str
    start: object  # argv, file -> (argv, environment)
    read: object = None  # file -> {name: counts.Operation}; None: it has no table of kernels
    demangled: bool = False  # its kernels go by demangled names
    arguments: object = lambda file: []  # of the decoder


def under_ktime(options):
    return lambda argv, file: profilers.under_ktime(argv, f"--quiet -f -o {file} {options}")


def read_ktime(file):
    session = sessions.read(file)
    # Where nodes are only counted a row has the time of its other launches.
    timed = session.counters["graph_nodes"] > 0 or session.counters["graph_node_calls"] == 0
    return {row.name: counts.Operation(row.calls, row.total_ns if timed else 0)
            for row in session.rows if row.kind == "kernel"}


def under_nsys(trace):
    return lambda argv, file: nsys.under_nsys(argv, file, [f"--cuda-graph-trace={trace}"])


def under_attached(argv, _):
    argv, environment = profilers.under_bare_tracer(argv)
    return argv, {**environment, "BARE_TRACER_ATTACHED": "1"}


def read_bare_tracer(file):
    with open(file) as text:
        return counts.from_bare_tracer(text.read())


def read_torch(file):
    with open(file) as text:
        return {name: counts.Operation(*figures) for name, figures in json.load(text).items()}


def torch_arguments(file):
    return ["--profiler", file]


def plain(argv, _):
    return profilers.under_nothing(argv)


WAYS = {
    "none": Way("no profiler", plain),
    "again": Way("no profiler, again", plain),
    "bare": Way("bare CUPTI", profilers.under_bare_tracer, read_bare_tracer),
    "attached": Way("CUPTI attached, nothing recorded", under_attached),
    "default": Way("ktime", under_ktime(""), read_ktime),
    "budget": Way("ktime --budget 1", under_ktime("--budget 1"), read_ktime),
    "node": Way("ktime --graph node", under_ktime("--graph node"), read_ktime),
    "graph": Way("ktime --graph graph", under_ktime("--graph graph"), read_ktime),
    "nsys_node": Way("nsys, graph nodes", under_nsys("node"), nsys.read),
    "nsys_graph": Way("nsys, whole graphs", under_nsys("graph"), nsys.read),
    "torch": Way("torch.profiler", plain, read_torch, True, torch_arguments),
}


def available(only):
    names = [name for name in WAYS if not only or name in only or name == "none"]
    return [name for name in names if nsys.find() or not name.startswith("nsys")]


def command(name, directory, *arguments):
    way = WAYS[name]
    file = os.path.join(directory, name)
    return way.start([*DECODER, *arguments, *way.arguments(file)], file)


def measure_speed(names, options, directory):
    """(Samples of the row decode, {name: why} of those that failed)."""
    samples = Samples()

    def take(name, line):
        values = parse_line(line)
        if "workload" in values:
            samples.add(values["workload"], name, values)

    commands = {name: command(name, directory, "--tokens", str(options.tokens))
                for name in names}
    return samples, turns.run(commands, [ROW], options.turns, options.timeout, take)


def read_table(name, tokens, timeout):
    """{name of a kernel: counts.Operation} of one run of `tokens` tokens."""
    with tempfile.TemporaryDirectory(prefix="ktime-decode-") as directory:
        argv, environment = command(name, directory, "--table", str(tokens))
        outcome = process.run(argv, environment, timeout=timeout)
        if outcome.returncode:
            raise OSError((outcome.stderr.strip().splitlines() or ["failed"])[-1])
        operations = WAYS[name].read(os.path.join(directory, name))
    return {kernel: operation for kernel, operation in operations.items()
            if not kernel.startswith(("[", "Mem"))}


def demangle(table):
    """The same under demangled names, as torch.profiler has them; None without c++filt."""
    if not shutil.which("c++filt"):
        return None
    names = list(table)
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True,
                          timeout=60)
    return dict(zip(done.stdout.splitlines(), table.values()))


def main_rows(table):
    """The names of the rows that together have COMPARED_SHARE of the time."""
    total, covered, names = sum(o.total_ns for o in table.values()), 0, []
    for name, operation in sorted(table.items(), key=lambda item: -item[1].total_ns):
        if covered >= COMPARED_SHARE * total:
            break
        covered += operation.total_ns
        names.append(name)
    return names


def compare(truth, table):
    """(rows compared, rows found, rows with every call, the largest error of a total in percent)."""
    names = main_rows(truth)
    found = [name for name in names if name in table]
    exact = [name for name in found if table[name].calls == truth[name].calls]
    errors = [100 * abs(table[name].total_ns / truth[name].total_ns - 1) for name in found
              if table[name].total_ns]
    return len(names), len(found), len(exact), max(errors) if errors else None


def table_cells(name, truth, tokens, timeout):
    if WAYS[name].read is None or truth is None:
        return ["-", "-", "-"]
    try:
        table = read_table(name, tokens, timeout)
    except OSError as error:
        return [f"failed: {error}", "-", "-"]
    reference = demangle(truth) if WAYS[name].demangled else truth
    if reference is None:
        return ["no c++filt", "-", "-"]
    rows, found, exact, error = compare(reference, table)
    return [f"{found} of {rows}", f"{exact} of {rows}", "-" if error is None else f"{error:.2f} %"]


def speed_cells(samples, name):
    ns = samples.median(ROW, name)
    if not ns:
        return ["-", "-"]
    # Tokens a second are what the time of a token is turned over.
    added = 0 if name == "none" else samples.added_percent(ROW, name)
    return [f"{1e9 / ns:.0f}", f"{100 / (1 + added / 100) - 100:+.2f} %"]


HEADER = ["profiler", "tokens/s", "fewer or more", "kernel rows", "with every call",
          "largest error of a row's time"]


def main():
    parser = argparse.ArgumentParser(description="What profilers do to a decoding transformer.")
    parser.add_argument("--tokens", type=int, default=200, help="in a turn")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--table-tokens", type=int, default=300, help="0: no tables")
    parser.add_argument("--timeout", type=float, default=240)
    parser.add_argument("--only", default="", help="comma-separated: " + " ".join(WAYS))
    parser.add_argument("--output", metavar="FILE", default=os.path.join(plan.HERE, "decode.md"))
    options = parser.parse_args()
    unknown = set(filter(None, options.only.split(","))) - set(WAYS)
    if unknown:
        sys.exit(f"decode.py: no profiler {', '.join(sorted(unknown))}")
    if not os.path.exists(profilers.BARE_TRACER):
        sys.exit(f"decode.py: {profilers.BARE_TRACER} is not built: make bench-programs")
    names = available(set(filter(None, options.only.split(","))))
    try:
        truth = (read_table("bare", options.table_tokens, options.timeout)
                 if options.table_tokens else None)
    except OSError as error:
        sys.exit(f"decode.py: the bare tracer: {error}")
    with tempfile.TemporaryDirectory(prefix="ktime-decode-") as directory:
        samples, failed = measure_speed(names, options, directory)
    rows = [[WAYS[name].title, *speed_cells(samples, name),
             *table_cells(name, truth, options.table_tokens, options.timeout)] for name in names]
    lines = ["# A decoding transformer under profilers", "", *machine.describe(), "",
             f"{options.turns} turns of {options.tokens} tokens; tables of {options.table_tokens} tokens,",
             f"held against a bare CUPTI tracer's on the kernels with {100 * COMPARED_SHARE:.0f} % of "
             "the time.", "", *results.table(HEADER, rows), "",
             *(f"- {WAYS[name].title}: {why}" for name, why in failed.items())]
    print("\n".join(lines))
    with open(options.output, "w") as file:
        file.write("\n".join(lines).rstrip() + "\n")
    sys.exit(1 if failed else 0)


main()
