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
	struct frame_slot room;   /* for a word, until the next call of what is declared in parts.h */
	struct frame_slot key;    /* the words of the key of entries */
	struct frame_slot chosen; /* what the shape's choose leaves to its work */
};

/* The assembler is 0 but for program and target. At first r1 is set; at the end every way has ended. */
void emit_begin(struct bpf_assembler *as, struct bpf_code *code);
void emit_end(struct bpf_assembler *as);

/* It is not to be run: why is of a program that is wrong, error of a kernel that lacks what it needs. */
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

#endif
