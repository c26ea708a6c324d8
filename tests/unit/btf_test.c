/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the parser of BTF: made by hand, broken, and of this kernel. */
#include "pack.h"

#include "kernel/btf.h"
#include "topic/trace/kernel_names.h"

/* The first word of a file: 16 bits, then a byte each of version and flags. */
#define MAGIC_AND_VERSION                                                                                    \
	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? UINT32_C(0xeb9f) << 16 | 1 << 8                            \
						: UINT32_C(0xeb9f) | 1 << 16)

static void skip_where_seeds_are_foreign(void)
{
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		skip_test("the seed has types of a little-endian machine");
}

/* Types made here, one after the other, numbered from 1; each test has a process of its own. */
static struct {
	struct buffer types, strings, file;
	uint32_t n;
} made;
static struct btf btf_of_made;

static uint32_t add_name(const char *name)
{
	uint32_t at = (uint32_t)made.strings.length;

	if (at > 0 && !*name)
		return 0;
	buffer_add(&made.strings, name, strlen(name) + 1);
	return at;
}

/* Returns its number; what follows it is added as words. */
static uint32_t add_type(const char *name, uint32_t kind, uint32_t n_parts, uint32_t size_or_type)
{
	if (made.n == 0)
		add_name("");
	PACK(&made.types, "444", add_name(name), kind << 24 | n_parts, size_or_type);
	return ++made.n;
}

static void add_zeros(uint32_t n_words)
{
	buffer_fill(&made.types, '\0', (size_t)4 * n_words);
}

static void add_member(const char *name, uint32_t type, uint32_t offset)
{
	PACK(&made.types, "444", add_name(name), type, offset);
}

/* Between the parts, and before the first of them, are these bytes of something else. */
static struct btf *open_made(uint32_t between)
{
	uint32_t types = (uint32_t)made.types.length, strings = (uint32_t)made.strings.length;

	buffer_empty(&made.file);
	PACK(&made.file, "444444", MAGIC_AND_VERSION, 24 + between, between, types, types + 2 * between,
	     strings);
	buffer_fill(&made.file, '\xff', 2 * between);
	buffer_add(&made.file, made.types.bytes, types);
	buffer_fill(&made.file, '\xff', between);
	buffer_add(&made.file, made.strings.bytes, strings);
	ck_assert(btf_open(&btf_of_made, span_of(made.file.bytes, made.file.length)));
	return &btf_of_made;
}

static void empty_made(void)
{
	buffer_empty(&made.types);
	buffer_empty(&made.strings);
	made.n = 0;
}

/* As include/uapi/linux/btf.h has them. */
enum {
	INT = 1,
	PTR,
	ARRAY,
	STRUCT,
	UNION,
	ENUM,
	FWD,
	TYPEDEF,
	VOLATILE,
	CONST,
	RESTRICT,
	FUNC,
	PROTO,
	VAR,
	DATASEC,
	FLOAT,
	DECL_TAG,
	TYPE_TAG,
	ENUM64,
};
#define BIT_FIELDS (1U << 31) /* in the number of members: offsets have sizes above them */

/* "OFFSET+BYTES" of a member, "-": there is none. */
static const char *member_text(struct btf *btf, uint32_t structure, const char *name)
{
	struct btf_member member;

	return btf_member(btf, structure, name, &member) ? textf("%u+%u", member.offset, member.bytes) : "-";
}

/* "OFFSET:BIT" of a field of one bit. */
static const char *bit_text(struct btf *btf, uint32_t structure, const char *name)
{
	uint32_t offset;
	uint8_t bit;

	return btf_bit(btf, structure, name, &offset, &bit) ? textf("%u:%u", offset, bit) : "-";
}

START_TEST(members_are_found_also_in_structures_without_a_name)
{
	struct btf_member member;
	struct btf btf;
	size_t length;
	char *bytes = load_seed("btf/task", &length);
	uint32_t task;

	skip_where_seeds_are_foreign();
	ck_assert(btf_open(&btf, span_of(bytes, length)));
	task = btf_structure(&btf, "task_struct");
	ck_assert_uint_ne(task, 0);
	ck_assert_uint_eq(btf_structure_bytes(&btf, task), 40);
	ck_assert(btf_member(&btf, task, "pid", &member));
	ck_assert_uint_eq(btf_structure_bytes(&btf, member.type) + btf_structure_of(&btf, member.type), 0);
	ck_assert(btf_member(&btf, task, "leader", &member));
	ck_assert_uint_eq(btf_structure_of(&btf, member.type), task);
	/* hidden is in one without a name, at 24; flag is a bit field */
	ck_assert_str_eq(textf("%s %s %s %s %s", member_text(&btf, task, "pid"),
			       member_text(&btf, task, "leader"),
			       member_text(&btf, task, "hidden"), member_text(&btf, task, "flag"),
			       member_text(&btf, task, "absent")),
			 "8+4 16+8 28+4 - -");
	ck_assert_str_eq(textf("%s %s %s", bit_text(&btf, task, "flag"), bit_text(&btf, task, "pid"),
			       bit_text(&btf, task, "absent")),
			 "32:1 - -");
	ck_assert_uint_eq(btf_typedef(&btf, "absent") + btf_structure(&btf, "absent"), 0);
	ck_assert_uint_eq(btf_function(&btf, "task_struct"), 0);
}

/* "16 8, 4 bytes": the offsets that the way of a member takes. */
static const char *way_text(struct btf *btf, const char *way)
{
	struct bpf_place place;
	const char *text = "";
	int error = kernel_types_member(btf, way, &place);

	if (error)
		return strerror(-error);
	for (unsigned i = 0; i < place.n; i++)
		text = textf("%s%u ", text, place.offsets[i]);
	return textf("%s%u bytes", text, place.bytes);
}

START_TEST(a_way_follows_pointers)
{
	static const char *const cases[][2] = {
		{ "task_struct.leader.pid", "16 8 4 bytes" },
		{ "task_struct.leader.leader.leader.pid", "16 16 16 8 4 bytes" },
		{ "task_struct.leader.leader.leader.leader.pid", "No data available" },
		{ "task_struct.pid.pid", "No data available" },
		{ "task_struct.pid[1]", "No data available" },
		{ "absent.pid", "No data available" },
		{ "task_struct", "No data available" },
	};
	uint32_t offset;
	struct btf btf;
	size_t length;
	char *seed = load_seed("btf/task", &length);
	uint8_t bit;

	skip_where_seeds_are_foreign();
	ck_assert(btf_open(&btf, span_of(seed, length)));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_text(cases[i][0], way_text(&btf, cases[i][0]), cases[i][1]);
	ck_assert_int_eq(kernel_types_bit(&btf, "task_struct.flag", &offset, &bit), 0);
	ck_assert_int_eq(kernel_types_bit(&btf, "task_struct.pid", &offset, &bit), -ENODATA);
}

/* Structures and typedefs that contain themselves, and every length that is too short. */
START_TEST(hostile_types_end)
{
	struct btf_member member;
	struct btf btf;
	size_t length;
	char *bytes = load_seed("btf/circles", &length);

	skip_where_seeds_are_foreign();
	ck_assert(btf_open(&btf, span_of(bytes, length)));
	ck_assert(!btf_member(&btf, btf_structure(&btf, "circle"), "absent", &member));
	ck_assert_uint_eq(btf_structure_of(&btf, 2), 0);
	bytes = load_seed("btf/task", &length);
	for (size_t cut = 0; cut < length; cut++)
		ck_assert_msg(!btf_open(&btf, span_of(bytes, cut)), "%zu bytes", cut);
	bytes[0] ^= 1;
	ck_assert(!btf_open(&btf, span_of(bytes, length)));
}

/* Those of this kernel, or skips the test. */
static void open_types(struct kernel_types *types)
{
	struct env env;
	int error;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	error = kernel_types_open(types, &env);
	env_close(&env);
	if (error)
		skip_test("no BTF: %s", strerror(-error));
}

START_TEST(this_kernel_has_processes)
{
	struct kernel_types types;
	struct bpf_place place;
	uint32_t offset;
	uint8_t bit;

	open_types(&types);
	ck_assert_int_eq(kernel_types_member(&types.btf, "task_struct.group_leader.tgid", &place), 0);
	ck_assert_uint_eq(place.n, 2);
	ck_assert_uint_eq(place.bytes, 4);
	ck_assert_int_eq(kernel_types_bit(&types.btf, "task_struct.in_iowait", &offset, &bit), 0);
	ck_assert_uint_ne(btf_function(&types.btf, "bpf_iter_task"), 0);
	/* whoever registered, registers, the number of the call */
	ck_assert_uint_eq(btf_n_parameters(&types.btf, btf_typedef(&types.btf, "btf_trace_sys_enter")), 3);
	kernel_types_close(&types);
}

#define N_UNNAMED 700
#define N_NAMED 3000

/* As a kernel that sorts them, and one of which only the first ones look so; typedefs between numbers. */
START_TEST(sorted_types_are_found_as_others_are)
{
	for (unsigned sorted = 0; sorted < 2; sorted++) {
		struct btf *btf;

		empty_made();
		for (unsigned i = 0; i < N_UNNAMED; i++)
			add_type("", VOLATILE, 0, 4);
		for (unsigned i = 0; i < N_NAMED; i++) {
			unsigned name = sorted ? i : N_NAMED - 1 - i;

			add_type(textf("n%04u", name / 2), name % 2 ? TYPEDEF : CONST, 0, 4);
		}
		btf = open_made(0);
		ck_assert(btf->step > 1 && btf->sorted == sorted);
		for (unsigned i = 0; i < N_NAMED / 2; i++) {
			const char *name = textf("n%04u", i);
			unsigned number = sorted ? 2 * i + 2 : N_NAMED - 1 - 2 * i;

			ck_assert_uint_eq(btf_typedef(btf, name), N_UNNAMED + number);
			ck_assert_uint_eq(btf_structure(btf, name), 0);
		}
		ck_assert_uint_eq(btf_typedef(btf, "m") + btf_typedef(btf, "n0000a") + btf_typedef(btf, "z"),
				  0);
	}
}

/* Of an array of structures: so many of them further. */
START_TEST(elements_of_an_array_follow_each_other)
{
	struct bpf_place first, third;
	struct kernel_types types;

	open_types(&types);
	if (kernel_types_member(&types.btf, "mm_struct.rss_stat[2].count", &third) < 0)
		skip_test("before Linux 6.2 the counters of a memory are no array");
	ck_assert_int_eq(kernel_types_member(&types.btf, "mm_struct.rss_stat[0].count", &first), 0);
	ck_assert_uint_eq(first.n, 1);
	ck_assert_uint_eq(first.bytes, 8);
	ck_assert_uint_eq(third.offsets[0] - first.offsets[0],
			  2 * btf_structure_bytes(&types.btf, btf_structure(&types.btf, "percpu_counter")));
	kernel_types_close(&types);
}

/* Of the last two the length is not known. */
START_TEST(types_of_every_kind_are_passed_over)
{
	static const struct {
		uint32_t kind, n_parts, n_words;
	} kinds[] = {
		{ INT, 0, 1 },     { PTR, 0, 0 },      { ARRAY, 0, 3 },    { STRUCT, 0, 0 },
		{ STRUCT, 2, 6 },  { UNION, 1, 3 },    { ENUM, 3, 6 },     { FWD, 0, 0 },
		{ TYPEDEF, 0, 0 }, { VOLATILE, 0, 0 }, { CONST, 0, 0 },    { RESTRICT, 0, 0 },
		{ FUNC, 1, 0 },    { PROTO, 3, 6 },    { VAR, 0, 1 },      { DATASEC, 2, 6 },
		{ FLOAT, 0, 0 },   { DECL_TAG, 0, 1 }, { TYPE_TAG, 0, 0 }, { ENUM64, 2, 6 },
		{ 0, 0, 0 },       { 20, 0, 0 },
	};
	size_t n = sizeof(kinds) / sizeof(kinds[0]);

	for (size_t i = 0; i < n; i++)
		for (int named = 0; named < 2; named++) { /* where the first has a name they are not sorted */
			struct btf *btf;

			empty_made();
			add_type(named ? "x" : "", kinds[i].kind, kinds[i].n_parts, 0);
			add_zeros(kinds[i].n_words);
			add_type("target", STRUCT, 0, 12);
			btf = open_made(0);
			ck_assert_msg(btf_structure(btf, "target") == (i < n - 2 ? 2 : 0), "kind %u",
				      kinds[i].kind);
			if (i >= n - 2)
				continue;
			ck_assert_int_eq(btf->sorted, !named);
			ck_assert_uint_eq(btf_structure_bytes(btf, 2), 12);
			made.types.length -= 4; /* cut, it is not there */
			ck_assert_uint_eq(btf_structure(open_made(0), "target"), 0);
		}
}

START_TEST(members_have_places_and_sizes)
{
	static const char *const members[][2] = {
		{ "a", "0+4" },   { "b", "4+4" },  { "e", "16+4" },  { "f", "24+8" },  { "g", "32+0" },
			{ "u1", "64+4" },
		{ "u2", "68+2" }, { "s1", "80+4" }, { "s2", "84+4" }, { "big", "96+0" }, { "odd", "-" },
	};
	uint32_t number, chain, pointer, colour, wide, array, both, inner, big, narrow, all, fields,
		value = 5;
	struct btf_member member;
	struct btf *btf;

	number = add_type("int", INT, 0, 4);
	add_zeros(1);
	narrow = add_type("short", INT, 0, 2);
	add_zeros(1);
	chain = add_type("", CONST, 0, number);
	chain = add_type("", VOLATILE, 0, chain);
	chain = add_type("number", TYPEDEF, 0, chain);
	chain = add_type("", RESTRICT, 0, chain);
	chain = add_type("tag", TYPE_TAG, 0, chain);
	pointer = add_type("", PTR, 0, chain);
	colour = add_type("colour", ENUM, 2, 4);
	PACK(&made.types, "44", add_name("red"), 0);
	PACK(&made.types, "44", add_name("green"), 7);
	wide = add_type("wide", ENUM64, 0, 8);
	array = add_type("", ARRAY, 0, 0);
	PACK(&made.types, "444", pointer, number, 3);
	both = add_type("", UNION, 2, 8);
	add_member("u1", number, 0);
	add_member("u2", narrow, 32);
	inner = add_type("", STRUCT, 2, 8);
	add_member("s1", number, 0);
	add_member("s2", chain, 32);
	big = add_type("big", INT, 0, 16);
	add_zeros(1);
	all = add_type("all", STRUCT, 10, 100);
	add_member("a", number, 0);
	add_member("b", chain, 4 * 8);
	add_member("p", pointer, 8 * 8);
	add_member("e", colour, 16 * 8);
	add_member("f", wide, 24 * 8);
	add_member("g", array, 32 * 8);
	add_member("", both, 64 * 8);
	add_member("", inner, 80 * 8);
	add_member("big", big, 96 * 8);
	add_member("odd", number, 97 * 8 + 1);
	fields = add_type("fields", STRUCT, BIT_FIELDS | 5, 8);
	add_member("one", number, 1U << 24 | 5);
	add_member("two", number, 2U << 24 | 6);
	add_member("plain", number, 32);
	add_member("high", number, 1U << 24 | 79);
	add_member("eight", number, 8U << 24 | 80);
	for (uint32_t between = 0; between < 16; between += 8) {
		btf = open_made(between);
		ck_assert(btf_structure(btf, "all") == all && btf_structure(btf, "fields") == fields);
		ck_assert_uint_eq(btf_structure(btf, "int") + btf_structure(btf, "colour"), 0);
		ck_assert_uint_eq(btf_typedef(btf, "number"), 5);
		for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
			check_text(members[i][0], member_text(btf, all, members[i][0]), members[i][1]);
		ck_assert(btf_member(btf, all, "p", &member) && member.bytes == sizeof(void *));
	}
	ck_assert(btf_element(btf, array) == pointer && btf_element(btf, pointer) == 0);
	ck_assert(btf_structure_bytes(btf, all) == 100 && btf_structure_bytes(btf, made.n + 1) == 0);
	ck_assert(btf_enumerator(btf, "colour", "green", &value) && value == 7);
	ck_assert(btf_enumerator(btf, "colour", "red", &value) && value == 0);
	ck_assert(!btf_enumerator(btf, "colour", "blue", &value) && value == 0);
	ck_assert_str_eq(textf("%s %s %s", member_text(btf, fields, "plain"), member_text(btf, fields, "one"),
			       member_text(btf, fields, "eight")),
			 "4+4 - -");
	ck_assert_str_eq(textf("%s %s %s %s %s", bit_text(btf, fields, "one"), bit_text(btf, fields, "high"),
			       bit_text(btf, fields, "two"), bit_text(btf, fields, "plain"),
			       bit_text(btf, fields, "eight")),
			 "0:32 9:128 - - -");
}
