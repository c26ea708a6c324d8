/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes ELF files for tests. */
#include <config.h>

#include "elf_image.h"

#include <elf.h>
#include <string.h>

#define N_SEGMENTS 4
#define ALIGNMENT 16

void image_set(struct buffer *out, size_t offset, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++, value >>= 8)
		out->bytes[offset + i] = (char)(value & 0xff);
}

void image_add(struct buffer *out, uint64_t value, unsigned bytes)
{
	buffer_fill(out, '\0', bytes);
	image_set(out, out->length - bytes, value, bytes);
}

void image_add_all(struct buffer *out, bool is_64, const char *widths, const uint64_t *values)
{
	for (; *widths; widths++, values++)
		image_add(out, *values, *widths == 'w' ? (is_64 ? 8 : 4) : (unsigned)(*widths - '0'));
}

struct span image_span(const struct buffer *buffer)
{
	return span_of(buffer->bytes, buffer->length);
}

static unsigned count_sections(const struct image *image)
{
	unsigned n = 0;

	while (n < sizeof(image->sections) / sizeof(image->sections[0]) && image->sections[n].name)
		n++;
	return n;
}

#define BYTES_OF(part) (image->is_64 ? sizeof(Elf64_##part) : sizeof(Elf32_##part))

static uint64_t aligned(uint64_t offset)
{
	return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

uint64_t image_offset(const struct image *image, unsigned section)
{
	uint64_t offset = aligned(BYTES_OF(Ehdr) + N_SEGMENTS * BYTES_OF(Phdr));

	for (unsigned i = 0; i < section; i++)
		offset = aligned(offset + span_length(image->sections[i].content));
	return offset;
}

static void add_header(struct buffer *out, const struct image *image, uint64_t sections_at)
{
	unsigned n = count_sections(image);

	buffer_add(out, ELFMAG, SELFMAG);
	IMAGE_ADD(out, image->is_64, "111", image->is_64 ? ELFCLASS64 : ELFCLASS32, ELFDATA2LSB, EV_CURRENT);
	buffer_fill(out, '\0', EI_NIDENT - EI_OSABI);
	IMAGE_ADD(out, image->is_64, "224www4", image->type, image->machine, EV_CURRENT, IMAGE_ADDRESS,
		  BYTES_OF(Ehdr), sections_at, 0);
	/* with the first section, which is none, and that of the names */
	IMAGE_ADD(out, image->is_64, "222222", BYTES_OF(Ehdr), BYTES_OF(Phdr), N_SEGMENTS, BYTES_OF(Shdr),
		  n + 2, n + 1);
}

static void add_segment(struct buffer *out, const struct image *image, uint32_t type, uint32_t flags,
			uint64_t offset, uint64_t address, uint64_t bytes)
{
	if (image->is_64)
		IMAGE_ADD(out, true, "44wwwwww", type, flags, offset, address, address, bytes, bytes, 4);
	else
		IMAGE_ADD(out, false, "4wwwww4w", type, offset, address, address, bytes, bytes, flags, 4);
}

static void add_segments(struct buffer *out, const struct image *image, uint64_t file_bytes)
{
	unsigned n = 1;

	add_segment(out, image, PT_LOAD, PF_R, 0, IMAGE_ADDRESS, file_bytes);
	for (unsigned i = 0; i < count_sections(image); i++) {
		const struct image_section *section = &image->sections[i];
		bool is_text = strcmp(section->name, ".text") == 0;
		bool is_unwinding = strcmp(section->name, ".eh_frame_hdr") == 0;

		if (!is_text && !is_unwinding && section->type != SHT_NOTE)
			continue;
		add_segment(out, image,
			    is_text        ? PT_LOAD
			    : is_unwinding ? PT_GNU_EH_FRAME
					   : PT_NOTE,
			    is_text ? PF_R | PF_X : PF_R, image_offset(image, i), section->address,
			    span_length(section->content));
		n++;
	}
	for (; n < N_SEGMENTS; n++)
		add_segment(out, image, PT_NULL, 0, 0, 0, 0);
}

static void add_section(struct buffer *out, const struct image *image, uint64_t name,
			const struct image_section *section, uint64_t offset)
{
	IMAGE_ADD(out, image->is_64, "44wwww44ww", name, section->type, 0, section->address, offset,
		  span_length(section->content), section->link, 0, 4, 0);
}

static void pad(struct buffer *out, uint64_t length)
{
	buffer_fill(out, '\0', (size_t)length - out->length);
}

void image_write(struct buffer *out, const struct image *image)
{
	unsigned n = count_sections(image);
	uint64_t name = 1, names_at = image_offset(image, n), sections_at;
	struct image_section names = { .type = SHT_STRTAB }, none = { 0 };
	struct buffer text = { 0 };

	buffer_char(&text, '\0');
	for (unsigned i = 0; i < n; i++)
		buffer_add(&text, image->sections[i].name, strlen(image->sections[i].name) + 1);
	names.content = image_span(&text);
	sections_at = aligned(names_at + text.length);
	buffer_empty(out);
	add_header(out, image, sections_at);
	add_segments(out, image, sections_at);
	for (unsigned i = 0; i < n; i++) {
		pad(out, image_offset(image, i));
		buffer_add(out, image->sections[i].content.at, span_length(image->sections[i].content));
	}
	pad(out, names_at);
	buffer_add(out, text.bytes, text.length);
	pad(out, sections_at);
	add_section(out, image, 0, &none, 0);
	for (unsigned i = 0; i < n; i++) {
		add_section(out, image, name, &image->sections[i], image_offset(image, i));
		name += strlen(image->sections[i].name) + 1;
	}
	add_section(out, image, 0, &names, names_at);
	buffer_free(&text);
}

void image_add_symbol(bool is_64, struct buffer *table, struct buffer *names,
		      const struct image_symbol *symbol)
{
	if (is_64)
		IMAGE_ADD(table, true, "4112ww", names->length, symbol->info, 0, symbol->section,
			  symbol->address, symbol->bytes);
	else
		IMAGE_ADD(table, false, "4ww112", names->length, symbol->address, symbol->bytes, symbol->info,
			  0, symbol->section);
	buffer_add(names, symbol->name, strlen(symbol->name) + 1);
}
