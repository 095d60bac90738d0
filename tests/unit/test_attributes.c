/* SPDX-License-Identifier: MIT */
/* What the driver says of a device stands in its own member; what it does not say is 0. */
#include "report/devices/describe.h"
#include "tests/unit/test.h"

static int refused; /* an attribute that the driver does not have */
static int ecc;

static int name_of(char *name, int length, int device)
{
	assert_int_equal(length, 64);
	assert_int_equal(device, 3);
	strcpy(name, "a device");
	return 0;
}

static int uuid_of(void *uuid, int device)
{
	assert_int_equal(device, 3);
	memset(uuid, 7, 16);
	return 0;
}

static int memory_of(size_t *bytes, int device)
{
	assert_int_equal(device, 3);
	*bytes = 1ull << 37;
	return 0;
}

/* Each attribute is its number and a half thousand, but for the capability. */
static int attribute_of(int *value, int attribute, int device)
{
	assert_int_equal(device, 3);
	*value = attribute == DEVICE_ATTRIBUTE_MAJOR   ? 9
		 : attribute == DEVICE_ATTRIBUTE_MINOR ? 1
		 : attribute == DEVICE_ATTRIBUTE_ECC   ? ecc
						       : 500 + attribute;
	return attribute == refused ? 1 : 0;
}

static const struct device_calls calls = {name_of, uuid_of, memory_of, attribute_of};

TEST(each_attribute_has_its_member)
{
	struct device_info info = {.pcie_lanes = 5};

	refused = 0;
	ecc = 1;
	device_describe(&info, &calls, 3);
	assert_string_equal(info.name, "a device");
	assert_int_equal(info.uuid[0], 7);
	assert_int_equal(info.uuid[15], 7);
	assert_true(info.memory == 1ull << 37);
	assert_int_equal(info.compute_capability, 91);
	assert_int_equal(info.ecc, ECC_ON);
#define IS_THERE(member, number, name) assert_int_equal(info.member, 500 + (number));
	DEVICE_ATTRIBUTES(IS_THERE)
#undef IS_THERE
	assert_int_equal(info.pcie_lanes, 5);
	ecc = 0;
	device_describe(&info, &calls, 3);
	assert_int_equal(info.ecc, ECC_OFF);
}

TEST(what_the_driver_does_not_have_is_0)
{
	struct device_info info = {0};

#define IS_REFUSED(member, number, name)                                                           \
	refused = number;                                                                          \
	device_describe(&info, &calls, 3);                                                         \
	assert_int_equal(info.member, 0);
	DEVICE_ATTRIBUTES(IS_REFUSED)
#undef IS_REFUSED
	refused = DEVICE_ATTRIBUTE_ECC;
	device_describe(&info, &calls, 3);
	assert_int_equal(info.ecc, ECC_UNKNOWN);
	refused = DEVICE_ATTRIBUTE_MINOR;
	device_describe(&info, &calls, 3);
	assert_int_equal(info.compute_capability, 90);
}

static int below_zero(int *value, int attribute, int device)
{
	(void)attribute;
	(void)device;
	*value = -1;
	return 0;
}

TEST(what_is_below_zero_is_not_known)
{
	const struct device_calls odd = {name_of, NULL, memory_of, below_zero};
	struct device_info info = {0};

	device_describe(&info, &odd, 3);
	assert_int_equal(info.multiprocessors, 0);
	assert_int_equal(info.compute_capability, 0);
	assert_int_equal(info.uuid[0], 0);
}
