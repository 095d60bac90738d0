/* SPDX-License-Identifier: MIT */
/* The bytes of arrays by their formats, extents and mipmap levels. */
#include "preload/memory/holdings.h"
#include "tests/unit/test.h"

static uint64_t bytes_of(unsigned format, unsigned channels, size_t width, size_t height,
			 size_t depth, unsigned flags, unsigned levels)
{
	return array_bytes(&(CUDA_ARRAY3D_DESCRIPTOR_v2){.Width = width,
							 .Height = height,
							 .Depth = depth,
							 .Format = (CUarray_format)format,
							 .NumChannels = channels,
							 .Flags = flags},
			   levels);
}

TEST(an_element_is_as_large_as_its_format_says)
{
	static const struct {
		unsigned format, channels, bytes;
	} formats[] = {
		{CU_AD_FORMAT_UNSIGNED_INT8, 1, 1},
		{CU_AD_FORMAT_SIGNED_INT8, 4, 4},
		{CU_AD_FORMAT_UNSIGNED_INT16, 1, 2},
		{CU_AD_FORMAT_SIGNED_INT16, 2, 4},
		{CU_AD_FORMAT_HALF, 4, 8},
		{CU_AD_FORMAT_FLOAT, 4, 16},
		{CU_AD_FORMAT_UNSIGNED_INT32, 1, 4},
		{CU_AD_FORMAT_SIGNED_INT32, 2, 8},
		{0xc0, 1, 1}, /* CU_AD_FORMAT_UNORM_INT8X1, */
		{0xc2, 4, 4}, /* 8X4, */
		{0xc3, 1, 2}, /* 16X1, */
		{0xc5, 4, 8}, /* 16X4 */
		{0xc6, 1, 1}, /* CU_AD_FORMAT_SNORM_INT8X1, */
		{0xc8, 4, 4}, /* 8X4, */
		{0xc9, 1, 2}, /* 16X1, */
		{0xcb, 4, 8}, /* 16X4 */
		{0x50, 4, 4}, /* CU_AD_FORMAT_UNORM_INT_101010_2 */
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		assert_int_equal(bytes_of(formats[i].format, formats[i].channels, 10, 3, 2, 0, 1),
				 60 * formats[i].bytes);
	/* CU_AD_FORMAT_NV12 */
	assert_int_equal(bytes_of(0xb0, 3, 16, 8, 0, 0, 1), 16 * 8 * 3 / 2);
}

TEST(compressed_formats_come_in_blocks)
{
	/* CU_AD_FORMAT_BC1_UNORM to CU_AD_FORMAT_BC7_UNORM_SRGB */
	for (unsigned format = 0x91; format <= 0x9e; format++) {
		unsigned block = format <= 0x92 || format == 0x97 || format == 0x98 ? 8 : 16;

		assert_int_equal(bytes_of(format, 4, 8, 4, 0, 0, 1), 2 * block);
		assert_int_equal(bytes_of(format, 4, 9, 5, 0, 0, 1), 6 * block);
	}
}

TEST(an_extent_of_0_is_one)
{
	assert_int_equal(bytes_of(CU_AD_FORMAT_UNSIGNED_INT8, 1, 7, 0, 0, 0, 1), 7);
	assert_int_equal(bytes_of(CU_AD_FORMAT_UNSIGNED_INT8, 1, 7, 3, 0, 0, 1), 21);
}

TEST(levels_are_half_as_large_each)
{
	assert_int_equal(bytes_of(CU_AD_FORMAT_UNSIGNED_INT8, 1, 8, 4, 2, 0, 4),
			 64 + 4 * 2 * 1 + 2 * 1 * 1 + 1);
	/* Layers stay. */
	assert_int_equal(bytes_of(CU_AD_FORMAT_UNSIGNED_INT8, 1, 8, 4, 2, CUDA_ARRAY3D_LAYERED, 3),
			 2 * (32 + 8 + 2));
	assert_int_equal(bytes_of(CU_AD_FORMAT_UNSIGNED_INT8, 1, 8, 4, 2, 0, 0), 0);
}

TEST(what_gets_its_memory_later_has_none)
{
	assert_int_equal(bytes_of(CU_AD_FORMAT_FLOAT, 1, 8, 4, 2, 0x40, 1), 0);
	assert_int_equal(bytes_of(CU_AD_FORMAT_FLOAT, 1, 8, 4, 2, 0x80, 1), 0);
}
