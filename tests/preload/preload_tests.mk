# SPDX-License-Identifier: MIT
# Programs and libraries that are run under ktime on the simulated device.

PRELOAD_TESTS := $(SIM)/preload
PRELOAD_OBJECTS := $(BUILD)/obj/tests/preload/programs
PRELOAD_PROGRAMS := $(patsubst tests/preload/programs/%.c,$(PRELOAD_TESTS)/%, \
	$(filter-out tests/preload/programs/lib%,$(wildcard tests/preload/programs/*.c))) \
	$(addprefix $(PRELOAD_TESTS)/lib,peer.so peer_driver.so peer_dlsym.so plugin.so plugin_other.so \
		hidden.so no_threads.so no_memory.so)

.PHONY: preload-programs preload-tests
preload-programs: $(PRELOAD_PROGRAMS)

$(PRELOAD_TESTS)/%: $(PRELOAD_OBJECTS)/%.o $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(LINK) -Wl,--as-needed $^ -o $@ -lpthread -ldl

# ktime calls the clock_gettime of those that wait for its threads.
$(addprefix $(PRELOAD_TESTS)/,collecting context_lives ends_cupti graph_launches held): $(PRELOAD_TESTS)/%: \
		$(PRELOAD_OBJECTS)/%.o $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(LINK) -rdynamic $^ -o $@ -lpthread -ldl

# With the runtime linked in, as nvcc does it.
$(PRELOAD_TESTS)/runtimes: $(PRELOAD_OBJECTS)/runtimes.o $(SIM)/lib/libcudart_static.a
	@mkdir -p $(@D)
	$(LINK) $^ -o $@ -lpthread -ldl

$(addprefix $(PRELOAD_TESTS)/lib,peer.so peer_driver.so no_threads.so no_memory.so): $(PRELOAD_TESTS)/%.so: $(PRELOAD_OBJECTS)/%.o
	@mkdir -p $(@D)
	$(LINK) -shared $^ -o $@ -ldl

$(PRELOAD_TESTS)/libpeer_dlsym.so: tests/preload/programs/libpeer.c
	@mkdir -p $(@D)
	$(CC) $(KTIME_CPPFLAGS) $(KTIME_CFLAGS) $(CFLAGS) -DPEER_DLSYM -fPIC -shared $< -o $@ -ldl

# With the shared one, whose symbols are wrapped.
$(addprefix $(PRELOAD_TESTS)/,api_times failed_launches): $(PRELOAD_TESTS)/%: $(PRELOAD_OBJECTS)/%.o \
		$(SIM)/lib/libcudart.so.13 $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(LINK) -Wl,--as-needed $^ -o $@

# One plug-in per runtime: the shared one, and the same under another name.
$(PRELOAD_TESTS)/libcudart_other.so.13: $(call sim_objects,runtime)
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,$(@F) -Wl,-Bsymbolic $(NO_UNDEFINED) $^ -o $@ -lpthread -ldl

$(PRELOAD_TESTS)/libplugin.so: $(PRELOAD_OBJECTS)/libplugin.o $(SIM)/lib/libcudart.so.13
	@mkdir -p $(@D)
	$(LINK) -shared $^ -o $@

$(PRELOAD_TESTS)/libhidden.so: $(PRELOAD_OBJECTS)/libhidden.o $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(LINK) -shared $^ -o $@

$(PRELOAD_TESTS)/libplugin_other.so: $(PRELOAD_OBJECTS)/libplugin.o \
		$(PRELOAD_TESTS)/libcudart_other.so.13
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-rpath,'$$ORIGIN' $^ -o $@

.SECONDARY: $(patsubst $(PRELOAD_TESTS)/%,$(PRELOAD_OBJECTS)/%.o,$(PRELOAD_PROGRAMS)) \
	$(PRELOAD_OBJECTS)/libplugin.o

preload-tests: library command sim preload-programs
	bats tests/preload
