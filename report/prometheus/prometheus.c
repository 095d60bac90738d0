/* SPDX-License-Identifier: MIT */
#include "report/prometheus/prometheus.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "report/names/demangle.h"
#include "report/names/short_name.h"
#include "report/options/filename.h"
#include "report/options/rank.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/prometheus/exposition.h"
#include "report/session/layout.h"
#include "report/session/memory_use.h"

/* Bytes of a name: longer ones are cut, and summed up if they are the same then. Chosen. */
#define NAME_MOST 200

/* A kernel, or a kind of copy, on a device: all rows that have the same name as a label. */
struct sum {
	char name[NAME_MOST];
	int32_t device;
	uint32_t is_kernel;
	/* From here on no key. */
	uint64_t calls, bytes;
	double seconds;
	bool listed; /* a kernel that has series of its own */
	UT_hash_handle hh;
};

struct prometheus {
	struct exposition exposition;
	unsigned kernels;
	struct process *processes;
};

/* What is kept of a process from one writing to the next. */
struct process {
	struct process *next;
	int32_t pid;
	uint64_t started;
	struct sum *sums;
	unsigned listed; /* kernels */
};

/* What is being added. */
struct adding {
	struct prometheus *metrics;
	struct process *process;
	const struct session *session;
	struct labels labels; /* that all of the process's series have */
	int error;
};

/* Adds a series of the process. */
static void add_series(struct adding *adding, enum metric metric, const struct labels *labels,
		       double value)
{
	if (!adding->error)
		adding->error = exposition_add(&adding->metrics->exposition, metric, labels, value);
}

/* With one label more. */
static void add_by(struct adding *adding, enum metric metric, const char *label, const char *text,
		   double value)
{
	struct labels labels = adding->labels;

	labels_add(&labels, label, text);
	add_series(adding, metric, &labels, value);
}

/* The labels of the process and of a device of its. */
static void device_labels(const struct adding *adding, int device, struct labels *labels)
{
	*labels = adding->labels;
	labels_add_number(labels, "device", device);
}

/* The upper ends of the histogram's buckets: 2^10 ns and each fourfold of it up to 4.3 s, which are
 * ends of the profile's own buckets too. */
#define BUCKET_FIRST_BIT 10
#define BUCKET_STEP_BITS 2
#define BUCKETS		 12
#define SUM_KEY		 offsetof(struct sum, calls)
/* The series of the kernels that have none of their own. */
#define OTHERS		 "other"

/* The durations of a device's kernels. */
struct durations {
	uint64_t buckets[BUCKETS + 1], calls;
	double seconds;
};

/* A row's name as a label: of a kernel the short name, which is cut where it is too long. */
static void name_of(const struct session *session, const struct row *row, char name[NAME_MOST])
{
	const char *text = session_string(session, row->name);
	char *demangled = row->kind == ROW_KERNEL ? demangle(text) : NULL;
	char *shortened = demangled ? short_name(demangled, false) : NULL;
	char direction[32];

	memset(name, 0, NAME_MOST);
	/* "[CUDA memcpy HtoD]" */
	if (row->kind == ROW_MEMCPY && strncmp(text, "[CUDA memcpy ", 13) == 0) {
		snprintf(direction, sizeof(direction), "%.*s", (int)strcspn(text + 13, "]"),
			 text + 13);
		label_value(name, NAME_MOST, direction);
	} else if (row->kind == ROW_MEMSET) {
		snprintf(name, NAME_MOST, "memset");
	} else {
		/* Names that are the same as labels are one kernel. */
		label_value(name, NAME_MOST, shortened ? shortened : text);
	}
	free(shortened);
	free(demangled);
}

static struct sum *sum_of(struct adding *adding, const struct row *row)
{
	struct sum *sum, *wanted = calloc(1, sizeof(*wanted));

	if (!wanted)
		return NULL;
	name_of(adding->session, row, wanted->name);
	wanted->device = row->device;
	wanted->is_kernel = row->kind == ROW_KERNEL || row->kind == ROW_GRAPH;
	HASH_FIND(hh, adding->process->sums, wanted, SUM_KEY, sum);
	if (sum) {
		free(wanted);
		return sum;
	}
	HASH_ADD_KEYPTR(hh, adding->process->sums, wanted, SUM_KEY, wanted);
	if (!wanted->hh.tbl) {
		free(wanted);
		return NULL;
	}
	return wanted;
}

/*
 * The time of the calls in a row's histogram. In one of events each call counts for those that it
 * stands for, and so does its time here: unlike the row's estimate it never becomes smaller. Of
 * merged rows the sum of the estimates is known alone.
 */
static double time_of_calls(const struct row *row, const struct figures *figures,
			    const struct histogram *histogram)
{
	double calls = (double)row_calls_of_clock(row, CLOCK_EVENTS), total = 0;

	if (figures != &row->events || !row_is_estimated(row, CLOCK_EVENTS))
		return (double)figures->total;
	if (row->summed)
		return row_estimate(row, CLOCK_EVENTS).total * (double)histogram_count(histogram) /
		       calls;
	for (unsigned i = 0; i < ESTIMATE_STRATA; i++)
		total += row->estimate.strata[i].total;
	/* Of calls that are shorter than the overhead that was taken off nothing may be left. */
	return total > 0 ? total : 0;
}

static void add_durations(struct durations *durations, const struct session *session,
			  const struct row *row, const struct figures *figures)
{
	const struct session_header *header = session_header(session);
	const struct histogram *histogram;

	/* One clock for the whole run: what CUPTI has counted since a late start is less than what
	 * the series have already. */
	if (header->counters[COUNTER_cupti_late_ns] > 0)
		figures = &row->events;
	else if (header->cupti_active && header->timer != TIMER_EVENTS)
		figures = &row->cupti;
	histogram = session_histogram(session, figures->histogram);
	if (!histogram)
		return;
	durations->calls += histogram_count(histogram);
	durations->seconds += time_of_calls(row, figures, histogram) / 1e9;
	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		uint64_t low = histogram_bucket_low(bucket);
		unsigned i = 0;

		if (!histogram->buckets[bucket])
			continue;
		while (i < BUCKETS && low >= 1ull << (BUCKET_FIRST_BIT + i * BUCKET_STEP_BITS))
			i++;
		durations->buckets[i] += histogram->buckets[bucket];
	}
}

static void write_durations(struct adding *adding, int device, const struct durations *durations)
{
	struct exposition *exposition = &adding->metrics->exposition;
	struct labels labels, bucket;
	uint64_t count = 0;
	char end[32];

	device_labels(adding, device, &labels);
	for (unsigned i = 0; i <= BUCKETS && !adding->error; i++) {
		count += durations->buckets[i];
		snprintf(end, sizeof(end), "%.9g",
			 (double)(1ull << (BUCKET_FIRST_BIT + i * BUCKET_STEP_BITS)) / 1e9);
		bucket = labels;
		labels_add(&bucket, "le", i < BUCKETS ? end : "+Inf");
		adding->error = exposition_add_part(exposition, METRIC_DURATION, "_bucket", &bucket,
						    (double)count);
	}
	if (!adding->error)
		adding->error = exposition_add_part(exposition, METRIC_DURATION, "_sum", &labels,
						    durations->seconds);
	if (!adding->error)
		adding->error = exposition_add_part(exposition, METRIC_DURATION, "_count", &labels,
						    (double)durations->calls);
}

static bool is_copy(const struct row *row)
{
	return row->kind == ROW_MEMCPY || row->kind == ROW_MEMSET || row->kind == ROW_MOVEMENT;
}

/*
 * The time of a row. While CUPTI records, an event pair may be read before the record is: its time
 * would be more, and a counter could not go back.
 */
static double seconds_of(const struct session *session, const struct row *row,
			 enum clock_source clock)
{
	const struct session_header *header = session_header(session);
	struct timed_row timed;

	/* Its records are still to come; unless CUPTI records a part of the calls alone. */
	if (clock == CLOCK_EVENTS && header->cupti_active && header->timer != TIMER_EVENTS &&
	    !header->counters[COUNTER_cupti_late_ns] && !(row->known & TOTAL_KNOWN))
		return (double)row->cupti.total / 1e9;
	return row_timed(session, row, &timed) ? timed.total / 1e9 : 0;
}

/* Sums the rows up by name, and writes what needs no sum. */
static void take_rows(struct adding *adding)
{
	static const char *const reasons[] = {
#define REASON(name, text) text,
		UNTIMED_REASONS(REASON)
#undef REASON
	};
	static struct durations durations[SESSION_DEVICES];
	uint64_t untimed[UNTIMED_COUNT] = {0}, operations = 0;
	const struct row *row;
	struct sum *sum;

	memset(durations, 0, sizeof(durations));
	session_for_each_row (adding->session, row) {
		enum clock_source clock;
		const struct figures *figures = row_figures(adding->session, row, &clock);
		uint64_t calls = row_calls(row);

		if (table_section_of(adding->session, row) != TABLE_GPU || calls == 0)
			continue;
		operations += calls;
		for (unsigned i = 0; i < UNTIMED_COUNT; i++)
			if (clock == CLOCK_NONE ||
			    (clock == CLOCK_EVENTS && i != UNTIMED_SAMPLED_OUT))
				untimed[i] += row->untimed[i];
		if (!is_copy(row) && row->kind != ROW_KERNEL && row->kind != ROW_GRAPH)
			continue;
		sum = sum_of(adding, row);
		if (!sum) {
			adding->error = -ENOMEM;
			return;
		}
		sum->calls += calls;
		sum->bytes += row->bytes;
		sum->seconds += seconds_of(adding->session, row, clock);
		if (sum->is_kernel && row->device >= 0 && row->device < SESSION_DEVICES)
			add_durations(&durations[row->device], adding->session, row, figures);
	}
	add_series(adding, METRIC_OPERATIONS, &adding->labels, (double)operations);
	for (unsigned i = 0; i < UNTIMED_COUNT; i++)
		add_by(adding, METRIC_UNTIMED, "reason", reasons[i], (double)untimed[i]);
	for (int device = 0; device < SESSION_DEVICES; device++)
		if (durations[device].calls > 0)
			write_durations(adding, device, &durations[device]);
}

/* What is shown by itself, of all rows. */
static void add_figures(struct adding *adding)
{
	const struct figure *figures = figures_of(SCOPE_ROW)->figures;

	for (unsigned i = 0; i < ROW_FIGURE_COUNT; i++)
		if (figures[i].shown == SHOWN_LISTED)
			add_series(adding, METRIC_FIGURES + i, &adding->labels,
				   figures_of_rows(adding->session, &figures[i]));
}

static int by_seconds(struct sum *left, struct sum *right)
{
	return left->seconds > right->seconds ? -1 : left->seconds < right->seconds;
}

/* Gives series of their own to the kernels that took the longest, and keeps them: what is in
 * "other" once stays there, or that would become smaller. */
static void choose_kernels(struct adding *adding)
{
	struct process *process = adding->process;
	struct sum *sum;

	HASH_SORT(process->sums, by_seconds);
	for (sum = process->sums; sum && process->listed < adding->metrics->kernels;
	     sum = sum->hh.next) {
		/* A kernel of the others' name is one of them. */
		if (!sum->is_kernel || sum->listed || strcmp(sum->name, OTHERS) == 0)
			continue;
		sum->listed = true;
		process->listed++;
	}
}

static void write_kernel(struct adding *adding, int device, const char *name, double seconds,
			 uint64_t calls)
{
	struct labels labels;

	device_labels(adding, device, &labels);
	labels_add(&labels, "kernel", name);
	add_series(adding, METRIC_KERNEL_SECONDS, &labels, seconds);
	add_series(adding, METRIC_KERNEL_CALLS, &labels, (double)calls);
}

static void write_copy(struct adding *adding, const struct sum *sum)
{
	struct labels labels;

	device_labels(adding, sum->device, &labels);
	labels_add(&labels, "operation", sum->name);
	add_series(adding, METRIC_COPY_SECONDS, &labels, sum->seconds);
	add_series(adding, METRIC_COPY_CALLS, &labels, (double)sum->calls);
	add_series(adding, METRIC_COPY_BYTES, &labels, (double)sum->bytes);
}

static void write_sums(struct adding *adding)
{
	static struct sum others[SESSION_DEVICES];
	struct sum *sum, *next;

	memset(others, 0, sizeof(others));
	choose_kernels(adding);
	HASH_ITER (hh, adding->process->sums, sum, next) {
		struct sum *other = sum->device >= 0 && sum->device < SESSION_DEVICES
					    ? &others[sum->device]
					    : &others[0];

		if (!sum->is_kernel) {
			write_copy(adding, sum);
			continue;
		}
		if (sum->listed) {
			write_kernel(adding, sum->device, sum->name, sum->seconds, sum->calls);
			continue;
		}
		other->seconds += sum->seconds;
		other->calls += sum->calls;
	}
	for (int device = 0; device < SESSION_DEVICES; device++)
		if (others[device].calls > 0)
			write_kernel(adding, device, OTHERS, others[device].seconds,
				     others[device].calls);
}

static void add_rows(struct adding *adding)
{
	struct sum *sum, *next;

	HASH_ITER (hh, adding->process->sums, sum, next) {
		sum->calls = sum->bytes = 0;
		sum->seconds = 0;
	}
	take_rows(adding);
	add_figures(adding);
	if (!adding->error)
		write_sums(adding);
}

struct prometheus *prometheus_create(unsigned kernels)
{
	struct prometheus *metrics = calloc(1, sizeof(*metrics));

	if (metrics)
		metrics->kernels = kernels;
	return metrics;
}

static void free_sums(struct process *process)
{
	struct sum *sum, *next;

	HASH_ITER (hh, process->sums, sum, next) {
		HASH_DEL(process->sums, sum);
		free(sum);
	}
}

void prometheus_free(struct prometheus *metrics)
{
	if (!metrics)
		return;
	for (struct process *process = metrics->processes, *next; process; process = next) {
		next = process->next;
		free_sums(process);
		free(process);
	}
	exposition_free(&metrics->exposition);
	free(metrics);
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

void prometheus_place_of(struct prometheus_place *place, const char *hostname,
			 const char *(*variable)(const char *name, void *argument), void *argument)
{
	const char *node = variable("NODE_NAME", argument), *pod = variable("POD_NAME", argument);

	/* A pod's host name is its own. */
	if (!pod && variable("KUBERNETES_SERVICE_HOST", argument))
		pod = hostname;
	snprintf(place->node, sizeof(place->node), "%s", node ? node : hostname);
	snprintf(place->pod, sizeof(place->pod), "%s", or_empty(pod));
	snprintf(place->pod_namespace, sizeof(place->pod_namespace), "%s",
		 or_empty(variable("POD_NAMESPACE", argument)));
}

char *prometheus_path(const char *pattern, const char *rank_variable, pid_t pid, char *message,
		      size_t size)
{
	static const char ending[] = ".prom";
	struct name_codes codes = {.pid = pid, .id = -1};
	char *path, *result, number[16] = "";
	struct process_rank rank;
	size_t length;

	rank_find(&rank, rank_variable);
	codes.rank = rank.rank;
	path = filename_expand_path(pattern, &codes, message, size);
	length = path ? strlen(path) : 0;
	if (!path)
		return NULL;
	if (length > strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0)
		length -= strlen(ending);
	if (!strstr(pattern, "%p"))
		snprintf(number, sizeof(number), ".%d", (int)pid);
	if (asprintf(&result, "%.*s%s%s", (int)length, path, number, ending) < 0) {
		snprintf(message, size, "%s", strerror(ENOMEM));
		result = NULL;
	}
	free(path);
	return result;
}

static struct process *process_of(struct prometheus *metrics, const struct session_header *header)
{
	struct process *process;

	for (process = metrics->processes; process; process = process->next)
		if (process->pid == header->pid && process->started == header->owner.started)
			return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = header->pid;
	process->started = header->owner.started;
	process->next = metrics->processes;
	metrics->processes = process;
	return process;
}

static void write_use(struct adding *adding)
{
	uint64_t idle[IDLE_CAUSE_COUNT];
	struct labels labels, caused;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct device_use *use = session_use(adding->session, device);

		if (!use)
			continue;
		device_labels(adding, device, &labels);
		add_series(adding, METRIC_BUSY, &labels, (double)use->busy / 1e9);
		idle_totals(adding->session, device, idle);
		for (unsigned cause = 0; cause < IDLE_CAUSE_COUNT; cause++) {
			caused = labels;
			labels_add(&caused, "cause", idle_cause_keys[cause]);
			add_series(adding, METRIC_IDLE, &caused, (double)idle[cause] / 1e9);
		}
	}
}

/* A device's total is the sum of its kinds but for the peak, as they have theirs at other times. */
static void write_memory(struct adding *adding)
{
	const struct memory_use *use;
	struct labels labels;

	session_for_each_memory_use(adding->session, use)
	{
		labels = adding->labels;
		if (use->device >= 0)
			labels_add_number(&labels, "device", use->device);
		labels_add(&labels, "kind", allocation_key(use->kind));
		add_series(adding, METRIC_MEMORY_PEAK, &labels, (double)use->peak);
		if (use->kind == ALLOCATION_TOTAL)
			continue;
		add_series(adding, METRIC_MEMORY, &labels, (double)use->held);
		add_series(adding, METRIC_ALLOCATIONS, &labels, (double)use->allocations);
	}
}

static void write_counters(struct adding *adding)
{
	static const struct {
		enum metric metric;
		enum session_counter counter;
		const char *reason;
	} series[] = {{METRIC_LOST, COUNTER_cupti_dropped, "dropped by CUPTI"},
		      {METRIC_LOST, COUNTER_cupti_unread, "not read in time"},
		      {METRIC_LOST, COUNTER_cupti_invalid, "without valid times"},
		      {METRIC_RUN, COUNTER_wall_ns, ""},
		      {METRIC_ADDED, COUNTER_added_ns, ""},
		      {METRIC_BACKGROUND, COUNTER_collector_ns, ""},
		      {METRIC_OWN_MEMORY, COUNTER_memory_bytes, ""}};
	const struct session_header *header = session_header(adding->session);
	struct labels info = adding->labels;

	labels_add(&info, "version", KTIME_VERSION);
	labels_add_number(&info, "driver", header->driver_version);
	labels_add_number(&info, "cupti", header->cupti_version);
	add_series(adding, METRIC_INFO, &info, 1);
	for (size_t i = 0; i < sizeof(series) / sizeof(series[0]); i++) {
		const struct figure *figure = &figures_of(SCOPE_RUN)->figures[series[i].counter];

		add_by(adding, series[i].metric, "reason", series[i].reason,
		       figure_value(figure, header->counters) /
			       (figure->unit == FIGURE_UNIT_NS ? 1e9 : 1));
	}
}

/* The program's name without its folder and arguments. */
static void label_process(struct adding *adding, const struct prometheus_place *place)
{
	const struct session_header *header = session_header(adding->session);
	char program[256];

	program_name(session_string(adding->session, header->command), program, sizeof(program));
	labels_add_number(&adding->labels, "pid", header->pid);
	if (header->rank.rank >= 0)
		labels_add_number(&adding->labels, "rank", header->rank.rank);
	labels_add(&adding->labels, "command", program);
	labels_add(&adding->labels, "node", place->node);
	labels_add(&adding->labels, "pod", place->pod);
	labels_add(&adding->labels, "namespace", place->pod_namespace);
}

int prometheus_add(struct prometheus *metrics, const struct session *session,
		   const struct prometheus_place *place)
{
	struct adding adding = {.metrics = metrics, .session = session};
	locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", NULL));

	adding.process = process_of(metrics, session_header(session));
	if (!adding.process) {
		adding.error = -ENOMEM;
		goto out;
	}
	label_process(&adding, place);
	write_counters(&adding);
	add_rows(&adding);
	write_use(&adding);
	write_memory(&adding);
out:
	uselocale(before);
	return adding.error;
}

int prometheus_write(struct prometheus *metrics, FILE *file)
{
	return exposition_write(&metrics->exposition, file);
}
