/* SPDX-License-Identifier: MIT */
/*
 * A timeline's records for the script that draws them: every one, with its exact times, in some 3
 * to 6 bytes. timeline.js reads what is written here.
 *
 * Compressed by zlib, in base64:
 *   a JSON object and a 0: "begin" and "end" of what is in it, ns after the trace's begin;
 * "classes", each a name in the style and a text; "tracks", each with its label, its process and
 * its kind; "names" and "nameClasses", of the records; "details", texts; for each track the number
 * of its records, then column by column one number a record: start after the one before, length,
 * name, details, correlation id after the one before. Numbers are in groups of 7 bits, the lowest
 * first, with 128 in all bytes but the last; what may be negative is 2n, or 2(-n) - 1.
 */
#ifndef KTIME_REPORT_HTML_PACK_H
#define KTIME_REPORT_HTML_PACK_H

#include "report/html/tracks.h"

struct pack {
	unsigned char *bytes; /* compressed */
	size_t size;
	/* Records that are left out, as they begin at `until` or later, which is when a page has no
	 * more room; 0: none are. */
	uint64_t left_out, until;
};

/* In at most `most` bytes, compressed. 0 or -ENOMEM; free it with pack_free() whatever it returns.
 */
int pack_make(struct pack *pack, const struct timeline *timeline, size_t most);
void pack_write(const struct pack *pack, FILE *file);
void pack_free(struct pack *pack);

#endif
