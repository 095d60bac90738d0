/* SPDX-License-Identifier: MIT */
/*
 * The codes and words that Nsight Systems uses in its SQLite exports and its reports, beside those
 * of a session's rows. Source: the ENUM_* tables of an export.
 */
#ifndef KTIME_REPORT_NAMES_NSYS_NAMES_H
#define KTIME_REPORT_NAMES_NSYS_NAMES_H

#include "report/session/session.h"

/* id and name as CUPTI's CUpti_ActivityMemcpyKind, the session's row, label */
#define NSYS_COPY_KINDS(X)                                                                         \
	X(0, CUDA_MEMCPY_KIND_UNKNOWN, "[CUDA memcpy unknown]", "Unknown")                         \
	X(1, CUDA_MEMCPY_KIND_HTOD, "[CUDA memcpy HtoD]", "Host-to-Device")                        \
	X(2, CUDA_MEMCPY_KIND_DTOH, "[CUDA memcpy DtoH]", "Device-to-Host")                        \
	X(3, CUDA_MEMCPY_KIND_HTOA, "[CUDA memcpy HtoA]", "Host-to-Array")                         \
	X(4, CUDA_MEMCPY_KIND_ATOH, "[CUDA memcpy AtoH]", "Array-to-Host")                         \
	X(5, CUDA_MEMCPY_KIND_ATOA, "[CUDA memcpy AtoA]", "Array-to-Array")                        \
	X(6, CUDA_MEMCPY_KIND_ATOD, "[CUDA memcpy AtoD]", "Array-to-Device")                       \
	X(7, CUDA_MEMCPY_KIND_DTOA, "[CUDA memcpy DtoA]", "Device-to-Array")                       \
	X(8, CUDA_MEMCPY_KIND_DTOD, "[CUDA memcpy DtoD]", "Device-to-Device")                      \
	X(9, CUDA_MEMCPY_KIND_HTOH, "[CUDA memcpy HtoH]", "Host-to-Host")                          \
	X(10, CUDA_MEMCPY_KIND_PTOP, "[CUDA memcpy PtoP]", "Peer-to-Peer")                         \
	X(11, CUDA_MEMCPY_KIND_UVM_HTOD, "[CUDA unified memory HtoD]", "Unified Host-to-Device")   \
	X(12, CUDA_MEMCPY_KIND_UVM_DTOH, "[CUDA unified memory DtoH]", "Unified Device-to-Host")   \
	X(13, CUDA_MEMCPY_KIND_UVM_DTOD, "[CUDA unified memory DtoD]", "Unified Device-to-Device")

/* id, name, the session's kind of memory, label */
#define NSYS_MEMORY_KINDS(X)                                                                       \
	X(0, CUDA_MEMOPR_MEMORY_KIND_PAGEABLE, MEMORY_PAGEABLE, "Pageable")                        \
	X(1, CUDA_MEMOPR_MEMORY_KIND_PINNED, MEMORY_PINNED, "Pinned")                              \
	X(2, CUDA_MEMOPR_MEMORY_KIND_DEVICE, MEMORY_DEVICE, "Device")                              \
	X(3, CUDA_MEMOPR_MEMORY_KIND_ARRAY, MEMORY_ARRAY, "Array")                                 \
	X(4, CUDA_MEMOPR_MEMORY_KIND_MANAGED, MEMORY_MANAGED, "Managed")                           \
	X(7, CUDA_MEMOPR_MEMORY_KIND_UNKNOWN, MEMORY_UNKNOWN, "Unknown")

/* The copy kind of a row or record by its name; 0, unknown, where it is none of these. */
unsigned nsys_copy_kind(const char *row_name);
/* The way back: the row's name of a copy kind. */
const char *nsys_copy_row_name(unsigned copy_kind);
unsigned nsys_memory_kind(enum memory_kind kind);
/* Whether nsys has an operation among its copies and memsets: of movements only some are. */
bool nsys_is_memory_operation(enum row_kind kind, const char *row_name);

/* What nsys calls a copy ("[CUDA memcpy Host-to-Device]"); any other name is returned as it is. */
const char *nsys_operation_name(const char *row_name);
/* The way back: nsys's name to that of a session's row. */
const char *nsys_row_name(const char *operation);

#endif
