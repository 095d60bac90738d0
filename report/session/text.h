/* SPDX-License-Identifier: MIT */
/* Text that is written to memory, by open_memstream(). */
#ifndef KTIME_REPORT_SESSION_TEXT_H
#define KTIME_REPORT_SESSION_TEXT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Closes the file, which is NULL if it could not be opened. 0, or -ENOMEM with no text. */
static inline int text_close(FILE *file, char **text)
{
	/* Closing returns 0 where it had no memory for the text. */
	if (file && fclose(file) == 0 && *text)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

#endif
