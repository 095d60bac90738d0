/* SPDX-License-Identifier: MIT */
/*
 * Opens and closes NVTX ranges around memsets, as the argument names it. A memset of 1024 bytes
 * takes 1001 ns on the simulated device.
 *
 * usage: ranges nested|domains|threads|started|names|unbalanced|open|deep|many|modules LIBRARY|old|
 *               forked|graph|launches|variable|named NAME
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

static CUdeviceptr memory;
static CUstream stream;
static CUcontext context;

static void start(void)
{
	context = check_context();
	CHECK(cuMemAlloc(&memory, 4096));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

static void work(int memsets)
{
	for (int i = 0; i < memsets; i++)
		CHECK(cuMemsetD8Async(memory, 0, 1024, stream));
}

/* "main" is open before CUDA is initialised. */
static void nested(void)
{
	printf("level %d\n", nvtxRangePushA("main"));
	start();
	for (int i = 0; i < 3; i++) {
		printf("level %d\n", nvtxRangePushA("step"));
		work(1);
		nvtxRangePushA("inner");
		work(2);
		printf("level %d\n", nvtxRangePop());
		nvtxRangePop();
	}
	work(1);
	/* The same name elsewhere is another way into the range. */
	nvtxRangePushA("inner");
	work(1);
	nvtxRangePop();
	nvtxRangePop();
	work(1);
}

static nvtxEventAttributes_t attributes(const char *text)
{
	return (nvtxEventAttributes_t){
		.version = NVTX_VERSION,
		.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
		.category = 7,
		.colorType = NVTX_COLOR_ARGB,
		.color = 0xff00ff00,
		.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
		.payload.ullValue = 42,
		.messageType = NVTX_MESSAGE_TYPE_ASCII,
		.message.ascii = text,
	};
}

/* A domain's stack is its own: the ranges of two need not be nested. */
static void domains(void)
{
	nvtxDomainHandle_t library = nvtxDomainCreateA("library"), same;
	nvtxEventAttributes_t outer = attributes("outer"), call = attributes("call");

	start();
	printf("level %d\n", nvtxDomainRangePushEx(NULL, &outer));
	printf("level %d\n", nvtxDomainRangePushEx(library, &call));
	work(1);
	printf("level %d\n", nvtxDomainRangePop(NULL));
	work(2); /* "call" alone */
	same = nvtxDomainCreateA("library");
	printf("the same domain: %d\n", same == library);
	printf("level %d\n", nvtxDomainRangePushEx(same, &call));
	work(4);
	nvtxDomainRangePop(same);
	nvtxDomainRangePop(library);
	printf("level %d\n", nvtxDomainRangePop(library));
	nvtxDomainDestroy(library);
}

static void *in_thread(void *name)
{
	CHECK(cuCtxSetCurrent(context));
	nvtxRangePushA("both");
	nvtxRangePushA(name);
	work(*(const char *)name == 'o' ? 1 : 2);
	nvtxRangePop();
	nvtxRangePop();
	return NULL;
}

static void threads(void)
{
	pthread_t one, two;

	start();
	nvtxRangePushA("starter"); /* of this thread: not around what the others do */
	pthread_create(&one, NULL, in_thread, "one");
	pthread_join(one, NULL);
	pthread_create(&two, NULL, in_thread, "two");
	pthread_join(two, NULL);
	work(4);
	nvtxRangePop();
}

static nvtxRangeId_t request;

static void *ends_it(void *unused)
{
	(void)unused;
	CHECK(cuCtxSetCurrent(context));
	work(2);
	nvtxRangeEnd(request);
	work(4);
	return NULL;
}

/* A start/end range is the process's: it holds what all threads do until another one ends it. */
static void started(void)
{
	nvtxEventAttributes_t other = attributes("other");
	nvtxRangeId_t again;
	pthread_t thread;

	request = nvtxRangeStartA("request");
	start();
	nvtxRangePushA("inside");
	work(1);
	again = nvtxDomainRangeStartEx(nvtxDomainCreateA("library"), &other);
	pthread_create(&thread, NULL, ends_it, NULL);
	pthread_join(thread, NULL);
	nvtxRangePop();
	nvtxRangeEnd(again);
	work(8);
	nvtxRangeEnd(again); /* it has ended */
}

/* All ways to give a name; what gives none is nobody's. */
static void names(void)
{
	nvtxDomainHandle_t library = nvtxDomainCreateW(L"wide \u20ac");
	nvtxEventAttributes_t event = attributes(NULL);
	char long_name[2000];

	start();
	nvtxMarkA("mark");
	nvtxNameCategoryA(7, "category");
	nvtxNameOsThreadA((uint32_t)getpid(), "thread");
	nvtxNameCuStreamA(stream, "stream");
	event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	event.message.registered = nvtxDomainRegisterStringA(library, "registered");
	nvtxDomainRangePushEx(library, &event);
	work(1);
	nvtxDomainRangePop(library);
	event.messageType = NVTX_MESSAGE_TYPE_UNICODE;
	event.message.unicode = L"caf\u00e9";
	nvtxRangePushEx(&event);
	work(2);
	nvtxRangePop();
	event.messageType = NVTX_MESSAGE_UNKNOWN;
	nvtxRangePushEx(&event);
	work(3);
	nvtxRangePop();
	nvtxRangePushW(L"wide");
	work(4);
	nvtxRangePop();
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	nvtxRangePushA(long_name);
	work(5);
	nvtxRangePop();
	/* As PyTorch names its operators. */
	for (int i = 0; i < 3; i++) {
		char name[128];

		snprintf(name, sizeof(name), "aten::mm, seq = %d, op_id = %d", i, i + 9);
		nvtxRangePushA(name);
		work(1);
		nvtxRangePop();
		snprintf(name, sizeof(name),
			 "aten::mm, op_id = %d, sizes = [[2, 3]], input_op_ids = [(%d, 0)]", i, i);
		nvtxRangePushA(name);
		work(1);
		nvtxRangePop();
	}
}

static void unbalanced(void)
{
	start();
	printf("pop %d\n", nvtxRangePop());
	nvtxRangePushA("balanced");
	work(1);
	nvtxRangePop();
	printf("pop %d\n", nvtxRangePop());
	nvtxRangeEnd(12345);
	work(1);
}

static void open_at_exit(void)
{
	start();
	nvtxRangePushA("never closed");
	nvtxRangeStartA("never ended");
	work(3);
}

static void deep(void)
{
	start();
	for (int i = 0; i < 200; i++) {
		char name[16];

		snprintf(name, sizeof(name), "level %d", i % 2);
		if (nvtxRangePushA(name) != i)
			printf("wrong level\n");
	}
	work(2);
	for (int i = 199; i >= 0; i--)
		if (nvtxRangePop() != i)
			printf("wrong level\n");
	work(1);
	nvtxRangePushA("after");
	work(4);
	nvtxRangePop();
}

/* More names than there is room for. */
static void many(void)
{
	start();
	for (int i = 0; i < 40000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "request %d", i);
		nvtxRangePushA(name);
		work(1);
		nvtxRangePop();
		if (i % 1000 == 0)
			wait_for_a_turn_of_ktime(); /* which empties the thread's rings */
	}
}

/* Each module that uses NVTX has a table of its own. */
static void modules(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*push)(const char *) = (void (*)(const char *))dlsym(library, "module_push");
	void (*pop)(void) = (void (*)(void))dlsym(library, "module_pop");

	start();
	push("of the module");
	work(1);
	nvtxRangePushA("of the program");
	work(2);
	pop(); /* the stack is the thread's, not the module's */
	pop();
	work(4);
}

/* An NVTX of before domains, with a shorter table, as a library. */
static int (*old_push)(const char *);
static int (*old_pop)(void);
static int old_get_table(NvtxCallbackModule module, NvtxFunctionTable *table, unsigned *size)
{
	static NvtxFunctionPointer *functions[] = {
		[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer *)&old_push,
		[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer *)&old_pop,
	};

	if (module != NVTX_CB_MODULE_CORE)
		return 0;
	*table = functions;
	*size = sizeof(functions) / sizeof(functions[0]);
	return 1;
}

static const void *old_export(uint32_t id)
{
	static const NvtxExportTableCallbacks callbacks = {sizeof(callbacks), old_get_table};

	return id == NVTX_ETID_CALLBACKS ? &callbacks : NULL;
}

static void old(void)
{
	void *tool = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_LAZY);
	NvtxInitializeInjectionNvtxFunc_t attach =
		(NvtxInitializeInjectionNvtxFunc_t)dlsym(tool, "InitializeInjectionNvtx2");

	start();
	printf("attached: %d\n", attach(old_export));
	old_push("old");
	work(3);
	old_pop();
}

static void forked(void)
{
	int status = 0;
	pid_t child;

	start();
	nvtxRangePushA("parent");
	work(1);
	child = fork();
	if (child == 0) {
		nvtxRangePushA("child");
		nvtxRangePop();
		_exit(nvtxRangePushA("child"));
	}
	waitpid(child, &status, 0);
	printf("child: %d\n", (signed char)WEXITSTATUS(status));
	work(2);
	nvtxRangePop();
}

/* Its nodes count in the range of the capture. */
static void graph(void)
{
	CUgraphExec exec;
	CUgraph captured;

	start();
	nvtxRangePushA("capture");
	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	work(3);
	CHECK(cuStreamEndCapture(stream, &captured));
	CHECK(cuGraphInstantiate(&exec, captured, 0));
	nvtxRangePop();
	nvtxRangePushA("launch");
	CHECK(cuGraphLaunch(exec, stream));
	CHECK(cuGraphLaunch(exec, stream));
	nvtxRangePop();
}

/* Kernels of different times in ranges inside of one that holds all; their first launches are in
 * the first of these. */
static void many_launches(void)
{
	CUfunction first, second;

	nvtxRangePushA("all");
	start();
	first = check_kernel("first");
	second = check_kernel("second");
	for (int i = 0; i < 400; i++) {
		nvtxRangePushA(i % 4 ? "often" : "seldom");
		for (int j = 0; j < 50; j++)
			check_launch(j % 5 ? first : second, stream);
		nvtxRangePop();
		CHECK(cuStreamSynchronize(stream));
	}
	nvtxRangePop();
}

/* A range of any name, in a domain of that name. */
static void named(const char *name)
{
	nvtxEventAttributes_t message = attributes(name);
	nvtxDomainHandle_t domain = nvtxDomainCreateA(name);

	start();
	nvtxRangePushA(name);
	nvtxDomainRangePushEx(domain, &message);
	work(1);
	nvtxDomainRangePop(domain);
	nvtxRangePop();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{"nested", nested},
		{"domains", domains},
		{"threads", threads},
		{"started", started},
		{"names", names},
		{"unbalanced", unbalanced},
		{"open", open_at_exit},
		{"deep", deep},
		{"many", many},
		{"old", old},
		{"forked", forked},
		{"graph", graph},
		{"launches", many_launches},
	};

	if (argc == 3 && !strcmp(argv[1], "modules")) {
		modules(argv[2]);
	} else if (argc == 3 && !strcmp(argv[1], "named")) {
		named(argv[2]);
	} else if (argc == 2 && !strcmp(argv[1], "variable")) {
		printf("%s\n", getenv("NVTX_INJECTION64_PATH") ? "set" : "not set");
		return 0;
	} else {
		size_t mode = 0;

		while (mode < sizeof(modes) / sizeof(modes[0]) &&
		       (argc != 2 || strcmp(argv[1], modes[mode].name) != 0))
			mode++;
		if (mode == sizeof(modes) / sizeof(modes[0]))
			return 2;
		modes[mode].run();
	}
	CHECK(cuStreamSynchronize(stream));
	return 0;
}
