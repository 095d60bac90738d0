#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What ktime does under several versions of CUPTI, about 75 s of each. Every figure is printed, and with
--cells appended to FILE, as soon as it is there; --write makes the section of tests/gpu/RESULTS.md from
such files, of which a later line counts for more.

usage: cupti_versions.py [--cells FILE] [--only PARTS] FOLDER…
       cupti_versions.py --write FILE…

Each folder is named by its version and has its libcupti.so.N somewhere, as the wheels of
nvidia-cuda-cupti have it; "toolkit" stands for the installed one. Programs get it by LD_PRELOAD. One
that does not end in time is said to hang.
"""
import argparse
import collections
import concurrent.futures
import difflib
import functools
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))

import counts
import machine
import process
import profilers
import results
import sessions
import turns
from samples import Samples, parse_line

HERE = os.path.dirname(os.path.abspath(__file__))
GRAPH_LOOP = os.path.join(profilers.BUILD, "bench", "graph_loop")
LAUNCH_LOOP = os.path.join(profilers.BUILD, "bench", "launch_loop")
NUMBERS = os.path.join(profilers.BUILD, "gpu", "graph_numbers")
# Other programs that understand their arguments.
DECODER = os.environ.get("KTIME_DECODER", "").split() or [
    sys.executable, os.path.join(HERE, "..", "bench", "decoder.py")]
RESNET = os.environ.get("KTIME_RESNET", "").split() or [
    sys.executable, os.path.join(HERE, "python", "resnet_windows.py")]
KERNELS = {"empty": 100, "updated": 100, "mixed": 700}  # in a launch of each graph
CHECKED = "^(graphs|copy_graphs|capture|copies|contexts|context_lives|device_reset|launch_loop threads)"
LATE = ("rows", "90000", "1")  # of launch_loop, some six seconds
TURNS = 8
GRAPH_COLUMNS = {
    "number": "its number",
    "empty": "100 kernels", "empty off": "off", "empty node": "--graph node",
    "updated": "updated", "updated off": "off", "updated node": "--graph node",
    "mixed": "1,000 mixed", "mixed off": "off", "mixed node": "--graph node",
}
OTHER_COLUMNS = {"cost": "empty kernels", "counts": "gpu_check.py", "late": "started late",
                 "decoder": "decoder", "resnet": "ResNet-50", "numbers": "numbers of nodes"}
EXPLAINED = """\
How much longer a launch takes by default, of a graph of 100 empty kernels, of one of 100 that is updated
every 500 launches and of one of 1,000 mixed nodes (tests/bench/graph_loop.cu), and with every node
recorded; off: of the kernel whose mean is farthest from that of `--graph node`, by how much. It is said
where kernels were not recorded in windows, and where calls were missing.

Then, by default, empty kernels without a graph; programs of gpu_check.py; when CUPTI was started amid the
launches of twelve kernels in random order (`--budget 5`), of which every call was counted if nothing else
is said; a decoding transformer (tests/bench/decoder.py). ResNet-50 (python/resnet_windows.py, `--budget 3`):
how many processes ended well with the right number of calls of each kernel, and in how many windows each
recorded. The numbers of nodes: graph_numbers.cu.
"""


class Ended(Exception):
    """A program did not end as it should: how it ended, in a word."""


def run(argv, environment, limit_s):
    """What it printed."""
    outcome = process.run(argv, environment, timeout=limit_s)
    if outcome.timed_out:
        raise Ended("hangs")
    if outcome.returncode < 0:
        raise Ended(signal.Signals(-outcome.returncode).name)
    if outcome.returncode:
        said = outcome.stderr.strip().splitlines() or [""]
        raise Ended(f"status {outcome.returncode} {said[-1]}".strip())
    return outcome.stdout


def run_under_ktime(argv, options, cupti, limit_s):
    """(its output, its session)."""
    with tempfile.TemporaryDirectory(prefix="ktime-versions-") as directory:
        file = os.path.join(directory, "profile")
        argv, environment = profilers.under_ktime(argv, f"--quiet -f -o {file} {options}", cupti)
        output = run(argv, environment | {"OMP_NUM_THREADS": "1"}, limit_s)
        try:
            return output, sessions.read(file)
        except OSError as error:
            raise Ended(str(error)) from error


def kernel_calls(session):
    calls = collections.Counter()
    for row in session.rows:
        if row.kind == "kernel":
            calls[row.name] += row.calls
    return +calls


def libcupti(folder):
    found = ([machine.find_library("libcupti.so")] if folder == "toolkit" else
             glob.glob(os.path.join(folder, "**", "libcupti.so.*"), recursive=True))
    if not found:
        sys.exit(f"cupti_versions.py: no libcupti.so in {folder}")
    return os.path.abspath(found[0])


def missed(session):
    """That ktime ended its windows, as CUPTI did not record all that was launched in them."""
    found = re.search(r"CUPTI \(version \d+\) recorded (\d+ of \d+ kernels .*?)\.", " ".join(session.notes))
    return f", windows ended: {found.group(1)}" if found else ""


@functools.lru_cache
def graph_alone(graph):
    argv, environment = profilers.under_nothing([GRAPH_LOOP, graph, "2"])
    return parse_line(run(argv, environment, 20))["ns"]


def measure_graph(graph, seconds, options, cupti):
    """(what to say of its time, its session or None)."""
    try:
        output, session = run_under_ktime([GRAPH_LOOP, graph, seconds], options, cupti, 12)
    except Ended as ended:
        return str(ended), None
    values = parse_line(output)
    said = f"{100 * (values['ns'] / graph_alone(graph) - 1):+.1f} %"
    calls, right = sum(kernel_calls(session).values()), int(values["launches"] * KERNELS[graph])
    if calls != right:
        said += f", {calls} of {right} calls"
    if not options and not session.counters["windows"]:
        said += ", all nodes" if session.counters["graph_nodes"] else ", whole graphs"
    return said + missed(session), session


def farthest(session, node):
    """By how many percent the average of a kernel is off that in the other session, at most."""
    if not session or not node:
        return "-"
    ours, theirs = ({row.name: row for row in of.rows if row.kind == "kernel" and row.calls}
                    for of in (session, node))
    off = [100 * (ours[name].total_ns / ours[name].calls / theirs[name].cupti.average_ns - 1)
           for name in ours if ours[name].total_ns and name in theirs and theirs[name].cupti.calls]
    return f"{max(off, key=abs):+.1f} %" if off else "no times"


def graphs(cupti, _):
    for graph in KERNELS:
        # What one process takes differs from the next: the graph that is held to a bar has two.
        runs = [measure_graph(graph, "2", "", cupti) for _ in range(2 if graph == "empty" else 1)]
        yield graph, "; ".join(said for said, _ in runs)
        said, node = measure_graph(graph, "1", "--graph node", cupti)
        yield f"{graph} node", said
        yield f"{graph} off", "; ".join(farthest(session, node) for _, session in runs)
        if graph == "empty" and (node or runs[0][1]):
            yield "number", str((node or runs[0][1]).cupti_version)


def numbers(cupti, _):
    argv, environment = profilers.under_nothing([NUMBERS, cupti])
    try:
        yield "numbers", run(argv, environment, 20)
    except Ended as ended:
        yield "numbers", str(ended)


def in_turns(argv, work, cupti, limit_s):
    """How much longer the work takes under ktime, the two in turns, and its session."""
    samples = Samples()
    with tempfile.TemporaryDirectory(prefix="ktime-versions-") as directory:
        file = os.path.join(directory, "profile")
        commands = {"none": profilers.under_nothing(argv),
                    "default": profilers.under_ktime(argv, f"--quiet -f -o {file}", cupti)}
        failed = turns.run(commands, [work], TURNS, limit_s,
                           lambda variant, line: samples.add(work, variant, parse_line(line)))
        if failed:
            raise Ended("; ".join(f"{variant}: {why}" for variant, why in failed.items()))
        return f"{samples.added_percent(work, 'default'):+.1f} %", sessions.read(file)


def cost(cupti, _):
    try:
        yield "cost", in_turns([LAUNCH_LOOP, "--turns"], "empty", cupti, 30)[0]
    except (Ended, OSError) as error:
        yield "cost", str(error)


def counted(cupti, _):
    argv = [sys.executable, "tests/gpu/gpu_check.py", "--no-nsys", "--only", CHECKED]
    try:
        done = subprocess.run(argv, env=os.environ | {"KTIME_CUPTI": cupti}, capture_output=True,
                              text=True, timeout=120)
    except subprocess.TimeoutExpired:
        yield "counts", "hangs"
        return
    lines = done.stdout.strip().splitlines() or [f"status {done.returncode}"]
    for line in lines:
        if line.startswith("- ") or "**" in line:
            print(line, flush=True)
    yield "counts", lines[-1].removesuffix(", 0 skipped")


def decoder(cupti, _):
    if not fits_pytorch(cupti):
        return
    try:
        said, session = in_turns([*DECODER, "--tokens", "300"], "decode", cupti, 90)
        yield "decoder", f"{said}, {session.counters['windows']} windows{missed(session)}"
    except (Ended, OSError) as error:
        yield "decoder", str(error)


def fits_pytorch(cupti):
    """PyTorch is taken to be of the toolkit's major version: it loads a libcupti of that name."""
    return cupti.endswith(".so." + machine.cuda_version().split(".")[0])


@functools.lru_cache
def resnet_calls():
    """Calls of each kernel ({name: before the iterations}, {name: in each})."""
    def calls(iterations):
        with tempfile.TemporaryDirectory(prefix="ktime-versions-") as directory:
            file = os.path.join(directory, "table")
            argv, environment = profilers.under_bare_tracer(
                [*RESNET, "--iterations", str(iterations)], file)
            run(argv, environment, 90)
            with open(file) as table:
                found = counts.calls(counts.from_bare_tracer(table.read()))
        return collections.Counter({name: n for name, n in found.items() if name[0] != "["})

    with concurrent.futures.ThreadPoolExecutor() as pool:
        one, three = pool.map(calls, (1, 3))
    each = {name: (three[name] - one[name]) // 2 for name in three}
    return {name: one[name] - each[name] for name in three}, each


def resnet(cupti, seconds):
    """(what is wrong with a run, or "", and in how many windows it recorded)."""
    output, session = run_under_ktime([*RESNET, seconds], "--budget 3", cupti, 90)
    iterations = int(parse_line(output)["iterations"])
    before, each = resnet_calls()
    right = {name: before[name] + iterations * each[name] for name in each}
    found = kernel_calls(session)
    wrong = [name for name in right.keys() | found.keys() if right.get(name, 0) != found[name]]
    windows = session.counters["windows"]
    if wrong:
        example = f"{wrong[0]} {found[wrong[0]]} of {right.get(wrong[0], 0)}"
        return f"calls of {len(wrong)} kernels off: {example}", windows
    return "" if windows and session.counters["cupti_late_ns"] else "no windows", windows


def late(cupti):
    try:
        _, session = run_under_ktime([LAUNCH_LOOP, *LATE], "--budget 5", cupti, 60)
    except Ended as ended:
        return str(ended)
    after, calls = session.counters["cupti_late_ns"], sum(kernel_calls(session).values())
    said = f"after {after / 1e9:.1f} s" if after else "not started"
    return said if calls == int(LATE[1]) else f"{said}, {calls} of {LATE[1]} calls"


def resnets(cupti, options):
    """Nothing is timed here, so all run at once; the one without PyTorch is done when that is loaded."""
    ends, windows = collections.Counter(), []
    number = options.resnets if fits_pytorch(cupti) else 0
    try:
        if number:
            resnet_calls()
    except (Ended, OSError) as error:
        yield "resnet", f"alone: {error}"
        number = 0
    with concurrent.futures.ThreadPoolExecutor(options.resnets + 1) as pool:
        started_late = pool.submit(late, cupti)
        for future in [pool.submit(resnet, cupti, options.resnet_seconds) for _ in range(number)]:
            try:
                why, recorded = future.result()
                windows.append(recorded)
            except Ended as ended:
                why = str(ended)
            ends[why] += 1
        yield "late", started_late.result()
    if number:
        wrong = [f"{n} x {why}" for why, n in ends.items() if why]
        shown = f"{min(windows)} to {max(windows)} windows" if windows else "no windows"
        yield "resnet", "; ".join([f"{ends['']} of {number}", shown, *wrong])


PARTS = {"numbers": numbers, "graphs": graphs, "cost": cost, "counts": counted, "decoder": decoder,
         "resnet": resnets}


def measure(options):
    parts = options.only.split(",") if options.only else PARTS
    cells = open(options.cells, "a") if options.cells else open(os.devnull, "w")
    with cells:
        print(json.dumps({"machine": machine.describe()}), file=cells, flush=True)
        for folder in options.folders:
            version, cupti = os.path.basename(os.path.normpath(folder)), libcupti(folder)
            for part in parts:
                begun = time.monotonic()
                try:
                    for column, cell in PARTS[part](cupti, options):
                        print(json.dumps({"version": version, "column": column, "cell": cell}),
                              file=cells, flush=True)
                        print(f"{version} | {column} | {cell}", flush=True)
                except Exception as error:  # time on a GPU is dear: the rest is measured all the same
                    print(f"{version} | {part} | {type(error).__name__}: {error}", flush=True)
                print(f"{version} {part}: {time.monotonic() - begun:.0f} s", flush=True)


def in_order(version):
    return [int(part) for part in re.findall(r"\d+", version)], version


def compare_numbers(found):
    """Names for each version's cell the first version that numbers alike; the lines to show."""
    first, lines = {}, []
    for version in sorted(found, key=in_order):
        text = found[version].get("numbers")
        if text is None or "\n" not in text:
            continue
        if text in first:
            found[version]["numbers"] = f"as {first[text]}"
            continue
        reference = next(iter(first), None)
        lines += ["", f"Numbers of nodes with {version}" + (":" if reference is None else
                                                           f", where not as {first[reference]}:"), "",
                  "```text"]
        lines += (text.splitlines() if reference is None else
                  [line for line in difflib.unified_diff(reference.splitlines(), text.splitlines(),
                                                         n=0, lineterm="")
                   if line[:1] in "+-" and line[:3] not in ("+++", "---")])
        lines.append("```")
        first[text] = version
        found[version]["numbers"] = "below"
    return lines


def read(files):
    """({version: {column: cell}}, what is said of the machine). Where a file is of another GPU than
    the first its versions say so."""
    found, about = collections.defaultdict(dict), []
    for file in files:
        with open(file) as cells:
            for line in map(json.loads, cells):
                if "machine" in line:
                    about = about or line["machine"]
                    gpu = line["machine"][0].removeprefix("- GPU: ")
                    place = "" if line["machine"][0] == about[0] else f" on {gpu}"
                else:
                    found[line["version"] + place][line["column"]] = line["cell"]
    return found, about


def write(files, output):
    found, about = read(files)
    numbers_lines = compare_numbers(found)
    lines = EXPLAINED.splitlines()
    for columns in (GRAPH_COLUMNS, OTHER_COLUMNS):
        lines += ["", *results.table(["CUPTI", *columns.values()],
                                     [[version, *(found[version].get(name, "-") for name in columns)]
                                      for version in sorted(found, key=in_order)
                                      if set(columns) & set(found[version])])]
    lines += numbers_lines
    results.write_section("cupti-versions", "Versions of CUPTI", "cupti_versions.py", lines, output, about)
    print("\n".join(lines))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", metavar="FILE", help="also append each figure there")
    parser.add_argument("--write", action="store_true", help="make the section from such files")
    parser.add_argument("--output", default=results.PATH, help="with --write: the document")
    parser.add_argument("--only", default="", metavar="PARTS", help="comma-separated: " + " ".join(PARTS))
    parser.add_argument("--resnets", type=int, default=20, help="processes of ResNet-50, all at once")
    parser.add_argument("--resnet-seconds", default="9", help="each iterates for so long")
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    options = parser.parse_args()
    unknown = set(filter(None, options.only.split(","))) - set(PARTS)
    if unknown:
        sys.exit(f"cupti_versions.py: no part {', '.join(sorted(unknown))}")
    if options.write:
        write(options.folders, options.output)
    else:
        measure(options)


if __name__ == "__main__":
    main()
