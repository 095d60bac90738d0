/* SPDX-License-Identifier: MIT */
#include "report/rates/rates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/demangle.h"

static void assign(struct row_work *work, const struct declared_work *declared)
{
	int i = 0;

	switch (declared->kind) {
	case DECLARED_BYTES:
		work->bytes = declared;
		break;
	case DECLARED_FLOPS:
		work->flops = declared;
		break;
	case DECLARED_WORK:
		while (i < WORK_UNITS && work->units[i] &&
		       strcmp(work->units[i]->unit, declared->unit) != 0)
			i++;
		if (i < WORK_UNITS)
			work->units[i] = declared;
		break;
	}
}

int work_match(struct declared_work *declared, const char *mangled, bool demangling,
	       struct row_work *work)
{
	char *readable;

	*work = (struct row_work){.bytes = NULL};
	if (!declared)
		return 0;
	readable = demangling ? demangle(mangled) : NULL;
	if (!readable)
		readable = strdup(mangled);
	if (!readable)
		return -ENOMEM;
	for (; declared; declared = declared->next) {
		if (regexec(&declared->regex, readable, 0, NULL, 0) != 0)
			continue;
		declared->matched = true;
		assign(work, declared);
	}
	free(readable);
	return 0;
}

void work_warn_unmatched(const struct declared_work *declared, const char *prefix, FILE *file)
{
	for (; declared; declared = declared->next)
		if (!declared->matched)
			fprintf(file, "%sWarning: --%s '%s' matches no kernel's full name\n",
				prefix, declared_options[declared->kind], declared->text);
}

int work_warn(const struct session *session, const struct options *options, const char *prefix,
	      FILE *file)
{
	struct row_work work;
	struct row *row;
	int error = 0;

	session_for_each_row (session, row)
		if (!error && row->kind == ROW_KERNEL)
			error = work_match(options->declared, session_string(session, row->name),
					   options->demangling, &work);
	if (!error)
		work_warn_unmatched(options->declared, prefix, file);
	return error;
}

const struct rate_remark_texts rate_remarks[REMARK_COUNT] = {
#define RATE_REMARK_TEXTS(name, text, meaning) {text, meaning},
	RATE_REMARKS(RATE_REMARK_TEXTS)
#undef RATE_REMARK_TEXTS
};

static double speed(const struct sized_call *call)
{
	return call->ns ? (double)call->size / (double)call->ns : 0;
}

/* Of something that each unit of the calls' sizes has `amount` of. */
static struct rate rate_by_size(const struct timed_row *timed, double amount)
{
	const struct figures *figures = timed->figures;
	struct rate rate = {.minimum = amount * speed(&figures->slowest),
			    .maximum = amount * speed(&figures->fastest)};

	if (timed->estimated && timed->row->kind != ROW_KERNEL && timed->total > 0)
		rate.average = amount * (double)timed->row->bytes / timed->total;
	else if (figures->total)
		rate.average = amount * (double)figures->size / (double)figures->total;
	return rate;
}

/* Of something that each call has `amount` of. */
static struct rate rate_by_calls(const struct timed_row *timed, double amount)
{
	const struct figures *figures = timed->figures;
	struct rate rate = {0};

	if (timed->total > 0)
		rate.average = amount * (double)timed->calls / timed->total;
	if (figures->count && figures->maximum)
		rate.minimum = amount / (double)figures->maximum;
	if (figures->count && figures->minimum)
		rate.maximum = amount / (double)figures->minimum;
	return rate;
}

static struct rate rate_of(const struct timed_row *timed, const struct declared_work *declared)
{
	return declared->per_thread ? rate_by_size(timed, declared->amount)
				    : rate_by_calls(timed, declared->amount);
}

/* How much a launch has of it on average; 0: not known. */
static double per_launch(const struct timed_row *timed, const struct declared_work *declared)
{
	const struct figures *figures = timed->figures;

	if (!declared->per_thread)
		return declared->amount;
	return figures->count ? declared->amount * (double)figures->size / (double)figures->count
			      : 0;
}

static enum peak_kind peak_kind_of(enum row_kind kind, const char *name)
{
	static const struct {
		const char *direction;
		enum peak_kind kind;
	} directions[] = {
		{" HtoD]", PEAK_HOST},	    {" DtoH]", PEAK_HOST},	{" HtoA]", PEAK_HOST},
		{" AtoH]", PEAK_HOST},	    {" DtoD]", PEAK_DRAM_BOTH}, {" AtoA]", PEAK_DRAM_BOTH},
		{" AtoD]", PEAK_DRAM_BOTH}, {" DtoA]", PEAK_DRAM_BOTH}, {" PtoP]", PEAK_NVLINK},
	};

	if (kind != ROW_MEMCPY)
		return kind == ROW_MEMSET || kind == ROW_KERNEL ? PEAK_DRAM : PEAK_NONE;
	for (size_t i = 0; i < sizeof(directions) / sizeof(directions[0]); i++)
		if (strstr(name, directions[i].direction))
			return directions[i].kind;
	return PEAK_NONE;
}

/* Compares the bandwidth with its peak. `bytes`: what a call moves on average. */
static void compare_with_peak(struct row_rates *rates, const struct device_info *device,
			      const struct peaks *peaks, double bytes)
{
	double both = rates->peak_kind == PEAK_DRAM_BOTH ? 2 : 1;
	bool of_dram = rates->peak_kind == PEAK_DRAM || rates->peak_kind == PEAK_DRAM_BOTH;

	/* Between devices without NVLink copies go by PCIe. */
	if (rates->peak_kind == PEAK_NVLINK && !peaks->nvlink)
		rates->peak_kind = PEAK_HOST;
	rates->peak = rates->peak_kind == PEAK_HOST	? peaks->host
		      : rates->peak_kind == PEAK_NVLINK ? peaks->nvlink
		      : of_dram				? peaks->dram
							: 0;
	if (!(rates->bandwidth.average > 0) || rates->peak_kind == PEAK_NONE)
		return;
	if (of_dram && both * bytes <= device->l2_bytes) {
		rates->remark = REMARK_FITS_L2;
	} else if (!(rates->peak > 0)) {
		rates->remark = REMARK_NO_PEAK;
	} else {
		rates->bandwidth_percent = 100 * both * rates->bandwidth.average / rates->peak;
		/* What the caches give, or bytes that nobody moved. */
		if (of_dram && rates->bandwidth_percent > 100)
			rates->remark = REMARK_ABOVE;
	}
}

static void add_declared(struct row_rates *rates, const struct timed_row *timed,
			 const struct row_work *work, const struct device_info *device,
			 const struct peaks *peaks)
{
	double bytes = work->bytes ? per_launch(timed, work->bytes) : 0, flops = 0;

	if (work->bytes) {
		rates->bandwidth = rate_of(timed, work->bytes);
		compare_with_peak(rates, device, peaks, bytes);
		if (!(bytes > 0))
			rates->remark = REMARK_NO_THREADS;
	}
	if (work->flops) {
		flops = per_launch(timed, work->flops);
		rates->flops = rate_of(timed, work->flops);
		rates->precision = (enum precision)work->flops->precision;
		rates->flops_peak = peaks->flops[rates->precision];
		if (rates->flops_peak > 0)
			rates->flops_percent = 100 * rates->flops.average / rates->flops_peak;
		if (!(flops > 0))
			rates->remark = REMARK_NO_THREADS;
	}
	for (int i = 0; i < WORK_UNITS && work->units[i]; i++) {
		rates->units[i] = rate_of(timed, work->units[i]);
		if (!(per_launch(timed, work->units[i]) > 0))
			rates->remark = REMARK_NO_THREADS;
	}
	if (!(bytes > 0) || !(flops > 0))
		return;
	rates->bytes_per_flop = bytes / flops;
	if (peaks->dram > 0 && rates->flops_peak > 0)
		rates->balance = peaks->dram / rates->flops_peak;
	if (rates->balance > 0 && rates->remark == REMARK_NONE)
		rates->bound =
			rates->bytes_per_flop > rates->balance ? BOUND_MEMORY : BOUND_COMPUTE;
}

static void add_occupancy(struct row_rates *rates, const struct row *row,
			  const struct device_info *device)
{
	uint64_t launches = 0;

	for (int i = 0; i < ROW_SHAPES && row->shapes[i].threads; i++) {
		struct occupancy occupancy = occupancy_of(device, &row->shapes[i]);

		if (i == 0 || occupancy.fraction < rates->occupancy_least)
			rates->occupancy_least = occupancy.fraction;
		if (i == 0 || occupancy.fraction > rates->occupancy_most)
			rates->occupancy_most = occupancy.fraction;
		if (row->shapes[i].launches > launches) {
			launches = row->shapes[i].launches;
			rates->occupancy = occupancy;
		}
	}
}

struct row_rates rates_of(const struct timed_row *timed, const char *name,
			  const struct row_work *work, const struct device_info *device)
{
	struct peaks peaks = peaks_of(device);
	struct row_rates rates = {.peak_kind = peak_kind_of(timed->row->kind, name)};

	if (timed->row->kind == ROW_KERNEL) {
		add_declared(&rates, timed, work, device, &peaks);
		add_occupancy(&rates, timed->row, device);
		return rates;
	}
	rates.bytes = timed->estimated ? timed->row->bytes : timed->figures->size;
	rates.bandwidth = rate_by_size(timed, 1);
	compare_with_peak(&rates, device, &peaks,
			  timed->calls ? (double)rates.bytes / (double)timed->calls : 0);
	return rates;
}

const struct device_info *rates_device(const struct session *session, const struct row *row)
{
	static const struct device_info unknown;

	if (row->device < 0 || row->device >= SESSION_DEVICES)
		return &unknown;
	return &session_header(session)->devices[row->device];
}

const char *peak_text(enum peak_kind kind, const struct device_info *device, char *text,
		      size_t size)
{
	switch (kind) {
	case PEAK_HOST:
		return host_link_text(device, text, size);
	case PEAK_NVLINK:
		snprintf(text, size, "NVLink x%u", device->nvlink_links);
		return text;
	case PEAK_DRAM:
		return "DRAM";
	case PEAK_DRAM_BOTH:
		return "DRAM, read + write";
	default:
		return "-";
	}
}

const char *const rates_bound_texts[] = {"-", "memory", "compute"};

const char *rates_occupancy_text(const struct row_rates *rates, char *text, size_t size)
{
	enum occupancy_limit limit = rates->occupancy.limit;
	char least[16] = "", reason[24] = "";

	if (rates->occupancy_least < rates->occupancy_most)
		snprintf(least, sizeof(least), "%.4g-", 100 * rates->occupancy_least);
	if (limit != OCCUPANCY_BY_NONE)
		snprintf(reason, sizeof(reason), " (%s)", occupancy_limit_texts[limit]);
	if (rates->occupancy_most > 0)
		snprintf(text, size, "%s%.4g%%%s", least, 100 * rates->occupancy_most, reason);
	else
		snprintf(text, size, "-");
	return text;
}
