/* SPDX-License-Identifier: MIT */
#include "cupti/pause.h"

#include "cupti/cupti.h"
#include "cupti/kinds.h"
#include "cupti/library.h"

/*
 * It was tried on graphs of 100 and of 1,000 nodes with CUPTI 11.8, 12.0, 12.4 and 13.0 (H200,
 * driver 580): some ten windows a run, every launch in them recorded. These numbers are 11.8's and
 * the last that 13.0 may have; versions between those that were tried are taken to do as they do,
 * and all nodes are recorded with newer ones.
 */
#define FIRST_TRIED 18
#define LAST_TRIED  130099

bool pause_is_safe(void)
{
	const struct cupti_functions *cupti = library_functions();

	return cupti && cupti->version >= FIRST_TRIED && cupti->version <= LAST_TRIED;
}

bool pause_kernels(enum pause_reason reason, bool paused)
{
	/* Also while CUPTI is not on: it may be started before the pause is over. */
	CUptiResult result = library_check(kinds_pause(library_functions(), reason, paused));

	return !result && cupti_active();
}

void pause_ends_for_peer_copies(void)
{
	library_check(kinds_record_peer_copies(library_functions()));
}

bool pause_is_refused(void)
{
	return kinds_program_has_kernels();
}
