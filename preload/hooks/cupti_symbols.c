/* SPDX-License-Identifier: MIT */
#include "preload/hooks/cupti_symbols.h"

#include <stddef.h>
#include <string.h>

#include <cupti.h>

#include "cupti/cupti.h"
#include "cupti/kinds.h"
#include "cupti/library.h"
#include "cupti/program.h"
#include "preload/base/export.h"
#include "preload/base/plan.h"

#define EXPORTED_CALLS(X)                                                                          \
	X(cuptiActivityRegisterCallbacks)                                                          \
	X(cuptiActivityEnable)                                                                     \
	X(cuptiActivityEnableAndDump)                                                              \
	X(cuptiActivityDisable)                                                                    \
	X(cuptiActivityEnableContext)                                                              \
	X(cuptiActivityDisableContext)                                                             \
	X(cuptiActivityFlushAll)                                                                   \
	X(cuptiActivityGetNumDroppedRecords)                                                       \
	X(cuptiActivityRegisterTimestampCallback)                                                  \
	X(cuptiGetTimestamp)                                                                       \
	X(cuptiFinalize)                                                                           \
	X(cuptiSubscribe_v2)

/* The functions of the libcupti that the program uses, loaded by ktime or by the program. */
static const struct cupti_functions *real_functions(void)
{
	return library_attach() ? NULL : library_functions();
}

EXPORT CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(
	CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed)
{
	const struct cupti_functions *cupti = real_functions();
	CUptiResult result = CUPTI_SUCCESS;

	if (!cupti)
		return CUPTI_ERROR_NOT_INITIALIZED;
	/* While ktime collects, its own callbacks stay, and hand on to these. */
	if (!cupti_has_callbacks() || !requested || !completed)
		result = cupti->cuptiActivityRegisterCallbacks(requested, completed);
	if (!result)
		forward_register((struct program_callbacks){requested, completed});
	return result;
}

static CUptiResult enable(CUpti_ActivityKind kind, CUptiResult (*call)(CUpti_ActivityKind))
{
	const struct cupti_functions *cupti = library_functions();
	CUptiResult result = kinds_program_enable(cupti, kind, call);

	if (!result && cupti_has_callbacks())
		forward_prepare();
	return result;
}

EXPORT CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind)
{
	const struct cupti_functions *cupti = real_functions();

	return cupti ? enable(kind, cupti->cuptiActivityEnable) : CUPTI_ERROR_NOT_INITIALIZED;
}

EXPORT CUptiResult CUPTIAPI cuptiActivityEnableAndDump(CUpti_ActivityKind kind)
{
	const struct cupti_functions *cupti = real_functions();

	return cupti && cupti->cuptiActivityEnableAndDump
		       ? enable(kind, cupti->cuptiActivityEnableAndDump)
		       : CUPTI_ERROR_NOT_INITIALIZED;
}

EXPORT CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind)
{
	const struct cupti_functions *cupti = real_functions();

	return cupti ? kinds_program_disable(cupti, kind) : CUPTI_ERROR_NOT_INITIALIZED;
}

EXPORT CUptiResult CUPTIAPI cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind)
{
	const struct cupti_functions *cupti = real_functions();
	CUptiResult result;

	if (!cupti || !cupti->cuptiActivityEnableContext)
		return CUPTI_ERROR_NOT_INITIALIZED;
	result = cupti->cuptiActivityEnableContext(context, kind);
	if (!result)
		kinds_program_noted(cupti, kind);
	if (!result && cupti_has_callbacks())
		forward_prepare();
	return result;
}

EXPORT CUptiResult CUPTIAPI cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind)
{
	const struct cupti_functions *cupti = real_functions();

	if (!cupti || !cupti->cuptiActivityDisableContext)
		return CUPTI_ERROR_NOT_INITIALIZED;
	/* It would go before the setting of the process, and so turn the kind off for ktime. */
	if (cupti_has_callbacks() && kinds_of_ktime(kind))
		return CUPTI_SUCCESS;
	return cupti->cuptiActivityDisableContext(context, kind);
}

EXPORT CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag)
{
	const struct cupti_functions *cupti = real_functions();
	CUptiResult result;

	if (!cupti)
		return CUPTI_ERROR_NOT_INITIALIZED;
	result = cupti->cuptiActivityFlushAll(flag);
	if (cupti_has_callbacks()) {
		forward_flush();
		kinds_program_flushed();
	}
	return result;
}

EXPORT CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream_id,
							      size_t *dropped)
{
	const struct cupti_functions *cupti = real_functions();
	CUptiResult result;

	if (!cupti)
		return CUPTI_ERROR_NOT_INITIALIZED;
	result = cupti->cuptiActivityGetNumDroppedRecords(context, stream_id, dropped);
	/* CUPTI resets its count of dropped records at each query: add what ktime's queries took.
	 */
	if (!result)
		*dropped += forward_take_dropped();
	return result;
}

EXPORT CUptiResult CUPTIAPI
cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock)
{
	const struct cupti_functions *cupti = real_functions();
	CUptiResult result = CUPTI_SUCCESS;

	if (!cupti || !cupti->cuptiActivityRegisterTimestampCallback)
		return CUPTI_ERROR_NOT_INITIALIZED;
	if (!cupti_has_callbacks() || !clock)
		result = cupti->cuptiActivityRegisterTimestampCallback(clock);
	if (!result)
		program_clock_set(clock);
	return result;
}

EXPORT CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t *timestamp)
{
	const struct cupti_functions *cupti = real_functions();
	CUpti_TimestampCallbackFunc clock = program_clock();

	if (!cupti)
		return CUPTI_ERROR_NOT_INITIALIZED;
	if (!clock || !timestamp || !cupti_has_callbacks())
		return cupti->cuptiGetTimestamp(timestamp);
	*timestamp = clock();
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult CUPTIAPI cuptiFinalize(void)
{
	const struct cupti_functions *cupti = real_functions();
	CUptiResult result;

	if (!cupti || !cupti->cuptiFinalize)
		return CUPTI_ERROR_NOT_INITIALIZED;
	if (cupti_has_callbacks()) {
		cupti_ending();
		forward_flush();
		/* The buffers are the program's from here on. */
		library_say_buffers_are_zeroed(false);
	}
	result = cupti->cuptiFinalize();
	if (cupti_has_callbacks())
		forward_flush();
	cupti_finalized(!result);
	if (cupti_ended())
		plan_cupti_ended();
	return result;
}

EXPORT CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber,
					      CUpti_CallbackFunc callback, void *argument,
					      CUpti_SubscriberParams *parameters)
{
	const struct cupti_functions *cupti = real_functions();

	if (!cupti || !cupti->cuptiSubscribe_v2)
		return CUPTI_ERROR_NOT_INITIALIZED;
	if (library_version()->subscribers_record) {
		cupti_step_aside();
		if (cupti_ended())
			plan_cupti_ended();
	}
	return cupti->cuptiSubscribe_v2(subscriber, callback, argument, parameters);
}

void *cupti_symbol_replacement(const char *name, void *real)
{
#define REPLACEMENT(name) {#name, (void *)name, offsetof(struct cupti_functions, name)},
	static const struct {
		const char *name;
		void *function;
		size_t real; /* in struct cupti_functions */
	} replacements[] = {EXPORTED_CALLS(REPLACEMENT)};
#undef REPLACEMENT
	const struct cupti_functions *cupti;
	void *ours;
	unsigned i;

	for (i = 0; i < sizeof(replacements) / sizeof(replacements[0]); i++)
		if (!strcmp(name, replacements[i].name))
			break;
	if (i == sizeof(replacements) / sizeof(replacements[0]) || !real)
		return NULL;
	/* A second libcupti in the process is the program's alone. */
	cupti = real_functions();
	if (!cupti)
		return NULL;
	memcpy(&ours, (const char *)cupti + replacements[i].real, sizeof(ours));
	return ours == real ? replacements[i].function : NULL;
}
