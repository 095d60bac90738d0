/* SPDX-License-Identifier: MIT */
#include "report/session/load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/session/records.h"

int session_load(struct session **session, const char *path, char *message, size_t size)
{
	int error;

	if (records_is_table(path))
		return records_read(session, path, message, size);
	error = session_open(session, path);
	switch (error) {
	case 0:
		break;
	case -EINVAL:
		snprintf(message, size, "%s: neither a ktime session nor a table of records", path);
		break;
	case -ENODATA:
		snprintf(message, size, "%s: a ktime session that is cut short", path);
		break;
	case -EPROTO:
		snprintf(message, size, "%s: a session of another version of ktime", path);
		break;
	default:
		snprintf(message, size, "%s: %s", path, strerrordesc_np(-error));
		break;
	}
	return error;
}
