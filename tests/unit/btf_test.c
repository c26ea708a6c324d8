/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the parser of BTF: made by hand, broken, and of this kernel. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/btf.h"
#include "suite.h"
#include "topic/trace/kernel_types.h"

START_TEST(members_are_found_also_in_structures_without_a_name)
{
	struct btf_member member;
	struct btf btf;
	size_t length;
	char *bytes = load_seed("btf/task", &length);
	uint32_t task, offset;
	uint8_t bit;

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
	bytes[0] = 0xeb9f | 1 << 16;
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
