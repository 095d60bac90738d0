/* SPDX-License-Identifier: MIT */
/* How NVTX's functions reach ktime: which tables are filled in, and what each function makes of its
 * arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include "preload/base/lifecycle_state.h"
#include "preload/driver/elf_symbol.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/range_thread.h"

#define PLACES 32

_Atomic int lifecycle_state;
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);

static bool preloaded;

bool elf_is_preloaded(void)
{
	return preloaded;
}

const char *elf_own_path(void)
{
	return "/lib/libktime.so";
}

/* The last call of each function of range_thread.c. */
static uint8_t pushed_domain, popped_domain;
static uint16_t pushed_name, started_name;
static uint64_t ended;

int range_push(uint8_t domain, uint16_t name)
{
	pushed_domain = domain;
	pushed_name = name;
	return 3;
}

int range_pop(uint8_t domain)
{
	popped_domain = domain;
	return 4;
}

uint64_t range_start(uint16_t name)
{
	started_name = name;
	return 55;
}

void range_end(uint64_t id)
{
	ended = id;
}

/* NVTX's side: the places of the two tables. */
static NvtxFunctionPointer functions[2][PLACES];
static NvtxFunctionPointer *places[2][PLACES + 1];
static unsigned sizes[2];
static bool has_core, has_core2;

static int get_function_table(NvtxCallbackModule module, NvtxFunctionTable *table, unsigned *size)
{
	unsigned of = module == NVTX_CB_MODULE_CORE2;

	if (!(of ? has_core2 : has_core))
		return 0;
	*table = places[of];
	*size = sizes[of];
	return 1;
}

static NvtxExportTableCallbacks callbacks;
static bool has_tables;

static const void *get_table(uint32_t id)
{
	assert_int_equal(id, NVTX_ETID_CALLBACKS);
	return has_tables ? &callbacks : NULL;
}

static int start(void **state)
{
	(void)state;
	memset(functions, 0, sizeof(functions));
	for (unsigned of = 0; of < 2; of++)
		for (unsigned i = 0; i < PLACES; i++)
			places[of][i] = &functions[of][i];
	sizes[0] = sizes[1] = PLACES;
	has_core = has_core2 = has_tables = preloaded = true;
	callbacks = (NvtxExportTableCallbacks){sizeof(callbacks), get_function_table};
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	pushed_domain = popped_domain = 0xff;
	pushed_name = started_name = 0xffff;
	ended = 0;
	return 0;
}

/* A start with everything filled in. */
static int start_filled(void **state)
{
	start(state);
	return InitializeInjectionNvtx2(get_table) == 1 ? 0 : -1;
}

#define CORE(number, type)  ((type)functions[0][NVTX_CBID_CORE_##number])
#define CORE2(number, type) ((type)functions[1][NVTX_CBID_CORE2_##number])

static unsigned filled(unsigned of)
{
	unsigned count = 0;

	for (unsigned i = 0; i < PLACES; i++)
		count += functions[of][i] != NULL;
	return count;
}

static void both_tables_are_filled_in(void **state)
{
	(void)state;
	assert_int_equal(InitializeInjectionNvtx2(get_table), 1);
	assert_int_equal(filled(0), 8);
	assert_int_equal(filled(1), 8);
}

static void an_older_nvtx_has_fewer_places(void **state)
{
	(void)state;
	has_core2 = false;
	sizes[0] = NVTX_CBID_CORE_RangePushA;
	assert_int_equal(InitializeInjectionNvtx2(get_table), 1);
	assert_int_equal(filled(1), 0);
	assert_null(functions[0][NVTX_CBID_CORE_RangePushA]);
	assert_null(functions[0][NVTX_CBID_CORE_RangePop]);
	sizes[0] = NVTX_CBID_CORE_RangePushA + 1;
	places[0][NVTX_CBID_CORE_RangePushEx] = NULL;
	functions[0][NVTX_CBID_CORE_RangePushEx] = NULL;
	assert_int_equal(InitializeInjectionNvtx2(get_table), 1);
	assert_non_null(functions[0][NVTX_CBID_CORE_RangePushA]);
	assert_null(functions[0][NVTX_CBID_CORE_RangePushEx]);
}

static void what_is_not_for_ktime_is_refused(void **state)
{
	(void)state;
	preloaded = false;
	assert_int_equal(InitializeInjectionNvtx2(get_table), 0);
	preloaded = true;
	atomic_store(&lifecycle_state, LIFECYCLE_FORKED);
	assert_int_equal(InitializeInjectionNvtx2(get_table), 0);
	atomic_store(&lifecycle_state, LIFECYCLE_IDLE);
	has_tables = false;
	assert_int_equal(InitializeInjectionNvtx2(get_table), 0);
	has_tables = true;
	callbacks.struct_size = sizeof(callbacks) - 1;
	assert_int_equal(InitializeInjectionNvtx2(get_table), 0);
	assert_int_equal(filled(0) + filled(1), 0);
	callbacks.struct_size = sizeof(callbacks);
	has_core = false;
	assert_int_equal(InitializeInjectionNvtx2(get_table), 0);
	assert_int_equal(filled(0) + filled(1), 0);
}

typedef int (*push_text)(const char *);
typedef int (*push_wide)(const wchar_t *);
typedef int (*push_attributes)(const nvtxEventAttributes_t *);
typedef int (*domain_push)(nvtxDomainHandle_t, const nvtxEventAttributes_t *);
typedef int (*pop)(void);
typedef int (*domain_pop)(nvtxDomainHandle_t);
typedef nvtxRangeId_t (*start_text)(const char *);
typedef nvtxRangeId_t (*start_wide)(const wchar_t *);
typedef nvtxRangeId_t (*start_attributes)(const nvtxEventAttributes_t *);
typedef nvtxRangeId_t (*domain_start)(nvtxDomainHandle_t, const nvtxEventAttributes_t *);
typedef void (*end)(nvtxRangeId_t);
typedef void (*domain_end)(nvtxDomainHandle_t, nvtxRangeId_t);
typedef nvtxDomainHandle_t (*create_text)(const char *);
typedef nvtxDomainHandle_t (*create_wide)(const wchar_t *);
typedef nvtxStringHandle_t (*register_text)(nvtxDomainHandle_t, const char *);
typedef nvtxStringHandle_t (*register_wide)(nvtxDomainHandle_t, const wchar_t *);

/* Whether a name is that text in that domain. */
static void is(uint16_t name, const char *text, uint8_t domain)
{
	assert_string_equal(names_of(name).text, text);
	assert_int_equal(names_of(name).domain, domain);
}

static void ranges_are_pushed_by_their_text(void **state)
{
	(void)state;
	assert_int_equal(CORE(RangePushA, push_text)("one"), 3);
	is(pushed_name, "one", 0);
	assert_int_equal(pushed_domain, 0);
	assert_int_equal(CORE(RangePushW, push_wide)(L"two"), 3);
	is(pushed_name, "two", 0);
	assert_int_equal(pushed_domain, 0);
	CORE(RangePushA, push_text)(NULL);
	is(pushed_name, "", 0);
	CORE(RangePushW, push_wide)(L"three");
	CORE(RangePushW, push_wide)(NULL);
	is(pushed_name, "", 0);
	assert_int_equal(CORE(RangePop, pop)(), 4);
	assert_int_equal(popped_domain, 0);
	assert_int_equal(CORE(RangeStartA, start_text)("four"), 55);
	is(started_name, "four", 0);
	assert_int_equal(CORE(RangeStartW, start_wide)(L"five"), 55);
	is(started_name, "five", 0);
	CORE(RangeEnd, end)(66);
	assert_int_equal(ended, 66);
}

static void attributes_say_what_kind_of_text_theirs_is(void **state)
{
	nvtxEventAttributes_t attributes = {.size = sizeof(attributes)};

	(void)state;
	attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
	attributes.message.ascii = "plain";
	assert_int_equal(CORE(RangePushEx, push_attributes)(&attributes), 3);
	is(pushed_name, "plain", 0);
	assert_int_equal(CORE(RangeStartEx, start_attributes)(&attributes), 55);
	is(started_name, "plain", 0);
	attributes.messageType = NVTX_MESSAGE_TYPE_UNICODE;
	attributes.message.unicode = L"wide";
	CORE(RangePushEx, push_attributes)(&attributes);
	is(pushed_name, "wide", 0);
	attributes.messageType = NVTX_MESSAGE_UNKNOWN;
	CORE(RangePushEx, push_attributes)(&attributes);
	is(pushed_name, "", 0);
	/* A structure that ends before its message. */
	attributes.messageType = NVTX_MESSAGE_TYPE_UNICODE;
	attributes.size = offsetof(nvtxEventAttributes_t, message) + sizeof(attributes.message) - 1;
	CORE(RangePushEx, push_attributes)(&attributes);
	is(pushed_name, "", 0);
	attributes.size++;
	CORE(RangePushEx, push_attributes)(&attributes);
	is(pushed_name, "wide", 0);
	CORE(RangePushEx, push_attributes)(NULL);
	is(pushed_name, "", 0);
}

static void domains_have_ranges_of_their_own(void **state)
{
	nvtxDomainHandle_t first = CORE2(DomainCreateA, create_text)("first domain");
	nvtxDomainHandle_t second = CORE2(DomainCreateW, create_wide)(L"second domain");
	nvtxEventAttributes_t attributes = {.size = sizeof(attributes),
					    .messageType = NVTX_MESSAGE_TYPE_ASCII,
					    .message.ascii = "range"};

	(void)state;
	assert_int_equal(CORE2(DomainRangePushEx, domain_push)(first, &attributes), 3);
	assert_string_equal(names_domain_text(pushed_domain), "first domain");
	is(pushed_name, "range", pushed_domain);
	CORE2(DomainRangePushEx, domain_push)(second, &attributes);
	assert_string_equal(names_domain_text(pushed_domain), "second domain");
	is(pushed_name, "range", pushed_domain);
	assert_int_equal(CORE2(DomainRangePop, domain_pop)(second), 4);
	assert_int_equal(popped_domain, pushed_domain);
	assert_int_equal(CORE2(DomainRangeStartEx, domain_start)(second, &attributes), 55);
	is(started_name, "range", pushed_domain);
	CORE2(DomainRangeEnd, domain_end)(second, 77);
	assert_int_equal(ended, 77);
	/* Handles that are none of ktime's: the program's default domain. */
	CORE2(DomainRangePop, domain_pop)(NULL);
	assert_int_equal(popped_domain, 0);
	popped_domain = 0xff;
	CORE2(DomainRangePop, domain_pop)((nvtxDomainHandle_t)&attributes);
	assert_int_equal(popped_domain, 0);
	assert_ptr_equal(CORE2(DomainCreateA, create_text)("first domain"), first);
	assert_non_null(CORE2(DomainCreateA, create_text)(NULL));
	assert_non_null(CORE2(DomainCreateW, create_wide)(NULL));
}

static void registered_strings_are_known_by_their_handles(void **state)
{
	nvtxDomainHandle_t domain = CORE2(DomainCreateA, create_text)("a domain");
	nvtxStringHandle_t in_none = CORE2(DomainRegisterStringA, register_text)(NULL, "text");
	nvtxStringHandle_t in_domain = CORE2(DomainRegisterStringW, register_wide)(domain, L"wide");
	nvtxEventAttributes_t attributes = {.size = sizeof(attributes),
					    .messageType = NVTX_MESSAGE_TYPE_REGISTERED};

	(void)state;
	attributes.message.registered = in_none;
	CORE(RangePushEx, push_attributes)(&attributes);
	is(pushed_name, "text", 0);
	/* One of another domain is that text in the range's. */
	CORE2(DomainRangePushEx, domain_push)(domain, &attributes);
	is(pushed_name, "text", pushed_domain);
	assert_int_not_equal(pushed_domain, 0);
	attributes.message.registered = in_domain;
	CORE2(DomainRangePushEx, domain_push)(domain, &attributes);
	is(pushed_name, "wide", pushed_domain);
	attributes.message.registered = NULL;
	CORE(RangePushEx, push_attributes)(&attributes);
	is(pushed_name, "", 0);
	attributes.message.registered = (nvtxStringHandle_t)&attributes;
	CORE(RangePushEx, push_attributes)(&attributes);
	is(pushed_name, "", 0);
}

static void a_child_of_fork_has_no_ranges(void **state)
{
	const nvtxEventAttributes_t attributes = {.size = sizeof(attributes)};

	(void)state;
	atomic_store(&lifecycle_state, LIFECYCLE_FORKED);
	assert_int_equal(CORE(RangePushA, push_text)("a"), NVTX_NO_PUSH_POP_TRACKING);
	assert_int_equal(CORE(RangePushW, push_wide)(L"a"), NVTX_NO_PUSH_POP_TRACKING);
	assert_int_equal(CORE(RangePushEx, push_attributes)(&attributes),
			 NVTX_NO_PUSH_POP_TRACKING);
	assert_int_equal(CORE(RangePop, pop)(), NVTX_NO_PUSH_POP_TRACKING);
	assert_int_equal(CORE(RangeStartA, start_text)("a"), 0);
	assert_int_equal(CORE(RangeStartW, start_wide)(L"a"), 0);
	assert_int_equal(CORE(RangeStartEx, start_attributes)(&attributes), 0);
	CORE(RangeEnd, end)(5);
	assert_null(CORE2(DomainCreateA, create_text)("a"));
	assert_null(CORE2(DomainCreateW, create_wide)(L"a"));
	assert_null(CORE2(DomainRegisterStringA, register_text)(NULL, "a"));
	assert_null(CORE2(DomainRegisterStringW, register_wide)(NULL, L"a"));
	assert_int_equal(pushed_name, 0xffff);
	assert_int_equal(started_name, 0xffff);
	assert_int_equal(popped_domain, 0xff);
	assert_int_equal(ended, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(both_tables_are_filled_in, start),
		cmocka_unit_test_setup(an_older_nvtx_has_fewer_places, start),
		cmocka_unit_test_setup(what_is_not_for_ktime_is_refused, start),
		cmocka_unit_test_setup(ranges_are_pushed_by_their_text, start_filled),
		cmocka_unit_test_setup(attributes_say_what_kind_of_text_theirs_is, start_filled),
		cmocka_unit_test_setup(domains_have_ranges_of_their_own, start_filled),
		cmocka_unit_test_setup(registered_strings_are_known_by_their_handles, start_filled),
		cmocka_unit_test_setup(a_child_of_fork_has_no_ranges, start_filled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
