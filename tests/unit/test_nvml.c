/* SPDX-License-Identifier: MIT */
/* What is asked of NVML, whatever it refuses or lacks, and the thread that asks it. */
#include <dlfcn.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/reporter/reporter.h"
#include "report/devices/describe.h"
#include "report/session/session.h"
#include "tests/unit/made_run.h"

#define REFUSED 3

/* The functions that there are; each returns REFUSED if it is the one that fails. */
#define FUNCTIONS(X)                                                                               \
	X(nvmlInit_v2)                                                                             \
	X(nvmlShutdown)                                                                            \
	X(nvmlDeviceGetHandleByUUID)                                                               \
	X(nvmlDeviceGetMigMode)                                                                    \
	X(nvmlDeviceGetTotalEnergyConsumption)                                                     \
	X(nvmlDeviceGetPowerUsage)                                                                 \
	X(nvmlDeviceGetClockInfo)                                                                  \
	X(nvmlDeviceGetCurrentClocksEventReasons)                                                  \
	X(nvmlDeviceGetCurrentClocksThrottleReasons)
enum function {
#define FUNCTION_ENUM(name) F_##name,
	FUNCTIONS(FUNCTION_ENUM)
#undef FUNCTION_ENUM
		FUNCTION_COUNT
};

static bool library, missing[FUNCTION_COUNT], fails[FUNCTION_COUNT], hangs[FUNCTION_COUNT];
static unsigned calls[FUNCTION_COUNT];
static unsigned mig, shut_down;
static unsigned long long millijoules;
static char found[64]; /* the UUID that NVML knows */
static sem_t go_on;

static int answer(enum function function)
{
	calls[function]++;
	while (hangs[function] && sem_wait(&go_on))
		;
	return fails[function] ? REFUSED : 0;
}

static int nvmlInit_v2(void)
{
	return answer(F_nvmlInit_v2);
}

static int nvmlShutdown(void)
{
	shut_down++;
	return answer(F_nvmlShutdown);
}

static int nvmlDeviceGetHandleByUUID(const char *uuid, nvml_device *device)
{
	*device = (nvml_device)&found;
	return strcmp(uuid, found) == 0 ? answer(F_nvmlDeviceGetHandleByUUID) : REFUSED;
}

static int nvmlDeviceGetMigMode(nvml_device device, unsigned *now, unsigned *later)
{
	assert_ptr_equal(device, &found);
	*now = mig;
	*later = !mig;
	return answer(F_nvmlDeviceGetMigMode);
}

static int nvmlDeviceGetTotalEnergyConsumption(nvml_device device, unsigned long long *value)
{
	assert_ptr_equal(device, &found);
	*value = millijoules += 500;
	return answer(F_nvmlDeviceGetTotalEnergyConsumption);
}

static int nvmlDeviceGetPowerUsage(nvml_device device, unsigned *milliwatts)
{
	assert_ptr_equal(device, &found);
	*milliwatts = 250000;
	return answer(F_nvmlDeviceGetPowerUsage);
}

static int nvmlDeviceGetClockInfo(nvml_device device, int clock, unsigned *mhz)
{
	assert_ptr_equal(device, &found);
	*mhz = clock == 1 ? 1755 : clock == 2 ? 3201 : 0;
	return answer(F_nvmlDeviceGetClockInfo);
}

static int nvmlDeviceGetCurrentClocksEventReasons(nvml_device device, unsigned long long *bits)
{
	assert_ptr_equal(device, &found);
	*bits = 0x4;
	return answer(F_nvmlDeviceGetCurrentClocksEventReasons);
}

static int nvmlDeviceGetCurrentClocksThrottleReasons(nvml_device device, unsigned long long *bits)
{
	assert_ptr_equal(device, &found);
	*bits = 0x20;
	return answer(F_nvmlDeviceGetCurrentClocksThrottleReasons);
}

/* In libc's place. */
void *dlopen(const char *file, int mode)
{
	assert_string_equal(file, "libnvidia-ml.so.1");
	assert_int_equal(mode, RTLD_NOW | RTLD_LOCAL);
	return library ? &library : NULL;
}

static void *lookup(void *handle, const char *name)
{
	assert_ptr_equal(handle, &library);
#define FUNCTION_NAMED(function)                                                                   \
	if (strcmp(name, #function) == 0)                                                          \
		return missing[F_##function] ? NULL : (void *)function;
	FUNCTIONS(FUNCTION_NAMED)
#undef FUNCTION_NAMED
	return NULL;
}

static const uint8_t uuid[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
				 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};

static int start(void **state)
{
	(void)state;
	library = true;
	memset(missing, 0, sizeof(missing));
	memset(fails, 0, sizeof(fails));
	memset(hangs, 0, sizeof(hangs));
	memset(calls, 0, sizeof(calls));
	mig = shut_down = 0;
	millijoules = 1000;
	strcpy(found, "GPU-01234567-89ab-cdef-0123-456789abcdef");
	assert_int_equal(make_run(0), 0);
	memcpy(run.header->devices[0].uuid, uuid, sizeof(uuid));
	memcpy(run.header->devices[1].uuid, uuid, sizeof(uuid));
	return 0;
}

static int stop(void **state)
{
	(void)state;
	session_close(run.session);
	return 0;
}

static void a_library_is_needed_and_three_of_its_functions(void **state)
{
	static const enum function needed[] = {F_nvmlInit_v2, F_nvmlShutdown,
					       F_nvmlDeviceGetHandleByUUID};

	(void)state;
	library = false;
	assert_string_equal(nvml_load(lookup), "libnvidia-ml.so.1 was not found");
	library = true;
	assert_null(nvml_load(lookup));
	for (unsigned i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		missing[needed[i]] = true;
		assert_string_equal(nvml_load(lookup), "libnvidia-ml.so.1 is too old");
		missing[needed[i]] = false;
	}
	for (unsigned i = F_nvmlDeviceGetMigMode; i < FUNCTION_COUNT; i++)
		missing[i] = true;
	assert_null(nvml_load(lookup));
}

static struct energy_reading read_as(enum energy_source source)
{
	struct energy_reading reading = {.parts = ~0u};

	assert_null(nvml_load(lookup));
	nvml_read((nvml_device)&found, source, &reading);
	return reading;
}

static void a_reading_has_what_the_source_and_the_clocks_say(void **state)
{
	struct energy_reading reading = read_as(ENERGY_FROM_NOTHING);

	(void)state;
	assert_int_equal(reading.parts,
			 READING_ENERGY | READING_SM | READING_MEMORY | READING_REASONS);
	assert_int_equal(reading.millijoules, 1500);
	assert_int_equal(reading.sm_mhz, 1755);
	assert_int_equal(reading.memory_mhz, 3201);
	assert_int_equal(reading.reasons, 0x4);
	assert_int_equal(calls[F_nvmlDeviceGetPowerUsage], 0);
	reading = read_as(ENERGY_FROM_POWER);
	assert_int_equal(reading.parts,
			 READING_POWER | READING_SM | READING_MEMORY | READING_REASONS);
	assert_int_equal(reading.milliwatts, 250000);
	assert_int_equal(calls[F_nvmlDeviceGetTotalEnergyConsumption], 1);
	assert_int_equal(calls[F_nvmlDeviceGetCurrentClocksThrottleReasons], 0);
}

/* Which parts a first reading lacks where a function fails, or is not there. */
static void lacks(enum function function, unsigned parts)
{
	const unsigned all = READING_ENERGY | READING_SM | READING_MEMORY | READING_REASONS;
	bool *const ways[] = {&fails[function], &missing[function]};

	for (int way = 0; way < 2; way++) {
		*ways[way] = true;
		assert_int_equal(read_as(ENERGY_FROM_COUNTER).parts, all & ~parts);
		*ways[way] = false;
	}
}

static void a_function_that_fails_or_is_not_there_costs_its_part_alone(void **state)
{
	(void)state;
	lacks(F_nvmlDeviceGetTotalEnergyConsumption, READING_ENERGY);
	lacks(F_nvmlDeviceGetClockInfo, READING_SM | READING_MEMORY);
	/* The old name stands in for the new one. */
	lacks(F_nvmlDeviceGetCurrentClocksEventReasons, 0);
	missing[F_nvmlDeviceGetCurrentClocksEventReasons] = true;
	assert_int_equal(read_as(ENERGY_FROM_COUNTER).reasons, 0x20);
	lacks(F_nvmlDeviceGetCurrentClocksThrottleReasons, READING_REASONS);
}

static void without_the_counter_the_power_is_read(void **state)
{
	(void)state;
	fails[F_nvmlDeviceGetTotalEnergyConsumption] = true;
	assert_true(read_as(ENERGY_FROM_NOTHING).parts & READING_POWER);
	assert_false(read_as(ENERGY_FROM_COUNTER).parts & READING_POWER);
	fails[F_nvmlDeviceGetPowerUsage] = true;
	assert_false(read_as(ENERGY_FROM_NOTHING).parts & (READING_POWER | READING_ENERGY));
	fails[F_nvmlDeviceGetPowerUsage] = false;
	missing[F_nvmlDeviceGetPowerUsage] = true;
	assert_false(read_as(ENERGY_FROM_NOTHING).parts & (READING_POWER | READING_ENERGY));
}

static enum energy_state find(int *result)
{
	nvml_device device;

	assert_null(nvml_load(lookup));
	return nvml_find(uuid, &device, result);
}

static void a_device_is_found_by_its_uuid_unless_it_is_divided(void **state)
{
	int result;

	(void)state;
	assert_int_equal(find(&result), ENERGY_READ);
	assert_int_equal(result, 0);
	mig = 1;
	assert_int_equal(find(&result), ENERGY_MIG);
	fails[F_nvmlDeviceGetMigMode] = true;
	assert_int_equal(find(&result), ENERGY_READ);
	missing[F_nvmlDeviceGetMigMode] = true;
	assert_int_equal(find(&result), ENERGY_READ);
	memcpy(found, "MIG", 3);
	assert_int_equal(find(&result), ENERGY_MIG);
	assert_int_equal(result, 0);
	fails[F_nvmlDeviceGetHandleByUUID] = true;
	assert_int_equal(find(&result), ENERGY_UNKNOWN_DEVICE);
	assert_int_equal(result, REFUSED);
}

static const struct device_energy *energy_of(int device)
{
	return &run.header->devices[device].energy;
}

/* The first device was used when the run ended. */
static bool energy_was_read(void)
{
	bool answered;

	assert_null(nvml_load(lookup));
	assert_int_equal(energy_reader_start(2, false), 1);
	run.header->devices[0].used = 1;
	do
		answered = energy_reader_end();
	while (!answered && !hangs[F_nvmlInit_v2]);
	assert_int_equal(shut_down, answered && !fails[F_nvmlInit_v2]);
	return answered;
}

static void the_thread_reads_the_devices_at_the_start_and_at_the_end(void **state)
{
	(void)state;
	assert_true(energy_was_read());
	assert_int_equal(energy_of(0)->state, ENERGY_READ);
	assert_int_equal(energy_of(0)->source, ENERGY_FROM_COUNTER);
	assert_true(energy_of(0)->joules >= 0.5);
	assert_true(energy_of(0)->duration > 0);
	assert_true(energy_of(0)->samples >= 1);
	assert_int_equal(energy_of(0)->reasons[CLOCK_REASON_POWER_CAP], energy_of(0)->samples);
	assert_true(run.header->counters[COUNTER_energy_ns] > 0);
	/* One that is not used has its first reading alone. */
	assert_int_equal(energy_of(1)->state, ENERGY_READ);
	assert_int_equal(energy_of(1)->duration, 0);
	assert_int_equal(energy_of(1)->samples, 0);
}

static void what_the_thread_cannot_have_is_said_of_each_device(void **state)
{
	(void)state;
	assert_int_equal(energy_reader_start(2, true), 0);
	assert_int_equal(energy_of(0)->state, ENERGY_NO_LIBRARY);
	assert_int_equal(energy_of(1)->state, ENERGY_NO_LIBRARY);
	assert_int_equal(energy_of(2)->state, ENERGY_NOT_ASKED);
	assert_true(energy_reader_end());
	fails[F_nvmlInit_v2] = true;
	assert_true(energy_was_read());
	assert_int_equal(energy_of(1)->state, ENERGY_NO_START);
	assert_int_equal(energy_of(1)->result, REFUSED);
	fails[F_nvmlInit_v2] = false;
	fails[F_nvmlDeviceGetHandleByUUID] = true;
	assert_true(energy_was_read());
	assert_int_equal(energy_of(0)->state, ENERGY_UNKNOWN_DEVICE);
	assert_int_equal(energy_of(0)->result, REFUSED);
	assert_int_equal(calls[F_nvmlDeviceGetClockInfo], 0);
}

static void the_end_does_not_wait_for_a_driver_that_does_not_answer(void **state)
{
	int status;
	pid_t child;

	(void)state;
	hangs[F_nvmlInit_v2] = true;
	assert_false(energy_was_read());
	assert_int_equal(energy_of(0)->state, ENERGY_NO_ANSWER);
	/* A child that finds no library has no thread of its parent's to wait for. */
	child = fork();
	if (child == 0)
		_exit(energy_reader_start(2, true) || !energy_reader_end());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	/* It may answer after all. */
	sem_post(&go_on);
	while (!energy_reader_end())
		;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(a_library_is_needed_and_three_of_its_functions),
		TEST(a_reading_has_what_the_source_and_the_clocks_say),
		TEST(a_function_that_fails_or_is_not_there_costs_its_part_alone),
		TEST(without_the_counter_the_power_is_read),
		TEST(a_device_is_found_by_its_uuid_unless_it_is_divided),
		TEST(the_thread_reads_the_devices_at_the_start_and_at_the_end),
		TEST(what_the_thread_cannot_have_is_said_of_each_device),
		TEST(the_end_does_not_wait_for_a_driver_that_does_not_answer),
	};

	sem_init(&go_on, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
