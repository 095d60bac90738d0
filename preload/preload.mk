# SPDX-License-Identifier: MIT

PRELOAD_SOURCES := $(wildcard preload/*/*.c preload/*/*.S)
CUPTI_SOURCES := $(wildcard cupti/*.c cupti/*/*.c)

LIBRARY_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(PRELOAD_SOURCES:%.S=%.c) $(CUPTI_SOURCES) \
	$(REPORT_LIBRARY_SOURCES))
LIBRARY_OBJECTS += $(BUILD)/obj/preload/events/self_timing_fatbin.o
# A sanitizer has functions of glibc's names too, which the old versions' would be mixed up with.
ifneq ($(SANITIZERS),)
LIBRARY_OBJECTS := $(filter-out %/old_glibc.o,$(LIBRARY_OBJECTS))
endif

# The kernel that measures event pairs: real code for all devices that the toolkit knows.
$(BUILD)/obj/preload/events/self_timing.fatbin: preload/events/self_timing.cu | toolkit
	@mkdir -p $(@D)
	$(call say,NVCC,$<)$(NVCC) -arch=all-major -fatbin $< -o $@

$(BUILD)/obj/preload/events/self_timing_fatbin.o: $(BUILD)/obj/preload/events/self_timing.fatbin
	$(Q)$(dir $(NVCC))bin2c --const --type longlong --padd 0 --name self_timing_fatbin $< >$(@:.o=.c)
	$(Q)$(CC) -fPIC -fvisibility=hidden -c $(@:.o=.c) -o $@

.PHONY: library
library: $(BUILD)/libktime.so

# Where glibc has dlopen and pthread_create, before 2.34; asked for by file, for a newer one has stubs
# alone under these names, which nothing seems to need.
GLIBC_PARTS := -Wl,--push-state,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--pop-state

# The version script keeps what comes in with libiberty hidden. It is anonymous on purpose: under a
# named version the loader would pass the interposed dlsym by without a word. What ktime hands out are
# its own functions, also where the program has symbols of the same names: -Bsymbolic-functions. Only a
# build without optimization needs libm, for square roots. For --gc-sections see
# preload/base/old_glibc.S.
$(BUILD)/libktime.so: $(LIBRARY_OBJECTS) preload/exports.map
	$(LINK) -shared -Wl,-soname,libktime.so $(NO_UNDEFINED) -Wl,-z,now -Wl,--gc-sections \
		-Wl,-Bsymbolic-functions -Wl,--version-script=preload/exports.map $(LIBRARY_OBJECTS) \
		-l:libiberty.a $(GLIBC_PARTS) -Wl,--as-needed -lm -o $@

# A sanitizer's runtime looks functions up, by way of the library, before instrumented code may run.
$(addprefix $(BUILD)/obj/preload/,hooks/lookup.o driver/elf_symbol.o): OBJECT_CFLAGS += -fno-sanitize=all

# What runs on the program's threads, whose stacks may be small: 16 KiB is the least that pthreads has.
# A sanitizer's frames are larger; ranges.c is the collector's.
ifeq ($(SANITIZERS),)
ON_PROGRAM_THREADS := base driver handles events nvtx launch lifecycle hooks
$(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out %/ranges.c,$(wildcard \
	$(ON_PROGRAM_THREADS:%=preload/%/*.c)))): OBJECT_CFLAGS += -Wframe-larger-than=1024
endif
