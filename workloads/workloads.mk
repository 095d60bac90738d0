# SPDX-License-Identifier: MIT
# The programs that ktime is tried on. Each is compiled once; tests/sim links the same objects a
# second time, to the simulated device.

# Real code for Ampere and Hopper, and code that newer devices compile for themselves. For an
# older one: make GENCODE='-arch=sm_75'
GENCODE ?= -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90]
NVCCFLAGS ?= -O2 -lineinfo
WORKLOAD_OBJECTS := $(BUILD)/obj/workloads
# Each of one source, NAME.cu.
PLAIN_WORKLOADS := vecadd matcopy bandwidth flops latency async heat
WORKLOADS := $(addprefix $(BUILD)/workloads/,saxpy saxpy_shared saxpy_driver $(PLAIN_WORKLOADS))

.PHONY: workloads
workloads: $(WORKLOADS) $(BUILD)/workloads/latency.cubin

$(WORKLOAD_OBJECTS)/%.cu.o: workloads/%.cu | toolkit
	@mkdir -p $(@D)
	$(call say,NVCC,$<)$(NVCC) -I. $(GENCODE) $(NVCCFLAGS) -Xcompiler -fPIC,-Wall,-Wextra -MMD -MF $(@:.o=.d) -c $< -o $@

$(WORKLOAD_OBJECTS)/%.fatbin: workloads/%.cu workloads/%.h | toolkit
	@mkdir -p $(@D)
	$(call say,NVCC,$<)$(NVCC) -I. $(GENCODE) $(NVCCFLAGS) -fatbin $< -o $@

$(WORKLOAD_OBJECTS)/saxpy_fatbin.o: $(WORKLOAD_OBJECTS)/saxpy_kernel.fatbin
	$(Q)$(dir $(NVCC))bin2c --const --type longlong --padd 0 --name saxpy_fatbin $< >$(@:.o=.c)
	$(Q)$(CC) -fPIC -c $(@:.o=.c) -o $@

SAXPY_RUNTIME_OBJECTS := $(addprefix $(WORKLOAD_OBJECTS)/,saxpy.cu.o saxpy_common.o workload.o)
SAXPY_DRIVER_OBJECTS := $(addprefix $(WORKLOAD_OBJECTS)/,saxpy_driver.o saxpy_common.o workload.o saxpy_fatbin.o)

$(BUILD)/workloads/saxpy: $(SAXPY_RUNTIME_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LD)$(NVCC) $(GENCODE) $(NVCC_SANITIZERS) $^ -o $@

$(BUILD)/workloads/saxpy_shared: $(SAXPY_RUNTIME_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LD)$(NVCC) $(GENCODE) $(NVCC_SANITIZERS) -cudart shared $^ -o $@ -Xlinker -rpath=$(CUDA_LIBRARY)

$(BUILD)/workloads/saxpy_driver: $(SAXPY_DRIVER_OBJECTS)
	@mkdir -p $(@D)
	$(LINK) $^ -o $@ -L$(CUDA_LIBRARY)stubs -lcuda -lpthread -lm

$(addprefix $(BUILD)/workloads/,$(PLAIN_WORKLOADS)): $(BUILD)/workloads/%: $(WORKLOAD_OBJECTS)/%.cu.o \
		$(WORKLOAD_OBJECTS)/workload.o
	@mkdir -p $(@D)
	$(call say,LD)$(NVCC) $(GENCODE) $(NVCC_SANITIZERS) $^ -o $@ -L$(CUDA_LIBRARY)stubs -lcuda

# The kernels of latency for one kind of GPU, to read with cuobjdump -sass and to edit.
CUBIN_ARCH ?= sm_90
$(BUILD)/workloads/latency.cubin: workloads/latency_kernel.cu workloads/latency_kernel.cuh | toolkit
	@mkdir -p $(@D)
	$(call say,NVCC,$<)$(NVCC) -I. -arch=$(CUBIN_ARCH) $(NVCCFLAGS) -cubin $< -o $@
