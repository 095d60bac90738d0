# SPDX-License-Identifier: MIT
# Debian packages (libktime, ktime), a tar archive that runs wherever it is unpacked, and a Python wheel.

.PHONY: deb tarball wheel wheel-check
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

# That it runs where its name says: needs no symbol of a newer glibc, and no library but glibc's.
wheel-check: wheel
	@$(WHEEL_TOOLS)/bin/auditwheel show $(BUILD)/ktime-$(VERSION)-*.whl | tr '\n' ' ' | \
		grep -o 'is consistent with the following platform tag: "manylinux_2_28_[a-z0-9_]*"'
