/* SPDX-License-Identifier: MIT */
#include "report/html/pack.h"

#include <errno.h>
#include <stdlib.h>

#include <zlib.h>

#include "report/html/html.h"
#include "report/session/entries.h"
#include "report/session/text.h"

struct name {
	struct entry entry; /* by offset, kind and class */
	uint32_t number;    /* from 1 */
};

struct packing {
	const struct timeline *timeline;
	uint64_t until;
	struct entry *names;
	struct html html; /* what is packed so far */
	const char *separator;
};

static void put(FILE *file, uint64_t number)
{
	for (; number > 127; number >>= 7)
		putc_unlocked((int)(number & 127) | 128, file);
	putc_unlocked((int)number, file);
}

static uint64_t folded(int64_t number)
{
	return number < 0 ? 2 * (uint64_t)-number - 1 : 2 * (uint64_t)number;
}

/* The number of an item's name, from 1. */
static uint32_t name_number(struct packing *packing, const struct item *item)
{
	const uint64_t key[ENTRY_NUMBERS] = {item->name, item->kind, item->class};
	struct name *name = entry_of(&packing->names, key, sizeof(*name));

	if (name && !name->number)
		name->number = HASH_COUNT(packing->names);
	if (!name)
		packing->html.error = -ENOMEM;
	return name ? name->number : 1;
}

static uint64_t start_after(struct packing *packing, const struct item *item,
			    const struct item *before)
{
	(void)packing;
	return item->start - before->start;
}

static uint64_t length(struct packing *packing, const struct item *item, const struct item *before)
{
	(void)packing, (void)before;
	return item->end - item->start;
}

static uint64_t name(struct packing *packing, const struct item *item, const struct item *before)
{
	(void)before;
	return name_number(packing, item) - 1;
}

static uint64_t details(struct packing *packing, const struct item *item, const struct item *before)
{
	(void)packing, (void)before;
	return item->details;
}

static uint64_t correlation_after(struct packing *packing, const struct item *item,
				  const struct item *before)
{
	(void)packing;
	return folded((int64_t)item->correlation - before->correlation);
}

static uint64_t (*const columns[])(struct packing *packing, const struct item *item,
				   const struct item *before) = {start_after, length, name, details,
								 correlation_after};

static size_t count_until(const struct track *track, uint64_t until)
{
	return until ? FIRST_NOT(i, 0, track->count, track->items[i].start < until) : track->count;
}

static void put_track(struct packing *packing, const struct track *track)
{
	static const struct item none;
	size_t count = count_until(track, packing->until);

	put(packing->html.file, count);
	for (size_t column = 0; column < sizeof(columns) / sizeof(*columns); column++)
		for (size_t i = 0; i < count; i++)
			put(packing->html.file, columns[column](packing, &track->items[i],
								i ? &track->items[i - 1] : &none));
}

static void begin_list(struct packing *packing, const char *name)
{
	fprintf(packing->html.file, ",\n\"%s\":[", name);
	packing->separator = "";
}

static void next_of_list(struct packing *packing)
{
	fputs(packing->separator, packing->html.file);
	packing->separator = ",\n";
}

static void put_detail(const char *text, void *argument)
{
	struct packing *packing = argument;

	next_of_list(packing);
	html_json_text(&packing->html, text);
}

static void put_names(struct packing *packing)
{
	const struct timeline *timeline = packing->timeline;

	begin_list(packing, "names");
	entries_for_each (struct name, packing->names, name) {
		enum row_kind kind = (enum row_kind)name->entry.key[1];
		const char *text =
			kind == ROW_KINDS ? idle_cause_texts[name->entry.key[0]]
					  : filter_name(timeline->filter, kind, name->entry.key[0]);

		put_detail(text && *text ? text : "other CUDA calls", packing);
		if (!text)
			packing->html.error = -ENOMEM;
	}
	fputc(']', packing->html.file);
	begin_list(packing, "nameClasses");
	entries_for_each (struct name, packing->names, name) {
		next_of_list(packing);
		fprintf(packing->html.file, "%u", (unsigned)name->entry.key[2]);
	}
	fputc(']', packing->html.file);
}

static void put_tracks(struct packing *packing)
{
	static const char *const kinds[] = {[TRACK_IDLE] = "idle",
					    [TRACK_STREAM] = "stream",
					    [TRACK_RANGES] = "ranges",
					    [TRACK_CALLS] = "calls"};
	const struct timeline *timeline = packing->timeline;
	char label[TRACK_LABEL_SIZE];

	begin_list(packing, "tracks");
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct track *track = &timeline->tracks[i];

		next_of_list(packing);
		fputs("{\"label\":", packing->html.file);
		html_json_text(&packing->html, track_label(timeline, track, label));
		fprintf(packing->html.file, ",\"process\":%u,\"kind\":\"%s\"}", track->process,
			kinds[track->kind]);
	}
	fputc(']', packing->html.file);
}

/* What is not a number of a record. */
static int put_texts(struct packing *packing)
{
	const struct timeline *timeline = packing->timeline;
	FILE *file = packing->html.file;
	int error;

	fprintf(file, "{\"begin\":%llu,\"end\":%llu", (unsigned long long)timeline->begin,
		(unsigned long long)(packing->until ?: timeline->end));
	begin_list(packing, "classes");
	for (unsigned i = 0; i < CLASSES; i++) {
		next_of_list(packing);
		fprintf(file, "[\"%s\",\"%s%s\"]", class_name(i),
			i < CLASS_IDLE ? "" : "idle: ", class_text(i));
	}
	fputc(']', file);
	put_tracks(packing);
	put_names(packing);
	begin_list(packing, "details");
	error = details_texts(timeline->details, timeline->session, timeline->filter, put_detail,
			      packing);
	fputs("]}", file);
	return error;
}

static int compress_text(struct pack *pack, const char *text, size_t size)
{
	uLongf room = compressBound(size);

	pack->bytes = malloc(room);
	if (!pack->bytes || compress(pack->bytes, &room, (const Bytef *)text, size) != Z_OK)
		return -ENOMEM;
	pack->size = room;
	return 0;
}

static int make_until(struct pack *pack, const struct timeline *timeline, uint64_t until)
{
	struct packing packing = {.timeline = timeline, .until = until};
	char *records = NULL, *whole = NULL;
	size_t records_size, size;
	int error = -ENOMEM;

	/* The records number the names, which stand before them. */
	packing.html.file = open_memstream(&records, &records_size);
	if (!packing.html.file)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->track_count; i++)
		put_track(&packing, &timeline->tracks[i]);
	if (text_close(packing.html.file, &records))
		goto out;
	packing.html.file = open_memstream(&whole, &size);
	if (!packing.html.file)
		goto out;
	error = put_texts(&packing);
	fputc('\0', packing.html.file);
	fwrite(records, 1, records_size, packing.html.file);
	error = text_close(packing.html.file, &whole) ?: error ?: packing.html.error;
	error = error ?: compress_text(pack, whole, size);
out:
	entries_free(&packing.names);
	free(records);
	free(whole);
	return error;
}

int pack_make(struct pack *pack, const struct timeline *timeline, size_t most)
{
	int error;

	*pack = (struct pack){.until = 0};
	for (;;) {
		uint64_t shown = pack->until ? pack->until - timeline->begin
					     : timeline->end - timeline->begin;

		error = make_until(pack, timeline, pack->until);
		if (error || pack->size <= most || shown < 2)
			break;
		/* A little less than what would fit, were all of it alike; soon much less, as it is
		 * not. */
		shown = (uint64_t)((pack->until ? 0.5 : 0.95) * (double)shown * (double)most /
				   (double)pack->size);
		pack->until = timeline->begin + shown + 1;
		pack_free(pack);
	}
	for (size_t i = 0; i < timeline->track_count && !error; i++)
		if (timeline->tracks[i].kind != TRACK_IDLE)
			pack->left_out += timeline->tracks[i].count -
					  count_until(&timeline->tracks[i], pack->until);
	return error;
}

void pack_write(const struct pack *pack, FILE *file)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < pack->size; i += 3) {
		size_t left = pack->size - i;
		unsigned three = (unsigned)pack->bytes[i] << 16 |
				 (left > 1 ? (unsigned)pack->bytes[i + 1] << 8 : 0) |
				 (left > 2 ? pack->bytes[i + 2] : 0);

		putc_unlocked(digits[three >> 18], file);
		putc_unlocked(digits[three >> 12 & 63], file);
		putc_unlocked(left > 1 ? digits[three >> 6 & 63] : '=', file);
		putc_unlocked(left > 2 ? digits[three & 63] : '=', file);
	}
}

void pack_free(struct pack *pack)
{
	free(pack->bytes);
	pack->bytes = NULL;
}
