# SPDX-License-Identifier: MIT
# Jobs of several processes by real launchers, and metrics by a real Prometheus, on the simulated device;
# not a part of make check.

.PHONY: job-check
job-check: library command sim preload-programs
	@tests/packages.sh install jobs
	bats tests/jobs
