# SPDX-License-Identifier: MIT
"""What ktime says in its sessions, held against the full measurement and against the clock."""
import plan


def _rows(session):
    """Its kernel rows, by name."""
    return {row.name: row for row in session.rows if row.kind == "kernel"}


def rows(samples, variant):
    """
    [(row, the same of the full measurement)] of the workload of many rows, of every session, the
    shortest kernel first. The launches are the same in each.
    """
    full = samples.values("rows", "cupti", "session")
    if not full:
        return []
    exact = sorted(_rows(full[-1]).values(), key=lambda row: row.total_ns)
    return [(_rows(session)[row.name], row) for session in samples.values("rows", variant, "session")
            for row in exact if row.total_ns and row.name in _rows(session)]


def error_percent(sampled, full):
    return 100 * (sampled.total_ns - full.total_ns) / full.total_ns


def worst_error(samples, variant):
    """Percent by which the sampled total of the worst row misses the full measurement."""
    return max((abs(error_percent(*pair)) for pair in rows(samples, variant)), default=None)


def intervals_covering(samples, variant):
    """
    Percent of the rows whose stated interval holds the full measurement's total. A row whose every
    call was timed has no interval; one that was never timed misses.
    """
    covered = []
    for sampled, full in rows(samples, variant):
        if sampled.interval:
            covered.append(sampled.interval[0] <= full.total_ns <= sampled.interval[1])
        elif not sampled.total_ns:
            covered.append(False)
    return 100 * sum(covered) / len(covered) if covered else None


# Kernels, copies and memsets of fewer calls than these are no nodes of the graph that is launched.
LEAST_NODE_CALLS = 1000


def _nodes(session):
    """Its rows of graph nodes, by kind and name."""
    return {(row.kind, row.name): row for row in session.rows
            if row.kind in ("kernel", "memcpy", "memset") and row.calls >= LEAST_NODE_CALLS}


def graph_rows(samples, graph, variant):
    """
    [(name, mean by all of its calls, [(percent that a run under the variant is off that, half of
    its stated interval in percent)])] of the rows of a graph, in ns.
    """
    exact = samples.values(graph, "node", "session")
    estimates = [_nodes(session) for session in samples.values(graph, variant, "session")]
    found = []
    for key, row in _nodes(exact[-1]).items() if exact else ():
        mean, runs = row.total_ns / row.calls, []
        for estimate in (nodes[key] for nodes in estimates if key in nodes):
            low, high = estimate.interval or (estimate.total_ns, estimate.total_ns)
            runs.append((100 * (estimate.total_ns / estimate.calls / mean - 1),
                         50 * (high - low) / estimate.calls / mean))
        found.append((row.name, mean, runs))
    return found


def _graph_estimates(samples, variant):
    return [run for graph in plan.GRAPH_ROWS
            for _, _, runs in graph_rows(samples, graph, variant) for run in runs]


def worst_graph_error(samples, variant):
    return max((abs(off) for off, _ in _graph_estimates(samples, variant)), default=None)


def graph_intervals_covering(samples, variant):
    held = [abs(off) <= half for off, half in _graph_estimates(samples, variant)]
    return 100 * sum(held) / len(held) if held else None


def said(samples, row, variant):
    """Nanoseconds by which ktime says that it made an operation of a loop longer."""
    sessions = samples.values(plan.account_of(row), variant, "session")
    if not sessions:
        return None
    middle = sorted(session.cost_ns for session in sessions)[len(sessions) // 2]
    return middle / samples.median(plan.account_of(row), variant, "operations")


def factor(samples, row, variant):
    """
    How far that is off what the turns gave for the same loop. None where that is too little to be
    told from chance.
    """
    mine, measured = said(samples, row, variant), samples.added(row, variant)
    if mine is None or not measured or measured <= 0 or \
            not samples.is_told_from_chance(row, variant):
        return None
    return max(mine, measured) / min(mine, measured) if mine else float("inf")


def self_report(*rows):
    """The largest factor of some loops."""
    def figure(samples, variant):
        factors = [factor(samples, row, variant) for row in rows]
        return max((each for each in factors if each is not None), default=None)

    return figure


def records_lost(row):
    """Percent of the operations whose activity records CUPTI or ktime lost."""
    def figure(samples, variant):
        kept = samples.values(row, variant, "session")
        if not kept:
            return None
        counters = kept[-1].counters
        return 100 * (counters["cupti_dropped"] + counters["cupti_unread"]) / counters["operations"]

    return figure
