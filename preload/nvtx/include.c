/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/include.h"

#include <stddef.h>

#include "preload/base/settings.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/paths.h"
#include "preload/nvtx/range_thread.h"
#include "preload/nvtx/started.h"
#include "report/options/range_pattern.h"

static struct range_pattern *patterns[OPTIONS_RANGES];
static unsigned pattern_count;
/* Whether push/pop patterns match a path, once that was found out. */
static uint8_t known[PATHS_MOST];
enum { NOT_KNOWN, MATCHES, MATCHES_NOT };

void include_start(void)
{
	char message[128];

	/* They were parsed when the settings were read, so they are good. */
	for (unsigned i = 0; i < OPTIONS_RANGES && settings.nvtx_include[i]; i++)
		if (!range_pattern_parse(&patterns[pattern_count], settings.nvtx_include[i],
					 message, sizeof(message)))
			pattern_count++;
}

bool include_is_on(void)
{
	return pattern_count > 0;
}

static bool matches_any(bool push_pop, const struct open_range_name *open, size_t count)
{
	for (unsigned i = 0; i < pattern_count; i++)
		if (range_pattern_is_push_pop(patterns[i]) == push_pop &&
		    range_pattern_matches(patterns[i], open, count))
			return true;
	return false;
}

static struct open_range_name name_of(uint16_t path)
{
	struct range_name name = names_of(paths_of(path).name);

	return (struct open_range_name){.domain = names_domain_text(name.domain),
					.name = name.text};
}

static bool matches_path(uint16_t path)
{
	struct open_range_name open[OPEN_MOST];
	size_t first = OPEN_MOST;

	/* From the top down. */
	for (; path != PATHS_OUTSIDE && first > 0; path = paths_of(path).parent)
		open[--first] = name_of(path);
	return matches_any(true, open + first, OPEN_MOST - first);
}

bool include_call(uint16_t path, uint32_t started)
{
	struct open_range_name open[STARTED_PATHS];
	size_t count = 0;

	if (pattern_count == 0)
		return true;
	if (path < PATHS_MOST) {
		if (known[path] == NOT_KNOWN)
			known[path] = matches_path(path) ? MATCHES : MATCHES_NOT;
		if (known[path] == MATCHES)
			return true;
	}
	for (; started; started &= started - 1)
		open[count++] = name_of(started_path((unsigned)__builtin_ctz(started)));
	return matches_any(false, open, count);
}
