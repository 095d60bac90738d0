/* SPDX-License-Identifier: MIT */
/*
 * A beginner's program and what becomes of it, for docs/first-hour.md: each variant mends what the
 * report says of the one before it.
 */
#include <utility>
#include <vector>

#include "workloads/heat_kernel.h"
#include "workloads/workload.cuh"

enum {
	STEPS_IN_GRAPH = 100,
	/* The grid's size has to fit an int. */
	N_MAX = 32768,
};

enum variant {
	VARIANT_COPIES,
	VARIANT_RESIDENT,
	VARIANT_COALESCED,
	VARIANT_GRAPH,
};

static const char usage[] =
	"[--variant copies|resident|coalesced|graph] [--n N] [--steps S]\n"
	"S steps (default 100) of heat that spreads on an N x N grid (4096). Each step allocates\n"
	"memory on the device and copies the grid there and back (copies, the default); the grid\n"
	"stays on the device (resident); and neighbouring threads read neighbouring points\n"
	"(coalesced); and 100 steps at a time are one CUDA graph (graph).\n";

static void launch(int n, bool along_rows, const float *from, float *to, cudaStream_t stream)
{
	dim3 block(HEAT_BLOCK_X, HEAT_BLOCK_Y);
	dim3 grid((n + HEAT_BLOCK_X - 1) / HEAT_BLOCK_X, (n + HEAT_BLOCK_Y - 1) / HEAT_BLOCK_Y);

	heat<<<grid, block, 0, stream>>>(n, along_rows, from, to);
	CHECK(cudaGetLastError());
}

static void run_with_copies(int n, int steps, std::vector<float> &points)
{
	size_t bytes = points.size() * sizeof(float);

	for (int step = 0; step < steps; step++) {
		float *from, *to;

		CHECK(cudaMalloc(&from, bytes));
		CHECK(cudaMalloc(&to, bytes));
		CHECK(cudaMemcpy(from, points.data(), bytes, cudaMemcpyHostToDevice));
		launch(n, false, from, to, nullptr);
		CHECK(cudaMemcpy(points.data(), to, bytes, cudaMemcpyDeviceToHost));
		CHECK(cudaFree(from));
		CHECK(cudaFree(to));
	}
}

/* An even number of steps ends where it began, so that a graph can be launched again. */
static cudaGraphExec_t capture(int n, float *from, float *to, cudaStream_t stream)
{
	cudaFuncAttributes attributes;
	cudaGraphExec_t executable;
	cudaGraph_t graph;

	/* A kernel is loaded at its first use, which must not be in a capture. */
	CHECK(cudaFuncGetAttributes(&attributes, heat));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int step = 0; step < STEPS_IN_GRAPH; step++) {
		launch(n, true, from, to, stream);
		std::swap(from, to);
	}
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	return executable;
}

static void run_on_device(int n, int steps, enum variant variant, std::vector<float> &points)
{
	size_t bytes = points.size() * sizeof(float);
	cudaStream_t stream;
	float *from, *to;
	int step = 0;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&from, bytes));
	CHECK(cudaMalloc(&to, bytes));
	CHECK(cudaMemcpy(from, points.data(), bytes, cudaMemcpyHostToDevice));
	if (variant == VARIANT_GRAPH && steps >= STEPS_IN_GRAPH) {
		cudaGraphExec_t graph = capture(n, from, to, stream);

		for (; step + STEPS_IN_GRAPH <= steps; step += STEPS_IN_GRAPH)
			CHECK(cudaGraphLaunch(graph, stream));
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaGraphExecDestroy(graph));
	}
	for (; step < steps; step++) {
		launch(n, variant != VARIANT_RESIDENT, from, to, stream);
		std::swap(from, to);
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(points.data(), from, bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(from));
	CHECK(cudaFree(to));
	CHECK(cudaStreamDestroy(stream));
}

/* All rows begin alike and the grid closes on itself: each stays as this one. */
static std::vector<float> row_after(std::vector<float> row, int steps)
{
	std::vector<float> next(row.size());
	int n = (int)row.size();

	for (int step = 0; step < steps; step++) {
		for (int i = 0; i < n; i++)
			next[i] = ((row[i ? i - 1 : n - 1] + row[i < n - 1 ? i + 1 : 0]) +
				   (row[i] + row[i])) *
				  0.25f;
		std::swap(row, next);
	}
	return row;
}

int main(int argc, char **argv)
{
	static const char *const variants[] = {"copies", "resident", "coalesced", "graph", nullptr};
	int n = 4096, steps = 100, variant = VARIANT_COPIES;
	const struct workload_option options[] = {
		WORKLOAD_CHOICE("variant", &variant, variants),
		WORKLOAD_COUNT("n", &n, N_MAX),
		WORKLOAD_COUNT("steps", &steps, 0),
		WORKLOAD_END,
	};

	workload_parse(usage, options, argc, argv);

	std::vector<float> points((size_t)n * n), row(n);

	for (size_t i = 0; i < points.size(); i++)
		points[i] = (float)(i % n % 100);
	row.assign(points.begin(), points.begin() + n);
	/* The start of CUDA is not the program's time. */
	CHECK(cudaFree(nullptr));

	int64_t start = workload_now_ns();
	if (variant == VARIANT_COPIES)
		run_with_copies(n, steps, points);
	else
		run_on_device(n, steps, (enum variant)variant, points);
	std::printf("%d steps of a %d x %d grid: %.1f ms\n", steps, n, n,
		    (double)(workload_now_ns() - start) / 1e6);

	size_t wrong = 0;

	row = row_after(row, steps);
	for (size_t i = 0; i < points.size(); i++)
		wrong += points[i] != row[i % n];
	if (wrong)
		std::printf("%zu points are wrong.\n", wrong);
	return wrong != 0;
}
