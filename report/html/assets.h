/* SPDX-License-Identifier: MIT */
/* The files of this folder that are part of every page, as they stand in it. */
#ifndef KTIME_REPORT_HTML_ASSETS_H
#define KTIME_REPORT_HTML_ASSETS_H

#include <stddef.h>

extern const char page_css[], page_js[], timeline_js[];
extern const size_t page_css_size, page_js_size, timeline_js_size;

#endif
