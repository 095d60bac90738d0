# SPDX-License-Identifier: MIT
# The library, the command, the simulated device and the tests' programs under AddressSanitizer with
# UndefinedBehaviorSanitizer, and under ThreadSanitizer: builds of their own, whose tests are run
# where they are.

SANITIZE_address := -fsanitize=address,undefined -fno-sanitize-recover=undefined
SANITIZE_thread := -fsanitize=thread

ifdef SANITIZE
CC += $(SANITIZE_$(SANITIZE))
CXX += $(SANITIZE_$(SANITIZE))
# gcc takes more for truncated where checks stand between the statements.
CFLAGS := -O1 -g -fno-omit-frame-pointer -Wno-format-truncation
# The sanitizers' own start looks symbols up, through the library, before instrumented code may run.
$(addprefix $(BUILD)/obj/preload/,hooks/lookup.o driver/elf_symbol.o): OBJECT_CFLAGS += -fno-sanitize=all
endif

.PHONY: check-asan check-tsan unit-test-programs
unit-test-programs: $(UNIT_TESTS)

check-asan:
	+@tests/sanitizers/check.sh address build/asan
check-tsan:
	+@tests/sanitizers/check.sh thread build/tsan
