/* SPDX-License-Identifier: MIT */
#include "preload/memory/array_bytes.h"

/* By number: headers before CUDA 12.8 do not name them all. */
enum {
	FORMAT_NV12 = 0xb0, /* one and a half bytes an element */
	FORMAT_BC1 = 0x91,  /* blocks of 4 by 4 elements, from here to FORMAT_BC7_LAST */
	FORMAT_BC7_LAST = 0x9e,
	FORMAT_NORM8 = 0xc0, /* unsigned and signed, of one, two and four channels each */
	FORMAT_NORM16 = 0xc3,
	FORMAT_SIGNED_NORM8 = 0xc6,
	FORMAT_SIGNED_NORM16 = 0xc9,
	FORMAT_NORM_LAST = 0xcb,
	FORMAT_PACKED = 0x50, /* 10, 10, 10 and 2 bits */
	ARRAY_SPARSE = 0x40,
	ARRAY_DEFERRED = 0x80,
};

#define BLOCK 4u

static unsigned channel_bytes(unsigned format)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		return 1;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 2;
	default:
		if (format >= FORMAT_NORM8 && format <= FORMAT_NORM_LAST)
			return (format - FORMAT_NORM8) / 3 % 2 ? 2 : 1;
		return 4;
	}
}

static unsigned block_bytes(unsigned format)
{
	/* BC1 and BC4, two formats each. */
	bool half = format - FORMAT_BC1 < 2 || (format >= 0x97 && format <= 0x98);

	return half ? 8 : 16;
}

static uint64_t level_bytes(const CUDA_ARRAY3D_DESCRIPTOR_v2 *description, uint64_t width,
			    uint64_t height, uint64_t depth)
{
	unsigned format = (unsigned)description->Format;

	if (format >= FORMAT_BC1 && format <= FORMAT_BC7_LAST)
		return (width + BLOCK - 1) / BLOCK * ((height + BLOCK - 1) / BLOCK) * depth *
		       block_bytes(format);
	if (format == FORMAT_NV12)
		return width * height * depth * 3 / 2;
	if (format == FORMAT_PACKED)
		return width * height * depth * 4;
	return width * height * depth * description->NumChannels * channel_bytes(format);
}

static uint64_t at_least_one(uint64_t extent)
{
	return extent ? extent : 1;
}

uint64_t array_bytes(const CUDA_ARRAY3D_DESCRIPTOR_v2 *description, unsigned levels)
{
	bool layered = description->Flags & CUDA_ARRAY3D_LAYERED;
	uint64_t bytes = 0;

	if (description->Flags & (ARRAY_SPARSE | ARRAY_DEFERRED))
		return 0;
	for (unsigned level = 0; level < levels && level < 64; level++) {
		uint64_t depth = layered ? description->Depth : description->Depth >> level;

		bytes += level_bytes(description, at_least_one(description->Width >> level),
				     at_least_one(description->Height >> level),
				     at_least_one(depth));
	}
	return bytes;
}
