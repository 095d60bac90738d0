# SPDX-License-Identifier: MIT
# What ktime costs. The programs are built here and may be carried to the machine with the GPU.

BENCH_PROGRAMS := $(BUILD)/bench/libbare_tracer.so $(BUILD)/bench/attached \
	$(addprefix $(BUILD)/bench/,launch_loop graph_loop graph_after start_loop)

.PHONY: bare-tracer bench-programs bench cost
# What needs no nvcc.
bare-tracer: $(BUILD)/bench/libbare_tracer.so $(BUILD)/bench/attached
bench-programs: $(BENCH_PROGRAMS)

$(BUILD)/bench/libbare_tracer.so: $(BUILD)/obj/tests/bench/bare_tracer.o
	@mkdir -p $(@D)
	$(LINK) -shared $(NO_UNDEFINED) $< -o $@ -ldl -lpthread

# Linked to the simulated driver, whose name is the real one's.
$(BUILD)/bench/attached: $(BUILD)/obj/tests/bench/attached.o $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(LINK) $^ -o $@ -ldl -lpthread

$(BUILD)/bench/%: tests/bench/%.cu | toolkit
	@mkdir -p $(@D)
	$(call say,NVCC)$(NVCC) -std=c++17 -O2 $(GENCODE) -Xcompiler=-Wall -Xlinker=-s $< -o $@

bench: library command bench-programs
	python3 tests/bench/bench.py

# What of CUPTI costs launches of graphs: prints a table.
.PHONY: bench-attached
bench-attached: library bench-programs
	python3 tests/bench/attached.py

# Small operations with a budget of 1 %, in a program's first tenth of a second and later: prints a table.
.PHONY: bench-start
bench-start: library bench-programs
	python3 tests/bench/start.py

# A decoding transformer under profilers (needs PyTorch): writes tests/bench/decode.md.
.PHONY: bench-decode
bench-decode: library command bench-programs
	python3 tests/bench/decode.py

$(BUILD)/bench/launch_path: $(BUILD)/obj/tests/bench/launch_path.o \
		$(WORKLOAD_OBJECTS)/saxpy_fatbin.o $(SIM)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(LINK) $^ -o $@

.PHONY: cost-program
cost-program: library sim $(BUILD)/bench/launch_path

cost: cost-program
	@BUILD=$(BUILD) tests/bench/cost.sh

# How often the intervals of estimates hold the truth, in simulated runs: of rows that are recorded in windows.
$(BUILD)/bench/window_coverage: $(BUILD)/obj/tests/bench/window_coverage.o \
		$(addprefix $(BUILD)/obj/preload/, recording/sums.o recording/window_estimate.o recording/recording.o \
		nvtx/names.o nvtx/range_thread.o nvtx/ranges.o) $(REPORT_LIBRARY_OBJECTS)
	@mkdir -p $(@D)
	$(LINK) -Wl,--gc-sections $^ $(REPORT_LIBRARIES) -lm -o $@

# And of busy and idle time.
$(BUILD)/bench/use_coverage: $(BUILD)/obj/tests/bench/use_coverage.o \
		$(addprefix $(BUILD)/obj/preload/, timeline/timeline.o timeline/window_use.o timeline/use_estimate.o recording/recording.o \
		driver/entries.o base/pauses.o base/clock_read.o) $(REPORT_LIBRARY_OBJECTS)
	@mkdir -p $(@D)
	$(LINK) -Wl,--gc-sections $^ $(REPORT_LIBRARIES) -lm -o $@

.PHONY: coverage coverage-programs
coverage-programs: library command sim preload-programs $(addprefix $(BUILD)/bench/, window_coverage use_coverage)

coverage: coverage-programs
	@BUILD=$(BUILD) python3 tests/bench/coverage.py
	@$(BUILD)/bench/window_coverage 1000
	@$(BUILD)/bench/use_coverage 500

# How long exports of a long trace take; needs no GPU.
MANY_RECORDS := $(BUILD)/bench/many_records
$(MANY_RECORDS): $(BUILD)/obj/tests/bench/many_records.o $(REPORT_LIBRARY_OBJECTS)
	@mkdir -p $(@D)
	$(LINK) $^ $(REPORT_LIBRARIES) -lm -o $@

.PHONY: bench-export-program bench-export
bench-export-program: command $(MANY_RECORDS)
bench-export: bench-export-program
	@BUILD=$(BUILD) python3 tests/bench/export.py

# How long merging the profiles of a large job takes; needs no GPU.
MANY_PROFILES := $(BUILD)/bench/many_profiles
$(MANY_PROFILES): $(BUILD)/obj/tests/bench/many_profiles.o \
		$(filter-out $(BUILD)/obj/report/command/main.o, $(REPORT_COMMAND_OBJECTS)) $(REPORT_LIBRARY_OBJECTS)
	@mkdir -p $(@D)
	$(LINK) $^ $(REPORT_COMMAND_LIBRARIES) -o $@

.PHONY: bench-merge-program bench-merge
bench-merge-program: $(MANY_PROFILES)
bench-merge: bench-merge-program
	@BUILD=$(BUILD) python3 tests/bench/merge.py
