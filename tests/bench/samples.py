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
        What a variant is compared with: all runs without a profiler. The second kind of them is
        compared with the first alone.
        """
        runs = self.values(row, "none", name)
        if variant != "again":
            runs = runs + self.values(row, "again", name)
        return statistics.median(runs) if runs else None

    def added(self, row, variant, name="ns"):
        """What the variant adds to the same without a profiler; None where not measured."""
        with_it = self.median(row, variant, name)
        without = self.without_profiler(row, variant, name)
        return None if with_it is None or without is None else with_it - without

    def added_percent(self, row, variant, name="ns"):
        added = self.added(row, variant, name)
        return None if added is None else 100 * added / self.without_profiler(row, variant, name)

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
