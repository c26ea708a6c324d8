/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tasks enter states at, which of them are looked at, and what a task waits for. */
#ifndef PANETOP_SYS_BPF_STATE_H
#define PANETOP_SYS_BPF_STATE_H

#include "sys/bpf/parts.h"

/* Arguments of sched_switch. */
enum { SWITCH_PREEMPT, SWITCH_PREVIOUS, SWITCH_NEXT, SWITCH_STATE };

/* What happens to a task; it leaves its CPU, exits or takes another number, exists already. */
enum state_event { EVENT_RUNNING, EVENT_READY, EVENT_LEFT, EVENT_GONE, EVENT_EXISTS };

/* to = task; to = task->way */
void emit_task(struct bpf_assembler *as, struct frame_slot task, int to);
void emit_task_member(struct bpf_assembler *as, struct frame_slot task, int to, const char *way);

/* VALUE = its state, enum bpf_state */
void emit_state(struct bpf_assembler *as, enum state_event event, struct frame_slot task);

/* r1: the number of the system call that it is in; -1: a thread of the kernel. VALUE stays. */
void emit_call_number(struct bpf_assembler *as, struct frame_slot task);

/* r1: BPF_CALL_FOREIGN, if the thread that was chosen is in a call of 32 bits in a kernel of 64, else 0. */
void emit_foreign(struct bpf_assembler *as);

/* Without the process r1, which is of this target, goto skip. */
void emit_unless_wanted(struct bpf_assembler *as, struct bpf_label *skip);

/* chosen = argument of the tracepoint, unless it is not to be looked at */
void choose_task(struct bpf_assembler *as, unsigned argument, enum state_event event, struct bpf_label *skip);

/* As of struct bpf_shape: of sched_wakeup, sched_process_exec and bpf_iter_task. */
void choose_woken(struct bpf_assembler *as, struct bpf_label *skip);
void choose_executing(struct bpf_assembler *as, struct bpf_label *skip);
void choose_iterated(struct bpf_assembler *as, struct bpf_label *skip);

/* The thread that runs; VALUE: its process. */
void choose_current(struct bpf_assembler *as, struct bpf_label *skip);

/* Either of the two that sched_switch names; where all processes are wanted the work chooses. */
void choose_either(struct bpf_assembler *as, struct bpf_label *skip);

/* r1: the number of the task; of EVENT_GONE by sched_process_exec that which it had. */
void emit_thread(struct bpf_assembler *as, enum state_event event, struct frame_slot task);

#endif
