/* SPDX-License-Identifier: MIT */
/* What NVML says of devices, by a library that this test stands for; libnvidia-ml.so.1 itself is
 * the simulated one. */
#include "report/devices/describe.h"
#include "tests/unit/test.h"

/* What a field is asked for and answers. */
struct field {
	unsigned id, scope;
	long long timestamp, latency;
	int type;
	int result;
	union {
		unsigned number;
		double of_its_size;
	} value;
};

static const char *missing; /* a function that the library lacks */
static int refused_init, started, ended;
static unsigned links, active_links;
static int field_type, field_result;
static char asked_uuid[64];

static int initialise(void)
{
	started++;
	return refused_init;
}

static int shut_down(void)
{
	ended++;
	return 0;
}

static int device_by_uuid(const char *uuid, void **device)
{
	strcpy(asked_uuid, uuid);
	*device = &links;
	return uuid[4] == '0' ? 0 : 6;
}

static int most_clock(void *device, int clock, unsigned *mhz)
{
	(void)device;
	*mhz = clock == 1 ? 1980 : clock == 2 ? 3201 : 7;
	return 0;
}

static int bus_width(void *device, unsigned *bits)
{
	(void)device;
	*bits = 6144;
	return 0;
}

static int link_generation(void *device, unsigned *generation)
{
	(void)device;
	*generation = 5;
	return 0;
}

static int link_width(void *device, unsigned *lanes)
{
	(void)device;
	*lanes = 16;
	return 0;
}

static int link_state(void *device, unsigned link, int *active)
{
	(void)device;
	*active = link < active_links ? 1 : 2;
	return link < links ? 0 : 3;
}

static int field_values(void *device, int count, struct field *field)
{
	(void)device;
	assert_int_equal(count, 1);
	field->type = field_type;
	field->result = field_result;
	switch (field->id) {
	case 90:
		field->value.number = 26562;
		return 0;
	case 170:
		field->value.number = 5;
		return 0;
	case 171:
		field->value.number = field->scope != 1;
		return 0;
	case 172:
		field->value.number = 1000 + field->scope;
		return field->scope == 3;
	}
	return 2;
}

static void *lookup(void *handle, const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} functions[] = {
		{"nvmlInit_v2", initialise},
		{"nvmlShutdown", shut_down},
		{"nvmlDeviceGetHandleByUUID", device_by_uuid},
		{"nvmlDeviceGetMaxClockInfo", most_clock},
		{"nvmlDeviceGetMemoryBusWidth", bus_width},
		{"nvmlDeviceGetMaxPcieLinkGeneration", link_generation},
		{"nvmlDeviceGetMaxPcieLinkWidth", link_width},
		{"nvmlDeviceGetNvLinkState", link_state},
		{"nvmlDeviceGetFieldValues", field_values},
	};

	assert_non_null(handle);
	if (missing && strcmp(missing, name) == 0)
		return NULL;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(functions[i].name, name) == 0)
			return functions[i].function;
	return NULL;
}

BEFORE_EACH
{
	missing = NULL;
	refused_init = started = ended = field_result = 0;
	links = 20;
	active_links = 18;
	field_type = 1;
	assert_int_equal(nvml_load(lookup) ? -1 : 0, 0);
}

static const struct device_info unknown = {.uuid = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
						    0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32,
						    0x10}};

TEST(what_the_driver_did_not_say_is_filled_in)
{
	struct device_info info = unknown;

	info.nvlink_links = 3;
	info.c2c_mbps = 4;
	assert_null(nvml_describe(&info, 1));
	assert_string_equal(asked_uuid, "GPU-01234567-89ab-cdef-fedc-ba9876543210");
	assert_int_equal(info.clock_khz, 1980000);
	assert_int_equal(info.memory_clock_khz, 3201000);
	assert_int_equal(info.bus_bits, 6144);
	assert_int_equal(info.pcie_generation, 5);
	assert_int_equal(info.pcie_lanes, 16);
	assert_int_equal(info.nvlink_links, 18);
	assert_int_equal(info.nvlink_mbps, 26562);
	/* Of five, one is not active and one does not tell. */
	assert_int_equal(info.c2c_mbps, 1000 + 1002 + 1004);
	assert_int_equal(started, 1);
	assert_int_equal(ended, 1);
}

TEST(what_the_driver_said_stays)
{
	struct device_info info = unknown;

	info.clock_khz = 5;
	info.memory_clock_khz = 6;
	info.bus_bits = 7;
	assert_null(nvml_describe(&info, 1));
	assert_int_equal(info.clock_khz, 5);
	assert_int_equal(info.memory_clock_khz, 6);
	assert_int_equal(info.bus_bits, 7);
}

TEST(links_are_counted_up_to_32)
{
	struct device_info info = unknown;

	links = active_links = 40;
	assert_null(nvml_describe(&info, 1));
	assert_int_equal(info.nvlink_links, 32);
	active_links = 0;
	assert_null(nvml_describe(&info, 1));
	assert_int_equal(info.nvlink_links, 0);
	assert_int_equal(info.nvlink_mbps, 0);
}

TEST(a_field_that_is_not_told_is_0)
{
	struct device_info info = unknown;

	field_type = 2;
	assert_null(nvml_describe(&info, 1));
	assert_int_equal(info.nvlink_mbps, 0);
	assert_int_equal(info.c2c_mbps, 0);
	field_type = 1;
	field_result = 3;
	assert_null(nvml_describe(&info, 1));
	assert_int_equal(info.nvlink_mbps, 0);
	assert_int_equal(info.nvlink_links, 18);
}

TEST(a_device_that_is_not_known_is_left_out)
{
	struct device_info devices[3] = {unknown, unknown, unknown};

	devices[1].uuid[0] = 0x11;
	assert_string_equal(nvml_describe(devices, 3), "NVML does not know the device");
	assert_int_equal(devices[0].bus_bits, 6144);
	assert_int_equal(devices[1].bus_bits, 0);
	assert_int_equal(devices[2].bus_bits, 6144);
	assert_int_equal(ended, 1);
	refused_init = 9;
	devices[0] = unknown;
	assert_string_equal(nvml_describe(devices, 1), "NVML could not be initialised");
	assert_int_equal(devices[0].bus_bits, 0);
	assert_int_equal(ended, 1);
}

TEST(an_older_nvml_says_less)
{
	static const char *const names[] = {
		"nvmlDeviceGetMaxClockInfo",	      "nvmlDeviceGetMemoryBusWidth",
		"nvmlDeviceGetMaxPcieLinkGeneration", "nvmlDeviceGetMaxPcieLinkWidth",
		"nvmlDeviceGetNvLinkState",	      "nvmlDeviceGetFieldValues"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct device_info info = unknown;

		missing = names[i];
		assert_null(nvml_load(lookup));
		assert_null(nvml_describe(&info, 1));
		assert_int_equal(info.clock_khz, i == 0 ? 0 : 1980000);
		assert_int_equal(info.memory_clock_khz, i == 0 ? 0 : 3201000);
		assert_int_equal(info.bus_bits, i == 1 ? 0 : 6144);
		assert_int_equal(info.pcie_generation, i == 2 ? 0 : 5);
		assert_int_equal(info.pcie_lanes, i == 3 ? 0 : 16);
		assert_int_equal(info.nvlink_links, i == 4 ? 0 : 18);
		assert_int_equal(info.nvlink_mbps, i >= 4 ? 0 : 26562);
		assert_int_equal(info.c2c_mbps, i == 5 ? 0 : 3006);
	}
}

TEST(without_what_it_needs_nvml_is_not_used)
{
	static const char *const names[] = {"nvmlInit_v2", "nvmlShutdown",
					    "nvmlDeviceGetHandleByUUID"};
	struct device_info info = unknown;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		missing = names[i];
		assert_string_equal(nvml_load(lookup), "libnvidia-ml.so.1 is too old");
		assert_string_equal(nvml_describe(&info, 1), "NVML was not loaded");
	}
	assert_int_equal(started, 0);
}
