/* SPDX-License-Identifier: MIT */
#include "report/devices/attributes.h"

/* 0 if the driver does not have the attribute. */
static uint32_t attribute_of(const struct device_calls *calls, int attribute, int device)
{
	int value = 0;

	if (calls->attribute(&value, attribute, device) || value < 0)
		return 0;
	return (uint32_t)value;
}

static uint32_t ecc_of(const struct device_calls *calls, int device)
{
	int value;

	if (calls->attribute(&value, DEVICE_ATTRIBUTE_ECC, device))
		return ECC_UNKNOWN;
	return value ? ECC_ON : ECC_OFF;
}

void device_describe(struct device_info *info, const struct device_calls *calls, int device)
{
	size_t bytes = 0;

	calls->name(info->name, sizeof(info->name), device);
	if (calls->uuid)
		calls->uuid(info->uuid, device);
	calls->memory(&bytes, device);
	info->memory = bytes;
	info->compute_capability = attribute_of(calls, DEVICE_ATTRIBUTE_MAJOR, device) * 10 +
				   attribute_of(calls, DEVICE_ATTRIBUTE_MINOR, device);
	info->ecc = ecc_of(calls, device);
#define READ_ATTRIBUTE(member, number, name) info->member = attribute_of(calls, number, device);
	DEVICE_ATTRIBUTES(READ_ATTRIBUTE)
#undef READ_ATTRIBUTE
}
