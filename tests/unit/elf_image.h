/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files for tests, made in memory, of both classes; little-endian on every machine. */
#ifndef PANETOP_TESTS_ELF_IMAGE_H
#define PANETOP_TESTS_ELF_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/span.h"

#define IMAGE_ADDRESS 0x10000 /* of the first byte, in a segment that is read only */

/* A section. That called ".text" is also a segment of code. */
struct image_section {
	const char *name;
	uint32_t type; /* SHT_STRTAB … */
	uint32_t link; /* the number of another section, from 1 */
	struct span content;
	uint64_t address;
};

struct image {
	bool is_64;
	uint16_t machine, type; /* EM_X86_64, ET_DYN … */
	struct image_section sections[12];
};

/* Writes the file: its header, 4 segments, the sections up to the first one without a name, and their names.
 */
void image_write(struct buffer *out, const struct image *image);

/* The offset of a section's content. */
uint64_t image_offset(const struct image *image, unsigned section);

/* Writes a number into an image or table, or at its end. */
void image_set(struct buffer *out, size_t offset, uint64_t value, unsigned bytes);
void image_add(struct buffer *out, uint64_t value, unsigned bytes);

/* Several, of as many bytes as a digit says, or as a word has: IMAGE_ADD(&out, is_64, "44w", 1, 2, 3). */
#define IMAGE_ADD(out, is_64, widths, ...)                                                                   \
	image_add_all(out, is_64, widths, (const uint64_t[]){ __VA_ARGS__ })
void image_add_all(struct buffer *out, bool is_64, const char *widths, const uint64_t *values);

/* Adds an entry of a table of symbols, and its name to that of names. */
struct image_symbol {
	const char *name;
	uint64_t address, bytes;
	uint8_t info;     /* ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) … */
	uint16_t section; /* 0: undefined */
};
void image_add_symbol(bool is_64, struct buffer *table, struct buffer *names,
		      const struct image_symbol *symbol);

struct span image_span(const struct buffer *buffer);

#endif
