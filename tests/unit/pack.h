/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes that tests make by hand: records of the kernel, tables of types. */
#ifndef PANETOP_TESTS_PACK_H
#define PANETOP_TESTS_PACK_H

#include "suite.h"

#include "core/buffer.h"

/* Numbers as this machine has them, of as many bytes as their digits say: PACK(&out, "448", 7, 8, 99). */
#define PACK(out, widths, ...) pack(out, widths, (const uint64_t[]){ __VA_ARGS__ })

static inline void pack(struct buffer *out, const char *widths, const uint64_t *values)
{
	for (; *widths; widths++, values++) {
		const uint16_t half = (uint16_t)*values;
		const uint32_t word = (uint32_t)*values;

		ck_assert(strchr("248", *widths) != NULL);
		buffer_add(out,
			   *widths == '2'   ? (const char *)&half
			   : *widths == '4' ? (const char *)&word
					    : (const char *)values,
			   (size_t)(*widths - '0'));
	}
}

#endif
