# SPDX-License-Identifier: MIT
"""ktime's session files, read through `ktime export --json`."""
import dataclasses
import json
import os
import subprocess
import tempfile

import profilers


@dataclasses.dataclass
class Figures:
    """One clock's figures of a row."""
    calls: int = 0
    total_ns: float = 0.0
    median_ns: float = None

    @property
    def average_ns(self):
        return self.total_ns / self.calls if self.calls else None


@dataclasses.dataclass
class Checked:
    """The calls timed by both clocks: how many, and their totals by each."""
    calls: int = 0
    cupti_ns: float = 0.0
    raw_ns: float = 0.0
    corrected_ns: float = 0.0


@dataclasses.dataclass
class Row:
    kind: str  # "kernel", "memcpy", "memset", "graph", …
    name: str  # kernels: mangled
    calls: int
    total_ns: float  # as the report shows it
    interval: tuple  # 95 % interval of total_ns; None where it is no estimate
    cupti: Figures
    events: Figures
    checked: Checked
    may_wait: int  # of the calls timed by events, those whose pair may hold a wait
    beside: int  # of these calls, those beside which another stream had calls
    marks: list  # what most of its calls were: overlapped, holding the host's part
    bandwidth: float  # 10^9 bytes/s; None where the bytes are not known
    peak: float  # what that is compared with; None where it is not known


@dataclasses.dataclass
class Session:
    rows: list
    counters: dict
    cost_ns: float  # by how much ktime says the run is longer
    cupti_version: int  # as cuptiGetVersion() gives it; 0 where CUPTI was not used
    notes: list  # the report's warnings


def export(file, options=()):
    """The exported JSON of a session file. Raises OSError where ktime cannot export it."""
    with tempfile.TemporaryDirectory(prefix="ktime-export-") as directory:
        path = os.path.join(directory, "session.json")
        done = subprocess.run([profilers.COMMAND, "export", "--json", path, *options, file],
                              env=profilers.command_environment(), capture_output=True,
                              text=True, timeout=300)
        if done.returncode:
            raise OSError(f"ktime export: {done.stderr.strip()}")
        with open(path) as exported:
            return json.load(exported)


def print_table(file, output, options):
    """A session's report into a file. Raises OSError where ktime cannot make it."""
    done = subprocess.run([profilers.COMMAND, *options.split(), "--log-file", output, "-i", file],
                          env=profilers.command_environment(), capture_output=True, text=True,
                          timeout=300)
    if done.returncode:
        raise OSError(f"ktime -i: {done.stderr.strip()}")


def _figures(data):
    return Figures(data["count"], data["total"], data.get("median")) if data else Figures()


def _marks(data):
    """Conditions of the calls that hold for more than half of them."""
    check = data.get("check", {})
    found = [word for word in ("overlapped",)
             if check.get("calls") and check[word] > check["calls"] / 2]
    if data["host_included"] > data["calls"] / 2:
        found.append("holds the host's part")
    return found


def _row(data):
    cupti, events = _figures(data.get("cupti")), _figures(data.get("events"))
    rates = data.get("rates", {})
    check = data.get("check", {})
    shown = {"cupti": cupti, "events": events}.get(data["clock"], Figures())
    total, interval = shown.total_ns, None
    if "estimate" in data:
        total, error = data["estimate"]["total"], data["estimate"].get("error")
        interval = None if error is None else (total - error, total + error)
    checked = Checked(check.get("calls", 0), check.get("cupti", 0), check.get("events_as_read", 0),
                      check.get("events", 0))
    return Row(data["kind"], data.get("mangled", data["name"]), data["calls"], total, interval,
               cupti, events, checked, data.get("may_wait", 0), data.get("beside", 0),
               _marks(data),
               rates.get("bandwidth", {}).get("average"), rates.get("peak"))


def read(file, options=()):
    """The session of a file; options of `ktime export`, such as the bytes of a kernel."""
    data = export(file, options)
    counters = data["counters"]
    return Session([_row(row) for row in data["rows"]], counters, counters["added_ns"],
                   data["session"]["cupti_version"], data.get("notes", []))
