/* SPDX-License-Identifier: MIT */
/* The form of each of libcuda's entries that the simulation does not model. */
#ifndef SIM_DRIVER_NOT_SUPPORTED_H
#define SIM_DRIVER_NOT_SUPPORTED_H

int sim_not_supported(const char *entry);

#define WEAK(symbol)                                                                               \
	__attribute__((weak, visibility("default"))) int symbol(void);                             \
	int symbol(void)                                                                           \
	{                                                                                          \
		return sim_not_supported(#symbol);                                                 \
	}

#endif
