/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what --probe-call names, and of where that is in a file: its symbols, and its notes (USDT). */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "elf_image.h"
#include "kernel/code/usdt.h"
#include "suite.h"
#include "topic/probe/probe_code.h"

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
	probe_code_find(&found, image_span(&parts->file), &name);
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
