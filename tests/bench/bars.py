# SPDX-License-Identifier: MIT
"""The bars that ktime's cost is held to, each with its figure from one run."""
import dataclasses

import accounts
import plan

MEASURED = [row for row in (*plan.LOOPS, *plan.RESNET) if row != "empty"]


@dataclasses.dataclass
class Bar:
    what: str
    figure: object  # samples -> number; None where it was not measured
    limit: float
    unit: str
    at_least: bool = False  # the figure is to reach the limit, not to stay below it

    def judge(self, samples):
        """(what, figure, bar, verdict) as texts."""
        sign = ">=" if self.at_least else "<="
        bar = f"{sign} {self.limit:g} {self.unit}".strip()
        figure = self.figure(samples)
        if figure is None:
            return self.what, "-", bar, "not measured"
        reached = figure >= self.limit if self.at_least else figure <= self.limit
        return self.what, f"{figure:.3g} {self.unit}".strip(), bar, "yes" if reached else "**no**"


def ratio(row, variant, other):
    return lambda samples: samples.added_ratio(row, variant, other)


def percent(row, variant):
    return lambda samples: samples.added_percent(row, variant)


def added(row, variant, name, scale=1.0):
    def figure(samples):
        value = samples.added(row, variant, name)
        return None if value is None else value * scale

    return figure


def worst_percent(rows, variant):
    def figure(samples):
        values = [samples.added_percent(row, variant) for row in rows]
        return max((value for value in values if value is not None), default=None)

    return figure


def memory_beyond_bare(row):
    def figure(samples):
        mine = samples.median(row, "default", "rss_mib")
        bare = samples.median("launches_1e7" if row == "launches_1e8" else row, "bare", "rss_mib")
        return None if mine is None or bare is None else mine - bare

    return figure


def memory_growth(row):
    """What ktime's memory beyond bare CUPTI's grows by, after more launches than 10^4."""
    def figure(samples):
        more = memory_beyond_bare(row)(samples)
        few = memory_beyond_bare("launches_1e4")(samples)
        return None if more is None or few is None else more - few

    return figure


def report_after_end(row):
    return lambda samples: samples.median(row, "default", "report_ms")


BARS = [
    Bar("default: time added to an empty kernel's launch, by what nsys adds",
        ratio("empty", "default", "nsys"), 0.65, ""),
    Bar("default: the same by what bare CUPTI adds", ratio("empty", "default", "bare"), 1.2, ""),
    Bar("default: slow-down of ResNet-50 inference at batch 1, by nsys's",
        ratio("resnet_inference", "default", "nsys"), 0.3, ""),
    Bar("default: slow-down of ResNet-50 training at batch 64",
        percent("resnet_training", "default"), 0.5, "%"),
    Bar("default: 16 threads, time added by what bare CUPTI adds",
        ratio("threads", "default", "bare"), 1.2, ""),
    Bar("nothing injected, no CUPTI: 16 threads", percent("threads", "events_off"), 3, "%"),
    Bar("events around every call, no CUPTI: added to an empty kernel's launch",
        added("empty", "events_all", "ns", 1e-3), 1.0, "us"),
    Bar("always on: slow-down of empty kernels", percent("empty", "always_on"), 2, "%"),
    Bar("always on: worst slow-down of the other workloads",
        worst_percent(MEASURED, "always_on"), 0.5, "%"),
    Bar("always on: worst total of a row, off the full measurement", accounts.worst_error, 3, "%"),
    Bar("always on: rows whose stated interval holds the full measurement",
        accounts.intervals_covering, 90, "%", at_least=True),
    Bar("memory beyond bare CUPTI's, 10^4 launches", memory_beyond_bare("launches_1e4"), 16, "MB"),
    Bar("memory beyond bare CUPTI's, 10^6 launches", memory_beyond_bare("launches_1e6"), 16, "MB"),
    Bar("the same after 10^7", memory_beyond_bare("launches_1e7"), 16, "MB"),
    Bar("its growth from 10^4 to 10^6 launches", memory_growth("launches_1e6"), 1, "MB"),
    Bar("its growth from 10^4 to 10^7 launches", memory_growth("launches_1e7"), 1, "MB"),
    Bar("its growth from 10^4 to 10^8 launches", memory_growth("launches_1e8"), 1, "MB"),
    Bar("/bin/true with the preload", added("true", "default", "wall_ms"), 1, "ms"),
    Bar("python3 -c pass with the preload", added("python", "default", "wall_ms"), 1, "ms"),
    Bar("program of one launch, start to end", added("idle", "default", "wall_ms"), 50, "ms"),
    Bar("from the program's last line to the report, 10^6 launches",
        report_after_end("launches_1e6"), 100, "ms"),
    Bar("from the program's last line to the report, 10^7 launches",
        report_after_end("launches_1e7"), 100, "ms"),
    Bar("default: cost by ktime's own account and by this benchmark, the larger by the smaller",
        accounts.self_report("default"), 1.5, ""),
    Bar("always on: the same", accounts.self_report("always_on"), 1.5, ""),
]


def evaluate(samples):
    return [bar.judge(samples) for bar in BARS]
