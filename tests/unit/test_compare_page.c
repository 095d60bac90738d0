/* SPDX-License-Identifier: MIT */
/* Memory, energy and clocks in the page of a comparison. */
#include <math.h>
#include <unistd.h>

#include "report/compare/compare.h"
#include "tests/unit/page_text.h"
#include "tests/unit/test.h"

#define S 1000000000ull

static struct profile a, b;
static const char *const files[] = {"one"};
/* A side of which nothing is known. */
static const struct profile unknown = {.files = files, .runs = 1};
static char headline[] = "no difference <beyond> 2 %";
static char none[] = "";
static struct comparison comparison;
static char *page;

static struct device_energy run_of(double joules, unsigned sm, unsigned limited)
{
	struct device_energy run = {.state = ENERGY_READ,
				    .source = ENERGY_FROM_COUNTER,
				    .duration = 2 * S,
				    .joules = joules,
				    .samples = 110,
				    .idle = 10};

	run.sm = (struct clock_range){100, 100ull * sm, sm - 100, sm + 100, MINIMUM_KNOWN};
	run.memory = (struct clock_range){100, 100 * 3201, 3201, 3201, MINIMUM_KNOWN};
	run.reasons[CLOCK_REASON_POWER_CAP] = limited;
	return run;
}

BEFORE_EACH
{
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	a.files = b.files = files;
	a.runs = b.runs = a.energy_runs = b.energy_runs = 1;
	a.energies[3] = run_of(100, 2000, 0);
	b.energies[3] = run_of(100, 2000, 0);
	comparison = (struct comparison){
		.a = &a, .b = &b, .headline = headline, .why = none, .calls = none};
}

AFTER_EACH
{
	free(page);
	page = NULL;
}

static void write_page(void)
{
	free(page);
	page = comparison_page_text(&comparison);
}

static void has(const char *text)
{
	if (!strstr(page, text))
		fail_msg("the page has no %s", text);
}

static void has_not(const char *text)
{
	if (strstr(page, text))
		fail_msg("the page has %s", text);
}

TEST(the_title_is_the_verdict)
{
	write_page();
	has("<title>no difference &#60;beyond&#62; 2 %</title>");
	has("<h1>no difference &#60;beyond&#62; 2 %</h1>");
}

TEST(both_sides_are_shown_with_how_they_differ)
{
	b.energies[3] = run_of(150, 1500, 25);
	b.energies[3].memory.sum = 100 * 1600;
	write_page();
	has("<h2 id=\"devices-title\">Memory, energy and clocks</h2>");
	has("<tr><th scope=\"row\">GPU 3: SM clock</th>"
	    "<td class=\"number\" data-value=\"2000\">2000 MHz (1900 to 2100)</td>"
	    "<td class=\"number\" data-value=\"1500\">1500 MHz (1400 to 1600)</td>"
	    "<td class=\"number\" data-value=\"-25\">-25.0 %</td></tr>");
	has("GPU 3: memory clock</th><td class=\"number\" data-value=\"3201\">3201 MHz</td>"
	    "<td class=\"number\" data-value=\"1600\">1600 MHz</td>");
	has(">-50.0 %</td></tr>");
	has("GPU 3: samples with clocks limited by software power cap</th>"
	    "<td class=\"number\" data-value=\"0\">0.0 %</td>"
	    "<td class=\"number\" data-value=\"25\">25.0 %</td>"
	    "<td class=\"number\" data-value=\"25\">+25.0 points</td></tr>");
	has("GPU 3: mean power</th><td class=\"number\" data-value=\"50\">50.0 W</td>"
	    "<td class=\"number\" data-value=\"75\">75.0 W</td>"
	    "<td class=\"number\" data-value=\"50\">+50.0 %</td></tr>");
	has("GPU 3: energy of a run</th><td class=\"number\" data-value=\"100\">100 J</td>"
	    "<td class=\"number\" data-value=\"150\">150 J</td>"
	    "<td class=\"number\" data-value=\"50\">+50.0 %</td></tr>");
	has_not("sync boost");
	has_not("GPU 2");
}

TEST(what_a_side_does_not_know_is_not_compared)
{
	a.energies[3].reasons[CLOCK_REASON_SYNC_BOOST] = 50;
	b.energies[3] = run_of(100, 2000, 0);
	b.energies[3].samples = 10;
	b.energies[3].sm.samples = 0;
	b.energies[3].memory = (struct clock_range){0};
	a.energies[3].memory = (struct clock_range){0};
	a.energies[3].duration = 0;
	a.energies[3].joules = 0;
	write_page();
	has("GPU 3: SM clock</th><td class=\"number\" data-value=\"2000\">2000 MHz (1900 to 2100)"
	    "</td><td class=\"number\" data-value=\"-1\">-</td>"
	    "<td class=\"number\" data-value=\"-1000\">-</td></tr>");
	has_not("memory clock");
	has("by sync boost</th><td class=\"number\" data-value=\"50\">50.0 %</td>"
	    "<td class=\"number\" data-value=\"-1\">-</td>"
	    "<td class=\"number\" data-value=\"-1000\">-</td></tr>");
	has("GPU 3: mean power</th><td class=\"number\" data-value=\"-1\">-</td>"
	    "<td class=\"number\" data-value=\"50\">50.0 W</td>"
	    "<td class=\"number\" data-value=\"-1000\">-</td></tr>");
}

TEST(causes_of_idle_time_are_a_table)
{
	struct idle_change causes[] = {{.cause = "cudaMalloc", .a = 9e6, .b = 2e6},
				       {.cause = "cuda<Free>", .b = 1e6}};

	write_page();
	has_not("idle-table");
	comparison.idle = (struct idle_changes){true, causes, 2, 9e6, 3e6};
	write_page();
	has("<dt>GPU idle</dt><dd class=\"value\">9.00 ms → 3.00 ms</dd>"
	    "<dd class=\"note\">most of it: cudaMalloc, 9.00 ms → 2.00 ms</dd>");
	has("<a href=\"#idle\">Why the GPU was idle</a>");
	has("<tr><th scope=\"row\">cudaMalloc</th>"
	    "<td class=\"number\" data-value=\"9000000\">9.00 ms</td>"
	    "<td class=\"number\" data-value=\"2000000\">2.00 ms</td>");
	has(">-77.8 %</td></tr>");
	has("<tr><th scope=\"row\">cuda&#60;Free&#62;</th>");
	has(">1.00 ms</td><td class=\"number\" data-value=\"-1000\">-</td></tr>");
	has_not("Longest A");
	causes[0].gaps[0] = (struct idle_gaps){3, 5e6, "a", "b"};
	causes[0].gaps[1] = (struct idle_gaps){2.5, 1e6, "a", "b"};
	write_page();
	has(">-77.8 %</td><td class=\"number\" data-value=\"3\">3</td>"
	    "<td class=\"number\" data-value=\"2.5\">2.5</td>"
	    "<td class=\"number\" data-value=\"5000000\">5.00 ms</td>"
	    "<td class=\"number\" data-value=\"1000000\">1.00 ms</td></tr>");
	has("data-value=\"-1\">-</td></tr>");
}

TEST(sentences_have_arrows_and_commands_are_as_they_were_typed)
{
	static char changed[] = "B is slower (1 -> 2)", differ[] = "Calls differ: k 1 -> 2.";

	comparison.headline = changed;
	comparison.calls = differ;
	a.source = b.source = "test";
	a.command = (char *)"./app ' -> '";
	write_page();
	has("<h1>B is slower (1 → 2)</h1>");
	has("<li>Calls differ: k 1 → 2.</li>");
	has("./app &#39; -&#62; &#39;");
}

TEST(figures_tell_a_change_as_the_title_does)
{
	comparison.gpu_a = 14e6;
	comparison.gpu_b = 8.9e6;
	comparison.gpu = (struct change){0.636, 0.6, 0.65, 0.001};
	comparison.gpu_verdict = VERDICT_FASTER;
	comparison.verdicts[false][VERDICT_UNTIMED] = 2;
	comparison.wall_a = 243e6;
	comparison.wall_b = 270e6;
	comparison.wall = (struct change){1.111, NAN, NAN, NAN};
	write_page();
	has("<dd class=\"value\">14.0 ms → 8.90 ms</dd><dd class=\"note\">1.57 times faster (95 %: "
	    "1.538 to 1.667), without 2 untimed rows</dd>");
	has("<dd class=\"value\">243 ms → 270 ms</dd><dd class=\"note\">1.11 times slower</dd>");
	comparison.gpu = (struct change){1.0001, 0.99, 1.02, 0.5};
	comparison.gpu_verdict = VERDICT_SAME;
	comparison.verdicts[false][VERDICT_UNTIMED] = 0;
	write_page();
	has("<dd class=\"note\">as fast (95 %: 0.990 to 1.020): same</dd>");
}

TEST(energy_is_that_of_a_run)
{
	a.energy_runs = 4;
	b.energy_runs = 2;
	write_page();
	has("energy of a run</th><td class=\"number\" data-value=\"25\">25.0 J</td>"
	    "<td class=\"number\" data-value=\"50\">50.0 J</td>");
	has(">+100.0 %</td>");
}

TEST(a_device_that_one_side_knows_alone_is_not_shown)
{
	b.energies[3] = (struct device_energy){.state = ENERGY_MIG};
	b.energies[4] = run_of(100, 2000, 0);
	write_page();
	has_not("devices-table");
	a.energies[SESSION_DEVICES - 1] = b.energies[SESSION_DEVICES - 1] = run_of(1, 200, 0);
	write_page();
	has("GPU 63: SM clock");
	has_not("GPU 3: ");
	has_not("GPU 4: ");
	comparison.b = &unknown;
	write_page();
	has_not("devices-table");
	comparison.b = &b;
	comparison.a = &unknown;
	write_page();
	has_not("devices-table");
}

TEST(memory_that_both_sides_know_is_shown)
{
	memset(a.energies, 0, sizeof(a.energies));
	memset(b.energies, 0, sizeof(b.energies));
	a.memory_peaks[0] = 1;
	b.memory_peaks[1] = 1;
	write_page();
	has_not("devices-table");
	a.memory_peaks[SESSION_DEVICES - 1] = 80 << 20;
	b.memory_peaks[SESSION_DEVICES - 1] = 60 << 20;
	write_page();
	has("<h2 id=\"devices-title\">Memory, energy and clocks</h2>");
	has("GPU 63: memory held at most</th><td class=\"number\" data-value=\"83886080\">80 "
	    "MB</td>"
	    "<td class=\"number\" data-value=\"62914560\">60 MB</td>"
	    "<td class=\"number\" data-value=\"-25\">-25.0 %</td></tr>");
	has_not("GPU 0: ");
	has_not("GPU 1: ");
	has_not("clock</th>");
}
