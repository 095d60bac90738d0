# SPDX-License-Identifier: MIT
# The simulated device: libcuda.so.1, libnvidia-ml.so.1, libcudart.so.13 and its archive, libcupti.so.13, and the
# workloads linked to them.

SIM := $(BUILD)/sim
SIM_OBJECTS := $(BUILD)/obj/tests/sim
SIM_WORKLOADS := $(patsubst $(BUILD)/%,$(SIM)/%,$(WORKLOADS))
SIM_LIBRARIES := $(addprefix $(SIM)/lib/,libcuda.so.1 libnvidia-ml.so.1 libcudart.so.13 libcudart_static.a) \
	$(SIM)/toolkit/lib64/libcupti.so.13 $(SIM)/toolkit/lib64/libnvperf_host.so
SIM_PROGRAMS := $(patsubst tests/sim/programs/%.c,$(SIM)/programs/%,$(wildcard tests/sim/programs/*.c))
SIM_RUNTIME_PROGRAMS := $(addprefix $(SIM)/programs/runtime_calls,_static _shared _per_thread)
sim_objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/sim/$(1)/*.c))

.PHONY: sim sim-libraries sim-tests
sim-libraries: $(SIM_LIBRARIES)
sim: sim-libraries $(SIM_WORKLOADS) $(SIM_PROGRAMS) $(SIM_RUNTIME_PROGRAMS)

# The symbols of the real libcuda, and the version that each came with.
$(SIM)/include/symbols: | toolkit
	@mkdir -p $(@D)
	$(Q)nm -D --defined-only $(CUDA_LIBRARY)stubs/libcuda.so | awk '{print $$NF}' >$@

$(SIM)/include/sim_versions.h: tests/sim/versions.awk $(SIM)/include/symbols
	$(Q)awk -f tests/sim/versions.awk $(SIM)/include/symbols $(CUDA_INCLUDE)cudaTypedefs.h \
		$(CUDA_INCLUDE)cudaProfilerTypedefs.h | sort >$@

# Every symbol, weak: those that are modelled take its place.
$(SIM)/include/not_supported.c: $(SIM)/include/symbols
	$(Q)awk '{ print "WEAK(" $$1 ")" } BEGIN { print "#include \"tests/sim/driver/not_supported.h\"" }' $< >$@

$(SIM_OBJECTS)/%.o: OBJECT_CFLAGS += -I$(SIM)/include
$(SIM_OBJECTS)/driver/resolve.o $(SIM_OBJECTS)/runtime/driver.o $(addprefix $(SIM_OBJECTS)/programs/,entries.o resolve.o): $(SIM)/include/sim_versions.h

$(SIM_OBJECTS)/cupti/record.o: $(CALL_NAMES)

$(SIM_OBJECTS)/driver/not_supported.o: $(SIM)/include/not_supported.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(KTIME_CPPFLAGS) $(KTIME_CFLAGS) $(CFLAGS) -fPIC -c $< -o $@

$(SIM_OBJECTS)/%.cc.o: tests/sim/%.cc $(BUILD)/flags | toolkit
	@mkdir -p $(@D)
	$(call say,CXX,$<)$(CXX) $(KTIME_CPPFLAGS) -std=c++17 -fno-exceptions -fno-rtti $(WARNINGS) \
		-fvisibility=hidden -MMD -MP $(CFLAGS) -fPIC -c $< -o $@

$(SIM)/lib/libcuda.so.1: $(call sim_objects,driver) $(SIM_OBJECTS)/driver/not_supported.o \
		$(SIM_OBJECTS)/driver/host_kernel.cc.o
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,libcuda.so.1 -Wl,-Bsymbolic $(NO_UNDEFINED) $^ -o $@ -lpthread -ldl -lm

$(SIM)/lib/libnvidia-ml.so.1: $(call sim_objects,nvml)
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,libnvidia-ml.so.1 -Wl,-Bsymbolic $(NO_UNDEFINED) $^ -o $@

$(SIM)/lib/libcudart_static.a: $(call sim_objects,runtime)
	@mkdir -p $(@D)
	$(Q)rm -f $@
	$(call say,AR)$(AR) rcs $@ $^

# Entries are in archive and library alike, so the library shows what the archive's headers mark.
$(SIM)/lib/libcudart.so.13: $(call sim_objects,runtime)
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,libcudart.so.13 -Wl,-Bsymbolic $(NO_UNDEFINED) $^ -o $@ -lpthread -ldl

# In a folder of its own, which a test for its absence leaves out.
$(SIM)/toolkit/lib64/libcupti.so.13: $(call sim_objects,cupti)
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,libcupti.so.13 -Wl,-Bsymbolic $(NO_UNDEFINED) $^ -o $@ -lpthread -ldl

# What libcupti would open is beside it; the simulated one needs nothing of it.
$(SIM)/toolkit/lib64/libnvperf_host.so:
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,libnvperf_host.so -x c /dev/null -o $@

$(SIM)/workloads/saxpy: $(SAXPY_RUNTIME_OBJECTS) $(SIM)/lib/libcudart_static.a
	@mkdir -p $(@D)
	$(LINK_CXX) $^ -o $@ -lpthread -ldl

$(SIM)/workloads/saxpy_shared: $(SAXPY_RUNTIME_OBJECTS) $(SIM)/lib/libcudart.so.13
	@mkdir -p $(@D)
	$(LINK_CXX) $^ -o $@ -lpthread -ldl

$(SIM)/workloads/saxpy_driver: $(SAXPY_DRIVER_OBJECTS) $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(LINK) $^ -o $@ -lpthread -lm

$(addprefix $(SIM)/workloads/,$(PLAIN_WORKLOADS)): $(SIM)/workloads/%: $(WORKLOAD_OBJECTS)/%.cu.o \
		$(WORKLOAD_OBJECTS)/workload.o $(SIM)/lib/libcudart_static.a $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(LINK_CXX) -Wl,--as-needed $^ -o $@ -lpthread -ldl

$(SIM)/programs/%: $(SIM_OBJECTS)/programs/%.o $(SIM)/lib/libcuda.so.1 $(SIM)/toolkit/lib64/libcupti.so.13
	@mkdir -p $(@D)
	$(LINK) -Wl,--as-needed $^ -o $@ -lpthread -ldl

$(SIM_OBJECTS)/programs/%.cu.o: tests/sim/programs/%.cu | toolkit
	@mkdir -p $(@D)
	$(call say,NVCC,$<)$(NVCC) $(GENCODE) -Xcompiler -fPIC -MMD -MF $(@:.o=.d) -c $< -o $@

$(SIM_OBJECTS)/programs/%_per_thread.cu.o: tests/sim/programs/%.cu | toolkit
	@mkdir -p $(@D)
	$(call say,NVCC,$<)$(NVCC) $(GENCODE) --default-stream per-thread -Xcompiler -fPIC -MMD -MF $(@:.o=.d) -c $< -o $@

$(SIM)/programs/%_static: $(SIM_OBJECTS)/programs/%.cu.o $(SIM)/lib/libcudart_static.a
	@mkdir -p $(@D)
	$(LINK_CXX) $^ -o $@ -lpthread -ldl

$(SIM)/programs/%_per_thread: $(SIM_OBJECTS)/programs/%_per_thread.cu.o $(SIM)/lib/libcudart_static.a
	@mkdir -p $(@D)
	$(LINK_CXX) $^ -o $@ -lpthread -ldl

$(SIM)/programs/%_shared: $(SIM_OBJECTS)/programs/%.cu.o $(SIM)/lib/libcudart.so.13
	@mkdir -p $(@D)
	$(LINK_CXX) $^ -o $@ -lpthread -ldl

.SECONDARY: $(addprefix $(SIM_OBJECTS)/programs/runtime_calls,.cu.o _per_thread.cu.o) \
	$(patsubst $(SIM)/programs/%,$(SIM_OBJECTS)/programs/%.o,$(SIM_PROGRAMS))

sim-tests: sim
	tests/bats.sh tests/sim/*.bats

# ktime with the simulated device's clock as the host's: for what it says of the host's time.
VIRTUAL := $(SIM)/libktime_virtual.so
VIRTUAL_SOURCES := preload/collector/collector.c preload/collector/drain.c preload/launch/call.c \
	preload/launch/runtime_call.c preload/launch/window.c preload/memory/allocations.c \
	preload/memory/holdings.c preload/nvtx/range_thread.c preload/nvtx/ranges.c preload/recording/late_start.c \
	preload/recording/recording.c
VIRTUAL_OBJECTS := $(VIRTUAL_SOURCES:%.c=$(SIM_OBJECTS)/clock/%.o)

$(SIM_OBJECTS)/clock/preload/%.o: preload/%.c $(BUILD)/flags | toolkit
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(KTIME_CPPFLAGS) $(KTIME_CFLAGS) $(CFLAGS) $(OBJECT_CFLAGS) -include tests/sim/clock/virtual_clock.h -fPIC -c $< -o $@

$(VIRTUAL): $(filter-out $(VIRTUAL_SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/preload/base/clock.o,$(LIBRARY_OBJECTS)) \
		$(VIRTUAL_OBJECTS) $(SIM_OBJECTS)/clock/virtual_clock.o preload/exports.map
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,$(@F) $(NO_UNDEFINED) -Wl,-z,now -Wl,--gc-sections -Wl,-Bsymbolic-functions \
		-Wl,--wrap=cupti_clock_is_realtime -Wl,--version-script=preload/exports.map $(filter %.o,$^) \
		-l:libiberty.a $(GLIBC_PARTS) -Wl,--as-needed -lm -o $@

sim: $(VIRTUAL)
