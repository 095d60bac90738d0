/* SPDX-License-Identifier: MIT */
/* Finding and loading libcupti at run time. ktime links neither it nor its stub library, so
 * programs without CUPTI, or with another version, run as before. */
#ifndef KTIME_CUPTI_LIBRARY_H
#define KTIME_CUPTI_LIBRARY_H

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if CUPTI_API_VERSION < 130000
typedef void CUpti_SubscriberParams;
#endif

/* The functions that ktime calls: X(name, arguments, need). Written out because the headers of CUDA
 * 12.0 do not declare all of them. An OPTIONAL one may be NULL. */
#define CUPTI_FUNCTIONS(X)                                                                         \
	X(cuptiGetVersion, (uint32_t * version), REQUIRED)                                         \
	X(cuptiGetTimestamp, (uint64_t * timestamp), REQUIRED)                                     \
	X(cuptiGetResultString, (CUptiResult result, const char **text), REQUIRED)                 \
	X(cuptiActivityRegisterCallbacks,                                                          \
	  (CUpti_BuffersCallbackRequestFunc requested,                                             \
	   CUpti_BuffersCallbackCompleteFunc completed),                                           \
	  REQUIRED)                                                                                \
	X(cuptiActivityEnable, (CUpti_ActivityKind kind), REQUIRED)                                \
	X(cuptiActivityDisable, (CUpti_ActivityKind kind), REQUIRED)                               \
	X(cuptiActivityFlushAll, (uint32_t flag), REQUIRED)                                        \
	X(cuptiActivityGetNextRecord, (uint8_t * buffer, size_t size, CUpti_Activity * *record),   \
	  REQUIRED)                                                                                \
	X(cuptiActivityGetNumDroppedRecords,                                                       \
	  (CUcontext context, uint32_t stream_id, size_t * dropped), REQUIRED)                     \
	X(cuptiActivityGetAttribute,                                                               \
	  (CUpti_ActivityAttribute attribute, size_t * size, void *value), OPTIONAL)               \
	X(cuptiActivitySetAttribute,                                                               \
	  (CUpti_ActivityAttribute attribute, size_t * size, void *value), OPTIONAL)               \
	X(cuptiActivityEnableContext, (CUcontext context, CUpti_ActivityKind kind), OPTIONAL)      \
	X(cuptiActivityDisableContext, (CUcontext context, CUpti_ActivityKind kind), OPTIONAL)     \
	X(cuptiActivityEnableAndDump, (CUpti_ActivityKind kind), OPTIONAL)                         \
	X(cuptiActivityEnableRuntimeApi, (CUpti_CallbackId callback, uint8_t enable), OPTIONAL)    \
	X(cuptiActivityConfigureUnifiedMemoryCounter,                                              \
	  (CUpti_ActivityUnifiedMemoryCounterConfig * config, uint32_t count), OPTIONAL)           \
	X(cuptiActivityRegisterTimestampCallback, (CUpti_TimestampCallbackFunc clock), OPTIONAL)   \
	X(cuptiFinalize, (void), OPTIONAL)                                                         \
	X(cuptiSubscribe_v2,                                                                       \
	  (CUpti_SubscriberHandle * subscriber, CUpti_CallbackFunc callback, void *argument,       \
	   CUpti_SubscriberParams *parameters),                                                    \
	  OPTIONAL)                                                                                \
	X(cuptiGetStreamIdEx,                                                                      \
	  (CUcontext context, CUstream stream, uint8_t per_thread, uint32_t * stream_id),          \
	  OPTIONAL)                                                                                \
	X(cuptiGetContextId, (CUcontext context, uint32_t * context_id), OPTIONAL)                 \
	X(cuptiGetGraphExecId, (CUgraphExec graph, uint32_t * graph_id), OPTIONAL)                 \
	X(cuptiGetGraphNodeId, (CUgraphNode node, uint64_t * node_id), OPTIONAL)                   \
	X(cuptiGetCallbackName,                                                                    \
	  (CUpti_CallbackDomain domain, uint32_t callback, const char **name), OPTIONAL)

struct cupti_functions {
	uint32_t version; /* from cuptiGetVersion(); 0: it failed */
#define CUPTI_FUNCTION(name, arguments, need) CUptiResult(*name) arguments;
	CUPTI_FUNCTIONS(CUPTI_FUNCTION)
#undef CUPTI_FUNCTION
};

/* Looks a library's functions up: dlsym, unless it is set before all other functions of cupti/ are
 * called. ktime interposes dlsym, and must not get its own wrappers. */
extern void *(*library_symbol)(void *handle, const char *name);

/*
 * Finds and loads libcupti, once: the one that is loaded already, next to the program's CUDA
 * runtime, among the Python packages that it or ktime is of, in CUDA_HOME, in /usr/local/cuda, or
 * in the loader's search path. `driver_version` is cuDriverGetVersion()'s: a libcupti of a newer
 * major version is not used. 0, or one line for the user in `reason` and -ENOENT (not found),
 * -EPROTO (unsuitable version), -ENOSYS (a required function is missing) or -ENOMEM. It is never
 * unloaded. Any thread, several at once; takes the loader's lock, so hold no lock of ktime's.
 */
int library_load(int driver_version, char *reason, size_t size);

/* Uses the libcupti that is loaded already, of any version, for forwarding the program's calls when
 * ktime does not use CUPTI itself. 0, -ENOENT or -ENOMEM. Any thread. */
int library_attach(void);

/* The functions, once library_load() or library_attach() has returned 0; else NULL. Any thread. */
const struct cupti_functions *library_functions(void);
/* Counts the result of a call of ktime's if it failed, and returns it. Any thread. */
CUptiResult library_check(CUptiResult result);
/* How many of ktime's calls into CUPTI have failed since the last call. Any thread. */
uint64_t library_errors(void);
/* The path of the library; "" if there is none. */
const char *library_path(void);

/*
 * Whether CUPTI gives each thread its own activity buffers: from CUDA 13.0 on unless disabled, from
 * 12.3 to 12.9 if the program asked for it. That cannot change after the first kind is enabled
 * (cupti_activity.h).
 */
bool library_fills_by_thread(void);
/* Tells CUPTI whether all buffers that it gets are zeroed, so that it need not clear them within
 * the program's calls. If this CUPTI does not know the attribute, it clears them nevertheless. */
void library_say_buffers_are_zeroed(bool zeroed);

/* What ktime does differently with one version of CUPTI than with another: one table. */

/* The versions of CUPTI with which the recording of kernels can be turned off and on, in words for
 * the user. */
#define CUPTI_THAT_PAUSES "CUDA 12.4, or of 13.0 Update 1 or later"

struct cupti_version {
	/* The first of these versions, by cuptiGetVersion(); they end before the table's next. */
	uint32_t first;
	/* The kernel kind can be turned off while the program launches graphs. */
	bool pauses_kernels;
	/* Nodes of graphs can be recorded, as many as there are. */
	bool records_nodes;
	/* ktime may refuse CUPTI's request for a buffer; CUPTI then drops records. */
	bool takes_refusal;
	/* Each thread fills buffers of its own, unless an attribute says otherwise. */
	bool fills_by_thread;
	/* A subscriber of the V2 interface has activity kinds of its own, next to which the process
	 * has none. */
	bool subscribers_record;
	/* Once the older interface (V1) has recorded, such a subscriber is refused its callbacks,
	 * until cuptiFinalize, which ktime does not call. */
	bool excludes_v2;
};

/* The table's entry for the library; for a version newer than all that were tried, the newest
 * entry; without a library, one in which nothing is true. Any thread. */
const struct cupti_version *library_version(void);

/* Why CUPTI cannot be used, in words for the user. */

/* Whether another profiler is injected into the program, which uses CUPTI and would lose its
 * records to ktime; one line for the user in `reason`. Any thread. */
bool refusal_by_environment(char *reason, size_t size);

/* What CUPTI's error at the start means, and what the user can do: one line in `reason`. */
void refusal_by_cupti(const struct cupti_functions *cupti, CUptiResult result, char *reason,
		      size_t size);

#endif
