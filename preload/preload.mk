# SPDX-License-Identifier: MIT

PRELOAD_SOURCES := $(wildcard preload/*/*.c) preload/hooks/lookup_stub.S
CUPTI_SOURCES := $(wildcard cupti/*.c)

LIBRARY_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(PRELOAD_SOURCES:%.S=%.c) $(CUPTI_SOURCES) \
	$(REPORT_LIBRARY_SOURCES))

.PHONY: library
library: $(BUILD)/libktime.so

# The version script keeps what comes in with libiberty hidden. It is anonymous on purpose: under a
# named version the loader would pass the interposed dlsym by without a word.
$(BUILD)/libktime.so: $(LIBRARY_OBJECTS) preload/exports.map
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libktime.so -Wl,-z,defs -Wl,-z,now \
		-Wl,--version-script=preload/exports.map $(LIBRARY_OBJECTS) -l:libiberty.a -ldl -lpthread -o $@
