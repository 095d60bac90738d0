/* SPDX-License-Identifier: MIT */
#include "report/merge/read_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* How many profiles are in memory: one that is added up, one that is opened. */
#define OPEN_MOST 2

struct read_ahead {
	const char *const *paths;
	size_t count;
	struct read_profile profiles[OPEN_MOST];
	pthread_t thread;
	bool has_thread;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	size_t opened;	 /* files, from the first one */
	size_t asked;	 /* files that the caller asked for */
	bool is_stopped; /* by the caller */
};

static void open_file(struct read_ahead *ahead, size_t file)
{
	struct read_profile *profile = &ahead->profiles[file % OPEN_MOST];

	session_close(profile->session);
	session_load(&profile->session, ahead->paths[file], profile->message,
		     sizeof(profile->message));
}

/* Waits until a file may be opened: the one whose place it takes was added up. */
static bool wait_for_place(struct read_ahead *ahead, size_t file)
{
	bool is_stopped;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->is_stopped && file >= ahead->asked + OPEN_MOST - 1)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	is_stopped = ahead->is_stopped;
	pthread_mutex_unlock(&ahead->lock);
	return !is_stopped;
}

static void *open_files(void *argument)
{
	struct read_ahead *ahead = argument;

	for (size_t file = 0; file < ahead->count && wait_for_place(ahead, file); file++) {
		open_file(ahead, file);
		pthread_mutex_lock(&ahead->lock);
		ahead->opened = file + 1;
		pthread_cond_broadcast(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
	}
	return NULL;
}

int read_ahead_start(struct read_ahead **result, const char *const *paths, size_t count)
{
	struct read_ahead *ahead = calloc(1, sizeof(*ahead));

	*result = ahead;
	if (!ahead)
		return -ENOMEM;
	ahead->paths = paths;
	ahead->count = count;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	ahead->has_thread = pthread_create(&ahead->thread, NULL, open_files, ahead) == 0;
	return 0;
}

const struct read_profile *read_ahead_next(struct read_ahead *ahead)
{
	size_t file = ahead->asked;

	if (file == ahead->count)
		return NULL;
	if (!ahead->has_thread)
		open_file(ahead, file);
	pthread_mutex_lock(&ahead->lock);
	ahead->asked = file + 1;
	pthread_cond_broadcast(&ahead->changed);
	while (ahead->has_thread && ahead->opened <= file)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	pthread_mutex_unlock(&ahead->lock);
	return &ahead->profiles[file % OPEN_MOST];
}

void read_ahead_stop(struct read_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->is_stopped = true;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	if (ahead->has_thread)
		pthread_join(ahead->thread, NULL);
	for (unsigned i = 0; i < OPEN_MOST; i++)
		session_close(ahead->profiles[i].session);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}
