/* SPDX-License-Identifier: MIT */
#include "report/names/call_names.h"

#include <string.h>

/* The fewest digits of a version of the runtime's ABI: "_v3020". */
#define ABI_DIGITS 4

struct call_names {
	const char *const *names; /* by number; NULL: unknown */
	unsigned count;
};

static struct call_names names_of(bool driver)
{
#define RUNTIME(number, name) [number] = #name,
#define DRIVER(number, name)
	static const char *const runtime_names[] = {
#include "report/names/call_names.def"
	};
#undef RUNTIME
#undef DRIVER
#define RUNTIME(number, name)
#define DRIVER(number, name) [number] = #name,
	static const char *const driver_names[] = {
#include "report/names/call_names.def"
	};
#define NAMES(list) ((struct call_names){list, sizeof(list) / sizeof(*(list))})

	return driver ? NAMES(driver_names) : NAMES(runtime_names);
}

const char *call_name_of(bool driver, unsigned number)
{
	const struct call_names names = names_of(driver);

	return number < names.count ? names.names[number] : NULL;
}

/* The length of "_v7000" at the end of a text, 0 where it has no version of that length. */
static size_t version_length(const char *text, size_t length, size_t fewest_digits)
{
	size_t digits = 0;

	while (digits < length && text[length - digits - 1] >= '0' &&
	       text[length - digits - 1] <= '9')
		digits++;
	if (!digits || digits < fewest_digits || length < digits + 3 ||
	    memcmp(text + length - digits - 2, "_v", 2))
		return 0;
	return digits + 2;
}

size_t call_symbol_length(const char *name)
{
	size_t length = strlen(name);

	return length - version_length(name, length, ABI_DIGITS);
}

size_t call_base_length(const char *name)
{
	size_t length = strlen(name), suffix;

	do {
		suffix = version_length(name, length, 1);
		if (length > 5 && (!memcmp(name + length - 5, "_ptsz", 5) ||
				   !memcmp(name + length - 5, "_ptds", 5)))
			suffix = 5;
		length -= suffix;
	} while (suffix);
	return length;
}

/* Whether `versioned` is the name and no more than one version behind it. */
static bool is_version_of(const char *versioned, const char *name, size_t length)
{
	size_t whole = strlen(versioned);

	return whole - version_length(versioned, whole, 1) == length &&
	       !memcmp(versioned, name, length);
}

const char *call_name_with_version(bool driver, const char *name)
{
	const struct call_names names = names_of(driver);
	const size_t length = strlen(name);

	for (unsigned number = names.count; number-- > 0;) {
		const char *known = names.names[number];

		if (known && (!strcmp(known, name) || is_version_of(known, name, length)))
			return known;
	}
	return name;
}
