/* SPDX-License-Identifier: MIT */
/*
 * The least that tracing with CUPTI costs: kernel, copy and memset records, counted and thrown
 * away. The driver loads it where CUDA_INJECTION64_PATH names it.
 *
 * With BARE_TRACER_FILE set it also keeps what each kernel name and copy direction took and writes
 * it there at exit, one line a name (%p in the file's name is the process):
 *
 *     kind TAB mangled name or direction TAB count TAB bytes TAB total ns TAB median ns
 *
 * With BARE_TRACER_ATTACHED set CUPTI is attached, and records nothing.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cupti.h>

#define BUFFER_SIZE (1 << 20)
#define BUCKETS	    1024

/* The CUPTI calls that are made, by the library that the program's own CUDA brought. */
#define CUPTI_CALLS(X)                                                                             \
	X(cuptiActivityRegisterCallbacks)                                                          \
	X(cuptiActivityEnable)                                                                     \
	X(cuptiActivityGetNextRecord)                                                              \
	X(cuptiActivityGetNumDroppedRecords)                                                       \
	X(cuptiActivityFlushAll)

#define DECLARE(name) static __typeof__(&name) name##_pointer;
CUPTI_CALLS(DECLARE)
#undef DECLARE

struct operation {
	struct operation *next;
	const char *kind;
	char *name;
	uint64_t count, bytes, total;
	uint64_t *durations;
	size_t capacity;
};

static struct {
	pthread_mutex_t lock; /* CUPTI's thread and the one that flushes at exit */
	const char *file;
	pid_t pid;
	uint64_t records, dropped;
	struct operation *buckets[BUCKETS];
} tracer = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct operation *find_operation(const char *kind, const char *name)
{
	uint32_t hash = 2166136261u;
	struct operation *operation;

	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	for (operation = tracer.buckets[hash % BUCKETS]; operation; operation = operation->next)
		if (!strcmp(operation->name, name) && !strcmp(operation->kind, kind))
			return operation;
	operation = calloc(1, sizeof(*operation));
	if (!operation)
		return NULL;
	operation->kind = kind;
	operation->name = strdup(name);
	operation->next = tracer.buckets[hash % BUCKETS];
	tracer.buckets[hash % BUCKETS] = operation;
	return operation;
}

static void add(const char *kind, const char *name, uint64_t bytes, uint64_t start, uint64_t end)
{
	struct operation *operation = find_operation(kind, name);
	uint64_t *durations;

	if (!operation)
		return;
	if (operation->count == operation->capacity) {
		operation->capacity = operation->capacity ? 2 * operation->capacity : 64;
		durations = realloc(operation->durations, operation->capacity * sizeof(*durations));
		if (!durations)
			return;
		operation->durations = durations;
	}
	operation->durations[operation->count++] = end - start;
	operation->bytes += bytes;
	operation->total += end - start;
}

static const char *direction(unsigned int kind)
{
	static const char *const names[] = {
		[CUPTI_ACTIVITY_MEMCPY_KIND_HTOD] = "HtoD",
		[CUPTI_ACTIVITY_MEMCPY_KIND_DTOH] = "DtoH",
		[CUPTI_ACTIVITY_MEMCPY_KIND_HTOA] = "HtoA",
		[CUPTI_ACTIVITY_MEMCPY_KIND_ATOH] = "AtoH",
		[CUPTI_ACTIVITY_MEMCPY_KIND_ATOA] = "AtoA",
		[CUPTI_ACTIVITY_MEMCPY_KIND_ATOD] = "AtoD",
		[CUPTI_ACTIVITY_MEMCPY_KIND_DTOA] = "DtoA",
		[CUPTI_ACTIVITY_MEMCPY_KIND_DTOD] = "DtoD",
		[CUPTI_ACTIVITY_MEMCPY_KIND_HTOH] = "HtoH",
		[CUPTI_ACTIVITY_MEMCPY_KIND_PTOP] = "PtoP",
	};

	return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "unknown";
}

static void add_record(CUpti_Activity *record)
{
	CUpti_ActivityKernel9 *kernel = (void *)record;
	CUpti_ActivityMemcpy5 *copy = (void *)record;
	CUpti_ActivityMemcpyPtoP4 *peer = (void *)record;
	CUpti_ActivityMemset4 *set = (void *)record;

	switch (record->kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		add("kernel", kernel->name ? kernel->name : "", 0, kernel->start, kernel->end);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		add("memcpy", direction(copy->copyKind), copy->bytes, copy->start, copy->end);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		add("memcpy", "PtoP", peer->bytes, peer->start, peer->end);
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		add("memset", "memset", set->bytes, set->start, set->end);
		break;
	default:
		break;
	}
}

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	*buffer = aligned_alloc(8, BUFFER_SIZE);
	*size = *buffer ? BUFFER_SIZE : 0;
	*max_records = 0;
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer,
				      size_t size, size_t valid)
{
	CUpti_Activity *record = NULL;
	size_t dropped = 0;

	(void)size;
	pthread_mutex_lock(&tracer.lock);
	while (valid &&
	       cuptiActivityGetNextRecord_pointer(buffer, valid, &record) == CUPTI_SUCCESS) {
		tracer.records++;
		if (tracer.file)
			add_record(record);
	}
	pthread_mutex_unlock(&tracer.lock);
	/* Outside the lock: CUPTI holds one of its own in here. */
	if (cuptiActivityGetNumDroppedRecords_pointer(context, stream, &dropped) == CUPTI_SUCCESS)
		__atomic_fetch_add(&tracer.dropped, dropped, __ATOMIC_RELAXED);
	free(buffer);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void write_operations(void)
{
	const char *mark = strstr(tracer.file, "%p");
	char path[4096];
	FILE *file;

	if (mark)
		snprintf(path, sizeof(path), "%.*s%d%s", (int)(mark - tracer.file), tracer.file,
			 (int)getpid(), mark + 2);
	else
		snprintf(path, sizeof(path), "%s", tracer.file);
	file = fopen(path, "w");
	if (!file) {
		fprintf(stderr, "bare tracer: cannot write %s\n", path);
		return;
	}
	for (int i = 0; i < BUCKETS; i++) {
		for (struct operation *o = tracer.buckets[i]; o; o = o->next) {
			qsort(o->durations, o->count, sizeof(*o->durations), compare);
			fprintf(file, "%s\t%s\t%lu\t%lu\t%lu\t%lu\n", o->kind, o->name, o->count,
				o->bytes, o->total, o->durations[o->count / 2]);
		}
	}
	fprintf(file, "dropped\t\t%lu\t0\t0\t0\n", tracer.dropped);
	fclose(file);
}

static void finish(void)
{
	if (getpid() != tracer.pid)
		return; /* a forked child has no CUDA */
	cuptiActivityFlushAll_pointer(1);
	pthread_mutex_lock(&tracer.lock);
	if (tracer.file)
		write_operations();
	pthread_mutex_unlock(&tracer.lock);
	if (getenv("BARE_TRACER_VERBOSE"))
		fprintf(stderr, "bare tracer: %lu records, %lu dropped\n", tracer.records,
			tracer.dropped);
}

/* The one that the program has loaded, else the one of BARE_TRACER_CUPTI, else the system's. */
static int load_cupti(void)
{
	static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
	const char *path = getenv("BARE_TRACER_CUPTI");
	const size_t count = sizeof(names) / sizeof(names[0]);
	void *handle = NULL;

	for (size_t i = 0; !handle && i < count; i++)
		handle = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
	if (!handle && path && *path)
		handle = dlopen(path, RTLD_NOW);
	for (size_t i = 0; !handle && i < count; i++)
		handle = dlopen(names[i], RTLD_NOW);
	if (!handle)
		return -1;
#define RESOLVE(name)                                                                              \
	name##_pointer = (__typeof__(name##_pointer))dlsym(handle, #name);                         \
	if (!name##_pointer)                                                                       \
		return -1;
	CUPTI_CALLS(RESOLVE)
#undef RESOLVE
	return 0;
}

/* Called by the driver from cuInit; its atexit comes late enough to run before the driver's. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
	static const CUpti_ActivityKind kinds[] = {
		CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		CUPTI_ACTIVITY_KIND_MEMCPY,
		CUPTI_ACTIVITY_KIND_MEMCPY2,
		CUPTI_ACTIVITY_KIND_MEMSET,
	};
	size_t count = getenv("BARE_TRACER_ATTACHED") ? 0 : sizeof(kinds) / sizeof(kinds[0]);
	CUptiResult result;

	if (load_cupti()) {
		fprintf(stderr, "bare tracer: no libcupti found\n");
		return 1;
	}
	tracer.file = getenv("BARE_TRACER_FILE");
	tracer.pid = getpid();
	result = cuptiActivityRegisterCallbacks_pointer(buffer_requested, buffer_completed);
	for (size_t i = 0; result == CUPTI_SUCCESS && i < count; i++)
		result = cuptiActivityEnable_pointer(kinds[i]);
	if (result != CUPTI_SUCCESS)
		fprintf(stderr, "bare tracer: CUPTI answers %d\n", result);
	atexit(finish);
	return 1;
}
