/* SPDX-License-Identifier: MIT */
#include "report/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/names/visible.h"
#include "report/session/session.h"
#include "report/session/owner.h"

/* How long an answer is waited for: the collector may wait for a context's end. Chosen. */
#define ANSWER_MS  10000
/* How long the one who commands now is waited for: what takes longer is a window. Chosen. */
#define LOCK_MS	   3000
/* After this a wait is said. */
#define PATIENT_MS 500

struct control {
	struct control_page *page;
	int fd; /* locked: for one that commands at a time */
	const char *speaker;
};

static int find_page(int fd, uint64_t *offset)
{
	struct session_header *header;
	struct stat status;
	int error = session_read_header(&header, fd);

	if (error)
		return error == -ENODATA || error == -EBADMSG ? -EINVAL : error;
	if (header->finished)
		error = -ESRCH;
	else if (fstat(fd, &status) < 0 || header->control == 0 ||
		 header->control % CONTROL_BYTES ||
		 header->control + CONTROL_BYTES > header->header_size ||
		 header->header_size > (uint64_t)status.st_size)
		error = -EINVAL;
	*offset = header->control;
	free(header);
	return error;
}

/* Who has the page, as "process 4711 (ktime window 4242 60s)"; "another process" if that is not
 * known. */
static void name_holder(int fd, char *text, size_t size)
{
	pid_t holder = file_lock_holder(fd);
	char command[128];
	size_t length = 0;
	FILE *file;

	snprintf(text, size, "another process");
	if (!holder)
		return;
	file = process_open(holder, "cmdline");
	if (file) {
		length = fread(command, 1, sizeof(command) - 1, file);
		fclose(file);
	}
	command[length] = '\0';
	for (size_t i = 0; i + 1 < length; i++)
		if (!command[i])
			command[i] = ' ';
	snprintf(text, size, "process %d (%s)", (int)holder, command);
}

static int lock_page(const struct control *control, const char *path, char *message, size_t size)
{
	int error = file_lock(control->fd, PATIENT_MS);
	char holder[192];

	if (error == -EWOULDBLOCK) {
		name_holder(control->fd, holder, sizeof(holder));
		visible_line(stderr, "%s: waiting for %s, which steers the program",
			     control->speaker, holder);
		error = file_lock(control->fd, LOCK_MS - PATIENT_MS);
	}
	if (error == -EWOULDBLOCK)
		snprintf(message, size,
			 "%s has %s locked, as a window has until it closes: wait for its end, or "
			 "end it",
			 holder, path);
	else if (error)
		snprintf(message, size, "%s: %s", path, strerror(-error));
	return error;
}

static const char *reason_of(int error)
{
	return error == -ESRCH ? "the program has ended" : session_error(error);
}

static int map_page(struct control *control)
{
	uint64_t offset;
	int error = find_page(control->fd, &offset);
	void *map;

	if (error)
		return error;
	map = mmap(NULL, CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, control->fd,
		   (off_t)offset);
	if (map == MAP_FAILED)
		return -errno;
	control->page = map;
	/* Another process may cut the file meanwhile. */
	fault_cover(map, CONTROL_BYTES);
	return 0;
}

int control_open(struct control **result, const char *speaker, const char *path, char *message,
		 size_t size)
{
	struct control *control = calloc(1, sizeof(*control));
	int error = 0;

	*result = NULL;
	if (!control) {
		snprintf(message, size, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	control->speaker = speaker;
	control->fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (control->fd < 0) {
		error = -errno;
		snprintf(message, size, "%s: %s", path, strerror(-error));
	}
	if (!error)
		error = lock_page(control, path, message, size);
	if (!error) {
		error = map_page(control);
		if (error)
			snprintf(message, size, "%s: %s", path, reason_of(error));
	}
	if (error)
		control_close(control);
	else
		*result = control;
	return error;
}

void control_close(struct control *control)
{
	if (!control)
		return;
	if (control->page) {
		fault_uncover(control->page);
		munmap(control->page, CONTROL_BYTES);
	}
	if (control->fd >= 0)
		close(control->fd);
	free(control);
}

static const char *refusal_of(int result)
{
	switch (result) {
	case -EALREADY:
		return "its collecting has ended (--timeout)";
	case -EEXIST:
		return "it keeps a trace of the whole run itself (--keep-trace)";
	case -ENODATA:
		return "it keeps a trace for some seconds, and copying it took longer";
	case -EOPNOTSUPP:
		return "a trace needs CUPTI, which does not record in it";
	default:
		return strerror(result < 0 ? -result : EINVAL);
	}
}

int control_ask(struct control *control, enum control_command command, uint64_t duration,
		char *message, size_t size)
{
	struct control_page *page = control->page;
	uint32_t number = __atomic_load_n(&page->answered, __ATOMIC_ACQUIRE) + 1;
	int result;

	/* One that asked and was killed may have left its request. */
	if (number == 0 || number == page->request)
		number = page->request + 1;
	page->command = command;
	page->duration = duration;
	__atomic_store_n(&page->request, number, __ATOMIC_RELEASE);
	for (int waited = 0; __atomic_load_n(&page->answered, __ATOMIC_ACQUIRE) != number;
	     waited++) {
		if (fault_happened(page)) {
			snprintf(message, size,
				 "another process cut the program's profile: it cannot be steered "
				 "any more");
			return -ESTALE;
		}
		if (waited == PATIENT_MS)
			visible_line(stderr, "%s: waiting for the program's answer, %d s at most",
				     control->speaker, ANSWER_MS / 1000);
		if (waited == ANSWER_MS) {
			snprintf(message, size,
				 "the program does not answer: it is stopped, or at its end");
			return -ETIMEDOUT;
		}
		poll(NULL, 0, 1);
	}
	result = page->result;
	if (result)
		snprintf(message, size, "the program refuses: %s", refusal_of(result));
	return result;
}

uint32_t control_updates(const struct control *control)
{
	return __atomic_load_n(&control->page->updating, __ATOMIC_ACQUIRE);
}

bool control_is_open(const struct control *control)
{
	return control->page->open != 0;
}
