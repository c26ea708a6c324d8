/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the parser of BTF: made by hand, broken, and of this kernel. */
#include <config.h>

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
	ck_assert(btf_member(&btf, task, "leader", &member));
	ck_assert_uint_eq(member.offset, 16);
	ck_assert_uint_eq(btf_structure_of(&btf, member.type), task);
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
	uint32_t offsets[3], bytes = 0;
	struct btf btf;
	size_t length;
	char *seed = load_seed("btf/task", &length);

	ck_assert(btf_open(&btf, span_of(seed, length)));
	ck_assert_uint_eq(kernel_types_path(&btf, "task_struct.leader.pid", offsets, 3, &bytes), 2);
	ck_assert_uint_eq(offsets[0], 16);
	ck_assert_uint_eq(offsets[1], 8);
	ck_assert_uint_eq(bytes, 4);
	ck_assert_uint_eq(kernel_types_path(&btf, "task_struct.leader.leader.leader.pid", offsets, 3, &bytes),
			  0);
	ck_assert_uint_eq(kernel_types_path(&btf, "task_struct.pid.pid", offsets, 3, &bytes), 0);
	ck_assert_uint_eq(kernel_types_path(&btf, "absent.pid", offsets, 3, &bytes), 0);
	ck_assert_uint_eq(kernel_types_path(&btf, "task_struct", offsets, 3, &bytes), 0);
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

START_TEST(this_kernel_has_processes)
{
	struct bpf_task_layout layout;
	struct kernel_types types;
	uint32_t offsets[4], bytes = 0;
	struct env env;
	int error;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	error = kernel_types_open(&types, &env);
	if (error) {
		env_close(&env);
		skip_test("no BTF: %s", strerror(-error));
	}
	ck_assert_uint_eq(kernel_types_path(&types.btf, "task_struct.group_leader.tgid", offsets, 4, &bytes),
			  2);
	ck_assert_uint_eq(bytes, 4);
	ck_assert_uint_ne(btf_function(&types.btf, "bpf_iter_task"), 0);
	ck_assert_uint_ne(btf_typedef(&types.btf, "btf_trace_sched_switch"), 0);
	if (kernel_types_tasks(&types.btf, &layout) == 0)
		ck_assert(layout.tgid > layout.pid && layout.iowait_bit != 0 && layout.on_cpu_bytes != 0);
	kernel_types_close(&types);
	env_close(&env);
}
