/* SPDX-License-Identifier: MIT */
/* Memory, energy and clocks of the two sides of a comparison. */
#include <cjson/cJSON.h>
#include "report/compare/compare.h"
#include "report/compare/devices.h"
#include "tests/unit/test.h"

#define S 1000000000ull

static struct profile a, b;
/* A side of which nothing is known. */
static const struct profile unknown = {.runs = 1};
static char headline[] = "no difference";
static char none[] = "";
static struct comparison comparison;

static struct device_energy run_of(double joules, unsigned sm, unsigned limited)
{
	struct device_energy run = {.state = ENERGY_READ,
				    .source = ENERGY_FROM_COUNTER,
				    .duration = 2 * S,
				    .joules = joules,
				    .samples = 100};

	run.sm = (struct clock_range){100, 100ull * sm, sm, sm, MINIMUM_KNOWN};
	run.memory = (struct clock_range){100, 100 * 3201, 3201, 3201, MINIMUM_KNOWN};
	run.reasons[CLOCK_REASON_POWER_CAP] = limited;
	return run;
}

BEFORE_EACH
{
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	a.runs = b.runs = a.energy_runs = b.energy_runs = 1;
	a.energies[3] = run_of(100, 2000, 10);
	b.energies[3] = run_of(100, 2000, 10);
	comparison = (struct comparison){
		.a = &a, .b = &b, .headline = headline, .why = none, .calls = none};
}

static void prints(const char *expected)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	devices_print(&comparison, file);
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
}

TEST(what_is_alike_is_not_shown)
{
	prints("");
	b.energies[3] = run_of(104, 1982, 14);
	prints("");
	comparison.a = &unknown;
	b.energies[3] = run_of(1000, 1000, 100);
	prints("");
	comparison.a = &a;
	comparison.b = &unknown;
	prints("");
}

TEST(a_lower_clock_is_shown_with_what_it_may_do)
{
	b.energies[3] = run_of(100, 1979, 10);
	prints("GPU 3, A and B: SM clock 2000 and 1979 MHz (-1.0 %). By the SM clock alone a "
	       "kernel "
	       "may take 1.1 % longer in B.\n");
	b.energies[3] = run_of(100, 2500, 10);
	prints("GPU 3, A and B: SM clock 2000 and 2500 MHz (+25.0 %). By the SM clock alone a "
	       "kernel "
	       "may take 20.0 % less in B.\n");
	/* Of a side without clocks nothing is said. */
	b.energies[3].sm = (struct clock_range){0};
	prints("");
}

TEST(memory_clock_reasons_and_energy_are_shown_where_they_differ)
{
	b.energies[3].memory.sum = 100 * 2619;
	prints("GPU 3, A and B: memory clock 3201 and 2619 MHz (-18.2 %).\n");
	b.energies[3] = run_of(100, 2000, 16);
	prints("GPU 3, A and B: clocks limited by software power cap in 10.0 and 16.0 % of the "
	       "samples.\n");
	b.energies[3] = run_of(94, 2000, 10);
	prints("GPU 3, A and B: energy 100 J and 94.0 J a run (50.0 W and 47.0 W).\n");
	b.energies[3] = run_of(300, 1000, 100);
	prints("GPU 3, A and B: SM clock 2000 and 1000 MHz (-50.0 %), clocks limited by software "
	       "power cap in 10.0 and 100.0 % of the samples, energy 100 J and 300 J a run (50.0 W "
	       "and 150 W). By the SM clock alone a kernel may take 100.0 % longer in B.\n");
	b.energies[3] = run_of(300, 2000, 10);
	a.energies[3].duration = 0;
	prints("");
}

TEST(memory_that_differs_is_shown_with_and_without_energy)
{
	a.memory_peaks[3] = 100 << 20;
	b.memory_peaks[3] = (100 << 20) + (1 << 20) - 1;
	/* Of a side that has none nothing is known. */
	a.memory_peaks[4] = 1 << 20;
	b.memory_peaks[5] = 1 << 20;
	prints("");
	b.memory_peaks[3] = 125 << 20;
	prints("GPU 3, A and B: memory at most 100 MB and 125 MB (+25.0 %).\n");
	b.energies[3] = run_of(94, 2000, 10);
	prints("GPU 3, A and B: memory at most 100 MB and 125 MB (+25.0 %), energy 100 J and 94.0 "
	       "J "
	       "a run (50.0 W and 47.0 W).\n");
	memset(a.energies, 0, sizeof(a.energies));
	b.memory_peaks[0] = 1;
	a.memory_peaks[0] = 2;
	prints("GPU 0, A and B: memory at most 2 B and 1 B (-50.0 %).\n"
	       "GPU 3, A and B: memory at most 100 MB and 125 MB (+25.0 %).\n");
	comparison.b = &unknown;
	prints("");
}

TEST(the_most_memory_of_a_side_s_runs_counts)
{
	struct profile sum = {0}, run = {0};

	run.memory_peaks[0] = 5;
	run.memory_peaks[SESSION_DEVICES - 1] = 7;
	assert_int_equal(profile_add_run(&sum, &run), 0);
	run.memory_peaks[0] = 6;
	run.memory_peaks[SESSION_DEVICES - 1] = 1;
	assert_int_equal(profile_add_run(&sum, &run), 0);
	assert_int_equal(sum.memory_peaks[0], 6);
	assert_int_equal(sum.memory_peaks[1], 0);
	assert_int_equal(sum.memory_peaks[SESSION_DEVICES - 1], 7);
	profile_free(&sum);
}

/* A member of the comparison as JSON; the caller deletes it. */
static cJSON *json_of(const char *name)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	cJSON *all, *member;

	comparison_print(&comparison, SHEET_JSON, file);
	fclose(file);
	all = cJSON_Parse(text);
	member = cJSON_DetachItemFromObject(all, name);
	cJSON_Delete(all);
	free(text);
	return member;
}

TEST(json_has_the_memory_that_a_side_knows)
{
	cJSON *array;
	char *text;

	a.memory_peaks[0] = 123456789012;
	b.memory_peaks[SESSION_DEVICES - 1] = 5;
	array = json_of("memory");
	text = cJSON_PrintUnformatted(array);
	assert_string_equal(text, "[{\"device\":0,\"a\":123456789012,\"b\":null},"
				  "{\"device\":63,\"a\":null,\"b\":5}]");
	free(text);
	cJSON_Delete(array);
	comparison.a = comparison.b = &unknown;
	array = json_of("memory");
	assert_int_equal(cJSON_GetArraySize(array), 0);
	cJSON_Delete(array);
}

TEST(energy_is_that_of_a_run)
{
	a.energies[3] = run_of(300, 2000, 10);
	a.energy_runs = 3;
	prints("");
	b.energies[3] = run_of(600, 2000, 10);
	b.energy_runs = 2;
	prints("GPU 3, A and B: energy 100 J and 300 J a run (150 W and 300 W).\n");
}

TEST(runs_are_added_up)
{
	struct profile sum = {0}, run = {0};
	struct device_energy energy = run_of(100, 2000, 10), none = {.state = ENERGY_MIG};

	run.energies[4] = none;
	run.energies[5] = energy;
	assert_int_equal(profile_add_run(&sum, &run), 0);
	assert_int_equal(profile_add_run(&sum, &run), 0);
	assert_int_equal(profile_add_run(&sum, &(struct profile){0}), 0);
	assert_int_equal(sum.runs, 3);
	assert_int_equal(sum.energy_runs, 2);
	assert_int_equal(sum.energies[5].samples, 200);
	assert_int_equal(sum.energies[4].samples, 0);
	profile_free(&run);
	profile_free(&sum);
}

TEST(json_has_the_devices_that_a_side_knows)
{
	cJSON *array;
	char *text;

	a.energies[7] = run_of(100, 2000, 10);
	b.energies[8] = (struct device_energy){.state = ENERGY_MIG};
	array = json_of("energy");
	assert_int_equal(cJSON_GetArraySize(array), 2);
	assert_int_equal(cJSON_GetArrayItem(array, 0)->child->valueint, 3);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetArrayItem(array, 1), "b")));
	text = cJSON_PrintUnformatted(cJSON_GetObjectItem(cJSON_GetArrayItem(array, 1), "a"));
	assert_string_equal(
		text,
		"{\"joules\":100,\"duration\":2000000000,\"watts\":50,\"from_power\":false,"
		"\"samples\":100,\"samples_idle\":0,"
		"\"sm_mhz\":{\"minimum\":2000,\"average\":2000,\"maximum\":2000},"
		"\"memory_mhz\":{\"minimum\":3201,\"average\":3201,\"maximum\":3201},"
		"\"clock_reasons\":{\"applications_clocks_setting\":0,\"software_power_cap\":0.1,"
		"\"hardware_slowdown\":0,\"sync_boost\":0,\"software_thermal_slowdown\":0,"
		"\"hardware_thermal_slowdown\":0,\"hardware_power_brake\":0,"
		"\"display_clock_setting\":0}}");
	free(text);
	cJSON_Delete(array);
	comparison.a = &unknown;
	b.energies[3].sm.samples = 0;
	array = json_of("energy");
	assert_int_equal(cJSON_GetArraySize(array), 1);
	text = cJSON_PrintUnformatted(array);
	assert_non_null(strstr(text, "[{\"device\":3,\"a\":null,\"b\":{\"joules\":100,"));
	assert_non_null(strstr(text, "\"sm_mhz\":null,\"memory_mhz\":{"));
	free(text);
	cJSON_Delete(array);
}
