/* SPDX-License-Identifier: MIT */
#include "report/export/export_json_row.h"

#include <math.h>

#include "report/session/estimate.h"
#include "report/export/json.h"
#include "report/print/table.h"

static const char *const kind_names[ROW_KINDS] = {
	[ROW_KERNEL] = "kernel",       [ROW_MEMCPY] = "memcpy",	    [ROW_MEMSET] = "memset",
	[ROW_GRAPH] = "graph",	       [ROW_MOVEMENT] = "movement", [ROW_OTHER] = "other",
	[ROW_RUNTIME_API] = "runtime", [ROW_DRIVER_API] = "driver", [ROW_OVERHEAD] = "overhead",
	[ROW_RANGE] = "range",
};

static const char *const clock_names[] = {
	[CLOCK_NONE] = "none",
	[CLOCK_CUPTI] = "cupti",
	[CLOCK_EVENTS] = "events",
};

const char *json_kind_name(unsigned kind)
{
	return kind < ROW_KINDS ? kind_names[kind] : "unknown";
}

const char *json_clock_name(unsigned clock)
{
	return clock <= CLOCK_EVENTS ? clock_names[clock] : "unknown";
}

static cJSON *histogram_object(const struct histogram *histogram)
{
	cJSON *buckets = cJSON_CreateArray();

	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		cJSON *entry;

		if (!histogram->buckets[bucket])
			continue;
		entry = cJSON_CreateObject();
		json_add_unsigned(entry, "from", histogram_bucket_low(bucket));
		json_add_unsigned(entry, "to", histogram_bucket_high(bucket));
		json_add_unsigned(entry, "count", histogram->buckets[bucket]);
		cJSON_AddItemToArray(buckets, entry);
	}
	return buckets;
}

/* `all`: what the figures say of all calls, where they are a sample of `calls`; else NULL. */
static void add_figures(cJSON *object, const char *name, const struct session *session,
			const struct figures *figures, const struct estimated *all, uint64_t calls)
{
	static const struct {
		const char *name;
		double fraction;
	} percentiles[] = {
		{"median", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999},
	};
	const struct histogram *histogram = session_histogram(session, figures->histogram);
	double total = all ? all->total : (double)figures->total;
	cJSON *clock;

	if (!figures->count)
		return;
	if (!all)
		calls = figures->count;
	clock = cJSON_AddObjectToObject(object, name);
	json_add_unsigned(clock, "count", figures->count);
	json_add_unsigned(clock, "total", figures->total);
	cJSON_AddNumberToObject(clock, "average", total / (double)calls);
	json_add_unsigned(clock, "minimum", figures->minimum);
	json_add_unsigned(clock, "maximum", figures->maximum);
	cJSON_AddNumberToObject(
		clock, "deviation",
		sqrt(sample_variance(calls, total, all ? all->squares : figures->squares)));
	if (!histogram)
		return;
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(*percentiles); i++)
		json_add_unsigned(clock, percentiles[i].name,
				  histogram_percentile_within(histogram, percentiles[i].fraction,
							      figures->minimum, figures->maximum));
	cJSON_AddItemToObject(clock, "histogram", histogram_object(histogram));
}

static void add_bytes(cJSON *object, const struct session *session, const struct row *row)
{
	cJSON *bytes;

	if (!row->bytes)
		return;
	bytes = cJSON_AddObjectToObject(object, "bytes");
	json_add_figures(bytes, session, SCOPE_ROW, row, "bytes.");
	cJSON_AddNumberToObject(
		bytes, "deviation",
		sqrt(sample_variance(row->calls, (double)row->bytes, row->bytes_squares)));
}

/* Where both clocks timed the same calls: how far they agree. */
static void add_check(cJSON *object, const struct session *session, const struct row *row)
{
	const struct histogram *differences = session_histogram(session, row->difference_histogram);
	cJSON *check;

	if (!row->checked && !row->unmatched)
		return;
	check = cJSON_AddObjectToObject(object, "check");
	json_add_figures(check, session, SCOPE_ROW, row, "check.");
	if (differences)
		json_add_unsigned(check, "median_difference",
				  histogram_percentile(differences, 0.5));
}

/* Where a part of the calls was timed: the total of all, and half of its 95 % interval. */
static void add_estimate(cJSON *object, const struct estimated *estimated)
{
	cJSON *estimate = cJSON_AddObjectToObject(object, "estimate");

	cJSON_AddNumberToObject(estimate, "total", estimated->total);
	if (!isnan(estimated->error))
		cJSON_AddNumberToObject(estimate, "error", estimated->error);
}

static void add_rate_members(cJSON *object, const struct rate *rate)
{
	cJSON_AddNumberToObject(object, "average", rate->average);
	cJSON_AddNumberToObject(object, "minimum", rate->minimum);
	cJSON_AddNumberToObject(object, "maximum", rate->maximum);
}

/* False, and nothing is added, if the rate is not known. */
static bool add_rate(cJSON *object, const char *name, const struct rate *rate)
{
	if (!(rate->average > 0))
		return false;
	add_rate_members(cJSON_AddObjectToObject(object, name), rate);
	return true;
}

static void add_above_zero(cJSON *object, const char *name, double value)
{
	if (value > 0)
		cJSON_AddNumberToObject(object, name, value);
}

static void add_units(cJSON *rates, const struct row_work *work, const struct row_rates *of_row)
{
	cJSON *array = work->units[0] ? cJSON_AddArrayToObject(rates, "work") : NULL;

	for (int i = 0; i < WORK_UNITS && work->units[i]; i++) {
		cJSON *entry = cJSON_CreateObject();

		json_add_text(entry, "unit", work->units[i]->unit);
		if (of_row->units[i].average > 0)
			add_rate_members(entry, &of_row->units[i]);
		cJSON_AddItemToArray(array, entry);
	}
}

static void add_occupancy(cJSON *rates, const struct row_rates *of_row)
{
	cJSON *occupancy;

	if (!(of_row->occupancy_most > 0))
		return;
	occupancy = cJSON_AddObjectToObject(rates, "occupancy");
	cJSON_AddNumberToObject(occupancy, "least", of_row->occupancy_least);
	cJSON_AddNumberToObject(occupancy, "most", of_row->occupancy_most);
	json_add_text(occupancy, "limit", occupancy_limit_text(of_row->occupancy.limit));
	add_above_zero(occupancy, "waves", of_row->occupancy.waves);
}

/* GB/s and GFLOP/s beside the device's peaks; of kernels what was declared, and the occupancy. */
static void add_rates(cJSON *object, const struct session *session, const struct row *row,
		      const struct row_work *work)
{
	const struct device_info *device = rates_device(session, row);
	struct timed_row timed;
	struct row_rates of_row;
	char text[64];
	cJSON *rates;

	if ((row->kind != ROW_KERNEL && row->kind != ROW_MEMCPY && row->kind != ROW_MEMSET) ||
	    !row_timed(session, row, &timed))
		return;
	of_row = rates_of(&timed, session_string(session, row->name), work, device);
	rates = cJSON_AddObjectToObject(object, "rates");
	if (add_rate(rates, "bandwidth", &of_row.bandwidth)) {
		json_add_text(rates, "peak_of",
			      peak_text(of_row.peak_kind, device, text, sizeof(text)));
		add_above_zero(rates, "peak", of_row.peak);
		add_above_zero(rates, "percent", of_row.bandwidth_percent);
	}
	if (of_row.remark != REMARK_NONE)
		json_add_text(rates, "remark", rate_remark_text(of_row.remark));
	if (add_rate(rates, "flops", &of_row.flops)) {
		json_add_text(rates, "precision", precision_name(of_row.precision));
		add_above_zero(rates, "flops_peak", of_row.flops_peak);
		add_above_zero(rates, "flops_percent", of_row.flops_percent);
	}
	add_above_zero(rates, "bytes_per_flop", of_row.bytes_per_flop);
	add_above_zero(rates, "balance", of_row.balance);
	if (of_row.bound != BOUND_UNKNOWN)
		json_add_text(rates, "bound", rates_bound_text(of_row.bound));
	add_units(rates, work, &of_row);
	add_occupancy(rates, &of_row);
	if (rates && !rates->child)
		cJSON_Delete(cJSON_DetachItemViaPointer(object, rates));
}

cJSON *json_row(const struct session *session, const struct row *row, const char *name,
		const struct row_work *work)
{
	cJSON *object = cJSON_CreateObject();
	struct estimated estimated = {0};
	enum clock_source clock;

	row_figures(session, row, &clock);
	json_add_text(object, "kind", json_kind_name(row->kind));
	json_add_text(object, "name", name);
	if (row->kind == ROW_KERNEL)
		json_add_text(object, "mangled", session_string(session, row->name));
	if (row->device >= 0)
		json_add_unsigned(object, "device", row->device);
	json_add_unsigned(object, "calls", row_calls(row));
	json_add_figures(object, session, SCOPE_ROW, row, "");
	json_add_text(object, "clock", json_clock_name(clock));
	add_bytes(object, session, row);
	add_figures(object, "cupti", session, &row->cupti, NULL, 0);
	if (row_is_estimated(row, CLOCK_EVENTS))
		estimated = row_estimate(row, CLOCK_EVENTS);
	add_figures(object, "events", session, &row->events,
		    estimated.total > 0 ? &estimated : NULL, row_calls_of_clock(row, CLOCK_EVENTS));
	if (row_is_estimated(row, clock)) {
		estimated = row_estimate(row, clock);
		add_estimate(object, &estimated);
	}
	add_check(object, session, row);
	add_rates(object, session, row, work);
	json_add_figures(cJSON_AddObjectToObject(object, "untimed"), session, SCOPE_ROW, row,
			 "untimed.");
	return object;
}
