/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of Go's tables of functions: of all releases, broken, and of a real program. */
#include <config.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_image.h"
#include "kernel/code/go_functions.h"
#include "suite.h"

#define TEXT 0x401000
#define N 3

static const struct {
	uint32_t magic;
	bool is_relative; /* addresses are to runtime.text */
	bool has_parts;   /* the header has the offsets of the parts */
} releases[] = {
	{ 0xfffffffb, false, false }, /* 1.2 */
	{ 0xfffffffa, false, true },  /* 1.16 */
	{ 0xfffffff0, true, true },   /* 1.18 */
	{ 0xfffffff1, true, true },   /* 1.20 */
};
#define N_RELEASES (sizeof(releases) / sizeof(releases[0]))

static const struct {
	const char *name;
	uint32_t from; /* runtime.text */
} functions[N + 1] = {
	{ "runtime.main", 0 }, { "main.work[...]", 0x40 }, { "main.main", 0x100 }, { "", 0x110 }
};

static const char names[] = "runtime.main\0main.work[...]\0main.main";

static uint64_t name_offset(unsigned i)
{
	uint64_t offset = 0;

	while (i-- > 0)
		offset += strlen(functions[i].name) + 1;
	return offset;
}

/* The list of pairs, and behind it the descriptions; their offsets are from base bytes before the list. */
static void add_pairs(struct buffer *table, uint64_t text, unsigned field, uint64_t base, uint64_t names_at)
{
	uint64_t descriptions = base + (2 * N + 1) * field;

	for (unsigned i = 0; i < N; i++) {
		image_add(table, text + functions[i].from, field);
		image_add(table, descriptions + i * (field + 4), field);
	}
	image_add(table, text + functions[N].from, field);
	for (unsigned i = 0; i < N; i++) {
		image_add(table, text + functions[i].from, field);
		image_add(table, names_at + name_offset(i), 4);
	}
}

/* text_word: runtime.text as the header has it. */
static void make_table(struct buffer *table, unsigned release, unsigned pointer, uint64_t text_word)
{
	bool is_relative = releases[release].is_relative;
	unsigned field = is_relative ? 4 : pointer, n_words = is_relative ? 8 : 7;
	uint64_t names_at = 8 + n_words * pointer;

	buffer_empty(table);
	image_add(table, releases[release].magic, 4);
	image_add(table, 0, 2);
	image_add(table, 1, 1);
	image_add(table, pointer, 1);
	image_add(table, N, pointer);
	if (!releases[release].has_parts) {
		names_at = 8 + pointer + (2 * N + 1) * pointer + N * (pointer + 4);
		add_pairs(table, TEXT, pointer, 8 + pointer, names_at);
		buffer_add(table, names, sizeof(names));
		return;
	}
	image_add(table, 1, pointer);
	if (is_relative)
		image_add(table, text_word, pointer);
	image_add(table, names_at, pointer);
	for (unsigned i = 0; i < 3; i++)
		image_add(table, names_at + sizeof(names), pointer);
	image_add(table, names_at + sizeof(names), pointer);
	buffer_add(table, names, sizeof(names));
	add_pairs(table, is_relative ? 0 : TEXT, field, 0, 0);
}

static const char *at(const struct symbols *symbols, uint64_t address)
{
	uint64_t offset;
	const char *name = symbols_find(symbols, address, &offset);

	return name ? name : "-";
}

static void check_functions(struct symbols *symbols)
{
	symbols_sort(symbols);
	ck_assert_uint_eq(symbols->count, N);
	ck_assert_str_eq(at(symbols, TEXT - 1), "-");
	ck_assert_str_eq(at(symbols, TEXT), "runtime.main");
	ck_assert_str_eq(at(symbols, TEXT + 0x3f), "runtime.main");
	ck_assert_str_eq(at(symbols, TEXT + 0x40), "main.work[...]");
	ck_assert_str_eq(at(symbols, TEXT + 0x10f), "main.main");
	ck_assert_str_eq(at(symbols, TEXT + 0x110), "-");
	symbols_free(symbols);
}

START_TEST(tables_of_all_releases_are_read)
{
	for (unsigned release = 0; release < N_RELEASES; release++)
		for (unsigned pointer = 4; pointer <= 8; pointer += 4) {
			struct symbols symbols = { 0 };
			struct buffer table = { 0 };

			make_table(&table, release, pointer, 0);
			ck_assert(go_functions_add(image_span(&table), TEXT, &symbols));
			check_functions(&symbols);
			buffer_free(&table);
		}
}

START_TEST(other_tables_are_refused)
{
	static const struct {
		unsigned offset;
		uint8_t value;
	} changes[] = { { 0, 0 }, { 3, 0 }, { 4, 1 }, { 5, 1 }, { 7, 0 }, { 7, 2 }, { 7, 16 } };
	struct symbols symbols = { 0 };
	struct buffer table = { 0 };

	ck_assert(!go_functions_add(span_of(NULL, 0), TEXT, &symbols));
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		make_table(&table, 3, 8, 0);
		image_set(&table, changes[i].offset, changes[i].value, 1);
		ck_assert_msg(!go_functions_add(image_span(&table), TEXT, &symbols), "change %zu", i);
	}
	ck_assert_uint_eq(symbols.count, 0);
	buffer_free(&table);
}

/* Every cut, every byte changed, and counts that the table has no room for. */
START_TEST(broken_tables_do_no_harm)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0xff };

	for (unsigned release = 0; release < N_RELEASES; release++) {
		struct symbols symbols = { 0 };
		struct buffer table = { 0 };

		make_table(&table, release, 8, 0);
		for (size_t length = 0; length < table.length; length++) {
			char *copy = malloc(length + 1);

			memcpy(copy, table.bytes, length);
			go_functions_add(span_of(copy, length), TEXT, &symbols);
			free(copy);
		}
		for (size_t i = 8; i < table.length; i++) {
			char before = table.bytes[i];

			for (size_t v = 0; v < sizeof(values); v++) {
				table.bytes[i] = (char)values[v];
				go_functions_add(image_span(&table), TEXT, &symbols);
			}
			table.bytes[i] = before;
		}
		symbols_free(&symbols);
		image_set(&table, 8, UINT64_MAX, 8);
		ck_assert(go_functions_add(image_span(&table), TEXT, &symbols));
		ck_assert_uint_ge(symbols.count, N);
		ck_assert_uint_lt(symbols.count, table.length);
		symbols_free(&symbols);
		buffer_free(&table);
	}
}

/*
 * Where a program has the address of its code: in the table, in a relocation of it, in .go.module, or
 * nowhere. The table is at the first address of the image, where it can be read.
 */
START_TEST(the_address_of_the_code_is_found)
{
	static const struct {
		uint64_t text_word, relocated, module_word, text;
	} cases[] = {
		{ TEXT, 0, 0, 1 }, { 0, TEXT, 0, 1 }, { 0, 0, TEXT, 1 }, { 0, 0, 0, TEXT }, { TEXT, 0, 1, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer table = { 0 }, module = { 0 }, relocations = { 0 }, bytes = { 0 };
		struct image image = { .is_64 = true, .machine = EM_X86_64, .type = ET_DYN };
		struct symbols symbols = { 0 };
		struct elf_file file;

		make_table(&table, 3, 8, cases[i].text_word);
		buffer_fill(&module, '\0', 22 * 8);
		image_add(&module, cases[i].module_word, 8);
		image.sections[0] =
			(struct image_section){ ".gopclntab", SHT_PROGBITS, 0, image_span(&table), 0 };
		image.sections[1] =
			(struct image_section){ ".go.module", SHT_PROGBITS, 0, image_span(&module), 0 };
		image.sections[2] =
			(struct image_section){ ".text", SHT_PROGBITS, 0, span_of("code", 4), cases[i].text };
		image.sections[0].address = IMAGE_ADDRESS + image_offset(&image, 0);
		image.sections[1].address = IMAGE_ADDRESS + image_offset(&image, 1);
		image_add(&relocations, image.sections[0].address + 24, 8);
		image_add(&relocations, cases[i].relocated ? R_X86_64_RELATIVE : R_X86_64_NONE, 8);
		image_add(&relocations, cases[i].relocated, 8);
		image.sections[3] =
			(struct image_section){ ".rela.dyn", SHT_RELA, 0, image_span(&relocations), 0 };
		image_write(&bytes, &image);
		ck_assert(elf_file_parse(&file, image_span(&bytes)));
		ck_assert_uint_eq(go_functions_text(&file), TEXT);
		ck_assert(go_functions(&file, &symbols));
		check_functions(&symbols);
		buffer_free(&table);
		buffer_free(&module);
		buffer_free(&relocations);
		buffer_free(&bytes);
	}
}

static bool find_program(const char *name, char path[4096])
{
	struct span rest = span_text(getenv("PATH") ? getenv("PATH") : ""), folder;

	while (rest.at < rest.end) {
		if (!span_until(&rest, ':', &folder)) {
			folder = rest;
			rest.at = rest.end;
		}
		snprintf(path, 4096, "%.*s/%s", (int)span_length(folder), folder.at, name);
		if (access(path, R_OK) == 0)
			return true;
	}
	return false;
}

/* How many have the name, and *there of them this address. */
static unsigned count_name(const struct symbols *symbols, const char *name, uint64_t address, unsigned *there)
{
	unsigned n = 0;

	*there = 0;
	for (size_t i = 0; i < symbols->count; i++) {
		if (strcmp(symbols->names.bytes + symbols->list[i].name, name) != 0)
			continue;
		n++;
		*there += symbols->list[i].address == address;
	}
	return n;
}

/* What it exports to C has the same address in both tables; Go may have more with the name, for itself. */
static void compare_with_exported(const struct elf_file *file, const struct symbols *functions_of_go)
{
	struct symbols exported = { 0 };

	elf_file_functions(file, &exported);
	symbols_sort(&exported);
	for (size_t i = 0; i < exported.count; i++) {
		const char *name = exported.names.bytes + exported.list[i].name;
		uint64_t offset = 1;
		const char *found = symbols_find(functions_of_go, exported.list[i].address, &offset);
		unsigned there;

		if (!found || offset != 0 || strcmp(found, name) != 0)
			ck_assert_uint_eq(count_name(functions_of_go, name, 0, &there), 0);
	}
	symbols_free(&exported);
}

START_TEST(a_real_program_is_read)
{
	struct symbols symbols = { 0 };
	struct elf_file file;
	char path[4096];
	unsigned there;
	struct stat status;
	void *bytes;
	int fd;

	if (!find_program("prometheus", path) && !find_program("go", path))
		skip_test("there is no Go program in PATH");
	fd = open(path, O_RDONLY);
	ck_assert(fd >= 0 && fstat(fd, &status) == 0);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(bytes, MAP_FAILED);
	if (!elf_file_parse(&file, span_of(bytes, (size_t)status.st_size)) || !go_functions(&file, &symbols))
		skip_test("there is no Go program in PATH");
	symbols_sort(&symbols);
	ck_assert_uint_gt(symbols.count, 1000);
	ck_assert_uint_eq(symbols.n_left_out, 0);
	ck_assert_uint_gt(count_name(&symbols, "runtime.main", 0, &there), 0);
	ck_assert_uint_gt(count_name(&symbols, "main.main", 0, &there), 0);
	compare_with_exported(&file, &symbols);
	if (strcmp(at(&symbols, file.entry), "-") != 0)
		ck_assert_ptr_nonnull(strstr(at(&symbols, file.entry), "rt0"));
	symbols_free(&symbols);
	munmap(bytes, (size_t)status.st_size);
	close(fd);
}
