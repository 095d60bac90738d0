/* SPDX-License-Identifier: MIT */
#include "report/prometheus/prometheus.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/demangle.h"
#include "report/names/visible.h"
#include "report/options/filename.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/session/entries.h"
#include "report/session/layout.h"
#include "report/session/items.h"

/* X(name, type, help). The help texts are the same in all files, or a scrape of several fails. */
#define METRICS(X)                                                                                 \
	X(INFO, "ktime_info", "gauge",                                                             \
	  "1; the labels tell the versions of ktime, driver and CUPTI.")                           \
	X(RUN, "ktime_run_seconds_total", "counter",                                               \
	  "Time since the process's first use of CUDA.")                                           \
	X(KERNEL_SECONDS, "ktime_kernel_seconds_total", "counter", "GPU time of kernels.")         \
	X(KERNEL_CALLS, "ktime_kernel_calls_total", "counter", "Kernels that were launched.")      \
	X(DURATION, "ktime_kernel_duration_seconds", "histogram",                                  \
	  "Durations of the kernels that were timed.")                                             \
	X(COPY_SECONDS, "ktime_copy_seconds_total", "counter", "GPU time of copies and memsets.")  \
	X(COPY_CALLS, "ktime_copy_calls_total", "counter", "Copies and memsets that were made.")   \
	X(COPY_BYTES, "ktime_copy_bytes_total", "counter", "Bytes of copies and memsets.")         \
	X(BUSY, "ktime_gpu_busy_seconds_total", "counter",                                         \
	  "Time in which the process's work ran on the GPU.")                                      \
	X(IDLE, "ktime_gpu_idle_seconds_total", "counter",                                         \
	  "Time between the process's operations on the GPU, by cause.")                           \
	X(MEMORY, "ktime_memory_bytes", "gauge",                                                   \
	  "Memory that the program holds by its allocation calls, by kind.")                       \
	X(MEMORY_PEAK, "ktime_memory_peak_bytes", "gauge",                                         \
	  "The most that it held at once, by kind and of a device in all.")                        \
	X(ALLOCATIONS, "ktime_memory_allocations_total", "counter",                                \
	  "Allocations of memory, by kind.")                                                       \
	X(OPERATIONS, "ktime_operations_total", "counter", "GPU operations that were started.")    \
	X(UNTIMED, "ktime_operations_untimed", "gauge",                                            \
	  "Of these, operations without a time, by reason.")                                       \
	X(LOST, "ktime_records_lost_total", "counter",                                             \
	  "Activity records that were lost, by reason.")                                           \
	X(ADDED, "ktime_overhead_seconds_total", "counter",                                        \
	  "Time by which ktime makes the run longer, about.")                                      \
	X(BACKGROUND, "ktime_background_cpu_seconds_total", "counter",                             \
	  "Processor time of ktime's background thread.")                                          \
	X(OVERHEAD_INCLUDED, "ktime_event_overhead_included", "gauge",                             \
	  "1: times by CUDA events hold the event-pair overhead, measured at the program's end.")  \
	X(OWN_MEMORY, "ktime_overhead_memory_bytes", "gauge", "Peak memory that ktime takes.")

#define METRIC_ENUM(name, text, type, help) METRIC_##name,
/* Behind them one for each figure of a row, by its place in the table. */
enum metric {
	METRICS(METRIC_ENUM) METRIC_FIGURES,
	METRIC_COUNT = METRIC_FIGURES + ROW_FIGURE_COUNT
};
#undef METRIC_ENUM

/* Bytes of a label's value, its end among them; what is longer is cut. Chosen. */
#define LABEL_MOST	 256
/* Bytes of a name: longer ones are cut, and summed up if they are the same then. Chosen. */
#define NAME_MOST	 200
/* The upper ends of the histogram's buckets: 2^10 ns and each fourfold of it up to 4.3 s, which are
 * ends of the profile's own buckets too. */
#define BUCKET_FIRST_BIT 10
#define BUCKET_STEP_BITS 2
#define BUCKETS		 12
/* The series of the kernels that have none of their own. */
#define OTHERS		 "other"

/* Labels as they stand between the braces: room for seven of values that are all quotes. */
struct labels {
	char text[4096];
	size_t length;
};

/* A kernel, or a kind of copy, on a device: all rows that have the same name as a label. */
struct sum {
	struct text_entry entry; /* of all that tells it from others */
	const char *name;
	int32_t device;
	bool is_kernel, listed; /* listed: a kernel that has series of its own */
	uint64_t calls, bytes;
	double seconds;
};

/* A series, by its name and labels. */
struct value {
	struct text_entry entry;
	double value;	  /* a counter's, which must not become smaller */
	unsigned written; /* the exposition that has it */
};

struct prometheus {
	struct {
		char *text; /* its series so far */
		size_t length;
		FILE *file;
	} metrics[METRIC_COUNT];
	struct text_entry *values; /* what counters had when they were written last */
	unsigned number;	   /* how often all was written */
	unsigned kernels;	   /* that have series of their own */
	struct process *processes;
};

/* What is kept of a process from one writing to the next. */
struct process {
	struct process *next;
	int32_t pid;
	uint64_t started;
	struct text_entry *sums;
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

struct description {
	char name[64];
	const char *type, *help;
};

static struct description describe(unsigned metric)
{
	static const struct description descriptions[] = {
#define DESCRIPTION(name, text, type, help) {text, type, help},
		METRICS(DESCRIPTION)
#undef DESCRIPTION
	};
	struct description description;
	const struct figure *figure;

	if (metric < METRIC_FIGURES)
		return descriptions[metric];
	figure = &figures_of(SCOPE_ROW)->figures[metric - METRIC_FIGURES];
	snprintf(description.name, sizeof(description.name), "ktime_%s%s", figure->name,
		 figure->merge == MERGE_SUM ? "_total" : "");
	description.type = figure->merge == MERGE_SUM ? "counter" : "gauge";
	description.help = figure->text;
	return description;
}

/* A value as a label has it. */
static void label_value(char *text, size_t size, const char *value)
{
	char shown[VISIBLE_SIZE];
	size_t used = 0, length;

	/* The server refuses what is no UTF-8. Cut between two characters. */
	while ((length = visible_next(&value, shown)) > 0 && used + length < size) {
		memcpy(text + used, shown, length);
		used += length;
	}
	text[used] = '\0';
}

/* Adds one; nothing if the value is empty. What does not fit is left out. */
static void labels_add(struct labels *labels, const char *name, const char *value)
{
	size_t start = labels->length, room = sizeof(labels->text) - 1;
	char visible[LABEL_MOST];
	char *out = labels->text;

	if (!*value)
		return;
	label_value(visible, sizeof(visible), value);
	labels->length +=
		(size_t)snprintf(out + start, room - start, "%s%s=\"", start ? "," : "", name);
	for (const char *at = visible; *at && labels->length + 8 < room; at++) {
		if (*at == '\\' || *at == '"')
			out[labels->length++] = '\\';
		out[labels->length++] = *at;
	}
	if (labels->length + 8 >= room)
		labels->length = start;
	else
		out[labels->length++] = '"';
	out[labels->length] = '\0';
}

static void labels_add_number(struct labels *labels, const char *name, long long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", value);
	labels_add(labels, name, text);
}

/* Adds a series whose metric's name gets a suffix, unless it was added already. */
static int add_line(struct prometheus *metrics, enum metric metric, const char *suffix,
		    const struct labels *labels, double value)
{
	const struct description description = describe(metric);
	FILE **file = &metrics->metrics[metric].file;
	struct value *entry;
	char key[sizeof(labels->text) + 128];

	if (!*file)
		*file = open_memstream(&metrics->metrics[metric].text,
				       &metrics->metrics[metric].length);
	if (!*file)
		return -ENOMEM;
	snprintf(key, sizeof(key), "%s%s{%s}", description.name, suffix, labels->text);
	entry = text_entry_of(&metrics->values, key, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	/* A server refuses all of what has a series twice, as a profile that was written over may
	 * have. */
	if (entry->written == metrics->number + 1)
		return 0;
	entry->written = metrics->number + 1;
	if (strcmp(description.type, "gauge") != 0) {
		RAISE(value, entry->value);
		entry->value = value;
	}
	return fprintf(*file, "%s %.15g\n", key, value) < 0 ? -ENOMEM : 0;
}

/*
 * Adds a series of the process: of a device, unless that is negative, and with one label more,
 * unless that is empty. `suffix` stands behind the metric's name. A counter, or a part of a
 * histogram, is never written with less than before.
 */
static void add_part(struct adding *adding, enum metric metric, const char *suffix, int device,
		     const char *label, const char *text, double value)
{
	struct labels labels = adding->labels;

	if (device >= 0)
		labels_add_number(&labels, "device", device);
	labels_add(&labels, label, text);
	if (!adding->error)
		adding->error = add_line(adding->metrics, metric, suffix, &labels, value);
}

static void add(struct adding *adding, enum metric metric, int device, const char *label,
		const char *text, double value)
{
	add_part(adding, metric, "", device, label, text, value);
}

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

/* NULL if memory is out. */
static struct sum *sum_of(struct adding *adding, const struct row *row)
{
	bool is_kernel = row->kind == ROW_KERNEL || row->kind == ROW_GRAPH;
	char key[NAME_MOST + 32];
	int before = snprintf(key, sizeof(key), "%d %d ", is_kernel, row->device);
	struct sum *sum;

	name_of(adding->session, row, key + before);
	sum = text_entry_of(&adding->process->sums, key, sizeof(*sum));
	if (sum) {
		sum->name = sum->entry.text + before;
		sum->device = row->device;
		sum->is_kernel = is_kernel;
	}
	return sum;
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
	uint64_t count = 0;
	char end[32];

	for (unsigned i = 0; i <= BUCKETS; i++) {
		count += durations->buckets[i];
		snprintf(end, sizeof(end), "%.9g",
			 (double)(1ull << (BUCKET_FIRST_BIT + i * BUCKET_STEP_BITS)) / 1e9);
		add_part(adding, METRIC_DURATION, "_bucket", device, "le",
			 i < BUCKETS ? end : "+Inf", (double)count);
	}
	add_part(adding, METRIC_DURATION, "_sum", device, "", "", durations->seconds);
	add_part(adding, METRIC_DURATION, "_count", device, "", "", (double)durations->calls);
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
		if (!row_is_memory(row->kind) && row->kind != ROW_KERNEL && row->kind != ROW_GRAPH)
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
	add(adding, METRIC_OPERATIONS, -1, "", "", (double)operations);
	for (unsigned i = 0; i < UNTIMED_COUNT; i++)
		add(adding, METRIC_UNTIMED, -1, "reason", untimed_texts[i], (double)untimed[i]);
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
			add(adding, METRIC_FIGURES + i, -1, "", "",
			    figures_of_rows(adding->session, &figures[i]));
}

static int by_seconds(struct text_entry *left, struct text_entry *right)
{
	return IN_ORDER(((struct sum *)right)->seconds, ((struct sum *)left)->seconds);
}

/* Gives series of their own to the kernels that took the longest, and keeps them: what is in
 * "other" once stays there, or that would become smaller. */
static void choose_kernels(struct adding *adding)
{
	struct process *process = adding->process;

	HASH_SORT(process->sums, by_seconds);
	entries_for_each (struct sum, process->sums, sum) {
		/* A kernel of the others' name is one of them. */
		if (process->listed == adding->metrics->kernels || !sum->is_kernel || sum->listed ||
		    strcmp(sum->name, OTHERS) == 0)
			continue;
		sum->listed = true;
		process->listed++;
	}
}

static void write_sum(struct adding *adding, const struct sum *sum)
{
	const char *label = sum->is_kernel ? "kernel" : "operation";

	add(adding, sum->is_kernel ? METRIC_KERNEL_SECONDS : METRIC_COPY_SECONDS, sum->device,
	    label, sum->name, sum->seconds);
	add(adding, sum->is_kernel ? METRIC_KERNEL_CALLS : METRIC_COPY_CALLS, sum->device, label,
	    sum->name, (double)sum->calls);
	if (!sum->is_kernel)
		add(adding, METRIC_COPY_BYTES, sum->device, label, sum->name, (double)sum->bytes);
}

static void write_sums(struct adding *adding)
{
	static struct sum others[SESSION_DEVICES];

	memset(others, 0, sizeof(others));
	choose_kernels(adding);
	entries_for_each (struct sum, adding->process->sums, sum) {
		bool known = sum->device >= 0 && sum->device < SESSION_DEVICES;
		struct sum *other = &others[known ? sum->device : 0];

		if (!sum->is_kernel || sum->listed) {
			write_sum(adding, sum);
			continue;
		}
		other->seconds += sum->seconds;
		other->calls += sum->calls;
	}
	for (int device = 0; device < SESSION_DEVICES; device++) {
		others[device].device = device;
		others[device].is_kernel = true;
		others[device].name = OTHERS;
		if (others[device].calls > 0)
			write_sum(adding, &others[device]);
	}
}

static void add_rows(struct adding *adding)
{
	entries_for_each (struct sum, adding->process->sums, sum) {
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

static void forget(struct prometheus *metrics)
{
	metrics->number++;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		if (metrics->metrics[i].file)
			fclose(metrics->metrics[i].file);
		free(metrics->metrics[i].text);
		metrics->metrics[i].file = NULL;
		metrics->metrics[i].text = NULL;
	}
}

void prometheus_free(struct prometheus *metrics)
{
	if (!metrics)
		return;
	for (struct process *process = metrics->processes, *next; process; process = next) {
		next = process->next;
		text_entries_free(&process->sums);
		free(process);
	}
	forget(metrics);
	text_entries_free(&metrics->values);
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
	const struct name_codes codes = {pid, rank_find(rank_variable).rank, -1};
	char *path = filename_expand_path(pattern, &codes, message, size);
	size_t length = path ? strlen(path) : 0;
	char *result, number[16] = "";

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
	const struct device_use *use;

	session_for_each_use (adding->session, UINT64_MAX, device, use) {
		/* An estimate may become less. */
		if (use->error > 0)
			continue;
		add(adding, METRIC_BUSY, device, "", "", (double)use->busy / 1e9);
		idle_totals(adding->session, device, idle);
		for (unsigned cause = 0; cause < IDLE_CAUSE_COUNT; cause++)
			add(adding, METRIC_IDLE, device, "cause", idle_cause_keys[cause],
			    (double)idle[cause] / 1e9);
	}
}

/* A device's total is the sum of its kinds but for the peak, as they have theirs at other times. */
static void write_memory(struct adding *adding)
{
	const struct memory_use *use;

	session_for_each_memory_use (adding->session, use) {
		const char *kind = allocation_keys[use->kind];

		add(adding, METRIC_MEMORY_PEAK, use->device, "kind", kind, (double)use->peak);
		if (use->kind == ALLOCATION_TOTAL)
			continue;
		add(adding, METRIC_MEMORY, use->device, "kind", kind, (double)use->held);
		add(adding, METRIC_ALLOCATIONS, use->device, "kind", kind,
		    (double)use->allocations);
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
	adding->error = add_line(adding->metrics, METRIC_INFO, "", &info, 1);
	for (size_t i = 0; i < sizeof(series) / sizeof(series[0]); i++) {
		const struct figure *figure = &figures_of(SCOPE_RUN)->figures[series[i].counter];

		add(adding, series[i].metric, -1, "reason", series[i].reason,
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
	add(&adding, METRIC_OVERHEAD_INCLUDED, -1, "", "", rows_include_overhead(session));
out:
	uselocale(before);
	return adding.error;
}

int prometheus_write(struct prometheus *metrics, FILE *file)
{
	int error = 0;

	for (unsigned i = 0; i < METRIC_COUNT && !error; i++) {
		const struct description description = describe(i);

		if (!metrics->metrics[i].file)
			continue;
		if (fflush(metrics->metrics[i].file) != 0)
			error = -ENOMEM;
		else if (fprintf(file, "# HELP %s %s\n# TYPE %s %s\n%s", description.name,
				 description.help, description.name, description.type,
				 metrics->metrics[i].text) < 0)
			error = -errno;
	}
	forget(metrics);
	return error;
}
