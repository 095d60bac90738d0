/* SPDX-License-Identifier: MIT */
/* What the readings of a device's energy and clocks add up to, and how it is printed. */
#include "report/energy/energy.h"
#include "tests/unit/printed.h"
#include "tests/unit/one_session.h"

#define S 1000000000ull

static struct device_energy energy;
static struct energy_meter meter;

static void start(void)
{
	memset(&energy, 0, sizeof(energy));
	memset(&meter, 0, sizeof(meter));
}

BEFORE_EACH
{
	start();
}

static void begin(struct energy_reading reading)
{
	energy_begin(&energy, &meter, &reading);
}

static void add(struct energy_reading reading)
{
	energy_add(&energy, &meter, &reading);
}

static unsigned rounded(double value)
{
	return (unsigned)(value * 1000 + 0.5);
}

TEST(the_energy_is_what_the_counter_grew_by)
{
	begin((struct energy_reading){.parts = READING_ENERGY, .time = 5 * S, .millijoules = 7000});
	assert_int_equal(energy.source, ENERGY_FROM_COUNTER);
	assert_false(energy_is_known(&energy));
	assert_int_equal(rounded(energy_power(&energy)), 0);
	add((struct energy_reading){.parts = READING_ENERGY, .time = 6 * S, .millijoules = 7500});
	assert_true(energy_is_known(&energy));
	add((struct energy_reading){.parts = READING_ENERGY, .time = 9 * S, .millijoules = 9000});
	assert_int_equal(energy.duration, 4 * S);
	assert_int_equal(rounded(energy.joules), 2000);
	assert_int_equal(rounded(energy_power(&energy)), 500);
	assert_int_equal(energy.samples, 0);
}

TEST(a_reading_without_energy_leaves_its_time_to_the_next)
{
	begin((struct energy_reading){.parts = READING_ENERGY, .time = 1 * S, .millijoules = 100});
	add((struct energy_reading){.parts = READING_SM, .time = 2 * S, .sm_mhz = 1000});
	assert_int_equal(energy.duration, 0);
	/* The power is of no use where the counter is the source. */
	add((struct energy_reading){.parts = READING_POWER, .time = 3 * S, .milliwatts = 9000});
	assert_int_equal(energy.duration, 0);
	add((struct energy_reading){.parts = READING_ENERGY, .time = 5 * S, .millijoules = 500});
	assert_int_equal(energy.duration, 4 * S);
	assert_int_equal(rounded(energy.joules), 400);
}

TEST(a_counter_that_went_back_adds_neither_energy_nor_time)
{
	begin((struct energy_reading){.parts = READING_ENERGY, .time = 1 * S, .millijoules = 900});
	add((struct energy_reading){.parts = READING_ENERGY, .time = 2 * S, .millijoules = 10});
	assert_int_equal(energy.duration, 0);
	assert_int_equal(rounded(energy.joules), 0);
	add((struct energy_reading){.parts = READING_ENERGY, .time = 3 * S, .millijoules = 10});
	assert_int_equal(energy.duration, 1 * S);
	assert_int_equal(rounded(energy.joules), 0);
	add((struct energy_reading){.parts = READING_ENERGY, .time = 4 * S, .millijoules = 40});
	assert_int_equal(energy.duration, 2 * S);
	assert_int_equal(rounded(energy.joules), 30);
}

TEST(without_a_counter_the_power_is_summed_up_over_the_time)
{
	begin((struct energy_reading){.parts = READING_POWER, .time = 1 * S, .milliwatts = 100000});
	assert_int_equal(energy.source, ENERGY_FROM_POWER);
	add((struct energy_reading){.parts = READING_POWER, .time = 2 * S, .milliwatts = 300000});
	assert_int_equal(rounded(energy.joules), 200000);
	add((struct energy_reading){
		.parts = READING_POWER, .time = 2 * S + S / 2, .milliwatts = 100000});
	assert_int_equal(rounded(energy.joules), 300000);
	assert_int_equal(energy.duration, S + S / 2);
	/* Its unit is not that of the source. */
	add((struct energy_reading){.parts = READING_ENERGY, .time = 9 * S, .millijoules = 10});
	assert_int_equal(energy.duration, S + S / 2);
}

TEST(a_device_that_tells_neither_has_clocks_alone)
{
	begin((struct energy_reading){.time = 1 * S});
	assert_int_equal(energy.source, ENERGY_FROM_NOTHING);
	add((struct energy_reading){.parts = READING_POWER | READING_ENERGY, .time = 2 * S});
	assert_false(energy_is_known(&energy));
	add((struct energy_reading){.parts = READING_MEMORY, .time = 2 * S, .memory_mhz = 3201});
	assert_true(energy_is_known(&energy));
	assert_int_equal(energy.samples, 1);
	assert_int_equal(energy.sm.samples, 0);
	assert_int_equal(rounded(clock_average(&energy.sm)), 0);
	assert_int_equal(rounded(clock_average(&energy.memory)), 3201000);
}

static struct energy_curve curve;

/* Watts and MHz of the steps, "-" for what is not known. */
static const char *steps(void)
{
	static char text[ENERGY_STEPS * 24];
	size_t length = 0;

	text[0] = 0;
	for (unsigned i = 0; i < energy_curve_steps(&curve); i++) {
		double watts = energy_step_watts(&curve.steps[i]);
		double mhz = energy_step_sm_mhz(&curve.steps[i]);

		length += (size_t)sprintf(text + length, watts == watts ? " %.0f" : " -", watts);
		length += (size_t)sprintf(text + length, mhz == mhz ? "/%.0f" : "/-", mhz);
	}
	return text;
}

static void begin_curve(void)
{
	memset(&curve, 0xff, sizeof(curve));
	meter.curve = &curve;
	begin((struct energy_reading){.parts = READING_ENERGY, .time = 5 * S, .millijoules = 7000});
}

static void add_at(uint64_t time, uint64_t millijoules, unsigned mhz)
{
	add((struct energy_reading){.parts = READING_ENERGY | READING_SM,
				    .time = 5 * S + time,
				    .millijoules = 7000 + millijoules,
				    .sm_mhz = mhz});
}

TEST(energy_over_time_is_that_between_two_readings_and_their_clock)
{
	begin_curve();
	assert_string_equal(steps(), "");
	add_at(S / 20, 5000, 1000);
	/* 10 J in 0.1 s, half of them in the second step. */
	add_at(3 * S / 20, 15000, 1500);
	assert_string_equal(steps(), " 100/1000 100/1500");
	add_at(2 * S / 5, 15000, 1700);
	assert_string_equal(steps(), " 100/1000 50/1500 0/- 0/- -/1700");
	/* The counter went back: nobody knows what was used. */
	add_at(3 * S / 5, 0, 1900);
	assert_string_equal(steps(), " 100/1000 50/1500 0/- 0/- -/1700 -/- -/1900");
}

TEST(the_steps_of_a_long_run_are_longer_and_lose_nothing)
{
	double joules = 0;
	uint64_t samples = 0;

	begin_curve();
	for (uint64_t i = 1; i <= 100000; i++)
		add_at(i * S / 10, 10000 * i, 1000 + 500 * (i > 50000));
	assert_int_equal(curve.length, 1024 * S / 10);
	assert_int_equal(energy_curve_steps(&curve), 98);
	for (unsigned i = 0; i < ENERGY_STEPS; i++) {
		joules += curve.steps[i].joules;
		samples += curve.steps[i].samples;
	}
	assert_int_equal(rounded(joules), 1000000000);
	assert_int_equal(samples, 100000);
	assert_int_equal(energy_step_watts(&curve.steps[97]), 100);
	assert_int_equal(energy_step_sm_mhz(&curve.steps[0]), 1000);
	assert_int_equal(energy_step_sm_mhz(&curve.steps[97]), 1500);
	/* A pause that is longer than all before. */
	add_at(1000000 * S / 10, 10000 * 100000, 900);
	assert_int_equal(energy_step_sm_mhz(&curve.steps[energy_curve_steps(&curve) - 1]), 900);
}

static void add_clocks(unsigned sm, unsigned memory, uint64_t reasons)
{
	add((struct energy_reading){.parts = READING_SM | READING_MEMORY | READING_REASONS,
				    .time = 1,
				    .sm_mhz = sm,
				    .memory_mhz = memory,
				    .reasons = reasons});
}

TEST(clocks_and_reasons_are_those_of_samples_that_were_not_idle)
{
	add_clocks(1500, 3201, 0x04);
	add_clocks(345, 2619, CLOCK_IDLE | 0x100);
	add_clocks(1980, 3201, 0);
	add_clocks(1410, 3000, 0x04 | 0x40);
	add_clocks(1410, 3201, 0x80);
	assert_int_equal(energy.samples, 5);
	assert_int_equal(energy.idle, 1);
	assert_int_equal(energy.sm.samples, 4);
	assert_int_equal(energy.sm.minimum, 1410);
	assert_int_equal(energy.sm.maximum, 1980);
	assert_int_equal(rounded(clock_average(&energy.sm)), 1575000);
	assert_int_equal(energy.memory.minimum, 3000);
	assert_int_equal(energy.memory.maximum, 3201);
	assert_int_equal(rounded(clock_reason_share(&energy, CLOCK_REASON_POWER_CAP)), 500);
	assert_int_equal(rounded(clock_reason_share(&energy, CLOCK_REASON_HARDWARE_THERMAL)), 250);
	assert_int_equal(rounded(clock_reason_share(&energy, CLOCK_REASON_POWER_BRAKE)), 250);
	assert_int_equal(rounded(clock_reason_share(&energy, CLOCK_REASON_DISPLAY)), 0);
}

TEST(an_idle_device_has_no_clocks_and_no_reasons)
{
	add_clocks(345, 2619, CLOCK_IDLE);
	assert_true(energy_is_known(&energy));
	assert_int_equal(energy.sm.samples, 0);
	assert_int_equal(rounded(clock_reason_share(&energy, CLOCK_REASON_POWER_CAP)), 0);
}

/* NVML's bits, of nvml.h. */
TEST(each_bit_is_its_own_reason)
{
	static const unsigned bits[] = {0x2, 0x4, 0x8, 0x10, 0x20, 0x40, 0x80, 0x100};

	assert_int_equal(CLOCK_REASON_COUNT, 8);
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++) {
		start();
		add_clocks(1, 1, bits[i]);
		for (unsigned other = 0; other < CLOCK_REASON_COUNT; other++)
			assert_int_equal(energy.reasons[other], other == i);
	}
	assert_string_equal(clock_reason_texts[CLOCK_REASON_THERMAL], "software thermal slowdown");
	assert_string_equal(clock_reason_keys[CLOCK_REASON_THERMAL], "software_thermal_slowdown");
}

static struct device_energy run_of(double joules, unsigned sm)
{
	struct device_energy run = {.state = ENERGY_READ,
				    .source = ENERGY_FROM_COUNTER,
				    .duration = 2 * S,
				    .joules = joules,
				    .samples = 10,
				    .idle = 2};

	run.sm = run.memory = (struct clock_range){8, 8 * sm, sm - 10, sm + 10, MINIMUM_KNOWN};
	run.reasons[CLOCK_REASON_POWER_CAP] = 4;
	return run;
}

TEST(runs_are_joined)
{
	struct device_energy first = run_of(100, 1500), second = run_of(300, 1700), none = {0};

	energy_join(&energy, &first);
	assert_int_equal(energy.sm.minimum, 1490);
	energy_join(&energy, &second);
	none.state = ENERGY_MIG;
	energy_join(&energy, &none);
	assert_int_equal(energy.state, ENERGY_READ);
	assert_int_equal(energy.source, ENERGY_FROM_COUNTER);
	assert_int_equal(energy.duration, 4 * S);
	assert_int_equal(rounded(energy.joules), 400000);
	assert_int_equal(energy.samples, 20);
	assert_int_equal(energy.idle, 4);
	assert_int_equal(energy.sm.minimum, 1490);
	assert_int_equal(energy.sm.maximum, 1710);
	assert_int_equal(energy.sm.samples, 16);
	assert_int_equal(rounded(clock_average(&energy.memory)), 1600000);
	assert_int_equal(rounded(clock_reason_share(&energy, CLOCK_REASON_POWER_CAP)), 500);
	/* One without clocks says nothing of the least. */
	second.sm = (struct clock_range){0};
	energy_join(&energy, &second);
	assert_int_equal(energy.sm.minimum, 1490);
	second = run_of(1, 1400);
	energy_join(&energy, &second);
	assert_int_equal(energy.sm.minimum, 1390);
	assert_int_equal(energy.sm.maximum, 1710);
}

TEST(numbers_have_three_digits_and_a_prefix)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0, "0.00 mJ"},	     {0.0421, "42.1 mJ"}, {0.9994, "999 mJ"}, {0.9996, "1.00 J"},
		{9.994, "9.99 J"},   {9.996, "10.0 J"},	  {99.94, "99.9 J"},  {99.96, "100 J"},
		{999.4, "999 J"},    {3420, "3.42 kJ"},	  {5.6e6, "5.60 MJ"}, {7.8e9, "7.80 GJ"},
		{7.8e12, "7800 GJ"},
	};
	char text[ENERGY_TEXT_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(energy_text(text, cases[i].value, "J"), cases[i].text);
}

BEFORE_EACH
{
	for (int i = 0; i < 3; i++)
		header->devices[i].used = i != 1;
	for (int i = 0; i < 3; i++)
		header->devices[i].energy = run_of(3420, 1755);
}

static struct device_energy *device(int number)
{
	return &session_header(session)->devices[number].energy;
}

/* The lines on energy and clocks of the report. */
static char *lines(const char *words)
{
	char *text = printed(session, words), *from = text, *to = text;

	while (*from) {
		size_t length = strcspn(from, "\n");
		const char *wanted = strstr(from, "======== GPU ");

		length += from[length] == '\n';
		if (wanted == from) {
			memmove(to, from, length);
			to += length;
		}
		from += length;
	}
	*to = '\0';
	return text;
}

static void are(const char *words, const char *expected)
{
	char *text = lines(words);

	assert_string_equal(text, expected);
	free(text);
}

TEST(what_is_not_known_is_said)
{
	*device(0) = (struct device_energy){.state = ENERGY_NO_START, .result = 999};
	*device(2) = (struct device_energy){.state = ENERGY_MIG};
	are("", "======== GPU 0: energy and clocks not known: NVML could not be initialised (error "
		"999).\n"
		"======== GPU 2: energy and clocks not known: it is divided by MIG, and NVML tells "
		"them of the whole GPU alone.\n");
	*device(0) = (struct device_energy){.state = 77};
	*device(2) = (struct device_energy){.state = ENERGY_READ};
	are("",
	    "======== GPU 0: energy and clocks not known: --energy was not given.\n"
	    "======== GPU 2: energy and clocks not known: NVML tells neither energy nor power of "
	    "it.\n");
	*device(0) = (struct device_energy){.state = ENERGY_READ, .duration = S, .joules = 20};
	device(0)->source = ENERGY_FROM_POWER;
	*device(2) = run_of(1, 1000);
	device(2)->duration = 0;
	device(2)->samples = 3;
	device(2)->sm.samples = 0;
	device(2)->reasons[CLOCK_REASON_POWER_CAP] = 1;
	are("", "======== GPU 0: about 20.0 J in 1.00 s (20.0 W), with all else that ran on it.\n"
		"======== GPU 2: energy not known; memory clock 1000 MHz (990 to 1010).\n"
		"======== GPU 2: clocks limited in 100.0 % of 1 sample by software power cap.\n");
}

TEST(devices_that_were_not_asked_for_have_no_line)
{
	device(0)->state = ENERGY_NOT_ASKED;
	are("--devices 0,1", "");
	are("--quiet", "");
}

TEST(in_csv_what_is_not_known_is_empty)
{
	char *text;

	device(2)->duration = 0;
	device(2)->memory.samples = 0;
	text = printed(session, "--csv --quiet");
	assert_non_null(strstr(text, "\n2,,,,1745,1755.0,1765,,,,10,2,0.00,50.00,"));
	free(text);
	text = printed(session, "--csv --quiet --devices 1");
	assert_null(strstr(text, "Energy"));
	free(text);
}
