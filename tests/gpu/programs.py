# SPDX-License-Identifier: MIT
"""The programs that gpu_check.py runs."""
import dataclasses
import glob
import os
import sys

import profilers

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclasses.dataclass(frozen=True, eq=False)
class Program:
    title: str
    argv: tuple
    # The same work in a form that the reference can follow to its end.
    reference_argv: tuple = None
    # Operations that are known beforehand, and reach ktime even where no reference sees them.
    expected: dict = None
    # Pattern of the lines that are measurements, and differ from run to run.
    masked: str = None
    # {name of an operation: why ktime and the reference may differ on it}
    explained: dict = dataclasses.field(default_factory=dict)
    # The shared library that it cannot do without.
    library: str = None
    # nsys is asked as well, where it is installed.
    nsys: bool = False
    # A time that the program takes itself: the pattern of its microseconds in the output.
    own_time: str = None
    # It runs by itself and launches as fast as it can: a record that is lost is a failure.
    at_full_speed: bool = False

    @property
    def path(self):
        return self.argv[1] if self.argv[0] == sys.executable else self.argv[0]


def native(name, *arguments, **rest):
    title = " ".join([name, *arguments])
    return Program(title, (os.path.join(profilers.BUILD, "gpu", name), *arguments), **rest)


def ending(way):
    """Ends in its own way; what it did is what the same program does that returns from main."""
    path = os.path.join(profilers.BUILD, "gpu", "endings")
    return native("endings", way, reference_argv=(path, "return"))


LINES_WITH_FIGURES = r"^.*[0-9].*$"
MEASURED_LINES = r"^(Kernel time|Effective bandwidth|Throughput).*$"


def saxpy(name, *arguments, **rest):
    title = " ".join([name, *arguments])
    return Program(title, (os.path.join(profilers.BUILD, "workloads", name), *arguments),
                   masked=MEASURED_LINES,
                   nsys=True, **rest)


SAXPY_COUNTS = {"[CUDA memcpy HtoD]": 2, "[CUDA memcpy DtoH]": 1, "kernel": 1}


def saxpy_once(name):
    return saxpy(name, expected=SAXPY_COUNTS, own_time=r"([\d.]+) per launch")


def workload(name, *arguments, **rest):
    title = " ".join([name, *arguments])
    return Program(title, (os.path.join(profilers.BUILD, "workloads", name), *arguments),
                   masked=LINES_WITH_FIGURES, **rest)


def launch_loop(name, *arguments, **rest):
    title = " ".join(["launch_loop", name, *arguments])
    return Program(title, (os.path.join(profilers.BUILD, "bench", "launch_loop"), name, *arguments),
                   masked=LINES_WITH_FIGURES, at_full_speed=True, **rest)


def older_cuda():
    """saxpy as older toolkits built it, as far as they were there."""
    for path in sorted(glob.glob(os.path.join(profilers.BUILD, "gpu", "older", "*", "saxpy*"))):
        version = os.path.basename(os.path.dirname(path))
        yield Program(f"CUDA {version} {os.path.basename(path)}", (path,), expected=SAXPY_COUNTS,
                      masked=MEASURED_LINES)


def python(name, *arguments, **rest):
    path = os.path.join(HERE, "python", name + ".py")
    return Program(f"{name}.py", (sys.executable, path, *arguments), **rest)


MANY = ("--repetitions", "1000", "--streams", "4", "--threads", "4")

PROGRAMS = [
    saxpy_once("saxpy"),
    saxpy_once("saxpy_shared"),
    saxpy_once("saxpy_driver"),
    *older_cuda(),
    saxpy("saxpy", *MANY),
    saxpy("saxpy_shared", *MANY),
    saxpy("saxpy_driver", *MANY),
    workload("vecadd", expected={"[CUDA memcpy HtoD]": 3, "[CUDA memcpy DtoH]": 1, "kernel": 1}),
    workload("matcopy", "--n", "1000", "--type", "double"),
    workload("bandwidth", "--bytes", "1000000"),
    workload("flops", "--n", "10", "--blocks", "4"),
    workload("async", "--milliseconds", "1"),
    # Sixteen threads, and then one.
    launch_loop("threads", "62500", "1"),
    launch_loop("empty", "1000000", "1"),
    native("copies", nsys=True,
           explained={"[CUDA memcpy PtoP]": "between devices without peer access CUPTI and nsys have "
                                            "the two halves only, which ktime shows too"}),
    native("copies_driver", nsys=True),
    native("memsets"),
    native("capture"),
    native("graphs"),
    native("copy_graphs", expected={"[CUDA memset]": 3005, "empty_kernel": 60000}),
    native("graph_device_launch"),
    native("contexts"),
    native("context_lives"),
    native("device_reset"),
    native("streams"),
    native("modules", expected={"alpha_kernel": 10, "beta_kernel": 20, "gamma_kernel": 30},
           explained=dict.fromkeys(["alpha_kernel", "beta_kernel", "gamma_kernel"],
                                   "CUPTI names a kernel at a reused handle by the old one")),
    native("dependent_launch"),
    native("cooperative"),
    native("per_thread_stream"),
    native("shared_stream"),
    native("bad_input"),
    native("memory_operations"),
    native("devices"),
    native("fork_exec"),
    *(ending(way) for way in ("return", "exit", "quick_exit", "_exit", "abort", "segv", "term",
                              "thread", "reset")),
    native("cublas_multiply", library="libcublas.so.13"),
    native("cufft_transform", library="libcufft.so.12"),
    native("cusparse_multiply", library="libcusparse.so.12"),
    python("resnet_training"),
    python("transformer"),
    python("cuda_graph"),
    python("compiled"),
    python("data_loader"),
    python("torch_profiler",
           reference_argv=(sys.executable, os.path.join(HERE, "python", "torch_profiler.py"),
                           "--plain")),
    python("nccl"),
    python("triton_add"),
    python("cupy_kernels"),
    python("jax_kernels"),
    python("numba_saxpy"),
]
