/* SPDX-License-Identifier: MIT */
#include "report/session/owner.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "report/session/files.h"

/* Under RLIMIT_AS the program needs the addresses: a profile and CUPTI's buffers take a 64th of
 * them together. */
#define LIMIT_SHARE 128

FILE *process_open(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

/* process_started(), and whether it has ended: a zombie stays until its parent asks. The first
 * thread is one too where it alone has ended. */
static uint64_t read_process(pid_t pid, bool *ended)
{
	unsigned long long started;
	char path[32], text[1024], *name_end, state;
	long threads;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file_line(path, text, sizeof(text));
	/* A program's name may hold anything but a zero; the last parenthesis ends it. */
	name_end = strrchr(text, ')');
	if (!name_end || sscanf(name_end + 1,
				" %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
				"%*s %ld %*s %llu",
				&state, &threads, &started) != 3)
		return 0;
	*ended = state == 'Z' && threads <= 1;
	return started;
}

uint64_t process_started(pid_t pid)
{
	bool ended;

	return read_process(pid, &ended);
}

bool process_is_of(pid_t pid, uid_t user)
{
	unsigned ids[4] = {0};
	FILE *file = process_open(pid, "status");
	bool found = false;
	char line[256];

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "Uid: %u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) == 4;
	if (file)
		fclose(file);
	for (unsigned i = 0; i < 4 && found; i++)
		if (ids[i] == user)
			return true;
	return false;
}

void owner_of_this_process(struct session_owner *owner)
{
	struct stat status;

	memset(owner, 0, sizeof(*owner));
	file_line("/proc/sys/kernel/random/boot_id", owner->boot, sizeof(owner->boot));
	owner->started = process_started(getpid());
	if (stat("/proc/self/ns/pid", &status) == 0)
		owner->pid_namespace = status.st_ino;
}

enum owner_state owner_state(const struct session_header *header)
{
	const struct session_owner *owner = &header->owner;
	struct session_owner self;
	bool ended = false;

	owner_of_this_process(&self);
	if (!owner->boot[0] || !owner->started || !owner->pid_namespace || !self.started)
		return OWNER_UNKNOWN;
	if (strncmp(owner->boot, self.boot, sizeof(owner->boot)) != 0)
		return OWNER_ENDED;
	if (owner->pid_namespace != self.pid_namespace)
		return OWNER_UNKNOWN;
	return read_process(header->pid, &ended) == owner->started && !ended ? OWNER_RUNS
									     : OWNER_ENDED;
}

uint64_t process_addresses(uint64_t most)
{
	struct rlimit limit;
	uint64_t share;

	if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return most;
	share = limit.rlim_cur / LIMIT_SHARE / SESSION_SEGMENT_ALIGN * SESSION_SEGMENT_ALIGN;
	return share < most ? share : most;
}

int file_lock(int fd, unsigned milliseconds)
{
	int error;

	/* Counted in ticks: a program's clock may stand still. */
	for (unsigned waited = 0;; waited++) {
		error = flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
		if ((error != -EWOULDBLOCK && error != -EINTR) || waited >= milliseconds)
			return error;
		poll(NULL, 0, 1);
	}
}

pid_t file_lock_holder(int fd)
{
	unsigned long inode;
	unsigned major, minor;
	struct stat status;
	pid_t holder = 0;
	char line[256];
	FILE *locks;
	int pid;

	if (fstat(fd, &status) < 0)
		return 0;
	locks = fopen("/proc/locks", "re");
	/* "1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF" */
	while (locks && !holder && fgets(line, sizeof(line), locks))
		if (sscanf(line, "%*u: FLOCK %*s WRITE %d %x:%x:%lu", &pid, &major, &minor,
			   &inode) == 4 &&
		    inode == status.st_ino && makedev(major, minor) == status.st_dev && pid > 0)
			holder = pid;
	if (locks)
		fclose(locks);
	return holder;
}
