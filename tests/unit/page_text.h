/* SPDX-License-Identifier: MIT */
/* A page of HTML as a test reads it. */
#ifndef KTIME_TESTS_UNIT_PAGE_TEXT_H
#define KTIME_TESTS_UNIT_PAGE_TEXT_H

#include "report/compare/compare.h"
#include "report/session/session.h"

/* The page of a session under options as a user writes them; the caller frees it. */
char *page_text(struct session *session, const char *words);
/* That of a comparison. */
char *comparison_page_text(const struct comparison *comparison);

#endif
