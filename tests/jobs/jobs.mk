# SPDX-License-Identifier: MIT
# Jobs of several processes by real launchers, and metrics by a real Prometheus, on the simulated device;
# not a part of make check.

.PHONY: job-check
job-check: library command sim preload-programs
	@tests/packages.sh install jobs
	FILE_LIMIT_S=3600 BATS_TEST_TIMEOUT=600 tests/bats.sh tests/jobs/*.bats

# An hour of a program whose metrics are kept, with events alone, and of one that is steered.
ALWAYS_ON_MINUTES ?= 60
.PHONY: always-on-check
always-on-check: library command sim preload-programs
	python3 tests/jobs/always_on.py $(ALWAYS_ON_MINUTES) --timer events --budget 1
	python3 tests/jobs/always_on.py $(ALWAYS_ON_MINUTES) steer
