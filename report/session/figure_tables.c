/* SPDX-License-Identifier: MIT */
#include "report/session/figure_tables.h"

#include "report/session/memory_use.h"
#include "report/session/session.h"
#include "report/session/session_nvtx.h"

/* What is an array by the lines of another list. */
#define UNTIMED_LINE(name, text)                                                                   \
	FIGURE_LINE(row, U64, untimed[UNTIMED_##name], COUNT, SUM, SUBTRACT, text, SHOWN_ABOVE_0,  \
		    "untimed." text)
#define ROW_LINES(X) ROW_FIGURES(X) UNTIMED_REASONS(UNTIMED_LINE)
#define REASON_LINE(name, bit, key, text)                                                          \
	FIGURE_LINE(device_energy, U64, reasons[CLOCK_REASON_##name], COUNT, OWN, SUBTRACT, text,  \
		    SHOWN_NEVER)
#define ENERGY_LINES(X) ENERGY_FIGURES(X) CLOCK_REASONS(REASON_LINE)

#define LINES(scope, structure, lines)                                                             \
	static const struct figure structure##_lines[] = {lines(FIGURE_LINE)};
FIGURE_SCOPES(LINES)
#undef LINES

#define COUNTER_LINE(name, ...)                                                                    \
	FIGURE_AT(#name, COUNTER_##name * sizeof(uint64_t), U64, __VA_ARGS__)
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
