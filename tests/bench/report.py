# SPDX-License-Identifier: MIT
"""The benchmark's Markdown."""
import re
import statistics

import accounts
import plan

import machine
from results import table

TIMES = (*plan.LOOPS, *plan.RESNET)

# Titles of sections, beside those of FIXED_COSTS.
OPERATIONS = "Time of an operation"
BARS = "Bars"
ESTIMATES = "Totals of rows, always on, off the full measurement"
GRAPH_ESTIMATES = "Rows of graphs by default, off --graph node's"
BUDGETS = "Within a budget that the user gives"
OWN_ACCOUNTS = "What ktime says that it added"
NOT_RUN = "Not run"

# Tables beside the times: title, name of the figure, rows, how it is printed.
FIXED_COSTS = [
    ("Peak resident memory, MB", "rss_mib", ("launches_1e4", "launches_1e6", "launches_1e7",
                                             "threads_1e6", "threads_1e8"), "{:.0f}"),
    ("Graphs, after the first second: time of a launch, ns", "ns", plan.GRAPH_ROWS, "{:.0f}"),
    ("The same in the first second, ns", "first_ns", plan.GRAPH_ROWS, "{:.0f}"),
    ("Long runs: time of an operation, ns", "ns", ("launches_1e6", "launches_1e7", "threads_1e6",
                                                   "threads_1e8"), "{:.0f}"),
    ("Start: from the command to the first CUDA work done, ms", "start_ms", ("idle",), "{:.0f}"),
    ("End: from the program's last line to its end, ms", "end_ms",
     ("idle", "launches_1e6", "launches_1e7"), "{:.1f}"),
    ("Whole run, ms", "wall_ms", ("idle", "true", "python"), "{:.2f}"),
]


def duration(nanoseconds):
    for limit, scale, unit in ((1e3, 1, "ns"), (1e6, 1e3, "us"), (float("inf"), 1e6, "ms")):
        if abs(nanoseconds) < limit:
            return f"{nanoseconds / scale:.{0 if scale == 1 else 2}f} {unit}"
    return ""


def time_cell(samples, row, variant):
    """The time where there is no profiler, otherwise what the variant adds."""
    median, added = samples.median(row, variant), samples.added(row, variant)
    if median is None:
        return "-"
    spread = samples.spread(row, variant)
    around = f" ±{100 * spread:.1f}" if spread is not None else ""
    if variant == "none" or added is None:
        return duration(median) + (f"{around} %" if around else "")
    return f"{'+' if added >= 0 else ''}{duration(added)}, " \
           f"{samples.added_percent(row, variant):+.1f}{around} %"


def times(samples):
    variants = [v for v in plan.VARIANTS if any(samples.values(row, v) for row in TIMES)]
    header = ["operation", *(plan.VARIANTS[v].title for v in variants)]
    rows = [[plan.ROW_TITLES[row], *(time_cell(samples, row, v) for v in variants)]
            for row in TIMES if any(samples.values(row, v) for v in variants)]
    return table(header, rows) if rows else []


def fixed_costs(samples, title, name, rows, form):
    variants = [v for v in plan.VARIANTS if any(samples.values(row, v, name) for row in rows)]
    cells = []
    for row in rows:
        medians = [samples.median(row, v, name) for v in variants]
        if any(m is not None for m in medians):
            cells.append([plan.ROW_TITLES[row], *("-" if m is None else form.format(m)
                                                  for m in medians)])
    if not cells:
        return []
    header = ["program", *(plan.VARIANTS[v].title for v in variants)]
    return [f"## {title}", "", *table(header, cells), ""]


def estimates(samples):
    """Each row's estimate of every session, off the full measurement."""
    cells = {}
    for sampled, full in accounts.rows(samples, "always_on"):
        low, high = sampled.interval or (sampled.total_ns, sampled.total_ns)
        cell = cells.setdefault(full.name, [duration(full.total_ns / full.calls)])
        cell.append(f"{accounts.error_percent(sampled, full):+.2f} "
                    f"±{50 * (high - low) / full.total_ns:.2f} %")
    if not cells:
        return []
    sessions = max(len(cell) for cell in cells.values()) - 1
    return [f"## {ESTIMATES}", "",
            "With half of the stated 95 % interval.", "",
            *table(["mean of a call", *(f"run {i + 1}" for i in range(sessions))],
                   [cell for cell in cells.values() if len(cell) == sessions + 1]), ""]


def graph_estimates(samples):
    rows = [[plan.ROW_TITLES[graph], name, duration(mean),
             "; ".join(f"{off:+.2f} ±{half:.2f} %" for off, half in runs)]
            for graph in plan.GRAPH_ROWS
            for name, mean, runs in accounts.graph_rows(samples, graph, "default")]
    if not rows:
        return []
    return [f"## {GRAPH_ESTIMATES}", "",
            "Means of a call; each run by default with half of its stated 95 % interval.", "",
            *table(["graph", "row", "mean by --graph node", "runs by default"], rows), ""]


def budgets(samples):
    variants = [v for v in plan.BUDGETS if v != "none"]
    rows = []
    for row in (*plan.BUDGET_LOOPS, *plan.BUDGET_RESNET):
        alone = samples.values(row, "none")
        means = [samples.mean_added_percent(row, v) for v in variants] + \
            [samples.mean_switched_percent(row, v) for v in plan.SWITCHED.values()]
        if any(means):
            rows.append([plan.ROW_TITLES[row], str(len(alone)), duration(statistics.mean(alone)),
                         *("-" if mean is None else f"{mean[0]:+.2f} ±{mean[1]:.2f} %"
                           for mean in means)])
    if not rows:
        return []
    return [f"## {BUDGETS}", "",
            "The mean of all turns after a process's first second, with its standard error. On and off:",
            "by how much the iterations in the profiling window take longer than those between them, in",
            "which launches are counted only (CUPTI stays, if it was started).", "",
            *table(["operation", "turns", plan.VARIANTS["none"].title,
                    *(plan.VARIANTS[v].title for v in (*variants, *plan.SWITCHED.values()))],
                   rows), ""]


def own_accounts(samples):
    cells = []
    for row, (_, variants) in plan.ACCOUNTS.items():
        for variant in variants:
            mine, measured = accounts.said(samples, row, variant), samples.added(row, variant)
            factor = accounts.factor(samples, row, variant)
            if mine is not None and measured is not None:
                cells.append([plan.ROW_TITLES[row], plan.VARIANTS[variant].title,
                              duration(measured), duration(mine),
                              "chance" if factor is None else f"{factor:.2f}"])
    if not cells:
        return []
    return [f"## {OWN_ACCOUNTS}", "",
            *table(["operation", "variant", "added, by the turns", "added, as ktime says",
                    "factor"], cells), ""]


TITLES = {OPERATIONS, BARS, ESTIMATES, GRAPH_ESTIMATES, BUDGETS, OWN_ACCOUNTS, NOT_RUN,
          *(title for title, *_ in FIXED_COSTS)}


def written_by_hand(document):
    """The sections that markdown() does not make."""
    sections = re.split(r"^(?=## )", document, flags=re.M)[1:]
    return "".join(section for section in sections
                   if section.partition("\n")[0].removeprefix("## ").strip() not in TITLES)


def markdown(samples, verdicts, skipped):
    lines = ["# What ktime costs", "", "Written by `make bench`, but for sections that say otherwise.", "", *machine.describe(), "",
             "All variants ran in turns: the median time without a profiler, and the median of what",
             "each variant added to it in a turn. ± is half the distance between a variant's",
             "quartiles, in percent of its median. Two processes of each turn have no profiler: what",
             "the second differs from the first by is chance, and the bars give the same figure for",
             "it: a figure that is no farther from its bar cannot be told. All else is compared with",
             "the mean of both.", "",
             f"## {OPERATIONS}", "", *times(samples), "",
             f"## {BARS}", "", *table(["what", "figure", "bar", "reached", "by chance"], verdicts), ""]
    lines += budgets(samples) + graph_estimates(samples) + estimates(samples)
    lines += own_accounts(samples)
    for costs in FIXED_COSTS:
        lines += fixed_costs(samples, *costs)
    if skipped:
        lines += [f"## {NOT_RUN}", "", *(f"- {name}: {why}" for name, why in skipped.items()), ""]
    return "\n".join(lines)
