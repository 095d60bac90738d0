/* SPDX-License-Identifier: MIT */
#include "preload/lifecycle/devices.h"

#include <stddef.h>

#include "preload/base/settings.h"
#include "preload/driver/driver.h"
#include "preload/driver/elf_symbol.h"
#include "preload/reporter/energy_reader.h"
#include "report/devices/attributes.h"
#include "report/devices/nvml.h"
#include "report/session/session.h"

static size_t device_count;
static const char *no_nvml; /* why there is none */

/* CUresult, CUuuid and CUdevice are int, 16 bytes and int. */
#define CALL_OF(call, function)                                                                    \
	.call = (__typeof__(((struct device_calls *)0)->call))(void *)function

void devices_describe(struct session *session)
{
	struct session_header *header = session_header(session);
	const struct device_calls calls = {
		CALL_OF(name, driver.cuDeviceGetName),
		CALL_OF(uuid, driver.cuDeviceGetUuid),
		CALL_OF(memory, driver.cuDeviceTotalMem_v2),
		CALL_OF(attribute, driver.cuDeviceGetAttribute),
	};
	int devices = 0;

	driver.cuDeviceGetCount(&devices);
	for (int i = 0; i < devices && i < SESSION_DEVICES; i++)
		device_describe(&header->devices[device_count++], &calls, i);
	/* Now: at the end a thread of the program's may hold the loader's lock. */
	if (options_want_rates(&settings) || settings.energy)
		no_nvml = nvml_load(real_dlsym);
}

unsigned devices_start_reading(struct session *session)
{
	return settings.energy ? energy_reader_start(session, device_count, no_nvml != NULL) : 0;
}

void devices_finish(struct session *session)
{
	if (settings.energy && !energy_reader_end()) {
		session_note(session, "NVML did not answer at the end of the run: energy and "
				      "clocks end with its last answer.");
		no_nvml = "NVML did not answer";
	}
	if (!options_want_rates(&settings))
		return;
	if (!no_nvml)
		no_nvml = nvml_describe(session_header(session)->devices, device_count);
	if (no_nvml)
		session_note(session, "The links of the devices are not known: %s.", no_nvml);
}
