/* SPDX-License-Identifier: MIT */
/* What ktime top writes in lines and as JSON. */
#include <fcntl.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include "report/live/live.h"
#include "tests/unit/running_profile.h"
#include "tests/unit/test.h"

BEFORE_EACH
{
	assert_int_equal(start_profile(), 0);
}

AFTER_EACH
{
	assert_int_equal(stop_profile(), 0);
}

static void first_calls(void)
{
	call(ROW_KERNEL, "_Z5firstv", 0, 4, 100);
	call(ROW_KERNEL, "_Z6secondv", 0, 2, 1000);
	call(ROW_KERNEL, "_Z6secondv", 1, 1, 500);
	call(ROW_MEMCPY, "[CUDA memcpy HtoD]", 0, 1, 300);
	call(ROW_RUNTIME_API, "cudaLaunchKernel", -1, 7, 10);
}

/* What `ktime top` writes to the standard output, and its exit status. */
static char *top(int *status)
{
	char *text = calloc(1, 8192);
	int before = dup(STDOUT_FILENO), file;
	char name[80];

	assert_non_null(text);
	snprintf(name, sizeof(name), "%s/output", folder);
	file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(before >= 0 && file >= 0);
	fflush(stdout);
	dup2(file, STDOUT_FILENO);
	*status = command_top(&options, NULL, 0);
	fflush(stdout);
	dup2(before, STDOUT_FILENO);
	close(before);
	assert_true(pread(file, text, 8191, 0) >= 0);
	close(file);
	unlink(name);
	return text;
}

TEST(lines_tell_the_interval_and_the_row_with_the_most_time)
{
	struct session_header *header = session_header(session);
	char *text, *line;
	int status;

	first_calls();
	header->counters[COUNTER_wall_ns] = 2000 * MS;
	header->uses[0] = (struct device_use){.first = 1, .last = 9, .busy = 500 * MS};
	header->uses[1] = (struct device_use){.first = 1, .last = 9, .busy = 1000 * MS};
	options.readings = 2;
	options.interval = 0.01;
	options.batch = true;
	text = top(&status);
	assert_int_equal(status, EXIT_SUCCESS);
	line = strchr(text, '\n') + 1;
	assert_memory_equal(text,
			    "    Time      PID  Seconds  Busy(%)      Calls  GPU Time  Time(%)  "
			    "Name\n",
			    (size_t)(line - text));
	/* After the clock. */
	assert_string_equal(strchr(line, '\n') + 9,
			    "     4321     0.00        -          0       0ns        -  -\n");
	*strchr(line, '\n') = '\0';
	assert_string_equal(line + 8,
			    "     4321     2.00     37.5          8  3.2000us    78.12  second");
	free(text);
	options.devices = 2;
	text = top(&status);
	assert_non_null(strstr(text, "     2.00     50.0          1     500ns"));
	free(text);
}

static double number(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItem(object, name);

	assert_non_null(item);
	return item->valuedouble;
}

TEST(json_tells_devices_and_rows)
{
	struct session_header *header = session_header(session);
	struct idle_row *idle;
	const cJSON *item;
	cJSON *object;
	char *text;
	int status;

	first_calls();
	header->counters[COUNTER_wall_ns] = 2000 * MS;
	header->uses[1] = (struct device_use){.first = 1, .last = 9, .busy = 1000 * MS};
	idle = session_idle_row(session, &(struct idle_row){.cause = IDLE_GRAPH, .device = 1});
	session_add_idle(idle, 500 * MS, 0, 0);
	options.readings = 1;
	options.print_json = true;
	text = top(&status);
	assert_int_equal(status, EXIT_SUCCESS);
	object = cJSON_Parse(text);
	assert_non_null(object);
	assert_true(number(object, "pid") == 4321);
	assert_true(number(object, "time") > 1.7e9);
	assert_string_equal(cJSON_GetObjectItem(object, "command")->valuestring,
			    "/opt/bin/train --epochs 3");
	assert_true(number(object, "seconds") == 2 && number(object, "run_seconds") == 2);
	item = cJSON_GetObjectItem(object, "devices");
	assert_int_equal(cJSON_GetArraySize(item), 1);
	item = cJSON_GetArrayItem(item, 0);
	assert_true(number(item, "device") == 1 && number(item, "busy") == 0.5);
	assert_true(number(item, "run_busy") == 0.5 && number(item, "idle_share") == 0.25);
	assert_string_equal(cJSON_GetObjectItem(item, "idle_cause")->valuestring, "inside graphs");
	item = cJSON_GetObjectItem(object, "rows");
	assert_int_equal(cJSON_GetArraySize(item), 3);
	item = cJSON_GetArrayItem(item, 0);
	assert_string_equal(cJSON_GetObjectItem(item, "kind")->valuestring, "kernel");
	assert_string_equal(cJSON_GetObjectItem(item, "name")->valuestring, "second");
	assert_true(number(item, "calls") == 3 && number(item, "total") == 2500);
	assert_true(number(item, "run_calls") == 3 && number(item, "run_total") == 2500);
	assert_null(cJSON_GetObjectItem(item, "estimated"));
	cJSON_Delete(object);
	free(text);
}
