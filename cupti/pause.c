/* SPDX-License-Identifier: MIT */
#include "cupti/pause.h"

#include "cupti/cupti.h"
#include "cupti/kinds.h"
#include "cupti/library.h"
#include "cupti/versions.h"

bool pause_is_safe(void)
{
	const struct cupti_functions *cupti = library_functions();

	return cupti && cupti_version_of(cupti->version)->pauses_kernels;
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
	return kinds_program_has_kernels() || kinds_withdrawn();
}

bool pause_was_shared(void)
{
	return kinds_program_ever();
}
