/* SPDX-License-Identifier: MIT */
#include "preload/recording/window_times.h"

#include <math.h>

/* How far apart windows are, in nanoseconds, and how long they may be. Chosen: five a second give
 * an interval within a second. */
#define MEAN_GAP_NS	(double)WINDOW_GAP_NS
#define LEAST_GAP_NS	20000000.0
#define MOST_GAP_NS	5000000000.0
#define FIRST_WINDOW_NS 4000000.0
#define LEAST_WINDOW_NS 1000000.0
#define MOST_WINDOW_NS	50000000.0
/* A window is closed early once it has cost this multiple of what it may. Chosen: if windows are
 * often closed early, work that is expensive to record is recorded less than other work. */
#define MOST_TIMES	4.0
/* The next window opens after work that takes this part and this multiple of the planned time, if
 * the program launches as it did on average; for bursts and idle times these are the bounds. */
#define LEAST_PART	0.5
#define MOST_PART	4.0
/* A window is paid for by the time in which the program launches: what pauses would pay for is
 * recorded in the bursts between them. It takes this long, in nanoseconds, for a pause to begin. */
#define PAUSE_NS	50000000u
/* No window opens while more than this multiple of what one may cost is to be paid for. Chosen: a
 * program that launches steadily, whose windows come by chance, hardly gets there. */
#define MOST_DEBT	6.0
/* How long the program's average of work counts as much as what comes. Chosen: long beside its
 * phases, or windows would follow them. */
#define AVERAGE_NS	20e9

static double share;
static double length; /* of the next window, or of the one that is open */
static uint64_t random_state = 0x9e3779b97f4a7c15ull;
static uint64_t planned, earliest, latest; /* when the next one was planned, and may open */
static double due_work;			   /* at which it opens */
static double seen_work, average_work, average_time;
static uint64_t passed, launched; /* the last call of window_times_pass(); the last launch by it */
static double passed_work, debt;  /* debt: what windows have cost that is not paid for, ns */
static double over_work;	  /* when the open window's time was over; -1: it is not yet */

void window_times_start(uint64_t now, double budget, uint64_t random)
{
	planned = passed = launched = now;
	share = budget;
	length = FIRST_WINDOW_NS;
	seen_work = average_work = average_time = 0;
	passed_work = debt = 0;
	over_work = -1;
	random_state ^= random;
}

/* Between 0 and 1: 64-bit Xorshift (Marsaglia 2003). */
static double random_part(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) * 0x1p-53;
}

/* What a window may cost. */
static double allowed_cost(void)
{
	return share * MEAN_GAP_NS;
}

static double between(double least, double value, double most)
{
	return value < least ? least : value > most ? most : value;
}

/* Nanoseconds of work in a nanosecond, on average. */
static double work_rate(uint64_t now, double work)
{
	if (average_time > AVERAGE_NS) {
		average_time /= 2;
		average_work /= 2;
	}
	average_time += (double)(now - planned);
	average_work += work - seen_work;
	seen_work = work;
	return average_time > 0 ? average_work / average_time : 0;
}

void window_times_plan(uint64_t now, double work, double spent)
{
	double gap = share > 0 ? spent / share : MOST_GAP_NS;

	over_work = -1;
	debt += spent;
	gap = gap < MEAN_GAP_NS ? MEAN_GAP_NS : gap;
	/* Any launch is as likely as any other, so that no period of the program's is met always.
	 */
	gap *= 0.5 + random_part();
	due_work = work + gap * work_rate(now, work);
	earliest = now + (uint64_t)between(LEAST_GAP_NS, LEAST_PART * gap, MOST_GAP_NS);
	latest = now + (uint64_t)between(LEAST_GAP_NS, MOST_PART * gap, MOST_GAP_NS);
	planned = now;
}

void window_times_pass(uint64_t now, double work)
{
	uint64_t until;

	if (work > passed_work)
		launched = now;
	until = now < launched + PAUSE_NS ? now : launched + PAUSE_NS;
	if (until > passed)
		debt = between(0, debt - share * (double)(until - passed), debt);
	passed = now;
	passed_work = work;
}

bool window_times_are_due(uint64_t now, double work)
{
	if (share > 0 && debt > MOST_DEBT * allowed_cost())
		return false;
	return now >= latest || (now >= earliest && work >= due_work);
}

/* How long a window is does not depend on what is launched in it, or short launches would be
 * recorded less often than long ones. For the same reason the launch that its end falls into is
 * not the one that is left out, but the next. */
bool window_times_are_over(uint64_t open, double work, double spent)
{
	if (spent >= MOST_TIMES * allowed_cost() || (double)open >= length + MOST_WINDOW_NS)
		return true;
	if ((double)open < length)
		return false;
	if (over_work < 0)
		over_work = work;
	return work > over_work;
}

void window_times_adapt(double spent)
{
	double cost = spent > 0 ? spent : allowed_cost() / 4;

	/* Halfway, in proportion, to what this window alone would have had. */
	length = between(LEAST_WINDOW_NS, length * sqrt(allowed_cost() / cost), MOST_WINDOW_NS);
}
