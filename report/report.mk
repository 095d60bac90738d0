# SPDX-License-Identifier: MIT

# What libktime.so needs of the report.
REPORT_LIBRARY_SOURCES := $(addprefix report/, agreement.c closing.c demangle.c filename.c \
	estimate.c filter.c histogram.c histogram_text.c log_file.c number.c options.c options_table.c \
	options_value.c report.c session_bias.c session_map.c session_read.c session_write.c summary.c table.c \
	trace.c trace_csv.c trace_text.c) $(wildcard report/nsys_*.c)

# What only the command needs.
REPORT_COMMAND_SOURCES := $(filter-out $(REPORT_LIBRARY_SOURCES), $(wildcard report/*.c))

REPORT_LIBRARY_OBJECTS := $(REPORT_LIBRARY_SOURCES:%.c=$(BUILD)/obj/%.o)
REPORT_COMMAND_OBJECTS := $(REPORT_COMMAND_SOURCES:%.c=$(BUILD)/obj/%.o)
REPORT_LIBRARIES := -l:libiberty.a

# Square roots by the processor: libktime.so links no libm.
$(REPORT_LIBRARY_OBJECTS): OBJECT_CFLAGS += -fno-math-errno
REPORT_COMMAND_LIBRARIES := -lsqlite3 -lcjson $(REPORT_LIBRARIES) -lm

.PHONY: command
command: $(BUILD)/ktime

$(BUILD)/ktime: $(REPORT_LIBRARY_OBJECTS) $(REPORT_COMMAND_OBJECTS)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(REPORT_COMMAND_LIBRARIES) -o $@
