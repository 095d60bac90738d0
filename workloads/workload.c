/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "workloads/workload.h"

enum {
	OPTIONS_MAX = 16,
};

/* Where launches wait for their kernels (CUDA_LAUNCH_BLOCKING=1, a debugger), none gets further. */
#define LONGEST_HOLD_NS 20000000

const char *workload_name(void)
{
	return program_invocation_short_name;
}

static int parse_count(const char *program, const struct workload_option *option, const char *text)
{
	int most = option->most ? option->most : INT_MAX;
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || end == text || value < 1 || value > most) {
		fprintf(stderr, "%s: --%s wants a whole number from 1", program, option->name);
		if (option->most)
			fprintf(stderr, " to %d", most);
		fprintf(stderr, ", not '%s'\n", text);
		exit(2);
	}
	return value;
}

static int parse_choice(const char *program, const struct workload_option *option, const char *text)
{
	for (int i = 0; option->choices[i]; i++) {
		if (!strcmp(option->choices[i], text))
			return i;
	}
	fprintf(stderr, "%s: --%s wants ", program, option->name);
	for (int i = 0; option->choices[i]; i++)
		fprintf(stderr, "%s%s", i ? " or " : "", option->choices[i]);
	fprintf(stderr, ", not '%s'\n", text);
	exit(2);
}

static void parse_value(const char *program, const struct workload_option *option, const char *text)
{
	if (option->count)
		*option->count = parse_count(program, option, text);
	else if (option->text)
		*option->text = text;
	else if (option->choice)
		*option->choice = parse_choice(program, option, text);
	else
		*option->flag = 1;
}

void workload_parse(const char *usage, const struct workload_option *options, int argc, char **argv)
{
	struct option names[OPTIONS_MAX + 2] = {{"help", no_argument, NULL, 'h'}};
	int option;

	for (int i = 0; options[i].name && i < OPTIONS_MAX; i++)
		names[i + 1] = (struct option){options[i].name,
					       options[i].flag ? no_argument : required_argument,
					       NULL, CHAR_MAX + 1 + i};
	while ((option = getopt_long(argc, argv, "h", names, NULL)) != -1) {
		if (option == 'h') {
			printf("usage: %s %s", argv[0], usage);
			exit(0);
		}
		if (option == '?')
			break;
		parse_value(argv[0], &options[option - CHAR_MAX - 1], optarg);
	}
	if (option == '?' || optind < argc) {
		fprintf(stderr, "usage: %s %s", argv[0], usage);
		exit(2);
	}
}

int64_t workload_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void workload_hold(void *argument)
{
	struct workload_hold *hold = argument;
	int64_t until = workload_now_ns() + LONGEST_HOLD_NS;

	while (!__atomic_load_n(&hold->released, __ATOMIC_ACQUIRE) && workload_now_ns() < until)
		sched_yield();
}

void workload_release(struct workload_hold *hold)
{
	__atomic_store_n(&hold->released, 1, __ATOMIC_RELEASE);
}
