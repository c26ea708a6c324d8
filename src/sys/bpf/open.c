/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are opened, when the call returns: then the kernel has read the path, so that it is in memory.
 *
 *	struct pt_regs *registers = ctx[0];
 *	const char *path = PATH(registers, registers->orig_ax);	(only of calls that open)
 *
 * Counted:
 *
 *	struct { u64 error; char command[16], path[120]; } key = { -result or 0, current->group_leader->comm
 *};
 *
 *	s64 length = probe_read_user_str(key.path, sizeof(key.path), path);
 *	char last = 0;
 *
 *	if (length <= 0)
 *		key.error |= BPF_OPENED_UNREAD;
 *	else if (length == sizeof(key.path)) {
 *		probe_read_user(&last, 1, path + sizeof(key.path) - 1);
 *		if (last)
 *			key.error |= BPF_OPENED_CUT;
 *	}
 *	count(entries, &key);
 *
 * Sent:
 *
 *	struct bpf_opened *opened = this_cpu(records);
 *	s64 length = probe_read_user_str(opened->path, BPF_TEXT_MAX, path);
 *
 *	opened->result = result;
 *	opened->copied_bytes = max(length, 0);
 *	opened->command = current->group_leader->comm;
 *	perf_event_output(…);				(emit_send)
 *
 * Another thread may change the path meanwhile.
 */
#include <config.h>

#include "sys/bpf/registers.h"
#include "sys/bpf/state.h"

#include <errno.h>

enum { EXIT_REGISTERS, EXIT_RESULT };

/* Calls that open, and the register with their path; word: of an array of registers. */
static const struct opens {
	int32_t number;
	bool foreign; /* of a program of 32 bits in a kernel of 64 */
	const char *path;
	unsigned word;
} calls[] = {
#if defined(__x86_64__)
	{ 257, false, "pt_regs.si", 0 }, /* openat */
	{ 437, false, "pt_regs.si", 0 }, /* openat2 */
	{ 2, false, "pt_regs.di", 0 },   /* open */
	{ 85, false, "pt_regs.di", 0 },  /* creat */
	{ 295, true, "pt_regs.cx", 0 },  /* openat */
	{ 437, true, "pt_regs.cx", 0 },  /* openat2 */
	{ 5, true, "pt_regs.bx", 0 },    /* open */
	{ 8, true, "pt_regs.bx", 0 },    /* creat */
#elif defined(__i386__)
	{ 295, false, "pt_regs.cx", 0 }, /* openat */
	{ 437, false, "pt_regs.cx", 0 }, /* openat2 */
	{ 5, false, "pt_regs.bx", 0 },   /* open */
	{ 8, false, "pt_regs.bx", 0 },   /* creat */
#elif defined(__aarch64__)
	{ 56, false, "pt_regs.regs", 1 },  /* openat */
	{ 437, false, "pt_regs.regs", 1 }, /* openat2 */
	{ 322, true, "pt_regs.regs", 1 },  /* openat */
	{ 437, true, "pt_regs.regs", 1 },  /* openat2 */
	{ 5, true, "pt_regs.orig_x0", 0 }, /* open */
	{ 8, true, "pt_regs.orig_x0", 0 }, /* creat */
#else
	{ 0, false, "pt_regs.(unknown here)", 0 },
#endif
};
#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

/* r2: the number of the call, r3: its registers. */
static void load_call(struct bpf_assembler *as)
{
	emit_argument(as, R3, EXIT_REGISTERS);
	emit_member(as, R2, R3, REGISTER_OF_CALL);
	emit_truncate(as, R2, R2);
}

static void choose_open(struct bpf_assembler *as, struct bpf_label *skip)
{
	struct bpf_label opens = { 0 };

	load_call(as);
	for (size_t i = 0; i < N_CALLS; i++)
		emit_jump_if(as, R2, BPF_JEQ, calls[i].number, &opens);
	emit_jump(as, skip);
	emit_label(as, &opens);
	choose_current(as, skip);
}

/* to = a register of those at base */
static void load_register(struct bpf_assembler *as, const struct opens *call, int to, int base)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	struct bpf_place place = { .n = 1 };
	int error = kernel->member(kernel->state, call->path, &place);

	if (error || place.n != 1)
		emit_lack(as, error ? error : -ENODATA);
	emit_load(as, sizeof(unsigned long), to, base, place.offsets[0] + call->word * sizeof(unsigned long));
	if (call->foreign)
		emit_truncate(as, to, to);
}

/* VALUE: where the path is. Without one, of a call that has the number of one in the other numbers, none. */
static void load_path(struct bpf_assembler *as, struct bpf_label *none)
{
	struct bpf_label found = { 0 };

	emit_foreign(as);
	load_call(as);
	for (size_t i = 0; i < N_CALLS; i++) {
		struct bpf_label other = { 0 };

		emit_jump_if(as, R2, BPF_JNE, calls[i].number, &other);
		emit_jump_if(as, R1, calls[i].foreign ? BPF_JEQ : BPF_JNE, 0, &other);
		load_register(as, &calls[i], VALUE, R3);
		emit_jump(as, &found);
		emit_label(as, &other);
	}
	emit_jump(as, none);
	emit_label(as, &found);
}

static void add_mark(struct bpf_assembler *as, int32_t mark)
{
	emit_load_slot(as, 8, R1, as->key, BPF_OPENED_ERROR * WORD);
	emit_compute_with(as, BPF_OR, R1, mark);
	emit_store_slot(as, 8, as->key, BPF_OPENED_ERROR * WORD, R1);
}

/* r0: how many bytes of the path at VALUE were read, if it was. */
static void mark_cut(struct bpf_assembler *as, int32_t room, struct bpf_label *whole)
{
	struct frame_slot last = emit_slot(as, 1);

	emit_jump_if(as, R0, BPF_JSLT, room, whole);
	emit_store_slot_number(as, last, 0, 0);
	emit_address(as, R1, last);
	emit_set(as, R2, 1);
	emit_move(as, R3, VALUE);
	emit_compute_with(as, BPF_ADD, R3, room - 1);
	emit_call(as, BPF_FUNC_probe_read_user);
	emit_load_slot(as, 8, R1, last, 0);
	emit_jump_if(as, R1, BPF_JEQ, 0, whole);
	add_mark(as, BPF_OPENED_CUT);
}

static void count_open(struct bpf_assembler *as)
{
	struct frame_slot path;
	struct bpf_label none = { 0 }, known = { 0 }, read = { 0 }, whole = { 0 };

	as->key = emit_slot(as, N_BPF_OPENED_WORDS);
	path = (struct frame_slot){ as->key.at + BPF_OPENED_PATH * WORD, BPF_OPENED_PATH_BYTES };
	load_path(as, &none);
	for (size_t at = 0; at < as->key.bytes; at += WORD)
		emit_store_slot_number(as, as->key, at, 0);
	emit_set(as, R2, 0);
	emit_argument(as, R1, EXIT_RESULT);
	emit_compute(as, BPF_SUB, R2, R1);
	emit_jump_if(as, R2, BPF_JGT, BPF_CALL_ERROR_MAX, &known);
	emit_store_slot(as, 8, as->key, BPF_OPENED_ERROR * WORD, R2);
	emit_label(as, &known);
	emit_task(as, as->chosen, R2);
	emit_command(as, as->key, BPF_OPENED_COMMAND, R2);
	emit_address(as, R1, path);
	emit_set(as, R2, (int32_t)path.bytes);
	emit_move(as, R3, VALUE);
	emit_call(as, BPF_FUNC_probe_read_user_str);
	emit_jump_if(as, R0, BPF_JSGT, 0, &read);
	add_mark(as, BPF_OPENED_UNREAD);
	emit_jump(as, &whole);
	emit_label(as, &read);
	mark_cut(as, (int32_t)path.bytes, &whole);
	emit_label(as, &whole);
	emit_count(as);
	emit_label(as, &none);
}

const struct bpf_shape bpf_open_count = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_WANTED),
	.entries = BPF_ENTRIES_COUNTS,
	.needs_types = true,
	.choose = choose_open,
	.work = count_open,
};

/* At r0 is the record. */
static void store_head(struct bpf_assembler *as, struct frame_slot record)
{
	struct frame_slot command = emit_slot(as, BPF_COMMAND_BYTES / WORD);

	emit_argument(as, R1, EXIT_RESULT);
	emit_store(as, 4, R0, offsetof(struct bpf_opened, result), R1);
	emit_task(as, as->chosen, R2);
	emit_command(as, command, 0, R2);
	emit_load_slot(as, 8, R0, record, 0);
	for (size_t at = 0; at < command.bytes; at += WORD) {
		emit_load_slot(as, 8, R1, command, at);
		emit_store(as, 8, R0, offsetof(struct bpf_opened, command) + at, R1);
	}
}

static void record_open(struct bpf_assembler *as)
{
	struct frame_slot record = emit_slot(as, 1), length = emit_slot(as, 1);
	struct bpf_label none = { 0 }, read = { 0 };

	load_path(as, &none);
	emit_look_up(as, BPF_MAP_RECORDS, as->zero);
	emit_jump_if(as, R0, BPF_JEQ, 0, &none);
	emit_store_slot(as, 8, record, 0, R0);
	store_head(as, record);
	emit_move(as, R1, R0);
	emit_compute_with(as, BPF_ADD, R1, BPF_OPENED_HEAD);
	emit_set(as, R2, BPF_TEXT_MAX);
	emit_move(as, R3, VALUE);
	emit_call(as, BPF_FUNC_probe_read_user_str);
	emit_jump_if(as, R0, BPF_JSGE, 0, &read);
	emit_set(as, R0, 0);
	emit_label(as, &read);
	emit_store_slot(as, 8, length, 0, R0);
	emit_load_slot(as, 8, R1, record, 0);
	emit_store(as, 4, R1, offsetof(struct bpf_opened, copied_bytes), R0);
	emit_send(as, record, BPF_OPENED_HEAD, length);
	emit_label(as, &none);
}

const struct bpf_shape bpf_open_record = {
	.maps = BPF_MAP_BIT(BPF_MAP_RECORDS) | BPF_MAP_BIT(BPF_MAP_RINGS) | BPF_MAP_BIT(BPF_MAP_WANTED),
	.needs_types = true,
	.choose = choose_open,
	.work = record_open,
};
