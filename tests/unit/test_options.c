/* SPDX-License-Identifier: MIT */
/* Options mean what they mean in nvprof, and a wrong one is refused with a line that helps. */
#include "tests/unit/parsed_options.h"

TEST(nothing_asked_for_gives_the_defaults)
{
	assert_int_equal(parse(""), 0);
	assert_int_equal(options.timer, TIMER_AUTO);
	assert_int_equal(options.events, EVENTS_AUTO);
	assert_true(isnan(options.budget) && options_budget(&options) == 5);
	assert_int_equal(options.devices, UINT64_MAX);
	assert_int_equal(options.trace, TRACE_GPU | TRACE_API);
	assert_int_equal(options.api_trace, API_TRACE_ALL);
	assert_int_equal(options.unit, UNIT_AUTO);
	assert_true(options.demangling && options.profile_from_start && options.concurrent_kernels);
	assert_false(options.csv || options.quiet || options.profile_children);
}

TEST(every_kind_of_value_is_read)
{
	assert_int_equal(parse("--csv --log-file out.%p.csv -u ms --demangling off --devices 0,3 "
			       "--trace gpu -t 1.5 --timer=events --budget 2.5 --top 7 --sort avg "
			       "--profile-api-trace driver --graph graph --format nsys"),
			 0);
	assert_true(options.csv);
	assert_string_equal(options.log_file, "out.%p.csv");
	assert_int_equal(options.unit, UNIT_MS);
	assert_false(options.demangling);
	assert_int_equal(options.devices, 9);
	assert_int_equal(options.trace, TRACE_GPU);
	assert_true(options.timeout == 1.5);
	assert_int_equal(options.timer, TIMER_EVENTS);
	assert_true(options.budget == 2.5);
	assert_int_equal(options.top, 7);
	assert_int_equal(options.sort, SORT_AVERAGE);
	assert_int_equal(options.api_trace, API_TRACE_DRIVER);
	assert_int_equal(options.graph, GRAPH_WHOLE);
	assert_int_equal(options.format, FORMAT_NSYS);
	assert_int_equal(parse("--trace gpu,api"), 0);
	assert_int_equal(options.trace, TRACE_GPU | TRACE_API);
}

TEST(times_have_units_or_are_seconds)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} times[] = {
		{"0", 0},	  {"2.5s", 2500000000}, {"20ms", 20000000},
		{"3.25us", 3250}, {"7ns", 7},		{"999999999", 999999999000000000},
	};
	static const char *const bad[] = {"s",
					  "1m",
					  "1 s",
					  "-1",
					  "1e3",
					  "1..2s",
					  "0x10",
					  "1sec",
					  "1000000000",
					  "",
					  "1000000000000000s",
					  "12345678901234567890123456789012"};

	assert_int_equal(parse(""), 0);
	assert_int_equal(options.from, 0);
	assert_true(options.to == UINT64_MAX);
	options.command = COMMAND_BIT(export);
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		char line[64];

		snprintf(line, sizeof(line), "--from %s --to=%s", times[i].text, times[i].text);
		assert_int_equal(options_parse_string(&options, line, message, sizeof(message)), 0);
		assert_true(options.from == times[i].ns);
		assert_true(options.to == times[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char line[80], expected[160];

		snprintf(line, sizeof(line), "--from '%s'", bad[i]);
		snprintf(expected, sizeof(expected), "option --from: '%s' is not a valid TIME",
			 bad[i]);
		assert_int_equal(options_parse_string(&options, line, message, sizeof(message)),
				 -22);
		assert_string_equal(message, expected);
	}
}

TEST(sizes_have_units_and_percentages_may_have_their_sign)
{
	assert_int_equal(parse("--keep-trace all"), 0);
	assert_int_equal(options.keep_trace.bytes, UINT64_MAX);
	assert_int_equal(parse("--keep-trace 131072"), 0);
	assert_int_equal(options.keep_trace.bytes, 131072);
	assert_int_equal(parse("--keep-trace 64M"), 0);
	assert_int_equal(options.keep_trace.bytes, 64 << 20);
	assert_int_equal(parse("--keep-trace 8G"), 0);
	assert_int_equal(options.keep_trace.bytes, 8ULL << 30);
	assert_true(options.keep_trace.ns == UINT64_MAX && options_want_trace(&options));
	assert_int_equal(parse("--keep-trace 1.5s"), 0);
	assert_true(options.keep_trace.bytes == UINT64_MAX && options_want_trace(&options));
	assert_int_equal(options.keep_trace.ns, 1500000000);
	refused("--keep-trace 0s", "option --keep-trace: '0s' is not one of SIZE|TIME|all");
	refused("--keep-trace 0", "option --keep-trace: '0' is not one of SIZE|TIME|all");
	refused("--keep-trace 1MB", "option --keep-trace: '1MB' is not one of SIZE|TIME|all");
	refused("--keep-trace K", "option --keep-trace: 'K' is not one of SIZE|TIME|all");
	assert_int_equal(parse("--budget 3%"), 0);
	assert_true(options.budget == 3);
	refused("-t 3%", "option --timeout: '3%' is not a valid SECONDS");
}

TEST(a_command_knows_its_own_options)
{
	char *const words[] = {"diff", "--threshold", "2%", "--part=3,12", "a", NULL};
	static const char *const parts[] = {"--part=0", "--part=1,", "--part=,1", "--part=1,2,3",
					    "--part=x"};
	char *const others[] = {"diff", "--top", "2", NULL};
	int first;

	options_free(&options);
	options_defaults(&options);
	options.command = COMMAND_BIT(diff);
	assert_int_equal(
		options_parse_arguments(&options, 5, words, &first, message, sizeof(message)), 0);
	assert_int_equal(first, 4);
	assert_true(options.threshold == 2);
	assert_int_equal(options.part.a, 3);
	assert_int_equal(options.part.b, 12);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char *const bad[] = {"diff", (char *)parts[i], NULL};

		assert_int_equal(
			options_parse_arguments(&options, 2, bad, &first, message, sizeof(message)),
			-22);
	}
	assert_int_equal(
		options_parse_arguments(&options, 3, others, &first, message, sizeof(message)),
		-22);
	assert_string_equal(message, "unknown option --top (--help lists the options)");
	refused("--threshold 2", "unknown option --threshold (ktime --help all lists the options)");
}

TEST(letters_may_stand_together)
{
	assert_int_equal(parse("-fo run.ktime -s"), 0);
	assert_true(options.force_overwrite && options.print_summary);
	assert_string_equal(options.export_profile, "run.ktime");
	assert_int_equal(parse("-sforun%p.ktime -t5 -ums"), 0);
	assert_true(options.force_overwrite && options.print_summary);
	assert_string_equal(options.export_profile, "run%p.ktime");
	assert_true(options.timeout == 5);
	assert_int_equal(options.unit, UNIT_MS);
	assert_int_equal(parse("-us -o=-"), 0);
	assert_int_equal(options.unit, UNIT_S);
	assert_string_equal(options.export_profile, "-");
	refused("-fo", "option --export-profile needs a value: FILE");
	refused("-uweeks",
		"option --normalized-time-unit: 'weeks' is not one of s|ms|us|ns|col|auto");
	refused("-sf=yes", "option --force-overwrite takes no value");
	refused("-fq x", "unknown option -q in -fq (ktime --help all lists the options)");
}

TEST(a_name_behind_one_dash_is_not_read_as_letters)
{
	refused("-format nsys", "unknown option -format: did you mean --format?");
	refused("-export-profile=x", "unknown option -export-profile=x: did you mean "
				     "--export-profile?");
	refused("-csv", "unknown option -csv: did you mean --csv?");
}

TEST(words_are_quoted_as_in_a_shell)
{
	assert_int_equal(parse("  --log-file 'a b'\"c d\"\\ e --kernels \"x\\\"\\n\" -s "), 0);
	assert_string_equal(options.log_file, "a bc d e");
	assert_string_equal(options.kernels, "x\"\\n");
	assert_true(options.print_summary);
	assert_int_equal(parse("--log-file '*'"), 0);
	assert_string_equal(options.log_file, "*");
	refused("--log-file 'open", "a quote is not closed in: --log-file 'open");
}

TEST(events_are_ktimes_or_nvprofs_by_their_value)
{
	assert_int_equal(parse("--events 1/100"), 0);
	assert_int_equal(options.events, EVENTS_FRACTION);
	assert_int_equal(options.events_fraction, 100);
	assert_int_equal(parse("--events all"), 0);
	assert_int_equal(options.events, EVENTS_ALL);
	assert_int_equal(parse("--events off"), 0);
	assert_int_equal(options.events, EVENTS_OFF);
	assert_int_equal(options.notice_count, 0);
	assert_int_equal(parse("--events warps_launched"), 0);
	assert_int_equal(options.events, EVENTS_AUTO);
	assert_int_equal(options.notice_count, 1);
	assert_string_equal(
		options.notices[0],
		"--events warps_launched is ignored: hardware counters are read by --metrics; "
		"ktime's values are auto, all, off and 1/N");
	assert_int_equal(parse("-e all"), 0);
	assert_int_equal(options.events, EVENTS_AUTO);
	assert_int_equal(options.notice_count, 1);
}

TEST(what_nvprof_had_and_ktime_has_not_is_accepted)
{
	assert_int_equal(parse("--analysis-metrics --aggregate-mode off --openacc-profiling off "
			       "--query-events -s"),
			 0);
	assert_int_equal(options.notice_count, 4);
	assert_string_equal(options.notices[0],
			    "--analysis-metrics is ignored: --metrics chooses what ktime reads "
			    "of the counters");
	assert_true(options.print_summary);
	assert_false(options.help);
}

TEST(a_misspelt_option_names_the_nearest)
{
	refused("--prnit-gpu-trace",
		"unknown option --prnit-gpu-trace: did you mean --print-gpu-trace?");
	refused("--cvs", "unknown option --cvs: did you mean --csv?");
	refused("--logfile x", "unknown option --logfile: did you mean --log-file?");
	refused("--frobnicate", "unknown option --frobnicate (ktime --help all lists the options)");
	refused("-q", "unknown option -q (ktime --help all lists the options)");
	/* A third of the letters may differ, and one more. */
	refused("--topxyz", "unknown option --topxyz: did you mean --top?");
	refused("--topxyzw", "unknown option --topxyzw (ktime --help all lists the options)");
	refused("--x", "unknown option --x (ktime --help all lists the options)");
	refused("program", "'program' is not an option");
}

TEST(a_bad_value_names_the_good_ones)
{
	refused("--demangling maybe", "option --demangling: 'maybe' is not one of on|off");
	refused("-u", "option --normalized-time-unit needs a value: s|ms|us|ns|col|auto");
	refused("--top -3", "option --top: '-3' is out of range: 1 to 999999999");
	refused("--devices 0,x",
		"option --devices: '0,x' is neither all nor a list of numbers from "
		"0 to 63, as 0,2");
	refused("--budget 1,5", "option --budget: '1,5' is not a valid PERCENT");
	refused("--timeout nan", "option --timeout: 'nan' is not a valid SECONDS");
	refused("--csv=yes", "option --csv takes no value");
	assert_int_equal(parse("--kernels '('"), -22);
	assert_int_equal(strncmp(message, "option --kernels: bad expression '(': ", 38), 0);
	/* And what is bad about it. */
	assert_true(strlen(message) > 38 + 5);
}

TEST(numbers_are_taken_up_to_their_limits)
{
	assert_int_equal(parse("--top 999999999"), 0);
	assert_int_equal(options.top, 999999999);
	assert_int_equal(parse("--top 1"), 0);
	assert_int_equal(options.top, 1);
	refused("--top 0", "option --top: '0' is out of range: 1 to 999999999");
	refused("--top 1000000000", "option --top: '1000000000' is out of range: 1 to 999999999");
	refused("--top 1/2", "option --top: '1/2' is not a valid N");
	refused("--top 1:2", "option --top: '1:2' is not a valid N");
	refused("--top ''", "option --top: '' is not a valid N");
	assert_int_equal(parse("--devices 63,0,62"), 0);
	assert_int_equal(options.devices, UINT64_C(3) << 62 | 1);
	assert_int_equal(parse("--devices all"), 0);
	assert_int_equal(options.devices, UINT64_MAX);
	refused("--devices 64", "option --devices: '64' is neither all nor a list of numbers from "
				"0 to 63, as 0,2");
	refused("--devices 1,", "option --devices: '1,' is neither all nor a list of numbers from "
				"0 to 63, as 0,2");
	assert_int_equal(parse("--keep-trace 128K"), 0);
	assert_int_equal(options.keep_trace.bytes, 128 << 10);
	refused("--keep-trace 127K", "option --keep-trace: '127K' is too small: 128K at least");
	assert_int_equal(parse("--events 1/1"), 0);
	assert_int_equal(options.events_fraction, 1);
	assert_int_equal(options.notice_count, 0);
	assert_int_equal(parse("--events 1/0"), 0);
	assert_int_equal(options.events, EVENTS_AUTO);
	assert_int_equal(options.notice_count, 1);
	assert_int_equal(parse("-t 0 --budget 1e9"), 0);
	assert_true(options.timeout == 0 && options.budget == 1e9);
	refused("--budget 1.1e9", "option --budget: '1.1e9' is out of range: 0 to 1000000000");
	refused("--budget inf", "option --budget: 'inf' is not a valid PERCENT");
	refused("-t -1", "option --timeout: '-1' is out of range: 0 to 1000000000");
	refused("--every 0", "option --every: '0' is out of range: 0.001 to 1000000000");
	refused("--budget %", "option --budget: '%' is not a valid PERCENT");
	refused("--budget 5%%", "option --budget: '5%%' is not a valid PERCENT");
	refused("--trace gpu,", "option --trace: 'gpu,' is not one of gpu|api");
	refused("--trace apis", "option --trace: 'apis' is not one of gpu|api");
	refused("--trace ap", "option --trace: 'ap' is not one of gpu|api");
	refused("--log-file ''", "option --log-file: '' is not a valid FILE");
}

TEST(so_many_notices_are_kept_and_no_more)
{
	char words[16 * 20] = "";

	for (int i = 0; i < OPTIONS_NOTICES; i++)
		strcat(words, "--query-events ");
	assert_int_equal(parse(words), 0);
	assert_int_equal(options.notice_count, OPTIONS_NOTICES);
	for (int i = 0; i < OPTIONS_NOTICES; i++)
		assert_memory_equal(options.notices[i], "--query-events is ignored", 25);
	strcat(words, "--query-events ");
	assert_int_equal(parse(words), 0);
	assert_int_equal(options.notice_count, OPTIONS_NOTICES);
}

TEST(arguments_end_at_the_program)
{
	char *const words[] = {"ktime", "--csv", "-u", "us", "./app", "--csv", NULL};
	char *const dashes[] = {"ktime", "-s", "--", "-odd", NULL};
	char *const letters[] = {"ktime", "-fo", "run.ktime", "true", NULL};
	int first;

	options_free(&options);
	options_defaults(&options);
	assert_int_equal(
		options_parse_arguments(&options, 6, words, &first, message, sizeof(message)), 0);
	assert_int_equal(first, 4);
	assert_int_equal(options.unit, UNIT_US);
	assert_int_equal(
		options_parse_arguments(&options, 4, dashes, &first, message, sizeof(message)), 0);
	assert_int_equal(first, 3);
	assert_int_equal(
		options_parse_arguments(&options, 4, letters, &first, message, sizeof(message)), 0);
	assert_int_equal(first, 3);
}

TEST(names_and_letters_of_a_command_are_unique)
{
	size_t i, j;

	for (i = 0; i < option_table_size; i++)
		for (j = 0; j < i; j++) {
			if (!(option_table[i].commands & option_table[j].commands & ~OPTION_FIRST))
				continue;
			assert_string_not_equal(option_table[i].name, option_table[j].name);
			if (option_table[i].letter)
				assert_int_not_equal(option_table[i].letter,
						     option_table[j].letter);
		}
}
