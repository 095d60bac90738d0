# SPDX-License-Identifier: MIT
# Debian packages (libktime, ktime) and a tar archive that runs wherever it is unpacked.

.PHONY: deb tarball
deb: library command
	@packaging/deb.sh $(BUILD) $(VERSION)

# Of the portable build.
tarball: portable
	@packaging/tarball.sh $(BUILD) $(VERSION)
