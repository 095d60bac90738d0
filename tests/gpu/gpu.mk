# SPDX-License-Identifier: MIT
# Tests that need a GPU. The programs are built here and may be carried to the machine with the GPU.

GPU_PROGRAMS := $(patsubst tests/gpu/%.cu,$(BUILD)/gpu/%,$(wildcard tests/gpu/*.cu))

# What one of them needs beyond the rest: the driver's stub and the toolkit's libraries.
GPU_LIBRARIES := -L$(CUDA_LIBRARY)stubs -L$(CUDA_LIBRARY) -lcuda
$(BUILD)/gpu/cublas_multiply: GPU_EXTRA = -lcublas
$(BUILD)/gpu/cufft_transform: GPU_EXTRA = -lcufft
$(BUILD)/gpu/cusparse_multiply: GPU_EXTRA = -lcusparse
$(BUILD)/gpu/graph_device_launch: GPU_EXTRA = -rdc=true -lcudadevrt
$(BUILD)/gpu/graph_numbers: GPU_EXTRA = -I$(CUPTI_INCLUDE)
$(BUILD)/gpu/per_thread_stream: GPU_EXTRA = --default-stream per-thread
# cudart both ways: nvcc links it statically unless told otherwise.
$(addprefix $(BUILD)/gpu/,graphs streams memsets): GPU_EXTRA = -cudart shared

# saxpy as older toolkits build it, where there are some: OLDER_CUDA="11.8=/opt/cuda-11.8 …". The
# runtime library goes with the program, since the machine with the GPU may not have it.
OLDER_CUDA ?=
older_version = $(firstword $(subst =, ,$(1)))
older_home = $(lastword $(subst =, ,$(1)))
older_folder = $(BUILD)/gpu/older/$(call older_version,$(1))
OLDER_PROGRAMS := $(foreach older,$(OLDER_CUDA),$(addprefix $(call older_folder,$(older))/,saxpy saxpy_shared))

define build_with_older
$(call older_folder,$(1))/saxpy: cudart = static
$(call older_folder,$(1))/saxpy_shared: cudart = shared -Xlinker=-rpath=\$$$$ORIGIN
$(call older_folder,$(1))/saxpy $(call older_folder,$(1))/saxpy_shared: workloads/saxpy.cu \
		$(WORKLOAD_OBJECTS)/saxpy_common.o $(WORKLOAD_OBJECTS)/workload.o
	@mkdir -p $$(@D)
	$$(Q)cp -L $(call older_home,$(1))/lib64/libcudart.so.$(firstword $(subst ., ,$(call older_version,$(1))))* $$(@D)
	$$(call say,NVCC)$(call older_home,$(1))/bin/nvcc -allow-unsupported-compiler -std=c++14 -I. $$(GENCODE) $$(NVCCFLAGS) \
		$$^ -o $$@ -cudart $$(cudart)
endef
$(foreach older,$(OLDER_CUDA),$(eval $(call build_with_older,$(older))))

.PHONY: gpu-programs gpu-libraries gpu-check
gpu-programs: $(GPU_PROGRAMS) $(OLDER_PROGRAMS) gpu-libraries

# What the ktime command is linked to and a machine that did not build it may lack.
gpu-libraries: command
	@mkdir -p $(BUILD)/gpu/lib
	@ldd $(BUILD)/ktime | awk '/libsqlite3|libncursesw|libtinfo|libz/ { print $$3 }' | xargs -r cp -L -t $(BUILD)/gpu/lib

$(BUILD)/gpu/%: tests/gpu/%.cu tests/gpu/check.cuh tests/gpu/contexts.cuh | toolkit
	@mkdir -p $(@D)
	$(call say,NVCC)$(NVCC) -std=c++17 -O2 $(GENCODE) -Xcompiler=-Wall -Xlinker=-s $< -o $@ $(GPU_LIBRARIES) \
		-Xlinker=-rpath=$(CUDA_LIBRARY) $(GPU_EXTRA)

gpu-check: library command workloads gpu-programs bench-programs
	@status=0; for script in tables bandwidth counters gpu_check accuracy energy idle nvtx graph_ranges gates event_clock workloads neighbours signals host_functions; do \
		python3 tests/gpu/$$script.py || status=1; done; exit $$status
