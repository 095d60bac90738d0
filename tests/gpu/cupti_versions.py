#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What ktime does under several versions of CUPTI: what the launch of a graph costs by default, and with
every node recorded; how far its row is from that; and whether the counts of gpu_check.py's programs
hold. Writes its section of tests/gpu/RESULTS.md; takes about 40 s a version.

usage: cupti_versions.py [--seconds S] FOLDER…

Each folder is named by its version and has lib64/libcupti.so.N, as the wheels of nvidia-cuda-cupti
have it; "toolkit" stands for the installed one. A program that does not end in time is said to hang.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import process
import profilers
import results
import sessions

LOOP = os.path.join(profilers.BUILD, "bench", "graph_loop")
GRAPHS = ("empty", "updated", "mixed")
CHECKED = "^(graphs|capture|copies|contexts|context_lives|device_reset|launch_loop.*)"
LIMIT_S = 15


def run(argv, environment):
    """(its output, or None; how it ended, in a word)."""
    outcome = process.run(argv, environment, timeout=LIMIT_S)
    if outcome.timed_out:
        return None, "hangs"
    if outcome.returncode < 0:
        return None, signal.Signals(-outcome.returncode).name
    return (outcome.stdout, "") if not outcome.returncode else (None, f"status {outcome.returncode}")


def launch_ns(output):
    return float(re.search(r" ns=([\d.]+)", output).group(1))


def alone(graph, seconds):
    return launch_ns(run(*profilers.under_nothing([LOOP, graph, seconds]))[0])


def kernels(session):
    return {row.name: row for row in session.rows if row.kind == "kernel" and row.calls}


def profiled(folder, graph, seconds, options, directory):
    """(ns of a launch, session), or (how it ended, None)."""
    file = os.path.join(directory, "profile")
    argv, environment = profilers.under_ktime([LOOP, graph, seconds], f"--quiet -f -o {file} {options}")
    if folder != "toolkit":
        environment["CUDA_HOME"] = folder
    output, ended = run(argv, environment)
    return (launch_ns(output), sessions.read(file)) if output else (ended, None)


def how_it_was_timed(session):
    counters = session.counters
    if counters.get("windows"):
        return "windows"
    return "all nodes" if counters.get("graph_nodes") else "whole graphs"


def farthest(some, others):
    """By how many percent the average of a kernel is off that in the other session, at most."""
    ours, theirs = kernels(some), kernels(others)
    off = [100 * (ours[name].total_ns / ours[name].calls / theirs[name].cupti.average_ns - 1)
           for name in ours if ours[name].total_ns and name in theirs and theirs[name].cupti.calls]
    return f"{max(off, key=abs):+.1f} %" if off else "-"


def graph_row(folder, graph, seconds, base, directory):
    ns, session = profiled(folder, graph, seconds, "", directory)
    node_ns, node = profiled(folder, graph, seconds, "--graph node", directory)
    return [os.path.basename(folder), graph, f"{base / 1000:.1f} us",
            f"{100 * (ns / base - 1):+.1f} %" if session else ns,
            how_it_was_timed(session) if session else "-",
            f"{100 * (node_ns / base - 1):+.1f} %" if node else node_ns,
            farthest(session, node) if session and node else "-"]


def counts(folder):
    """gpu_check.py's last line."""
    environment = profilers.plain_environment()
    if folder != "toolkit":
        environment["CUDA_HOME"] = folder
    argv = [sys.executable, "tests/gpu/gpu_check.py", "--no-nsys", "--only", CHECKED]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=200)
    return (done.stdout.strip().splitlines() or ["nothing"])[-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", default="2")
    parser.add_argument("--no-counts", action="store_true", help="leave gpu_check.py out")
    parser.add_argument("folders", nargs="+")
    arguments = parser.parse_args()
    base = {graph: alone(graph, arguments.seconds) for graph in GRAPHS}
    rows, lines = [], []
    with tempfile.TemporaryDirectory(prefix="ktime-versions-") as directory:
        for folder in arguments.folders:
            rows += [graph_row(folder, graph, arguments.seconds, base[graph], directory) for graph in GRAPHS]
            print(*rows[-3:], sep="\n", flush=True)
            if not arguments.no_counts:
                lines.append(f"- {os.path.basename(folder)}: {counts(folder)}")
                print(lines[-1], flush=True)
    header = ["CUPTI", "graph", "alone", "by default", "timed by", "--graph node", "average off --graph node"]
    lines = ["`by default` and `--graph node`: how much longer a launch of the graph takes (tests/bench/graph_loop.cu).", "",
             *results.table(header, rows), *([""] if lines else []), *lines]
    results.write_section("cupti-versions", "Versions of CUPTI", "cupti_versions.py", lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
