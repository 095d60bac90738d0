/* SPDX-License-Identifier: MIT */
/*
 * The names of NVTX domains and ranges, each kept once, under a small number that stands for it.
 * Looking a name up that is known takes no lock; adding one takes a lock. Any thread.
 */
#ifndef KTIME_PRELOAD_NVTX_NAMES_H
#define KTIME_PRELOAD_NVTX_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "report/session/items.h"

/* Further domains share the last number, and further names of any domain have number 0. Chosen. */
#define NAMES_DOMAINS 64u
#define NAMES_RANGES  32768u
/* Bytes of a range's name that are kept. Chosen. */
#define NAMES_LENGTH  511u

struct range_name {
	const char *text;
	uint8_t domain;
};

/* The domain of a name; 0 is the default domain, which has no name. */
uint8_t names_domain(const char *text);
/* "" for the default domain. */
const char *names_domain_text(uint8_t domain);

/*
 * The number of a range's name in a domain. What PyTorch's emit_nvtx puts into a name to tell each
 * call from the others (", seq = 7, op_id = 9") is left out, as every call would have a name of its
 * own.
 */
uint16_t names_range(uint8_t domain, const char *text);
struct range_name names_of(uint16_t name);

/* Converts a wide string to UTF-8, as far as there is room. */
void names_narrow(const wchar_t *text, char *narrow, size_t size);

/*
 * Paths of ranges: a path is a range's name together with the path of the ranges around it, as in a
 * call tree, and has a small number. Ranges that the program opens again and again share one path.
 * Looking up a known path takes no lock; adding one takes a lock. Any thread.
 */

/* As many as have numbers below PATHS_UNKNOWN. */
#define PATHS_MOST    65535u
/* Special paths: not in any range, and not known in which. */
#define PATHS_OUTSIDE 0
#define PATHS_UNKNOWN UINT16_MAX

struct range_path {
	uint16_t parent; /* PATHS_OUTSIDE: none */
	uint16_t name;	 /* as names_range() numbers it */
	uint8_t style;	 /* enum range_style */
};

/* The path of a range inside another path; `parent` itself if there are too many paths. */
uint16_t paths_enter(uint16_t parent, uint16_t name, enum range_style style);
struct range_path paths_of(uint16_t path);
/* "outer/inner", cut in front where it is too long; in `text`, not from its begin on. */
#define PATHS_TEXT 1024u
const char *paths_text(uint16_t path, char text[PATHS_TEXT]);
/* How often a path did not fit. */
uint64_t paths_lost(void);

#endif
