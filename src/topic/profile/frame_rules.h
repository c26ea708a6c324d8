/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the caller of a function and its registers are, by .eh_frame, which libdw reads. */
#ifndef PANETOP_TOPIC_PROFILE_FRAME_RULES_H
#define PANETOP_TOPIC_PROFILE_FRAME_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "kernel/perf_record.h"

#define FRAME_REGISTERS PROFILE_N_REGISTERS /* by the numbers of DWARF */

struct frame_rules; /* of one file */

/* bytes: the whole file, which must stay. NULL: it has no .eh_frame, or is malformed. */
struct frame_rules *frame_rules_open(struct span bytes);
void frame_rules_close(struct frame_rules *rules); /* NULL is fine */

/* A function on the stack, or its caller. */
struct frame_state {
	uint64_t ip;
	uint64_t registers[FRAME_REGISTERS];
	uint64_t known; /* a bit for each register */
	bool exact;     /* ip is where it was interrupted; else behind a call */
};

/* From the registers of a sample, in the order of the kernel. */
void frame_state_begin(struct frame_state *state, const uint64_t registers[PROFILE_N_REGISTERS]);

/* The stack pointer that was sampled, and the copied bytes from there on. */
struct frame_stack {
	uint64_t address;
	struct span bytes;
};

enum frame_step {
	FRAME_CALLER, /* state is the caller now */
	FRAME_FIRST,  /* it has none: the program began there */
	FRAME_LOST,   /* it cannot be found: the stack was not copied so far, or there is no rule */
};

/*
 * From a function to its caller. bias: what addresses of the file are less than those of the process.
 */
enum frame_step frame_rules_step(struct frame_rules *rules, uint64_t bias, const struct frame_stack *stack,
				 struct frame_state *state);

/* The same by the frame pointer, for code that keeps it. */
enum frame_step frame_pointer_step(const struct frame_stack *stack, struct frame_state *state);

#endif
