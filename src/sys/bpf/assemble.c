/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs of all shapes begin and end with:
 *
 *	struct bpf_self *self;
 *	u64 begun = 0;
 *
 *	if (CHOOSE skips)
 *		return 0;
 *	self = this_cpu(selves);
 *	if (++self->runs % TIMED_RUNS == 0)
 *		begun = ktime_get_ns();
 *	if (!(UNLESS & UNLESS_BITS))
 *		WORK;
 *	if (begun) {
 *		self->timed_ns += ktime_get_ns() - begun;
 *		self->timed_runs++;
 *	}
 *	return 0;
 */
#include <config.h>

#include "sys/bpf/parts.h"

static void begin_timing(struct bpf_assembler *as)
{
	int32_t timed_runs = as->program->does->is_run ? 1 : BPF_TIMED_RUNS;
	struct bpf_label untimed = { 0 };

	emit_count_self(as, offsetof(struct bpf_self, runs));
	emit_set(as, BEGUN, 0);
	emit_compute_with(as, BPF_AND, R1, timed_runs - 1);
	emit_jump_if(as, R1, BPF_JNE, 0, &untimed);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_move(as, BEGUN, R0);
	emit_label(as, &untimed);
	emit_hold(as, BEGUN);
}

static void end_timing(struct bpf_assembler *as)
{
	struct bpf_label untimed = { 0 };

	emit_jump_if(as, BEGUN, BPF_JEQ, 0, &untimed);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_compute(as, BPF_SUB, R0, BEGUN);
	emit_load(as, 8, R1, SELF, offsetof(struct bpf_self, timed_ns));
	emit_compute(as, BPF_ADD, R1, R0);
	emit_store(as, 8, SELF, offsetof(struct bpf_self, timed_ns), R1);
	emit_count_self(as, offsetof(struct bpf_self, timed_runs));
	emit_label(as, &untimed);
}

static bool has_unless(struct bpf_assembler *as)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	const struct bpf_program *program = as->program;
	uint32_t n = 0;
	int error;

	if (!program->unless_bits || !program->unless.since_later)
		return program->unless_bits != 0;
	error = kernel->arguments(kernel->state, program->tracepoint, &n);
	if (error)
		emit_lack(as, error);
	return program->unless.argument < n;
}

static void work_unless(struct bpf_assembler *as)
{
	struct bpf_label without = { 0 };

	if (has_unless(as)) {
		emit_part(as, &as->program->unless);
		emit_set_long(as, R2, as->program->unless_bits);
		emit_compute(as, BPF_AND, R1, R2);
		emit_jump_if(as, R1, BPF_JNE, 0, &without);
	}
	as->program->does->work(as);
	emit_label(as, &without);
}

/* A slot for the words of its keys, where it has some. */
static void open_key(struct bpf_assembler *as)
{
	const struct bpf_program *program = as->program;
	unsigned n_words = bpf_key_words(program) + program->by_log2;

	if (program->n_keys + program->by_log2 > BPF_KEYS_MAX ||
	    (program->n_keys > 0 && program->keys[0].joins))
		emit_refuse(as, "its key has too many parts, or none to join");
	else if (n_words > 0)
		as->key = emit_slot(as, n_words);
}

int bpf_assemble(struct bpf_code *code, const struct bpf_program *program, const struct bpf_target *target)
{
	struct bpf_assembler as = { .program = program, .target = target };
	struct bpf_label end = { 0 };

	*code = (struct bpf_code){ 0 };
	emit_begin(&as, code);
	as.zero = emit_slot(&as, 1);
	as.room = emit_slot(&as, 1);
	open_key(&as);
	emit_move(&as, CTX, R1);
	emit_hold(&as, CTX);
	if (program->does->choose)
		program->does->choose(&as, &end);
	emit_store_slot_number(&as, as.zero, 0, 0);
	emit_look_up(&as, BPF_MAP_SELF, as.zero);
	emit_jump_if(&as, R0, BPF_JEQ, 0, &end);
	emit_move(&as, SELF, R0);
	emit_hold(&as, SELF);
	begin_timing(&as);
	work_unless(&as);
	end_timing(&as);
	emit_label(&as, &end);
	/* 1 has a tracepoint tell perf events of others, too, and an iterator begin again. */
	emit_set(&as, R0, !program->does->iterates && !program->does->at_code);
	emit_exit(&as);
	emit_end(&as);
	return code->error;
}
