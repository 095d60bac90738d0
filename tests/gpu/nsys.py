# SPDX-License-Identifier: MIT
"""Nsight Systems: running a program under it, and its counts."""
import os
import shutil

import counts
import process
import profilers

OPTIONS = ["--sample=none", "--cpuctxsw=none"]
REPORTS = "cuda_gpu_kern_sum:mangled,cuda_gpu_mem_time_sum"


def find():
    """nsys: KTIME_NSYS, else the one on PATH; None where there is none."""
    named = os.environ.get("KTIME_NSYS")
    if named:
        return named if os.access(named, os.X_OK) else None
    return shutil.which("nsys")


def environment():
    """For nsys itself; it may need libraries that KTIME_NSYS_LIBRARY_PATH holds."""
    return profilers.with_libraries(profilers.plain_environment(),
                                    os.environ.get("KTIME_NSYS_LIBRARY_PATH", ""))


def command(report, options=(), trace="cuda"):
    """What stands before the program's own command; nsys leaves REPORT.nsys-rep."""
    return [find(), "profile", "-t", trace, *OPTIONS, *options, "-f", "true", "-o", report]


def under_nsys(argv, report, options=(), trace="cuda"):
    return command(report, options, trace) + argv, environment()


def read(report):
    """{name: counts.Operation} of a report."""
    stats = process.run([find(), "stats", "-q", "-r", REPORTS, "--format", "csv",
                         "--force-export=true", report + ".nsys-rep"], environment())
    return counts.from_nsys_csv(stats.stdout)
