# SPDX-License-Identifier: MIT
# Programs that ktime is tried on, on the simulated device: tests/preload/programs/*.c, each linked
# to what its name's end says.

PRELOAD_PROGRAMS := $(patsubst tests/preload/programs/%.c,$(SIM)/preload/%, \
	$(wildcard tests/preload/programs/*.c))

.PHONY: preload-programs preload-tests
preload-programs: $(PRELOAD_PROGRAMS)

preload-tests: library command sim preload-programs
	bats tests/preload
