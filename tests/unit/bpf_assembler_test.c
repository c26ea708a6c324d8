/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the assembler: which programs it refuses, beside ones that differ little and are sound. */
#include "suite.h"

#include "sys/bpf/emit.h"

static int no_member(void *state, const char *way, struct bpf_place *place)
{
	(void)state;
	*place = (struct bpf_place){ .n = 2, .bytes = 8 };
	return strcmp(way, "absent.member") == 0 ? -ENODATA : 0;
}

/* Of the bytes that its name says. */
static int find_field(void *state, const char *name, struct bpf_place *place)
{
	(void)state;
	*place = (struct bpf_place){ .n = 1, .bytes = (uint32_t)(name[0] - '0') };
	return 0;
}

static const struct bpf_kernel kernel = { .member = no_member, .field = find_field };

static int assemble(const struct bpf_program *program, const char **why)
{
	static struct bpf_code code;
	struct bpf_target target = { .kernel = &kernel };
	int error;

	target.maps[BPF_MAP_RINGS] = -1;
	error = bpf_assemble(&code, program, &target);
	*why = code.refused ? code.refused : "";
	return error;
}

/* Of a program that does this: part of why it is refused; NULL: it is not. */
static void check_work(void (*work)(struct bpf_assembler *as), const char *refused)
{
	const struct bpf_shape shape = { .work = work };
	const struct bpf_program program = { .does = &shape };
	const char *why;
	int error = assemble(&program, &why);

	ck_assert_msg(error == (refused ? -EINVAL : 0), "%s: %d, %s", refused ? refused : "sound", error,
		      why);
	if (refused)
		ck_assert_msg(strstr(why, refused) != NULL, "%s: %s", refused, why);
}

/* Work of one instruction. */
#define WORK(name, instruction)                                                                              \
	static void name(struct bpf_assembler *as)                                                           \
	{                                                                                                    \
		instruction;                                                                                 \
	}

static void keep_over_call(struct bpf_assembler *as, int kept)
{
	emit_set(as, kept, 1);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_compute(as, BPF_ADD, R0, kept);
}

WORK(keep_in_r3, keep_over_call(as, R3))
WORK(keep_in_r9, keep_over_call(as, R9))

static void call_without_argument(struct bpf_assembler *as)
{
	emit_map(as, R1, BPF_MAP_ENTRIES);
	emit_call(as, BPF_FUNC_map_lookup_elem);
}

WORK(call_unknown, emit_call(as, BPF_FUNC_trace_printk))

START_TEST(a_call_changes_registers)
{
	check_work(keep_in_r3, "a register is read that is not set");
	check_work(keep_in_r9, NULL);
	check_work(call_without_argument, "a register is read that is not set");
	check_work(call_unknown, "a function is called that the assembler does not know");
}

static void set_on_one_way(struct bpf_assembler *as)
{
	struct bpf_label one = { 0 };

	emit_argument(as, R1, 0);
	emit_jump_if(as, R1, BPF_JEQ, 0, &one);
	emit_set(as, R2, 1);
	emit_label(as, &one);
	emit_compute(as, BPF_ADD, R1, R2);
}

static void set_on_both_ways(struct bpf_assembler *as)
{
	struct bpf_label one = { 0 }, both = { 0 };

	emit_argument(as, R1, 0);
	emit_jump_if(as, R1, BPF_JEQ, 0, &one);
	emit_set(as, R2, 1);
	emit_jump(as, &both);
	emit_label(as, &one);
	emit_set(as, R2, 2);
	emit_label(as, &both);
	emit_compute(as, BPF_ADD, R1, R2);
}

WORK(write_self, emit_set(as, SELF, 0))
WORK(write_context, emit_set(as, CTX, 0))

static void write_released_context(struct bpf_assembler *as)
{
	emit_release(as, CTX);
	emit_set(as, CTX, 0);
}

WORK(write_frame_pointer, emit_compute_with(as, BPF_SUB, R10, 8))

START_TEST(registers_are_set_on_every_way_and_held)
{
	check_work(set_on_one_way, "a register is read that is not set");
	check_work(set_on_both_ways, NULL);
	check_work(write_self, "a register is written that is held");
	check_work(write_context, "a register is written that is held");
	check_work(write_released_context, NULL);
	check_work(write_frame_pointer, "a register is written that is held");
}

WORK(use_undeclared_slot, emit_store_slot_number(as, (struct frame_slot){ -64, 8 }, 0, 1))

static void use_slot_beyond_its_end(struct bpf_assembler *as)
{
	emit_slot(as, 1);
	emit_store_slot_number(as, emit_slot(as, 1), 8, 1);
}

static void use_part_of_slot(struct bpf_assembler *as)
{
	struct frame_slot slot = emit_slot(as, 2);

	emit_store_slot_number(as, (struct frame_slot){ slot.at + 8, 8 }, 0, 1);
	emit_load_slot(as, 8, R1, slot, 8);
}

WORK(use_frame_without_slot, emit_store_number(as, R10, 8, 1))

static void fill_frame(struct bpf_assembler *as, unsigned words)
{
	struct frame_slot slot = emit_slot(as, words);

	emit_store_slot_number(as, slot, 0, 1);
}

WORK(fill_all, fill_frame(as, 62)) /* with zero and room: 512 bytes */
WORK(fill_more, fill_frame(as, 63))

START_TEST(slots_are_declared_and_do_not_overlap)
{
	check_work(use_undeclared_slot, "the frame is used where no slot is declared");
	check_work(use_slot_beyond_its_end, "the frame is used where no slot is declared, or beyond its end");
	check_work(use_part_of_slot, NULL);
	check_work(use_frame_without_slot, "the frame is used without a slot");
	check_work(fill_all, NULL);
	check_work(fill_more, "the frame is full");
}

/* A key of two words, of which so many are set. */
static void read_key(struct bpf_assembler *as, unsigned n_set)
{
	struct frame_slot key = emit_slot(as, 2);

	for (unsigned i = 0; i < n_set; i++)
		emit_store_slot_number(as, key, i * WORD, 1);
	emit_look_up(as, BPF_MAP_ENTRIES, key);
}

WORK(read_half_of_key, read_key(as, 1))
WORK(read_whole_key, read_key(as, 2))

static void read_slot_of_one_way(struct bpf_assembler *as)
{
	struct frame_slot slot = emit_slot(as, 1);
	struct bpf_label end = { 0 };

	emit_argument(as, R1, 0);
	emit_jump_if(as, R1, BPF_JEQ, 0, &end);
	emit_store_slot(as, 8, slot, 0, R1);
	emit_label(as, &end);
	emit_load_slot(as, 8, R2, slot, 0);
}

START_TEST(slots_are_set_before_they_are_read)
{
	check_work(read_half_of_key, "a slot is read that is not set");
	check_work(read_whole_key, NULL);
	check_work(read_slot_of_one_way, "a slot is read that is not set");
}

static void jump_nowhere(struct bpf_assembler *as)
{
	struct bpf_label nowhere = { 0 };

	emit_jump_if(as, SELF, BPF_JEQ, 0, &nowhere);
}

static void place_twice(struct bpf_assembler *as)
{
	struct bpf_label label = { 0 };

	emit_jump_if(as, SELF, BPF_JEQ, 0, &label);
	emit_label(as, &label);
	emit_label(as, &label);
}

static void emit_behind_jump(struct bpf_assembler *as)
{
	struct bpf_label end = { 0 };

	emit_jump(as, &end);
	emit_set(as, R1, 0);
	emit_label(as, &end);
}

static void loop(struct bpf_assembler *as, bool calls, int counter)
{
	struct bpf_label next = { 0 };

	emit_set(as, counter, 5);
	emit_label(as, &next);
	emit_compute_with(as, BPF_SUB, counter, 1);
	if (calls)
		emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_jump_if(as, VALUE, BPF_JNE, 0, &next);
}

static void loop_with_lost_counter(struct bpf_assembler *as)
{
	emit_set(as, VALUE, 5);
	loop(as, true, R1);
}

WORK(loop_with_kept_counter, loop(as, true, VALUE))

START_TEST(jumps_lead_to_one_place_with_what_it_needs)
{
	check_work(jump_nowhere, "a jump leads nowhere");
	check_work(place_twice, "a label is placed twice");
	check_work(emit_behind_jump, "no way leads to an instruction");
	check_work(loop_with_lost_counter, "a jump back has not set what its target relies on");
	check_work(loop_with_kept_counter, NULL);
}

WORK(use_absent_map, emit_map(as, R1, BPF_MAP_RINGS))

static void load_from(struct bpf_assembler *as, size_t offset)
{
	emit_load(as, 8, R1, SELF, offset);
}

WORK(load_from_far, load_from(as, INT16_MAX))
WORK(load_from_too_far, load_from(as, INT16_MAX + 1))

static void go_on_and_on(struct bpf_assembler *as)
{
	for (unsigned i = 0; i < BPF_CODE_MAX; i++)
		emit_set(as, R1, 0);
}

START_TEST(maps_are_there_and_programs_end)
{
	check_work(use_absent_map, "a map is used that is not there");
	check_work(load_from_far, NULL);
	check_work(load_from_too_far, "it is too far away");
	check_work(go_on_and_on, "it is too long");
}

static int assemble_program(const struct bpf_program *program)
{
	const char *why;

	return assemble(program, &why);
}

START_TEST(keys_fit)
{
	struct bpf_program program = { .does = &bpf_count, .n_keys = 1 };

	ck_assert_int_eq(assemble_program(&program), 0);
	program.keys[0] = (struct bpf_part){ .is = BPF_PART_FIELD, .name = "3 bytes" };
	ck_assert_int_eq(assemble_program(&program), -EINVAL);
	program.keys[0].name = "2 bytes";
	ck_assert_int_eq(assemble_program(&program), 0);
	program.n_keys = BPF_KEYS_MAX;
	for (unsigned i = 0; i < BPF_KEYS_MAX; i++)
		program.keys[i] = (struct bpf_part){ .is = BPF_PART_CPU };
	ck_assert_int_eq(assemble_program(&program), 0);
	program.by_log2 = true;
	ck_assert_int_eq(assemble_program(&program), -EINVAL);
	program.by_log2 = false;
	program.keys[0].joins = true; /* there is no word before it */
	ck_assert_int_eq(assemble_program(&program), -EINVAL);
	program.keys[0].joins = false;
	program.keys[1] = (struct bpf_part){ .is = BPF_PART_CPU, .joins = true, .shift = 63 };
	ck_assert_int_eq(assemble_program(&program), 0);
	program.keys[1].shift = 64;
	ck_assert_int_eq(assemble_program(&program), -EINVAL);
	program.n_keys = 0;
	ck_assert_int_eq(assemble_program(&program), -EINVAL);
}

/* Of all members that it has, this kernel has another structure than was expected. */
START_TEST(what_the_kernel_lacks_is_no_mistake_of_the_program)
{
	struct bpf_program program = { .does = &bpf_count,
				       .n_keys = 1,
				       .value = { .is = BPF_PART_MEMBER, .name = "absent.member" } };

	ck_assert_int_eq(assemble_program(&program), -ENODATA);
	program.value.name = "some.member";
	ck_assert_int_eq(assemble_program(&program), 0);
	program.value.bytes = 16;
	ck_assert_int_eq(assemble_program(&program), -ENODATA);
	program = (struct bpf_program){ .does = &bpf_enter_ready }; /* a task has its number itself */
	ck_assert_int_eq(assemble_program(&program), -ENODATA);
}
