# SPDX-License-Identifier: MIT
# The library, the command, the simulated device and the tests' programs under AddressSanitizer with
# UndefinedBehaviorSanitizer, and under ThreadSanitizer: builds of their own, whose tests are run
# where they are.

.PHONY: check-asan check-tsan unit-test-programs
unit-test-programs: $(UNIT_TESTS)

check-asan:
	+@tests/sanitizers/check.sh address build/asan
check-tsan:
	+@tests/sanitizers/check.sh thread build/tsan
