# SPDX-License-Identifier: MIT
"""check.py BUILD FOLDER: holds what other tools read in ktime's exports to the figures of ktime's table.

Three profiles: one of made records, whose figures are written down here, with kernels of NCCL's names beside others; a
run on the simulated device, of which ktime knows how busy it was without the records; and one with NVTX ranges. TAP on
standard output.
"""

import importlib.metadata
import json
import logging
import os
import subprocess
import sys
import warnings

BUILD, FOLDER = (os.path.abspath(argument) for argument in sys.argv[1:3])
ROOT = os.path.abspath(".")
KTIME = os.path.join(BUILD, "ktime")
os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
os.chdir(FOLDER)

NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage)"
# What the made records add up to, in microseconds: see make_records().
KNOWN = {"axpy(int)": (4, 800), NCCL: (4, 1200), "[CUDA memcpy HtoD]": (4, 400), "[CUDA memset]": (4, 40),
         "cudaLaunchKernel": (8, 80), "cudaMemcpyAsync": (4, 40), "cudaMemsetAsync": (4, 40)}
# A timeline of tests/preload/programs/timeline.c.
COMMANDS = "k,10000,1 k,30000,2 c,65536,1 h,50000 z,4096,2 p,8192,1 k,21000,1 h,3000 k,15000,2 s".split()

GPU = "kernel", "memcpy", "memset"
CALLS = "runtime", "driver"

results = []


def report(good, name, remark=""):
    results.append(good)
    print(f"{'ok' if good else 'not ok'} {len(results)} - {name}{remark}", flush=True)


def check(name, got, expected):
    good = got == expected
    report(good, name)
    if not good:
        print(f"# got      {got}\n# expected {expected}")


def skip(name, reason):
    report(True, name, f" # SKIP skipped: {reason}")


def close(value):
    """Nanoseconds of microseconds."""
    return round(float(value) * 1000)


def version(package):
    return importlib.metadata.version(package)


def make_records(path):
    columns = ("type name start_ns end_ns device context stream correlation bytes grid block registers static_smem "
               "dynamic_smem src_kind dst_kind").split()
    lines = ["\t".join(columns)]
    place = {"device": 0, "context": 1}
    launch = {"grid": "8x2x1", "block": "256x1x1", "registers": 32, "static_smem": 16, "dynamic_smem": 64}

    def record(kind, name, start, end, **more):
        row = {"type": kind, "name": name, "start_ns": start * 1000, "end_ns": end * 1000, **more}
        lines.append("\t".join(str(row.get(column, "")) for column in columns))

    for i in range(4):
        at, ids = 5000 + 1000 * i, [4 * i + j for j in range(1, 5)]
        record("api", "cudaMemcpyAsync", at, at + 10, correlation=ids[0])
        record("memcpy", "HtoD", at + 20, at + 120, stream=7, correlation=ids[0], bytes=1 << 20, src_kind="pinned",
               dst_kind="device", **place)
        record("api", "cudaLaunchKernel", at + 30, at + 40, correlation=ids[1])
        record("kernel", "_Z4axpyi", at + 150, at + 350, stream=7, correlation=ids[1], **place, **launch)
        record("api", "cudaLaunchKernel", at + 50, at + 60, correlation=ids[2])
        record("kernel", NCCL, at + 250, at + 550, stream=13, correlation=ids[2], **place, **launch)
        record("api", "cudaMemsetAsync", at + 60, at + 70, correlation=ids[3])
        record("memset", "memset", at + 600, at + 610, stream=7, correlation=ids[3], bytes=4096, dst_kind="device", **place)
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


class Profile:
    """What ktime itself says of a profile, in nanoseconds, and its exports."""

    def __init__(self, name):
        self.name = name
        forms = {"sqlite": "sqlite", "chrome": "chrome.json", "perfetto": "pftrace", "json": "json", "folded": "folded"}
        options = [word for form, end in forms.items() for word in (f"--{form}", f"{name}.{end}")]
        subprocess.run([KTIME, "export", *options, f"{name}.ktime"], check=True, timeout=300)
        with open(f"{name}.json") as file:
            self.json = json.load(file)
        self.kinds = {row["name"]: row["kind"] for row in self.json["rows"] if row["kind"] in GPU + CALLS}
        self.rows = {row["name"]: (row["calls"], row["cupti"]["total"]) for row in self.json["rows"]
                     if row["name"] in self.kinds}
        self.trace = [record for record in self.json["trace"] if "stream" in record]

    def of_kinds(self, *kinds):
        return {name: row for name, row in self.rows.items() if self.kinds[name] in kinds}

    def intervals(self, chosen=lambda record: True):
        return [(record["start"], record["end"]) for record in self.trace if chosen(record)]

    def stream(self, stream):
        return self.intervals(lambda record: record["stream"] == stream)

    def streams(self):
        return sorted({record["stream"] for record in self.trace})


def busy(intervals):
    total, end = 0, 0
    for start, finish in sorted(intervals):
        total += max(0, finish - max(start, end))
        end = max(end, finish)
    return total


def span(intervals):
    return max(end for _, end in intervals) - min(start for start, _ in intervals)


def overlap(one, other):
    return busy(one) + busy(other) - busy(one + other)


def is_nccl(record):
    return record["kind"] == "kernel" and record["name"].startswith("nccl")


def is_computation(record):
    return record["kind"] == "kernel" and not is_nccl(record)


def ktime_name(name):
    """The table's name of what PyTorch calls "Memcpy HtoD (Pinned -> Device)"."""
    words = name.split()
    return f"[CUDA memcpy {words[1]}]" if words[0] == "Memcpy" else "[CUDA memset]" if words[0] == "Memset" else name


def sums(pairs):
    """(calls, nanoseconds) by name, of (name, calls, nanoseconds)."""
    total = {}
    for name, calls, time in pairs:
        before = total.get(name, (0, 0))
        total[name] = (before[0] + calls, before[1] + time)
    return total


def with_pandas(profile):
    import sqlite3
    import pandas

    with sqlite3.connect(f"{profile.name}.sqlite") as database:
        def read(query):
            return sums(pandas.read_sql(query, database).itertuples(index=False, name=None))

        check(f"pandas: kernels in {profile.name}'s SQLite", read(
            "SELECT value, 1, end - start FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName"),
            profile.of_kinds("kernel"))
        check(f"pandas: calls in {profile.name}'s SQLite", {name.split("_v")[0]: row for name, row in read(
            "SELECT value, 1, end - start FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId").items()},
            profile.of_kinds(*CALLS))
    with open(f"{profile.name}.chrome.json") as file:
        events = pandas.json_normalize(json.load(file)["traceEvents"])
    events = events[events.ph == "X"]
    check(f"pandas: {profile.name}'s Chrome trace", sums(
        (ktime_name(name), 1, close(time)) for name, time in zip(events.name, events.dur)), profile.rows)
    check(f"pandas: streams of {profile.name}'s Chrome trace are its threads, devices its processes", {
        tuple(map(int, row)) for row in events[events["args.stream"].notna()][
            ["pid", "tid", "args.device", "args.stream"]].itertuples(index=False, name=None)},
        {(0, stream, 0, stream) for stream in profile.streams()})
    csv = subprocess.run([KTIME, "show", "--quiet", "--format", "nsys", "--csv", "--print-gpu-summary",
                          f"{profile.name}.ktime"], check=True, capture_output=True, text=True, timeout=300).stdout.split("\n\n")[0]
    with open("kernels.csv", "w") as file:
        file.write(csv)
    table = pandas.read_csv("kernels.csv")
    check(f"pandas: the CSV of {profile.name}'s kernels", sums(
        zip(table.Name, table.Instances, table["Total Time (ns)"])), profile.of_kinds("kernel"))


def with_hta(profile):
    from hta.trace_analysis import TraceAnalysis

    analysis = TraceAnalysis(trace_files={0: os.path.abspath(f"{profile.name}.chrome.json")}, trace_dir=FOLDER)
    all_of, computation = profile.intervals(), profile.intervals(is_computation)
    _, kernels = analysis.get_gpu_kernel_breakdown(visualize=False, include_memory_kernels=True, duration_ratio=1.0,
                                                   num_kernels=1000)
    check(f"HTA: kernels of {profile.name}", sums(
        (ktime_name(row["name"]), round(row["sum (us)"] / row["mean (us)"]), close(row["sum (us)"]))
        for _, row in kernels.iterrows()), profile.of_kinds(*GPU))
    whole = analysis.get_temporal_breakdown(visualize=False).iloc[0]
    check(f"HTA: busy and idle time of {profile.name}", [close(whole[column]) for column in (
        "idle_time(us)", "compute_time(us)", "non_compute_time(us)", "kernel_time(us)")],
        [span(all_of) - busy(all_of), busy(computation), busy(all_of) - busy(computation), span(all_of)])
    idle = analysis.get_idle_time_breakdown(visualize=False, consecutive_kernel_delay=0)[0]
    check(f"HTA: idle time of {profile.name}'s streams", {
        int(stream): round(close(rows.idle_time.sum()), -1) for stream, rows in idle.groupby("stream")}, {
        stream: round(span(profile.stream(stream)) - busy(profile.stream(stream)), -1) for stream in profile.streams()})
    nccl = profile.intervals(is_nccl)
    share = analysis.get_comm_comp_overlap(visualize=False).iloc[0]["comp_comm_overlap_pctg"] if nccl else None
    check(f"HTA: overlap of {profile.name}", share,
          round(100 * overlap(nccl, computation) / busy(nccl), 2) if nccl else None)
    launches = analysis.get_cuda_kernel_launch_stats(visualize=False, include_memory_events=True)[0]
    check(f"HTA: launches of {profile.name}", close(launches.gpu_duration.sum()) if len(launches) else 0,
          sum(end - start for start, end in all_of) if profile.of_kinds("runtime") else 0)


def with_nsys_ai(profile):
    import sqlite3
    from nsys_ai.skills.registry import get_skill

    database = sqlite3.connect(f"{profile.name}.sqlite")

    def skill(name):
        return get_skill(name).execute(database)

    def rounded(nanoseconds, digits=2):
        return round(nanoseconds / 1e6, digits)

    check(f"nsys-ai: kernels of {profile.name}", {row["kernel_name"]: (row["invocations"], row["total_ms"])
                                                  for row in skill("top_kernels")},
          {name: (calls, rounded(time)) for name, (calls, time) in profile.of_kinds("kernel").items()})
    check(f"nsys-ai: copies of {profile.name}", [(row["count"], row["total_ms"]) for row in skill("memory_transfers")],
          [(calls, rounded(time)) for calls, time in profile.of_kinds("memcpy").values()])
    nccl, computation = profile.intervals(is_nccl), profile.intervals(is_computation)
    if nccl:
        row = skill("overlap_breakdown")[0]
        check(f"nsys-ai: overlap and idle time of {profile.name}", [row[key] for key in (
            "compute_only_ms", "nccl_only_ms", "overlap_ms", "idle_ms")],
            [rounded(busy(computation) - overlap(nccl, computation)), rounded(busy(nccl) - overlap(nccl, computation)),
             rounded(overlap(nccl, computation)),
             rounded(span(nccl + computation) - busy(nccl + computation))])


def with_perfetto(profile):
    """The package brings the format's messages, and not the trace processor, which it downloads."""
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2

    trace, names, open_slices, slices = perfetto_trace_pb2.Trace(), {}, {}, []
    with open(f"{profile.name}.pftrace", "rb") as file:
        trace.ParseFromString(file.read())
    for packet in trace.packet:
        for name in packet.interned_data.event_names:
            names[name.iid] = name.name
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        stack = open_slices.setdefault(event.track_uuid, [])
        if event.type == event.TYPE_SLICE_BEGIN:
            stack.append((names.get(event.name_iid, event.name), packet.timestamp))
        elif event.type == event.TYPE_SLICE_END:
            name, start = stack.pop()
            slices.append((name, 1, packet.timestamp - start))
    check(f"perfetto: slices of {profile.name} by the package's messages", sums(slices), profile.rows)


def with_trace_processor(profile):
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

    for form in "pftrace", "chrome.json":
        with TraceProcessor(trace=f"{profile.name}.{form}", config=TraceProcessorConfig(
                bin_path=os.environ["TRACE_PROCESSOR"])) as processor:
            rows = processor.query("SELECT name, count(*) AS n, sum(dur) AS time FROM slice GROUP BY name")
            check(f"trace processor: {profile.name}.{form}", {ktime_name(row.name): (row.n, row.time) for row in rows},
                  profile.rows)


def with_torch_tb_profiler(profile):
    from torch_tb_profiler.profiler.data import RunProfileData

    data = RunProfileData.parse("worker", None, os.path.abspath(f"{profile.name}.chrome.json"), FOLDER)
    data.process()
    check(f"torch-tb-profiler: kernels of {profile.name}", {
        name: (int(row["count"]), close(row["sum"])) for name, row in data.kernel_stat.iterrows()},
        profile.of_kinds("kernel"))


def with_folded(profile):
    with open(f"{profile.name}.folded") as file:
        lines = [line.rstrip("\n").rsplit(" ", 1) for line in file]
    check(f"folded stacks of {profile.name}", {name.split(";")[-1]: int(time) for name, time in lines},
          {name: time for name, (_, time) in profile.of_kinds(*GPU).items()})


def simulated(name, *command, **environment):
    environment = dict(os.environ, BUILD=os.path.relpath(BUILD, ROOT),
                       KTIME_OPTIONS=f"--timer cupti --keep-trace all --quiet -f -o {name}.ktime", **environment)
    environment["LD_PRELOAD"] = os.path.join(BUILD, environment["LD_PRELOAD"])
    subprocess.run([os.path.join(ROOT, "tests/sim/run"), *command], env=environment, check=True, timeout=300,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return Profile(name)


def ranges_of(profile):
    """NVTX ranges: PyTorch's own would be such."""
    import sqlite3
    import pandas
    from nsys_ai.skills.registry import get_skill

    with sqlite3.connect(f"{profile.name}.sqlite") as database:
        texts = pandas.read_sql("SELECT text FROM NVTX_EVENTS WHERE eventType = 59", database).text
        check("pandas: NVTX ranges by their text", texts.value_counts().to_dict(),
              {row["name"]: row["calls"] for row in profile.json["ranges"]})
        # Calls and ranges are on two clocks: one at a range's edge may be beside it.
        layers = get_skill("nvtx_layer_breakdown").execute(database)
        check("nsys-ai: kernels are in their NVTX ranges", {path for row in layers if ">" in (path := row.get("nvtx_path", ""))},
              {"all > often", "all > seldom"})
    with open(f"{profile.name}.folded") as file:
        stacks = [line.rsplit(" ", 1) for line in file]
    check("folded stacks: ranges add up to the table", sum(int(time) for _, time in stacks),
          sum(time for _, time in profile.of_kinds(*GPU).values()))
    # On a busy machine the range of some calls is not known.
    check("folded stacks: paths", {path.rsplit(";", 1)[0] for path, _ in stacks if ";" in path},
          {"all;often", "all;seldom"})


def profiles():
    make_records("records.tsv")
    subprocess.run([os.path.join(BUILD, "tests/command/session_of_records"), "records.tsv", "records.ktime"], check=True,
                   timeout=300)
    return Profile("records"), simulated("simulated", os.path.join(BUILD, "sim/preload/timeline"), *COMMANDS,
                                         SIM_LAUNCH_NS="4000", LD_PRELOAD="sim/libktime_virtual.so")


def main():
    both = profiles()
    check("the table has the known figures", both[0].rows,
          {name: (calls, time * 1000) for name, (calls, time) in KNOWN.items()})
    use = both[1].json["use"][0]
    check("the trace is as busy as ktime's own figures", [busy(both[1].intervals()), span(both[1].intervals())],
          [use["busy"], use["last"] - use["first"] - use["excluded"]])
    for tool, package, read in (
            ("pandas", "pandas", with_pandas), ("HTA", "HolisticTraceAnalysis", with_hta),
            ("nsys-ai", "nsys-ai", with_nsys_ai), ("perfetto", "perfetto", with_perfetto),
            ("trace processor", "perfetto", with_trace_processor),
            ("torch-tb-profiler", "torch-tb-profiler", with_torch_tb_profiler), ("folded", None, with_folded)):
        if package:
            try:
                print(f"# {package} {version(package)}")
            except importlib.metadata.PackageNotFoundError:
                skip(tool, f"{package} cannot be installed")
                continue
        if read is with_trace_processor and "TRACE_PROCESSOR" not in os.environ:
            skip(tool, "the package does not bring it: TRACE_PROCESSOR names one that is here")
            continue
        for profile in both:
            try:
                read(profile)
            except Exception as error:  # pylint: disable=broad-except # a tool's own; the others go on
                report(False, f"{tool}: {profile.name}")
                print(f"# {type(error).__name__}: {str(error)[:300]}")
    try:
        ranges_of(simulated("ranged", os.path.join(BUILD, "sim/preload/ranges"), "launches", LD_PRELOAD="libktime.so"))
    except ImportError as error:
        skip("NVTX ranges", f"{error.name} cannot be installed")
    print(f"1..{len(results)}")
    return not all(results)


sys.exit(main())
