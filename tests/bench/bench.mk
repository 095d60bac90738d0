# SPDX-License-Identifier: MIT
# What ktime costs. The programs are built here and may be carried to the machine with the GPU.

# Machine code for common GPUs, and PTX for the others.
GPU_CODE ?= -gencode=arch=compute_75,code=compute_75 -gencode=arch=compute_80,code=sm_80 \
	-gencode=arch=compute_90,code=sm_90

BENCH_PROGRAMS := $(BUILD)/bench/libbare_tracer.so $(BUILD)/bench/launch_loop

.PHONY: bench-programs bench cost
bench-programs: $(BENCH_PROGRAMS)

$(BUILD)/bench/libbare_tracer.so: $(BUILD)/obj/tests/bench/bare_tracer.o
	@mkdir -p $(@D)
	$(CC) -shared -Wl,-z,defs $(LDFLAGS) $< -o $@ -ldl -lpthread

$(BUILD)/bench/%: tests/bench/%.cu | toolkit
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O2 $(GPU_CODE) -Xcompiler=-Wall -Xlinker=-s $< -o $@

bench: library command bench-programs
	python3 tests/bench/bench.py
