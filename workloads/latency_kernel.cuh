/* SPDX-License-Identifier: MIT */
/*
 * Kernels of one block that read the clock of their multiprocessor around some instructions. These
 * are done several times over, so that the last time finds its code in the instruction cache; the
 * clocks of the last time are kept.
 *
 * All assembly is volatile and names memory, so that the compiler keeps its order. A warp issues
 * its instructions in order, and one whose operand has not arrived waits: a clock is read after a
 * value has arrived if an instruction that needs the value stands before the clock's.
 */
#ifndef WORKLOADS_LATENCY_KERNEL_CUH
#define WORKLOADS_LATENCY_KERNEL_CUH

enum {
	LATENCY_WARPS = 4,
	LATENCY_THREADS = 32 * LATENCY_WARPS,
	LATENCY_CHAIN = 64, /* operations of an arithmetic kernel, each waiting for the last */
};

/*
 * What each thread reads from global memory. The first two are places in its block's shared memory,
 * in bytes.
 */
struct latency_words {
	unsigned store_at[LATENCY_THREADS], load_at[LATENCY_THREADS], value[LATENCY_THREADS];
	unsigned factor[LATENCY_THREADS], summand[LATENCY_THREADS];
};

struct latency_clocks {
	long long start, stop;
};

static __device__ __forceinline__ long long read_clock()
{
	long long clock;

	asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
	return clock;
}

/* Waits for a value, by a decision that needs it. No value is 0xffffffff, which only we know. */
static __device__ __forceinline__ void wait_for(unsigned value)
{
	asm volatile("{\n\t"
		     ".reg .pred missing;\n\t"
		     "setp.eq.u32 missing, %0, 0xffffffff;\n\t"
		     "@missing exit;\n\t"
		     "}" ::"r"(value)
		     : "memory");
}

static __device__ __forceinline__ unsigned load_global(const unsigned *from)
{
	unsigned value;

	/* From the L2 cache: the L1 cache is passed by. */
	asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
	return value;
}

static __device__ __forceinline__ unsigned load_global_l1(const unsigned *from)
{
	unsigned value;

	asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
	return value;
}

static __device__ __forceinline__ unsigned load_shared(unsigned from)
{
	unsigned value;

	asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(from) : "memory");
	return value;
}

static __device__ __forceinline__ void store_shared(unsigned to, unsigned value)
{
	asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(to), "r"(value) : "memory");
}

static __device__ __forceinline__ void barrier()
{
	asm volatile("bar.sync 0;" ::: "memory");
}

/*
 * The warps go on together once a value has arrived in each. A warp may issue an instruction behind
 * a barrier before the barrier holds it: the load from shared memory waits for that.
 */
static __device__ __forceinline__ void start_together(unsigned value, unsigned any_cell)
{
	wait_for(value);
	barrier();
	wait_for(load_shared(any_cell));
}

#define LATENCY_KERNEL(name)                                                                       \
	extern "C" __global__ void __launch_bounds__(LATENCY_THREADS) name(                        \
		const latency_words *words, unsigned *results, latency_clocks *clocks, int passes)

/*
 * What each kernel begins and ends with. Each thread has a cell of shared memory for its result:
 * storing it there is the one instruction that waits for it between the clocks.
 */
#define LATENCY_BEGIN                                                                              \
	__shared__ unsigned cells[2 * LATENCY_THREADS];                                            \
	const unsigned cells_at = (unsigned)__cvta_generic_to_shared(cells);                       \
	const unsigned result_at = cells_at + 4 * (LATENCY_THREADS + threadIdx.x);                 \
	long long start = 0, stop = 0;                                                             \
                                                                                                   \
	store_shared(result_at, 0);                                                                \
	_Pragma("unroll 1") for (int pass = 0; pass < passes; pass++)                              \
	{

#define LATENCY_END                                                                                \
	}                                                                                          \
	results[threadIdx.x] = load_shared(result_at);                                             \
	clocks[threadIdx.x].start = start;                                                         \
	clocks[threadIdx.x].stop = stop;

/*
 * As one would write it first: the store waits between the clocks for its operands to come from
 * global memory, and nothing waits for what the load brings.
 */
LATENCY_KERNEL(shared_naive)
{
	LATENCY_BEGIN
	barrier();
	unsigned store_at = cells_at + load_global(&words->store_at[threadIdx.x]);
	unsigned load_at = cells_at + load_global(&words->load_at[threadIdx.x]);
	unsigned value = load_global(&words->value[threadIdx.x]), result;

	start = read_clock();
	store_shared(store_at, value);
	barrier();
	result = load_shared(load_at);
	stop = read_clock();
	store_shared(result_at, result);
	LATENCY_END
}

/* The operands are waited for before the first clock, the result before the second. */
LATENCY_KERNEL(shared_store_load)
{
	LATENCY_BEGIN
	unsigned store_at = cells_at + load_global(&words->store_at[threadIdx.x]);
	unsigned load_at = cells_at + load_global(&words->load_at[threadIdx.x]);
	unsigned value = load_global(&words->value[threadIdx.x]);

	start_together(store_at | load_at | value, result_at);
	start = read_clock();
	store_shared(store_at, value);
	barrier();
	store_shared(result_at, load_shared(load_at));
	stop = read_clock();
	LATENCY_END
}

/* The load alone. */
LATENCY_KERNEL(shared_load)
{
	LATENCY_BEGIN
	unsigned load_at = cells_at + load_global(&words->load_at[threadIdx.x]);

	store_shared(cells_at + load_global(&words->store_at[threadIdx.x]),
		     load_global(&words->value[threadIdx.x]));
	start_together(load_shared(load_at), result_at);
	start = read_clock();
	store_shared(result_at, load_shared(load_at));
	stop = read_clock();
	LATENCY_END
}

/* Nothing: what reading the clock twice takes, with the store that waits for a value. */
LATENCY_KERNEL(overhead)
{
	LATENCY_BEGIN
	unsigned value = load_global(&words->value[threadIdx.x]);

	start_together(value, result_at);
	start = read_clock();
	store_shared(result_at, value);
	stop = read_clock();
	LATENCY_END
}

/*
 * A load of what the pass before has brought into the L1 cache. The address comes by way of a word
 * in memory, as all operands do; a load that passes by the L1 cache would empty it.
 */
LATENCY_KERNEL(global_load_l1)
{
	LATENCY_BEGIN
	const unsigned *from =
		&words->value[threadIdx.x] + load_global_l1(&words->summand[threadIdx.x]);

	start_together((unsigned)(size_t)from, result_at);
	start = read_clock();
	store_shared(result_at, load_global_l1(from));
	stop = read_clock();
	LATENCY_END
}

/* A load that passes by the L1 cache. */
LATENCY_KERNEL(global_load_l2)
{
	LATENCY_BEGIN
	const unsigned *from =
		&words->value[threadIdx.x] + load_global(&words->summand[threadIdx.x]);

	start_together((unsigned)(size_t)from, result_at);
	start = read_clock();
	store_shared(result_at, load_global(from));
	stop = read_clock();
	LATENCY_END
}

/* A chain of LATENCY_CHAIN multiply-adds by 1 and 0, the result of which is the value again. */
#define LATENCY_ARITHMETIC(name, type, constraint, low_word, operation)                            \
	LATENCY_KERNEL(name)                                                                       \
	{                                                                                          \
		LATENCY_BEGIN                                                                      \
		type factor = (type)load_global(&words->factor[threadIdx.x]);                      \
		type summand = (type)load_global(&words->summand[threadIdx.x]);                    \
		type x = (type)load_global(&words->value[threadIdx.x]);                            \
                                                                                                   \
		start_together(low_word(x) | low_word(factor) | low_word(summand), result_at);     \
		start = read_clock();                                                              \
		_Pragma("unroll") for (int i = 0; i < LATENCY_CHAIN; i++) asm volatile(            \
			operation " %0, %0, %1, %2;" : "+" constraint(x) : constraint(factor),     \
			constraint(summand) : "memory");                                           \
		store_shared(result_at, low_word(x));                                              \
		stop = read_clock();                                                               \
		LATENCY_END                                                                        \
	}

/* The words of these depend on all of the value, so that waiting for one is enough. */
LATENCY_ARITHMETIC(integer_multiply_add, unsigned, "r", unsigned, "mad.lo.u32")
LATENCY_ARITHMETIC(float_multiply_add, float, "f", __float_as_uint, "fma.rn.f32")
LATENCY_ARITHMETIC(double_multiply_add, double, "d", __double2hiint, "fma.rn.f64")

#endif
