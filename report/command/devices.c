/* SPDX-License-Identifier: MIT */
/* `ktime devices`: what the GPUs here are by the driver and NVML, and what they can do at most. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/command/commands.h"
#include "report/devices/describe.h"
#include "report/devices/peaks.h"
#include "report/export/json.h"
#include "report/names/visible.h"
#include "report/sheet/sheet.h"

#define GIB 1073741824.0

static struct device_info devices[SESSION_DEVICES];
static size_t device_count;
static const char *no_nvml; /* why NVML says nothing; NULL: it does */

/* X(member of struct driver_calls, symbol, needed) */
#define PROBE_CALLS(X)                                                                             \
	X(init, cuInit, 1)                                                                         \
	X(count, cuDeviceGetCount, 1)                                                              \
	X(error_text, cuGetErrorString, 1)                                                         \
	X(device.name, cuDeviceGetName, 1)                                                         \
	X(device.uuid, cuDeviceGetUuid, 0)                                                         \
	X(device.memory, cuDeviceTotalMem_v2, 1)                                                   \
	X(device.attribute, cuDeviceGetAttribute, 1)

struct driver_calls {
	int (*init)(unsigned flags);
	int (*count)(int *count);
	int (*error_text)(int error, const char **text);
	struct device_calls device;
};

static int load_driver(struct driver_calls *driver, char *message, size_t size)
{
	void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	bool complete = true;

	if (!handle) {
		snprintf(message, size, "no CUDA driver here: %s", dlerror());
		return -ENODEV;
	}
#define PROBE_LOOK_UP(member, symbol, needed)                                                      \
	*(void **)&driver->member = dlsym(handle, #symbol);                                        \
	complete &= !(needed) || driver->member;
	PROBE_CALLS(PROBE_LOOK_UP)
#undef PROBE_LOOK_UP
	if (complete)
		return 0;
	snprintf(message, size, "the CUDA driver is too old");
	return -ENOSYS;
}

/* 0, or -ENODEV or -ENOSYS with a one-line message. */
static int probe_devices(char *message, size_t size)
{
	struct driver_calls driver = {.init = NULL};
	const char *text = NULL;
	int count = 0, result, error = load_driver(&driver, message, size);

	if (error)
		return error;
	result = driver.init(0);
	if (!result)
		result = driver.count(&count);
	if (result) {
		if (driver.error_text(result, &text) || !text)
			text = "unknown error";
		snprintf(message, size, "the CUDA driver says: %s (%d)", text, result);
		return -ENODEV;
	}
	for (; device_count < (size_t)count && device_count < SESSION_DEVICES; device_count++)
		device_describe(&devices[device_count], &driver.device, (int)device_count);
	no_nvml = nvml_load(dlsym);
	if (!no_nvml)
		no_nvml = nvml_describe(devices, device_count);
	return 0;
}

/* As text these are lines; those without a heading are in CSV alone. */
static const struct column columns[] = {
	{.csv = "Device", .kind = CELL_COUNT},
	{.csv = "Name", .kind = CELL_TEXT},
	{"Compute capability", "Compute Capability", .kind = CELL_WORD},
	{"Multiprocessors", "Multiprocessors", .kind = CELL_RATE},
	{"Highest clock", "Clock", .kind = CELL_RATE, .unit = "MHz"},
	{"Memory", "Memory", .kind = CELL_COUNT, .unit = "B"},
	{"Memory clock", "Memory Clock", .kind = CELL_RATE, .unit = "MHz"},
	{"Memory bus", "Memory Bus", .kind = CELL_RATE, .unit = "bit"},
	{"DRAM bandwidth", "DRAM", .kind = CELL_RATE, .unit = "GB/s"},
	{.csv = "DRAM", .kind = CELL_RATE, .unit = "GiB/s"},
	{"L2 cache", "L2", .kind = CELL_RATE, .unit = "B"},
	{"FP32 peak", "FP32", .kind = CELL_RATE, .unit = "GFLOP/s"},
	{"FP64 peak", "FP64", .kind = CELL_RATE, .unit = "GFLOP/s"},
	{"FP16 tensor peak", "FP16 Tensor", .kind = CELL_RATE, .unit = "GFLOP/s"},
	{"Host link", "Host Link", .kind = CELL_TEXT},
	{.csv = "Host Link", .kind = CELL_RATE, .unit = "GB/s"},
	{"NVLink", "NVLinks", .kind = CELL_COUNT},
	{.csv = "NVLink", .kind = CELL_RATE, .unit = "GB/s"},
	{"ECC", "ECC", .kind = CELL_TEXT},
};

/* A value, which 0 is not, and how it is written as text. */
__attribute__((format(printf, 4, 5))) static void set(const struct sheet *sheet, struct cell *cell,
						      double value, const char *format, ...)
{
	va_list arguments;
	char text[160];

	if (!(value > 0))
		return;
	cell_real(cell, value);
	if (sheet->form == SHEET_CSV)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	cell_print(cell, "%s", text);
}

static void fill_links(const struct sheet *sheet, const struct device_info *info,
		       const struct peaks *peaks, struct cell *cell)
{
	bool csv = sheet->form == SHEET_CSV;
	char buffer[64];
	const char *link = host_link_text(info, buffer, sizeof(buffer));

	if (csv || (peaks->host_link != HOST_LINK_UNKNOWN && !(peaks->host > 0)))
		cell_print(cell, "%s", link);
	else
		set(sheet, cell, peaks->host, "%s, %.1f GB/s in each direction", link, peaks->host);
	set(sheet, ++cell, peaks->host, "%.1f", peaks->host);
	cell++;
	if (csv && !no_nvml)
		cell_count(cell, info->nvlink_links);
	else if (!csv && peaks->nvlink > 0)
		cell_print(cell, "%u links, %.1f GB/s in each direction", info->nvlink_links,
			   peaks->nvlink);
	else if (!csv && info->nvlink_links)
		cell_print(cell, "%u links, their speed is unknown", info->nvlink_links);
	else if (!csv && !no_nvml)
		cell_text(cell, "no active link");
	set(sheet, ++cell, peaks->nvlink, "%.1f", peaks->nvlink);
}

static void fill(const struct sheet *sheet, size_t row, struct cell *cell)
{
	const int *shown = sheet->argument;
	const struct device_info *info = &devices[shown[row]];
	struct peaks peaks = peaks_of(info);

	cell_count(cell++, (uint64_t)shown[row]);
	cell_text(cell++, info->name);
	cell_print(cell++, "%u.%u", info->compute_capability / 10, info->compute_capability % 10);
	set(sheet, cell++, info->multiprocessors, "%u", info->multiprocessors);
	set(sheet, cell++, info->clock_khz / 1e3, "%.0f MHz", info->clock_khz / 1e3);
	cell_count(cell, info->memory);
	if (sheet->form != SHEET_CSV)
		cell_print(cell, "%.1f GB (%.1f GiB)", (double)info->memory / 1e9,
			   (double)info->memory / GIB);
	cell++;
	set(sheet, cell++, info->memory_clock_khz / 1e3, "%.0f MHz", info->memory_clock_khz / 1e3);
	set(sheet, cell++, info->bus_bits, "%u bits", info->bus_bits);
	set(sheet, cell++, peaks.dram, "%.1f GB/s (%.1f GiB/s)", peaks.dram,
	    peaks.dram * 1e9 / GIB);
	set(sheet, cell++, peaks.dram * 1e9 / GIB, "%.1f", peaks.dram * 1e9 / GIB);
	set(sheet, cell++, info->l2_bytes, "%.1f MB (%.1f MiB)", info->l2_bytes / 1e6,
	    info->l2_bytes / 1048576.0);
	for (int i = 0; i < PRECISION_COUNT; i++)
		set(sheet, cell++, peaks.flops[i], "%.1f GFLOP/s", peaks.flops[i]);
	fill_links(sheet, info, &peaks, cell);
	cell_text(cell + 4, ecc_text(info));
}

/* Why a line's value is not known. */
static const char *reason_of(const char *heading)
{
	if (strcmp(heading, "FP16 tensor peak") == 0)
		return "none, or not in ktime's table";
	if (strstr(heading, "peak"))
		return "not in ktime's table";
	return strcasestr(heading, "link") ? no_nvml : NULL;
}

static void write_text(struct sheet *sheet, size_t row)
{
	const struct cell *cells = sheet_cells(sheet, row);

	printf("Device %d: %.63s\n", (int)cells[0].count, cells[1].text);
	for (unsigned i = 0; i < sheet->column_count; i++) {
		const char *heading = columns[i].heading,
			   *reason = heading ? reason_of(heading) : NULL;

		if (heading && cells[i].known)
			printf("  %-18s  %s\n", heading, cells[i].text);
		else if (heading)
			printf("  %-18s  unknown%s%s\n", heading, reason ? ": " : "",
			       reason ? reason : "");
	}
}

static void write_json(const int *shown, size_t count)
{
	struct json json = {.file = stdout};

	json_array(&json, NULL);
	for (size_t i = 0; i < count; i++) {
		json_line(&json);
		json_device(&json, &devices[shown[i]], shown[i]);
	}
	if (json.comma)
		json_line(&json);
	json_end(&json);
	putchar('\n');
}

int command_devices(const struct options *options, const char *const *none, size_t count)
{
	int shown[SESSION_DEVICES];
	struct sheet sheet = {SHEET_OF(columns), .row = fill, .argument = shown, .has_units = true};
	char message[512];

	(void)none;
	(void)count;
	if (probe_devices(message, sizeof(message)))
		return visible_fail(EXIT_FAILURE, "ktime: %s", message);
	for (size_t i = 0; i < device_count; i++)
		if (options->devices >> i & 1)
			shown[sheet.rows++] = (int)i;
	if (options->print_json) {
		write_json(shown, sheet.rows);
	} else if (options->csv) {
		struct out out = OUT_TO_FILE(stdout);

		sheet_csv(&sheet, &out);
		out_flush(&out);
	} else {
		for (size_t i = 0; i < sheet.rows; i++)
			write_text(&sheet, i);
		if (!sheet.rows)
			puts(device_count ? "None of these devices is there." : "No device.");
	}
	sheet_clear(&sheet);
	return EXIT_SUCCESS;
}
