# SPDX-License-Identifier: MIT
# make check, make check-busy and make demo.

# What git tracks, or, in a source tree without git, what lies there.
SOURCES := $(or $(shell git ls-files '*.c' '*.h' 2>/dev/null), \
	$(shell find preload cupti report workloads tests -name '*.[ch]'))
JOBS := -j$(shell nproc)

.PHONY: check check-busy check-packages demo clang-check format-check
check-packages:
	@CC='$(CC)' CXX='$(CXX)' tests/packages.sh install check
	@tests/packages.sh install browser || echo "ktime: the tests in a browser will be skipped" >&2
	@tests/packages.sh install wheel || echo "ktime: the test of the Python wheel will be skipped" >&2

# Every test that needs no GPU; ends with the line "N passed, N failed".
check: check-packages
	@MAKE='$(MAKE)' JOBS=$(JOBS) BUILD=$(BUILD) UNIT_TESTS='$(UNIT_TESTS)' tests/check.sh

# Endings, waits, daemons and jobs beside busy loops; a part of it is in make check.
check-busy: check-packages all sim preload-programs command-programs unit-test-programs
	@BUILD=$(BUILD) tests/busy.sh

# The second compiler's warnings: parsed, not built. Headers are checked as they are included.
clang-check: $(SIM)/include/sim_versions.h $(CALL_NAMES)
	@printf '%s\n' $(filter %.c,$(SOURCES)) | xargs -r -P$(JOBS:-j%=%) -n1 clang -fsyntax-only \
		$(KTIME_CPPFLAGS) -I$(SIM)/include $(filter-out -MMD -MP,$(KTIME_CFLAGS)) -Werror

format-check:
	@clang-format --dry-run -Werror $(SOURCES)

# The library's sources with the headers of CUDA 12.0 to 13.4, as PyPI has them (needs the network).
.PHONY: headers-check
headers-check: $(SIM)/include/sim_versions.h
	@CC='$(CC)' TOOLKIT=$(CUDA_INCLUDE) tests/headers.sh $(BUILD)/headers -- \
		-I. -I$(BUILD)/include -D_GNU_SOURCE -DHASH_NONFATAL_OOM=1 $(filter-out -MMD -MP,$(KTIME_CFLAGS))

# What other people's tools, from PyPI, read in ktime's exports (needs the network at first).
.PHONY: tools-check
tools-check: library command sim preload-programs command-programs
	@BUILD=$(BUILD) tests/tools/check.sh

# On the GPU where the driver finds one, else on the simulated device.
GPU_HERE := nvidia-smi -L 2>/dev/null | grep -q '^GPU' || \
	{ [ -e /dev/nvidiactl ] && [ -z "$$(LD_PRELOAD=libcuda.so.1 true 2>&1)" ]; }
demo: library command $(BUILD)/workloads/saxpy
	@if $(GPU_HERE); then \
		echo "LD_PRELOAD=$(BUILD)/libktime.so $(BUILD)/workloads/saxpy, on this machine's GPU:"; \
		LD_PRELOAD=$(BUILD)/libktime.so $(BUILD)/workloads/saxpy; \
	else \
		$(MAKE) --no-print-directory sim >/dev/null || exit; \
		echo "LD_PRELOAD=$(BUILD)/libktime.so $(BUILD)/workloads/saxpy, on the simulated device (no GPU here):"; \
		LD_PRELOAD=$(BUILD)/libktime.so tests/sim/run $(BUILD)/workloads/saxpy; \
	fi
