/* SPDX-License-Identifier: MIT */
/* Which kernels multiply matrices in FP32 without the tensor cores, by their names. */
#ifndef KTIME_REPORT_FINDINGS_FP32_MATRIX_H
#define KTIME_REPORT_FINDINGS_FP32_MATRIX_H

#include <stdbool.h>

/* False where the name does not say so for certain. */
bool is_fp32_matrix(const char *kernel);

#endif
