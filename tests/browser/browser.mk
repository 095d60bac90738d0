# SPDX-License-Identifier: MIT

# Makes the profiles whose pages are shown to a browser.
$(BUILD)/tests/browser/profiles: $(addprefix $(BUILD)/obj/tests/, browser/profiles.o unit/whole_profile.o) \
		$(filter-out $(BUILD)/obj/report/command/main.o, $(REPORT_COMMAND_OBJECTS)) $(REPORT_LIBRARY_OBJECTS)
	@mkdir -p $(@D)
	$(LINK) $^ -lcmocka $(REPORT_COMMAND_LIBRARIES) -o $@

command-programs: $(BUILD)/tests/browser/profiles
