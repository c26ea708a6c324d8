/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the run times of all processes, and a mark that changes with what else is known of them:
 *
 *	struct task_struct *task;
 *
 *	walk->n_tasks = walk->n_processes = walk->ended = 0;
 *	bpf_for_each(task, task, NULL, BPF_TASK_ITER_ALL_THREADS) {
 *		struct bpf_walked *last = &walk->processes[walk->n_processes - 1];
 *
 *		if (walk->n_tasks++ == BPF_WALK_MAX)
 *			return 0;
 *		if (walk->n_processes == 0 || last->pid != task->tgid) {
 *			last = &walk->processes[walk->n_processes++];
 *			last->pid = task->tgid;
 *			last->unseen = task->signal->nr_threads;
 *			last->run_ns = task->signal->sum_sched_runtime;	(of those that ended)
 *			last->mark = mix(0, task->real_parent, task->cgroups, task->mm->rss_stat …);
 *		}
 *		last->unseen--;
 *		last->run_ns += task->se.sum_exec_runtime;
 *		last->mark = mix(last->mark, task->static_prio);
 *	}
 *	walk->ended = true;
 *
 * Its numbers are in the memory that it writes, as the verifier follows those in registers without end.
 */
#include <config.h>

#include "sys/bpf/emit.h"

#include <errno.h>

#define WALK R6 /* in place of the context */
#define TASK R9
#define ALL_THREADS 1 /* BPF_TASK_ITER_ALL_THREADS of kernel/bpf/task_iter.c */
#define PROCESS_AT(field) (offsetof(struct bpf_walk, processes) + offsetof(struct bpf_walked, field))

/* bpf_iter_task_new(), next() or destroy() of the iteration. */
static void call_iteration(struct bpf_assembler *as, const char *function, unsigned n_arguments)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	uint32_t number = 0;

	emit_lack(as, kernel->function(kernel->state, function, &number));
	emit_call_kernel(as, number, n_arguments);
}

/* r1 with r5; r0 is SLOT_MULTIPLIER. */
static void mix(struct bpf_assembler *as)
{
	emit_compute(as, BPF_XOR, R1, R5);
	emit_compute(as, BPF_MUL, R1, R0);
}

/* The verifier computes with no addresses: it forgets that one is one when it is read from a map. */
static void mix_address(struct bpf_assembler *as, const char *way)
{
	emit_member(as, R5, TASK, way);
	emit_store(as, 8, R4, PROCESS_AT(mark), R5);
	emit_load(as, 8, R5, R4, PROCESS_AT(mark));
	mix(as);
}

/* r4: the place of the process with this number, which is in r3. */
static void locate_process(struct bpf_assembler *as)
{
	emit_compute_with(as, BPF_MUL, R3, sizeof(struct bpf_walked));
	emit_move(as, R4, WALK);
	emit_compute(as, BPF_ADD, R4, R3);
}

/* At r4, for the tgid in r1. */
static void begin_process(struct bpf_assembler *as)
{
	static const char *const sizes[] = {
		"mm_struct.rss_stat[0].count", /* MM_FILEPAGES */
		"mm_struct.rss_stat[1].count", /* MM_ANONPAGES */
		"mm_struct.rss_stat[3].count", /* MM_SHMEMPAGES */
	};
	struct bpf_label none = { 0 };

	emit_store(as, 4, R4, PROCESS_AT(pid), R1);
	emit_member(as, R5, TASK, "task_struct.signal");
	emit_member(as, R1, R5, "signal_struct.nr_threads");
	emit_store(as, 4, R4, PROCESS_AT(unseen), R1);
	emit_member(as, R5, R5, "signal_struct.sum_sched_runtime");
	emit_store(as, 8, R4, PROCESS_AT(run_ns), R5);
	emit_set(as, R1, 0);
	mix_address(as, "task_struct.real_parent");
	mix_address(as, "task_struct.cgroups");
	emit_member(as, R2, TASK, "task_struct.mm");
	emit_jump_if(as, R2, BPF_JEQ, 0, &none); /* of the kernel */
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		emit_member(as, R5, R2, sizes[i]);
		mix(as);
	}
	emit_label(as, &none);
	emit_store(as, 8, R4, PROCESS_AT(mark), R1);
}

/* r4: the process of the task, which is the last one unless it is new. */
static void find_process(struct bpf_assembler *as, struct bpf_label *full)
{
	struct bpf_label first = { 0 }, same = { 0 };

	emit_member(as, R1, TASK, "task_struct.tgid");
	emit_load(as, 8, R2, WALK, offsetof(struct bpf_walk, n_processes));
	emit_jump_if(as, R2, BPF_JEQ, 0, &first);
	emit_move(as, R3, R2);
	emit_compute_with(as, BPF_SUB, R3, 1);
	emit_jump_if(as, R3, BPF_JGE, BPF_WALK_MAX, full);
	locate_process(as);
	emit_load(as, 4, R5, R4, PROCESS_AT(pid));
	emit_jump_if_register(as, R1, BPF_JEQ, R5, &same);
	emit_label(as, &first);
	emit_jump_if(as, R2, BPF_JGE, BPF_WALK_MAX, full);
	emit_move(as, R3, R2);
	emit_compute_with(as, BPF_ADD, R2, 1);
	emit_store(as, 8, WALK, offsetof(struct bpf_walk, n_processes), R2);
	locate_process(as);
	begin_process(as);
	emit_label(as, &same);
}

/* At r4. */
static void add_thread(struct bpf_assembler *as)
{
	emit_load(as, 4, R1, R4, PROCESS_AT(unseen));
	emit_compute_with(as, BPF_SUB, R1, 1);
	emit_store(as, 4, R4, PROCESS_AT(unseen), R1);
	emit_load(as, 8, R1, R4, PROCESS_AT(run_ns));
	emit_member(as, R5, TASK, "task_struct.se.sum_exec_runtime");
	emit_compute(as, BPF_ADD, R1, R5);
	emit_store(as, 8, R4, PROCESS_AT(run_ns), R1);
	emit_load(as, 8, R1, R4, PROCESS_AT(mark));
	emit_member(as, R5, TASK, "task_struct.static_prio");
	mix(as);
	emit_store(as, 8, R4, PROCESS_AT(mark), R1);
}

static void work(struct bpf_assembler *as)
{
	struct frame_slot iteration = emit_slot(as, 3);
	struct bpf_label next = { 0 }, end = { 0 }, enough = { 0 };

	emit_release(as, CTX);
	emit_map_memory(as, WALK, BPF_MAP_WALK);
	emit_store_number(as, WALK, offsetof(struct bpf_walk, n_tasks), 0);
	emit_store_number(as, WALK, offsetof(struct bpf_walk, n_processes), 0);
	emit_store_number(as, WALK, offsetof(struct bpf_walk, ended), 0);
	emit_address(as, R1, iteration);
	emit_set(as, R2, 0);
	emit_set(as, R3, ALL_THREADS);
	call_iteration(as, "bpf_iter_task_new", 3);
	emit_label(as, &next);
	emit_address(as, R1, iteration);
	call_iteration(as, "bpf_iter_task_next", 1);
	emit_jump_if(as, R0, BPF_JEQ, 0, &end);
	emit_move(as, TASK, R0);
	emit_load(as, 8, R1, WALK, offsetof(struct bpf_walk, n_tasks));
	emit_jump_if(as, R1, BPF_JGE, BPF_WALK_MAX, &enough);
	emit_compute_with(as, BPF_ADD, R1, 1);
	emit_store(as, 8, WALK, offsetof(struct bpf_walk, n_tasks), R1);
	emit_set_long(as, R0, SLOT_MULTIPLIER);
	find_process(as, &enough);
	add_thread(as);
	emit_jump(as, &next);
	emit_label(as, &end);
	emit_set(as, R1, 1);
	emit_store(as, 1, WALK, offsetof(struct bpf_walk, ended), R1);
	emit_label(as, &enough);
	emit_address(as, R1, iteration);
	call_iteration(as, "bpf_iter_task_destroy", 1);
}

const struct bpf_shape bpf_walk = { .maps = BPF_MAP_BIT(BPF_MAP_WALK), .is_run = true, .work = work };
