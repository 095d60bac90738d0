/* SPDX-License-Identifier: MIT */
#include "report/command/devices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/command/probe.h"
#include "report/devices/peaks.h"
#include "report/export/json.h"
#include "report/names/visible.h"
#include "report/sheet/number.h"
#include "report/print/report.h"

#define GIB	  (1024.0 * 1024 * 1024)
#define TEXT_SIZE 160

/* A line of the text; an empty text is not known, for this reason if there is one. */
static void write_line(const char *title, const char *text, const char *reason)
{
	if (*text)
		printf("  %-18s  %s\n", title, text);
	else
		printf("  %-18s  unknown%s%s\n", title, reason ? ": " : "", reason ? reason : "");
}

static const char *gigabytes_text(char *text, double gigabytes)
{
	*text = '\0';
	if (gigabytes > 0)
		snprintf(text, TEXT_SIZE, "%.1f GB/s (%.1f GiB/s)", gigabytes,
			 gigabytes * 1e9 / GIB);
	return text;
}

static const char *clock_text(char *text, uint32_t khz)
{
	*text = '\0';
	if (khz)
		snprintf(text, TEXT_SIZE, "%.0f MHz", khz / 1e3);
	return text;
}

static const char *flops_text(char *text, double gigaflops)
{
	*text = '\0';
	if (gigaflops > 0)
		snprintf(text, TEXT_SIZE, "%.1f GFLOP/s", gigaflops);
	return text;
}

static void write_links(const struct probe *probe, const struct device_info *info,
			const struct peaks *peaks)
{
	char text[TEXT_SIZE] = "", link[TEXT_SIZE];

	if (peaks->host > 0)
		snprintf(text, sizeof(text), "%s, %.1f GB/s in each direction",
			 host_link_text(info, link, 64), peaks->host);
	else if (peaks->host_link != HOST_LINK_UNKNOWN)
		host_link_text(info, text, sizeof(text));
	write_line("Host link", text, probe->no_nvml);
	*text = '\0';
	if (peaks->nvlink > 0)
		snprintf(text, sizeof(text), "%u links, %.1f GB/s in each direction",
			 info->nvlink_links, peaks->nvlink);
	else if (info->nvlink_links)
		snprintf(text, sizeof(text), "%u links, their speed is unknown",
			 info->nvlink_links);
	else if (!probe->no_nvml)
		snprintf(text, sizeof(text), "no active link");
	write_line("NVLink", text, probe->no_nvml);
}

static void write_text(const struct probe *probe, int device)
{
	static const char *const titles[PRECISION_COUNT] = {"FP32 peak", "FP64 peak",
							    "FP16 tensor peak"};
	const struct device_info *info = &probe->devices[device];
	struct peaks peaks = peaks_of(info);
	char text[TEXT_SIZE];

	printf("Device %d: %.63s\n", device, info->name);
	snprintf(text, sizeof(text), "%u.%u", info->compute_capability / 10,
		 info->compute_capability % 10);
	write_line("Compute capability", text, NULL);
	*text = '\0';
	if (info->multiprocessors)
		snprintf(text, sizeof(text), "%u", info->multiprocessors);
	write_line("Multiprocessors", text, NULL);
	write_line("Highest clock", clock_text(text, info->clock_khz), NULL);
	snprintf(text, sizeof(text), "%.1f GB (%.1f GiB)", (double)info->memory / 1e9,
		 (double)info->memory / GIB);
	write_line("Memory", text, NULL);
	write_line("Memory clock", clock_text(text, info->memory_clock_khz), NULL);
	*text = '\0';
	if (info->bus_bits)
		snprintf(text, sizeof(text), "%u bits", info->bus_bits);
	write_line("Memory bus", text, NULL);
	write_line("DRAM bandwidth", gigabytes_text(text, peaks.dram), NULL);
	*text = '\0';
	if (info->l2_bytes)
		snprintf(text, sizeof(text), "%.1f MB (%.1f MiB)", info->l2_bytes / 1e6,
			 info->l2_bytes / 1048576.0);
	write_line("L2 cache", text, NULL);
	for (int i = 0; i < PRECISION_COUNT; i++)
		write_line(titles[i], flops_text(text, peaks.flops[i]),
			   i == PRECISION_FP16 ? "none, or not in ktime's table"
					       : "not in ktime's table");
	write_links(probe, info, &peaks);
	write_line("ECC", ecc_text(info), NULL);
}

static void csv_number(double value)
{
	if (value > 0)
		printf("%.6g", value);
	putchar(',');
}

/* What is not known is an empty field. */
static void write_csv(const struct probe *probe, int device)
{
	const struct device_info *info = &probe->devices[device];
	struct peaks peaks = peaks_of(info);
	char link[64];

	printf("%d,", device);
	csv_write_text(info->name, stdout);
	printf(",%u.%u,", info->compute_capability / 10, info->compute_capability % 10);
	csv_number(info->multiprocessors);
	csv_number(info->clock_khz / 1e3);
	printf("%llu,", (unsigned long long)info->memory);
	csv_number(info->memory_clock_khz / 1e3);
	csv_number(info->bus_bits);
	csv_number(peaks.dram);
	csv_number(peaks.dram * 1e9 / GIB);
	csv_number(info->l2_bytes);
	for (int i = 0; i < PRECISION_COUNT; i++)
		csv_number(peaks.flops[i]);
	csv_write_text(host_link_text(info, link, sizeof(link)), stdout);
	putchar(',');
	csv_number(peaks.host);
	if (!probe->no_nvml)
		printf("%u", info->nvlink_links);
	putchar(',');
	csv_number(peaks.nvlink);
	csv_write_text(ecc_text(info), stdout);
	putchar('\n');
}

static void write_json(const struct probe *probe, uint64_t wanted)
{
	struct json json = {.file = stdout};

	json_array(&json, NULL);
	for (size_t i = 0; i < probe->count; i++) {
		if (!(wanted >> i & 1))
			continue;
		json_line(&json);
		json_device(&json, &probe->devices[i], (int)i);
	}
	if (json.comma)
		json_line(&json);
	json_end(&json);
	putchar('\n');
}

int command_devices(const struct options *options, const char *const *files, size_t count)
{
	static struct probe probe;
	char message[512];
	bool any = false;
	int error = probe_devices(&probe, message, sizeof(message));

	(void)files;
	(void)count;
	if (error) {
		visible_line(stderr, "ktime: %s", message);
		return EXIT_FAILURE;
	}
	if (options->print_json)
		write_json(&probe, options->devices);
	else if (options->csv)
		puts("\"Device\",\"Name\",\"Compute Capability\",\"Multiprocessors\",\"Clock\","
		     "\"Memory\",\"Memory Clock\",\"Memory Bus\",\"DRAM\",\"DRAM\",\"L2\","
		     "\"FP32\",\"FP64\",\"FP16 Tensor\",\"Host Link\",\"Host Link\",\"NVLinks\","
		     "\"NVLink\",\"ECC\"\n"
		     ",,,,MHz,B,MHz,bit,GB/s,GiB/s,B,GFLOP/s,GFLOP/s,GFLOP/s,,GB/s,,GB/s,");
	for (size_t i = 0; i < probe.count && !options->print_json; i++) {
		if (!(options->devices >> i & 1))
			continue;
		if (options->csv)
			write_csv(&probe, (int)i);
		else
			write_text(&probe, (int)i);
		any = true;
	}
	if (!any && !options->print_json && !options->csv)
		puts(probe.count ? "None of these devices is there." : "No device.");
	if (fflush(stdout) != 0)
		error = -errno;
	if (error)
		visible_line(stderr, "ktime: %s", strerror(-error));
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
