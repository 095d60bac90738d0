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

static double share;
static double length = FIRST_WINDOW_NS; /* of the next window, or of the one that is open */
static uint64_t random_state = 0x9e3779b97f4a7c15ull;

void window_times_start(double budget, uint64_t random)
{
	share = budget;
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

uint64_t window_times_gap(double spent)
{
	double gap = share > 0 ? spent / share : MOST_GAP_NS;

	gap = gap < MEAN_GAP_NS ? MEAN_GAP_NS : gap;
	/* Any time is as likely as any other, so that no period of the program's is met always. */
	return (uint64_t)between(LEAST_GAP_NS, gap * (0.5 + random_part()), MOST_GAP_NS);
}

/* How long a window is does not depend on what is launched in it, or short launches would be
 * recorded less often than long ones. */
bool window_times_are_over(uint64_t open, double spent)
{
	return (double)open >= length || spent >= MOST_TIMES * allowed_cost();
}

void window_times_adapt(double spent)
{
	double cost = spent > 0 ? spent : allowed_cost() / 4;

	/* Halfway, in proportion, to what this window alone would have had. */
	length = between(LEAST_WINDOW_NS, length * sqrt(allowed_cost() / cost), MOST_WINDOW_NS);
}
