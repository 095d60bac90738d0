/* SPDX-License-Identifier: MIT */
/* session_of_records TABLE SESSION: makes a session file of a table of records. */
#include <stdio.h>

#include "tests/unit/records.h"

int main(int argc, char **argv)
{
	struct session *session;
	char message[512] = "usage: session_of_records TABLE SESSION";

	if (argc != 3 || records_read(&session, argv[1], argv[2], message, sizeof(message))) {
		fprintf(stderr, "%s\n", message);
		return 1;
	}
	session_close(session);
	return 0;
}
