/* SPDX-License-Identifier: MIT */
/* A kernel of its own name in every place of several NVTX ranges: for tests/gpu/nvtx.py, which
 * compares what --nvtx-include chooses of them with what Nsight Compute does. */
#include <nvtx3/nvToolsExt.h>

#include "check.cuh"

#define KERNELS(X)                                                                                 \
	X(outside)                                                                                 \
	X(in_a)                                                                                    \
	X(in_a_b)                                                                                  \
	X(in_a_b_c)                                                                                \
	X(in_a_b_c_d)                                                                              \
	X(in_a_b_d)                                                                                \
	X(in_b)                                                                                    \
	X(in_b_a)                                                                                  \
	X(in_step_1)                                                                               \
	X(in_step_2)                                                                               \
	X(in_slash)                                                                                \
	X(in_library_x)                                                                            \
	X(in_a_library_x)                                                                          \
	X(in_request)                                                                              \
	X(in_request_and_reply)                                                                    \
	X(in_reply)                                                                                \
	X(in_a_and_reply)                                                                          \
	X(in_library_request)

#define DEFINE(name)                                                                               \
	__global__ void name()                                                                     \
	{                                                                                          \
	}
KERNELS(DEFINE)

#define LAUNCH(name)                                                                               \
	do {                                                                                       \
		name<<<1, 1>>>();                                                                  \
		CHECK(cudaGetLastError());                                                         \
	} while (0)

static nvtxDomainHandle_t library;

static nvtxEventAttributes_t named(const char *name)
{
	nvtxEventAttributes_t attributes = {};

	attributes.version = NVTX_VERSION;
	attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
	attributes.message.ascii = name;
	return attributes;
}

static void push_in_library(const char *name)
{
	const nvtxEventAttributes_t attributes = named(name);

	nvtxDomainRangePushEx(library, &attributes);
}

static void push_pop()
{
	nvtxRangePushA("a");
	LAUNCH(in_a);
	nvtxRangePushA("b");
	LAUNCH(in_a_b);
	nvtxRangePushA("c");
	LAUNCH(in_a_b_c);
	nvtxRangePushA("d");
	LAUNCH(in_a_b_c_d);
	nvtxRangePop();
	nvtxRangePop();
	nvtxRangePushA("d");
	LAUNCH(in_a_b_d);
	nvtxRangePop();
	nvtxRangePop();
	push_in_library("x");
	LAUNCH(in_a_library_x);
	nvtxDomainRangePop(library);
	nvtxRangePop();
	nvtxRangePushA("b");
	LAUNCH(in_b);
	nvtxRangePushA("a");
	LAUNCH(in_b_a);
	nvtxRangePop();
	nvtxRangePop();
	nvtxRangePushA("step 1");
	LAUNCH(in_step_1);
	nvtxRangePop();
	nvtxRangePushA("step 2");
	LAUNCH(in_step_2);
	nvtxRangePop();
	nvtxRangePushA("a/b");
	LAUNCH(in_slash);
	nvtxRangePop();
	push_in_library("x");
	LAUNCH(in_library_x);
	nvtxDomainRangePop(library);
}

static void start_end()
{
	const nvtxEventAttributes_t attributes = named("request");
	nvtxRangeId_t request, reply;

	request = nvtxRangeStartA("request");
	LAUNCH(in_request);
	reply = nvtxRangeStartA("reply");
	LAUNCH(in_request_and_reply);
	nvtxRangeEnd(request);
	LAUNCH(in_reply);
	nvtxRangePushA("a");
	LAUNCH(in_a_and_reply);
	nvtxRangePop();
	nvtxRangeEnd(reply);
	request = nvtxDomainRangeStartEx(library, &attributes);
	LAUNCH(in_library_request);
	nvtxDomainRangeEnd(library, request);
}

int main()
{
	library = nvtxDomainCreateA("library");
	LAUNCH(outside);
	push_pop();
	start_end();
	CHECK(cudaDeviceSynchronize());
	return 0;
}
