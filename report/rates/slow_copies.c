/* SPDX-License-Identifier: MIT */
#include "report/rates/slow_copies.h"

#include <string.h>

#include "report/devices/peaks.h"
#include "report/session/estimate.h"

/* From this size on, on average, a copy's time is that of its bytes; below this part of the peak,
 * in percent, it goes through buffers of the driver's. Chosen. */
#define LEAST_BYTES  (1u << 20)
#define SLOW_PERCENT 50

static bool is_by_link(const struct session *session, const struct row *row)
{
	const char *name = session_string(session, row->name);

	return row->kind == ROW_MEMCPY && row->device >= 0 && row->cupti.count &&
	       row->cupti.total && (strstr(name, " HtoD]") || strstr(name, " DtoH]"));
}

bool slow_copies_find(const struct session *session, struct slow_copies *copies)
{
	const struct session_header *header = session_header(session);
	const struct row *row;

	*copies = (struct slow_copies){.time = 0};
	if (header->processes)
		return false;
	session_for_each_row (session, row) {
		const struct device_info *device;
		double peak, percent, bytes = (double)row->cupti.size;

		if (!is_by_link(session, row))
			continue;
		device = &header->devices[row->device];
		peak = peaks_of(device).host;
		percent = peak > 0 ? 100 * bytes / (double)row->cupti.total / peak : 0;
		if (bytes < (double)LEAST_BYTES * (double)row->cupti.count || percent <= 0 ||
		    percent >= SLOW_PERCENT)
			continue;
		copies->least = copies->of && copies->least < percent ? copies->least : percent;
		RAISE(copies->most, percent);
		copies->of = device;
		copies->time += row->cupti.total;
		copies->at_peak += to_unsigned(bytes / peak);
	}
	return copies->of;
}
