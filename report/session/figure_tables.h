/* SPDX-License-Identifier: MIT */
/* The tables of figures of all structures that a profile holds. */
#ifndef KTIME_REPORT_SESSION_FIGURE_TABLES_H
#define KTIME_REPORT_SESSION_FIGURE_TABLES_H

#include "report/session/figure.h"

/* X(scope, structure, its lines) */
#define FIGURE_SCOPES(X)                                                                           \
	X(ROW, row, ROW_LINES)                                                                     \
	X(CLOCK, figures, CLOCK_FIGURES)                                                           \
	X(STRATUM, stratum, STRATUM_FIGURES)                                                       \
	X(USE, device_use, USE_FIGURES)                                                            \
	X(TOTALS, call_totals, TOTALS_FIGURES)                                                     \
	X(ENERGY, device_energy, ENERGY_LINES)                                                     \
	X(CLOCK_RANGE, clock_range, CLOCK_RANGE_FIGURES)                                           \
	X(IDLE, idle_row, IDLE_FIGURES)                                                            \
	X(RANGE, nvtx_range, RANGE_FIGURES)                                                        \
	X(PART, nvtx_part, PART_FIGURES)                                                           \
	X(MEMORY, memory_use, MEMORY_FIGURES)                                                      \
	X(SITE, memory_site, SITE_FIGURES)

#define FIGURE_SCOPE_ENUM(scope, structure, lines) SCOPE_##scope,
enum figure_scope { FIGURE_SCOPES(FIGURE_SCOPE_ENUM) SCOPE_RUN, SCOPE_COUNT };
#undef FIGURE_SCOPE_ENUM

/* The figures of a structure; those of the run are session_header()'s counters. */
const struct figure_table *figures_of(enum figure_scope scope);

#endif
