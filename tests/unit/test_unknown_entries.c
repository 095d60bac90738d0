/* SPDX-License-Identifier: MIT */
/* Each function of a newer driver that a program looked up is remembered once, and not too many. */
#include "preload/driver/driver.h"
#include "tests/unit/test.h"

TEST(each_name_is_remembered_once)
{
	char name[32];

	assert_null(driver_unknown_entry(0));
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 16; i++) {
			snprintf(name, sizeof(name), "cuNew%d", i);
			driver_note_unknown(name);
		}
	driver_note_unknown("cuOneTooMany");
	for (unsigned i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "cuNew%u", i);
		assert_string_equal(driver_unknown_entry(i), name);
	}
	assert_null(driver_unknown_entry(16));
	assert_null(driver_unknown_entry(UINT32_MAX));
}
