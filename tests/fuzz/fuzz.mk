# SPDX-License-Identifier: MIT
# What ktime reads, from changed inputs: see fuzz.c. `make check` runs it under AddressSanitizer with
# the same inputs each time; `make fuzz` has libFuzzer look for FUZZ_SECONDS with each reader.

FUZZ_SECONDS ?= 600
FUZZ_INPUTS ?= 2000
FUZZ_READERS := profile csv sqlite options activity names merged layout
FUZZ_SOURCES := $(addprefix cupti/, activity.c library.c) $(filter-out report/command/main.c, \
	$(REPORT_LIBRARY_SOURCES) $(REPORT_COMMAND_SOURCES))

$(BUILD)/tests/fuzz/fuzz: $(addprefix $(BUILD)/obj/, tests/fuzz/fuzz.o tests/fuzz/merged.o $(FUZZ_SOURCES:.c=.o) report/command/assets.o)
	@mkdir -p $(@D)
	$(LINK) $^ $(REPORT_COMMAND_LIBRARIES) -o $@

$(BUILD)/tests/fuzz/libfuzzer: tests/fuzz/fuzz.c tests/fuzz/merged.c $(FUZZ_SOURCES) report/command/assets.S | toolkit $(CALL_NAMES)
	@mkdir -p $(@D)
	$(call say,LD)clang $(KTIME_CPPFLAGS) -DFUZZ_LIBFUZZER -std=gnu11 -O1 -g -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined $^ $(REPORT_COMMAND_LIBRARIES) -o $@

.PHONY: fuzz fuzz-check
fuzz-check: $(BUILD)/tests/fuzz/fuzz
	@printf '%s\n' $(FUZZ_READERS) | xargs -P$(JOBS:-j%=%) -I{} sh -c \
		'timeout 120 $< {} $(FUZZ_INPUTS) $$(ls tests/fuzz/corpus/{}/* 2>/dev/null)'

fuzz: $(BUILD)/tests/fuzz/libfuzzer $(BUILD)/tests/fuzz/fuzz
	@for reader in $(FUZZ_READERS); do \
		mkdir -p $(BUILD)/fuzz/$$reader; \
		TMPDIR=$(BUILD) $(BUILD)/tests/fuzz/fuzz $$reader make $(BUILD)/fuzz/$$reader/made || exit; \
		FUZZ_READER=$$reader $< -max_total_time=$(FUZZ_SECONDS) -timeout=20 -max_len=2000000 \
			-artifact_prefix=$(BUILD)/fuzz/$$reader- $(BUILD)/fuzz/$$reader \
			$$(ls -d tests/fuzz/corpus/$$reader 2>/dev/null) || exit; \
	done
