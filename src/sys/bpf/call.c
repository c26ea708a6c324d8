/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts system calls when they return, by process, call, error and time. At sys_exit:
 *
 *	struct pt_regs *registers = ctx[0];
 *	u64 result = ctx[1], number = (u32)registers->orig_ax, error = -result, bucket = 0, ns = 0;
 *
 *	if (result == 0 && forks(number))		(a child begins: it did not make the call)
 *		return;
 *	if (number >= BPF_CALL_ODD)
 *		number = (u32)(number + 1) == 0 ? BPF_CALL_NONE : BPF_CALL_ODD;
 *	if (error > BPF_CALL_ERROR_MAX || number == BPF_CALL_NONE)
 *		error = 0;
 *	if (current->thread_info.status & TS_COMPAT)
 *		number |= BPF_CALL_FOREIGN;
 *	TIME;						(only of bpf_call_ended)
 *	count(entries, current->tgid << … | number << … | error << … | bucket, ns);
 *
 * What is to be timed keeps its start, with the number of the call, at sys_enter:
 *
 *	starts[current->pid] = ktime_get_ns() << 10 | number & 1023;	(emit_keep)
 *
 * A thread may end, or get another number, within a call. So TIME is
 *
 *	u64 *start = map_lookup_elem(starts, current->pid), begun;
 *
 *	if (start) {
 *		begun = *start;
 *		*start = 0;
 *		if (begun && ((begun ^ number) & 1023) == 0) {
 *			ns = ((ktime_get_ns() << 10) - (begun & ~1023)) >> 10;
 *			bucket = (histogram_index(0, ns) >> BPF_CALL_BUCKET_SHIFT) + 1;
 *		}
 *	}
 */
#include <config.h>

#include <errno.h>

#include "sys/bpf/emit.h"

/*
 * The bit of a member that a thread has while it is in a call of 32 bits, in a kernel of 64: TS_COMPAT of
 * arch/x86/include/asm/thread_info.h, TIF_32BIT of that of arm64.
 */
#if defined(__x86_64__) || defined(__i386__)
#define MEMBER_OF_FOREIGN "task_struct.thread_info.status"
#define BIT_OF_FOREIGN 1
#elif defined(__aarch64__)
#define MEMBER_OF_FOREIGN "task_struct.thread_info.flags"
#define BIT_OF_FOREIGN 22
#else
#define MEMBER_OF_FOREIGN "task_struct.(unknown here)"
#define BIT_OF_FOREIGN 0
#endif

/* Arguments of sys_enter and of sys_exit. */
enum { ENTER_REGISTERS, ENTER_NUMBER };
enum { EXIT_REGISTERS, EXIT_RESULT };

#define START_BITS 10 /* of a start: for the number of the call */
#define START_NUMBER ((1 << START_BITS) - 1)

/* Calls from which a child returns, too, with 0: fork, vfork, clone, clone3. */
static const struct fork_call {
	int32_t number;
	bool foreign; /* of a program of 32 bits in a kernel of 64 */
} forks[] = {
#if defined(__x86_64__)
	{ 57, false }, { 58, false }, { 56, false }, { 435, false },
#elif defined(__i386__)
	{ 2, false }, { 190, false }, { 120, false }, { 435, false },
#elif defined(__aarch64__)
	{ 220, false }, { 435, false },
#endif
	{ 2, true },   { 190, true }, { 120, true }, { 435, true },
};

#define FOREIGN_BIT 15
_Static_assert(BPF_CALL_FOREIGN == 1 << FOREIGN_BIT, "what is shifted there");

/* r1: BPF_CALL_FOREIGN, if the thread that was chosen is in a call of 32 bits in a kernel of 64, else 0. */
static void load_foreign(struct bpf_assembler *as)
{
	emit_task_member(as, R1, MEMBER_OF_FOREIGN);
	emit_compute_with(as, BPF_AND, R1, 1 << BIT_OF_FOREIGN);
	if (BIT_OF_FOREIGN < FOREIGN_BIT)
		emit_compute_with(as, BPF_LSH, R1, FOREIGN_BIT - BIT_OF_FOREIGN);
	else
		emit_compute_with(as, BPF_RSH, R1, BIT_OF_FOREIGN - FOREIGN_BIT);
}

/* r2: the number of the call; its registers are at the other one. */
static void load_call(struct bpf_assembler *as, int registers)
{
	emit_argument(as, registers, EXIT_REGISTERS);
	emit_member(as, R2, registers, REGISTER_OF_CALL);
	emit_truncate(as, R2, R2);
}

static void choose_call(struct bpf_assembler *as, struct bpf_label *skip)
{
	struct bpf_label counts = { 0 };

	choose_current(as, skip);
	emit_argument(as, R1, EXIT_RESULT);
	emit_jump_if(as, R1, BPF_JNE, 0, &counts);
	load_call(as, R1);
	load_foreign(as);
	emit_compute(as, BPF_OR, R2, R1);
	for (size_t i = 0; i < sizeof(forks) / sizeof(forks[0]); i++)
		emit_jump_if(as, R2, BPF_JEQ,
			     forks[i].number | (forks[i].foreign ? (int32_t)BPF_CALL_FOREIGN : 0), skip);
	emit_label(as, &counts);
}

/* r2: the number of the call, of those that are counted. */
static void load_number(struct bpf_assembler *as)
{
	struct bpf_label plain = { 0 };

	load_call(as, R1);
	emit_jump_if(as, R2, BPF_JLT, BPF_CALL_ODD, &plain);
	emit_move(as, R3, R2);
	emit_set(as, R2, BPF_CALL_ODD);
	emit_compute_with(as, BPF_ADD, R3, 1);
	emit_truncate(as, R3, R3);
	emit_jump_if(as, R3, BPF_JNE, 0, &plain);
	emit_set(as, R2, BPF_CALL_NONE);
	emit_label(as, &plain);
}

/* r3: the error with which the call r2 ended; 0: it did not fail. */
static void load_error(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 }, known = { 0 };

	emit_set(as, R3, 0);
	emit_jump_if(as, R2, BPF_JEQ, BPF_CALL_NONE, &known);
	emit_argument(as, R1, EXIT_RESULT);
	emit_compute(as, BPF_SUB, R3, R1);
	emit_jump_if(as, R3, BPF_JGT, BPF_CALL_ERROR_MAX, &none);
	emit_jump(as, &known);
	emit_label(as, &none);
	emit_set(as, R3, 0);
	emit_label(as, &known);
}

/* Into the key, without the time; r2: the same. */
static void store_call(struct bpf_assembler *as)
{
	as->key = emit_slot(as, 1);
	load_number(as);
	load_error(as);
	load_foreign(as);
	emit_compute(as, BPF_OR, R2, R1);
	emit_compute_with(as, BPF_LSH, R2, BPF_CALL_NUMBER_SHIFT);
	emit_compute_with(as, BPF_LSH, R3, BPF_CALL_ERROR_SHIFT);
	emit_compute_with(as, BPF_LSH, VALUE, BPF_CALL_PROCESS_SHIFT);
	emit_compute(as, BPF_OR, R2, R3);
	emit_compute(as, BPF_OR, R2, VALUE);
	emit_store_slot(as, 8, as->key, 0, R2);
}

static void count_call(struct bpf_assembler *as)
{
	store_call(as);
	emit_count(as);
}

const struct bpf_shape bpf_call = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_WANTED),
	.entries = BPF_ENTRIES_COUNTS,
	.needs_types = true,
	.choose = choose_call,
	.work = count_call,
};

static void begin_call(struct bpf_assembler *as)
{
	emit_key(as);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_move(as, VALUE, R0);
	emit_compute_with(as, BPF_LSH, VALUE, START_BITS);
	emit_argument(as, R1, ENTER_NUMBER);
	emit_compute_with(as, BPF_AND, R1, START_NUMBER);
	emit_compute(as, BPF_OR, VALUE, R1);
	emit_keep(as);
}

const struct bpf_shape bpf_call_begun = {
	.maps = BPF_MAP_BIT(BPF_MAP_STARTS) | BPF_MAP_BIT(BPF_MAP_WANTED),
	.needs_types = true,
	.keeps_newest = true,
	.choose = choose_current,
	.work = begin_call,
};

/* VALUE: how long the call of the key took; its bucket into the key. Both 0: that is not known. */
static void time_call(struct bpf_assembler *as)
{
	static const struct bpf_part thread = { .is = BPF_PART_THREAD };
	struct frame_slot key = emit_slot(as, 1);
	struct bpf_label unknown = { 0 };

	emit_part(as, &thread);
	emit_store_slot(as, 8, key, 0, R1);
	emit_set(as, VALUE, 0);
	emit_find(as, BPF_MAP_STARTS, key, &unknown);
	emit_load(as, 8, R1, R0, 0);
	emit_jump_if(as, R1, BPF_JEQ, 0, &unknown);
	emit_store_number(as, R0, 0, 0);
	emit_load_slot(as, 8, R2, as->key, 0);
	emit_compute_with(as, BPF_RSH, R2, BPF_CALL_NUMBER_SHIFT);
	emit_compute(as, BPF_XOR, R2, R1);
	emit_compute_with(as, BPF_AND, R2, START_NUMBER);
	emit_jump_if(as, R2, BPF_JNE, 0, &unknown);
	emit_compute_with(as, BPF_RSH, R1, START_BITS);
	emit_compute_with(as, BPF_LSH, R1, START_BITS);
	emit_move(as, VALUE, R1);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_compute_with(as, BPF_LSH, R0, START_BITS);
	emit_compute(as, BPF_SUB, R0, VALUE);
	emit_compute_with(as, BPF_RSH, R0, START_BITS);
	emit_move(as, VALUE, R0);
	emit_bucket(as);
	emit_compute_with(as, BPF_RSH, R1, BPF_CALL_BUCKET_SHIFT);
	emit_compute_with(as, BPF_ADD, R1, 1);
	emit_load_slot(as, 8, R2, as->key, 0);
	emit_compute(as, BPF_OR, R2, R1);
	emit_store_slot(as, 8, as->key, 0, R2);
	emit_label(as, &unknown);
}

static void end_call(struct bpf_assembler *as)
{
	store_call(as);
	time_call(as);
	emit_count_value(as);
}

const struct bpf_shape bpf_call_ended = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_STARTS) | BPF_MAP_BIT(BPF_MAP_WANTED),
	.entries = BPF_ENTRIES_COUNTS,
	.needs_types = true,
	.choose = choose_call,
	.work = end_call,
};

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

static void choose_open(struct bpf_assembler *as, struct bpf_label *skip)
{
	struct bpf_label opens = { 0 };

	load_call(as, R3);
	for (size_t i = 0; i < N_CALLS; i++)
		emit_jump_if(as, R2, BPF_JEQ, calls[i].number, &opens);
	emit_jump(as, skip);
	emit_label(as, &opens);
	choose_current(as, skip);
}

/* to = a register of those at base */
static void load_register(struct bpf_assembler *as, const struct opens *call, int to, int base)
{
	struct bpf_place place = emit_place(as, call->path);

	emit_load(as, sizeof(unsigned long), to, base, place.offsets[0] + call->word * sizeof(unsigned long));
	if (call->foreign)
		emit_truncate(as, to, to);
}

/* VALUE: where the path is. Without one, of a call that has the number of one in the other numbers, none. */
static void load_path(struct bpf_assembler *as, struct bpf_label *none)
{
	struct bpf_label found = { 0 };

	load_foreign(as);
	load_call(as, R3);
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
	emit_clear(as, as->key);
	emit_set(as, R2, 0);
	emit_argument(as, R1, EXIT_RESULT);
	emit_compute(as, BPF_SUB, R2, R1);
	emit_jump_if(as, R2, BPF_JGT, BPF_CALL_ERROR_MAX, &known);
	emit_store_slot(as, 8, as->key, BPF_OPENED_ERROR * WORD, R2);
	emit_label(as, &known);
	emit_task(as, R2);
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
	emit_task(as, R2);
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
	emit_find(as, BPF_MAP_RECORDS, as->zero, &none);
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
