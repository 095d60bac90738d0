# SPDX-License-Identifier: MIT
# How many of COUNT small changes of the sources the tests notice; the same ones for the same SEED.
# What was tried is kept in MUTANTS, so that it can be ended at any time and taken up again.
# MUTANT_JOBS are tried at a time, each with as many tests as take SECONDS together; survivors once
# more under sanitizers.

SEED ?= 1
COUNT ?= 100
MUTANTS ?= $(BUILD)/mutants
SECONDS ?= 60
MUTANT_JOBS ?= $(JOBS:-j%=%)

.PHONY: mutants
mutants: toolkit packages
	@tests/mutants/mutants.py --seed $(SEED) --count $(COUNT) --folder $(abspath $(MUTANTS)) \
		--jobs $(MUTANT_JOBS) --seconds $(SECONDS)

# A build of its own tells which test reaches which line: each basic block notes that it has run.
ifdef COVERAGE_BUILD
COVERAGE_OBJECT := $(BUILD)/obj/tests/mutants/coverage.o
COVERED := $(BUILD)/libktime.so $(VIRTUAL) $(BUILD)/ktime $(UNIT_TESTS) $(SESSION_OF_RECORDS) $(MERGE_MANY) \
	$(BUILD)/bench/many_records $(BUILD)/tests/browser/profiles $(OLD_GLIBC_COMMAND)
$(addprefix $(BUILD)/obj/,preload/% cupti/% report/% tests/sim/clock/preload/%): OBJECT_CFLAGS += -O0 -g -fsanitize-coverage=trace-pc
$(COVERED): private LDFLAGS += $(COVERAGE_OBJECT)
$(COVERED): | $(COVERAGE_OBJECT)
endif
