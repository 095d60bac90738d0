# SPDX-License-Identifier: MIT
# How many of COUNT small changes of the sources the tests notice; the same ones for the same SEED.
# What was tried is kept in MUTANTS, so that it can be ended at any time and taken up again.

SEED ?= 1
COUNT ?= 100
MUTANTS ?= $(BUILD)/mutants

.PHONY: mutants
mutants: toolkit packages
	@tests/mutants/mutants.py --seed $(SEED) --count $(COUNT) --folder $(abspath $(MUTANTS))
