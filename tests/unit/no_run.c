/* SPDX-License-Identifier: MIT */
/* For tests that link what writes the end of CUPTI into a session and have none: see made_run.h. */
#include "preload/base/run.h"

struct run run;
