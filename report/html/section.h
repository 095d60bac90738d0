/* SPDX-License-Identifier: MIT */
/* The sections of the page of a profile. Each writes its own, or nothing if the profile has nothing
 * for it; 0 or -errno. */
#ifndef KTIME_REPORT_HTML_SECTION_H
#define KTIME_REPORT_HTML_SECTION_H

#include "report/html/html.h"
#include "report/print/table.h"

struct page {
	struct html html; /* the section that is written */
	long room;	  /* bytes that are left for the table of GPU activities */
	const struct session *session;
	const struct options *options; /* with names as short as tells the rows apart */
	struct filter filter, full;    /* the second one with names in full */
	struct table tables[TABLE_SECTIONS];
};

/* Parts of time have colours: busy time, and idle time by cause, as "idle-latency". */
extern const char *const stack_cause_classes[IDLE_CAUSE_COUNT];
/* The colour of what a kind of row did: kernels, copies, calls. */
const char *kind_class(enum row_kind kind);
/* A square of a part's colour, before its name. */
void stack_swatch(struct html *html, const char *class);

/* The ranges as a picture. 0 or -ENOMEM. */
struct ranges;
int icicle_write(struct html *html, const struct ranges *ranges);
/* The ranks of a job as a picture, if there are several. 0 or -ENOMEM. */
struct job;
int ranks_write(struct html *html, const struct job *job);
/* The memory that was held over time, a picture for each device of which the trace has it. 0 or
 * -ENOMEM. */
int held_write(struct page *page);
/* The power and the clock of each device over time, if they are known. */
void power_write(struct page *page);

int summary_section(struct page *page);
int use_section(struct page *page);
int gpu_section(struct page *page);
int graphs_section(struct page *page);
int api_section(struct page *page);
int processes_section(struct page *page);
int balance_section(struct page *page);
int rates_section(struct page *page);
int copies_section(struct page *page);
int memory_section(struct page *page);
int energy_section(struct page *page);
int ranges_section(struct page *page);
int timeline_section(struct page *page);
int cost_section(struct page *page);
int environment_section(struct page *page);

#endif
