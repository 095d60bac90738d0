/* SPDX-License-Identifier: MIT */
#include "cupti/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/base/atomics.h"
#include "report/session/environment.h"

/* CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER and _PER_THREAD_ACTIVITY_BUFFER, which older
 * headers lack. */
#define ZEROED_ATTRIBUTE     ((CUpti_ActivityAttribute)5)
#define PER_THREAD_ATTRIBUTE ((CUpti_ActivityAttribute)9)
#define ANCHORS		     8 /* folders to search near the program's CUDA libraries. Chosen. */

struct library {
	struct cupti_functions functions;
	char path[PATH_MAX];
};

void *(*library_symbol)(void *handle, const char *name) = dlsym;
/* What ktime uses, and the calls of it that failed. */
static struct {
	/* Set once, never freed. Without a lock: this may run in a constructor, under the loader's
	 * lock, while another thread waits for that lock in dlopen(). */
	struct library *_Atomic library;
	_Atomic uint64_t errors;
} used;

/* What the process has loaded: libcupti, and libraries next to which one may be. */
struct search {
	int driver;	     /* major version of the driver's CUDA; 0: any library can be used */
	char path[PATH_MAX]; /* tried now: not on the stack, which may be small */
	char loaded[PATH_MAX];
	struct anchors {
		char paths[ANCHORS][PATH_MAX];
		unsigned count;
	} cuda, python;	    /* of CUDA's libraries, and of Python's packages */
	int runtime;	    /* the major version of the CUDA runtime; 0: none was seen */
	int newest, oldest; /* major versions to try now */
	char failure[256];  /* why the first library that was found is not used */
	int error;
};

const struct cupti_functions *library_functions(void)
{
	struct library *found = load_acquire(&used.library);

	return found ? &found->functions : NULL;
}

CUptiResult library_check(CUptiResult result)
{
	if (result)
		add_relaxed(&used.errors, 1);
	return result;
}

uint64_t library_errors(void)
{
	return atomic_exchange_explicit(&used.errors, 0, memory_order_relaxed);
}

const char *library_path(void)
{
	struct library *found = load_acquire(&used.library);

	return found ? found->path : "";
}

static void add_anchor(struct anchors *anchors, const char *path, size_t length)
{
	if (anchors->count == ANCHORS || length >= PATH_MAX)
		return;
	for (unsigned i = 0; i < anchors->count; i++)
		if (!strncmp(anchors->paths[i], path, length) && !anchors->paths[i][length])
			return;
	memcpy(anchors->paths[anchors->count], path, length);
	anchors->paths[anchors->count++][length] = '\0';
}

/* Runs under the loader's lock, so it only remembers paths. */
static int note_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct search *search = argument;
	static const char runtime[] = "/libcudart.so.";
	const char *file = strrchr(info->dlpi_name, '/'), *packages;

	(void)size;
	if (!file)
		return 0;
	if (!strncmp(file, "/libcupti.so", 12) && !search->loaded[0])
		snprintf(search->loaded, sizeof(search->loaded), "%s", info->dlpi_name);
	/* Python wheels install each library in a folder of its own under nvidia/. */
	if (!strncmp(file, "/libcudart.so", 13) || strstr(info->dlpi_name, "/nvidia/"))
		add_anchor(&search->cuda, info->dlpi_name, file - info->dlpi_name);
	if (!strncmp(file, runtime, strlen(runtime)) && !search->runtime)
		search->runtime = atoi(file + strlen(runtime));
	/* ktime itself, installed as a wheel, is such a library. */
	packages = strstr(info->dlpi_name, "/site-packages/")
			   ?: strstr(info->dlpi_name, "/dist-packages/");
	if (packages)
		add_anchor(&search->python, info->dlpi_name,
			   packages + strlen("/site-packages") - info->dlpi_name);
	return 0;
}

static void __attribute__((format(printf, 3, 4)))
note_failure(struct search *search, int error, const char *format, ...)
{
	va_list arguments;

	if (search->error)
		return;
	search->error = error;
	va_start(arguments, format);
	vsnprintf(search->failure, sizeof(search->failure), format, arguments);
	va_end(arguments);
}

/* Looks up CUPTI's functions; NULL, with the failure noted, if a required one is missing. */
static struct library *bind_functions(struct search *search, void *handle, const char *path)
{
	struct library *found = calloc(1, sizeof(*found));
	const char *missing = NULL;

	if (!found) {
		note_failure(search, -ENOMEM, "no memory");
		return NULL;
	}
#define REQUIRED true
#define OPTIONAL false
#define BIND(name, arguments, need)                                                                \
	found->functions.name = library_symbol(handle, #name);                                     \
	if (need && !found->functions.name && !missing)                                            \
		missing = #name;
	CUPTI_FUNCTIONS(BIND)
#undef BIND
#undef REQUIRED
#undef OPTIONAL
	snprintf(found->path, sizeof(found->path), "%s", path);
	if (missing) {
		note_failure(search, -ENOSYS, "%s has no %s: install CUPTI of CUDA 11.8 or later",
			     path, missing);
		free(found);
		return NULL;
	}
	/* The program's own calls need none. */
	if (found->functions.cuptiGetVersion(&found->functions.version))
		found->functions.version = 0;
	return found;
}

/* The oldest CUPTI that ktime uses, by cuptiGetVersion(): of CUDA 11.8. */
#define CUPTI_OLDEST_VERSION 18
#define CUPTI_OLDEST_MAJOR   11

/*
 * Kernels off and on, and nodes: a graph of 100 kernels launched without a pause for two seconds,
 * also updated every 500 launches (tests/bench/graph_loop.cu), on an H100 with driver 580.159, with
 * CUPTI of 12.4, 12.6, 12.8, 12.9 Update 1, 13.0, 13.0 Update 2, 13.1 Update 1, 13.2 Update 1, 13.3
 * Update 1, 13.4 Update 1 and 13.5; on an H200 with those of 11.8, 12.0, 12.4 and 13.0 Update 2.
 * From 12.6 to 13.0 each of fifteen programs hung when ktime turned the kernel kind off (NVIDIA's
 * release notes: "deadlock" on disabling it, mended in 13.0 Update 1); with those of 12.9 and 13.0
 * 42 of 47 programs whose nodes were all recorded died, in the driver's cuGraphLaunch, seven of
 * eight of them under a tracer that does no more than that (tests/bench/bare_tracer.c).
 * A version between two that were tried counts as the worse of them.
 *
 * Refusal: a NULL buffer could end the program before 12.9 (NVIDIA's release notes). Buffers by
 * thread: the default since 13.0 (the same). Subscribers: 13.0 brought cuptiSubscribe_v2, 13.2 the
 * activity functions that take its handle (cupti_activity.h). V2 excluded: tests/gpu/subscriber.cu
 * with 13.2.86, 13.3.75 and 13.4.92 (H200, driver 580). cuptiFinalize would let V2 in, but launches
 * of graphs on another thread then fail: 51 of 51 processes.
 *
 * A newer version than these is like the last: where it misses records the first windows show it
 * (preload/recording/recording.h). What would end the program cannot be found out so, and is
 * done with no version: copies turned off and on again, whole graphs turned on once nodes were
 * recorded, cuptiFinalize. To use one of these with a version that was found to be safe, add a
 * column here, and a last row for newer versions with false in it.
 */
static const struct cupti_version versions[] = {
	/* first, kernels, nodes, refusal, by thread, subscribers, excludes V2 */
	{0, true, true, false, false, false, false},	  /* CUDA 11.8 to 12.4 */
	{23, false, true, false, false, false, false},	  /* 12.5 */
	{27, false, false, true, false, false, false},	  /* 12.9 */
	{130000, false, false, true, true, false, false}, /* 13.0 */
	{130001, true, true, true, true, false, false},	  /* 13.0 Update 1 */
	{130200, true, true, true, true, true, false},	  /* 13.2 */
	{130300, true, true, true, true, true, true},	  /* 13.3 */
};

const struct cupti_version *library_version(void)
{
	static const struct cupti_version none;
	const struct cupti_functions *cupti = library_functions();
	const struct cupti_version *found = &none;

	for (unsigned i = 0; cupti && i < sizeof(versions) / sizeof(versions[0]); i++)
		if (versions[i].first <= cupti->version)
			found = &versions[i];
	return found;
}

/* The major version of the CUDA that it is of. */
static int major_of(uint32_t version)
{
	/* Counted up to 28, which is of CUDA 12.9 Update 1; then they became the toolkit's. 18 is
	 * of CUDA 11.8, and of the first CUDA 12.0 too. */
	if (version >= 10000)
		return (int)(version / 10000);
	return version > CUPTI_OLDEST_VERSION ? 12 : CUPTI_OLDEST_MAJOR;
}

/* Whether this version can be used with the driver. */
static bool version_fits(struct search *search, const struct library *found)
{
	uint32_t version = found->functions.version;

	if (!search->driver)
		return true;
	if (!version) {
		note_failure(search, -EPROTO,
			     "%s does not tell its version: install CUPTI of CUDA %d", found->path,
			     search->driver);
		return false;
	}
	if (version < CUPTI_OLDEST_VERSION) {
		note_failure(search, -EPROTO,
			     "%s is older than CUDA 11.8: install CUPTI of CUDA %d", found->path,
			     search->driver);
		return false;
	}
	if (major_of(version) > search->driver) {
		note_failure(
			search, -EPROTO,
			"%s is for CUDA %d, the driver is of CUDA %d: install CUPTI of CUDA %d",
			found->path, major_of(version), search->driver, search->driver);
		return false;
	}
	return true;
}

/* Opens a library and makes it the one to use; it is never closed. */
static bool take(struct search *search, const char *path, int flags)
{
	struct library *found, *other = NULL;
	void *handle;

	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
	if (!handle) {
		const char *error = dlerror();

		if (path[0] == '/')
			note_failure(search, -ENOENT, "%s does not load (%s)", path,
				     error ? error : "no reason given");
		return false;
	}
	found = bind_functions(search, handle, path);
	if (!found)
		return false;
	if (!version_fits(search, found)) {
		free(found);
		return false;
	}
	/* Release: a thread that sees the library sees its functions. */
	if (!atomic_compare_exchange_strong_explicit(&used.library, &other, found,
						     memory_order_release, memory_order_relaxed))
		free(found);
	return true;
}

/* Tries each version in one folder; for "", in the loader's search path. */
static bool take_from(struct search *search, const char *folder, const char *below)
{
	for (int major = search->newest; major >= search->oldest; major--) {
		int length = snprintf(search->path, sizeof(search->path), "%s%s%slibcupti.so.%d%s",
				      folder, below, folder[0] ? "/" : "", major,
				      major == CUPTI_OLDEST_MAJOR ? ".8" : "");

		if (length >= (int)sizeof(search->path) ||
		    (folder[0] && access(search->path, F_OK)))
			continue;
		if (take(search, search->path, 0))
			return true;
	}
	return false;
}

static bool take_below(struct search *search, const char *folder, const char *const *below)
{
	for (; *below; below++)
		if (take_from(search, folder, *below))
			return true;
	return false;
}

static bool take_near(struct search *search, const struct anchors *anchors,
		      const char *const *below)
{
	for (unsigned i = 0; i < anchors->count; i++)
		if (take_below(search, anchors->paths[i], below))
			return true;
	return false;
}

/*
 * "New versions of the CUDA driver are backwards compatible with older versions of CUPTI" (CUPTI's
 * documentation, 1.1 Compatibility); a newer CUPTI does not initialise on an older driver. So an
 * older major version is accepted. In each place the driver's version is tried first; but any
 * version next to the program's CUDA comes before one elsewhere, as it knows the program's runtime.
 * Of two there, the one of the runtime's version is what the program itself would load.
 */
static bool find(struct search *search)
{
	/* From a toolkit's lib64 and targets/MACHINE/lib, and from the folders of Python wheels. */
	static const char *const near[] = {"",
					   "/../../cuda_cupti/lib",
					   "/../../cu13/lib",
					   "/../extras/CUPTI/lib64",
					   "/../../../extras/CUPTI/lib64",
					   NULL};
	static const char *const packages[] = {"/nvidia/cu13/lib", "/nvidia/cuda_cupti/lib", NULL};
	static const char *const toolkit[] = {"/lib64", "/lib", "/extras/CUPTI/lib64", NULL};
	const char *home = environment_get("CUDA_HOME");

	if (search->loaded[0])
		return take(search, search->loaded, RTLD_NOLOAD);
	if (search->runtime && search->runtime <= search->driver) {
		search->newest = search->oldest = search->runtime;
		if (take_near(search, &search->cuda, near))
			return true;
	}
	search->newest = search->driver;
	search->oldest = CUPTI_OLDEST_MAJOR;
	if (take_near(search, &search->cuda, near) || take_near(search, &search->python, packages))
		return true;
	if (home && home[0] && take_below(search, home, toolkit))
		return true;
	return take_below(search, "/usr/local/cuda", toolkit) || take_from(search, "", "");
}

int library_load(int driver_version, char *reason, size_t size)
{
	struct library *present = load_acquire(&used.library);
	struct search *search = calloc(1, sizeof(*search));
	int error = 0;

	if (!search) {
		snprintf(reason, size, "no memory");
		return -ENOMEM;
	}
	search->driver = driver_version / 1000; /* 1000 * major + 10 * minor */
	if (present) {
		if (!version_fits(search, present))
			error = search->error;
	} else {
		dl_iterate_phdr(note_object, search);
		if (!find(search))
			error = search->error ? search->error : -ENOENT;
	}
	if (error && search->error)
		snprintf(reason, size, "%s", search->failure);
	else if (error)
		snprintf(reason, size,
			 "libcupti.so.%d was not found near the program's CUDA or among its Python"
			 " packages, in CUDA_HOME or in /usr/local/cuda: install CUPTI of CUDA %d, "
			 "or set CUDA_HOME",
			 search->driver, search->driver);
	free(search);
	return error;
}

int library_attach(void)
{
	struct search *search;
	int error = 0;

	if (load_acquire(&used.library))
		return 0;
	search = calloc(1, sizeof(*search));
	if (!search)
		return -ENOMEM;
	dl_iterate_phdr(note_object, search);
	if (!search->loaded[0] || !take(search, search->loaded, RTLD_NOLOAD))
		error = -ENOENT;
	free(search);
	return error;
}

bool library_fills_by_thread(void)
{
	const struct cupti_functions *cupti = library_functions();
	uint8_t value = 0;
	size_t size = sizeof(value);

	if (cupti->cuptiActivityGetAttribute &&
	    cupti->cuptiActivityGetAttribute(PER_THREAD_ATTRIBUTE, &size, &value) == CUPTI_SUCCESS)
		return value;
	return library_version()->fills_by_thread;
}

void library_say_buffers_are_zeroed(bool zeroed)
{
	const struct cupti_functions *cupti = library_functions();
	uint8_t value = zeroed;
	size_t size = sizeof(value);

	if (cupti->cuptiActivitySetAttribute)
		cupti->cuptiActivitySetAttribute(ZEROED_ATTRIBUTE, &size, &value);
}

/* Nsight Systems maps this library; it may be injected without CUDA_INJECTION64_PATH. */
static int find_injection(struct dl_phdr_info *info, size_t size, void *argument)
{
	(void)size;
	*(bool *)argument = strstr(info->dlpi_name, "libToolsInjection") != NULL;
	return *(bool *)argument;
}

bool refusal_by_environment(char *reason, size_t size)
{
	const char *injection = environment_get("CUDA_INJECTION64_PATH");
	const char *file = injection ? strrchr(injection, '/') : NULL;
	bool injected = false;

	file = file ? file + 1 : injection;
	if (file && file[0] && strncmp(file, "libktime", strlen("libktime"))) {
		snprintf(reason, size, "a profiler is attached (CUDA_INJECTION64_PATH is %s)",
			 injection);
		return true;
	}
	dl_iterate_phdr(find_injection, &injected);
	if (injected)
		snprintf(reason, size, "Nsight Systems is attached (libToolsInjection is mapped)");
	return injected;
}

void refusal_by_cupti(const struct cupti_functions *cupti, CUptiResult result, char *reason,
		      size_t size)
{
	const char *name = NULL, *advice;

	if (cupti->cuptiGetResultString(result, &name) || !name)
		name = "an unknown error";
	switch (result) {
	case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
		advice = "another tool uses CUPTI, as ncu and compute-sanitizer do; run without it";
		break;
	case CUPTI_ERROR_NOT_INITIALIZED:
		advice = "it does not match the driver; install CUPTI of the driver's CUDA version";
		break;
	case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
	case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
		advice = "the driver allows only administrators to profile; ask yours to load it"
			 " with NVreg_RestrictProfilingToAdminUsers=0";
		break;
	default:
		advice = "it cannot be used on this device or with this program";
		break;
	}
	snprintf(reason, size, "CUPTI refused: %s (%s, %s)", advice, name, library_path());
}
