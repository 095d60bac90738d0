/* SPDX-License-Identifier: MIT */
#include "report/command/commands.h"

#include <string.h>

#include "report/command/bench.h"
#include "report/command/devices.h"
#include "report/command/list.h"
#include "report/command/merge.h"
#include "report/command/show.h"
#include "report/compare/compare.h"
#include "report/export/export.h"
#include "report/live/live.h"

const struct command commands[] = {
	{
		.option_mask = OPTION_RUN,
		.usage = "ktime [options] PROGRAM [arguments]   run PROGRAM, print where the GPU's "
			 "time went\n"
			 "       ktime show FILE..., ktime merge       print a profile, or those "
			 "of a job as one; keep that\n"
			 "       ktime bench [-n N] PROGRAM            run PROGRAM N times, print "
			 "the mean times\n"
			 "       ktime diff A B, ktime devices         compare two programs; what "
			 "the GPUs "
			 "here can do at most\n"
			 "       ktime export --json OUT FILE          write a profile for other "
			 "tools\n"
			 "       ktime top [PID]                       what running programs do on "
			 "the GPU now\n"
			 "       ktime on|off|window|snapshot PID      what is collected of a "
			 "running "
			 "program\n"
			 "       ktime list, ktime clean               profiles of programs; "
			 "remove what killed ones left\n"
			 "Each command has its --help. Without ktime: LD_PRELOAD=libktime.so "
			 "KTIME_OPTIONS='options' PROGRAM\n",
		.examples = "",
	},
	{
		.name = "show",
		.option_mask = OPTION_SHOW,
		.operands_most = SIZE_MAX,
		.run = command_show,
		.usage = "ktime show [options] FILE...\n"
			 "Prints the report of a profile (ktime -o FILE) on standard output; of "
			 "several, those of\n"
			 "the processes of a job, one report: sums, and which of them are slow. "
			 "Without a file, lists\n"
			 "the profiles of programs that ended without a report.\n",
		.examples = "  ktime show run.ktime\n"
			    "  ktime show --slowest 20 run.*.ktime\n"
			    "  ktime show --sort calls --top 10 --percentiles run.ktime\n"
			    "  ktime show --html run.html run.ktime\n"
			    "  ktime show --print-gpu-trace --csv run.ktime   (made with "
			    "--keep-trace)\n",
	},
	{
		.name = "merge",
		.option_mask = OPTION_MERGE,
		.operands_least = 1,
		.operands_most = SIZE_MAX,
		.run = command_merge,
		.usage = "ktime merge -o OUT [-f] FILE...\n"
			 "Writes the profiles of the processes of a job as one, for ktime show, "
			 "export and diff, or to\n"
			 "be merged again. What is damaged, of another version or of another job "
			 "is named and left out.\n",
		.examples = "  ktime merge -o run.ktime run.*.ktime && ktime show run.ktime\n",
	},
	{
		.name = "diff",
		.option_mask = OPTION_DIFF,
		.operands_least = 2,
		.operands_most = SIZE_MAX,
		.run = command_diff,
		.usage =
			"ktime diff [options] A B, ktime diff [options] A... -- B...\n"
			"Compares the runs of two programs row by row. A and B: profiles of ktime, "
			"folders of\n"
			"ktime bench, SQLite exports or CSV summaries of nsys, CSV summaries of "
			"nvprof.\n"
			"Several runs a side show which differences are more than noise.\n"
			"Exit status: 0, 1 if a file cannot be read, 2 for a wrong option, 3 for "
			"--fail-above.\n",
		.examples =
			"  ktime diff before.ktime after.ktime\n"
			"  ktime diff a1.ktime a2.ktime a3.ktime -- b1.ktime b2.ktime b3.ktime\n"
			"  ktime diff --fail-above 5 --markdown out.md main.runs branch.runs   "
			"(in CI)\n"
			"  ktime diff nsys.sqlite run.ktime\n",
	},
	{
		.name = "bench",
		.option_mask = OPTION_BENCH,
		.operands_least = 1,
		.operands_most = SIZE_MAX,
		.runs_program = true,
		.run = command_bench,
		.usage = "ktime bench [options] PROGRAM [arguments]\n"
			 "Runs PROGRAM several times, keeps a profile of each run in a folder, and "
			 "prints the mean\n"
			 "times and the standard deviation between runs. Options of ktime itself "
			 "go into\n"
			 "KTIME_OPTIONS. Exit status: that of the first run that failed, or 0.\n",
		.examples = "  ktime bench -n 10 -o main.runs ./app\n"
			    "  ktime bench -n 10 -o branch.runs ./app && ktime diff main.runs "
			    "branch.runs\n",
	},
	{
		.name = "export",
		.option_mask = OPTION_EXPORT,
		.operands_least = 1,
		.operands_most = 1,
		.run = command_export,
		.usage =
			"ktime export [options] FILE\n"
			"Writes a profile in the formats of other tools. OUT may be - for standard "
			"output, except\n"
			"with --sqlite; OUT.gz is compressed. --sqlite, --perfetto and --chrome "
			"need a trace:\n"
			"ktime --keep-trace all -o FILE.\n",
		.examples =
			"  ktime export --json - run.ktime | jq .rows\n"
			"  ktime export --perfetto run.pftrace.gz run.ktime   (for "
			"https://ui.perfetto.dev)\n"
			"  ktime export --perfetto part.pftrace --from 2s --to 2.5s run.ktime\n"
			"  ktime export --sqlite run.sqlite run.ktime && nsys stats run.sqlite\n",
	},
	{
		.name = "devices",
		.option_mask = OPTION_PEAKS,
		.run = command_devices,
		.usage = "ktime devices [options]\n"
			 "Prints what the driver and NVML say of each GPU, and the peaks that "
			 "follow: "
			 "DRAM\n"
			 "bandwidth, FLOP/s, links. GB/s are 10^9 bytes/s.\n",
		.examples = "  ktime devices\n"
			    "  ktime devices --json | jq '.[0].peaks'\n",
	},
	{
		.name = "top",
		.option_mask = OPTION_TOP,
		.operands_most = SIZE_MAX,
		.run = command_top,
		.usage = "ktime top [options] [PID...]\n"
			 "Shows what running programs do on the GPU: in the last second and in the "
			 "whole run. -b\n"
			 "prints a line for each program and reading. Keys: q quit; t, r, c, n "
			 "order by the last\n"
			 "second, the run, calls, name; / filter; a API calls; tab next program; "
			 "space read now.\n",
		.examples = "  ktime top\n"
			    "  ktime top -b -d 10 12345\n"
			    "  ktime top --json -n 2 12345 | tail -1 | jq .rows[0]\n",
	},
	{
		.name = "prometheus",
		.option_mask = OPTION_PROMETHEUS,
		.operands_most = SIZE_MAX,
		.run = command_prometheus,
		.usage =
			"ktime prometheus [options] [PID...]\n"
			"Prints the metrics of running programs in Prometheus's text format, once. "
			"ktime --prometheus\n"
			"FILE PROGRAM writes them again and again.\n",
		.examples = "  ktime prometheus 12345 | promtool check metrics\n"
			    "  ktime prometheus --profile run.ktime\n",
	},
	{
		.name = "on",
		.option_mask = OPTION_STEER,
		.operands_most = 1,
		.run = command_on,
		.usage = "ktime on PID\n"
			 "Has ktime collect in a running program from now on, as cudaProfilerStart "
			 "does in it. What\n"
			 "--delay, --duration and --every said no longer holds.\n",
		.examples = "  ktime on 12345\n",
	},
	{
		.name = "off",
		.option_mask = OPTION_STEER,
		.operands_most = 1,
		.run = command_off,
		.usage = "ktime off PID\n"
			 "Has ktime collect nothing in a running program from now on; operations "
			 "are "
			 "counted.\n",
		.examples = "  ktime off 12345\n",
	},
	{
		.name = "window",
		.option_mask = OPTION_WINDOW,
		.operands_least = 1,
		.operands_most = 2,
		.run = command_window,
		.usage =
			"ktime window PID TIME -o FILE\n"
			"Collects in a running program for TIME (2s, 500ms), and keeps the profile "
			"of that time. A\n"
			"program that was off is off again afterwards.\n",
		.examples = "  ktime window 12345 2s -o now.ktime && ktime show now.ktime\n",
	},
	{
		.name = "snapshot",
		.option_mask = OPTION_SNAPSHOT,
		.operands_most = 1,
		.run = command_snapshot,
		.usage = "ktime snapshot PID -o FILE\n"
			 "Keeps the profile of a running program as it is now: all that has "
			 "finished.\n",
		.examples = "  ktime snapshot 12345 -o first.ktime\n"
			    "  ktime snapshot 12345 -o later.ktime --since first.ktime\n"
			    "  ktime diff first.ktime later.ktime\n",
	},
	{
		.name = "list",
		.option_mask = OPTION_LIST,
		.run = command_list,
		.usage = "ktime list\n"
			 "Lists the profiles of programs that are running, or that ended without a "
			 "report: by a\n"
			 "signal that cannot be handled, or with no place left to write it to. A "
			 "program that starts\n"
			 "under ktime removes those whose program ended more than a day ago.\n",
		.examples = "",
	},
	{
		.name = "clean",
		.option_mask = OPTION_LIST,
		.operands_most = SIZE_MAX,
		.run = command_clean,
		.usage = "ktime clean [FILE...]\n"
			 "Removes the profiles of programs that have ended: all that ktime list "
			 "has, or these.\n"
			 "Files that were asked for with -o stay.\n",
		.examples = "",
	},
};
const size_t command_count = sizeof(commands) / sizeof(commands[0]);

const struct command *command_find(const char *name)
{
	for (size_t i = 1; i < command_count; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}
