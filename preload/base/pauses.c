/* SPDX-License-Identifier: MIT */
#include "preload/base/pauses.h"

/* While a program makes graphs the recording is turned off and on some hundred times a second at
 * most, and a gap is split some 200 ms after it. Chosen. */
#define PAUSES_KEPT 256u

static struct {
	struct {
		uint64_t begin, end; /* UINT64_MAX: it still is off */
	} kept[PAUSES_KEPT];
	unsigned count; /* of all */
	bool off;
} pauses;

void pauses_note(bool off, uint64_t now)
{
	if (pauses.off == off)
		return;
	pauses.off = off;
	if (off) {
		pauses.kept[pauses.count % PAUSES_KEPT].begin = now;
		pauses.kept[pauses.count++ % PAUSES_KEPT].end = UINT64_MAX;
	} else {
		pauses.kept[(pauses.count - 1) % PAUSES_KEPT].end = now;
	}
}

bool pauses_touch(uint64_t begin, uint64_t end)
{
	/* The newest first. */
	for (unsigned i = 0; i < pauses.count && i < PAUSES_KEPT; i++) {
		unsigned place = (pauses.count - 1 - i) % PAUSES_KEPT;

		if (pauses.kept[place].end < begin)
			return false;
		if (pauses.kept[place].begin <= end)
			return true;
	}
	return pauses.count > PAUSES_KEPT;
}
