/* SPDX-License-Identifier: MIT */
#include "report/session/figure_tables.h"

#include "report/session/memory_use.h"
#include "report/session/session.h"
#include "report/session/session_nvtx.h"

#define LINES(scope, structure, lines)                                                             \
	static const struct figure structure##_lines[] = {lines(FIGURE_LINE)};
FIGURE_SCOPES(LINES)
#undef LINES

#define COUNTER_LINE(name, unit, merge, difference, text)                                          \
	{#name,                                                                                    \
	 text,                                                                                     \
	 COUNTER_##name * sizeof(uint64_t),                                                        \
	 sizeof(uint64_t),                                                                         \
	 FIGURE_U64,                                                                               \
	 FIGURE_UNIT_##unit,                                                                       \
	 MERGE_##merge,                                                                            \
	 DIFFERENCE_##difference},
static const struct figure counter_lines[] = {SESSION_COUNTERS(COUNTER_LINE)};
#undef COUNTER_LINE

#define COUNT(lines) (sizeof(lines) / sizeof((lines)[0]))

const struct figure_table *figures_of(enum figure_scope scope)
{
	static const struct figure_table tables[SCOPE_COUNT] = {
#define TABLE(scope, structure, lines)                                                             \
	[SCOPE_##scope] = {#structure, structure##_lines, COUNT(structure##_lines),                \
			   sizeof(struct structure)},
		FIGURE_SCOPES(TABLE)
#undef TABLE
			[SCOPE_RUN] = {"counters", counter_lines, COUNT(counter_lines),
				       COUNTER_COUNT * sizeof(uint64_t)},
	};

	return &tables[scope];
}
