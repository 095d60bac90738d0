# SPDX-License-Identifier: MIT

# What libktime.so needs of the report.
REPORT_LIBRARY_SOURCES := $(filter-out report/sheet/sheet_markup.c, \
	$(wildcard $(addprefix report/, session/*.c devices/*.c options/*.c names/*.c \
	rates/*.c findings/*.c energy/*.c print/*.c prometheus/*.c sheet/*.c)))
REPORT_LIBRARY_SOURCES += $(wildcard report/ranges/*.c)

# What only the command needs.
REPORT_COMMAND_SOURCES := $(filter-out $(REPORT_LIBRARY_SOURCES), $(wildcard report/*/*.c))

REPORT_LIBRARY_OBJECTS := $(REPORT_LIBRARY_SOURCES:%.c=$(BUILD)/obj/%.o)
REPORT_COMMAND_OBJECTS := $(REPORT_COMMAND_SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/report/command/assets.o
$(BUILD)/obj/report/command/assets.o: $(wildcard report/html/*.css report/html/*.js report/export/*.json)
REPORT_LIBRARIES := -l:libiberty.a

# CUDA's calls by the numbers and names that the toolkit's CUPTI has for them.
CALL_NAMES := $(BUILD)/include/call_names.def
$(CALL_NAMES): report/names/call_names.awk $(BUILD)/flags | toolkit
	@mkdir -p $(@D)
	$(Q)awk -f $< $(CUPTI_INCLUDE)cupti_driver_cbid.h $(CUPTI_INCLUDE)cupti_runtime_cbid.h >$@
$(BUILD)/obj/report/names/call_names.o: $(CALL_NAMES)

REPORT_COMMAND_LIBRARIES := -lsqlite3 -lz -lncursesw -ltinfo $(REPORT_LIBRARIES) -lpthread -lm

.PHONY: command
command: $(BUILD)/ktime

$(BUILD)/ktime: $(REPORT_LIBRARY_OBJECTS) $(REPORT_COMMAND_OBJECTS)
	$(LINK) $^ $(REPORT_COMMAND_LIBRARIES) -o $@
