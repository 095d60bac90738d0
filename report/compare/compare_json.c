/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "report/compare/compare_devices.h"
#include "report/compare/compare_print.h"
#include "report/export/json.h"

/* Grows when a field changes its meaning or goes. */
#define FORMAT 1

/* cJSON writes a number that is none as null. */
static void add_change(cJSON *object, const struct change *change)
{
	cJSON_AddNumberToObject(object, "ratio", change->ratio);
	cJSON_AddNumberToObject(object, "low", change->low);
	cJSON_AddNumberToObject(object, "high", change->high);
	cJSON_AddNumberToObject(object, "probability", change->probability);
}

static void add_side(cJSON *object, const char *name, const struct profile_row *row)
{
	cJSON *side = row ? cJSON_AddObjectToObject(object, name) : NULL;
	cJSON *runs;

	if (!row)
		cJSON_AddNullToObject(object, name);
	runs = cJSON_AddArrayToObject(side, "runs");
	for (size_t i = 0; row && i < row->run_count; i++) {
		const struct row_run *times = &row->runs[i];
		cJSON *run = cJSON_CreateObject();

		json_add_unsigned(run, "run", times->run);
		json_add_unsigned(run, "calls", times->calls);
		cJSON_AddNumberToObject(run, "total_ns", times->total);
		cJSON_AddNumberToObject(run, "average_ns", times->average);
		cJSON_AddItemToArray(runs, run);
	}
}

static cJSON *row_object(const struct comparison_row *row)
{
	cJSON *object = cJSON_CreateObject(), *average, *total;

	cJSON_AddStringToObject(object, "type", comparison_is_api(row) ? "api" : "gpu");
	json_add_text(object, "name", comparison_name(row));
	add_side(object, "a", row->a);
	add_side(object, "b", row->b);
	average = cJSON_AddObjectToObject(object, "average");
	add_change(average, &row->average);
	total = cJSON_AddObjectToObject(object, "total");
	add_change(total, &row->total);
	cJSON_AddStringToObject(object, "verdict", verdict_text(row->verdict));
	return object;
}

int comparison_print_json(const struct comparison *comparison, FILE *file)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *gpu, *rows;
	int error;

	cJSON_AddNumberToObject(root, "format", FORMAT);
	json_add_unsigned(root, "runs_a", comparison->runs_a);
	json_add_unsigned(root, "runs_b", comparison->runs_b);
	cJSON_AddNumberToObject(root, "threshold_percent", comparison->threshold * 100);
	gpu = cJSON_AddObjectToObject(root, "gpu_total");
	cJSON_AddNumberToObject(gpu, "a_ns", comparison->gpu_a);
	cJSON_AddNumberToObject(gpu, "b_ns", comparison->gpu_b);
	add_change(gpu, &comparison->gpu);
	cJSON_AddStringToObject(gpu, "verdict", verdict_text(comparison->gpu_verdict));
	cJSON_AddItemToObject(root, "memory", comparison_memory_json(comparison));
	cJSON_AddItemToObject(root, "energy", comparison_energy_json(comparison));
	rows = cJSON_AddArrayToObject(root, "rows");
	for (size_t i = 0; i < comparison->count; i++)
		cJSON_AddItemToArray(rows, row_object(&comparison->rows[i]));
	error = json_write(file, root);
	fputc('\n', file);
	return error;
}
