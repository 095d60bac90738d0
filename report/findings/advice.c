/* SPDX-License-Identifier: MIT */
#include "report/findings/advice.h"

#include <string.h>

/* Gaps of at least this length on average are no matter of single launches: the program does work
 * of its own in them. Chosen. */
#define LONG_WORK_NS 1000000u

static bool is_python(const struct session *session)
{
	const char *command = session_string(session, session_header(session)->command);
	const struct job_process *process;
	char name[64];

	/* Of a job's processes the first. */
	if (!*command)
		session_for_each_process(session, process)
		{
			command = session_string(session, process->command);
			break;
		}
	program_name(command, name, sizeof(name));
	return !strncmp(name, "python", 6);
}

#define FEWER_LAUNCHES "larger batches, or fewer launches: CUDA graphs, fewer and larger kernels"
#define FEWER_LAUNCHES_PYTHON                                                                      \
	"larger batches, or fewer launches: CUDA graphs (PyTorch: torch.compile, "                 \
	"mode=reduce-overhead), fewer and larger kernels"

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
	if (cause->cause == IDLE_PROGRAM && cause->time / cause->gaps >= LONG_WORK_NS)
		return python ? "prepare data in other processes (PyTorch: DataLoader with "
				"num_workers and pin_memory), or larger batches"
			      : "do the program's own work in another thread, or larger batches";
	return python && of_cause[cause->cause].python ? of_cause[cause->cause].python
						       : of_cause[cause->cause].advice;
}

const char *finding_advice(const struct session *session, const struct finding *finding)
{
	bool python = is_python(session);

	if (finding->kind == FINDING_LOW_USE)
		return advice_of_cause(&finding->cause, python);
	if (finding->kind == FINDING_LAUNCH_BOUND && python)
		return "a CUDA graph (PyTorch: torch.compile, mode=reduce-overhead), or fewer and "
		       "larger kernels";
	return finding->advice;
}
