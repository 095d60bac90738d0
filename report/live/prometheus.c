/* SPDX-License-Identifier: MIT */
#include "report/live/live.h"

#include <envz.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/prometheus/prometheus.h"

/* A process's environment, as it was at its start: at most this much of it. */
#define ENVIRONMENT_MOST 65536

struct environment {
	size_t length;
	char text[ENVIRONMENT_MOST + 1];
};

static const char *variable_of(const char *name, void *argument)
{
	const struct environment *environment = argument;

	return envz_get(environment->text, environment->length, name);
}

static void read_environment(struct environment *environment, const struct left_profile *profile)
{
	FILE *file = NULL;

	memset(environment, 0, sizeof(*environment));
	/* Another process may have the number by now. */
	if (profile->state == OWNER_RUNS)
		file = process_open(profile->pid, "environ");
	if (!file)
		return;
	environment->length = fread(environment->text, 1, ENVIRONMENT_MOST, file);
	fclose(file);
}

static int add_profile(struct prometheus *metrics, const struct left_profile *profile)
{
	static struct environment environment;
	struct prometheus_place place;
	struct session *session;
	int error = session_open(&session, profile->path);

	/* It has ended meanwhile. */
	if (error)
		return error == -ENOENT ? 0 : error;
	read_environment(&environment, profile);
	prometheus_place_of(&place, session_string(session, session_header(session)->hostname),
			    variable_of, &environment);
	error = prometheus_add(metrics, session, &place);
	session_close(session);
	return error;
}

int command_prometheus(const struct options *options, const char *const *files, size_t count)
{
	const struct programs programs = {options, files, count};
	struct left_profiles profiles;
	struct prometheus *metrics;
	char message[512];
	int error = processes_find(&profiles, &programs, message, sizeof(message));

	if (error) {
		visible_line(stderr, "ktime prometheus: %s", message);
		left_profiles_free(&profiles);
		return EXIT_FAILURE;
	}
	metrics = prometheus_create(options->prometheus_kernels);
	if (!metrics)
		error = -ENOMEM;
	for (size_t i = 0; i < profiles.count && !error; i++)
		error = add_profile(metrics, &profiles.of[i]);
	if (!error)
		error = prometheus_write(metrics, stdout);
	if (error)
		visible_line(stderr, "ktime prometheus: %s", strerror(-error));
	prometheus_free(metrics);
	left_profiles_free(&profiles);
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
