/* SPDX-License-Identifier: MIT */
/* A session in the shape of `nsys stats`. */
#ifndef KTIME_REPORT_PRINT_NSYS_FORMAT_H
#define KTIME_REPORT_PRINT_NSYS_FORMAT_H

#include <stdio.h>

struct options;
struct session;

/*
 * Prints the reports cuda_api_sum, cuda_gpu_kern_sum, cuda_gpu_mem_time_sum and
 * cuda_gpu_mem_size_sum, in nsys's order, as text or CSV. Medians are exact if the session kept
 * a record of every call, else a histogram's (within 1.6 %); that of sizes is empty then, unless
 * all are equal. Rows without times have only their calls and bytes. Runs inside
 * libktime.so as well. 0 or -errno.
 */
int nsys_format_write(struct session *session, const struct options *options, FILE *file);

#endif
