/* SPDX-License-Identifier: MIT */
/* The mark of what libktime.so exports; everything else is hidden. */
#ifndef KTIME_PRELOAD_BASE_EXPORT_H
#define KTIME_PRELOAD_BASE_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

#endif
