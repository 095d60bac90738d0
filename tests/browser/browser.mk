# SPDX-License-Identifier: MIT

# Makes the profiles whose pages are shown to a browser.
$(BUILD)/tests/browser/profiles: $(addprefix $(BUILD)/obj/tests/, browser/profiles.o unit/whole_profile.o) \
		$(filter-out $(BUILD)/obj/report/command/main.o, $(REPORT_COMMAND_OBJECTS)) $(REPORT_LIBRARY_OBJECTS)
	@mkdir -p $(@D)
	$(LINK) $^ -lcmocka $(REPORT_COMMAND_LIBRARIES) -o $@

command-programs: $(BUILD)/tests/browser/profiles

# The page of a trace of a million records: what is asked of the short one, and how long frames take.
.PHONY: pages-check
pages-check: $(BUILD)/ktime $(BUILD)/tests/browser/profiles
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	tests/browser/make_pages.sh $(BUILD) "$$folder" 1000000 && \
	python3 tests/browser/pages.py "$$folder" timeline frames >"$$folder/results" && \
	cat "$$folder/results" && ! grep -q '^not ok' "$$folder/results"
