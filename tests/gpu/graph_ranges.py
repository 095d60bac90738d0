#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
NVTX ranges inside CUDA graphs: of graph_ranges.cu and, where PyTorch is installed, of
python/graph_ranges.py, each range's operations under `--graph node` and under ktime's default are to be
those of the nodes that the program made in it, and the default's times within TOLERANCE of the
others. And what the ranges cost a replay. Writes its section of tests/gpu/RESULTS.md.
"""
import argparse
import importlib.util
import json
import os
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True

import process
import profilers
import results
import sessions

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(profilers.BUILD, "gpu", "graph_ranges")
SCRIPT = os.path.join(HERE, "python", "graph_ranges.py")
TOLERANCE = 0.03
TURNS = 5
MOST_COST = 0.005
SKIPPED = 77


def of_session(session):
    """{path: [operations, time, half of the interval]} of each range with those inside of it, all threads together."""
    paths, sums = [], {}
    for entry in session["ranges"]:
        path = (f"{paths[entry['parent']]}/" if "parent" in entry else "") + entry["name"]
        paths.append(path)
        total = sums.setdefault(path, [0, 0, 0])
        total[0] += entry["all"]["operations"]
        total[1] += entry["all"]["time"]
        total[2] += entry["all"].get("error", 0)
    return sums


def with_inner(expected):
    """What the program tells is of a range alone where it says so of those inside of it too."""
    return {path: sum(count for other, count in expected.items() if other == path or other.startswith(path + "/"))
            for path in expected}


def run(argv, options, directory):
    """(what the program printed, the session's JSON); None where the program cannot run here."""
    file = os.path.join(directory, "session")
    outcome = process.run(*profilers.under_ktime(argv, f"-f -o {file} {options}"))
    if outcome.returncode == SKIPPED:
        return None
    if outcome.returncode:
        raise RuntimeError(f"{' '.join(argv)} {options}: status {outcome.returncode}: {outcome.stderr[-500:]}")
    return json.loads(outcome.stdout.strip().splitlines()[-1]), sessions.export(file)


def all_operations(session):
    return sum(row["calls"] for row in session["rows"] if row.get("table") == "gpu")


def compare(title, argv, inner, failures):
    with tempfile.TemporaryDirectory() as directory:
        exact = run(argv, "--graph node", directory)
        default = run(argv, "", directory)
    if not exact or not default:
        return []
    expected = exact[0] if inner else with_inner(exact[0])
    nodes, windows = of_session(exact[1]), of_session(default[1])
    rows = []
    for path, count in expected.items():
        if count is None:
            # How much is tried while it compiles differs from run to run.
            counts = [all_operations(session) for _, session in (exact, default)]
            own = [sums.get(path, [0])[0] for sums in (nodes, windows)]
            good = all(inside >= 0.95 * count for inside, count in zip(own, counts))
            rows.append([path, " and ".join(map(str, counts)), *own, "", "", "", "ok" if good else "**differs**"])
        else:
            own, other = nodes.get(path, [0, 0, 0]), windows.get(path, [0, 0, 0])
            difference = other[1] / own[1] - 1 if own[1] else 0
            near = abs(difference) <= TOLERANCE or abs(other[1] - own[1]) <= other[2]
            good = own[0] == other[0] == count and near
            rows.append([path, count, own[0], other[0], f"{own[1] / 1e6:.3f} ms", f"{other[1] / 1e6:.3f} ms",
                         f"{100 * difference:+.1f} %", "ok" if good else "**differs**"])
        if not good:
            failures.append(f"{title}: {rows[-1]}")
    return [f"### {title}", "", *results.table(
        ["range", "nodes run", "--graph node: ops", "default: ops", "--graph node", "default", "difference", "result"],
        rows), ""]


def cost(failures):
    """What a replay takes longer under ktime where its graph was captured in ranges."""
    times = {"with": [], "without": []}
    for _ in range(TURNS):
        for way, found in times.items():
            outcome = process.run(*profilers.under_ktime([sys.executable, SCRIPT, way], "--quiet"))
            if outcome.returncode:
                raise RuntimeError(f"{way}: status {outcome.returncode}: {outcome.stderr[-500:]}")
            found.append(float(outcome.stdout.split()[-1]))
    ratios = [ranged / plain - 1 for ranged, plain in zip(times["with"], times["without"])]
    longer = statistics.median(ratios)
    text = (f"A replay of the encoder, {TURNS} runs each in turns: median {statistics.median(times['without']) / 1e3:.1f} us "
            f"without ranges, {statistics.median(times['with']) / 1e3:.1f} us with them; a turn's difference is "
            f"{100 * longer:+.2f} % in the median ({100 * min(ratios):+.2f} to {100 * max(ratios):+.2f} %).")
    if longer > MOST_COST:
        failures.append(text)
    return [text, ""]


def main():
    parser = argparse.ArgumentParser(description="Holds ranges inside of CUDA graphs to the nodes made in them.")
    parser.add_argument("--only", default="", help="graph_ranges.cu, graph, callables, compiled, llama or cost")
    options = parser.parse_args()
    cases = [("graph_ranges.cu", [PROGRAM], False)]
    if importlib.util.find_spec("torch"):
        cases += [(way, [sys.executable, SCRIPT, way], True) for way in ("graph", "callables", "compiled", "llama")]
    failures, text = [], []
    for title, argv, inner in cases:
        if options.only in ("", title):
            print(title, file=sys.stderr, flush=True)
            try:
                text += compare(title, argv, inner, failures)
            except (RuntimeError, OSError, ValueError) as error:
                failures.append(f"{title}: {error}")
    if options.only in ("", "cost") and len(cases) > 1:
        try:
            text += cost(failures)
        except (RuntimeError, OSError, ValueError) as error:
            failures.append(f"cost: {error}")
    text += [f"- {failure}" for failure in failures]
    print("\n".join(text))
    if not options.only:
        results.write_section("graph-ranges", "NVTX ranges inside CUDA graphs", "graph_ranges.py", [
            "Two runs of each program, with `--graph node` and by default. Operations are to be those of the nodes "
            "that the program made in the range, times within 3 % or in the interval.", "", *text])
    print(f"\n{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
