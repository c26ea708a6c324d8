/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of Go's tables of functions: of all releases, broken, and of a real program. */
#include "suite.h"

#include <elf.h>

#include "elf_image.h"
#include "kernel/code/elf_file.h"

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

/* The table of a test, and what was found in it; each test has a process of its own. */
static struct buffer table;
static struct symbols symbols;

/* text_word: runtime.text as the header has it. */
static void make_table(unsigned release, unsigned pointer, uint64_t text_word)
{
	bool is_relative = releases[release].is_relative;
	unsigned field = is_relative ? 4 : pointer, n_words = is_relative ? 8 : 7;
	uint64_t names_at = 8 + n_words * pointer;

	buffer_empty(&table);
	IMAGE_ADD(&table, pointer == 8, "4211w", releases[release].magic, 0, 1, pointer, N);
	if (!releases[release].has_parts) {
		names_at = 8 + pointer + (2 * N + 1) * pointer + N * (pointer + 4);
		add_pairs(&table, TEXT, pointer, 8 + pointer, names_at);
		buffer_add(&table, names, sizeof(names));
		return;
	}
	image_add(&table, 1, pointer);
	if (is_relative)
		image_add(&table, text_word, pointer);
	image_add(&table, names_at, pointer);
	for (unsigned i = 0; i < 4; i++)
		image_add(&table, names_at + sizeof(names), pointer);
	buffer_add(&table, names, sizeof(names));
	add_pairs(&table, is_relative ? 0 : TEXT, field, 0, 0);
}

static const char *at(uint64_t address)
{
	uint64_t offset;
	const char *name = symbols_find(&symbols, address, &offset);

	return name ? name : "-";
}

static void check_functions(void)
{
	symbols_sort(&symbols);
	ck_assert_uint_eq(symbols.count, N);
	ck_assert_str_eq(textf("%s %s %s %s %s %s", at(TEXT - 1), at(TEXT), at(TEXT + 0x3f), at(TEXT + 0x40),
			       at(TEXT + 0x10f), at(TEXT + 0x110)),
			 "- runtime.main runtime.main main.work[...] main.main -");
	symbols_free(&symbols);
}

static bool find_functions(void)
{
	return go_functions_add(image_span(&table), TEXT, &symbols);
}

START_TEST(tables_of_all_releases_are_read)
{
	for (unsigned release = 0; release < N_RELEASES; release++)
		for (unsigned pointer = 4; pointer <= 8; pointer += 4) {
			make_table(release, pointer, 0);
			ck_assert(find_functions());
			check_functions();
		}
}

START_TEST(other_tables_are_refused)
{
	static const struct {
		unsigned offset;
		uint8_t value;
	} changes[] = { { 0, 0 }, { 3, 0 }, { 4, 1 }, { 5, 1 }, { 7, 0 }, { 7, 2 }, { 7, 16 } };

	ck_assert(!go_functions_add(span_of(NULL, 0), TEXT, &symbols));
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		make_table(3, 8, 0);
		image_set(&table, changes[i].offset, changes[i].value, 1);
		ck_assert_msg(!find_functions() && symbols.count == 0, "change %zu", i);
	}
}

/* Every cut, every byte changed, and counts that the table has no room for. */
START_TEST(broken_tables_do_no_harm)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0xff };

	for (unsigned release = 0; release < N_RELEASES; release++) {
		make_table(release, 8, 0);
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
				find_functions();
			}
			table.bytes[i] = before;
		}
		symbols_free(&symbols);
		image_set(&table, 8, UINT64_MAX, 8);
		ck_assert(find_functions());
		ck_assert(symbols.count >= N && symbols.count < table.length);
		symbols_free(&symbols);
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

	struct buffer module = { 0 }, relocations = { 0 }, bytes = { 0 };
	struct elf_file file;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct image image = { .is_64 = true, .machine = EM_X86_64, .type = ET_DYN };

		make_table(3, 8, cases[i].text_word);
		buffer_empty(&module);
		buffer_fill(&module, '\0', 22 * 8);
		image_add(&module, cases[i].module_word, 8);
		image.sections[0] = (struct image_section){ ".gopclntab", SHT_PROGBITS,
							    .content = image_span(&table) };
		image.sections[1] = (struct image_section){ ".go.module", SHT_PROGBITS,
							    .content = image_span(&module) };
		image.sections[2] = (struct image_section){ ".text", SHT_PROGBITS, 0, span_of("code", 4),
							    cases[i].text };
		image.sections[0].address = IMAGE_ADDRESS + image_offset(&image, 0);
		image.sections[1].address = IMAGE_ADDRESS + image_offset(&image, 1);
		buffer_empty(&relocations);
		IMAGE_ADD(&relocations, true, "www", image.sections[0].address + 24,
			  cases[i].relocated ? R_X86_64_RELATIVE : R_X86_64_NONE, cases[i].relocated);
		image.sections[3] = (struct image_section){ ".rela.dyn", SHT_RELA,
							    .content = image_span(&relocations) };
		image_write(&bytes, &image);
		ck_assert(elf_file_parse(&file, image_span(&bytes)));
		ck_assert_uint_eq(go_functions_text(&file), TEXT);
		ck_assert(go_functions(&file, &symbols));
		check_functions();
	}
	buffer_free(&module);
	buffer_free(&relocations);
	buffer_free(&bytes);
}

/* How many have the name. */
static unsigned count_name(const char *name)
{
	unsigned n = 0;

	for (size_t i = 0; i < symbols.count; i++)
		n += strcmp(symbols.names.bytes + symbols.list[i].name, name) == 0;
	return n;
}

START_TEST(a_real_program_is_read)
{
	FILE *which = popen("command -v prometheus || command -v go", "r");
	char path[4096] = "";
	struct elf_file file;
	struct stat status;
	void *bytes;
	int fd;

	ck_assert_ptr_nonnull(which);
	if (!fgets(path, sizeof(path), which))
		skip_test("there is no Go program in PATH");
	pclose(which);
	path[strcspn(path, "\n")] = '\0';
	fd = open(path, O_RDONLY);
	ck_assert(fd >= 0 && fstat(fd, &status) == 0);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(bytes, MAP_FAILED);
	if (!elf_file_parse(&file, span_of(bytes, (size_t)status.st_size)) || !go_functions(&file, &symbols))
		skip_test("there is no Go program in PATH");
	symbols_sort(&symbols);
	ck_assert(symbols.count > 1000 && symbols.n_left_out == 0);
	ck_assert(count_name("runtime.main") > 0 && count_name("main.main") > 0);

	if (strcmp(at(file.entry), "-") != 0)
		ck_assert_ptr_nonnull(strstr(at(file.entry), "rt0"));
	symbols_free(&symbols);
	munmap(bytes, (size_t)status.st_size);
	close(fd);
}
