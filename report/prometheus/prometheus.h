/* SPDX-License-Identifier: MIT */
/*
 * A profile as Prometheus's text format 0.0.4, as node_exporter's textfile collector takes it: no
 * time stamps, one HELP and TYPE a metric, a label that tells processes apart.
 *
 * A counter must never become smaller, or Prometheus takes it for one that has begun anew. So a
 * `struct prometheus` remembers what it wrote; a kernel that has series of its own keeps them, and
 * one that is among the "other" stays there.
 */
#ifndef KTIME_REPORT_PROMETHEUS_PROMETHEUS_H
#define KTIME_REPORT_PROMETHEUS_PROMETHEUS_H

#include <sys/types.h>

#include "report/session/session.h"

struct prometheus;

/* Where the process runs, for its labels; "" where it is not known. */
struct prometheus_place {
	char node[256], pod[256], pod_namespace[256];
};
/*
 * By the environment of the process, of which `variable` gives a variable or NULL: NODE_NAME,
 * POD_NAME and POD_NAMESPACE, as Kubernetes passes them down, else the host's name.
 */
void prometheus_place_of(struct prometheus_place *place, const char *hostname,
			 const char *(*variable)(const char *name, void *argument), void *argument);

/*
 * The file of --prometheus of a process: "DIR/NAME.PID.prom" of "DIR/NAME.prom", so that each has
 * one, unless the pattern has its number (%p). `rank_variable`: see rank_find(). The caller frees
 * it; NULL with a one-line message.
 */
char *prometheus_path(const char *pattern, const char *rank_variable, pid_t pid, char *message,
		      size_t size);

/* `kernels`: how many of them get series of their own. NULL if memory is out. */
struct prometheus *prometheus_create(unsigned kernels);
void prometheus_free(struct prometheus *metrics);
/* Adds a process's profile to what is to be written. 0 or -errno. One thread at a time. */
int prometheus_add(struct prometheus *metrics, const struct session *session,
		   const struct prometheus_place *place);
/* Writes what was added, and forgets all of it but the figures that the next must not be below. */
int prometheus_write(struct prometheus *metrics, FILE *file);

#endif
