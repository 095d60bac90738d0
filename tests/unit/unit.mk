# SPDX-License-Identifier: MIT

# What a test leaves of memory fails it. The sanitizer takes more address space than one allows itself.
UNIT_LEAKS := $(if $(SANITIZERS),,-fsanitize=leak)
$(BUILD)/tests/unit/test_hostile: private UNIT_LEAKS :=
# Has an allocator of its own, which counts.
NO_MEMORY := $(BUILD)/tests/unit/test_no_memory $(BUILD)/tests/unit/test_no_memory_merge
$(NO_MEMORY): private UNIT_LEAKS :=
$(NO_MEMORY): $(BUILD)/obj/tests/unit/no_memory.o
# The kernel's clocks and the launch path's state, for those that have none of their own.
KERNEL_CLOCK := $(BUILD)/tests/unit/libclock.a
$(KERNEL_CLOCK): $(addprefix $(BUILD)/obj/preload/base/, clock_read.o launch_state.o)
	@mkdir -p $(@D)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^
# What several of them use: of it each has what it calls.
TEST_ARCHIVE := $(BUILD)/tests/unit/libtests.a
$(TEST_ARCHIVE): $(patsubst %, $(BUILD)/obj/tests/unit/%.o, tests caught golden no_run page_text perfetto_text printed records terminal \
		whole_profile)
	@mkdir -p $(@D)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^
UNIT_TESTS := $(patsubst tests/unit/%.c, $(BUILD)/tests/unit/%, $(wildcard tests/unit/test_*.c))

# Of an object a test needs what the functions that it tests call: the others are not in its program.
UNIT_LINK = $(LINK) -Wl,--gc-sections

# The report, of which a program is linked with what it calls.
REPORT_ARCHIVE := $(BUILD)/tests/unit/libreport.a
$(REPORT_ARCHIVE): $(REPORT_LIBRARY_OBJECTS) $(filter-out $(BUILD)/obj/report/command/main.o, $(REPORT_COMMAND_OBJECTS))
	@mkdir -p $(@D)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^

# The tests themselves need not be fast, and compile in half the time.
$(BUILD)/obj/tests/unit/%.o: OBJECT_CFLAGS += -O0
$(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o $(REPORT_ARCHIVE) $(TEST_ARCHIVE) | $(KERNEL_CLOCK)
	@mkdir -p $(@D)
	$(UNIT_LINK) $(UNIT_LEAKS) $(filter %.o, $^) $(TEST_ARCHIVE) $(REPORT_ARCHIVE) $(KERNEL_CLOCK) -lcmocka -lcjson $(REPORT_COMMAND_LIBRARIES) -o $@

# What the tests of the command have session files made by.
SESSION_OF_RECORDS := $(BUILD)/tests/command/session_of_records
MERGE_MANY := $(BUILD)/tests/command/merge_many
.PHONY: command-programs
command-programs: $(SESSION_OF_RECORDS) $(MERGE_MANY) $(BUILD)/bench/many_records $(OLD_GLIBC_COMMAND)
$(SESSION_OF_RECORDS): $(addprefix $(BUILD)/obj/tests/, command/session_of_records.o unit/records.o) \
		$(REPORT_LIBRARY_OBJECTS)
	@mkdir -p $(@D)
	$(LINK) $^ $(REPORT_LIBRARIES) -lm -o $@

$(MERGE_MANY): $(BUILD)/obj/tests/command/merge_many.o \
		$(filter-out $(BUILD)/obj/report/command/main.o, $(REPORT_COMMAND_OBJECTS)) $(REPORT_LIBRARY_OBJECTS)
	@mkdir -p $(@D)
	$(LINK) $^ $(REPORT_COMMAND_LIBRARIES) -o $@

# These are linked with the object that they test alone: the test defines what it calls.
$(BUILD)/tests/unit/test_sampling: $(BUILD)/obj/preload/events/sampling.o
$(BUILD)/tests/unit/test_gate: $(BUILD)/obj/preload/events/gates.o
$(BUILD)/tests/unit/test_cost: $(BUILD)/obj/preload/collector/cost.o
$(BUILD)/tests/unit/test_event_pool: $(BUILD)/obj/preload/events/event_pool.o
$(BUILD)/tests/unit/test_ranges: $(patsubst %.c, $(BUILD)/obj/%.o, $(filter-out %/injection.c, $(wildcard preload/nvtx/*.c)) preload/base/clock.c preload/base/plan.c)
$(BUILD)/tests/unit/test_range_threads: $(addprefix $(SIM_OBJECTS)/clock/preload/nvtx/, range_thread.o names.o)
$(BUILD)/tests/unit/test_range_times: $(patsubst %.c, $(SIM_OBJECTS)/clock/%.o, $(filter-out %/injection.c, $(wildcard preload/nvtx/*.c))) $(BUILD)/obj/preload/base/plan.o
$(BUILD)/tests/unit/test_window_times: $(BUILD)/obj/preload/recording/recording.o
$(BUILD)/tests/unit/test_window_records: $(BUILD)/obj/preload/recording/recording.o
$(BUILD)/tests/unit/test_window_check: $(BUILD)/obj/preload/recording/recording.o
$(BUILD)/tests/unit/test_started: $(addprefix $(BUILD)/obj/preload/nvtx/, ranges.o range_thread.o names.o) $(BUILD)/obj/preload/base/clock.o
$(BUILD)/tests/unit/test_rows: $(addprefix $(BUILD)/obj/preload/, recording/rows.o driver/entries.o)
$(BUILD)/tests/unit/test_graph_launches: $(addprefix $(BUILD)/obj/preload/collector/, records.o match.o) $(BUILD)/obj/preload/events/in_flight.o
$(addprefix $(BUILD)/tests/unit/, test_interval_set test_timeline test_causes test_host_calls test_window_use): \
	$(addprefix $(BUILD)/obj/preload/, timeline/timeline.o timeline/window_use.o timeline/use_estimate.o)
$(addprefix $(BUILD)/tests/unit/, test_timeline test_host_calls test_window_use): $(addprefix $(BUILD)/obj/preload/, driver/entries.o base/pauses.o)
$(BUILD)/tests/unit/test_window_use: $(BUILD)/obj/preload/recording/recording.o
$(BUILD)/tests/unit/test_allocations: $(SIM_OBJECTS)/clock/preload/memory/allocations.o \
	$(addprefix $(BUILD)/obj/preload/memory/, holdings.o)
$(BUILD)/tests/unit/test_graph: $(patsubst %, $(BUILD)/obj/preload/handles/%.o, graph graph_contents graph_nodes instantiation operation)
$(BUILD)/tests/unit/test_holdings: $(addprefix $(BUILD)/obj/preload/memory/, holdings.o)
$(BUILD)/tests/unit/test_held_trace: $(BUILD)/obj/preload/memory/holdings.o
$(BUILD)/tests/unit/test_array_bytes: $(BUILD)/obj/preload/memory/allocations.o
$(BUILD)/tests/unit/test_measured: $(BUILD)/obj/preload/events/calibration.o
$(addprefix $(BUILD)/tests/unit/, test_windows_sums test_windows_totals test_windows_versions): $(addprefix $(BUILD)/obj/preload/recording/, sums.o window_estimate.o)
$(addprefix $(BUILD)/tests/unit/, test_window_estimate test_estimates): $(BUILD)/obj/preload/recording/window_estimate.o
$(BUILD)/tests/unit/test_describe: $(addprefix $(BUILD)/obj/preload/, launch/describe.o handles/operation.o)
$(BUILD)/tests/unit/test_last_report: $(BUILD)/obj/preload/reporter/last_report.o
$(BUILD)/tests/unit/test_background_thread: $(BUILD)/obj/preload/base/background_thread.o
$(BUILD)/tests/unit/test_concurrency: $(BUILD)/obj/preload/collector/cost.o
$(BUILD)/tests/unit/test_pointer_map: $(BUILD)/obj/preload/base/pointer_map.o
$(BUILD)/tests/unit/test_unknown_entries: $(BUILD)/obj/preload/driver/driver.o

HASHED := $(addprefix $(BUILD)/tests/unit/libhashed_,gnu.so sysv.so)
$(HASHED): $(BUILD)/tests/unit/libhashed_%.so: $(BUILD)/obj/tests/unit/hashed.o
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,--hash-style=$* $^ -o $@
$(BUILD)/tests/unit/test_elf_symbol: $(BUILD)/obj/preload/driver/elf_symbol.o | $(HASHED)
$(BUILD)/tests/unit/test_operation: $(BUILD)/obj/preload/handles/operation.o
$(BUILD)/tests/unit/test_event_queue: $(addprefix $(BUILD)/obj/preload/events/, event_queue.o in_flight.o)
$(BUILD)/tests/unit/test_other_streams: $(BUILD)/obj/preload/events/in_flight.o
$(BUILD)/tests/unit/test_match: $(addprefix $(BUILD)/obj/preload/collector/, match.o) $(BUILD)/obj/preload/events/in_flight.o

# Those of cupti/ find the simulated libcupti through CUDA_HOME.
$(BUILD)/tests/unit/test_cupti_%: $(BUILD)/obj/tests/unit/test_cupti_%.o \
		$(patsubst %.c, $(BUILD)/obj/%.o, $(wildcard cupti/*.c) \
		preload/hooks/cupti_symbols.c preload/base/plan.c) $(REPORT_ARCHIVE) $(TEST_ARCHIVE) | $(SIM)/toolkit/lib64/libcupti.so.13 $(KERNEL_CLOCK)
	@mkdir -p $(@D)
	$(UNIT_LINK) $(UNIT_LEAKS) $(filter %.o, $^) $(TEST_ARCHIVE) $(REPORT_ARCHIVE) $(KERNEL_CLOCK) -lcmocka $(REPORT_LIBRARIES) -lm -o $@

# Finds the simulated NVML, also where a sanitizer calls dlopen in its place.
$(BUILD)/tests/unit/test_nvml_devices: private LDFLAGS += -Wl,--disable-new-dtags,-rpath,$(abspath $(SIM)/lib)
$(BUILD)/tests/unit/test_nvml_devices: | $(SIM)/lib/libnvidia-ml.so.1

# Kept, so that only what changed is built again.
.SECONDARY: $(UNIT_TESTS:$(BUILD)/%=$(BUILD)/obj/%.o)

# One line a program; what a program says is shown only where it failed.
.PHONY: unit-tests
unit-tests: $(UNIT_TESTS)
	@failed=0; for program in $(UNIT_TESTS); do \
		if output=$$(timeout -k 10 300 $$program 2>&1); then \
			echo "ok $${program##*/}"; \
		else \
			echo "not ok $${program##*/}"; echo "$$output"; failed=1; \
		fi; \
	done; exit $$failed
