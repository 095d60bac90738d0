# SPDX-License-Identifier: MIT
# Programs and libraries that are run under ktime on the simulated device.

PRELOAD_TESTS := $(SIM)/preload
PRELOAD_OBJECTS := $(BUILD)/obj/tests/preload/programs
# COMPILER-SANITIZER
SANITIZED := gcc-address gcc-thread gcc-undefined clang-address clang-thread clang-memory
PRELOAD_PROGRAMS := $(patsubst tests/preload/programs/%.c,$(PRELOAD_TESTS)/%, \
	$(filter-out tests/preload/programs/lib% %/sanitized.c,$(wildcard tests/preload/programs/*.c))) \
	$(addprefix $(PRELOAD_TESTS)/lib,peer.so peer_driver.so peer_dlsym.so peer_limiter.so plugin.so \
		plugin_other.so hidden.so no_threads.so no_memory.so stopped.so ranges.so ranges_tool.so odd_pointers.so odd_functions.so odd_next.so) \
	$(addprefix $(PRELOAD_TESTS)/sanitized_,$(SANITIZED)) \
	$(addprefix $(PRELOAD_TESTS)/odd_,$(foreach kind,pointers functions next,$(kind) $(kind)_linked))

# These need not be fast, and compile in less than half the time; what a sanitizer adds has to be.
$(PRELOAD_OBJECTS)/%.o $(SIM_OBJECTS)/programs/%.o: OBJECT_CFLAGS += $(if $(SANITIZERS),,-O0)

.PHONY: preload-programs preload-tests
preload-programs: $(PRELOAD_PROGRAMS)

$(PRELOAD_TESTS)/%: $(PRELOAD_OBJECTS)/%.o $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(LINK) -Wl,--as-needed $^ -o $@ -lpthread -ldl

# ktime calls the function syscall of those that wait for its threads.
$(addprefix $(PRELOAD_TESTS)/,captures collecting context_lives cuda_malloc endings ends_cupti gates graph_launches held node_ranges odd_endings ranges ranked served): $(PRELOAD_TESTS)/%: \
		$(PRELOAD_OBJECTS)/%.o $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(LINK) -rdynamic $^ -o $@ -lpthread -ldl

$(PRELOAD_TESTS)/subscriber: $(PRELOAD_OBJECTS)/subscriber.o $(SIM)/lib/libcuda.so.1 $(SIM)/toolkit/lib64/libcupti.so.13
	@mkdir -p $(@D)
	$(LINK) -Wl,--no-as-needed $^ -o $@ -ldl

$(PRELOAD_TESTS)/shapes: $(PRELOAD_OBJECTS)/shapes.o $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(LINK) $^ -lm -o $@

# With the runtime linked in, as nvcc does it.
$(PRELOAD_TESTS)/runtimes: $(PRELOAD_OBJECTS)/runtimes.o $(SIM)/lib/libcudart_static.a
	@mkdir -p $(@D)
	$(LINK) $^ -o $@ -lpthread -ldl

$(addprefix $(PRELOAD_TESTS)/lib,peer.so peer_driver.so no_threads.so no_memory.so stopped.so ranges.so): $(PRELOAD_TESTS)/%.so: $(PRELOAD_OBJECTS)/%.o
	@mkdir -p $(@D)
	$(LINK) -shared $^ -o $@ -ldl

$(PRELOAD_TESTS)/libpeer_dlsym.so: tests/preload/programs/libpeer.c
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(KTIME_CPPFLAGS) $(KTIME_CFLAGS) $(CFLAGS) -DPEER_DLSYM -fPIC -shared $< -o $@ -ldl

$(PRELOAD_TESTS)/libranges_tool.so: tests/preload/programs/libranges.c
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(KTIME_CPPFLAGS) $(filter-out -MMD -MP,$(KTIME_CFLAGS)) $(CFLAGS) -DTOOL -fPIC -shared $< -o $@

$(PRELOAD_TESTS)/libpeer_limiter.so: tests/preload/programs/libpeer_driver.c
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(KTIME_CPPFLAGS) $(filter-out -MMD -MP,$(KTIME_CFLAGS)) $(CFLAGS) -DPEER_DLSYM -fPIC -shared $< -o $@ -ldl

# With the shared one, whose symbols are wrapped.
$(addprefix $(PRELOAD_TESTS)/,api_times cheap_calls failed_launches small_copies): $(PRELOAD_TESTS)/%: $(PRELOAD_OBJECTS)/%.o \
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

$(PRELOAD_TESTS)/sanitized_%: tests/preload/programs/sanitized.c tests/preload/programs/odd.h $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(call say,LD)$(word 1,$(subst -, ,$*)) $(KTIME_CPPFLAGS) -O1 -g -fsanitize=$(word 2,$(subst -, ,$*)) \
		$(filter-out %.h,$^) -o $@ -lpthread -ldl

# What defines the driver's names itself: a library, a program linked with it (whose variables the
# loader copies into the program), and a program that has all in itself and shows it to others.
odd_pointers_FLAGS := -DODD_POINTERS
odd_next_FLAGS := -DODD_NEXT
odd_next_LIBRARIES := $(SIM)/lib/libcuda.so.1
ODD_SOURCE = tests/preload/programs/libodd_$(if $(filter pointers,$1),pointers,functions).c
define odd_rules
$(PRELOAD_TESTS)/libodd_$1.so: $(ODD_SOURCE) tests/preload/programs/odd.h $(odd_$1_LIBRARIES)
	@mkdir -p $$(@D)
	$$(call say,LD)$$(CC) $$(KTIME_CPPFLAGS) $$(filter-out -MMD -MP,$$(KTIME_CFLAGS)) $$(CFLAGS) $(odd_$1_FLAGS) -fPIC \
		-shared -Wl,-soname,$$(@F) -Wl,--no-as-needed $$(filter-out %.h,$$^) -o $$@ -ldl
$(PRELOAD_TESTS)/odd_$1: tests/preload/programs/odd.c $(ODD_SOURCE) tests/preload/programs/odd.h $(odd_$1_LIBRARIES)
	@mkdir -p $$(@D)
	$$(call say,LD)$$(CC) $$(KTIME_CPPFLAGS) $$(filter-out -MMD -MP,$$(KTIME_CFLAGS)) $$(CFLAGS) $(odd_$1_FLAGS) -DODD_LINKED \
		-rdynamic -Wl,--no-as-needed $$(filter-out %.h,$$^) -o $$@ -ldl
$(PRELOAD_TESTS)/odd_$1_linked: tests/preload/programs/odd.c $(PRELOAD_TESTS)/libodd_$1.so tests/preload/programs/odd.h
	@mkdir -p $$(@D)
	$$(call say,LD)$$(CC) $$(KTIME_CPPFLAGS) $$(filter-out -MMD -MP,$$(KTIME_CFLAGS)) $$(CFLAGS) $(odd_$1_FLAGS) -DODD_LINKED \
		$$(filter-out %.h,$$^) -o $$@ -Wl,-rpath,'$$$$ORIGIN' -Wl,-rpath-link,$(SIM)/lib -ldl
endef
$(foreach kind,pointers functions next,$(eval $(call odd_rules,$(kind))))

$(PRELOAD_TESTS)/libplugin_other.so: $(PRELOAD_OBJECTS)/libplugin.o \
		$(PRELOAD_TESTS)/libcudart_other.so.13
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-rpath,'$$ORIGIN' $^ -o $@

.SECONDARY: $(patsubst $(PRELOAD_TESTS)/%,$(PRELOAD_OBJECTS)/%.o,$(PRELOAD_PROGRAMS)) \
	$(PRELOAD_OBJECTS)/libplugin.o

preload-tests: library command sim preload-programs
	tests/bats.sh tests/preload/*.bats
