/* SPDX-License-Identifier: MIT */
/* What ktime top writes in lines and as JSON. */
#include <cjson/cJSON.h>

#include "report/live/live.h"
#include "tests/unit/caught.h"
#include "tests/unit/running_profile.h"

/* Has what `ktime top` writes in `said`. */
static void top(void)
{
	int status;

	catch_begin(false);
	status = command_top(&options, NULL, 0);
	catch_end();
	assert_int_equal(status, EXIT_SUCCESS);
}

TEST(lines_tell_the_interval_and_the_row_with_the_most_time)
{
	struct session_header *header = session_header(session);
	char *line;

	first_calls();
	header->counters[COUNTER_wall_ns] = 2000 * MS;
	header->uses[0] = (struct device_use){.first = 1, .last = 9, .busy = 500 * MS};
	header->uses[1] = (struct device_use){.first = 1, .last = 9, .busy = 1000 * MS};
	options.readings = 2;
	options.interval = 0.01;
	options.batch = true;
	top();
	line = strchr(said, '\n') + 1;
	assert_memory_equal(said,
			    "    Time      PID  Seconds  Busy(%)      Calls  GPU Time  Time(%)  "
			    "Name\n",
			    (size_t)(line - said));
	/* After the clock. */
	assert_string_equal(strchr(line, '\n') + 9,
			    "     4321     0.00        -          0       0ns        -  -\n");
	*strchr(line, '\n') = '\0';
	assert_string_equal(line + 8,
			    "     4321     2.00     37.5          8  3.2000us    78.12  second");
	options.devices = 2;
	top();
	assert_non_null(strstr(said, "     2.00     50.0          1     500ns"));
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

	first_calls();
	header->counters[COUNTER_wall_ns] = 2000 * MS;
	header->uses[1] = (struct device_use){.first = 1, .last = 9, .busy = 1000 * MS};
	idle = session_idle_row(session, &(struct idle_row){.cause = IDLE_GRAPH, .device = 1});
	session_add_idle(idle, 500 * MS, 0, 0);
	options.readings = 1;
	options.print_json = true;
	top();
	object = cJSON_Parse(said);
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
}
