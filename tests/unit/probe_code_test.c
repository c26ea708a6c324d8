/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of what --probe-call names, and of where that is in a file: its symbols, and its notes (USDT). And of
 * who attaches programs there, to processes of the test, with a kernel of the test.
 */
#include <config.h>

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "elf_image.h"
#include "kernel/code/usdt.h"
#include "held_thread.h"
#include "suite.h"
#include "sys/privilege.h"
#include "topic/probe/function_list.h"
#include "topic/probe/prober.h"

#define TEXT 0x21000
#define NOTES_BASE UINT64_C(0x2400)
#define FUNCTION ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)

/* --- Names. */

static void check_name(const char *text, const char *file, bool is_path, const char *provider,
		       const char *function)
{
	struct probe_name name;

	ck_assert_msg(probe_name_parse(&name, span_text(text)), "%s", text);
	ck_assert(span_is(name.file, file));
	ck_assert_int_eq(name.is_path, is_path);
	ck_assert(span_is(name.provider, provider));
	ck_assert(span_is(name.function, function));
}

START_TEST(a_name_is_of_a_file_and_a_function)
{
	static const char *const wrong[] = { "",     "libfoo",  "libfoo:",    ":open",
					     "/a/b", "/a:b/c",  "/a/:open",   "libfoo::open",
					     "a:b:", "a:b:c:d", "/dir:with/", ":" };
	struct probe_name name;

	check_name("libfoo.so.1:open", "libfoo.so.1", false, "", "open");
	check_name("/usr/lib/libfoo.so:open", "/usr/lib/libfoo.so", true, "", "open");
	check_name("./a:b/libfoo:open", "./a:b/libfoo", true, "", "open");
	check_name("python3:python:gc__start", "python3", false, "python", "gc__start");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!probe_name_parse(&name, span_text(wrong[i])), "%s", wrong[i]);
}

static enum probe_file_match match(const char *file, const char *path)
{
	struct probe_name name = { .file = span_text(file) };

	return probe_name_matches(&name, span_text(path));
}

START_TEST(a_short_name_stands_for_versions)
{
	ck_assert_int_eq(match("libfoo", "/usr/lib/libfoo.so.1"), PROBE_FILE_BEGINS);
	ck_assert_int_eq(match("libc", "/lib/libc-2.31.so"), PROBE_FILE_BEGINS);
	ck_assert_int_eq(match("python3", "/usr/bin/python3.11"), PROBE_FILE_BEGINS);
	ck_assert_int_eq(match("libfoo.so.1", "/usr/lib/libfoo.so.1"), PROBE_FILE_IS);
	ck_assert_int_eq(match("work", "/tmp/work (deleted)"), PROBE_FILE_IS);
	ck_assert_int_eq(match("libc", "/lib/libcap.so.2"), PROBE_FILE_OTHER);
	ck_assert_int_eq(match("lib", "/lib/other"), PROBE_FILE_OTHER);
	ck_assert_int_eq(match("libfoo.so.1", ""), PROBE_FILE_OTHER);
}

/* --- Files. */

enum section { TEXT_SECTION, SYMBOLS, NAMES, PROBES, BASE };

struct parts {
	struct image image;
	struct buffer code, symbols, names, notes, file;
};

static const struct image_symbol all_symbols[] = {
	{ "", 0, 0, 0, 0 },
	{ "count_words", TEXT, 5, FUNCTION, 1 },
	{ "twice", TEXT + 5, 1, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 1 },
	{ "twice", TEXT + 6, 1, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 1 },
	{ "choose", TEXT, 5, ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC), 1 },
	{ "table", TEXT, 5, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 1 },
	{ "open", 0, 0, FUNCTION, SHN_UNDEF },
	{ "outside", 0x999999, 5, FUNCTION, 1 },
	{ "both", TEXT + 5, 1, FUNCTION, 1 },
};

static const char code[] = "\x0f\x1f\x44\x00\x00" /* a nop of 5 bytes */
			   "\xc3\x55"
			   "\x90\x90\x90"; /* nops of a byte */

/* A note of a probe; addresses are those before the file moved by 0x1000. */
static void add_note(struct buffer *notes, bool is_64, uint64_t address, uint64_t semaphore,
		     const char *texts, size_t text_bytes)
{
	unsigned word = is_64 ? 8 : 4;

	image_add(notes, 8, 4);
	image_add(notes, 3 * word + text_bytes, 4);
	image_add(notes, 3, 4);
	buffer_add(notes, "stapsdt", 8);
	image_add(notes, address - 0x1000, word);
	image_add(notes, NOTES_BASE - 0x1000, word);
	image_add(notes, semaphore ? semaphore - 0x1000 : 0, word);
	buffer_add(notes, texts, text_bytes);
	buffer_fill(notes, '\0', (4 - notes->length % 4) % 4);
}

#define NOTE(address, semaphore, texts)                                                                      \
	add_note(&parts->notes, is_64, address, semaphore, texts, sizeof(texts))

static void make_parts(struct parts *parts, bool is_64, uint16_t machine)
{
	*parts = (struct parts){ 0 };
	buffer_add(&parts->code, code, sizeof(code) - 1);
	for (size_t i = 0; i < sizeof(all_symbols) / sizeof(all_symbols[0]); i++)
		image_add_symbol(is_64, &parts->symbols, &parts->names, &all_symbols[i]);
	NOTE(TEXT + 7, 0,
	     "work\0begin\0"
	     "8@%rax");
	NOTE(TEXT + 8, TEXT + 6, "work\0begin\0");
	NOTE(TEXT + 9, 0, "other\0begin\0");
	NOTE(TEXT + 5, 0, "work\0no_nop\0");
	NOTE(0x999999, 0, "work\0outside\0");
	NOTE(TEXT + 9, 0x999999, "work\0no_semaphore\0");
	NOTE(TEXT + 9, 0, "work\0both\0");
	parts->image = (struct image){ .is_64 = is_64, .machine = machine, .type = ET_DYN };
	memcpy(parts->image.sections,
	       (struct image_section[]){
		       { ".text", SHT_PROGBITS, 0, image_span(&parts->code), TEXT },
		       { ".symtab", SHT_SYMTAB, NAMES + 1, image_span(&parts->symbols), 0 },
		       { ".strtab", SHT_STRTAB, 0, image_span(&parts->names), 0 },
		       { ".note.stapsdt", SHT_NOTE, 0, image_span(&parts->notes), 0 },
		       { ".stapsdt.base", SHT_PROGBITS, 0, span_of("x", 1), NOTES_BASE },
	       },
	       5 * sizeof(parts->image.sections[0]));
	image_write(&parts->file, &parts->image);
}

static void free_parts(struct parts *parts)
{
	buffer_free(&parts->code);
	buffer_free(&parts->symbols);
	buffer_free(&parts->names);
	buffer_free(&parts->notes);
	buffer_free(&parts->file);
}

static const struct {
	bool is_64;
	uint16_t machine;
} kinds[] = { { true, EM_X86_64 }, { false, EM_386 } };

static struct probe_code find(const struct parts *parts, const char *text)
{
	struct probe_code found;
	struct probe_name name;

	ck_assert(probe_name_parse(&name, span_text(text)));
	probe_code_find(&found, image_span(&parts->file), &name, &(struct progress){ 0 });
	return found;
}

START_TEST(functions_are_found_where_they_begin)
{
	for (size_t i = 0; i < 2; i++) {
		struct parts parts;
		struct probe_code found;
		uint64_t text;

		make_parts(&parts, kinds[i].is_64, kinds[i].machine);
		text = image_offset(&parts.image, TEXT_SECTION);
		found = find(&parts, "a:count_words");
		ck_assert_int_eq(found.fault, PROBE_FAULT_NONE);
		ck_assert(found.is_function);
		ck_assert_uint_eq(found.n_places, 1);
		ck_assert_uint_eq(found.places[0].offset, text);
		ck_assert(found.places[0].is_nop);
		found = find(&parts, "a:twice"); /* two local functions of this name */
		ck_assert_uint_eq(found.n_places, 2);
		ck_assert_uint_eq(found.places[1].offset, text + 6);
		ck_assert(!found.places[1].is_nop);
		found = find(&parts, "a:both"); /* a function, although there is a probe, too */
		ck_assert(found.is_function);
		ck_assert_uint_eq(found.n_places, 1);
		free_parts(&parts);
	}
}

START_TEST(probes_are_all_places_with_their_name)
{
	for (size_t i = 0; i < 2; i++) {
		struct parts parts;
		struct probe_code found;
		uint64_t text;

		make_parts(&parts, kinds[i].is_64, kinds[i].machine);
		text = image_offset(&parts.image, TEXT_SECTION);
		found = find(&parts, "a:begin");
		ck_assert_int_eq(found.fault, PROBE_FAULT_NONE);
		ck_assert(!found.is_function);
		ck_assert_uint_eq(found.n_places, 3);
		found = find(&parts, "a:work:begin");
		ck_assert_uint_eq(found.n_places, 2);
		ck_assert_uint_eq(found.places[0].offset, text + 7);
		ck_assert_uint_eq(found.places[0].semaphore_offset, 0);
		ck_assert_uint_eq(found.places[1].offset, text + 8);
		ck_assert_uint_eq(found.places[1].semaphore_offset, text + 6);
		found = find(&parts, "a:work:both");
		ck_assert(!found.is_function);
		ck_assert_uint_eq(found.n_places, 1);
		free_parts(&parts);
	}
}

START_TEST(what_cannot_be_probed_has_its_fault)
{
	static const struct {
		const char *text;
		enum probe_fault fault;
		const char *near;
	} cases[] = {
		{ "a:choose", PROBE_FAULT_CHOOSER, NULL },
		{ "a:table", PROBE_FAULT_DATA, NULL },
		{ "a:open", PROBE_FAULT_ELSEWHERE, NULL },
		{ "a:outside", PROBE_FAULT_NOT_CODE, NULL },
		{ "a:count_wrods", PROBE_FAULT_NOTHING, "count_words" },
		{ "a:xyz", PROBE_FAULT_NOTHING, "" },
		{ "a:work:bgein", PROBE_FAULT_NOTHING, "begin" },
		{ "a:work:no_nop", PROBE_FAULT_NOTHING, NULL },
		{ "a:work:outside", PROBE_FAULT_NOTHING, NULL },
		{ "a:work:no_semaphore", PROBE_FAULT_NOTHING, NULL },
		{ "a:nobody:begin", PROBE_FAULT_NO_NAMES, NULL },
	};
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct probe_code found = find(&parts, cases[i].text);

		ck_assert_msg(found.fault == cases[i].fault, "%s: %d", cases[i].text, (int)found.fault);
		ck_assert_uint_eq(found.n_places, 0);
		if (cases[i].near)
			ck_assert_str_eq(found.near, cases[i].near);
	}
	parts.file.bytes[0] = 'x';
	ck_assert_int_eq(find(&parts, "a:count_words").fault, PROBE_FAULT_NO_ELF);
	free_parts(&parts);
}

START_TEST(too_many_places_are_refused)
{
	struct parts parts_, *parts = &parts_;
	const bool is_64 = true;

	make_parts(parts, is_64, EM_X86_64);
	buffer_empty(&parts->code);
	buffer_fill(&parts->code, '\x90', PROBE_PLACES_MAX + 1);
	buffer_empty(&parts->notes);
	for (unsigned i = 0; i <= PROBE_PLACES_MAX; i++)
		NOTE(TEXT + i, 0, "work\0many\0");
	parts->image.sections[TEXT_SECTION].content = image_span(&parts->code);
	parts->image.sections[PROBES].content = image_span(&parts->notes);
	image_write(&parts->file, &parts->image);
	ck_assert_int_eq(find(parts, "a:many").fault, PROBE_FAULT_PLACES);
	free_parts(parts);
}

/* Notes that lie about their sizes, or are cut. */
START_TEST(hostile_notes_are_left)
{
	struct usdt_place place;
	struct elf_file file;
	struct parts parts;
	struct span rest;
	unsigned n;

	make_parts(&parts, true, EM_X86_64);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	for (size_t length = 0; length < span_length(file.probe_notes); length++) {
		rest = span_of(file.probe_notes.at, length);
		for (n = 0; usdt_next(&file, &rest, &place); n++)
			ck_assert_uint_lt(place.offset, parts.file.length);
		ck_assert_uint_le(n, 4);
		ck_assert(rest.at == rest.end);
	}
	for (unsigned field = 0; field < 2; field++) {
		image_set(&parts.notes, 4 * field, UINT32_MAX, 4);
		rest = image_span(&parts.notes);
		ck_assert(!usdt_next(&file, &rest, &place));
		image_set(&parts.notes, 4 * field, field == 0 ? 8 : 36, 4);
	}
	free_parts(&parts);
}

/* The same file with other symbols, in one table. */
static void set_symbols(struct parts *parts, const struct image_symbol *symbols, size_t n)
{
	const struct image_symbol none = { "", 0, 0, 0, 0 };
	bool is_64 = parts->image.is_64;

	buffer_empty(&parts->symbols);
	buffer_empty(&parts->names);
	image_add_symbol(is_64, &parts->symbols, &parts->names, &none);
	for (size_t i = 0; i < n; i++)
		image_add_symbol(is_64, &parts->symbols, &parts->names, &symbols[i]);
	parts->image.sections[SYMBOLS].content = image_span(&parts->symbols);
	parts->image.sections[NAMES].content = image_span(&parts->names);
	image_write(&parts->file, &parts->image);
}

static void set_code(struct parts *parts, const char *bytes, size_t length)
{
	buffer_empty(&parts->code);
	buffer_add(&parts->code, bytes, length);
	parts->image.sections[TEXT_SECTION].content = image_span(&parts->code);
	image_write(&parts->file, &parts->image);
}

START_TEST(only_the_nop_of_5_bytes_is_one)
{
	static const char nop[] = "\x0f\x1f\x44\x00\x00\x0f\x1f\x44";
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	set_code(&parts, nop, 8);
	ck_assert(find(&parts, "a:count_words").places[0].is_nop);
	for (unsigned i = 0; i < 5; i++) {
		char other[8];

		memcpy(other, nop, 8);
		other[i] ^= 1;
		set_code(&parts, other, 8);
		ck_assert(!find(&parts, "a:count_words").places[0].is_nop);
	}
	free_parts(&parts);
}

START_TEST(a_place_counts_once)
{
	static const struct image_symbol symbols[] = {
		{ "work", TEXT, 1, FUNCTION, 1 },       { "work", TEXT + 5, 1, FUNCTION, 1 },
		{ "work", TEXT, 1, FUNCTION, 1 },       { "work", TEXT + 5, 1, FUNCTION, 1 },
		{ "worker", TEXT + 6, 1, FUNCTION, 1 },
	};
	struct parts parts;
	struct probe_code found;

	make_parts(&parts, true, EM_X86_64);
	set_symbols(&parts, symbols, 5);
	found = find(&parts, "a:work");
	ck_assert_int_eq(found.fault, PROBE_FAULT_NONE);
	ck_assert_uint_eq(found.n_places, 2);
	ck_assert_uint_eq(found.places[1].offset, found.places[0].offset + 5);
	free_parts(&parts);
}

START_TEST(as_many_places_as_there_is_room_for)
{
	struct image_symbol symbols[PROBE_PLACES_MAX + 2];
	char nops[PROBE_PLACES_MAX + 1];
	struct probe_code found;
	struct parts parts;

	for (unsigned i = 0; i < PROBE_PLACES_MAX + 2; i++)
		symbols[i] = (struct image_symbol){ "many", TEXT + i, 1, FUNCTION, 1 };
	memset(nops, '\x90', sizeof(nops));
	make_parts(&parts, true, EM_X86_64);
	set_code(&parts, nops, sizeof(nops));
	symbols[PROBE_PLACES_MAX].address = TEXT; /* again */
	set_symbols(&parts, symbols, PROBE_PLACES_MAX + 1);
	found = find(&parts, "a:many");
	ck_assert_int_eq(found.fault, PROBE_FAULT_NONE);
	ck_assert_uint_eq(found.n_places, 64);
	ck_assert_uint_eq(found.places[63].offset, found.places[0].offset + 63);
	symbols[PROBE_PLACES_MAX].address = TEXT + PROBE_PLACES_MAX;
	set_symbols(&parts, symbols, PROBE_PLACES_MAX + 1);
	found = find(&parts, "a:many");
	ck_assert_int_eq(found.fault, PROBE_FAULT_PLACES);
	ck_assert_uint_eq(found.n_places, 64);
	free_parts(&parts);
}

#define OTHER(kind, at)                                                                                      \
	{                                                                                                    \
		"work", at, 1, ELF64_ST_INFO(STB_GLOBAL, kind), 1                                            \
	}
#define CALLED                                                                                               \
	{                                                                                                    \
		"work", 0, 0, FUNCTION, SHN_UNDEF                                                            \
	}

/* What says most of a name that several have. */
START_TEST(faults_of_a_name_that_several_have)
{
	static const struct {
		struct image_symbol symbols[2];
		enum probe_fault fault;
	} cases[] = {
		{ { OTHER(STT_OBJECT, TEXT), CALLED }, PROBE_FAULT_DATA },
		{ { CALLED, OTHER(STT_OBJECT, TEXT) }, PROBE_FAULT_ELSEWHERE },
		{ { OTHER(STT_OBJECT, TEXT), OTHER(STT_GNU_IFUNC, TEXT) }, PROBE_FAULT_CHOOSER },
		{ { OTHER(STT_GNU_IFUNC, TEXT), OTHER(STT_OBJECT, TEXT) }, PROBE_FAULT_CHOOSER },
		{ { CALLED, OTHER(STT_GNU_IFUNC, TEXT) }, PROBE_FAULT_CHOOSER },
		{ { OTHER(STT_GNU_IFUNC, TEXT), CALLED }, PROBE_FAULT_CHOOSER },
		{ { CALLED, OTHER(STT_FUNC, 0x999999) }, PROBE_FAULT_NOT_CODE },
		{ { OTHER(STT_FUNC, 0x999999), OTHER(STT_OBJECT, TEXT) }, PROBE_FAULT_NOT_CODE },
		{ { CALLED, OTHER(STT_FUNC, TEXT) }, PROBE_FAULT_NONE },
		{ { OTHER(STT_FUNC, TEXT), OTHER(STT_OBJECT, TEXT) }, PROBE_FAULT_NONE },
	};
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct probe_code found;

		set_symbols(&parts, cases[i].symbols, 2);
		found = find(&parts, "a:work");
		ck_assert_msg(found.fault == cases[i].fault, "%zu: %d", i, (int)found.fault);
		ck_assert_uint_eq(found.n_places, found.fault == PROBE_FAULT_NONE);
		ck_assert_int_eq(found.is_function, found.fault == PROBE_FAULT_NONE);
	}
	free_parts(&parts);
}

START_TEST(a_probe_of_a_function_that_is_elsewhere)
{
	static const struct image_symbol called = { "begin", 0, 0, FUNCTION, SHN_UNDEF };
	struct probe_code found;
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	set_symbols(&parts, &called, 1);
	found = find(&parts, "a:begin");
	ck_assert_int_eq(found.fault, PROBE_FAULT_NONE);
	ck_assert_uint_eq(found.n_places, 3);
	ck_assert(!found.is_function);
	ck_assert_int_eq(find(&parts, "a:work:count_words").fault, PROBE_FAULT_NOTHING);
	free_parts(&parts);
}

/* Of functions, and of probes of that provider. */
START_TEST(near_names_are_of_what_could_be_probed)
{
	static const struct image_symbol symbols[] = {
		{ "table", TEXT, 5, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 1 },
		{ "choose", TEXT, 5, ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC), 1 },
		{ "called", 0, 0, FUNCTION, SHN_UNDEF },
		{ "finished", TEXT, 5, FUNCTION, 1 },
		{ "finish", TEXT, 5, FUNCTION, 1 },
		{ "finishes", TEXT, 5, FUNCTION, 1 },
	};
	static const char *const cases[][2] = {
		{ "a:tabel", "" },       { "a:chooes", "" },     { "a:calld", "" },
		{ "a:finsh", "finish" }, { "a:begn", "begin" },  { "a:other:begn", "begin" },
		{ "a:other:boht", "" },  { "a:work:finsh", "" }, { "a:work:boht", "both" },
	};
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	set_symbols(&parts, symbols, sizeof(symbols) / sizeof(symbols[0]));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct probe_code found = find(&parts, cases[i][0]);

		ck_assert_msg(found.fault == PROBE_FAULT_NOTHING, "%s", cases[i][0]);
		ck_assert_msg(strcmp(found.near, cases[i][1]) == 0, "%s: %s", cases[i][0], found.near);
	}
	free_parts(&parts);
}

/* Only its beginning was typed. */
START_TEST(a_near_name_has_room)
{
	static char name[PROBE_NEAR_MAX + 1];
	const struct image_symbol symbol = { name, TEXT, 5, FUNCTION, 1 };
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	for (size_t length = PROBE_NEAR_MAX - 1; length <= PROBE_NEAR_MAX; length++) {
		memset(name, 'm', length);
		set_symbols(&parts, &symbol, 1);
		ck_assert_str_eq(find(&parts, "a:mmmm").near, length < PROBE_NEAR_MAX ? name : "");
		ck_assert_int_eq(find(&parts, "a:mmmm").fault, PROBE_FAULT_NOTHING);
	}
	free_parts(&parts);
}

START_TEST(a_file_without_names)
{
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	buffer_empty(&parts.notes);
	parts.image.sections[PROBES].content = image_span(&parts.notes);
	set_symbols(&parts, NULL, 0);
	ck_assert_int_eq(find(&parts, "a:work").fault, PROBE_FAULT_NO_NAMES);
	set_symbols(&parts, &all_symbols[5], 1); /* data alone has no function's name */
	ck_assert_int_eq(find(&parts, "a:work").fault, PROBE_FAULT_NO_NAMES);
	set_symbols(&parts, &all_symbols[1], 1);
	ck_assert_int_eq(find(&parts, "a:work").fault, PROBE_FAULT_NOTHING);
	free_parts(&parts);
}

/* The only note of the file: is it of a place that can be probed? */
static bool has_place(struct parts *parts, struct usdt_place *place)
{
	struct elf_file file;
	struct span rest;
	bool found;

	parts->image.sections[PROBES].content = image_span(&parts->notes);
	image_write(&parts->file, &parts->image);
	ck_assert(elf_file_parse(&file, image_span(&parts->file)));
	rest = file.probe_notes;
	ck_assert_uint_eq(span_length(rest), parts->notes.length);
	found = usdt_next(&file, &rest, place);
	ck_assert(rest.at == rest.end && !usdt_next(&file, &rest, place));
	return found;
}

START_TEST(probes_are_at_nops_of_their_architecture)
{
	static const struct {
		uint16_t machine;
		bool is_64;
		size_t bytes;
		const char *code;
	} nops[] = {
		{ EM_X86_64, true, 1, "\x90" },
		{ EM_X86_64, true, 5, "\x0f\x1f\x44\x00\x00" },
		{ EM_386, false, 1, "\x90" },
		{ EM_386, false, 5, "\x0f\x1f\x44\x00\x00" },
		{ EM_AARCH64, true, 4, "\x1f\x20\x03\xd5" }, /* nop */
		{ EM_RISCV, true, 2, "\x01\x00" },           /* c.nop */
		{ EM_RISCV, false, 4, "\x13\x00\x00\x00" },  /* addi x0, x0, 0 */
		{ EM_ARM, false, 4, "\x00\x00\xa0\xe1" },    /* mov r0, r0 */
		{ EM_ARM, false, 4, "\x00\xf0\x20\xe3" },    /* nop */
	};
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64, EM_RISCV, EM_ARM };
	struct usdt_place place;

	for (size_t i = 0; i < sizeof(nops) / sizeof(nops[0]); i++) {
		bool is_64 = nops[i].is_64;
		struct parts parts_, *parts = &parts_;
		char bytes[8] = "";

		make_parts(parts, is_64, nops[i].machine);
		buffer_empty(&parts->notes);
		NOTE(TEXT, 0, "work\0begin\0");
		memcpy(bytes, nops[i].code, nops[i].bytes);
		set_code(parts, bytes, sizeof(bytes));
		ck_assert_msg(has_place(parts, &place), "nop %zu", i);
		ck_assert_uint_eq(place.offset, image_offset(&parts->image, TEXT_SECTION));
		ck_assert(span_is(place.provider, "work") && span_is(place.name, "begin"));
		ck_assert_uint_eq(place.semaphore_offset, 0);
		for (size_t k = 0; k < nops[i].bytes; k++) {
			bytes[k] ^= 1;
			set_code(parts, bytes, sizeof(bytes));
			ck_assert_msg(!has_place(parts, &place), "nop %zu, byte %zu", i, k);
			bytes[k] ^= 1;
		}
		set_code(parts, bytes, sizeof(bytes));
		for (size_t k = 0; k < sizeof(machines) / sizeof(machines[0]); k++) {
			bool is_x86 = nops[i].code[0] == '\x90' || nops[i].code[0] == '\x0f';
			bool is_same = is_x86 ? machines[k] == EM_X86_64 || machines[k] == EM_386
					      : machines[k] == nops[i].machine;

			parts->image.machine = machines[k];
			ck_assert_msg(has_place(parts, &place) == is_same, "nop %zu for %u", i, machines[k]);
		}
		free_parts(parts);
	}
}

/* What is wrong with a note that is right but for that. */
START_TEST(notes_of_probes_are_whole)
{
	static const struct {
		size_t offset;
		uint64_t value;
		unsigned bytes;
		bool is_place;
	} changes[] = {
		{ 0, 8, 4, true },
		{ 0, 7, 4, false },
		{ 0, 9, 4, false },
		{ 8, 3, 4, true },
		{ 8, 2, 4, false },
		{ 8, 4, 4, false },
		{ 12, 's', 1, true },
		{ 12, 'S', 1, false },
		{ 18, 'T', 1, false },
		{ 19, 'x', 1, false },
		{ 44, 'W', 1, true },
		{ 44, 0, 1, false }, /* no provider */
		{ 49, 0, 1, false }, /* no name */
		{ 4, 24 + 11, 4, true },
		{ 4, 24 + 10, 4, false }, /* its NUL is outside */
		{ 4, 23, 4, false },
		{ 36, IMAGE_ADDRESS - 0x1000, 8, false }, /* no semaphore is the first byte */
		{ 36, IMAGE_ADDRESS - 0x1000 + 1, 8, true },
	};
	const bool is_64 = true;
	struct usdt_place place;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct parts parts_, *parts = &parts_;

		make_parts(parts, is_64, EM_X86_64);
		buffer_empty(&parts->notes);
		add_note(&parts->notes, is_64, TEXT + 7, 0, "work\0begin", 11);
		ck_assert(has_place(parts, &place));
		image_set(&parts->notes, changes[i].offset, changes[i].value, changes[i].bytes);
		ck_assert_msg(has_place(parts, &place) == changes[i].is_place, "change %zu", i);
		free_parts(parts);
	}
}

START_TEST(names_of_probes_are_as_long_as_those_of_functions)
{
	const bool is_64 = true;
	struct usdt_place place;

	for (size_t provider = SYMBOL_NAME_MAX; provider <= SYMBOL_NAME_MAX + 1; provider++)
		for (size_t name = SYMBOL_NAME_MAX; name <= SYMBOL_NAME_MAX + 1; name++) {
			struct parts parts_, *parts = &parts_;
			struct buffer texts = { 0 };

			make_parts(parts, is_64, EM_X86_64);
			buffer_fill(&texts, 'p', provider);
			buffer_char(&texts, '\0');
			buffer_fill(&texts, 'n', name);
			buffer_char(&texts, '\0');
			buffer_empty(&parts->notes);
			add_note(&parts->notes, is_64, TEXT + 7, 0, texts.bytes, texts.length);
			ck_assert_int_eq(has_place(parts, &place),
					 provider == SYMBOL_NAME_MAX && name == SYMBOL_NAME_MAX);
			buffer_free(&texts);
			free_parts(parts);
		}
}

/* Only where both the file and the note say where it was. */
START_TEST(places_move_with_their_file)
{
	static const struct {
		uint64_t file_base, note_base, address;
	} cases[] = {
		{ NOTES_BASE, NOTES_BASE - 0x1000, TEXT + 7 - 0x1000 },
		{ NOTES_BASE, NOTES_BASE + 0x1000, TEXT + 7 + 0x1000 },
		{ NOTES_BASE, 0, TEXT + 7 },
		{ 0, NOTES_BASE, TEXT + 7 },
	};
	const bool is_64 = true;
	struct usdt_place place;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parts parts_, *parts = &parts_;

		make_parts(parts, is_64, EM_X86_64);
		buffer_empty(&parts->notes);
		NOTE(TEXT + 7, 0, "work\0begin\0");
		image_set(&parts->notes, 20, cases[i].address, 8);
		image_set(&parts->notes, 28, cases[i].note_base, 8);
		parts->image.sections[BASE].address = cases[i].file_base;
		ck_assert_msg(has_place(parts, &place), "case %zu", i);
		ck_assert_uint_eq(place.offset, image_offset(&parts->image, TEXT_SECTION) + 7);
		image_set(&parts->notes, 20, cases[i].address + 0x1000, 8);
		ck_assert_msg(!has_place(parts, &place), "case %zu", i);
		free_parts(parts);
	}
}

/* --- The kernel, in which a call that is probed takes 20 ns more. */

#define MS UINT64_C(1000000)
#define CALL_NS 50 /* of all that is measured at once */
#define PROBED_CALL_NS (CALL_NS + 50 * 20)

static uint64_t clock_ns = 1000000 * MS;
static bool own_is_probed;
static struct event {
	uint32_t pid;
	uint64_t offset, semaphore_offset;
	bool at_return;
	int fd;
	ino_t program, number; /* number: of its descriptor, which may be another file's later */
} events[512];
static unsigned n_events;
static int event_error;
static uint32_t event_error_pid;
static char wanted[4096]; /* what was set and removed: "+7=0 -7 " */

static uint64_t mono_ns(const struct machine_clock *clock)
{
	(void)clock;
	return clock_ns += own_is_probed ? PROBED_CALL_NS : CALL_NS;
}

static const struct machine_clock script = { .mono_ns = mono_ns };

static ino_t number_of(int fd)
{
	struct stat status;

	ck_assert_int_eq(fstat(fd, &status), 0);
	return status.st_ino;
}

int uprobe_form_read(struct env *env, struct uprobe_form *form)
{
	(void)env;
	(void)form;
	return -ENOENT;
}

int uprobe_open(const struct uprobe_form *form, const struct uprobe_place *place, uint32_t process,
		int program)
{
	ck_assert_uint_eq(form->type, 77);
	own_is_probed = process == (uint32_t)getpid();
	if (event_error && (event_error_pid == 0 || process == event_error_pid))
		return event_error;
	ck_assert_uint_lt(n_events, sizeof(events) / sizeof(events[0]));
	events[n_events] = (struct event){ process,
					   place->offset,
					   place->semaphore_offset,
					   place->at_return,
					   memfd_create("event", MFD_CLOEXEC),
					   number_of(program),
					   0 };
	events[n_events].number = number_of(events[n_events].fd);
	return events[n_events++].fd;
}

static long change_map(int command, const union bpf_attr *attr)
{
	uint64_t key = *(const uint64_t *)(uintptr_t)attr->key;
	size_t length = strlen(wanted);

	if (key == (uint64_t)getpid())
		own_is_probed = false;
	else if (command == BPF_MAP_UPDATE_ELEM)
		snprintf(wanted + length, sizeof(wanted) - length, "+%lu=%lu ", (unsigned long)key,
			 (unsigned long)*(const uint64_t *)(uintptr_t)attr->value);
	else
		snprintf(wanted + length, sizeof(wanted) - length, "-%lu ", (unsigned long)key);
	return 0;
}

long syscall(long number, ...)
{
	long arguments[6];
	va_list list;

	va_start(list, number);
	take_arguments(arguments, list);
	va_end(list);
	if (number == SYS_bpf)
		return change_map((int)arguments[0], (const union bpf_attr *)arguments[1]);
	return real_syscall(number, arguments);
}

/* --- Its thread goes on when the test wants it, up to where it would wait. */

static jmp_buf waits;

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
	(void)condition;
	(void)until;
	pthread_mutex_unlock(mutex);
	longjmp(waits, 1);
}

static void *go_on(void *nothing)
{
	if (setjmp(waits) == 0)
		held_routine(held_context);
	return nothing;
}

/* So much later. */
static void round_after(unsigned ms)
{
	clock_ns += ms * MS;
	run_in_thread(go_on);
}

/* --- Processes, and the file that they map. */

static char path[SCRATCH_PATH_MAX + 16];
static uint64_t code_offset;

/* False: what is there may not be mapped as code. */
static bool write_library_to(const char *directory, const struct parts *parts)
{
	FILE *file;
	void *mapped;

	snprintf(path, sizeof(path), "%s/libwork.so", directory);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(parts->file.bytes, 1, parts->file.length, file), parts->file.length);
	fclose(file);
	file = fopen(path, "r");
	mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0);
	fclose(file);
	if (mapped != MAP_FAILED)
		munmap(mapped, 4096);
	return mapped != MAP_FAILED;
}

static void write_library(void)
{
	char on_disk[SCRATCH_PATH_MAX], in_memory[SCRATCH_PATH_MAX];
	struct parts parts;

	ck_assert_int_eq(privilege_open(), 0); /* helpers of root keep what they need in a container */
	scratch_directory(on_disk, "probes");
	scratch_directory_in_memory(in_memory, "probes");
	make_parts(&parts, true, EM_X86_64);
	code_offset = image_offset(&parts.image, TEXT_SECTION);
	if (!write_library_to(on_disk, &parts) && !write_library_to(in_memory, &parts))
		skip_test("files made here may not be mapped as code: %s", strerror(errno));
	free_parts(&parts);
}

struct child {
	pid_t pid;
	int orders, answers;
};

/* It maps the file by an order, or takes it off. */
static void obey(int orders, int answers)
{
	FILE *file = fopen(path, "r");
	void *mapped = NULL;
	char letter;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(orders, &letter, 1) == 1) {
		if (letter == 'm')
			mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0);
		else
			munmap(mapped, 4096);
		if (write(answers, &letter, 1) != 1)
			break;
	}
	_exit(0);
}

static void order(const struct child *child, char what)
{
	ck_assert_int_eq(write(child->orders, &what, 1), 1);
	ck_assert_int_eq(read(child->answers, &what, 1), 1);
}

static struct child start(bool maps)
{
	int orders[2], answers[2];
	struct child child;

	ck_assert_int_eq(pipe(orders), 0);
	ck_assert_int_eq(pipe(answers), 0);
	child.pid = fork();
	ck_assert_int_ge(child.pid, 0);
	if (child.pid == 0) {
		close(orders[1]);
		obey(orders[0], answers[1]);
	}
	close(orders[0]);
	close(answers[1]);
	child.orders = orders[1];
	child.answers = answers[0];
	if (maps)
		order(&child, 'm');
	return child;
}

static int by_pid(const void *a, const void *b)
{
	const struct child *one = a, *other = b;

	return (one->pid > other->pid) - (one->pid < other->pid);
}

/* Which have mapped it, in the order of their numbers. */
static void start_all(struct child *children, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		children[i] = start(true);
	qsort(children, n, sizeof(*children), by_pid);
}

static void end(const struct child *child)
{
	kill(child->pid, SIGKILL);
	ck_assert_int_eq(waitpid(child->pid, NULL, 0), child->pid);
	close(child->orders);
	close(child->answers);
}

/* --- Probes. */

enum { ENTER, LEAVE, HIT };

static struct prober *prober;
static struct trace_set set;
static ino_t programs[3];
static struct bpf_hits *hits;
static struct probe_view view;

static void open_prober(void)
{
	const struct uprobe_form form = { .type = 77, .at_return = 1, .semaphores = true };
	size_t bytes = sizeof(*hits) * (PROBE_PROCESSES_MAX + 1);

	write_library();
	for (unsigned i = 0; i < 3; i++) {
		set.running[i].loaded = memfd_create("program", MFD_CLOEXEC);
		programs[i] = number_of(set.running[i].loaded);
	}
	set.maps[BPF_MAP_WANTED] = memfd_create("wanted", MFD_CLOEXEC);
	set.maps[BPF_MAP_HITS] = memfd_create("hits", MFD_CLOEXEC);
	ck_assert_int_eq(ftruncate(set.maps[BPF_MAP_HITS], (off_t)bytes), 0);
	hits = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, set.maps[BPF_MAP_HITS], 0);
	ck_assert_ptr_ne(hits, MAP_FAILED);
	prober = prober_open(&script, &form, 0.05);
	ck_assert_ptr_nonnull(prober);
}

static struct probe *add(const char *file, const char *function, uint32_t pid)
{
	char text[SCRATCH_PATH_MAX + 64];

	snprintf(text, sizeof(text), "%s:%s", file, function);
	return prober_add(prober, &set, text, pid);
}

static void check_state(const struct probe *probe, enum probe_state state)
{
	prober_view(prober, probe, &view);
	ck_assert_msg(view.state == state, "%d, error %d, fault %d", view.state, view.error, view.fault);
}

/* Of those of this process, from the first one on: "r0" a return at this place, "e0" an entry, "h0" a hit. */
static void check_events(uint32_t pid, unsigned first, const char *expected)
{
	char text[256] = "";

	for (unsigned i = first; i < n_events; i++) {
		const struct event *event = &events[i];
		char kind = event->program == programs[LEAVE]   ? 'r'
			    : event->program == programs[ENTER] ? 'e'
								: 'h';

		if (event->pid != pid)
			continue;
		ck_assert_int_eq(event->at_return, kind == 'r');
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%c%lu ", kind,
			 (unsigned long)(event->offset - code_offset));
	}
	ck_assert_str_eq(text, expected);
}

/* pid 0: of all. */
static unsigned n_open(uint32_t pid)
{
	struct stat status;
	unsigned n = 0;

	for (unsigned i = 0; i < n_events; i++)
		n += (pid == 0 || events[i].pid == pid) && fstat(events[i].fd, &status) == 0 &&
		     status.st_ino == events[i].number;
	return n;
}

#define TARGETS(...)                                                                                         \
	prober_target(prober, (const struct probe_target[]){ __VA_ARGS__ },                                  \
		      sizeof((const struct probe_target[]){ __VA_ARGS__ }) / sizeof(struct probe_target),    \
		      false)

static void close_prober(void)
{
	prober_close(prober, true);
	round_after(0);
	ck_assert_uint_eq(n_open(0), 0);
}

START_TEST(a_probe_counts_as_long_as_it_costs_little)
{
	struct child children[2], one, other;
	struct probe *probe;
	char text[64];

	open_prober();
	start_all(children, 2);
	one = children[0];
	other = children[1];
	probe = add(path, "count_words", 0);
	ck_assert_ptr_nonnull(probe);
	check_state(probe, PROBE_LOOKING);
	ck_assert(isnan(view.cost_seconds) && isnan(view.expected_per_second));
	round_after(0); /* nobody is known */
	check_state(probe, PROBE_LOOKING);
	ck_assert_uint_eq(n_events, 0);
	TARGETS({ (uint32_t)one.pid, 11, false }, { (uint32_t)other.pid, 22, true });
	round_after(0);
	check_state(probe, PROBE_COUNTING);
	ck_assert(view.is_function && view.is_nop);
	ck_assert_double_eq_tol(view.cost_seconds, 20e-9, 1e-12);
	ck_assert(isnan(view.expected_per_second));
	ck_assert(view.processes[0].target.pid == (uint32_t)one.pid &&
		  view.processes[0].target.start_ticks == 11);
	ck_assert_int_eq(view.processes[0].state, PROBED_COUNTING);
	ck_assert_uint_eq(view.processes[1].target.pid, 0); /* it is outside */
	ck_assert_uint_eq(n_events, 4); /* the first two for the price; returns before entries */
	ck_assert_uint_eq(events[0].pid, (uint32_t)getpid());
	ck_assert(events[0].program == programs[LEAVE] && events[1].program == programs[ENTER]);
	check_events((uint32_t)one.pid, 0, "r0 e0 ");
	snprintf(text, sizeof(text), "+%d=0 ", one.pid);
	ck_assert_str_eq(wanted, text);

	hits[0].hits = 1000;
	round_after(99); /* it is looked at after a tenth of a second */
	prober_view(prober, probe, &view);
	ck_assert(isnan(view.expected_per_second));
	round_after(1);
	check_state(probe, PROBE_COUNTING);
	ck_assert_double_eq_tol(view.expected_per_second, 10000, 10);
	hits[0].hits += 240000; /* 2.4 million a second take 4.8 % */
	hits[1].hits += 9000;
	round_after(100);
	check_state(probe, PROBE_COUNTING);
	ck_assert_double_eq_tol(view.expected_per_second, 2490000, 2490);
	hits[1].hits += 251000;
	round_after(100);
	check_state(probe, PROBE_COSTLY);
	ck_assert_int_eq(view.processes[0].state, PROBED_NOT);
	ck_assert_uint_eq(n_open((uint32_t)one.pid), 0);
	round_after(1000);
	check_state(probe, PROBE_COSTLY);
	wanted[0] = '\0';
	prober_allow(prober, probe);
	round_after(0);
	check_state(probe, PROBE_COUNTING);
	check_events((uint32_t)one.pid, 4, "r0 e0 ");
	ck_assert_uint_eq(n_events, 6); /* the price is known */
	ck_assert_str_eq(wanted, text);
	ck_assert_int_eq(view.processes[0].state, PROBED_COUNTING);
	hits[0].hits += 1000000;
	round_after(100);
	check_state(probe, PROBE_COUNTING);

	TARGETS({ (uint32_t)one.pid, 12, false }, { (uint32_t)other.pid, 22, false });
	round_after(600); /* the first one is another process now */
	check_state(probe, PROBE_COUNTING);
	ck_assert_int_eq(view.processes[0].state, PROBED_ENDED);
	ck_assert_uint_eq(view.processes[1].target.pid, (uint32_t)one.pid);
	ck_assert_uint_eq(view.processes[1].target.start_ticks, 12);
	ck_assert_uint_eq(view.processes[2].target.pid, (uint32_t)other.pid);
	ck_assert_uint_eq(hits[1].hits, 0); /* the number is given anew */
	ck_assert_uint_ne(hits[0].hits, 0);
	TARGETS({ (uint32_t)other.pid, 22, true });
	round_after(600);
	check_state(probe, PROBE_ABSENT);
	ck_assert_int_eq(view.processes[1].state, PROBED_ENDED);
	ck_assert_int_eq(view.processes[2].state, PROBED_NOT);
	ck_assert_uint_eq(n_open((uint32_t)one.pid) + n_open((uint32_t)other.pid), 0);
	prober_remove(prober, probe);
	round_after(0);
	close_prober();
	end(&one);
	end(&other);
}

START_TEST(a_probe_of_the_authors_has_places)
{
	struct child one;
	struct probe *probe, *of_none;

	open_prober();
	one = start(true);
	probe = add("libwork.so", "work:begin", 0);
	of_none = add("libother.so", "count_words", 0);
	TARGETS({ (uint32_t)one.pid, 11, false });
	round_after(0);
	check_state(of_none, PROBE_ABSENT);
	check_state(probe, PROBE_COUNTING);
	ck_assert(!view.is_function && !view.is_nop);
	check_events((uint32_t)one.pid, 0, "h7 h8 ");
	ck_assert(events[0].program == programs[HIT] && events[0].pid == (uint32_t)getpid());
	ck_assert_uint_eq(events[1].semaphore_offset, 0);
	ck_assert_uint_eq(events[2].semaphore_offset, code_offset + 6);
	order(&one, 'u');
	round_after(600);
	check_state(probe, PROBE_ABSENT);
	ck_assert_int_eq(view.processes[0].state, PROBED_GONE);
	ck_assert_uint_eq(n_open((uint32_t)one.pid), 0);
	order(&one, 'm');
	round_after(400); /* it is not looked for so often */
	check_state(probe, PROBE_ABSENT);
	round_after(200);
	check_state(probe, PROBE_COUNTING);
	ck_assert_int_eq(view.processes[0].state, PROBED_COUNTING);
	close_prober();
	end(&one);
}

START_TEST(a_chosen_process_may_map_the_file_later)
{
	struct child children[2], one, other;
	struct probe *of_one, *of_file;

	open_prober();
	start_all(children, 2);
	one = children[0];
	other = children[1];
	order(&one, 'u');
	of_one = add(path, "count_words", (uint32_t)one.pid);
	of_file = add("libwork.so", "count_words", (uint32_t)one.pid);
	TARGETS({ (uint32_t)one.pid, 11, true }, { (uint32_t)other.pid, 22, false });
	round_after(0);
	check_state(of_file, PROBE_ABSENT); /* which file is meant is not known */
	check_state(of_one, PROBE_COUNTING);
	ck_assert_int_eq(view.processes[0].state, PROBED_WAITING);
	ck_assert_uint_eq(view.processes[1].target.pid, 0);
	check_events((uint32_t)one.pid, 0, "r0 e0 ");
	order(&one, 'm');
	round_after(600);
	check_state(of_one, PROBE_COUNTING);
	ck_assert_int_eq(view.processes[0].state, PROBED_COUNTING);
	check_state(of_file, PROBE_COUNTING);
	check_events((uint32_t)one.pid, 0, "r0 e0 r0 e0 ");
	check_events((uint32_t)other.pid, 0, "");
	order(&one, 'u');
	round_after(600);
	check_state(of_one, PROBE_ABSENT);
	ck_assert_int_eq(view.processes[0].state, PROBED_GONE);
	close_prober();
	end(&one);
	end(&other);
}

START_TEST(what_cannot_be_probed_is_told)
{
	struct child children[2], one, other;
	struct probe *probe;

	open_prober();
	start_all(children, 2);
	one = children[0];
	other = children[1];
	ck_assert_ptr_null(prober_add(prober, &set, "no_colon", 0));
	ck_assert_int_eq(errno, EINVAL);
	TARGETS({ (uint32_t)one.pid, 11, false }, { (uint32_t)other.pid, 22, false });
	probe = add(path, "count_wrds", 0);
	round_after(0);
	check_state(probe, PROBE_REFUSED);
	ck_assert_int_eq(view.fault, PROBE_FAULT_NOTHING);
	ck_assert_str_eq(view.near, "count_words");
	probe = add("/nowhere/libwork.so", "count_words", 0);
	round_after(0);
	check_state(probe, PROBE_FAILED);
	ck_assert_int_eq(view.error, -ENOENT);
	probe = add("libwork.so", "table", 0);
	round_after(0);
	check_state(probe, PROBE_REFUSED);
	ck_assert_int_eq(view.fault, PROBE_FAULT_DATA);
	ck_assert_uint_eq(n_events, 0);
	event_error = -EACCES; /* of the price */
	event_error_pid = (uint32_t)getpid();
	probe = add(path, "count_words", 0);
	round_after(0);
	check_state(probe, PROBE_FAILED);
	ck_assert_int_eq(view.error, -EACCES);
	ck_assert_uint_eq(n_open((uint32_t)one.pid), 0);
	event_error = -ESRCH; /* it has ended meanwhile; the other one has not */
	event_error_pid = (uint32_t)one.pid;
	probe = add(path, "count_words", 0);
	round_after(0);
	check_state(probe, PROBE_COUNTING);
	ck_assert_int_eq(view.processes[0].state, PROBED_ENDED);
	ck_assert_int_eq(view.processes[1].state, PROBED_COUNTING);
	ck_assert_uint_eq(n_open((uint32_t)other.pid), 2);
	prober_remove(prober, probe);
	round_after(0);
	ck_assert_uint_eq(n_open(0), 0);
	event_error = -EINVAL; /* nothing stays */
	event_error_pid = (uint32_t)other.pid;
	probe = add(path, "twice", 0);
	round_after(0);
	check_state(probe, PROBE_FAILED);
	ck_assert_int_eq(view.error, -EINVAL);
	ck_assert_int_eq(view.processes[0].state, PROBED_NOT);
	ck_assert_uint_eq(n_open(0), 0);
	close_prober();
	end(&one);
	end(&other);
}

START_TEST(as_many_processes_are_probed_as_there_is_room_for)
{
	static struct child children[PROBE_PROCESSES_MAX + 1];
	static struct probe_target targets[PROBE_PROCESSES_MAX + 1];
	struct probe *probe;

	open_prober();
	start_all(children, PROBE_PROCESSES_MAX + 1);
	for (unsigned i = 0; i <= PROBE_PROCESSES_MAX; i++)
		targets[i] = (struct probe_target){ (uint32_t)children[i].pid, 7, false };
	probe = add(path, "count_words", 0);
	prober_target(prober, targets, PROBE_PROCESSES_MAX + 1, false);
	round_after(0);
	check_state(probe, PROBE_CROWDED);
	ck_assert_uint_eq(view.n_mapped, PROBE_PROCESSES_MAX + 1);
	ck_assert_uint_eq(n_events, 0);
	prober_target(prober, targets, PROBE_PROCESSES_MAX, false);
	round_after(60000);
	check_state(probe, PROBE_COUNTING);
	for (unsigned i = 0; i < PROBE_PROCESSES_MAX; i++) {
		ck_assert_uint_eq(view.processes[i].target.pid, targets[i].pid);
		ck_assert_int_eq(view.processes[i].state, PROBED_COUNTING);
	}
	ck_assert_uint_eq(n_events, 2 + 2 * PROBE_PROCESSES_MAX);
	hits[5].hits = 10;
	prober_target(prober, targets + 1, PROBE_PROCESSES_MAX, false);
	round_after(60000); /* the last one gets the number of the first */
	check_state(probe, PROBE_COUNTING);
	ck_assert_uint_eq(view.processes[0].target.pid, targets[PROBE_PROCESSES_MAX].pid);
	ck_assert_uint_eq(hits[5].hits, 10);
	prober_target(prober, targets, PROBE_PROCESSES_MAX + 1, false);
	round_after(60000);
	check_state(probe, PROBE_CROWDED);
	for (unsigned i = 0; i <= PROBE_PROCESSES_MAX; i++)
		ck_assert_uint_eq(n_open(targets[i].pid), 0);
	close_prober();
	for (unsigned i = 0; i <= PROBE_PROCESSES_MAX; i++)
		end(&children[i]);
}

/* --- Functions of a process. */

/* How often the list has it in the file; provider "": a function. */
static unsigned n_listed(const struct listed_functions *functions, const char *provider, const char *name)
{
	const char *texts = functions->texts.bytes;
	unsigned n = 0;

	for (size_t i = 0; i < functions->n; i++) {
		const struct listed_function *listed = &functions->list[i];

		n += strcmp(texts + functions->files[listed->file], path) == 0 &&
		     strcmp(texts + listed->provider, provider) == 0 &&
		     strcmp(texts + listed->name, name) == 0;
	}
	return n;
}

START_TEST(functions_are_those_of_the_files_that_are_mapped)
{
	static const struct {
		const char *provider, *name;
		unsigned n;
	} cases[] = {
		{ "", "count_words", 1 },
		{ "", "twice", 1 },
		{ "", "both", 1 },
		{ "", "table", 0 },
		{ "", "open", 0 },
		{ "", "outside", 0 },
		{ "work", "begin", 1 },
		{ "other", "begin", 1 },
		{ "work", "both", 1 },
		{ "", "begin", 0 },
		{ "work", "count_words", 0 },
	};
	struct function_list list = { .clock = &script };
	struct child one;
	uint32_t pid;

	write_library();
	one = start(true);
	pid = (uint32_t)one.pid;
	function_list_update(&list, 0, 0, true);
	ck_assert(!list.known && held_routine == NULL); /* of no process */
	function_list_update(&list, pid, 11, false);
	ck_assert(!list.known && held_routine != NULL);
	round_after(0);
	function_list_update(&list, pid, 11, false);
	ck_assert(list.known);
	ck_assert_int_eq(list.now.error, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && list.now.n_left_out == 0; i++)
		ck_assert_msg(n_listed(&list.now, cases[i].provider, cases[i].name) == cases[i].n, "%s:%s",
			      cases[i].provider, cases[i].name);
	order(&one, 'u');
	held_routine = NULL;
	clock_ns += 1990 * MS;
	function_list_update(&list, pid, 11, true); /* it was read just now */
	ck_assert_ptr_null(held_routine);
	clock_ns += 10 * MS;
	function_list_update(&list, pid, 11, false);
	ck_assert_ptr_nonnull(held_routine);
	ck_assert(list.known); /* as it was before */
	round_after(0);
	function_list_update(&list, pid, 11, false);
	ck_assert(list.known && list.now.n > 0);
	ck_assert_uint_eq(n_listed(&list.now, "", "count_words"), 0);
	order(&one, 'm');
	held_routine = NULL;
	function_list_update(&list, pid, 12, false); /* another one that has its number */
	ck_assert(!list.known && held_routine != NULL);
	round_after(0);
	function_list_update(&list, pid, 12, true);
	ck_assert(list.known);
	if (list.now.n_left_out == 0)
		ck_assert_uint_eq(n_listed(&list.now, "", "count_words"), 1);
	end(&one);
	clock_ns += 3000 * MS;
	function_list_update(&list, pid, 12, false);
	round_after(0);
	function_list_update(&list, pid, 12, false);
	ck_assert_int_lt(list.now.error, 0); /* it has ended */
	ck_assert_uint_eq(list.now.n, 0);
	function_list_close(&list);
}
