/* SPDX-License-Identifier: MIT */
#include "report/findings/advice.h"

#include <string.h>

bool runs_python(const struct session *session)
{
	const char *command = session_string(session, session_header(session)->command);
	const struct job_process *process;
	char name[64];

	if (!*command)
		session_for_each_process (session, process) {
			command = session_string(session, process->command);
			break;
		}
	program_name(command, name, sizeof(name));
	return !strncmp(name, "python", 6);
}

#define FEWER_LAUNCHES "larger batches, or fewer launches by CUDA graphs and larger kernels"
#define FEWER_LAUNCHES_PYTHON                                                                      \
	"larger batches, or fewer launches by CUDA graphs (in PyTorch torch.compile with "         \
	"mode=reduce-overhead) and larger kernels"
#define LOOK_AT_WORK                                                                               \
	"look at what the program does there (a CPU profiler, NVTX ranges), or launch the next "   \
	"work before it"
#define OTHER_PROCESSES                                                                            \
	"prepare data in other processes (in PyTorch a DataLoader with num_workers and "           \
	"pin_memory), or larger batches"
#define BEARS "half precision, if the program bears the rounding"

/* What helps against each cause of idle time, and what a program in Python is told instead. */
static const struct {
	const char *advice, *python;
} of_cause[IDLE_CAUSE_COUNT] = {
	[IDLE_PROGRAM] = {FEWER_LAUNCHES, FEWER_LAUNCHES_PYTHON},
	[IDLE_AFTER_WAIT] = {"wait less often, or launch the next work before waiting", NULL},
	[IDLE_CALL] = {"call it less often, or while the GPU has work", NULL},
	[IDLE_FIRST_LAUNCH] = {"load code before (CUDA_MODULE_LOADING=EAGER)", NULL},
	[IDLE_LATENCY] = {FEWER_LAUNCHES, FEWER_LAUNCHES_PYTHON},
	[IDLE_DEPENDENCY] = {"work that waits for less: more streams, fewer events between them",
			     NULL},
	[IDLE_GRAPH] = {"fewer and larger nodes", NULL},
	[IDLE_SHORT] = {FEWER_LAUNCHES, FEWER_LAUNCHES_PYTHON},
	[IDLE_UNRESOLVED] = {"larger batches, or less waiting", NULL},
};

static const char *advice_of_cause(const struct finding_cause *cause, bool python)
{
	if (!cause->gaps || cause->cause >= IDLE_CAUSE_COUNT)
		return of_cause[IDLE_UNRESOLVED].advice;
	if (cause->cause == IDLE_PROGRAM && cause->time / cause->gaps >= FINDING_LONG_WORK_NS)
		return python ? OTHER_PROCESSES
			      : "do the program's own work in another thread, or larger batches";
	if (cause->cause == IDLE_AFTER_WAIT && cause->time / cause->gaps >= FINDING_LONG_WORK_NS)
		return LOOK_AT_WORK;
	return python && of_cause[cause->cause].python ? of_cause[cause->cause].python
						       : of_cause[cause->cause].advice;
}

/* From which part of its time on one thing is what it is about. Chosen. */
#define MOST_OF_TIME 0.5

/* Of what was before the GPU's work or after it. */
static const char *advice_outside(const struct finding *finding, bool python, bool of_window)
{
	double most = MOST_OF_TIME * (double)finding->time;

	if ((double)finding->no_call >= most)
		return python ? "the program's own work, which py-spy shows and ktime does not"
			      : "the program's own work, which perf shows and ktime does not";
	if (of_window)
		return python ? "look at what the host does there (py-spy; its CUDA calls: --trace "
				"api)"
			      : "look at what the host does there (perf; its CUDA calls: --trace "
				"api)";
	if (finding->kind == FINDING_AFTER && (double)finding->cause.time >= most)
		return "needed only if the process goes on, as its end frees all";
	if (finding->kind == FINDING_AFTER && python)
		return "look at what the host does there (py-spy; its CUDA calls: --keep-trace "
		       "all)";
	return finding->advice;
}

bool holds_pinned(const struct session *session)
{
	const struct memory_use *use;

	if (session_header(session)->totals.pageable_calls)
		return false;
	session_for_each_memory_use (session, use)
		if ((use->kind == ALLOCATION_PINNED || use->kind == ALLOCATION_REGISTERED) &&
		    use->peak)
			return true;
	return false;
}

/* What keeps copies from running beside kernels is their function, their memory or their stream. */
static const char *advice_of_overlap(const struct session *session)
{
	struct functions synchronous = {.count = 0};

	functions_of(&synchronous, session, FUNCTION_COPY);
	if (holds_pinned(session))
		return synchronous.calls ? "copy by cudaMemcpyAsync in a stream of its own"
					 : "copy in a stream of its own";
	return synchronous.calls
		       ? "copy by cudaMemcpyAsync in a stream of its own, from pinned memory"
		       : "copy in a stream of its own from pinned memory";
}

const char *finding_advice(const struct session *session, const struct finding *finding)
{
	bool python = runs_python(session);

	if (finding->kind == FINDING_LOW_USE)
		return advice_of_cause(&finding->cause, python);
	if (finding_is_outside(finding))
		return advice_outside(finding, python,
				      session_header(session)->finished == RUN_BETWEEN);
	if (finding->kind == FINDING_WAITING && finding->own_work)
		return LOOK_AT_WORK;
	if (finding->kind == FINDING_FP32_MATRIX && finding->has_tf32)
		return python ? "TF32 (in PyTorch torch.set_float32_matmul_precision('high')) "
				"or " BEARS
			      : "TF32 (CUBLAS_TF32_TENSOR_OP_MATH) or " BEARS;
	if (finding->kind == FINDING_LAUNCH_BOUND && python)
		return "a CUDA graph (in PyTorch torch.compile with mode=reduce-overhead), or "
		       "fewer and larger kernels";
	if (finding->kind == FINDING_OVERLAP)
		return advice_of_overlap(session);
	if (finding->kind == FINDING_SYNCHRONOUS && holds_pinned(session))
		return "the Async functions let the host go on";
	return finding->advice;
}
