# SPDX-License-Identifier: MIT
# A command and a library for other machines: SQLite, zlib and libiberty are inside, and nothing asks
# for a glibc newer than 2.28. The folder may be copied as it is: the command finds the library beside it.

PORTABLE := $(BUILD)/portable

.PHONY: portable
portable: $(PORTABLE)/ktime $(PORTABLE)/libktime.so
	@tests/structure/glibc.sh $(PORTABLE)/ktime
	@tests/structure/glibc.sh $(PORTABLE)/libktime.so

$(PORTABLE)/ktime: $(REPORT_LIBRARY_OBJECTS) $(REPORT_COMMAND_OBJECTS) $(BUILD)/obj/report/old_glibc.o
	@mkdir -p $(@D)
	$(LINK) -s -Wl,--gc-sections $^ -l:libsqlite3.a -l:libz.a -l:libncursesw.a -l:libtinfo.a -l:libiberty.a $(GLIBC_PARTS) -lm -o $@

# The portable command with the shared libraries of this machine, whose own needs do not count: held to glibc 2.28
# on machines too that lack the static ones.
OLD_GLIBC_COMMAND := $(BUILD)/tests/command/old_glibc_ktime
$(OLD_GLIBC_COMMAND): $(REPORT_LIBRARY_OBJECTS) $(REPORT_COMMAND_OBJECTS) $(BUILD)/obj/report/old_glibc.o
	@mkdir -p $(@D)
	$(LINK) -s -Wl,--gc-sections $^ $(GLIBC_PARTS) $(REPORT_COMMAND_LIBRARIES) -o $@

$(BUILD)/obj/report/old_glibc.o: preload/base/old_glibc.S $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) -DKTIME_COMMAND -fPIC -c $< -o $@

$(PORTABLE)/libktime.so: $(BUILD)/libktime.so
	@mkdir -p $(@D)
	$(call say,STRIP)$(shell $(CC) -print-prog-name=strip) --strip-unneeded $< -o $@
