# SPDX-License-Identifier: MIT
# Debian packages (libktime, ktime), a tar archive that runs wherever it is unpacked, and Python wheels.

.PHONY: deb tarball wheel wheel-check wheel-aarch64 aarch64-build aarch64-check
deb: library $(OLD_GLIBC_COMMAND)
	@packaging/deb.sh $(BUILD) $(VERSION) $(OLD_GLIBC_COMMAND)

# Of the portable build.
tarball: portable
	@packaging/tarball.sh $(BUILD) $(VERSION)

# The tools that pack and check a wheel, from PyPI.
WHEEL_TOOLS := $(BUILD)/wheel-tools
$(WHEEL_TOOLS)/installed: packaging/python/tools.txt
	@rm -rf $(@D)
	$(Q)python3 -m venv $(@D)
	$(Q)$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

wheel: portable $(WHEEL_TOOLS)/installed
	@packaging/wheel.sh $(BUILD) $(VERSION) $(WHEEL_TOOLS)/bin/python

# That they run where their names say: need no symbol of a newer glibc, and no library but glibc's.
wheel-check: wheel
	@for wheel in $(BUILD)/ktime-$(VERSION)-*.whl $(BUILD)/aarch64/ktime-$(VERSION)-*.whl; do \
		[ ! -e $$wheel ] || $(WHEEL_TOOLS)/bin/auditwheel show $$wheel | tr '\n' ' ' | \
			grep -o 'is consistent with the following platform tag: "manylinux_2_28_[a-z0-9_]*"' || exit; \
	done

# For aarch64, by Debian's cross compiler (gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu).
AARCH64 := $(BUILD)/aarch64
AARCH64_SYSTEM := $(abspath $(AARCH64))/system
AARCH64_MAKE = $(MAKE) --no-print-directory BUILD=$(AARCH64) CC='$(filter ccache,$(CC)) aarch64-linux-gnu-gcc' \
	CXX=aarch64-linux-gnu-g++ CPPFLAGS='-isystem $(AARCH64_SYSTEM)/usr/include' \
	LDFLAGS='-L$(AARCH64_SYSTEM)/usr/lib/aarch64-linux-gnu'
$(AARCH64_SYSTEM)/usr/include/sqlite3.h:
	@packaging/aarch64.sh $(AARCH64_SYSTEM)

aarch64-build: $(AARCH64_SYSTEM)/usr/include/sqlite3.h
	+@$(AARCH64_MAKE) portable

wheel-aarch64: aarch64-build $(WHEEL_TOOLS)/installed
	@packaging/wheel.sh $(AARCH64) $(VERSION) $(WHEEL_TOOLS)/bin/python

# Every wrapper, and what calls take, on the simulated device under qemu-aarch64.
aarch64-check: aarch64-build
	+@$(AARCH64_MAKE) sim-libraries library $(addprefix $(AARCH64)/sim/,programs/entries \
		preload/api_times workloads/saxpy_driver)
	@tests/packaging/aarch64.sh $(AARCH64)
