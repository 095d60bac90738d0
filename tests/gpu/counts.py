# SPDX-License-Identifier: MIT
"""
Operations by name, as ktime, the bare CUPTI tracer and nsys report them. Kernels go by their
mangled name, copies and memsets by nvprof's: "[CUDA memcpy HtoD]", "[CUDA memset]".
"""
import collections
import csv
import dataclasses
import io
import re

UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}


@dataclasses.dataclass
class Operation:
    calls: int = 0
    total_ns: float = 0.0
    median_ns: float = None  # where the source knows it

    @property
    def average_ns(self):
        return self.total_ns / self.calls if self.calls else 0.0


def calls(operations):
    """{name: calls} of kernels, copies and memsets, not of whole graphs, migrations and so on."""
    compared = ("[CUDA memcpy", "[CUDA memset")
    return {name: o.calls for name, o in operations.items()
            if o.calls and (not name.startswith("[") or name.startswith(compared))}


def _csv_tables(text, first_columns):
    """[(header, rows)] of the CSV tables in a text; a header has one of the columns given."""
    tables = []
    for row in csv.reader(io.StringIO(text)):
        if any(column in row for column in first_columns):
            tables.append((row, []))
        elif tables and len(row) == len(tables[-1][0]):
            tables[-1][1].append(row)
    return tables


def from_ktime_csv(text, operations=None):
    """The rows "GPU activities" of `--csv --demangling off`; adds to operations where given."""
    found = operations if operations is not None else collections.defaultdict(Operation)
    for header, rows in _csv_tables(text, ["Type"]):
        column = {name: i for i, name in enumerate(header)}
        scale = UNITS.get(rows[0][column["Time"]], 1.0) if rows else 1.0
        for row in rows[1:]:
            if row[column["Type"]] != "GPU activities":
                continue
            operation = found[row[column["Name"]]]
            operation.calls += int(row[column["Calls"]])
            operation.total_ns += float(row[column["Time"]] or 0) * scale
    return found


def from_bare_tracer(text, operations=None):
    """The file that the bare tracer writes."""
    found = operations if operations is not None else collections.defaultdict(Operation)
    for line in text.splitlines():
        kind, name, count, _, total, median = line.split("\t")
        if kind == "dropped":
            continue
        if kind != "kernel":
            name = f"[CUDA memcpy {name}]" if kind == "memcpy" else "[CUDA memset]"
        operation = found[name]
        operation.calls += int(count)
        operation.total_ns += float(total)
        operation.median_ns = float(median)
    return found


def _short_copy_name(name):
    """nsys's "[CUDA memcpy Host-to-Device]" in nvprof's words."""
    long = re.fullmatch(r"\[CUDA memcpy (\w)\w*-to-(\w)\w*\]", name)
    return f"[CUDA memcpy {long.group(1)}to{long.group(2)}]" if long else name


def from_nsys_csv(text):
    """What `nsys stats -r cuda_gpu_kern_sum:mangled,cuda_gpu_mem_time_sum --format csv` prints."""
    found = collections.defaultdict(Operation)
    for header, rows in _csv_tables(text, ["Name", "Operation"]):
        column = {name: i for i, name in enumerate(header)}
        name_column = column.get("Operation", column.get("Name"))
        calls_column = column.get("Instances", column.get("Count"))
        for row in rows:
            operation = found[_short_copy_name(row[name_column])]
            operation.calls += int(row[calls_column])
            operation.total_ns += float(row[column["Total Time (ns)"]])
            operation.median_ns = float(row[column["Med (ns)"]])
    return found
