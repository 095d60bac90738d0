# SPDX-License-Identifier: MIT
"""What is measured, under what, and how often: the tables that bench.py goes through."""
import dataclasses
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))

import nsys
import profilers

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCH_LOOP = os.path.join(profilers.BUILD, "bench", "launch_loop")
GRAPH_LOOP = os.path.join(profilers.BUILD, "bench", "graph_loop")
RESNET_LOOP = (sys.executable, os.path.join(HERE, "resnet.py"))


@dataclasses.dataclass(frozen=True)
class Variant:
    """A way to run a program."""
    title: str
    start: object  # argv, file for the session or None -> (argv, environment)
    arguments: tuple = ()
    makes_file: bool = False  # it always needs a file to write to


def ktime(title, options, arguments=()):
    def start(argv, file):
        return profilers.under_ktime(argv, f"-f -o {file} {options}" if file else options)

    return Variant(title, start, arguments)


VARIANTS = {
    "none": Variant("no profiler", lambda argv, _: profilers.under_nothing(argv)),
    # What differs from the first by chance.
    "again": Variant("no profiler, again", lambda argv, _: profilers.under_nothing(argv)),
    "bare": Variant("bare CUPTI", lambda argv, _: profilers.under_bare_tracer(argv)),
    "default": ktime("ktime", ""),
    "events_all": ktime("ktime, events all", "--timer events --events all"),
    "always_on": ktime("ktime, always on", "--timer events --budget 1"),
    "budget_2": ktime("ktime --budget 2", "--budget 2"),
    "budget_5": ktime("ktime --budget 5", "--budget 5"),
    **{f"budget_{budget}_switch": ktime(f"ktime --budget {budget}, on and off",
                                        f"--budget {budget} --profile-from-start off",
                                        ("--switch", "--inferences", "120", "--trainings", "6"))
       for budget in (2, 5)},
    "node": ktime("ktime --graph node", "--graph node"),
    "cupti": ktime("ktime, CUPTI only", "--timer cupti"),
    "events_off": ktime("ktime, nothing injected", "--timer events --events off"),
    "no_api": ktime("ktime, no API rows", "--profile-api-trace none"),
    "nsys": Variant("nsys", lambda argv, file: nsys.under_nsys(argv, file),
                    makes_file=True),
    "torch": Variant("torch.profiler", lambda argv, _: profilers.under_nothing(argv),
                     ("--profiler",)),
}


@dataclasses.dataclass(frozen=True)
class Workload:
    """
    A program and its arguments. It prints one line of NAME=VALUE per figure. Where it has rows, all
    variants run at once, and each does the work of every row in turns.
    """
    title: str
    argv: tuple
    variants: tuple = ()
    rounds: int = 99  # at most
    repeat: int = 1  # runs in each round
    rows: dict = dataclasses.field(default_factory=dict)  # name: title
    prefix: str = ""  # of the rows' names, beyond what the program calls them
    turns: int = 0  # for each row in each round
    settling: int = 0  # turns before those, which do not count
    not_quick: bool = False
    long: bool = False  # only on request
    session: bool = False  # keep ktime's session file: its figures are wanted


def loop(title, workload, *arguments, **rest):
    return Workload(title, (LAUNCH_LOOP, workload, *map(str, arguments)), **rest)


def graph_loop(title, graph):
    return Workload(title, (GRAPH_LOOP, graph, "2"), variants=GRAPHS, rounds=2, not_quick=True,
                    session=True)


GRAPHS = ("none", "again", "bare", "default", "node", "budget_2", "budget_5")
BUDGETS = ("none", "again", "budget_2", "budget_5")
# Iterations of some programs differ by a half, in one process as in two. These have every other one
# outside of the profiling window: there launches are counted only; CUPTI stays, if it was started.
SWITCHED = {"budget_2": "budget_2_switch", "budget_5": "budget_5_switch"}
EVERY = ("none", "bare", "default", "events_all", "always_on", "cupti", "events_off", "nsys")
IN_LOOPS = (*EVERY, "again", "no_api", "node")
IN_PYTHON = ("none", "again", "bare", "default", "events_all", "always_on", "nsys", "torch")
MEMORY = ("none", "bare", "default", "always_on")

LOOPS = {
    "empty": "empty kernels",
    "kernel_3us": "3 us kernels",
    "kernel_10us": "10 us kernels",
    "kernel_100us": "100 us kernels",
    "graph": "graph of 100 empty kernels",
    "copies": "pinned 4 KB async copies",
    "threads": "16 threads, 16 streams",
}
# Of these ktime's own account is held against what the turns give: how often, and under what.
ACCOUNTS = {
    "empty": (10**5, ("default", "always_on")),
    "kernel_10us": (10**4, ("default",)),
    "graph": (2000, ("node",)),
    "threads": (20000, ("default",)),
}
RESNET = {
    "resnet_inference": "ResNet-50 inference, batch 1",
    "resnet_training": "ResNet-50 training, batch 64",
}
# Measured by themselves and for longer: with fewer variants a turn's own two processes without a
# profiler come nearer in time.
BUDGET_PREFIX = "budget_"
BUDGET_LOOPS = {BUDGET_PREFIX + row: LOOPS[row] for row in ("empty", "copies", "threads")}
# Of this row what an iteration takes longer inside the profiling window is held to the bars.
HELD_BY_SWITCHING = BUDGET_PREFIX + "resnet_inference"
BUDGET_RESNET = {BUDGET_PREFIX + row: title for row, title in RESNET.items()}


def account_of(row):
    """The workload whose sessions say what ktime cost a loop."""
    return f"account_{row}"


WORKLOADS = {
    # What one process takes differs by up to a percent from the next, for as long as they live
    # (kernels of 10 us: 11.28 or 11.41), so there are several rounds of new ones.
    "loops": loop("loops", "--turns", variants=IN_LOOPS, rows=LOOPS, rounds=12,
                  turns=3),
    "idle": loop("one launch: start to end", "idle", variants=EVERY),
    "resnet": Workload("ResNet-50", RESNET_LOOP, IN_PYTHON, rounds=4, rows=RESNET, turns=8,
                       not_quick=True),
    # What counts is after a process's first second.
    "budgets": loop("loops within a budget", "--turns", variants=BUDGETS, rows=BUDGET_LOOPS,
                    prefix=BUDGET_PREFIX, turns=20, settling=6, not_quick=True),
    "budgets_resnet": Workload("ResNet-50 within a budget", RESNET_LOOP,
                               (*BUDGETS, *SWITCHED.values()),
                               rows=BUDGET_RESNET, prefix=BUDGET_PREFIX, turns=15, settling=5,
                               not_quick=True),
    "launches_1e4": loop("10^4 launches", "empty", 10**4, 1, variants=MEMORY, rounds=1),
    "launches_1e6": loop("10^6 launches", "empty", 10**6, 1, variants=MEMORY, rounds=1,
                         not_quick=True),
    # Bare CUPTI's memory no longer grows after 10^6: see BARE_MEMORY.
    "launches_1e7": loop("10^7 launches", "empty", 10**7, 1, variants=("default",), rounds=1,
                         not_quick=True),
    # Two of each: which of the threads the driver lets wait differs from run to run.
    "threads_1e6": loop("10^6 launches from 16 threads", "threads", 10**6 // 16, 1,
                        variants=(*MEMORY, "events_off"), rounds=1, repeat=2, not_quick=True,
                        session=True),
    # Threads together launch three times as fast as one.
    "threads_1e8": loop("10^8 launches from 16 threads", "threads", 10**8 // 16, 1,
                        variants=("default",), rounds=1, long=True, session=True),
    # Long enough for a thousandth of its calls to say what all of them took, within 3 % in the
    # worst of twelve rows.
    "rows": loop("12 kernels in random order", "rows", 250000,
                 variants=("cupti", "always_on", "budget_2", "budget_5"), rounds=2, session=True),
    # After the first second, so that what is done once for a graph is not in them.
    "graph_empty": graph_loop("graph of 100 empty kernels", "empty"),
    "graph_mixed": graph_loop("graph of 1,000 mixed nodes", "mixed"),
    "graph_updated": graph_loop("graph of 100 kernels, updated every 500 launches", "updated"),
    "true": Workload("/bin/true", ("/bin/true",), ("none", "again", "default"), repeat=20),
    "python": Workload("python3 -c pass", (sys.executable, "-c", "pass"), ("none", "again", "default"),
                       repeat=20),
} | {
    # A session of each for itself.
    account_of(row): loop(f"{LOOPS[row]}, what ktime says it cost", row, operations, 1,
                          variants=variants, rounds=3, repeat=2, session=True)
    for row, (operations, variants) in ACCOUNTS.items()
}

GRAPH_ROWS = ("graph_empty", "graph_mixed", "graph_updated")

# Whose figure stands for bare CUPTI's memory, where it was not run that long.
BARE_MEMORY = {"launches_1e7": "launches_1e6", "threads_1e8": "threads_1e6"}

ROW_TITLES = {name: workload.title for name, workload in WORKLOADS.items()} | LOOPS | RESNET | \
    BUDGET_LOOPS | BUDGET_RESNET
