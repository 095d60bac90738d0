/* SPDX-License-Identifier: MIT */
#include "cupti/api_names.h"

#include <cuda.h>
#include <cupti.h>
#include <stdbool.h>
#include <string.h>

#include "cupti/library.h"

/* Callback ids with cached names: in CUDA 13.0 the runtime has 523 ids, the driver 800. */
#define CALLBACKS 2048

/* Copies without the version and default-stream suffix that CUPTI's names have. */
static char *names[2][CALLBACKS];

/* The length without one suffix "_v3020", "_ptsz" or "_ptds", if there is one. */
static size_t strip_suffix(const char *name, size_t length)
{
	size_t digits = length;

	if (length > 5 &&
	    (!strncmp(name + length - 5, "_ptsz", 5) || !strncmp(name + length - 5, "_ptds", 5)))
		return length - 5;
	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (digits < length && digits > 2 && !strncmp(name + digits - 2, "_v", 2))
		return digits - 2;
	return length;
}

const char *api_call_name(const struct activity *activity)
{
	static const char unknown[] = "unknown call";
	const struct cupti_functions *cupti = library_functions();
	bool driver = activity->kind == ACTIVITY_DRIVER_API;
	uint32_t callback = activity->callback;
	size_t length, shorter;
	const char *name;

	if (callback >= CALLBACKS || !cupti || !cupti->cuptiGetCallbackName)
		return unknown;
	if (names[driver][callback])
		return names[driver][callback];
	if (cupti->cuptiGetCallbackName(driver ? CUPTI_CB_DOMAIN_DRIVER_API
					       : CUPTI_CB_DOMAIN_RUNTIME_API,
					callback, &name) ||
	    !name)
		return unknown;
	length = strlen(name);
	while ((shorter = strip_suffix(name, length)) < length)
		length = shorter;
	names[driver][callback] = strndup(name, length);
	return names[driver][callback] ? names[driver][callback] : unknown;
}

/* X(name in cupti_runtime_cbid.h, callback id), in the order of the ids, by the toolkit that
 * brought them. An id never changes; older versions of CUPTI do not know the later ones. */
#define CALLS_12_0(X)                                                                              \
	X(cudaConfigureCall_v3020, 8)                                                              \
	X(cudaSetupArgument_v3020, 9)                                                              \
	X(cudaLaunch_v3020, 13)                                                                    \
	X(cudaMemcpy_v3020, 31)                                                                    \
	X(cudaMemcpy2D_v3020, 32)                                                                  \
	X(cudaMemcpyToArray_v3020, 33)                                                             \
	X(cudaMemcpy2DToArray_v3020, 34)                                                           \
	X(cudaMemcpyFromArray_v3020, 35)                                                           \
	X(cudaMemcpy2DFromArray_v3020, 36)                                                         \
	X(cudaMemcpyArrayToArray_v3020, 37)                                                        \
	X(cudaMemcpy2DArrayToArray_v3020, 38)                                                      \
	X(cudaMemcpyToSymbol_v3020, 39)                                                            \
	X(cudaMemcpyFromSymbol_v3020, 40)                                                          \
	X(cudaMemcpyAsync_v3020, 41)                                                               \
	X(cudaMemcpyToArrayAsync_v3020, 42)                                                        \
	X(cudaMemcpyFromArrayAsync_v3020, 43)                                                      \
	X(cudaMemcpy2DAsync_v3020, 44)                                                             \
	X(cudaMemcpy2DToArrayAsync_v3020, 45)                                                      \
	X(cudaMemcpy2DFromArrayAsync_v3020, 46)                                                    \
	X(cudaMemcpyToSymbolAsync_v3020, 47)                                                       \
	X(cudaMemcpyFromSymbolAsync_v3020, 48)                                                     \
	X(cudaMemset_v3020, 49)                                                                    \
	X(cudaMemset2D_v3020, 50)                                                                  \
	X(cudaMemsetAsync_v3020, 51)                                                               \
	X(cudaMemset2DAsync_v3020, 52)                                                             \
	X(cudaMemset3D_v3020, 142)                                                                 \
	X(cudaMemset3DAsync_v3020, 143)                                                            \
	X(cudaMemcpy3D_v3020, 144)                                                                 \
	X(cudaMemcpy3DAsync_v3020, 145)                                                            \
	X(cudaMemcpyPeer_v4000, 160)                                                               \
	X(cudaMemcpyPeerAsync_v4000, 161)                                                          \
	X(cudaMemcpy3DPeer_v4000, 162)                                                             \
	X(cudaMemcpy3DPeerAsync_v4000, 163)                                                        \
	X(cudaLaunchKernel_v7000, 211)                                                             \
	X(cudaLaunch_ptsz_v7000, 213)                                                              \
	X(cudaLaunchKernel_ptsz_v7000, 214)                                                        \
	X(cudaMemcpy_ptds_v7000, 215)                                                              \
	X(cudaMemcpy2D_ptds_v7000, 216)                                                            \
	X(cudaMemcpyToArray_ptds_v7000, 217)                                                       \
	X(cudaMemcpy2DToArray_ptds_v7000, 218)                                                     \
	X(cudaMemcpyFromArray_ptds_v7000, 219)                                                     \
	X(cudaMemcpy2DFromArray_ptds_v7000, 220)                                                   \
	X(cudaMemcpyArrayToArray_ptds_v7000, 221)                                                  \
	X(cudaMemcpy2DArrayToArray_ptds_v7000, 222)                                                \
	X(cudaMemcpyToSymbol_ptds_v7000, 223)                                                      \
	X(cudaMemcpyFromSymbol_ptds_v7000, 224)                                                    \
	X(cudaMemcpyAsync_ptsz_v7000, 225)                                                         \
	X(cudaMemcpyToArrayAsync_ptsz_v7000, 226)                                                  \
	X(cudaMemcpyFromArrayAsync_ptsz_v7000, 227)                                                \
	X(cudaMemcpy2DAsync_ptsz_v7000, 228)                                                       \
	X(cudaMemcpy2DToArrayAsync_ptsz_v7000, 229)                                                \
	X(cudaMemcpy2DFromArrayAsync_ptsz_v7000, 230)                                              \
	X(cudaMemcpyToSymbolAsync_ptsz_v7000, 231)                                                 \
	X(cudaMemcpyFromSymbolAsync_ptsz_v7000, 232)                                               \
	X(cudaMemset_ptds_v7000, 233)                                                              \
	X(cudaMemset2D_ptds_v7000, 234)                                                            \
	X(cudaMemsetAsync_ptsz_v7000, 235)                                                         \
	X(cudaMemset2DAsync_ptsz_v7000, 236)                                                       \
	X(cudaMemset3D_ptds_v7000, 243)                                                            \
	X(cudaMemset3DAsync_ptsz_v7000, 244)                                                       \
	X(cudaMemcpy3D_ptds_v7000, 245)                                                            \
	X(cudaMemcpy3DAsync_ptsz_v7000, 246)                                                       \
	X(cudaMemcpy3DPeer_ptds_v7000, 249)                                                        \
	X(cudaMemcpy3DPeerAsync_ptsz_v7000, 250)                                                   \
	X(cudaMemPrefetchAsync_v8000, 252)                                                         \
	X(cudaMemPrefetchAsync_ptsz_v8000, 253)                                                    \
	X(cudaLaunchCooperativeKernel_v9000, 269)                                                  \
	X(cudaLaunchCooperativeKernel_ptsz_v9000, 270)                                             \
	X(cudaLaunchCooperativeKernelMultiDevice_v9000, 272)                                       \
	X(cudaGraphLaunch_v10000, 311)                                                             \
	X(cudaGraphLaunch_ptsz_v10000, 312)                                                        \
	X(cudaLaunchKernelExC_v11060, 430)                                                         \
	X(cudaLaunchKernelExC_ptsz_v11060, 431)

/* CUDA 13 left the _v2 out of the names of these two. */
#if CUDA_VERSION < 13000
#define CALLS_12_2(X)                                                                              \
	X(cudaMemPrefetchAsync_v2_v12020, 449)                                                     \
	X(cudaMemPrefetchAsync_v2_ptsz_v12020, 450)
#else
#define CALLS_12_2(X)                                                                              \
	X(cudaMemPrefetchAsync_v12020, 449)                                                        \
	X(cudaMemPrefetchAsync_ptsz_v12020, 450)
#endif

#define CALLS_12_8(X)                                                                              \
	X(cudaMemcpyBatchAsync_v12080, 482)                                                        \
	X(cudaMemcpyBatchAsync_ptsz_v12080, 483)                                                   \
	X(cudaMemcpy3DBatchAsync_v12080, 484)                                                      \
	X(cudaMemcpy3DBatchAsync_ptsz_v12080, 485)

#define CALLS_13_0(X)                                                                              \
	X(cudaMemPrefetchBatchAsync_v13000, 487)                                                   \
	X(cudaMemPrefetchBatchAsync_ptsz_v13000, 488)                                              \
	X(cudaMemDiscardBatchAsync_v13000, 489)                                                    \
	X(cudaMemDiscardBatchAsync_ptsz_v13000, 490)                                               \
	X(cudaMemDiscardAndPrefetchBatchAsync_v13000, 491)                                         \
	X(cudaMemDiscardAndPrefetchBatchAsync_ptsz_v13000, 492)                                    \
	X(__cudaPushCallConfiguration_v13000, 502)                                                 \
	X(__cudaPopCallConfiguration_v13000, 503)                                                  \
	X(__cudaGetKernel_v13000, 504)                                                             \
	X(__cudaLaunchKernel_v13000, 505)                                                          \
	X(__cudaLaunchKernel_ptsz_v13000, 506)                                                     \
	X(cudaMemcpyBatchAsync_v13000, 509)                                                        \
	X(cudaMemcpyBatchAsync_ptsz_v13000, 510)                                                   \
	X(cudaMemcpy3DBatchAsync_v13000, 511)                                                      \
	X(cudaMemcpy3DBatchAsync_ptsz_v13000, 512)

#define CHECK(name, id)                                                                            \
	_Static_assert(CUPTI_RUNTIME_TRACE_CBID_##name == (id), #name " has another callback id");
CALLS_12_0(CHECK)
#if CUDA_VERSION >= 12020
CALLS_12_2(CHECK)
#endif
#if CUDA_VERSION >= 12080
CALLS_12_8(CHECK)
#endif
#if CUDA_VERSION >= 13000
CALLS_13_0(CHECK)
#endif
#undef CHECK

const uint32_t wrapped_runtime_calls[] = {
#define ID(name, id) id,
	CALLS_12_0(ID) CALLS_12_2(ID) CALLS_12_8(ID) CALLS_13_0(ID)
#undef ID
};
const size_t wrapped_runtime_call_count =
	sizeof(wrapped_runtime_calls) / sizeof(wrapped_runtime_calls[0]);

bool runtime_call_is_wrapped(uint32_t callback)
{
	size_t low = 0, high = wrapped_runtime_call_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (wrapped_runtime_calls[middle] < callback)
			low = middle + 1;
		else
			high = middle;
	}
	return low < wrapped_runtime_call_count && wrapped_runtime_calls[low] == callback;
}
