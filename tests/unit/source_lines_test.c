/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of lines of the source by address, over tables that a library of the test gives. */
#include "suite.h"

#include "topic/profile/debug_info.h"

#ifdef HAVE_DW

#define HEADER_BYTES 11

/* --- The library: a unit begins at an offset, its entry is behind its header. */

struct code_unit {
	Dwarf_Off at, next;
	bool is_broken;
	unsigned n_ranges;
	Dwarf_Addr ranges[3][2];
};

static const struct code_unit *units;
static unsigned n_units;
static Dwarf_Addr n_made; /* of the first unit: so many ranges of 2 bytes instead, the last one first */
static unsigned n_closed;
static int line_error, number;
static bool no_line;
static const char *file;
static Dwarf_Addr asked;
static const struct code_unit *asked_unit;
static char elf, dwarf, line_of_all;

#define UNUSED __attribute__((unused))

static Elf *open_memory(UNUSED char *image, UNUSED size_t size)
{
	return (Elf *)(void *)&elf;
}

static int close_elf(UNUSED Elf *closed)
{
	n_closed++;
	return 0;
}

static Dwarf *begin_elf(UNUSED Elf *opened, UNUSED Dwarf_Cmd command, UNUSED Elf_Scn *section)
{
	return (Dwarf *)(void *)&dwarf;
}

static int end(UNUSED Dwarf *closed)
{
	n_closed += 10;
	return 0;
}

static int nextcu(UNUSED Dwarf *of, Dwarf_Off offset, Dwarf_Off *next, size_t *header_size,
		  UNUSED Dwarf_Off *abbreviations, UNUSED uint8_t *address_size, UNUSED uint8_t *offset_size)
{
	for (unsigned i = 0; i < n_units; i++)
		if (units[i].at == offset) {
			*next = units[i].next;
			*header_size = HEADER_BYTES;
			return 0;
		}
	return 1;
}

static Dwarf_Die *offdie(UNUSED Dwarf *of, Dwarf_Off offset, Dwarf_Die *result)
{
	for (unsigned i = 0; i < n_units; i++)
		if (units[i].at + HEADER_BYTES == offset && !units[i].is_broken) {
			result->addr = (void *)&units[i];
			return result;
		}
	return NULL;
}

static ptrdiff_t ranges(Dwarf_Die *die, ptrdiff_t offset, Dwarf_Addr *base, Dwarf_Addr *start,
			Dwarf_Addr *range_end)
{
	const struct code_unit *unit = die->addr;
	Dwarf_Addr i = (Dwarf_Addr)offset;

	*base = 0;
	if (n_made > 0 && unit == units) {
		*start = 4 * (n_made - i);
		*range_end = *start + 2;
		return i < n_made ? offset + 1 : 0;
	}
	if (i == unit->n_ranges)
		return 0;
	*start = unit->ranges[i][0];
	*range_end = unit->ranges[i][1];
	return offset + 1;
}

static Dwarf_Line *getsrc_die(Dwarf_Die *unit, Dwarf_Addr address)
{
	asked = address;
	asked_unit = unit->addr;
	return no_line ? NULL : (Dwarf_Line *)(void *)&line_of_all;
}

static int lineno(UNUSED Dwarf_Line *line, int *found)
{
	*found = number;
	return line_error;
}

/* cppcheck-suppress constParameter ; the library has them so */
static const char *linesrc(UNUSED Dwarf_Line *line, UNUSED Dwarf_Word *time, UNUSED Dwarf_Word *length)
{
	return file;
}

static const struct dw_library library = { .elf_memory = open_memory, .elf_end = close_elf,
					   .begin_elf = begin_elf, .end = end, .nextcu = nextcu,
					   .offdie = offdie, .ranges = ranges, .getsrc_die = getsrc_die,
					   .lineno = lineno, .linesrc = linesrc };

/* --- Lines. */

static struct source_lines *open_units(const struct code_unit *list, unsigned n)
{
	static char bytes[64];

	units = list;
	n_units = n;
	number = 7;
	file = "a.c";
	n_closed = 0;
	return source_lines_open(&library, span_of(bytes, sizeof(bytes)));
}

/* The number of the unit that has it, from 1; 0: none. */
static unsigned unit_at(const struct source_lines *lines, uint64_t address)
{
	struct source_line line;

	asked_unit = NULL;
	if (!source_lines_find(lines, address, &line)) {
		ck_assert_ptr_null(asked_unit);
		return 0;
	}
	ck_assert_uint_eq(asked, address);
	ck_assert_uint_eq(line.number, 7);
	ck_assert(span_is(line.file, "a.c"));
	return (unsigned)(asked_unit - units) + 1;
}

static const struct code_unit two[] = {
	{ 0, 50, false, 2, { { 500, 600 }, { 100, 200 } } },
	{ 50, 90, false, 1, { { 200, 300 } } },
};

static void check_units(struct source_lines *lines, const uint64_t (*cases)[2], size_t n)
{
	ck_assert_ptr_nonnull(lines);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(unit_at(lines, cases[i][0]) == cases[i][1], "%lu", (unsigned long)cases[i][0]);
	source_lines_close(lines);
	ck_assert_uint_eq(n_closed, 11);
}

/* A unit that cannot be read is left out; one that does not go on ends them. */
START_TEST(an_address_is_of_the_unit_that_has_it)
{
	static const uint64_t of_two[][2] = {
		{ 0, 0 },   { 99, 0 },  { 100, 1 }, { 101, 1 }, { 199, 1 }, { 200, 2 },        { 299, 2 },
		{ 300, 0 }, { 499, 0 }, { 500, 1 }, { 599, 1 }, { 600, 0 }, { UINT64_MAX, 0 },
	};
	static const struct code_unit broken[] = {
		{ 0, 50, true, 1, { { 100, 200 } } },
		{ 50, 90, false, 1, { { 200, 300 } } },
		{ 90, 90, false, 1, { { 300, 400 } } },
	};
	static const uint64_t of_broken[][2] = { { 150, 0 }, { 250, 2 }, { 350, 0 } };

	check_units(open_units(two, 2), of_two, sizeof(of_two) / sizeof(of_two[0]));
	check_units(open_units(broken, 3), of_broken, 3);
}

START_TEST(what_the_library_does_not_know_has_no_line)
{
	static const struct {
		int number, error;
		bool no_line;
		const char *file;
		unsigned n_units;
		bool found;
	} cases[] = {
		{ 1, 0, false, "a.c", 2, true },   { 0, 0, false, "a.c", 2, false },
		{ -1, 0, false, "a.c", 2, false }, { 7, -1, false, "a.c", 2, false },
		{ 7, 0, true, "a.c", 2, false },   { 7, 0, false, NULL, 2, false },
		{ 7, 0, false, "a.c", 0, false }, /* the unit is gone */
	};
	struct source_lines *lines = open_units(two, 2);
	struct source_line line;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		number = cases[i].number;
		line_error = cases[i].error;
		no_line = cases[i].no_line;
		file = cases[i].file;
		n_units = cases[i].n_units;
		ck_assert_msg(source_lines_find(lines, 100, &line) == cases[i].found, "case %zu", i);
	}
	source_lines_close(lines);
}

/* The second unit, and the last range given, are left. */
START_TEST(there_are_at_most_a_million_ranges)
{
	static const uint64_t cases[][2] = { { 4, 0 }, { 8, 1 }, { 10, 0 }, { 4000004, 1 } };

	n_made = 1000001;
	check_units(open_units(two, 2), cases, 4);
}

#else

START_TEST(without_the_library_there_are_no_lines)
{
	static char bytes[64];

	ck_assert_ptr_null(source_lines_open(NULL, span_of(bytes, sizeof(bytes))));
	source_lines_close(NULL);
}

#endif
