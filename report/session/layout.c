/* SPDX-License-Identifier: MIT */
#include "report/session/layout.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "report/session/items.h"

/* What is an array by the lines of another list. */
#define UNTIMED_LINE(name, text)                                                                   \
	FIGURE_LINE(row, U64, untimed[UNTIMED_##name], COUNT, SUM, SUBTRACT, text, SHOWN_ABOVE_0,  \
		    "untimed." text)
#define ROW_LINES(X) ROW_FIGURES(X) UNTIMED_REASONS(UNTIMED_LINE)
#define REASON_LINE(name, bit, key, text)                                                          \
	FIGURE_LINE(device_energy, U64, reasons[CLOCK_REASON_##name], COUNT, OWN, SUBTRACT, text,  \
		    SHOWN_NEVER)
#define ENERGY_LINES(X) ENERGY_FIGURES(X) CLOCK_REASONS(REASON_LINE)

#define LINES(scope, structure, lines)                                                             \
	static const struct figure structure##_lines[] = {lines(FIGURE_LINE)};
FIGURE_SCOPES(LINES)
#undef LINES

#define COUNTER_LINE(name, ...)                                                                    \
	FIGURE_AT(#name, COUNTER_##name * sizeof(uint64_t), U64, __VA_ARGS__)
static const struct figure counter_lines[] = {SESSION_COUNTERS(COUNTER_LINE)};
#undef COUNTER_LINE

#define COUNT(lines) (sizeof(lines) / sizeof((lines)[0]))

const struct figure_table *figures_of(enum figure_scope scope)
{
	static const struct figure_table tables[SCOPE_COUNT] = {
#define TABLE(scope, structure, lines)                                                             \
	[SCOPE_##scope] = {#structure, structure##_lines, COUNT(structure##_lines),                \
			   sizeof(struct structure)},
		FIGURE_SCOPES(TABLE)
#undef TABLE
			[SCOPE_RUN] = {"counters", counter_lines, COUNT(counter_lines),
				       COUNTER_COUNT * sizeof(uint64_t)},
	};

	return &tables[scope];
}

/* A damaged table must not make much of little: the items of an older version are not that short.
 */
#define GROWTH_MOST    8
#define STRUCTURE_MOST (1U << 20)

#define SCOPE_NONE     SCOPE_COUNT

#define STRUCTURE(structure, at, figures)                                                          \
	{{.name = #structure,                                                                      \
	  .offset = at,                                                                            \
	  .size = sizeof(struct structure),                                                        \
	  .type = LAYOUT_STRUCTURE},                                                               \
	 NULL,                                                                                     \
	 SCOPE_##figures},
#define INSIDE(structure, figures)     STRUCTURE(structure, 0, figures)
#define ITEM(structure, kind, figures) STRUCTURE(structure, 1 + SEGMENT_##kind, figures)
#define MEMBER(structure, member, of_type, inner)                                                  \
	{{.name = #member,                                                                         \
	  .offset = offsetof(struct structure, member),                                            \
	  .size = sizeof(((struct structure *)0)->member),                                         \
	  .type = of_type},                                                                        \
	 inner,                                                                                    \
	 SCOPE_NONE},
#define U8(structure, member)		MEMBER(structure, member, LAYOUT_U8, NULL)
#define U32(structure, member)		MEMBER(structure, member, FIGURE_U32, NULL)
#define I32(structure, member)		MEMBER(structure, member, LAYOUT_I32, NULL)
#define U64(structure, member)		MEMBER(structure, member, FIGURE_U64, NULL)
#define REAL(structure, member)		MEMBER(structure, member, FIGURE_REAL, NULL)
#define TEXT(structure, member)		MEMBER(structure, member, LAYOUT_TEXT, NULL)
#define AT(structure, member)		MEMBER(structure, member, LAYOUT_REFERENCE, NULL)
#define INNER(structure, member, inner) MEMBER(structure, member, LAYOUT_INNER, #inner)
#define KNOWN(structure)		MEMBER(structure, known, LAYOUT_KNOWN, NULL)

/*
 * The structures, each after those that are inside of it: the segments that hold it, its figures,
 * and its members that are none. Histograms are described by HISTOGRAM_VERSION.
 */
static const struct {
	struct layout_line line;
	const char *inner; /* the structure that a member is */
	enum figure_scope figures;
} described[] = {
	/* clang-format off */
	INSIDE(sized_call, NONE) U64(sized_call, size) U64(sized_call, ns)
	INSIDE(figures, CLOCK) KNOWN(figures) AT(figures, histogram)
		INNER(figures, slowest, sized_call) INNER(figures, fastest, sized_call)
	INSIDE(stratum, STRATUM)
	INSIDE(estimate, NONE) INNER(estimate, strata, stratum) REAL(estimate, position)
		U32(estimate, shift) U32(estimate, by_size) REAL(estimate, fraction)
		REAL(estimate, standard_error) REAL(estimate, cubes)
	INSIDE(launch_shape, NONE) U32(launch_shape, threads) U32(launch_shape, registers)
		U32(launch_shape, shared) U64(launch_shape, launches) U64(launch_shape, blocks)
	ITEM(row, ROWS, ROW) U32(row, committed) U32(row, kind) AT(row, name) I32(row, device)
		U32(row, summed) KNOWN(row) U64(row, untimed) INNER(row, cupti, figures)
		INNER(row, events, figures) INNER(row, estimate, estimate)
		AT(row, difference_histogram) INNER(row, shapes, launch_shape)
	ITEM(trace_record, TRACE, NONE) U64(trace_record, start) U64(trace_record, end)
		AT(trace_record, name) U64(trace_record, bytes) I32(trace_record, device)
		U32(trace_record, kind) U32(trace_record, context) U32(trace_record, stream)
		U32(trace_record, correlation) U32(trace_record, thread) U32(trace_record, grid)
		U32(trace_record, block) U32(trace_record, registers)
		U32(trace_record, static_shared) U32(trace_record, dynamic_shared)
		U8(trace_record, source_kind) U8(trace_record, destination_kind)
		U8(trace_record, clock) U8(trace_record, overhead) U32(trace_record, result)
		U32(trace_record, graph) U32(trace_record, graph_node) AT(trace_record, kernel)
	ITEM(idle_row, IDLE, IDLE) U32(idle_row, committed) U32(idle_row, cause)
		AT(idle_row, name) I32(idle_row, device) U32(idle_row, thread)
	ITEM(nvtx_range, RANGES, RANGE) U32(nvtx_range, committed) U32(nvtx_range, style)
		AT(nvtx_range, parent) AT(nvtx_range, name) AT(nvtx_range, domain)
		U32(nvtx_range, thread) KNOWN(nvtx_range)
	ITEM(nvtx_part, RANGE_PARTS, PART) AT(nvtx_part, range) AT(nvtx_part, row)
		U32(nvtx_part, committed) KNOWN(nvtx_part)
	INSIDE(session_owner, NONE) TEXT(session_owner, boot) U64(session_owner, started)
		U64(session_owner, pid_namespace)
	INSIDE(process_rank, NONE) I32(process_rank, rank) I32(process_rank, local_rank)
		I32(process_rank, world_size) TEXT(process_rank, launcher) TEXT(process_rank, job)
	ITEM(job_process, PROCESSES, NONE) U32(job_process, committed) I32(job_process, pid)
		INNER(job_process, owner, session_owner) INNER(job_process, rank, process_rank)
		AT(job_process, hostname) AT(job_process, command) U64(job_process, start_realtime)
		U64(job_process, clock_offset) U64(job_process, clock_moved)
		U64(job_process, records_moved) U32(job_process, finished) U32(job_process, timed)
		U64(job_process, operations) U64(job_process, gpu) U64(job_process, collectives)
		U64(job_process, wall) U64(job_process, device_time) U64(job_process, busy)
		U64(job_process, trace_records) U64(job_process, causes)
		U64(job_process, memory_peak) U64(job_process, memory_held)
		U8(job_process, gpu_uuid)
	ITEM(job_row, JOB_ROWS, JOB_ROW) U32(job_row, committed) U32(job_row, kind)
		AT(job_row, name) AT(job_row, slowest) KNOWN(job_row)
	ITEM(job_part, JOB_PARTS, JOB_PART) U32(job_part, committed) AT(job_part, process)
		AT(job_part, row) KNOWN(job_part)
	ITEM(metric_values, METRICS, METRIC) U32(metric_values, committed)
		U32(metric_values, unit) AT(metric_values, row) AT(metric_values, name)
		AT(metric_values, description) KNOWN(metric_values)
	ITEM(memory_use, MEMORY, MEMORY) U32(memory_use, committed) U32(memory_use, kind)
		I32(memory_use, device)
	ITEM(memory_site, MEMORY_SITES, SITE) U32(memory_site, committed)
		U32(memory_site, kind) I32(memory_site, device) U32(memory_site, thread)
		U64(memory_site, size) AT(memory_site, range) AT(memory_site, operation)
	INSIDE(energy_step, NONE) REAL(energy_step, joules) U64(energy_step, covered)
		U64(energy_step, sm_mhz) U32(energy_step, samples)
	ITEM(energy_curve, ENERGY, NONE) U32(energy_curve, committed) I32(energy_curve, device)
		U64(energy_curve, begin) U64(energy_curve, length)
		INNER(energy_curve, steps, energy_step)
	INSIDE(event_overhead, NONE) U64(event_overhead, ns) U64(event_overhead, pairs)
		U64(event_overhead, standard_error)
	INSIDE(clock_range, CLOCK_RANGE) KNOWN(clock_range)
	INSIDE(device_energy, ENERGY) U32(device_energy, state) I32(device_energy, result)
		U32(device_energy, source) INNER(device_energy, sm, clock_range)
		INNER(device_energy, memory, clock_range) U64(device_energy, reasons)
	INSIDE(device_info, NONE) TEXT(device_info, name) U8(device_info, uuid)
		U32(device_info, used) U32(device_info, compute_capability) U64(device_info, memory)
		U32(device_info, multiprocessors) U32(device_info, clock_khz)
		U32(device_info, memory_clock_khz) U32(device_info, bus_bits)
		U32(device_info, l2_bytes) U32(device_info, ecc) U32(device_info, integrated)
		U32(device_info, most_threads) U32(device_info, most_blocks)
		U32(device_info, most_registers) U32(device_info, most_shared)
		U32(device_info, reserved_shared) U32(device_info, pcie_generation)
		U32(device_info, pcie_lanes) U32(device_info, nvlink_links)
		U32(device_info, nvlink_mbps) U32(device_info, c2c_mbps) U32(device_info, coherent)
		INNER(device_info, energy, device_energy)
	INSIDE(device_use, USE)
	INSIDE(call_totals, TOTALS)
	{{.name = "counters", .size = COUNTER_COUNT * sizeof(uint64_t), .type = LAYOUT_STRUCTURE}, NULL, SCOPE_RUN},
	INSIDE(session_header, NONE) I32(session_header, pid) U32(session_header, finished)
		U32(session_header, reported) U32(session_header, kept)
		INNER(session_header, owner, session_owner)
		INNER(session_header, rank, process_rank) U64(session_header, start_realtime)
		U64(session_header, trace_start) U64(session_header, clock_offset)
		U64(session_header, clock_moved) AT(session_header, command)
		AT(session_header, hostname) U32(session_header, driver_version)
		U32(session_header, cupti_version) U32(session_header, timer)
		U32(session_header, cupti_active) U32(session_header, events_active)
		U32(session_header, events_fraction) REAL(session_header, budget_percent)
		INNER(session_header, counters, counters) AT(session_header, notes)
		U32(session_header, note_count) U32(session_header, trace_on)
		U32(session_header, processes) U32(session_header, budget_given)
		INNER(session_header, overheads, event_overhead)
		INNER(session_header, queued, event_overhead)
		INNER(session_header, devices, device_info) INNER(session_header, uses, device_use)
		INNER(session_header, totals, call_totals)
	/* clang-format on */
};

struct layout {
	/* The profile's line for each of this version's, counted from 1; 0: it has none. */
	uint16_t from[LAYOUT_LINES_MOST];
	const struct layout_line *theirs;
	unsigned count;
	char *front; /* of the file, up to its segments */
};

static struct layout_table own;

/* The lines of a structure's figures, but of those in an array, which is a member. */
static struct layout_line *add_figures(struct layout_line *next, const struct figure_table *table)
{
	for (unsigned i = 0; i < table->count; i++) {
		const struct figure *figure = &table->figures[i];

		if (strchr(figure->name, '['))
			continue;
		*next = (struct layout_line){.offset = figure->offset,
					     .size = figure->size,
					     .type = figure->type,
					     .unit = figure->unit,
					     .merge = figure->merge,
					     .difference = figure->difference,
					     .known = figure->known};
		strncpy(next++->name, figure->name, sizeof(next->name) - 1);
	}
	return next;
}

static void build(void)
{
	struct layout_line *next = own.lines;

	for (unsigned i = 0; i < COUNT(described); i++) {
		struct layout_line *line = next++;

		*line = described[i].line;
		while (described[i].inner &&
		       strcmp(own.lines[line->inner].name, described[i].inner) != 0)
			line->inner++;
		if (line->type == LAYOUT_STRUCTURE)
			own.of_kind[line->offset] = (uint16_t)(line - own.lines);
		if (described[i].figures != SCOPE_NONE)
			next = add_figures(next, figures_of(described[i].figures));
	}
	own.count = (unsigned)(next - own.lines);
	own.sum = layout_sum(own.lines, own.count);
}

const struct layout_table *layout_own(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, build);
	return &own;
}

uint32_t item_size(unsigned kind)
{
	const struct layout_table *table = layout_own();
	uint16_t line = table->of_kind[kind + 1];

	return line ? table->lines[line].size : 1;
}

uint64_t layout_sum(const struct layout_line *lines, unsigned count)
{
	uint64_t sum = count, part;

	for (size_t i = 0; i < count * sizeof(*lines); i += sizeof(part)) {
		memcpy(&part, (const char *)lines + i, sizeof(part));
		sum = (sum ^ part) * 0x100000001b3u;
		sum ^= sum >> 32;
	}
	return sum;
}

/* Bytes of one element of a line; 0: no such type. */
static uint32_t element_size(const struct layout_line *lines, const struct layout_line *line)
{
	switch (line->type) {
	case LAYOUT_U8:
	case LAYOUT_TEXT:
		return 1;
	case FIGURE_U32:
	case LAYOUT_I32:
	case LAYOUT_KNOWN:
		return sizeof(uint32_t);
	case FIGURE_U64:
	case FIGURE_REAL:
	case LAYOUT_REFERENCE:
		return sizeof(uint64_t);
	case LAYOUT_INNER:
		return lines[line->inner].size;
	default:
		return 0;
	}
}

static bool is_name(const struct layout_line *line)
{
	size_t length = strnlen(line->name, sizeof(line->name));

	return length > 0 && length < sizeof(line->name) &&
	       strspn(line->name, "abcdefghijklmnopqrstuvwxyz_0123456789") == length;
}

static bool is_sound(const struct layout_line *lines, unsigned count)
{
	unsigned structure = 0;

	if (!count || lines->type != LAYOUT_STRUCTURE)
		return false;
	for (unsigned i = 0; i < count; i++) {
		const struct layout_line *line = &lines[i];
		uint32_t size = lines[structure].size, element;

		if (!is_name(line))
			return false;
		if (line->type == LAYOUT_STRUCTURE) {
			structure = i;
			if (line->size == 0 || line->size > STRUCTURE_MOST)
				return false;
			continue;
		}
		if (line->type == LAYOUT_INNER &&
		    (line->inner >= structure || lines[line->inner].type != LAYOUT_STRUCTURE))
			return false;
		element = element_size(lines, line);
		if (!element || line->size % element || line->offset > size ||
		    line->size > size - line->offset)
			return false;
	}
	return true;
}

static bool is_same(const struct layout *layout, const struct layout_line *line,
		    const struct layout_line *theirs)
{
	/* What is inside comes earlier. A damaged table may have two structures of its name. */
	return line->type == theirs->type && strcmp(line->name, theirs->name) == 0 &&
	       (line->type != LAYOUT_INNER || layout->from[line->inner] == theirs->inner + 1);
}

/* The number of the profile's line for an own one, counted from 1, among those that follow
 * `first`, up to the next structure unless one is looked for; 0: none. */
static uint16_t find_line(const struct layout *layout, const struct layout_line *line,
			  unsigned first)
{
	for (unsigned i = first; i < layout->count; i++) {
		if (is_same(layout, line, &layout->theirs[i]))
			return (uint16_t)(i + 1);
		if (line->type != LAYOUT_STRUCTURE && layout->theirs[i].type == LAYOUT_STRUCTURE)
			break;
	}
	return 0;
}

/* The profile's line for one of this version's; NULL: it has none. */
static const struct layout_line *their_line(const struct layout *layout, unsigned line)
{
	return layout->from[line] ? &layout->theirs[layout->from[line] - 1] : NULL;
}

/* Before there was `known`, the most stood for the least of nothing, NAN and a total of 0 for what
 * is not known. */
static bool was_known(const struct layout_line *line, const void *value)
{
	double real;

	memcpy(&real, value, sizeof(real));
	if (line->type == FIGURE_REAL)
		return line->known == TOTAL_KNOWN ? real > 0 : !isnan(real);
	return line->type != FIGURE_U64 || *(const uint64_t *)value != UINT64_MAX;
}

static void convert(const struct layout *layout, unsigned structure, char *to, const char *from,
		    layout_moved *moved, const void *context)
{
	uint32_t known = 0;

	for (unsigned i = structure + 1; i < own.count && own.lines[i].type != LAYOUT_STRUCTURE;
	     i++) {
		const struct layout_line *line = &own.lines[i], *theirs = their_line(layout, i);
		uint32_t element = element_size(own.lines, line), their_element, count;

		if (!theirs) {
			if (line->type == LAYOUT_KNOWN)
				memcpy(to + line->offset, &known, sizeof(known));
			continue;
		}
		their_element = element_size(layout->theirs, theirs);
		count = line->size / element;
		LOWER(count, theirs->size / their_element);
		for (uint32_t k = 0; k < count; k++) {
			char *to_element = to + line->offset + k * element;
			const char *from_element = from + theirs->offset + k * their_element;
			uint64_t reference;

			if (line->type == LAYOUT_INNER) {
				convert(layout, line->inner, to_element, from_element, moved,
					context);
				continue;
			}
			memcpy(to_element, from_element, element);
			if (line->type == LAYOUT_REFERENCE && moved) {
				memcpy(&reference, from_element, sizeof(reference));
				reference = moved(context, reference);
				memcpy(to_element, &reference, sizeof(reference));
			}
		}
		if (line->known && was_known(line, to + line->offset))
			known |= line->known;
	}
}

int layout_read(struct layout **result, struct session_header *header, char *front)
{
	const struct layout_line *theirs = (const struct layout_line *)(front + header->layout);
	struct layout *layout = calloc(1, sizeof(*layout));
	const unsigned count = header->layout_lines;
	uint16_t structure = 0;
	bool is_right = layout && layout_sum(theirs, count) == header->layout_sum &&
			is_sound(theirs, count);
	int error = layout ? -EBADMSG : -ENOMEM;

	if (!layout) {
		free(front);
		return error;
	}
	layout->front = front;
	layout->theirs = theirs;
	layout->count = count;
	for (unsigned i = 0; i < layout_own()->count && is_right; i++) {
		const struct layout_line *line = &own.lines[i];

		if (line->type == LAYOUT_STRUCTURE)
			layout->from[i] = structure = find_line(layout, line, 0);
		else
			layout->from[i] = structure ? find_line(layout, line, structure) : 0;
		is_right = line->type != LAYOUT_STRUCTURE || !line->offset || !structure ||
			   theirs[structure - 1].size >= line->size / GROWTH_MOST;
	}
	/* The header, of which each has one, is the last of them. */
	if (!is_right || !structure || theirs[structure - 1].size > header->header_size) {
		layout_free(layout);
		return error;
	}
	convert(layout, own.of_kind[0], (char *)header, front, NULL, NULL);
	*result = layout;
	return 0;
}

void layout_free(struct layout *layout)
{
	if (!layout)
		return;
	free(layout->front);
	free(layout);
}

int layout_kind(const struct layout *layout, uint32_t kind)
{
	if (kind == SEGMENT_STRINGS || kind == SEGMENT_HISTOGRAMS)
		return (int)kind;
	for (unsigned i = 0; i < SEGMENT_KINDS; i++) {
		const struct layout_line *theirs = their_line(layout, own.of_kind[i + 1]);

		if (theirs && theirs->offset == (uint64_t)kind + 1)
			return (int)i;
	}
	return -1;
}

uint32_t layout_item_size(const struct layout *layout, unsigned kind)
{
	const struct layout_line *theirs = their_line(layout, own.of_kind[kind + 1]);

	return own.of_kind[kind + 1] && theirs ? theirs->size : 1;
}

void layout_item(const struct layout *layout, unsigned kind, void *to, const void *from,
		 layout_moved *moved, const void *context)
{
	convert(layout, own.of_kind[kind + 1], to, from, moved, context);
}

unsigned layout_unknown(const struct layout *layout, char *names, size_t size)
{
	unsigned unknown = 0;
	bool is_structure_known = true;

	if (size)
		*names = '\0';
	for (unsigned i = 0; i < layout->count; i++) {
		const struct layout_line *line = &layout->theirs[i];
		bool is_known = false, is_structure = line->type == LAYOUT_STRUCTURE;
		size_t length = strlen(names);

		for (unsigned k = 0; k < own.count && !is_known; k++)
			is_known = layout->from[k] == i + 1;
		if (is_structure)
			is_structure_known = is_known;
		if (is_known || (!is_structure && !is_structure_known))
			continue;
		snprintf(names + length, size - length, "%s%s", unknown++ ? ", " : "", line->name);
	}
	return unknown;
}
