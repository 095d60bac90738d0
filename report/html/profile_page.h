/* SPDX-License-Identifier: MIT */
/* `ktime show --html`: a profile as one page. */
#ifndef KTIME_REPORT_HTML_PROFILE_PAGE_H
#define KTIME_REPORT_HTML_PROFILE_PAGE_H

#include <stddef.h>

#include "report/options/options.h"
#include "report/session/session.h"

/*
 * Writes the page of a profile, of one process or merged, to `path` ("-": standard output), which
 * must not be there unless the options say to overwrite it. 0, or -errno with a one-line message.
 * One thread at a time.
 */
int profile_page_write(struct session *session, const struct options *options, const char *path,
		       char *message, size_t size);

#endif
