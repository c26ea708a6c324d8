/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A note: three sizes and a type; "stapsdt"; three addresses, and three texts. It is padded to 4 bytes. */
#include <config.h>

#include "kernel/code/usdt.h"

#include <elf.h>
#include <string.h>

#define HEAD_BYTES ((size_t)12)
#define OWNER "stapsdt"
#define TYPE_PROBE 3

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 3) & ~UINT64_C(3);
}

/* Where it belongs to: another step of the build may have moved the file since it was written. */
static uint64_t moved(const struct elf_file *file, uint64_t address, uint64_t base)
{
	return file->probe_base && base ? address + (file->probe_base - base) : address;
}

/* A tracer writes only over what does nothing. */
static bool is_nop(const struct elf_file *file, uint64_t offset)
{
	static const struct nop {
		uint16_t machine;
		uint8_t bytes, code[5];
	} nops[] = {
		{ EM_X86_64, 1, { 0x90 } },
		{ EM_386, 1, { 0x90 } },
		{ EM_X86_64, 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
		{ EM_386, 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
		{ EM_AARCH64, 4, { 0x1f, 0x20, 0x03, 0xd5 } },
		{ EM_RISCV, 2, { 0x01, 0x00 } },
		{ EM_RISCV, 4, { 0x13, 0x00, 0x00, 0x00 } },
		{ EM_ARM, 4, { 0x00, 0x00, 0xa0, 0xe1 } },
		{ EM_ARM, 4, { 0x00, 0xf0, 0x20, 0xe3 } },
	};
	struct span code;

	for (size_t i = 0; i < sizeof(nops) / sizeof(nops[0]); i++)
		if (nops[i].machine == file->machine &&
		    span_part(file->bytes, offset, nops[i].bytes, &code) &&
		    memcmp(code.at, nops[i].code, nops[i].bytes) == 0)
			return true;
	return false;
}

static bool read_place(const struct elf_file *file, struct span content, struct usdt_place *place)
{
	unsigned bytes = file->is_64 ? 8 : 4;
	uint64_t address, base, semaphore;

	if (!span_little(content, 0, bytes, &address) || !span_little(content, bytes, bytes, &base) ||
	    !span_little(content, (uint64_t)2 * bytes, bytes, &semaphore))
		return false;
	content.at += (size_t)3 * bytes;
	if (!span_until(&content, '\0', &place->provider) || !span_until(&content, '\0', &place->name) ||
	    span_length(place->provider) == 0 || span_length(place->name) == 0 ||
	    span_length(place->provider) > SYMBOL_NAME_MAX || span_length(place->name) > SYMBOL_NAME_MAX)
		return false;
	place->semaphore_offset = 0;
	return elf_file_offset(file, moved(file, address, base), &place->offset) &&
	       is_nop(file, place->offset) &&
	       (semaphore == 0 ||
		(elf_file_offset(file, moved(file, semaphore, base), &place->semaphore_offset) &&
		 place->semaphore_offset > 0));
}

bool usdt_next(const struct elf_file *file, struct span *rest, struct usdt_place *place)
{
	uint64_t name_bytes, content_bytes, type, content_at, end;
	struct span notes = *rest, name, content;

	while (span_little(notes, 0, 4, &name_bytes) && span_little(notes, 4, 4, &content_bytes) &&
	       span_little(notes, 8, 4, &type)) {
		content_at = padded(HEAD_BYTES + name_bytes);
		end = padded(content_at + content_bytes);
		if (!span_part(notes, HEAD_BYTES, name_bytes, &name) ||
		    !span_part(notes, content_at, content_bytes, &content))
			break;
		notes.at = end < span_length(notes) ? notes.at + end : notes.end;
		if (type == TYPE_PROBE && name_bytes == sizeof(OWNER) &&
		    memcmp(name.at, OWNER, sizeof(OWNER)) == 0 && read_place(file, content, place)) {
			*rest = notes;
			return true;
		}
	}
	rest->at = rest->end;
	return false;
}
