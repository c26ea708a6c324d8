/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the parser of BTF: made by hand, broken, and of this kernel. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/buffer.h"
#include "kernel/btf.h"
#include "suite.h"
#include "topic/trace/kernel_types.h"

/* The first word of a file: 16 bits, then a byte each of version and flags. */
#define MAGIC_AND_VERSION                                                                                    \
	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? UINT32_C(0xeb9f) << 16 | 1 << 8                            \
						: UINT32_C(0xeb9f) | 1 << 16)

static void skip_where_seeds_are_foreign(void)
{
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		skip_test("the seed has types of a little-endian machine");
}

START_TEST(members_are_found_also_in_structures_without_a_name)
{
	struct btf_member member;
	struct btf btf;
	size_t length;
	char *bytes = load_seed("btf/task", &length);
	uint32_t task, offset;
	uint8_t bit;

	skip_where_seeds_are_foreign();
	ck_assert(btf_open(&btf, span_of(bytes, length)));
	task = btf_structure(&btf, "task_struct");
	ck_assert_uint_ne(task, 0);
	ck_assert(btf_member(&btf, task, "pid", &member));
	ck_assert_uint_eq(member.offset, 8);
	ck_assert_uint_eq(member.bytes, 4);
	ck_assert_uint_eq(btf_structure_bytes(&btf, task), 40);
	ck_assert_uint_eq(btf_structure_bytes(&btf, member.type), 0);
	ck_assert_uint_eq(btf_structure_of(&btf, member.type), 0); /* a number */
	ck_assert_uint_eq(btf_element(&btf, member.type), 0);
	ck_assert(btf_member(&btf, task, "leader", &member));
	ck_assert_uint_eq(member.offset, 16);
	ck_assert_uint_eq(btf_structure_of(&btf, member.type), task);
	ck_assert_uint_eq(btf_n_parameters(&btf, member.type), 0);
	ck_assert(btf_member(&btf, task, "hidden", &member)); /* in one without a name, at 24 */
	ck_assert_uint_eq(member.offset, 28);
	ck_assert(!btf_member(&btf, task, "flag", &member)); /* a bit field */
	ck_assert(btf_bit(&btf, task, "flag", &offset, &bit));
	ck_assert(bit != 0 && (bit & (bit - 1)) == 0);
	ck_assert(!btf_bit(&btf, task, "pid", &offset, &bit));
	ck_assert(!btf_bit(&btf, task, "absent", &offset, &bit));
	ck_assert_uint_eq(btf_typedef(&btf, "absent"), 0);
	ck_assert(!btf_member(&btf, task, "absent", &member));
	ck_assert_uint_eq(btf_structure(&btf, "absent"), 0);
	ck_assert_uint_eq(btf_function(&btf, "task_struct"), 0);
}

START_TEST(a_way_follows_pointers)
{
	struct bpf_place place;
	uint32_t offset;
	struct btf btf;
	size_t length;
	char *seed = load_seed("btf/task", &length);
	uint8_t bit;

	skip_where_seeds_are_foreign();
	ck_assert(btf_open(&btf, span_of(seed, length)));
	ck_assert_int_eq(kernel_types_member(&btf, "task_struct.leader.pid", &place), 0);
	ck_assert_uint_eq(place.n, 2);
	ck_assert_uint_eq(place.offsets[0], 16);
	ck_assert_uint_eq(place.offsets[1], 8);
	ck_assert_uint_eq(place.bytes, 4);
	ck_assert_int_eq(kernel_types_member(&btf, "task_struct.leader.leader.leader.pid", &place), 0);
	ck_assert_uint_eq(place.n, BPF_PATH_MAX);
	ck_assert_int_eq(kernel_types_member(&btf, "task_struct.leader.leader.leader.leader.pid", &place),
			 -ENODATA);
	ck_assert_int_eq(kernel_types_member(&btf, "task_struct.pid.pid", &place), -ENODATA);
	ck_assert_int_eq(kernel_types_member(&btf, "task_struct.pid[1]", &place), -ENODATA);
	ck_assert_int_eq(kernel_types_member(&btf, "absent.pid", &place), -ENODATA);
	ck_assert_int_eq(kernel_types_member(&btf, "task_struct", &place), -ENODATA);
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

/* More structures than a struct btf remembers, twice. */
START_TEST(what_was_found_is_found_again)
{
	static const char *const names[] = {
		"task_struct", "mm_struct", "file",    "inode",   "dentry",  "super_block", "address_space",
		"page",        "list_head", "sock",    "sk_buff", "net",     "device",      "request",
		"bio",         "cred",      "nsproxy", "pid",     "kobject", "rq",          "timer_list",
	};
	uint32_t first[sizeof(names) / sizeof(names[0])] = { 0 };
	struct kernel_types types;

	open_types(&types);
	ck_assert_uint_gt(sizeof(names) / sizeof(names[0]), BTF_FOUND);
	for (unsigned round = 0; round < 2; round++)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			uint32_t number = btf_structure(&types.btf, names[i]);

			ck_assert_msg(number != 0, "%s", names[i]);
			ck_assert_uint_eq(btf_structure(&types.btf, names[i]), number);
			ck_assert(round == 0 || first[i] == number);
			ck_assert_uint_ne(btf_typedef(&types.btf, names[i]), number);
			first[i] = number;
			for (size_t other = 0; other < i; other++)
				ck_assert_uint_ne(first[other], number);
		}
	kernel_types_close(&types);
}

#define N_UNNAMED 700
#define N_NAMED 3000
#define NAME_BYTES 6 /* "n1234" */

/* Numbers, of which only the later ones have names, in this order; their typedefs have the same. */
static size_t write_types(uint32_t *bytes, bool sorted)
{
	uint32_t *at = bytes + 6;
	char *strings;

	for (unsigned i = 0; i < N_UNNAMED + N_NAMED; i++) {
		unsigned name = i < N_UNNAMED ? 0 : sorted ? i - N_UNNAMED : N_NAMED - 1 - (i - N_UNNAMED);

		*at++ = i < N_UNNAMED ? 0 : 1 + name / 2 * NAME_BYTES;
		*at++ = i % 2 ? 8u << 24 : 1u << 24; /* a typedef, or a number */
		*at++ = 4;
		if (i % 2 == 0)
			*at++ = 32;
	}
	strings = (char *)at;
	*strings++ = '\0';
	for (unsigned i = 0; i < N_NAMED / 2; i++)
		strings += snprintf(strings, NAME_BYTES + 1, "n%04u", i) + 1;
	bytes[0] = MAGIC_AND_VERSION;
	bytes[1] = 24;
	bytes[2] = 0;
	bytes[3] = (uint32_t)((char *)at - (char *)(bytes + 6));
	bytes[4] = bytes[3];
	bytes[5] = (uint32_t)(strings - (char *)at);
	return (size_t)(strings - (char *)bytes);
}

/* As a kernel that sorts them, and one of which only the first ones look so. */
START_TEST(sorted_types_are_found_as_others_are)
{
	static uint32_t bytes[32768];
	struct btf btf;

	for (unsigned sorted = 0; sorted < 2; sorted++) {
		size_t length = write_types(bytes, sorted);

		ck_assert_uint_le(length, sizeof(bytes));
		ck_assert(btf_open(&btf, span_of((const char *)bytes, length)));
		ck_assert_uint_gt(btf.step, 1);
		ck_assert_uint_eq(btf.sorted, sorted);
		for (unsigned i = 0; i < N_NAMED / 2; i++) {
			unsigned pair = sorted ? i : N_NAMED / 2 - 1 - i;
			char name[16];

			snprintf(name, sizeof(name), "n%04u", i);
			ck_assert_uint_eq(btf_typedef(&btf, name), N_UNNAMED + 2 * pair + 2);
			ck_assert_uint_eq(btf_structure(&btf, name), 0);
		}
		ck_assert_uint_eq(btf_typedef(&btf, "m"), 0);
		ck_assert_uint_eq(btf_typedef(&btf, "n0000a"), 0);
		ck_assert_uint_eq(btf_typedef(&btf, "z"), 0);
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

/* Types made here, one after the other, numbered from 1. */
struct made {
	struct buffer types, strings, file;
	uint32_t n;
};

static void add_word(struct buffer *out, uint32_t value)
{
	buffer_add(out, (const char *)&value, sizeof(value));
}

static uint32_t add_name(struct made *made, const char *name)
{
	uint32_t at = (uint32_t)made->strings.length;

	if (at > 0 && !*name)
		return 0;
	buffer_add(&made->strings, name, strlen(name) + 1);
	return at;
}

/* Returns its number; what follows it is added as words. */
static uint32_t add_type(struct made *made, const char *name, uint32_t kind, uint32_t n_parts,
			 uint32_t size_or_type)
{
	if (made->n == 0)
		add_name(made, "");
	add_word(&made->types, add_name(made, name));
	add_word(&made->types, kind << 24 | n_parts);
	add_word(&made->types, size_or_type);
	return ++made->n;
}

static void add_member(struct made *made, const char *name, uint32_t type, uint32_t offset)
{
	add_word(&made->types, add_name(made, name));
	add_word(&made->types, type);
	add_word(&made->types, offset);
}

/* Between the parts, and before the first of them, are these bytes of something else. */
static struct span made_file(struct made *made, uint32_t between)
{
	uint32_t types = (uint32_t)made->types.length, strings = (uint32_t)made->strings.length;

	buffer_empty(&made->file);
	add_word(&made->file, MAGIC_AND_VERSION);
	add_word(&made->file, 24 + between);
	add_word(&made->file, between);
	add_word(&made->file, types);
	add_word(&made->file, types + 2 * between);
	add_word(&made->file, strings);
	buffer_fill(&made->file, '\xff', 2 * between);
	buffer_add(&made->file, made->types.bytes, types);
	buffer_fill(&made->file, '\xff', between);
	buffer_add(&made->file, made->strings.bytes, strings);
	return span_of(made->file.bytes, made->file.length);
}

static void open_made(struct btf *btf, struct made *made)
{
	ck_assert(btf_open(btf, made_file(made, 0)));
}

static void free_made(struct made *made)
{
	buffer_free(&made->types);
	buffer_free(&made->strings);
	buffer_free(&made->file);
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
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (int named = 0; named < 2; named++) { /* where the first has a name they are not sorted */
			struct made made = { 0 };
			struct btf btf;

			add_type(&made, named ? "x" : "", kinds[i].kind, kinds[i].n_parts, 0);
			for (uint32_t word = 0; word < kinds[i].n_words; word++)
				add_word(&made.types, 0);
			add_type(&made, "target", STRUCT, 0, 12);
			open_made(&btf, &made);
			ck_assert_int_eq(btf.sorted, !named);
			ck_assert_msg(btf_structure(&btf, "target") == 2, "kind %u", kinds[i].kind);
			ck_assert_uint_eq(btf_structure_bytes(&btf, 2), 12);
			made.types.length -= 4; /* cut, it is not there */
			open_made(&btf, &made);
			ck_assert_uint_eq(btf_structure(&btf, "target"), 0);
			free_made(&made);
		}
	for (uint32_t kind = 0; kind < 32; kind += 20) { /* of which the length is not known */
		struct made made = { 0 };
		struct btf btf;

		add_type(&made, "", kind, 0, 0);
		add_type(&made, "target", STRUCT, 0, 12);
		open_made(&btf, &made);
		ck_assert_uint_eq(btf_structure(&btf, "target"), 0);
		free_made(&made);
	}
}

START_TEST(members_have_places_and_sizes)
{
	enum { A, B, P, E, F, G, U1, U2, S1, S2, BIG, ODD, N };
	static const struct {
		const char *name;
		uint32_t offset, bytes; /* 0: no number */
	} members[N] = {
		[A] = { "a", 0, 4 },    [B] = { "b", 4, 4 },      [P] = { "p", 8, sizeof(void *) },
		[E] = { "e", 16, 4 },   [F] = { "f", 24, 8 },     [G] = { "g", 32, 0 },
		[U1] = { "u1", 64, 4 }, [U2] = { "u2", 68, 2 },   [S1] = { "s1", 80, 4 },
		[S2] = { "s2", 84, 4 }, [BIG] = { "big", 96, 0 }, [ODD] = { "odd", 0, 0 },
	};
	uint32_t number, whole, chain, pointer, colour, wide, array, both, inner, big, narrow, all, fields,
		offset, value = 5;
	struct made made = { 0 };
	struct btf_member member;
	struct btf btf;
	uint8_t bit;

	number = add_type(&made, "int", INT, 0, 4);
	add_word(&made.types, 32);
	narrow = add_type(&made, "short", INT, 0, 2);
	add_word(&made.types, 16);
	chain = add_type(&made, "", CONST, 0, number);
	chain = add_type(&made, "", VOLATILE, 0, chain);
	chain = add_type(&made, "number", TYPEDEF, 0, chain);
	chain = add_type(&made, "", RESTRICT, 0, chain);
	chain = add_type(&made, "tag", TYPE_TAG, 0, chain);
	pointer = add_type(&made, "", PTR, 0, chain);
	colour = add_type(&made, "colour", ENUM, 2, 4);
	add_word(&made.types, add_name(&made, "red"));
	add_word(&made.types, 0);
	add_word(&made.types, add_name(&made, "green"));
	add_word(&made.types, 7);
	wide = add_type(&made, "wide", ENUM64, 0, 8);
	array = add_type(&made, "", ARRAY, 0, 0);
	add_word(&made.types, pointer);
	add_word(&made.types, number);
	add_word(&made.types, 3);
	both = add_type(&made, "", UNION, 2, 8);
	add_member(&made, "u1", number, 0);
	add_member(&made, "u2", narrow, 32);
	inner = add_type(&made, "", STRUCT, 2, 8);
	add_member(&made, "s1", number, 0);
	add_member(&made, "s2", chain, 32);
	big = add_type(&made, "big", INT, 0, 16);
	add_word(&made.types, 128);
	all = add_type(&made, "all", STRUCT, 10, 100);
	add_member(&made, "a", number, 0);
	add_member(&made, "b", chain, 4 * 8);
	add_member(&made, "p", pointer, 8 * 8);
	add_member(&made, "e", colour, 16 * 8);
	add_member(&made, "f", wide, 24 * 8);
	add_member(&made, "g", array, 32 * 8);
	add_member(&made, "", both, 64 * 8);
	add_member(&made, "", inner, 80 * 8);
	add_member(&made, "big", big, 96 * 8);
	add_member(&made, "odd", number, 97 * 8 + 1);
	fields = add_type(&made, "fields", STRUCT, BIT_FIELDS | 5, 8);
	add_member(&made, "one", number, 1U << 24 | 5);
	add_member(&made, "two", number, 2U << 24 | 6);
	add_member(&made, "plain", number, 32);
	add_member(&made, "high", number, 1U << 24 | 79);
	add_member(&made, "eight", number, 8U << 24 | 80);
	whole = made.n;
	for (uint32_t between = 0; between < 16; between += 8) {
		ck_assert(btf_open(&btf, made_file(&made, between)));
		ck_assert_uint_eq(btf_structure(&btf, "all"), all);
		ck_assert_uint_eq(btf_structure(&btf, "fields"), fields);
		ck_assert_uint_eq(btf_structure(&btf, "int") + btf_structure(&btf, "colour"), 0);
		ck_assert_uint_eq(btf_typedef(&btf, "number"), 5);
		for (int i = 0; i < N; i++) {
			ck_assert_msg(btf_member(&btf, all, members[i].name, &member) == (i != ODD), "%s",
				      members[i].name);
			ck_assert_msg(i == ODD || (member.offset == members[i].offset &&
						   member.bytes == members[i].bytes),
				      "%s is %u bytes at %u", members[i].name, member.bytes, member.offset);
		}
		ck_assert(btf_member(&btf, all, "g", &member) && member.type == array);
	}
	ck_assert(!btf_member(&btf, both, "s1", &member) && btf_member(&btf, both, "u2", &member));
	ck_assert(!btf_member(&btf, number, "a", &member) && !btf_member(&btf, 0, "a", &member));
	ck_assert_uint_eq(btf_element(&btf, array), pointer);
	ck_assert_uint_eq(btf_element(&btf, pointer), 0);
	ck_assert_uint_eq(btf_structure_bytes(&btf, all), 100);
	ck_assert_uint_eq(btf_structure_bytes(&btf, whole + 1), 0);
	ck_assert(btf_enumerator(&btf, "colour", "green", &value) && value == 7);
	ck_assert(btf_enumerator(&btf, "colour", "red", &value) && value == 0);
	ck_assert(!btf_enumerator(&btf, "colour", "blue", &value) && value == 0);
	ck_assert(!btf_enumerator(&btf, "wide", "red", &value) && !btf_enumerator(&btf, "x", "red", &value));
	ck_assert(btf_member(&btf, fields, "plain", &member) && member.offset == 4 && member.bytes == 4);
	ck_assert(!btf_member(&btf, fields, "one", &member) && !btf_member(&btf, fields, "eight", &member));
	ck_assert(btf_bit(&btf, fields, "one", &offset, &bit) && offset == 0 && bit == 32);
	ck_assert(btf_bit(&btf, fields, "high", &offset, &bit) && offset == 9 && bit == 128);
	ck_assert(!btf_bit(&btf, fields, "two", &offset, &bit) &&
		  !btf_bit(&btf, fields, "plain", &offset, &bit));
	ck_assert(!btf_bit(&btf, fields, "eight", &offset, &bit));
	free_made(&made);
}

/* One pointer is followed, and names for it before and behind. */
START_TEST(pointers_lead_to_structures_and_functions)
{
	uint32_t structure, pointer, name, prototype, call, call_name, function, twice, forward;
	struct made made = { 0 };
	struct btf btf;

	structure = add_type(&made, "s", STRUCT, 0, 8);
	pointer = add_type(&made, "", PTR, 0, structure);
	name = add_type(&made, "s_ref", TYPEDEF, 0, pointer);
	twice = add_type(&made, "", PTR, 0, name);
	prototype = add_type(&made, "", PROTO, 2, 0);
	for (int word = 0; word < 4; word++)
		add_word(&made.types, 0);
	call = add_type(&made, "", PTR, 0, prototype);
	call_name = add_type(&made, "s", TYPEDEF, 0, call);
	function = add_type(&made, "s", FUNC, 1, prototype);
	forward = add_type(&made, "t", FWD, 0, 0);
	open_made(&btf, &made);
	for (int i = 0; i < 2; i++) { /* the kind is part of what is found, and found again */
		ck_assert_uint_eq(btf_structure(&btf, "s"), structure);
		ck_assert_uint_eq(btf_typedef(&btf, "s"), call_name);
		ck_assert_uint_eq(btf_function(&btf, "s"), function);
		ck_assert_uint_eq(btf_structure(&btf, "t"), 0);
	}
	ck_assert_uint_eq(btf_structure_of(&btf, structure), structure);
	ck_assert_uint_eq(btf_structure_of(&btf, pointer), structure);
	ck_assert_uint_eq(btf_structure_of(&btf, name), structure);
	ck_assert_uint_eq(btf_structure_of(&btf, twice), 0);
	ck_assert_uint_eq(btf_structure_of(&btf, forward), 0);
	ck_assert_uint_eq(btf_structure_of(&btf, call), 0);
	ck_assert_uint_eq(btf_n_parameters(&btf, prototype), 2);
	ck_assert_uint_eq(btf_n_parameters(&btf, call), 2);
	ck_assert_uint_eq(btf_n_parameters(&btf, call_name), 2);
	ck_assert_uint_eq(btf_n_parameters(&btf, function), 0);
	ck_assert_uint_eq(btf_n_parameters(&btf, pointer), 0);
	free_made(&made);
}

static uint32_t pointer_bytes_with(const char *name, uint32_t bytes)
{
	struct made made = { 0 };
	struct btf btf;
	uint32_t found;

	add_type(&made, "list_head", FWD, 0, 0);
	add_type(&made, name, STRUCT, 0, bytes);
	open_made(&btf, &made);
	found = btf_pointer_bytes(&btf);
	ck_assert_uint_eq(btf_pointer_bytes(&btf), found);
	free_made(&made);
	return found;
}

START_TEST(a_list_head_has_two_pointers)
{
	ck_assert_uint_eq(pointer_bytes_with("list_head", 8), 4);
	ck_assert_uint_eq(pointer_bytes_with("list_head", 16), 8);
	ck_assert_uint_eq(pointer_bytes_with("hlist_head", 2 * (12 - sizeof(void *))), sizeof(void *));
	ck_assert_uint_eq(pointer_bytes_with("list_head", 6), sizeof(void *));
}
