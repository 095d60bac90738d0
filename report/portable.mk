# SPDX-License-Identifier: MIT
# A command and a library for other machines: SQLite, cJSON, zlib and libiberty are inside, and nothing asks
# for a glibc newer than 2.28. The folder may be copied as it is: the command finds the library beside it.

PORTABLE := $(BUILD)/portable

# Few distributions have cJSON as a static library. Where there is none, it is built from its source:
# that in CJSON_SOURCE, or else of this release.
CJSON_SOURCE ?=
CJSON_URL := https://raw.githubusercontent.com/DaveGamble/cJSON/v1.7.18
define CJSON_SUMS
75c51de8fa40ac9d7a99319c6330719bd692eb81c0a869265f3d4c682533f9b9  cJSON.c
0578cc29132912edbc88f83207a8fc76e5db3db0605497e909a9384ef3cc474b  cJSON.h
endef
CJSON_ARCHIVE := $(if $(CJSON_SOURCE),,$(filter /%,$(shell $(CC) -print-file-name=libcjson.a)))
CJSON_FOLDER := $(or $(CJSON_SOURCE),$(BUILD)/cjson)
CJSON := $(or $(CJSON_ARCHIVE),$(BUILD)/obj/cJSON.o)

.PHONY: portable
portable: $(PORTABLE)/ktime $(PORTABLE)/libktime.so
	@tests/structure/glibc.sh $(PORTABLE)/ktime
	@tests/structure/glibc.sh $(PORTABLE)/libktime.so

$(PORTABLE)/ktime: $(REPORT_LIBRARY_OBJECTS) $(REPORT_COMMAND_OBJECTS) $(BUILD)/obj/report/old_glibc.o $(CJSON)
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
	$(CC) $(CPPFLAGS) -DKTIME_COMMAND -fPIC -c $< -o $@

$(PORTABLE)/libktime.so: $(BUILD)/libktime.so
	@mkdir -p $(@D)
	strip --strip-unneeded $< -o $@

$(BUILD)/obj/cJSON.o: $(CJSON_FOLDER)/cJSON.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fPIC -c $< -o $@

export CJSON_SUMS
$(BUILD)/cjson/cJSON.c:
	@mkdir -p $(@D)
	cd $(@D) && curl -fsSLO $(CJSON_URL)/cJSON.h -O $(CJSON_URL)/cJSON.c && \
		echo "$$CJSON_SUMS" | sha256sum --check --quiet || { rm -f cJSON.[ch]; \
		echo "ktime: no source of cJSON: download $(CJSON_URL)/cJSON.c and cJSON.h, and run" \
			"make portable CJSON_SOURCE=their folder" >&2; exit 1; }
