/* SPDX-License-Identifier: MIT */
#include "report/session/file_lock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

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
