/* SPDX-License-Identifier: MIT */
#include "report/session/load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
int session_load(struct session **session, const char *path, char *message, size_t size)
{
	int error = session_open(session, path);

	switch (error) {
	case 0:
		break;
	case -EINVAL:
		snprintf(message, size, "%s: not a ktime profile", path);
		break;
	case -ENODATA:
		snprintf(message, size, "%s: a ktime profile that is cut short", path);
		break;
	case -EPROTO:
		snprintf(message, size, "%s: a profile of another version of ktime", path);
		break;
	default:
		snprintf(message, size, "%s: %s", path, strerror(-error));
		break;
	}
	return error;
}
