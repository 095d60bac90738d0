/* SPDX-License-Identifier: MIT */
/* Sections of a page: processes side by side, copies by size. */
#include "report/session/items.h"
#include "tests/unit/page_text.h"
#include "tests/unit/one_session.h"

#define US 1000ull

static char *page;

AFTER_EACH
{
	free(page);
	page = NULL;
}

static void has(const char *text)
{
	if (!strstr(page, text))
		fail_msg("the page has no %s", text);
}

static void page_has(const char *text)
{
	free(page);
	page = page_text(session, "");
	has(text);
}

static struct job_process *add_process(int rank, uint64_t gpu, uint64_t collectives,
				       uint64_t device_time, uint64_t busy)
{
	struct job_process process = {.pid = 100 + rank,
				      .rank = {.rank = rank, .world_size = 4},
				      .finished = 1,
				      .timed = 1,
				      .operations = 1,
				      .gpu = gpu,
				      .collectives = collectives,
				      .device_time = device_time,
				      .busy = busy,
				      .hostname = session_intern(session, "node<7>")};
	struct job_process *added = session_add_item(session, SEGMENT_PROCESSES, &process);

	assert_non_null(added);
	session_header(session)->processes++;
	return added;
}

TEST(processes_have_bars_of_one_scale)
{
	add_process(0, 300 * US, 100 * US, 1000 * US, 400 * US)->causes[IDLE_PROGRAM] = 500 * US;
	add_process(1, 500 * US, 0, 2000 * US, 500 * US)->causes[IDLE_LATENCY] = 1500 * US;
	page = page_text(session, "");
	/* The longest is as wide as the column. What has no cause is the rest. */
	has("<rect class=\"busy-kernels\" x=\"0.000%\" width=\"20.000%\"");
	has("<rect class=\"idle-program\" x=\"20.000%\" width=\"25.000%\"");
	has("<rect class=\"idle-unresolved\" x=\"45.000%\" width=\"5.000%\"");
	has("<rect class=\"busy-kernels\" x=\"0.000%\" width=\"25.000%\"");
	has("<rect class=\"idle-latency\" x=\"25.000%\" width=\"75.000%\"");
	/* The one with most time outside collectives first. */
	assert_true(strstr(page, "data-value=\"1\">1</th>") <
		    strstr(page, "data-value=\"0\">0</th>"));
	has("<td class=\"name\">node&#60;7&#62;</td>");
	has("<th scope=\"col\" class=\"number\">Rank</th>");
	has("/></svg> launch latency</li>");
	assert_null(strstr(page, "/></svg> inside graphs</li>"));
	assert_null(strstr(page, "id=\"use\""));
	assert_null(strstr(page, "more processes are not in this page"));
}

static unsigned count_of(const char *text)
{
	unsigned count = 0;

	for (const char *at = page; (at = strstr(at, text)); at++)
		count++;
	return count;
}

TEST(many_devices_have_bars_below_each_other)
{
	struct session_header *header = session_header(session);

	header->cupti_active = 1;
	for (int device = 0; device < 4; device++) {
		header->devices[device] = (struct device_info){.name = "NVIDIA H200", .used = 1};
		header->uses[device] =
			(struct device_use){.first = 100 * US,
					    .last = 1100 * US,
					    .busy = (uint64_t)(device + 1) * 100 * US,
					    .kernels = 100 * US,
					    .contexts = 1};
	}
	page = page_text(session, "");
	has("<h3>GPU 3: NVIDIA H200, busy 40.0 %</h3>");
	assert_int_equal(count_of("<details><summary>GPU"), 4);
	/* Each one's own legend, and one for all. */
	assert_int_equal(count_of("<ul class=\"legend\""), 5);
	has("<li><svg class=\"swatch\" aria-hidden=\"true\"><rect class=\"busy-kernels\" "
	    "width=\"100%\" height=\"100%\"/></svg> kernels</li>");
	header->devices[3].used = 0;
	header->uses[3] = (struct device_use){.busy = 0};
	free(page);
	page = page_text(session, "");
	has("<h3>GPU 2: NVIDIA H200</h3>");
	assert_int_equal(count_of("<ul class=\"legend\""), 3);
}

TEST(more_processes_than_fit_are_counted)
{
	size_t shown = 0;
	char expected[128];

	for (int rank = 0; rank < 2000; rank++)
		add_process(rank, 300 * US, 0, 1000 * US, 400 * US)->causes[IDLE_CALL] = 1;
	page = page_text(session, "");
	for (const char *row = page; (row = strstr(row, "<svg class=\"stack process\"")); row++)
		shown++;
	assert_true(shown > 50 && shown < 2000);
	snprintf(expected, sizeof(expected), "<p class=\"left-out\">%zu more processes are not",
		 2000 - shown);
	has(expected);
	has("<code>ktime show --slowest 2000</code>");
	assert_true(strlen(page) < 400000);
}

static void add_kernel(const char *name, uint64_t ns)
{
	struct row *row = session_row(session, ROW_KERNEL, name, 0);

	row->calls = 1;
	session_add_sample(session, &row->cupti, ns);
}

/* What the finding says where the slowest made `own` of all `calls`. */
static void has_calls(struct job_row *row, uint64_t calls, uint64_t own, const char *counts,
		      const char *advice)
{
	char text[200];

	row->calls = calls;
	row->slowest_calls = own;
	free(page);
	page = page_text(session, "");
	snprintf(text, sizeof(text), "more to do in %s than rank 0 %s. Even work",
		 session_string(session, row->name), counts);
	has(text);
	snprintf(text, sizeof(text), "20.0 ms, to about 10.0 ms%s%s.", *advice ? ": give " : "",
		 advice);
	has(text);
}

TEST(uneven_rows_name_the_slowest)
{
	const char *start = (const char *)session_header(session);
	struct job_process *slow, *fast;
	struct job_row *row;

	fast = add_process(0, US, 0, 20000 * US, US);
	slow = add_process(1, US, 0, 20000 * US, US);
	slow->operations = 1200;
	row = session_add_item(
		session, SEGMENT_JOB_ROWS,
		&(struct job_row){.kind = ROW_KERNEL,
				  .name = session_intern(session, "uneven"),
				  .processes = 2,
				  .total = 40e6,
				  .minimum = 10000 * US,
				  .known = MINIMUM_KNOWN,
				  .maximum = 30000 * US,
				  .slowest = (uint64_t)((const char *)slow - start)});
	session_add_item(session, SEGMENT_JOB_ROWS,
			 &(struct job_row){.kind = ROW_KERNEL,
					   .name = session_intern(session, "even"),
					   .processes = 2,
					   .total = 20e3,
					   .minimum = 10 * US,
					   .maximum = 10 * US,
					   .slowest = (uint64_t)((const char *)slow - start)});
	page = page_text(session, "");
	has(">uneven</th><td class=\"number\" data-value=\"1.5\">1.50</td>"
	    "<td class=\"number\" data-value=\"10000000\">10.000ms</td>"
	    "<td class=\"number\" data-value=\"20000000\">20.000ms</td>"
	    "<td class=\"number\" data-value=\"30000000\">30.000ms</td>"
	    "<td class=\"number\" data-value=\"2\">2</td>"
	    "<td class=\"number\" data-value=\"-1\">-</td><td>rank 1</td>");
	has("10.000us</td><td class=\"number\" data-value=\"2\">2</td>"
	    "<td class=\"number\" data-value=\"-1\">-</td><td>-</td>");
	/* It costs no time, as the devices of all processes were busy equally long. */
	assert_null(strstr(page, "The work is uneven"));
	/* Who waits in a collective is busy too. */
	slow->collectives = 1;
	free(page);
	page = page_text(session, "");
	has("The work is uneven: rank 1 has 20.0 ms more to do in uneven than rank 0 "
	    "(1,200 operations in all, against 1). Even work saves up to 10.0 ms of a "
	    "process&#39;s 20.0 ms, to about 10.0 ms.");
	/* Where the row's calls are known: more of them, longer ones, or both. */
	has_calls(row, 700, 400, "(400 calls, against 300, on average 2.25 times as long)",
		  "each rank about 350 calls of equal length");
	/* 300 of them take 33 us, as those of the other, and 100 200 us. */
	for (int i = 0; i < 600; i++)
		add_kernel("uneven", 33333);
	for (int i = 0; i < 100; i++)
		add_kernel("uneven", 200 * US);
	has_calls(row, 700, 400, "(400 calls, 100 of them about 6.0 times as long, against 300)",
		  "rank 0 about 50 of the long ones");
	has_calls(row, 600, 300, "(300 calls in each, on average 3.00 times as long)",
		  "each rank calls of equal length");
	has_calls(row, 400, 300, "(300 calls, against 100)", "each rank about 200 calls");
	has("data-value=\"200\">200</td><td>rank 1</td>"
	    "<td class=\"number\" data-value=\"300\">300</td>");
	/* Nobody can make a part of one long call. */
	row->name = session_intern(session, "single");
	for (int i = 0; i < 20; i++)
		add_kernel("single", 1000 * US);
	add_kernel("single", 20000 * US);
	has_calls(row, 21, 11, "(11 calls, 1 of them about 20.2 times as long, against 10)", "");
	/* What is waited for the slowest is a part of its cause. */
	fast->causes[IDLE_PROGRAM] = 15000 * US;
	slow->busy = 12001 * US;
	free(page);
	page = page_text(session, "");
	has("; rank 0&#39;s GPU is idle for 12.0 ms more: it probably waits (a wait");
	has("<dt>Idle mostly because of</dt><dd class=\"value\">the program between CUDA "
	    "calls</dd><dd class=\"note\">37.5 % of the time of all processes’ GPUs: 15.0 ms, in "
	    "12.0 ms of which rank 0 probably waits for rank 1</dd>");
}

static void add_copy(struct row *row, uint64_t bytes, uint64_t ns)
{
	static uint64_t start = 1000;
	struct trace_record record = {.kind = ROW_MEMCPY,
				      .name = row->name,
				      .bytes = bytes,
				      .start = start,
				      .end = start + ns};

	row->calls++;
	session_add_bytes(row, bytes);
	session_add_sample(session, &row->cupti, ns);
	session_add_size(&row->cupti, bytes, ns);
	assert_int_equal(session_trace(session, &record), 0);
	start += 2 * ns;
}

TEST(copies_are_told_apart_by_size)
{
	struct device_info *device = &session_header(session)->devices[0];
	struct row *row = session_row(session, ROW_MEMCPY, "[CUDA memcpy HtoD]", 0);
	struct row *within = session_row(session, ROW_MEMCPY, "[CUDA memcpy DtoD]", 0);

	device->used = 1;
	device->pcie_generation = 4;
	device->pcie_lanes = 8;
	device->memory_clock_khz = 1000000;
	device->bus_bits = 4000;
	/* 15.75 GB/s are the link's peak; 1000 GB/s the memory's. */
	add_copy(row, 4096, 1000);
	add_copy(row, 4096, 3000);
	add_copy(row, 4097, 1000);
	add_copy(row, 1ull << 40, 1000000000);
	add_copy(within, 1 << 20, 10000);
	page = page_text(session, "");
	has(">up to 4.0000KB</td><td class=\"number\" data-value=\"2\">2</td>"
	    "<td class=\"number\" data-value=\"8192\">8.0000KB</td>"
	    "<td class=\"number\" data-value=\"4000\">4.0000us</td>"
	    "<td class=\"number\" data-value=\"2.048\">2.048</td>");
	has(" 13.00%</td>");
	has(">up to 16.000KB</td><td class=\"number\" data-value=\"1\">1</td>");
	has(">above 64.000GB</td><td class=\"number\" data-value=\"1\">1</td>");
	/* Read and written: twice 104.86 GB/s. */
	has("<rect width=\"20.97%\"");
	assert_null(strstr(page, "By size: needs a trace"));
}

TEST(without_a_trace_the_page_says_what_sizes_need)
{
	struct row *row = session_row(session, ROW_MEMCPY, "[CUDA memcpy HtoD]", 0);

	row->calls = 1;
	session_add_sample(session, &row->cupti, 1000);
	session_add_bytes(row, 4096);
	session_add_size(&row->cupti, 4096, 1000);
	page = page_text(session, "");
	has("By size: needs a trace (<code>--keep-trace</code>).");
	has("peak unknown: <code>ktime devices</code> says what is known; ");
	assert_null(strstr(page, "copy-sizes-table"));
}

TEST(memory_is_shown_by_device_and_by_origin)
{
	struct session_header *header = session_header(session);
	struct memory_use *use;
	struct memory_site *site;

	page = page_text(session, "");
	assert_null(strstr(page, "memory-table"));
	free(page);
	header->start_realtime = 1000;
	header->devices[1].memory = 1ull << 30;
	use = session_add_item(session, SEGMENT_MEMORY,
			       &(struct memory_use){.kind = ALLOCATION_POOL, .device = 1});
	assert_non_null(use);
	header->finished = 1;
	header->counters[COUNTER_wall_ns] = 2000000000;
	use->peak = 256ull << 20;
	use->peak_time = 1000 + 5 * US;
	use->held = 3 << 20;
	use->held_count = 2;
	use->allocations = 12345;
	use->allocated = 512ull << 20;
	use->frees = 12343;
	site = session_add_item(
		session, SEGMENT_MEMORY_SITES,
		&(struct memory_site){.kind = ALLOCATION_POOL,
				      .device = 1,
				      .size = 1 << 20,
				      .range = session_intern(session, "step<1>"),
				      .operation = session_intern(session, "_Z5firsti")});
	assert_non_null(site);
	site->at_peak = 4 << 20;
	site->at_peak_count = 4;
	site->held = 2 << 20;
	site->held_count = 2;
	site->allocations = 9;
	site = session_add_item(
		session, SEGMENT_MEMORY_SITES,
		&(struct memory_site){.kind = ALLOCATION_PINNED, .device = -1, .thread = 71});
	assert_non_null(site);
	site->at_peak = 5 << 20;
	page = page_text(session, "");
	has("<h2 id=\"memory-title\">Memory</h2>\n<ul class=\"lines\">\n<li>Memory: at most ");
	has("; 2 of 12,345 allocations held at exit, 3.0 MB; 6,172 allocations a "
	    "second.</li>\n</ul>\n"
	    "<div");
	has("<th scope=\"row\">memory of pools</th><td class=\"number\" data-value=\"1\">1</td>"
	    "<td class=\"number\" data-value=\"268435456\">256 MB</td>"
	    "<td class=\"number share\" data-value=\"25.000000\">");
	has(" 25.00%</td><td class=\"number\" data-value=\"5000\">5.0000us</td>"
	    "<td class=\"number\" data-value=\"3145728\">3.0 MB</td>"
	    "<td class=\"number\" data-value=\"2\">2</td>"
	    "<td class=\"number\" data-value=\"12345\">12,345</td>"
	    "<td class=\"number\" data-value=\"536870912\">512 MB</td>"
	    "<td class=\"number\" data-value=\"12343\">12,343</td></tr>");
	has("<td class=\"number\" data-value=\"4\">4</td>"
	    "<td class=\"number\" data-value=\"1048576\">1.0 MB</td>"
	    "<td class=\"number\" data-value=\"2097152\">2.0 MB</td>"
	    "<td class=\"number\" data-value=\"2\">2</td>"
	    "<td class=\"number\" data-value=\"9\">9</td><td class=\"name\">first</td>"
	    "<td class=\"name\">step&#60;1&#62;</td>"
	    "<td class=\"number\" data-value=\"-1\">several</td></tr>");
	/* The one with most at the peak first. */
	assert_true(strstr(page, "data-value=\"71\">71</td>") < strstr(page, ">several</td>"));
	free(page);
	header->counters[COUNTER_memory_graphs] = 1234;
	page = page_text(session, "");
	has("6,172 allocations a second; 1,234 allocations by launches of graphs, which are not "
	    "followed.</li>\n");
	free(page);
	header->counters[COUNTER_memory_graphs] = 1;
	page = page_text(session, "");
	has("; 1 allocation by launches of graphs, which is not followed.</li>\n");
	/* What PyTorch keeps is no leak. */
	session_row(session, ROW_KERNEL, "_ZN2at6native13reduce_kernelEv", 1)->calls = 1;
	page_has("held at exit, 3.0 MB (PyTorch&#39;s cache: the driver frees it); 6,172");
}

TEST(memory_is_said_once_where_one_kind_is_all)
{
	struct memory_use *use[2];

	for (unsigned i = 0; i < 2; i++) {
		use[i] = session_add_item(
			session, SEGMENT_MEMORY,
			&(struct memory_use){.kind = i ? ALLOCATION_TOTAL : ALLOCATION_DEVICE});
		assert_non_null(use[i]);
		use[i]->peak = 64 << 20;
		use[i]->allocations = use[i]->frees = 2;
	}
	page = page_text(session, "");
	has("<th scope=\"row\">device memory</th>");
	assert_null(strstr(page, "<th scope=\"row\">all on the device"));
	assert_int_equal(count_of("<li>Memory: "), 1);
	free(page);
	use[1]->peak *= 2;
	page = page_text(session, "");
	has("<th scope=\"row\">all on the device");
}

TEST(energy_is_shown_of_devices_that_were_used_and_are_asked_for)
{
	struct device_info *devices = session_header(session)->devices;

	devices[2].used = devices[3].used = devices[5].used = 1;
	page = page_text(session, "");
	assert_null(strstr(page, "energy-table"));
	free(page);
	devices[2].energy =
		(struct device_energy){.state = ENERGY_READ, .duration = 2, .joules = 609};
	devices[3].energy.state = ENERGY_MIG;
	/* Used by nobody. */
	devices[4].energy = devices[2].energy;
	page = page_text(session, "");
	has("<th scope=\"row\" class=\"number\" data-value=\"2\">2</th>");
	has("data-value=\"3\">3</th>");
	assert_null(strstr(page, "data-value=\"4\">4</th>"));
	assert_null(strstr(page, "data-value=\"5\">5</th>"));
	free(page);
	page = page_text(session, "--devices 3");
	assert_null(strstr(page, "609 J"));
}

TEST(power_and_clock_are_pictures_over_time)
{
	struct device_info *device = session_header(session)->devices;
	struct energy_curve *curve = session_add_item(
		session, SEGMENT_ENERGY, &(struct energy_curve){.length = 100000 * US});

	device->used = 1;
	device->energy = (struct device_energy){.state = ENERGY_READ, .duration = 2, .joules = 609};
	curve->steps[0] = (struct energy_step){.joules = 40, .covered = 100000 * US};
	page = page_text(session, "");
	/* One step is a figure of the table. */
	assert_null(strstr(page, "over time, at most"));
	free(page);
	curve->steps[2] = (struct energy_step){
		.joules = 10, .covered = 50000 * US, .sm_mhz = 3000, .samples = 2};
	page = page_text(session, "");
	has("<path class=\"area\" d=\"M0 160V21H1V160H2V90H3V160z\"/>");
	has("Power of GPU 0 over time, at most 400 W, in steps of 100 ms from the start of CUDA "
	    "on");
	has("<path class=\"area\" d=\"M0 160V160H1V160H2V21H3V160z\"/>");
	has("SM clock of GPU 0 over time, at most 1500 MHz, in steps");
	free(page);
	/* What a damaged file says. */
	curve->steps[0].joules = INFINITY;
	curve->length = UINT64_MAX;
	page = page_text(session, "");
	assert_null(strstr(page, "Power of GPU 0 over time"));
	free(page);
	curve->device = -1;
	page = page_text(session, "");
	assert_null(strstr(page, "of GPU 0 over time"));
}

TEST(what_is_not_known_of_energy_is_not_shown_as_a_figure)
{
	struct device_info *device = session_header(session)->devices;

	device->used = 1;
	device->energy = (struct device_energy){.state = ENERGY_READ,
						.source = ENERGY_FROM_POWER,
						.duration = 2000000 * US,
						.joules = 10,
						.samples = 3,
						.idle = 3};
	page = page_text(session, "");
	has("<td class=\"number\" data-value=\"10\">about 10.0 J</td>");
	has("\">5.00 W</td><td class=\"number\" data-value=\"-1\">-</td>"
	    "<td class=\"number\" data-value=\"-1\">-</td><td>-</td></tr>");
	free(page);
	device->energy.samples = 4;
	device->energy.sm = (struct clock_range){1, 1500, 1500, 1500, MINIMUM_KNOWN};
	device->energy.duration = 0;
	page = page_text(session, "");
	has("<td class=\"number\" data-value=\"-1\">-</td>"
	    "<td class=\"number\" data-value=\"1500\">1500 MHz</td>"
	    "<td class=\"number\" data-value=\"-1\">-</td><td>never</td></tr>");
	assert_null(strstr(page, "about"));
}

static void keep_the_gpu_busy(void)
{
	header->cupti_active = 1;
	header->devices[0].used = 1;
	header->uses[0] = (struct device_use){
		.first = 100 * US, .last = 1100 * US, .busy = 900 * US, .kernels = 900 * US};
}

TEST(the_first_kernel_has_a_command_that_chooses_it_alone)
{
	keep_the_gpu_busy();
	add_kernel("_Z10row_kernelILi11EEvx", 800 * US);
	add_kernel("_Z5otherPf", 100 * US);
	page_has("What limits row_kernel: <code>ncu -k row_kernel -c 1 ./app</code>");
	/* What is in another scope is no other function to ncu. */
	add_kernel("_ZN1a10row_kernelEv", 50 * US);
	header->command = session_intern(session, "./train --data 'my data'");
	page_has("What limits row_kernel&#60;int=11&#62;: <code>ncu --kernel-name-base mangled -k "
		 "_Z10row_kernelILi11EEvx -c 1 ./train "
		 "--data &#39;my data&#39;</code>");
}

TEST(a_kernel_whose_calls_differ_is_measured_in_several)
{
	keep_the_gpu_busy();
	add_kernel("_Z3rowPf", 600 * US);
	add_kernel("_Z3rowPf", 300 * US);
	page_has("ncu -k row -s 1 -c 1 ./app</code>");
	add_kernel("_Z3rowPf", 299 * US);
	page_has("ncu -k row -s 1 -c 5 ./app</code>");
	/* The first calls load code: half of them are left out, of many a hundred. */
	session_row(session, ROW_KERNEL, "_Z3rowPf", 0)->calls = 9;
	page_has("ncu -k row -s 4 -c 5 ./app</code>");
	session_row(session, ROW_KERNEL, "_Z3rowPf", 0)->calls = 1000;
	page_has("ncu -k row -s 100 -c 5 ./app</code>");
}

TEST(a_page_by_events_says_what_a_faster_kernel_saves)
{
	struct row *row;

	header->timer = TIMER_EVENTS;
	header->counters[COUNTER_wall_ns] = 1000 * US;
	header->devices[0].used = 1;
	row = session_row(session, ROW_KERNEL, "_Z3rowPf", 0);
	row->calls = 1;
	session_add_sample(session, &row->events, 900 * US);
	page_has("nearly all the time (idle for about 100 us, with the time before its first "
		 "operation and after its last): only faster operations make the run shorter. "
		 "Halving row saves at most 450 us, 45 % of the run.");
	/* What the GPU's work needs comes before why it was idle for the rest. */
	assert_true(strstr(page, "What limits row") < strstr(page, "Why the GPU was idle:"));
	/* Where that is less than a tenth of the run it is no question. */
	row->events.total += US;
	page_has("idle for about 99 us");
	assert_null(strstr(page, "Why the GPU was idle:"));
	/* An operation outside of a window leaves the share open. */
	header->counters[COUNTER_operations_outside] = 1;
	page_has("Most of the GPU&#39;s time is in row: 100.0 %.");
	assert_null(strstr(page, "Halving"));
}

TEST(a_page_says_what_idle_time_costs_and_that_it_comes_first)
{
	struct row *row;

	header->cupti_active = 1;
	header->devices[0].used = 1;
	header->devices[0].compute_capability = 90;
	header->uses[0] = (struct device_use){
		.first = 100 * US, .last = 100100 * US, .busy = 40000 * US, .kernels = 40000 * US};
	session_idle_row(session, &(struct idle_row){.cause = IDLE_PROGRAM})->total = 60000 * US;
	row = session_row(session, ROW_KERNEL, "volta_sgemm_128x64_nn", 0);
	row->calls = 2;
	session_add_sample(session, &row->cupti, 20000 * US);
	session_add_sample(session, &row->cupti, 20000 * US);
	page_has(">Without idle time (60.0 ms) the GPU&#39;s 100 ms would be 40 ms at best. ");
	has("rounding; of little use while the GPU is idle for so long.");
	/* Busy and idle time are never one. */
	assert_null(strstr(page, "do not add up"));
	assert_null(strstr(page, "of the idle time of GPU 0"));
	header->start_realtime = 0;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(
			session_trace(session,
				      &(struct trace_record){.kind = ROW_KERNEL,
							     .start = i ? 50000 * US : 100 * US,
							     .end = i ? 100100 * US : 40000 * US}),
			0);
	page_has(">When: 99 % of the idle time of GPU 0 is in this part of the <a "
		 "href=\"#timeline\">trace</a>: 0.04 s to 0.05 s after the start of CUDA</p>");
	header->uses[0].busy = 70000 * US;
	header->uses[0].kernels = 70000 * US;
	page_has("rounding.</span></li>");
}

static void bound_is(uint64_t run_ms, const char *bound)
{
	header->counters[COUNTER_wall_ns] = run_ms * 1000 * US;
	page_has(bound);
}

TEST(a_page_says_what_the_run_would_be_without_what_was_found)
{
	struct idle_row *waited;

	header->cupti_active = 1;
	header->start_realtime = 0;
	header->totals.waiting_calls = 7;
	header->devices[0].used = 1;
	header->uses[0] = (struct device_use){.first = 150000 * US,
					      .last = 250000 * US,
					      .busy = 20000 * US,
					      .kernels = 20000 * US};
	waited = session_idle_row(session, &(struct idle_row){.cause = IDLE_AFTER_WAIT});
	waited->gaps = 6;
	waited->total = 75000 * US;
	session_idle_row(session, &(struct idle_row){.cause = IDLE_LATENCY})->total = 5000 * US;
	add_kernel("_Z3rowPf", 20000 * US);
	bound_is(300,
		 "7 synchronizing calls, after 6 of which the program itself worked and the GPU "
		 "was idle, 75.0 ms of the GPU&#39;s 100 ms: look at");
	has(">Without the idle time named above (75.0 ms) and the end (50.0 ms) the run&#39;s 300 "
	    "ms would be 175 ms at best; without the start (150 ms) too, 25 ms.</p>");
	has(">The GPU’s 100 ms are from its first operation to its last. ");
	has("the GPU&#39;s last operation, 50.0 ms of the run&#39;s 300 ms");
	has("What the program itself does after its start: <code>perf record -g --delay 150 "
	    "./app</code>");
	bound_is(251, ">Without the idle time named above (75.0 ms) the run&#39;s 251 ms would be "
		      "176 ms at best; without the start (150 ms) too, 26 ms.</p>");
	/* A window's start is not the program's, and it gets no shorter. */
	header->finished = RUN_BETWEEN;
	bound_is(300, ">Without the idle time named above (75.0 ms) the GPU&#39;s 100 ms would be "
		      "25 ms at best.</p>");
	has("A window of the run: 300 ms.");
	has("The window&#39;s start, before the GPU&#39;s first operation in it, 150 ms of the "
	    "window&#39;s 300 ms: look at what the host does there (perf; its CUDA calls: --trace "
	    "api).");
	has("The window&#39;s end, after the GPU&#39;s last operation in it, 50.0 ms of the "
	    "window&#39;s");
	has("% of the whole window, 300 ms: 150 ms before the first operation");
	has("<code>perf record -g ./app</code>");
	/* When those ran that were only counted nobody knows. */
	header->counters[COUNTER_operations_outside] = 1;
	bound_is(300, "75.0 ms of the GPU&#39;s 100 ms (25.0 % of the window): look at");
	has("<p>Only 100 ms of the window’s 300 ms (33.3 %) were profiled");
	header->finished = RUN_WHOLE;
	bound_is(300, ">Without the idle time named above (75.0 ms) the GPU&#39;s 100 ms would be "
		      "25 ms at best.</p>");
	has("The rest of the run: <code>ktime -o whole.ktime ./app</code>");
	/* Busy and idle time that are estimates, or another device's too, do not add up. */
	header->uses[0].error = 1;
	bound_is(300, "after 6 of which");
	assert_null(strstr(page, "Without"));
}

static void launched_by(const char *launcher, const char *when, const char *then)
{
	memset(header->rank.launcher, 0, sizeof(header->rank.launcher));
	strcpy(header->rank.launcher, launcher);
	page_has(when);
	has(then);
}

TEST(a_job_has_commands_by_its_launcher)
{
	static const char *const slowest = "slowest rank&#39;s: <code>ktime show --html "
					   "trace.1.html trace.1.ktime</code>";
	struct job_process *process = add_process(0, 400 * US, 300 * US, 1000 * US, 400 * US);

	add_process(1, 300 * US, 100 * US, 1000 * US, 300 * US);
	header->rank = (struct process_rank){-1, -1, 4, .launcher = ""};
	header->command = session_intern(session, "./train 3");
	launched_by("Open MPI",
		    "When: needs a trace of each rank: <code>mpirun -n 4 ktime --keep-trace all -o "
		    "trace.%r.ktime ./train 3</code>",
		    slowest);
	launched_by("PMI", "<code>mpiexec -n 4 ktime --keep-trace", slowest);
	launched_by("Slurm", "<code>srun -n 4 ktime --keep-trace", slowest);
	launched_by("torchrun", "<code>torchrun --nproc-per-node 4 --no-python ktime --keep-trace",
		    slowest);
	/* On several nodes it was started on each, with what it needs to find the others. */
	process->hostname = session_intern(session, "node8");
	launched_by("torchrun",
		    "When: needs a trace, by the job&#39;s launcher: <code>ktime --keep-trace all "
		    "-o trace.ktime ./train 3</code>",
		    "<code>ktime show --html trace.html trace.ktime</code>");
	launched_by("MY_RANK", "by the job&#39;s launcher: <code>ktime --keep-trace", "Then");
	/* Without a launcher's size there are as many as profiles. */
	header->rank.world_size = -1;
	launched_by("Slurm", "<code>srun -n 2 ktime", slowest);
}

static void add_call(const char *name, uint64_t ns)
{
	struct row *row = session_row(session, ROW_RUNTIME_API, name, 0);

	row->calls = 1;
	session_add_sample(session, &row->cupti, ns);
}

TEST(a_run_of_which_the_gpus_time_is_a_small_part_has_its_rest)
{
	const uint64_t start = 1000000 * US;

	header->cupti_active = 1;
	header->start_realtime = start;
	header->counters[COUNTER_wall_ns] = 10000 * US;
	header->counters[COUNTER_threads] = 1;
	header->devices[0].used = 1;
	header->uses[0] = (struct device_use){.first = start + 6000 * US,
					      .last = start + 7000 * US,
					      .busy = 50 * US,
					      .kernels = 50 * US};
	add_call("cudaMalloc", 3900 * US);
	/* The call may have been after the first operation. */
	page_has("of 1.00 ms from the first operation to the last; 0.50 % of the whole run, 10.0 "
		 "ms: 6.00 ms before the first operation and 3.00 ms after the last</dd>");
	/* Not for that long, as the program was in no call while the GPU was idle. */
	session_idle_row(session, &(struct idle_row){.cause = IDLE_PROGRAM})->total = 900 * US;
	page_has("6.00 ms before the first operation, 3.90 ms of it in cudaMalloc, and 3.00 ms "
		 "after the last</dd>");
	header->counters[COUNTER_threads] = 2;
	page_has("6.00 ms before the first operation and 3.00 ms after the last</dd>");
	/* Of several there is no one share. */
	header->devices[1].used = 1;
	header->uses[1] = (struct device_use){.first = start + 5000 * US,
					      .last = start + 6000 * US,
					      .busy = 500 * US,
					      .kernels = 500 * US};
	page_has("of the time of 2 GPUs, at most 1.00 ms; the whole run was 10.0 ms: 5.00 ms "
		 "before the first operation and 3.00 ms after the last</dd>");
	header->devices[1].used = 0;
	header->uses[1] = (struct device_use){.busy = 0};
	header->uses[0].first = start + 50 * US;
	header->uses[0].last = start + 4000 * US;
	page_has("the whole run, 10.0 ms: 6.00 ms after the last operation</dd>");
	/* The system's clock was set back. */
	header->uses[0].first = start - 50 * US;
	page_has("; 0.50 % of the whole run, 10.0 ms</dd>");
	header->counters[COUNTER_operations] = 1200;
	header->counters[COUNTER_operations_outside] = 1;
	page_has("<p>Only 4.05 ms of the run’s 10.0 ms (40.5 %) were profiled: 1 of the 1,201 "
		 "operations ran "
		 "outside the profiling window and was only counted.</p>");
	has("of 4.05 ms from the first operation to the last</dd>");
	header->uses[0].last = start + 6000 * US;
	page_has("of 6.05 ms from the first operation to the last</dd>");
	assert_null(strstr(page, "were profiled"));
}
