/* SPDX-License-Identifier: MIT */
/*
 * libcupti, found and loaded at run time. ktime links neither it nor its stub, so that a program
 * without CUPTI, or with another version of it, runs as before.
 */
#ifndef KTIME_CUPTI_LIBRARY_H
#define KTIME_CUPTI_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cupti.h>

/*
 * X(name, arguments, need): what ktime calls, by the API's names. Written out because the
 * headers of CUDA 12.0 do not declare all of them; an OPTIONAL one may be NULL.
 */
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
	X(cuptiGetStreamIdEx,                                                                      \
	  (CUcontext context, CUstream stream, uint8_t per_thread, uint32_t * stream_id),          \
	  OPTIONAL)                                                                                \
	X(cuptiGetContextId, (CUcontext context, uint32_t * context_id), OPTIONAL)                 \
	X(cuptiGetCallbackName,                                                                    \
	  (CUpti_CallbackDomain domain, uint32_t callback, const char **name), OPTIONAL)

struct cupti_functions {
	uint32_t version; /* as cuptiGetVersion gives it */
#define CUPTI_FUNCTION(name, arguments, need) CUptiResult(*name) arguments;
	CUPTI_FUNCTIONS(CUPTI_FUNCTION)
#undef CUPTI_FUNCTION
};

/*
 * Says how symbols are looked up in a handle; dlsym unless set. ktime interposes dlsym, and its
 * own look-ups must not be given its own wrappers. Call it before anything else of cupti/.
 */
void library_use_lookup(void *(*lookup)(void *handle, const char *name));

/*
 * Finds and loads libcupti, once: the one in the process, beside the program's CUDA runtime, in
 * CUDA_HOME, in the default prefix, by the loader's search path. `driver_version` is
 * cuDriverGetVersion's: a libcupti of a newer major version than the driver is not used.
 * The caller holds no lock of its own; the loader's is taken. Any thread, several at once.
 * Returns 0, or -ENOENT (not found), -EPROTO (of a version that is not used), -ENOSYS (without a
 * function that is needed), and one line for the user in `reason`. It is never unloaded.
 */
int library_load(int driver_version, char *reason, size_t size);

/*
 * Takes the libcupti that is in the process, if there is one, whatever its version. What a
 * program's own calls need where ktime uses no CUPTI itself. Any thread.
 */
int library_attach(void);

/* The functions, once library_load or library_attach returned 0; else NULL. Any thread. */
const struct cupti_functions *library_functions(void);
/* The path that the functions came from; "" before. */
const char *library_path(void);

/*
 * Whether CUPTI has each thread fill activity buffers of its own: from CUDA 13.0 on unless it was
 * turned off, in 12.3 to 12.9 where a program asked for it. That is settled before the first kind
 * is on (cupti_activity.h).
 */
bool library_fills_by_thread(const struct cupti_functions *cupti);
/*
 * Tells CUPTI whether each buffer it is given is all zeros, so that it need not clear it within the
 * call that needs it. It may not know the attribute: then it clears what is clear.
 */
void library_say_buffers_are_zeroed(const struct cupti_functions *cupti, bool zeroed);

#endif
