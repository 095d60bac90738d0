/* SPDX-License-Identifier: MIT */
#include "tests/unit/caught.h"

#include <unistd.h>

#include "tests/unit/test.h"

char said[65536], complaint[4096];

static FILE *files[2];
static int before[2];

void catch_begin(bool together)
{
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		files[i] = tmpfile();
		before[i] = dup(STDOUT_FILENO + i);
		assert_true(files[i] && before[i] >= 0);
		assert_true(dup2(fileno(files[together ? 0 : i]), STDOUT_FILENO + i) >= 0);
	}
}

static void take(int i, char *text, size_t size)
{
	ssize_t length = pread(fileno(files[i]), text, size - 1, 0);

	text[length > 0 ? length : 0] = '\0';
	dup2(before[i], STDOUT_FILENO + i);
	close(before[i]);
	fclose(files[i]);
}

void catch_end(void)
{
	fflush(NULL);
	take(0, said, sizeof(said));
	take(1, complaint, sizeof(complaint));
}
