/* SPDX-License-Identifier: MIT */
#include "report/export/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"

cJSON *json_add_unsigned(cJSON *object, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return cJSON_AddRawToObject(object, name, text);
}

/* The length of the UTF-8 sequence that begins here; 0 where there is none. */
static size_t sequence_length(const unsigned char *bytes)
{
	static const struct {
		unsigned char low, high, second_low, second_high;
		size_t length;
	} forms[] = {
		{0x01, 0x7f, 0, 0, 1},	     {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t form = 0; form < sizeof(forms) / sizeof(*forms); form++) {
		if (bytes[0] < forms[form].low || bytes[0] > forms[form].high)
			continue;
		if (forms[form].length > 1 &&
		    (bytes[1] < forms[form].second_low || bytes[1] > forms[form].second_high))
			return 0;
		for (size_t i = 2; i < forms[form].length; i++)
			if ((bytes[i] & 0xc0) != 0x80)
				return 0;
		return forms[form].length;
	}
	return 0;
}

char *json_valid_text(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *valid = malloc(strlen(text) * strlen(replacement) + 1), *end = valid;

	if (!valid)
		return NULL;
	while (*text) {
		size_t length = sequence_length((const unsigned char *)text);

		if (length) {
			end = mempcpy(end, text, length);
			text += length;
		} else {
			end = mempcpy(end, replacement, strlen(replacement));
			text++;
		}
	}
	*end = '\0';
	return valid;
}

cJSON *json_add_text(cJSON *object, const char *name, const char *text)
{
	char *valid = json_valid_text(text);
	cJSON *item = valid ? cJSON_AddStringToObject(object, name, valid) : NULL;

	free(valid);
	return item;
}

void json_add_figures(cJSON *object, const struct session *session, enum figure_scope scope,
		      const void *structure, const char *key)
{
	const struct figure_table *table = figures_of(scope);

	for (const struct figure *figure = table->figures; figure < table->figures + table->count;
	     figure++) {
		const char *name = figure->key ? figure->key : figure->name;

		if (figure->shown == SHOWN_NEVER || strncmp(name, key, strlen(key)) != 0 ||
		    strchr(name + strlen(key), '.') || !figure_is_known(figure, structure) ||
		    (figure->shown != SHOWN_ALWAYS && !(figure_value(figure, structure) > 0)))
			continue;
		name += strlen(key);
		if (figure->shown == SHOWN_TRUE)
			cJSON_AddTrueToObject(object, name);
		else if (figure->type == FIGURE_TEXT)
			json_add_text(object, name,
				      session_string(session, figure_unsigned(figure, structure)));
		else if (figure->type == FIGURE_REAL)
			cJSON_AddNumberToObject(object, name, figure_value(figure, structure));
		else
			json_add_unsigned(object, name, figure_unsigned(figure, structure));
	}
}

/*
 * Printed JSON with the characters escaped that a terminal would not just show; outside of strings
 * there are none. The text is freed. NULL where memory is out.
 */
static char *escape_hidden(char *printed)
{
	char *escaped = NULL;
	size_t size;
	FILE *out = printed ? open_memstream(&escaped, &size) : NULL;

	for (const char *at = printed; out && *at;) {
		uint32_t character;
		size_t length = visible_character(at, &character);

		if (length == 0 || !visible_is_hidden(character))
			fwrite(at, 1, length ? length : 1, out);
		else if (character < 0x10000)
			fprintf(out, "\\u%04x", character);
		else
			fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((character - 0x10000) >> 10),
				0xdc00 + (character & 0x3ff));
		at += length ? length : 1;
	}
	free(printed);
	if (out && fclose(out) == 0)
		return escaped;
	free(escaped);
	return NULL;
}

char *json_quoted(const char *text)
{
	char *valid = json_valid_text(text);
	cJSON *item = valid ? cJSON_CreateString(valid) : NULL;
	char *quoted = item ? escape_hidden(cJSON_PrintUnformatted(item)) : NULL;

	cJSON_Delete(item);
	free(valid);
	return quoted;
}

void json_put_unsigned(FILE *file, uint64_t value)
{
	char digits[20];
	size_t place = sizeof(digits);

	do
		digits[--place] = (char)('0' + value % 10);
	while (value /= 10);
	fwrite_unlocked(digits + place, 1, sizeof(digits) - place, file);
}

void json_put_microseconds(FILE *file, uint64_t nanoseconds)
{
	const unsigned rest = (unsigned)(nanoseconds % 1000);
	const char decimals[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
				 (char)('0' + rest % 10)};

	json_put_unsigned(file, nanoseconds / 1000);
	fwrite_unlocked(decimals, 1, sizeof(decimals), file);
}

static void put_name(FILE *file, const char *name)
{
	fputs_unlocked(",\"", file);
	fputs_unlocked(name, file);
	fputs_unlocked("\":", file);
}

void json_put_member(FILE *file, const char *name, uint64_t value)
{
	put_name(file, name);
	json_put_unsigned(file, value);
}

void json_put_word(FILE *file, const char *name, const char *word)
{
	put_name(file, name);
	fputs_unlocked("\"", file);
	fputs_unlocked(word, file);
	fputs_unlocked("\"", file);
}

int json_write(FILE *file, cJSON *item)
{
	char *text = item ? escape_hidden(cJSON_PrintUnformatted(item)) : NULL;
	int error = 0;

	if (!text)
		error = -ENOMEM;
	else if (fputs(text, file) < 0)
		error = -EIO;
	cJSON_free(text);
	cJSON_Delete(item);
	return error;
}
