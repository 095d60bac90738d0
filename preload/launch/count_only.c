/* SPDX-License-Identifier: MIT */
#include "preload/launch/count_only.h"

LAUNCH_PATH void call_begin_or_count(struct call *call, const void *caller)
{
	call->counted = count_only_begin(call);
	if (!call->counted)
		call_begin(call, caller);
}

LAUNCH_PATH void call_end_or_count(struct call *call, CUresult result)
{
	if (call->counted)
		count_only_end(call, result);
	else
		call_end(call, result);
}
