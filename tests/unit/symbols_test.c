/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the table of functions: names at each address, aliases, overlaps, limits. */
#include "suite.h"

#include "kernel/code/symbols.h"

static void add(struct symbols *symbols, uint64_t address, uint64_t bytes, const char *name)
{
	symbols_add(symbols, address, bytes, span_text(name), false);
}

/* "name+offset"; "-": none. */
static const char *at(const struct symbols *symbols, uint64_t address)
{
	static char text[SYMBOL_NAME_MAX + 32];
	uint64_t offset;
	const char *name = symbols_find(symbols, address, &offset);

	if (!name)
		return "-";
	snprintf(text, sizeof(text), "%s+%#lx", name, (unsigned long)offset);
	return text;
}

/* "1000=first+0 2000=-": the addresses, and what is there. */
static void check_names(const struct symbols *symbols, const char *expected)
{
	struct span rest = span_text(expected), word;

	while (span_word(&rest, &word)) {
		char *name;
		uint64_t address = strtoull(word.at, &name, 16);

		ck_assert_msg(span_is(span_of(name + 1, (size_t)(word.end - name - 1)), at(symbols, address)),
			      "%.*s: %s", (int)span_length(word), word.at, at(symbols, address));
	}
}

START_TEST(an_address_has_the_name_of_its_function_alone)
{
	struct symbols symbols = { 0 };
	uint64_t offset;

	ck_assert_ptr_null(symbols_find(&symbols, 0x1000, &offset));
	symbols_sort(&symbols);
	check_names(&symbols, "0=-");
	add(&symbols, 0x2000, 0x10, "second");
	add(&symbols, 0x1000, 0x100, "first");
	add(&symbols, 0x1100, 1, "next");
	add(&symbols, 0x3000, 0x10, "");
	for (int i = 0; i < 2; i++) { /* once more changes nothing */
		symbols_sort(&symbols);
		ck_assert(symbols.count == 3 && symbols.n_left_out == 0);
		check_names(&symbols,
			    "fff=- 1000=first+0 10ff=first+0xff 1100=next+0 1101=- 1fff=- 200f=second+0xf "
				      "2010=- 3000=- ffffffffffffffff=-");
	}
	symbols_free(&symbols);
	ck_assert_uint_eq(symbols_bytes(&symbols), 0);
}

/* The kernel's: up to the next one, but not across gaps between modules. */
START_TEST(an_unknown_size_ends_at_the_next_function)
{
	struct symbols symbols = { 0 };

	add(&symbols, 0xffffffff81000000, 0, "startup");
	add(&symbols, 0xffffffff81000100, 0, "__entry");
	add(&symbols, 0xffffffff81000100, 0, "entry");
	add(&symbols, 0xffffffffc0000000, 0, "module");
	add(&symbols, UINT64_MAX, 0, "last");
	symbols_sort(&symbols);
	check_names(&symbols, "ffffffff810000ff=startup+0xff ffffffff81000100=entry+0 "
			      "ffffffff810fffff=entry+0xffeff ffffffff81100100=- "
			      "ffffffffc00fffff=module+0xfffff ffffffffc0100000=- ffffffffffffffff=-");
	symbols_free(&symbols);
}

/* In whichever order they are added. */
START_TEST(of_aliases_the_usual_name_is_kept)
{
	static const struct {
		const char *name;
		bool is_local;
		uint32_t bytes;
	} aliases[] = {
		{ "__libc_read", false, 0x40 }, { "__read", false, 0x40 }, { "read", false, 0x40 },
		{ "rd", true, 0x80 },           { "ready", false, 0x10 },  { "reac_", false, 0x40 },
	};

	for (size_t first = 0; first < 6; first++) {
		struct symbols symbols = { 0 };

		for (size_t i = first; i < first + 6; i++)
			symbols_add(&symbols, 0x1000, aliases[i % 6].bytes, span_text(aliases[i % 6].name),
				    aliases[i % 6].is_local);
		symbols_sort(&symbols);
		ck_assert_uint_eq(symbols.count, 1);
		check_names(&symbols, "1000=read+0 107f=read+0x7f 1080=-");
		symbols_free(&symbols);
	}
}

/* Assembly has functions inside functions. */
START_TEST(a_function_goes_on_behind_one_inside_it)
{
	struct symbols symbols = { 0 };

	add(&symbols, 0x1000, 0x100, "outer");
	add(&symbols, 0x1010, 0x40, "middle");
	add(&symbols, 0x1020, 0x10, "inner");
	add(&symbols, 0x10f0, 0x20, "tail");
	symbols_sort(&symbols);
	check_names(&symbols, "100f=outer+0xf 1010=middle+0 102f=inner+0xf 1030=middle+0x20 104f=middle+0x3f "
			      "1050=outer+0x50 10ef=outer+0xef 10f0=tail+0 110f=tail+0x1f 1110=-");
	symbols_free(&symbols);
}

START_TEST(a_later_function_takes_the_addresses_of_earlier_ones)
{
	struct symbols symbols = { .later_wins = true };

	add(&symbols, 0x1010, 0x10, "early");
	add(&symbols, 0x1000, 0x100, "wide");
	add(&symbols, 0x10f0, 0x20, "end");
	add(&symbols, 0x1000, 0x8, "start");
	symbols_sort(&symbols);
	check_names(&symbols,
		    "1007=start+0x7 1008=wide+0x8 1010=wide+0x10 10ef=wide+0xef 10f0=end+0 110f=end+0x1f");
	symbols_free(&symbols);
}

static uint64_t state = 1;

static uint64_t random_below(uint64_t limit)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % limit;
}

#define N_RANDOM 24
#define SPACE 64

struct range {
	uint64_t address, bytes;
};

/* As the comment in symbols.h has it, one after the other; -1: none. */
static int slow_find(const struct range *ranges, uint64_t address, bool later_wins)
{
	int best = -1;

	for (int i = 0; i < N_RANDOM; i++) {
		if (address - ranges[i].address >= ranges[i].bytes)
			continue;
		if (best < 0 || later_wins || ranges[i].address > ranges[best].address)
			best = i;
	}
	return best;
}

START_TEST(random_overlaps_are_as_one_by_one)
{
	for (unsigned round = 0; round < 2000; round++) {
		struct symbols symbols = { .later_wins = round % 2 };
		struct range ranges[N_RANDOM];
		bool used[SPACE] = { false };

		for (unsigned i = 0; i < N_RANDOM; i++) {
			do
				ranges[i] = (struct range){ random_below(SPACE),
							    1 + random_below(SPACE / 4) };
			while (!symbols.later_wins && used[ranges[i].address]);
			used[ranges[i].address] = true;
			add(&symbols, ranges[i].address, ranges[i].bytes, textf("%u", i));
		}
		symbols_sort(&symbols);
		for (uint64_t address = 0; address < 2 * SPACE; address++) {
			int index = slow_find(ranges, address, symbols.later_wins);

			ck_assert_str_eq(at(&symbols, address),
					 index < 0 ? "-"
						   : textf("%d+%#lx", index,
							   (unsigned long)(address - ranges[index].address)));
		}
		ck_assert_uint_eq(symbols.n_left_out, 0);
		symbols_free(&symbols);
	}
}

START_TEST(long_names_are_cut_at_a_character)
{
	char name[SYMBOL_NAME_MAX + 8];
	struct symbols symbols = { 0 };
	uint64_t offset;

	memset(name, 'x', sizeof(name));
	symbols_add(&symbols, 1, 1, span_of(name, SYMBOL_NAME_MAX), false);
	ck_assert_uint_eq(symbols.n_cut, 0);
	symbols_add(&symbols, 2, 1, span_of(name, SYMBOL_NAME_MAX + 1), false);
	memcpy(name + SYMBOL_NAME_MAX - 2, "\xe2\x82\xac", 3); /* its last byte is outside */
	symbols_add(&symbols, 3, 1, span_of(name, sizeof(name)), false);
	ck_assert_uint_eq(symbols.n_cut, 2);
	symbols_add(&symbols, 4, 1, span_of("a\0b", 3), false);
	symbols_add(&symbols, 5, 1, span_of("\0b", 2), false);
	symbols_add(&symbols, 6, 1, span_of(NULL, 0), false);
	symbols_sort(&symbols);
	for (uint64_t i = 1; i <= 3; i++)
		ck_assert_uint_eq(strlen(symbols_find(&symbols, i, &offset)),
				  SYMBOL_NAME_MAX - (i == 3 ? 2 : 0));
	check_names(&symbols, "4=a+0 5=- 6=-");
	symbols_free(&symbols);
}

START_TEST(functions_at_the_end_of_all_addresses)
{
	struct symbols symbols = { 0 };

	add(&symbols, 16, UINT64_MAX, "all");
	add(&symbols, UINT64_MAX - 8, UINT64_MAX, "end");
	add(&symbols, UINT64_MAX, 1, "last");
	symbols_sort(&symbols);
	check_names(&symbols, "f=- 10=all+0 10000000e=all+0xfffffffe 10000000f=- " /* larger than code is */
			      "fffffffffffffffe=end+0x7 ffffffffffffffff=-");
	symbols_free(&symbols);
}

/* All of them over one another, and more than there is room for. */
START_TEST(limits_are_counted)
{
	struct symbols symbols = { 0 };
	char name[SYMBOL_NAME_MAX];
	size_t n_names = SYMBOLS_NAMES_MAX / (SYMBOL_NAME_MAX + 1);

	for (uint64_t i = 0; i < SYMBOLS_MAX + 10; i++)
		add(&symbols, i, UINT32_MAX, "x");
	ck_assert(symbols.count == SYMBOLS_MAX && symbols.n_left_out == 10);
	symbols_sort(&symbols);
	ck_assert(symbols.count <= SYMBOLS_MAX && symbols.n_left_out > 10);
	check_names(&symbols, "1000=x+0");
	symbols_free(&symbols);
	memset(name, 'n', sizeof(name));
	for (uint64_t i = 0; i < n_names + 10; i++)
		symbols_add(&symbols, 2 * i, 1, span_of(name, sizeof(name)), false);
	ck_assert_uint_ge(symbols.n_left_out, 10);
	ck_assert_uint_eq(symbols.count + symbols.n_left_out, n_names + 10);
	ck_assert_uint_le(symbols.names.length, SYMBOLS_NAMES_MAX);
	symbols_free(&symbols);
}

START_TEST(names_in_the_strings_are_not_copied)
{
	static const char strings[] = "first\0second\0open";
	struct symbols symbols = { .strings = span_of(strings, sizeof(strings) - 1) };
	uint64_t offset;

	symbols_add(&symbols, 0x1000, 16, span_of(strings, 5), false);
	symbols_add(&symbols, 0x2000, 16, span_of(strings + 6, 3), false); /* "sec": no NUL ends it */
	symbols_add(&symbols, 0x3000, 16, span_of(strings + 13, 4), false); /* its NUL is outside */
	symbols_sort(&symbols);
	ck_assert_ptr_eq(symbols_find(&symbols, 0x1008, &offset), strings);
	check_names(&symbols, "2001=sec+0x1 3001=open+0x1");
	ck_assert(symbols_find(&symbols, 0x3000, &offset) != strings + 13);
	symbols_free(&symbols);
}

START_TEST(functions_of_the_kernel_are_lines_of_text)
{
	struct span text = span_text("ffffffff81000000 T _text\nffffffff81000010 t startup_64\n"
				     "ffffffff82000000 D data\nffffffff82000000 b bss\n"
				     "ffffffff81000020 W weak\nffffffff81000030 w weaker\n"
				     "ffffffff81000040 Tt two\nffffffff81000050 T\nzzz T x\n"
				     "0000000000000000 t hidden\nffffffffc0000000 t of_module\t[ext4]");
	struct kallsyms_line line;
	const char *found = "";

	while (kallsyms_next(&text, &line))
		found = textf("%s%lx=%.*s ", found, (unsigned long)line.address, (int)span_length(line.name),
			      line.name.at);
	ck_assert_str_eq(found, "ffffffff81000000=_text ffffffff81000010=startup_64 ffffffff81000020=weak "
				"ffffffff81000030=weaker 0=hidden ffffffffc0000000=of_module ");
}
