# SPDX-License-Identifier: MIT
"""The samples of a benchmark run, and the figures taken from them."""
import collections
import statistics


class Samples:
    """What each row gave under each variant: a list of dictionaries, one a run."""

    def __init__(self):
        self._runs = collections.defaultdict(list)

    def add(self, row, variant, values):
        self._runs[row, variant].append(values)

    def as_lines(self):
        """Every run as a line: row, variant and its numbers."""
        return [" ".join([row, variant, *(f"{name}={value:g}" for name, value in run.items()
                                          if isinstance(value, (int, float)))])
                for (row, variant), runs in self._runs.items() for run in runs]

    def values(self, row, variant, name="ns"):
        return [run[name] for run in self._runs.get((row, variant), []) if name in run]

    def median(self, row, variant, name="ns"):
        """None where it was not measured."""
        values = self.values(row, variant, name)
        return statistics.median(values) if values else None

    def spread(self, row, variant, name="ns"):
        """Half of the distance between the quartiles, as a part of the median."""
        values = self.values(row, variant, name)
        if len(values) < 2 or not statistics.median(values):
            return None
        low, median, high = statistics.quantiles(values, method="inclusive")
        return (high - low) / 2 / median

    def without_profiler(self, row, variant, name="ns"):
        """
        What a variant is compared with, run by run: those without a profiler, two of each turn
        where there are two kinds. The second kind is compared with the first alone.
        """
        kinds = [self.values(row, kind, name)
                 for kind in (("none",) if variant == "again" else ("none", "again"))]
        kinds = [runs for runs in kinds if runs]
        if len({len(runs) for runs in kinds}) == 1:
            return [statistics.mean(turn) for turn in zip(*kinds)]
        return [value for runs in kinds for value in runs]

    def added_in_turns(self, row, variant, name="ns"):
        """What the variant adds, turn by turn; None where they did not run in turns."""
        with_it, without = self.values(row, variant, name), self.without_profiler(row, variant, name)
        if not with_it or len(with_it) != len(without):
            return None
        return [mine - base for mine, base in zip(with_it, without)]

    def added(self, row, variant, name="ns"):
        """
        What the variant adds to the same without a profiler; None where not measured. Where they
        ran in turns it is the median of what each turn gives: a machine that is slow for a while
        is so for both.
        """
        in_turns = self.added_in_turns(row, variant, name)
        if in_turns:
            return statistics.median(in_turns)
        with_it, without = self.values(row, variant, name), self.without_profiler(row, variant, name)
        if not with_it or not without:
            return None
        return statistics.median(with_it) - statistics.median(without)

    def is_told_from_chance(self, row, variant, name="ns"):
        """Whether what it adds in turns is more than twice its own standard error, by quartiles."""
        in_turns = self.added_in_turns(row, variant, name)
        if not in_turns or len(in_turns) < 4:
            return False
        low, median, high = statistics.quantiles(in_turns, method="inclusive")
        # A normal distribution's quartiles are 1.35 deviations apart, and its median's standard
        # error is 1.25 times the mean's.
        return abs(median) > 2 * 1.25 * (high - low) / 1.35 / len(in_turns) ** 0.5

    def added_percent(self, row, variant, name="ns"):
        added = self.added(row, variant, name)
        if added is None:
            return None
        return 100 * added / statistics.median(self.without_profiler(row, variant, name))

    def mean_added_percent(self, row, variant, name="ns"):
        """
        (percent that the variant adds to the mean of all turns, its standard error); None where
        they did not run in turns. The mean counts all of what is done seldom, such as recording in
        a window, which a median leaves out.
        """
        in_turns = self.added_in_turns(row, variant, name)
        if not in_turns or len(in_turns) < 2:
            return None
        base = statistics.mean(self.without_profiler(row, variant, name)) / 100
        error = statistics.stdev(in_turns) / len(in_turns) ** 0.5
        return statistics.mean(in_turns) / base, error / base

    def mean_switched_percent(self, row, variant):
        """
        (percent by which the iterations of a process that are in the profiling window take longer
        than those outside, its standard error by turns), or None.
        """
        inside = self.values(row, variant, "ns_inside")
        outside = self.values(row, variant, "ns_outside")
        if len(inside) < 2:
            return None
        base = statistics.mean(outside) / 100
        added = [mine - other for mine, other in zip(inside, outside)]
        return statistics.mean(added) / base, statistics.stdev(added) / len(added) ** 0.5 / base

    def added_ratio(self, row, variant, other, name="ns"):
        """What one variant adds by what another adds."""
        mine, others = self.added(row, variant, name), self.added(row, other, name)
        return None if mine is None or not others or others <= 0 else mine / others


def parse_line(line):
    """NAME=VALUE pairs; numbers as floats."""
    values = {}
    for part in line.split():
        name, equal, text = part.partition("=")
        if not equal:
            continue
        try:
            values[name] = float(text)
        except ValueError:
            values[name] = text
    return values


def from_outcome(workload_name, variant, outcome):
    """[(row, values)] of a finished run, the process's own figures among the values."""
    process = {"wall_ms": (outcome.end_ns - outcome.start_ns) / 1e6}
    rows = []
    for line in outcome.stdout.splitlines():
        values = parse_line(line)
        if "workload" not in values:
            continue
        values.update(process)
        if "end_ns" in values:
            values["end_ms"] = (outcome.end_ns - values["end_ns"]) / 1e6
            if outcome.stderr_ns > values["end_ns"]:
                values["report_ms"] = (outcome.stderr_ns - values["end_ns"]) / 1e6
        if "ready_ns" in values:
            values["start_ms"] = (values["ready_ns"] - outcome.start_ns) / 1e6
        if "rss_kib" in values:
            # Under nsys the process that is waited for is nsys itself.
            peak = values["rss_kib"] if variant == "nsys" else outcome.rss_kib
            values["rss_mib"] = peak / 1024
        rows.append((workload_name, values))
    return rows or [(workload_name, process)]
