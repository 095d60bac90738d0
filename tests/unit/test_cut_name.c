/* SPDX-License-Identifier: MIT */
/* Names that are cut to a line: what tells them from others stays. */
#include "report/names/cut_name.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

#define GEMM(shape)                                                                                \
	"sm80_xmma_gemm_f32f32_f32f32_f32_" shape                                                  \
	"x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas"

static char *names[] = {
	GEMM("tn_n_tilesize64x64x8_stage3_warpsize1x4"),
	GEMM("tn_n_tilesize128x128x8_stage3_warpsize2x2"),
	GEMM("nn_n_tilesize256x128x8_stage3_warpsize4x2"),
	"short",
};
#define COUNT (sizeof(names) / sizeof(names[0]))

static void is_cut(const char *name, size_t count, size_t most, const char *expected)
{
	char *cut = cut_name(name, names, count, most);

	assert_string_equal(cut, expected);
	assert_true(strlen(cut) <= most);
	free(cut);
}

TEST(what_fits_is_whole)
{
	is_cut("short", COUNT, 16, "short");
	is_cut(names[0], COUNT, strlen(names[0]), names[0]);
}

TEST(what_a_family_shares_is_left_out_first)
{
	is_cut(names[0], COUNT, 56, "sm80_...tn_n_tilesize64x64x8_stage3_warpsize1x4...cublas");
	is_cut(names[2], COUNT, 56, "sm80...nn_n_tilesize256x128x8_stage3_warpsize4x2...ublas");
	/* One short of all: there is still something to leave out. */
	is_cut(names[1], COUNT, strlen(names[1]) - 1,
	       "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2..."
	       "_aligna4_alignc4_execute_kernel__5x_cublas");
}

TEST(alone_a_name_is_cut_in_its_middle)
{
	is_cut(names[0], 1, 24, "sm80_xmma_gemm_...cublas");
	/* A family that differs in more than fits. */
	is_cut(names[2], COUNT, 24, "sm80_xmma_gemm_...cublas");
	/* Characters stay whole. */
	is_cut("ääääääääääääääääääää", 0, 17, "äääää...ää");
}
