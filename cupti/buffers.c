/* SPDX-License-Identifier: MIT */
#include "buffers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer buffers[BUFFER_COUNT];
static uint8_t *arena;
/* Last in, first out: the pages touched last are used again. */
static struct buffer *free_list;
static struct buffer *queue, **queue_end = &queue;
static unsigned queued;
/* Buffers beyond the pool that are being filled. */
static struct buffer *beyond_list;

static void fill_free_list(void)
{
	unsigned i;

	free_list = NULL;
	queue = NULL;
	queue_end = &queue;
	queued = 0;
	for (i = BUFFER_COUNT; i-- > 0;) {
		buffers[i].data = arena + (size_t)i * BUFFER_SIZE;
		buffers[i].next = free_list;
		free_list = &buffers[i];
	}
}

int buffers_create(void)
{
	void *mapping;
	int error = 0;

	pthread_mutex_lock(&lock);
	if (arena)
		goto out;
	mapping = mmap(NULL, (size_t)BUFFER_COUNT * BUFFER_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapping == MAP_FAILED) {
		error = -ENOMEM;
		goto out;
	}
	arena = mapping;
	fill_free_list();
out:
	pthread_mutex_unlock(&lock);
	return error;
}

static struct buffer *dequeue(void)
{
	struct buffer *buffer = queue;

	if (!buffer)
		return NULL;
	queue = buffer->next;
	if (!queue)
		queue_end = &queue;
	queued--;
	return buffer;
}

static struct buffer *allocate_beyond(void)
{
	struct buffer *buffer = malloc(sizeof(*buffer) + BUFFER_SIZE);

	if (!buffer)
		return NULL;
	buffer->data = (uint8_t *)(buffer + 1);
	buffer->beyond = true;
	pthread_mutex_lock(&lock);
	buffer->next = beyond_list;
	beyond_list = buffer;
	pthread_mutex_unlock(&lock);
	return buffer;
}

struct buffer *buffers_take(bool beyond, size_t *lost)
{
	struct buffer *buffer;

	*lost = 0;
	pthread_mutex_lock(&lock);
	buffer = free_list;
	if (buffer) {
		free_list = buffer->next;
	} else {
		buffer = dequeue();
		if (buffer)
			*lost = buffer->valid;
		if (buffer && buffer->beyond) {
			buffer->next = beyond_list;
			beyond_list = buffer;
		}
	}
	pthread_mutex_unlock(&lock);
	if (!buffer && beyond)
		buffer = allocate_beyond();
	return buffer;
}

struct buffer *buffers_find(const uint8_t *data)
{
	struct buffer **link, *buffer = NULL;

	if (arena && data >= arena && data < arena + (size_t)BUFFER_COUNT * BUFFER_SIZE)
		return &buffers[(data - arena) / BUFFER_SIZE];
	pthread_mutex_lock(&lock);
	for (link = &beyond_list; *link; link = &(*link)->next)
		if ((*link)->data == data) {
			buffer = *link;
			*link = buffer->next;
			break;
		}
	pthread_mutex_unlock(&lock);
	return buffer;
}

unsigned buffers_queue(struct buffer *buffer, size_t valid)
{
	unsigned count;

	buffer->valid = valid;
	buffer->next = NULL;
	pthread_mutex_lock(&lock);
	*queue_end = buffer;
	queue_end = &buffer->next;
	count = ++queued;
	pthread_mutex_unlock(&lock);
	return count;
}

struct buffer *buffers_next(void)
{
	struct buffer *buffer;

	pthread_mutex_lock(&lock);
	buffer = dequeue();
	pthread_mutex_unlock(&lock);
	return buffer;
}

void buffers_release(struct buffer *buffer)
{
	if (buffer->beyond) {
		free(buffer);
		return;
	}
	pthread_mutex_lock(&lock);
	buffer->next = free_list;
	free_list = buffer;
	pthread_mutex_unlock(&lock);
}

void buffers_range(const void **start, size_t *size)
{
	*start = arena;
	*size = arena ? (size_t)BUFFER_COUNT * BUFFER_SIZE : 0;
}

void buffers_reset(void)
{
	pthread_mutex_init(&lock, NULL);
	if (arena)
		fill_free_list();
}
