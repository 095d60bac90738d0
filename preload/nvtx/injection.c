/* SPDX-License-Identifier: MIT */
/*
 * How NVTX finds ktime: each module of the program that uses NVTX loads the library that
 * NVTX_INJECTION64_PATH names, at its first call, and has InitializeInjectionNvtx2() fill in its
 * table of functions. The variable is the only way, also for a library that is preloaded.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* Only NVTX's types are needed: its functions are compiled into the program. */
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include "preload/base/export.h"
#include "preload/base/lifecycle_state.h"
#include "preload/driver/elf_symbol.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/range_thread.h"

#define VARIABLE "NVTX_INJECTION64_PATH"

/* The program keeps the handles that it is given: a domain's is the address of the element here
 * that has the domain's number, a registered string's that of the element with its name's number.
 */
static uint8_t domain_handles[NAMES_DOMAINS];
static char string_handles[NAMES_RANGES];

static uint8_t domain_of(nvtxDomainHandle_t handle)
{
	uintptr_t index = (uintptr_t)handle - (uintptr_t)domain_handles;

	return handle && index < NAMES_DOMAINS ? (uint8_t)index : 0;
}

static uint16_t name_of_wide(uint8_t domain, const wchar_t *message)
{
	char narrow[NAMES_LENGTH + 1];

	names_narrow(message ? message : L"", narrow, sizeof(narrow));
	return names_range(domain, narrow);
}

static uint16_t name_of_text(uint8_t domain, const char *message)
{
	return names_range(domain, message ? message : "");
}

static uint16_t name_of_handle(uint8_t domain, nvtxStringHandle_t handle)
{
	uintptr_t name = (uintptr_t)handle - (uintptr_t)string_handles;
	struct range_name known;

	if (!handle || name >= NAMES_RANGES)
		return names_range(domain, "");
	known = names_of((uint16_t)name);
	return known.domain == domain || !name ? (uint16_t)name : names_range(domain, known.text);
}

/* The number of a range's name, which is "" if the structure has none. A program built with an
 * older NVTX passes a shorter structure: members beyond its size are not read. */
static uint16_t name_of(uint8_t domain, const nvtxEventAttributes_t *attributes)
{
	if (!attributes || attributes->size < offsetof(nvtxEventAttributes_t, message) +
						      sizeof(attributes->message))
		return names_range(domain, "");
	switch (attributes->messageType) {
	case NVTX_MESSAGE_TYPE_ASCII:
		return name_of_text(domain, attributes->message.ascii);
	case NVTX_MESSAGE_TYPE_UNICODE:
		return name_of_wide(domain, attributes->message.unicode);
	case NVTX_MESSAGE_TYPE_REGISTERED:
		return name_of_handle(domain, attributes->message.registered);
	default:
		return names_range(domain, "");
	}
}

/* In a child of fork nothing is done: a lock may be held for ever there, and there is no report. */
#define WITHOUT_RANGES(answer)                                                                     \
	do {                                                                                       \
		if (lifecycle_forked())                                                            \
			return answer;                                                             \
	} while (0)

static int domain_range_push(nvtxDomainHandle_t handle, const nvtxEventAttributes_t *attributes)
{
	uint8_t domain = domain_of(handle);

	WITHOUT_RANGES(NVTX_NO_PUSH_POP_TRACKING);
	return range_push(domain, name_of(domain, attributes));
}

static int push_attributes(const nvtxEventAttributes_t *attributes)
{
	return domain_range_push(NULL, attributes);
}

static int domain_range_pop(nvtxDomainHandle_t handle)
{
	WITHOUT_RANGES(NVTX_NO_PUSH_POP_TRACKING);
	return range_pop(domain_of(handle));
}

static int pop(void)
{
	return domain_range_pop(NULL);
}

static nvtxRangeId_t domain_range_start(nvtxDomainHandle_t handle,
					const nvtxEventAttributes_t *attributes)
{
	WITHOUT_RANGES(0);
	return range_start(name_of(domain_of(handle), attributes));
}

static nvtxRangeId_t start_attributes(const nvtxEventAttributes_t *attributes)
{
	return domain_range_start(NULL, attributes);
}

static void end(nvtxRangeId_t id)
{
	if (!lifecycle_forked())
		range_end(id);
}

static void domain_range_end(nvtxDomainHandle_t handle, nvtxRangeId_t id)
{
	(void)handle;
	end(id);
}

static nvtxDomainHandle_t create_domain(const char *name)
{
	WITHOUT_RANGES(NULL);
	return (nvtxDomainHandle_t)&domain_handles[names_domain(name ? name : "")];
}

static nvtxDomainHandle_t create_domain_wide(const wchar_t *name)
{
	char narrow[NAMES_LENGTH + 1];

	WITHOUT_RANGES(NULL);
	names_narrow(name ? name : L"", narrow, sizeof(narrow));
	return create_domain(narrow);
}

/* The functions that NVTX has once for each kind of text: ASCII, wide characters, registered. */
#define OF_TEXT(kind, type)                                                                        \
	static int push_##kind(const type *message)                                                \
	{                                                                                          \
		WITHOUT_RANGES(NVTX_NO_PUSH_POP_TRACKING);                                         \
		return range_push(0, name_of_##kind(0, message));                                  \
	}                                                                                          \
	static nvtxRangeId_t start_##kind(const type *message)                                     \
	{                                                                                          \
		WITHOUT_RANGES(0);                                                                 \
		return range_start(name_of_##kind(0, message));                                    \
	}                                                                                          \
	static nvtxStringHandle_t register_##kind(nvtxDomainHandle_t handle, const type *text)     \
	{                                                                                          \
		WITHOUT_RANGES(NULL);                                                              \
		return (nvtxStringHandle_t)&string_handles[name_of_##kind(domain_of(handle),       \
									  text)];                  \
	}
OF_TEXT(text, char)
OF_TEXT(wide, wchar_t)

struct callback {
	unsigned number;
	NvtxFunctionPointer function;
};
#define CALLBACK(number, function)                                                                 \
	{                                                                                          \
		number, (NvtxFunctionPointer)(function)                                            \
	}

/* ktime reports no marks and no names of categories, threads or CUDA's resources: NVTX's own empty
 * functions stay for these. */
static const struct callback core[] = {
	CALLBACK(NVTX_CBID_CORE_RangePushEx, push_attributes),
	CALLBACK(NVTX_CBID_CORE_RangePushA, push_text),
	CALLBACK(NVTX_CBID_CORE_RangePushW, push_wide),
	CALLBACK(NVTX_CBID_CORE_RangePop, pop),
	CALLBACK(NVTX_CBID_CORE_RangeStartEx, start_attributes),
	CALLBACK(NVTX_CBID_CORE_RangeStartA, start_text),
	CALLBACK(NVTX_CBID_CORE_RangeStartW, start_wide),
	CALLBACK(NVTX_CBID_CORE_RangeEnd, end),
};
static const struct callback core2[] = {
	CALLBACK(NVTX_CBID_CORE2_DomainRangePushEx, domain_range_push),
	CALLBACK(NVTX_CBID_CORE2_DomainRangePop, domain_range_pop),
	CALLBACK(NVTX_CBID_CORE2_DomainRangeStartEx, domain_range_start),
	CALLBACK(NVTX_CBID_CORE2_DomainRangeEnd, domain_range_end),
	CALLBACK(NVTX_CBID_CORE2_DomainCreateA, create_domain),
	CALLBACK(NVTX_CBID_CORE2_DomainCreateW, create_domain_wide),
	CALLBACK(NVTX_CBID_CORE2_DomainRegisterStringA, register_text),
	CALLBACK(NVTX_CBID_CORE2_DomainRegisterStringW, register_wide),
};

static bool fill_in(const NvtxExportTableCallbacks *tables, NvtxCallbackModule module,
		    const struct callback *callbacks, size_t count)
{
	NvtxFunctionTable table = NULL;
	unsigned size = 0;

	if (!tables->GetModuleFunctionTable(module, &table, &size) || !table)
		return false;
	/* `size` counts the table's places, of which an older NVTX may have fewer. */
	for (size_t i = 0; i < count; i++)
		if (callbacks[i].number < size && table[callbacks[i].number])
			*table[callbacks[i].number] = callbacks[i].function;
	return true;
}

EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);

/*
 * NVTX calls it once for each module. 0: not for this process, and NVTX unloads the library. That
 * is so in a child that has the variable and not LD_PRELOAD.
 */
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table)
{
	const NvtxExportTableCallbacks *tables;

	if (!elf_is_preloaded() || lifecycle_forked())
		return 0;
	tables = get_table(NVTX_ETID_CALLBACKS);
	if (!tables || tables->struct_size < sizeof(*tables))
		return 0;
	if (!fill_in(tables, NVTX_CB_MODULE_CORE, core, sizeof(core) / sizeof(core[0])))
		return 0;
	/* NVTX 1 has no domains. */
	fill_in(tables, NVTX_CB_MODULE_CORE2, core2, sizeof(core2) / sizeof(core2[0]));
	return 1;
}

/*
 * Sets NVTX's variable, so that NVTX loads ktime as its tool. Not if another tool has set it, or
 * CUDA is to load one (CUDA_INJECTION64_PATH), which may set it then: NVTX has one tool.
 */
__attribute__((constructor)) static void announce(void)
{
	/* Not on the stack, which may be small. */
	static char path[PATH_MAX];
	const char *own = elf_own_path();
	int saved_errno = errno;

	if (!elf_is_preloaded() || getenv(VARIABLE) || getenv("CUDA_INJECTION64_PATH") || !own)
		return;
	/* The program may change its directory. */
	if (*own != '/')
		own = realpath(own, path);
	if (own)
		setenv(VARIABLE, own, 0);
	errno = saved_errno;
}
