/* SPDX-License-Identifier: MIT */
/* Each test has a folder of its own, in which it leaves nothing but, maybe, a file of that path. */
#ifndef KTIME_TESTS_UNIT_ONE_FOLDER_H
#define KTIME_TESTS_UNIT_ONE_FOLDER_H

#include <unistd.h>

#include "tests/unit/test.h"

static char folder[40], path[64];

BEFORE_EACH
{
	strcpy(folder, "/tmp/ktime-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
}

AFTER_EACH
{
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

#endif
