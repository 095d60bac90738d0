/* SPDX-License-Identifier: MIT */
#include "preload/events/in_flight.h"

#include <stdlib.h>

static struct in_flight *spare; /* freed ones, for reuse */

struct in_flight *in_flight_new(void)
{
	struct in_flight *operation = spare;

	if (operation)
		spare = operation->next;
	else
		operation = malloc(sizeof(*operation));
	if (operation)
		*operation = (struct in_flight){0};
	return operation;
}

void in_flight_free(struct in_flight *operation)
{
	operation->next = spare;
	spare = operation;
}
