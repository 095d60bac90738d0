# SPDX-License-Identifier: MIT
"""The bars that ktime's cost is held to, each with its figure from one run."""
import dataclasses

import accounts
import plan

MEASURED = [row for row in (*plan.LOOPS, *plan.RESNET) if row != "empty"]
BUDGETED = (*plan.BUDGET_LOOPS, *plan.BUDGET_RESNET, *plan.GRAPH_ROWS)
OTHER_ACCOUNTS = [row for row in plan.ACCOUNTS if row != "empty"]


@dataclasses.dataclass
class Bar:
    what: str
    variant: str
    figure: object  # samples, variant -> number; None where it was not measured
    limit: float
    unit: str
    at_least: bool = False  # the figure is to reach the limit, not to stay below it
    error: object = None  # samples, variant -> its standard error, instead of a second run's figure

    def judge(self, samples):
        """
        (what, figure, bar, verdict, chance) as texts. Chance is the same figure of a second run
        without a profiler, which would be nothing were every run like the other, or twice the
        figure's standard error: of a figure that is no farther from its bar, nobody can tell.
        """
        sign = ">=" if self.at_least else "<="
        bar = f"{sign} {self.limit:g} {self.unit}".strip()
        figure = self.figure(samples, self.variant)
        if figure is None:
            return self.what, "-", bar, "not measured", "-"
        chance = 2 * self.error(samples, self.variant) if self.error else \
            self.figure(samples, "again")
        reached = figure >= self.limit if self.at_least else figure <= self.limit
        if chance is not None and abs(chance) >= abs(figure - self.limit):
            verdict = "cannot be told"
        else:
            verdict = "yes" if reached else "**no**"
        return (self.what, self.text(figure), bar, verdict,
                "-" if chance is None else self.text(chance))

    def text(self, figure):
        return f"{figure:.3g} {self.unit}".strip()


def ratio(row, other):
    return lambda samples, variant: samples.added_ratio(row, variant, other)


def percent(row):
    return lambda samples, variant: samples.added_percent(row, variant)


def added(row, name, scale=1.0):
    def figure(samples, variant):
        value = samples.added(row, variant, name)
        return None if value is None else value * scale

    return figure


def worst_percent(rows):
    def figure(samples, variant):
        values = [samples.added_percent(row, variant) for row in rows]
        return max((value for value in values if value is not None), default=None)

    return figure


def worst_mean(part):
    """Of the row that a budget may slow down most: the percentage (part 0) or its error (part 1)."""
    def of_row(samples, row, variant):
        if row == plan.HELD_BY_SWITCHING:
            return samples.mean_switched_percent(row, plan.SWITCHED[variant])
        return samples.mean_added_percent(row, variant)

    def figure(samples, variant):
        values = [of_row(samples, row, variant) for row in BUDGETED]
        return max((value for value in values if value), default=(None, None),
                   key=lambda value: value[0] + 2 * value[1])[part]

    return figure


def memory_beyond_bare(row):
    def figure(samples, variant):
        mine = samples.median(row, variant, "rss_mib")
        bare = samples.median(plan.BARE_MEMORY.get(row, row), "bare", "rss_mib")
        return None if mine is None or bare is None else mine - bare

    return figure


def memory_growth(few, more):
    """What ktime's memory beyond bare CUPTI's grows by from fewer launches to more."""
    def figure(samples, variant):
        before = memory_beyond_bare(few)(samples, variant)
        after = memory_beyond_bare(more)(samples, variant)
        return None if before is None or after is None else after - before

    return figure


def report_after_end(row):
    return lambda samples, variant: samples.median(row, variant, "report_ms")


BARS = [
    Bar("default: time added to an empty kernel's launch, by what nsys adds", "default",
        ratio("empty", "nsys"), 0.65, ""),
    Bar("default: the same by what bare CUPTI adds", "default", ratio("empty", "bare"), 1.2, ""),
    Bar("default: slow-down of ResNet-50 inference at batch 1, by nsys's", "default",
        ratio("resnet_inference", "nsys"), 0.3, ""),
    Bar("default: slow-down of ResNet-50 training at batch 64", "default",
        percent("resnet_training"), 0.5, "%"),
    Bar("default: 16 threads, time added by what bare CUPTI adds", "default",
        ratio("threads", "bare"), 1.2, ""),
    Bar("default: slow-down of a graph of 100 empty kernels", "default", percent("graph_empty"), 5,
        "%"),
    Bar("default: slow-down of a graph that is updated", "default", percent("graph_updated"), 5, "%"),
    Bar("default: worst mean of a row of a graph, off --graph node's", "default",
        accounts.worst_graph_error, 2, "%"),
    Bar("default: rows of graphs whose stated interval holds --graph node's mean", "default",
        accounts.graph_intervals_covering, 95, "%", at_least=True),
    # A tenth more than the budget.
    Bar("--budget 2: worst slow-down", "budget_2", worst_mean(0), 2.2, "%", error=worst_mean(1)),
    Bar("--budget 5: worst slow-down", "budget_5", worst_mean(0), 5.5, "%", error=worst_mean(1)),
    Bar("--budget 2: rows whose stated interval holds the full measurement", "budget_2",
        accounts.intervals_covering, 95, "%", at_least=True),
    Bar("--budget 5: rows whose stated interval holds the full measurement", "budget_5",
        accounts.intervals_covering, 95, "%", at_least=True),
    Bar("nothing injected, no CUPTI: 16 threads", "events_off", percent("threads"), 3, "%"),
    Bar("events around every call, no CUPTI: added to an empty kernel's launch", "events_all",
        added("empty", "ns", 1e-3), 1.0, "us"),
    Bar("always on: slow-down of empty kernels", "always_on", percent("empty"), 2, "%"),
    Bar("always on: worst slow-down of the other workloads", "always_on",
        worst_percent(MEASURED), 0.5, "%"),
    Bar("always on: worst total of a row, off the full measurement", "always_on",
        accounts.worst_error, 3, "%"),
    Bar("always on: rows whose stated interval holds the full measurement", "always_on",
        accounts.intervals_covering, 90, "%", at_least=True),
    Bar("memory beyond bare CUPTI's, 10^4 launches", "default",
        memory_beyond_bare("launches_1e4"), 16, "MB"),
    Bar("memory beyond bare CUPTI's, 10^6 launches", "default",
        memory_beyond_bare("launches_1e6"), 16, "MB"),
    Bar("the same after 10^7", "default", memory_beyond_bare("launches_1e7"), 16, "MB"),
    Bar("the same, 10^6 launches from 16 threads", "default",
        memory_beyond_bare("threads_1e6"), 16, "MB"),
    Bar("its growth from 10^4 to 10^6 launches", "default",
        memory_growth("launches_1e4", "launches_1e6"), 1, "MB"),
    Bar("its growth from 10^4 to 10^7 launches", "default",
        memory_growth("launches_1e4", "launches_1e7"), 1, "MB"),
    Bar("its growth from 10^6 to 10^8 launches from 16 threads", "default",
        memory_growth("threads_1e6", "threads_1e8"), 1, "MB"),
    Bar("default: records lost, 10^6 launches from 16 threads", "default",
        accounts.records_lost("threads_1e6"), 0, "%"),
    Bar("default: records lost, 10^8 launches from 16 threads", "default",
        accounts.records_lost("threads_1e8"), 0, "%"),
    Bar("/bin/true with the preload", "default", added("true", "wall_ms"), 1, "ms"),
    Bar("python3 -c pass with the preload", "default", added("python", "wall_ms"), 1, "ms"),
    Bar("program of one launch, start to end", "default", added("idle", "wall_ms"), 50, "ms"),
    Bar("from the program's last line to the report, 10^6 launches", "default",
        report_after_end("launches_1e6"), 100, "ms"),
    Bar("from the program's last line to the report, 10^7 launches", "default",
        report_after_end("launches_1e7"), 100, "ms"),
    Bar("default: cost by ktime's own account and by this benchmark, the larger by the smaller",
        "default", accounts.self_report("empty"), 1.5, ""),
    Bar("the same, the worst of the other loops that it was asked for", "default",
        accounts.self_report(*OTHER_ACCOUNTS), 1.5, ""),
    Bar("always on: the same, empty kernels", "always_on", accounts.self_report("empty"), 1.5, ""),
]


def evaluate(samples):
    return [bar.judge(samples) for bar in BARS]
