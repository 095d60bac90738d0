/* SPDX-License-Identifier: MIT */
#include "report/prometheus/prometheus.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "report/session/figure_tables.h"
#include "report/session/memory_use.h"
#include "report/prometheus/prometheus_internal.h"
#include "report/options/filename.h"
#include "report/options/rank.h"

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

void prometheus_add_series(struct adding *adding, enum metric metric, const struct labels *labels,
			   double value)
{
	if (!adding->error)
		adding->error = exposition_add(&adding->metrics->exposition, metric, labels, value);
}

void prometheus_add_by(struct adding *adding, enum metric metric, const char *label,
		       const char *text, double value)
{
	struct labels labels = adding->labels;

	labels_add(&labels, label, text);
	prometheus_add_series(adding, metric, &labels, value);
}

void prometheus_device_labels(const struct adding *adding, int device, struct labels *labels)
{
	*labels = adding->labels;
	labels_add_number(labels, "device", device);
}

static void write_use(struct adding *adding)
{
	uint64_t idle[IDLE_CAUSE_COUNT];
	struct labels labels, caused;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct device_use *use = session_use(adding->session, device);

		if (!use)
			continue;
		prometheus_device_labels(adding, device, &labels);
		prometheus_add_series(adding, METRIC_BUSY, &labels, (double)use->busy / 1e9);
		idle_totals(adding->session, device, idle);
		for (unsigned cause = 0; cause < IDLE_CAUSE_COUNT; cause++) {
			caused = labels;
			labels_add(&caused, "cause", idle_cause_keys[cause]);
			prometheus_add_series(adding, METRIC_IDLE, &caused,
					      (double)idle[cause] / 1e9);
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
		prometheus_add_series(adding, METRIC_MEMORY_PEAK, &labels, (double)use->peak);
		if (use->kind == ALLOCATION_TOTAL)
			continue;
		prometheus_add_series(adding, METRIC_MEMORY, &labels, (double)use->held);
		prometheus_add_series(adding, METRIC_ALLOCATIONS, &labels,
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
	prometheus_add_series(adding, METRIC_INFO, &info, 1);
	for (size_t i = 0; i < sizeof(series) / sizeof(series[0]); i++) {
		const struct figure *figure = &figures_of(SCOPE_RUN)->figures[series[i].counter];

		prometheus_add_by(adding, series[i].metric, "reason", series[i].reason,
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
	prometheus_add_rows(&adding);
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
