/* SPDX-License-Identifier: MIT */
#include "report/names/call_names.h"

#include <string.h>

/* The fewest digits of a version of the runtime's ABI: "_v3020". */
#define ABI_DIGITS 4

/* More than CUPTI has: in CUDA 13.3 the numbers end at 859. */
#define NUMBERS	   2048

/* By whether the driver's, and by number; NULL: unknown. */
static const char *const names[2][NUMBERS] = {
#define RUNTIME(number, name) [false][number] = #name,
#define DRIVER(number, name)  [true][number] = #name,
#include <call_names.def>
};

const char *call_name_of(bool driver, unsigned number)
{
	return number < NUMBERS ? names[driver][number] : NULL;
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
	const size_t length = strlen(name);

	for (unsigned number = NUMBERS; number-- > 0;) {
		const char *known = names[driver][number];

		if (known && (!strcmp(known, name) || is_version_of(known, name, length)))
			return known;
	}
	return name;
}
