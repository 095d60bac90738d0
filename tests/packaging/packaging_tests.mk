# SPDX-License-Identifier: MIT
# The wheel in distributions that have Python and nothing else. Needs root, debootstrap and the network.

ROOTS := $(BUILD)/roots
ROOT_SUITES ?= trixie bookworm bullseye

.PHONY: root-check
root-check: wheel $(addprefix $(ROOTS)/simulated/,libcuda.so.1 libcupti.so.13)
	@tests/packaging/roots.sh $(BUILD) $(BUILD)/ktime-$(VERSION)-*.whl $(ROOT_SUITES)

# The simulated device for a glibc as old as the portable build's.
$(ROOTS)/simulated/libcuda.so.1: $(call sim_objects,driver) $(SIM_OBJECTS)/driver/not_supported.o $(SIM_OBJECTS)/driver/host_kernel.cc.o
$(ROOTS)/simulated/libcupti.so.13: $(call sim_objects,cupti)
$(ROOTS)/simulated/%: $(BUILD)/obj/report/old_glibc.o
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,$(@F) -Wl,-Bsymbolic -Wl,--gc-sections $(NO_UNDEFINED) $^ $(GLIBC_PARTS) -lm -o $@
	@tests/structure/glibc.sh $@
