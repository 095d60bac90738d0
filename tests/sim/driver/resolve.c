/* SPDX-License-Identifier: MIT */
/* cuGetProcAddress, over the table of versions that is made from the toolkit's headers. */
#include <string.h>

#include "tests/sim/driver/sim.h"

#define ENTRY(entry, version, flavour, symbol) extern char symbol_##symbol[] __asm__(#symbol);
#include "sim_versions.h"
#undef ENTRY

static const struct version {
	const char *entry;
	int version;
	bool per_thread;
	void *symbol;
} versions[] = {
#define ENTRY(entry, version, flavour, symbol) {#entry, version, flavour, symbol_##symbol},
#include "sim_versions.h"
#undef ENTRY
};

enum {
	VERSION_COUNT = sizeof(versions) / sizeof(versions[0]),
};

/* The newest form that is not newer than wanted; *known says whether the entry has any. */
static void *find(const char *entry, int wanted, bool per_thread, bool *known)
{
	const struct version *best = NULL;

	*known = false;
	for (size_t i = 0; i < VERSION_COUNT; i++) {
		const struct version *version = &versions[i];

		if (version->per_thread != per_thread || strcmp(version->entry, entry))
			continue;
		*known = true;
		if (version->version <= wanted && (!best || best->version < version->version))
			best = version;
	}
	return best ? best->symbol : NULL;
}

/* What a driver newer than the toolkit has: with SIM_LATER=1 all entries whose names end so. */
static CUresult later(void)
{
	return CUDA_SUCCESS;
}

static bool is_later(const char *entry)
{
	size_t length = strlen(entry);

	return sim_setting("SIM_LATER", 0) && length > 5 && !strcmp(entry + length - 5, "Later");
}

/*
 * A version above the driver's is an error that leaves *pointer as it was. An entry that has no
 * form for the per-thread default stream is looked up without it; one whose form is newer than
 * wanted is not found.
 */
static CUresult find_as_asked(const char *entry, void **pointer, int version, cuuint64_t flags,
			      CUdriverProcAddressQueryResult *status)
{
	CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
	bool known;
	void *symbol;

	if (!entry || !pointer || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ||
	    version > (int)sim_setting("SIM_DRIVER_VERSION", SIM_DRIVER_VERSION))
		return CUDA_ERROR_INVALID_VALUE;
	symbol = find(entry, version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
		      &known);
	if (!known)
		symbol = find(entry, version, false, &known);
	if (!known && is_later(entry))
		symbol = (void *)later;
	if (!symbol)
		found = known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
			      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	*pointer = symbol;
	if (status)
		*status = found;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_NOTHING, cuGetProcAddress,
		  (const char *entry, void **pointer, int version, cuuint64_t flags),
		  (entry, pointer, version, flags))
{
	CUresult result = find_as_asked(entry, pointer, version, flags, NULL);

	/* The first generation of this entry has no status to say it in. */
	return result == CUDA_SUCCESS && !*pointer ? CUDA_ERROR_NOT_FOUND : result;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_NOTHING, cuGetProcAddress_v2,
		  (const char *entry, void **pointer, int version, cuuint64_t flags,
		   CUdriverProcAddressQueryResult *status),
		  (entry, pointer, version, flags, status))
{
	return find_as_asked(entry, pointer, version, flags, status);
}
