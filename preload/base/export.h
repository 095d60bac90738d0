/* SPDX-License-Identifier: MIT */
/* Marks the symbols that libktime.so exports; all others are hidden. */
#ifndef KTIME_PRELOAD_BASE_EXPORT_H
#define KTIME_PRELOAD_BASE_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

#endif
