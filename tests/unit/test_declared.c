/* SPDX-License-Identifier: MIT */
/* --bytes, --flops and --work: what is declared is read, and what is malformed is refused. */
#include <unistd.h>

#include "tests/unit/parsed_options.h"

TEST(declarations_are_taken_apart)
{
	const struct declared_work *work;

	assert_int_equal(parse("--bytes saxpy=12/thread --flops '^dgemm(<|$)=2.5G/launch  fp64' "
			       "--work 'a=b=4Ki/launch ring updates' --bytes=x=1e3/launch"),
			 0);
	work = options.declared;
	assert_int_equal(work->kind, DECLARED_BYTES);
	assert_string_equal(work->text, "saxpy=12/thread");
	assert_string_equal(work->pattern, "saxpy");
	assert_true(work->amount == 12 && work->per_thread);
	work = work->next;
	assert_int_equal(work->kind, DECLARED_FLOPS);
	assert_string_equal(work->pattern, "^dgemm(<|$)");
	assert_true(work->amount == 2.5e9 && !work->per_thread);
	assert_int_equal(work->precision, 1);
	work = work->next;
	assert_int_equal(work->kind, DECLARED_WORK);
	assert_string_equal(work->pattern, "a=b");
	assert_true(work->amount == 4096 && !work->per_thread);
	assert_string_equal(work->unit, "ring updates");
	work = work->next;
	assert_true(work->amount == 1000 && work->kind == DECLARED_BYTES && !work->next);
	assert_true(options_want_rates(&options));
}

TEST(a_suffix_is_a_power_of_1000_or_with_an_i_of_1024)
{
	static const struct {
		const char *text;
		double amount;
	} cases[] = {
		{"--bytes k=3K/launch", 3e3},
		{"--bytes k=3M/launch", 3e6},
		{"--bytes k=3G/launch", 3e9},
		{"--bytes k=3T/launch", 3e12},
		{"--bytes k=3Mi/launch", 3.0 * (1 << 20)},
		{"--bytes k=3Gi/thread", 3.0 * (1 << 30)},
		{"--bytes k=0.5/thread", 0.5},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), 0);
		assert_true(options.declared->amount == cases[i].amount);
	}
}

TEST(malformed_declarations_are_refused)
{
	refused("--bytes saxpy", "option --bytes: 'saxpy': expected REGEX=NUMBER/thread or "
				 "REGEX=NUMBER/launch");
	refused("--bytes =12/thread", "option --bytes: '=12/thread': expected REGEX=NUMBER/thread "
				      "or REGEX=NUMBER/launch");
	refused("--bytes ''", "option --bytes: '': expected REGEX=NUMBER/thread or "
			      "REGEX=NUMBER/launch");
	refused("--bytes k=/thread",
		"option --bytes: 'k=/thread': a number above 0 must follow the =");
	refused("--flops k=-2/thread",
		"option --flops: 'k=-2/thread': a number above 0 must follow the =");
	refused("--flops k=0/thread",
		"option --flops: 'k=0/thread': a number above 0 must follow the =");
	refused("--flops k=nan/thread",
		"option --flops: 'k=nan/thread': a number above 0 must follow the =");
	refused("--bytes k=12", "option --bytes: 'k=12': /thread or /launch must follow the number "
				"(K, M, G, T, Ki … may stand between)");
	refused("--bytes k=12X/thread",
		"option --bytes: 'k=12X/thread': /thread or /launch must follow the number (K, M, "
		"G, T, Ki … may stand between)");
	refused("--bytes k=12/block",
		"option --bytes: 'k=12/block': /thread or /launch must follow the number (K, M, G, "
		"T, Ki … may stand between)");
	refused("--bytes k=12/threads",
		"option --bytes: 'k=12/threads': a space must follow /thread or /launch");
	refused("--bytes 'k=12/thread each'", "option --bytes: 'k=12/thread each': nothing may "
					      "follow /thread or /launch");
	refused("--flops 'k=2/thread fp8'",
		"option --flops: 'k=2/thread fp8': only fp32, fp64 or fp16 may follow");
	refused("--work k=2/thread", "option --work: 'k=2/thread': say behind it what is counted, "
				     "as in 1M/launch updates");
	assert_int_equal(parse("--bytes 'k(=12/thread'"), -22);
	assert_int_equal(strncmp(message, "option --bytes: 'k(=12/thread': ", 32), 0);
	refused("--bytes", "option --bytes needs a value: REGEX=N/thread|launch");
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

TEST(a_file_has_one_declaration_a_line)
{
	char path[] = "/tmp/ktime_declared_XXXXXX", option[64], expected[128];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	snprintf(option, sizeof(option), "--flops @%s", path);
	write_text(path, "# of the solver\n\n  ^solve=2M/launch fp64 \n\tstep=7/thread\n");
	assert_int_equal(parse(option), 0);
	assert_string_equal(options.declared->pattern, "^solve");
	assert_int_equal(options.declared->precision, 1);
	assert_string_equal(options.declared->next->pattern, "step");
	assert_null(options.declared->next->next);
	write_text(path, "a=1/thread\n\nb=1\n");
	assert_int_equal(parse(option), -22);
	snprintf(expected, sizeof(expected), "option --flops: %s, line 3: 'b=1': ", path);
	assert_int_equal(strncmp(message, expected, strlen(expected)), 0);
	unlink(path);
	assert_int_equal(parse(option), -22);
	snprintf(expected, sizeof(expected), "option --flops: %s: No such file or directory", path);
	assert_string_equal(message, expected);
}
