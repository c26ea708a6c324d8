/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The assembler: emits instructions of BPF, and refuses a program that reads what no instruction has set.
 *
 * A call of the kernel changes r0 to r5; r6 to r9 last. A register that is held is not written until it is
 * released. What lies in the frame is declared, and has its place alone. What is set must be so on every way
 * that leads to where it is read. A refused program stays refused, whatever comes after that.
 */
#ifndef PANETOP_SYS_BPF_EMIT_H
#define PANETOP_SYS_BPF_EMIT_H

#include "sys/bpf/program.h"

#define WORD 8
#define EMIT_SLOTS_MAX 24

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

/* Where the contents of a program are, whatever its shape. */
#define CTX R6   /* what the program is called with; held */
#define SELF R7  /* struct bpf_self of this CPU; held */
#define BEGUN R8 /* the time of its start in ns, 0: this run is not timed; held */
#define VALUE R9

/* A place in the frame: bytes from r10 + at on, in whole words. */
struct frame_slot {
	int at;
	unsigned bytes;
};

/* What is set on every way to an instruction: a bit for each register, and for each word of the frame. */
struct emit_known {
	uint32_t registers;
	uint64_t words;
};

/* Where jumps lead to. All 0 at first; it is placed once, before or behind those. */
struct bpf_label {
	unsigned last;           /* the last jump to it, from 1, which has the one before it as its offset */
	unsigned at;             /* placed here, from 1 */
	struct emit_known known; /* at all jumps so far; placed: there */
};

struct bpf_assembler {
	struct bpf_code *code;
	const struct bpf_program *program;
	const struct bpf_target *target;

	struct emit_known known; /* here */
	bool unreachable;        /* here: what comes next needs a label */
	uint32_t held;           /* registers */
	unsigned n_open;         /* labels that were jumped to, and are not placed */
	struct frame_slot slots[EMIT_SLOTS_MAX];
	unsigned n_slots, frame_bytes;

	struct frame_slot zero;   /* a word that is 0: the only key of arrays */
	struct frame_slot room;   /* for a word, until the next call of what shapes share */
	struct frame_slot key;    /* the words of the key of entries */
	struct frame_slot chosen; /* what the shape's choose leaves to its work */
};

/* The assembler is 0 but for program and target. At first r1 is set; at the end every way has ended. */
void emit_begin(struct bpf_assembler *as, struct bpf_code *code);
void emit_end(struct bpf_assembler *as);

/* It is not to be run: why is of a program that is wrong, error of a kernel that lacks something; 0: not. */
void emit_refuse(struct bpf_assembler *as, const char *why);
void emit_lack(struct bpf_assembler *as, int error);

/* A place for these words, which nothing else has. */
struct frame_slot emit_slot(struct bpf_assembler *as, unsigned words);

void emit_hold(struct bpf_assembler *as, int held);
void emit_release(struct bpf_assembler *as, int held);

/* to = from; to = number */
void emit_move(struct bpf_assembler *as, int to, int from);
void emit_set(struct bpf_assembler *as, int to, int32_t number);
void emit_set_long(struct bpf_assembler *as, int to, uint64_t number);

/* to = (uint32_t)from */
void emit_truncate(struct bpf_assembler *as, int to, int from);

/* BPF_ADD: to += from */
void emit_compute(struct bpf_assembler *as, int operation, int to, int from);
void emit_compute_with(struct bpf_assembler *as, int operation, int to, int32_t number);

/* to = *(base + offset), of 1, 2, 4 or 8 bytes; and what writes there */
void emit_load(struct bpf_assembler *as, uint32_t bytes, int to, int base, size_t offset);
void emit_store(struct bpf_assembler *as, uint32_t bytes, int base, size_t offset, int from);
void emit_store_number(struct bpf_assembler *as, int base, size_t offset, int32_t number);

/* Of 8 bytes; BPF_ADD: *(base + offset) += from; BPF_CMPXCHG: with r0, which is then what was there */
void emit_atomic(struct bpf_assembler *as, int32_t operation, int base, size_t offset, int from);

/* Every word of it is 0. */
void emit_clear(struct bpf_assembler *as, struct frame_slot slot);

/* The same with a place of the frame. Its address is for what writes there: nothing says that it is set. */
void emit_load_slot(struct bpf_assembler *as, uint32_t bytes, int to, struct frame_slot slot, size_t offset);
void emit_store_slot(struct bpf_assembler *as, uint32_t bytes, struct frame_slot slot, size_t offset,
		     int from);
void emit_store_slot_number(struct bpf_assembler *as, struct frame_slot slot, size_t offset, int32_t number);
void emit_address(struct bpf_assembler *as, int to, struct frame_slot slot);

/* The address of a slot of which every word is set. */
void emit_address_of_set(struct bpf_assembler *as, int to, struct frame_slot slot);

/* to = the map; to = the address of the first value of an array */
void emit_map(struct bpf_assembler *as, int to, enum bpf_map map);
void emit_map_memory(struct bpf_assembler *as, int to, enum bpf_map map);

/* r0 = function(r1, r2 …): BPF_FUNC_…; and one by its number in the kernel's BTF, with its arguments */
void emit_call(struct bpf_assembler *as, int32_t function);
void emit_call_kernel(struct bpf_assembler *as, uint32_t function, unsigned n_arguments);

/* BPF_JEQ: if (one == number) goto label; behind emit_jump(), which is always taken, only a label follows */
void emit_jump(struct bpf_assembler *as, struct bpf_label *label);
void emit_jump_if(struct bpf_assembler *as, int one, int compare, int32_t number, struct bpf_label *label);
void emit_jump_if_register(struct bpf_assembler *as, int one, int compare, int other,
			   struct bpf_label *label);

/* label: */
void emit_label(struct bpf_assembler *as, struct bpf_label *label);

/* return r0 */
void emit_exit(struct bpf_assembler *as);

/* The name of a function that the kernel has for programs, and its arguments; NULL: it is not known. */
const char *emit_function(int32_t function, unsigned *n_arguments);

/*
 * What programs of several shapes do: they look into maps, load parts of keys and values, count in entries.
 * All of it calls the kernel, and may change r0 to r5 and the room.
 */

/* r0: the element with this key, or NULL: then it goes to none. */
void emit_look_up(struct bpf_assembler *as, enum bpf_map map, struct frame_slot key);
void emit_find(struct bpf_assembler *as, enum bpf_map map, struct frame_slot key, struct bpf_label *none);

/* r0: 0, or negative. */
void emit_update(struct bpf_assembler *as, enum bpf_map map, struct frame_slot key, struct frame_slot value,
		 int32_t flags);

/* The same; that there was no room is counted, not that it is there already. */
void emit_add(struct bpf_assembler *as, enum bpf_map map, struct frame_slot key, struct frame_slot value,
	      int32_t flags);

/* self->field++; r1: what it is then. */
void emit_count_self(struct bpf_assembler *as, size_t field);
#define emit_count_lost(as) emit_count_self(as, offsetof(struct bpf_self, lost))

/* to = base->way of the kernel's structure: the number there, or these bytes of something else. */
void emit_member(struct bpf_assembler *as, int to, int base, const char *way);
void emit_member_of(struct bpf_assembler *as, uint32_t bytes, int to, int base, const char *way);

/* Where it is in the kernel's structure: at one offset. */
struct bpf_place emit_place(struct bpf_assembler *as, const char *way);

/* Into the two words of command, from word on: the name of the process of the task in this register. */
void emit_command(struct bpf_assembler *as, struct frame_slot command, unsigned word, int task);

/* VALUE = now - VALUE */
void emit_since(struct bpf_assembler *as);

/* The kernel is too old without this. */
void emit_need(struct bpf_assembler *as, const char *way);

/* to = ctx[argument] */
void emit_argument(struct bpf_assembler *as, int to, unsigned argument);

/* r1 = part */
void emit_part(struct bpf_assembler *as, const struct bpf_part *part);

/* Into this slot, all of which it sets, the text that part is. */
void emit_text(struct bpf_assembler *as, const struct bpf_part *part, struct frame_slot slot);

/* r1: the process that runs, its pid. */
void emit_process(struct bpf_assembler *as);

/* The words of the program's keys, into the slot for them. */
void emit_key(struct bpf_assembler *as);

/* The same slot without the word of by_log2. */
struct frame_slot key_of_start(const struct bpf_assembler *as);

/* r2: the number of bits of the value, 0 for 0. */
void emit_bits(struct bpf_assembler *as);

/* r1: histogram_index(0, value). */
void emit_bucket(struct bpf_assembler *as);

/* starts[key] = value */
void emit_keep(struct bpf_assembler *as);

/* In slot: the number of the one that the key has among as many as have these bits. */
void emit_hash(struct bpf_assembler *as, struct frame_slot key, int bits, struct frame_slot slot);
#define SLOT_MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

/* Goes to found, with what entries has of the key at r0, where the key has its slot. */
void emit_find_slot(struct bpf_assembler *as, struct bpf_label *found);

/* r0: entries[key], of which count is one more; none: there was no room for it, which is counted. */
void emit_count_entry(struct bpf_assembler *as, struct bpf_label *none);

/* entries[key]: count++ */
void emit_count(struct bpf_assembler *as);

/* entries[key]: count++, sum += value, most */
void emit_count_value(struct bpf_assembler *as);

/* Sends the head of this record, and length bytes of text behind it; lost: the ring is full. */
void emit_send(struct bpf_assembler *as, struct frame_slot record, int32_t head, struct frame_slot length);

/* if (*(r0 + offset) < value) it is value */
void emit_keep_most(struct bpf_assembler *as, size_t offset);

/* to = the task that was chosen; to = task->way */
void emit_task(struct bpf_assembler *as, int to);
void emit_task_member(struct bpf_assembler *as, int to, const char *way);

/* Without the process r1, which is of this target, goto skip. */
void emit_unless_wanted(struct bpf_assembler *as, struct bpf_label *skip);

/* As of struct bpf_shape: the thread that runs; VALUE: its process. */
void choose_current(struct bpf_assembler *as, struct bpf_label *skip);

/* The number of a system call; the low 32 bits of it. -1: none, as after the return from a signal handler. */
#if defined(__x86_64__) || defined(__i386__)
#define REGISTER_OF_CALL "pt_regs.orig_ax"
#elif defined(__aarch64__)
#define REGISTER_OF_CALL "pt_regs.syscallno"
#else
#define REGISTER_OF_CALL "pt_regs.(unknown here)" /* -ENODATA */
#endif

#endif
