# SPDX-License-Identifier: MIT
# Programs that are run under ktime on the simulated device: tests/preload/programs/*.c.

PRELOAD_PROGRAMS := $(patsubst tests/preload/programs/%.c,$(SIM)/preload/%, \
	$(wildcard tests/preload/programs/*.c))
PRELOAD_OBJECTS := $(BUILD)/obj/tests/preload/programs

.PHONY: preload-programs preload-tests
preload-programs: $(PRELOAD_PROGRAMS)

$(SIM)/preload/%: $(PRELOAD_OBJECTS)/%.o $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(CC) -Wl,--as-needed $^ -o $@ -lpthread -ldl

.SECONDARY: $(patsubst $(SIM)/preload/%,$(PRELOAD_OBJECTS)/%.o,$(PRELOAD_PROGRAMS))

preload-tests: library command sim preload-programs
	bats tests/preload
