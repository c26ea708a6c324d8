/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What counts in the place of the kernel: env->counting of a rig. It says of a plan what script_run() was
 * given, and keeps what topics do with it. Lines are
 *
 *   counted PLAN [FIELD=VALUE...]    it counts; an entry of its map begins or changes: FIELD+=N adds
 *   uncounted PLAN [FIELD=VALUE...]  the entry goes, or all of them
 *   refused PLAN ERROR               it cannot be opened; all: none that is not counted; wanting: no process;
 *                                    resting: programs that rest cannot go on
 *   ran PLAN [program=TRACEPOINT] FIELD=VALUE...    its programs, or that one: runs, timed_runs, timed_ns,
 *                                    lost (for want of room), skipped
 *   exits [refused=ERROR] [lost=N]   exit records can be read, or not; some were lost
 *   exit FIELD=VALUE... name=NAME    a thread ended: pid, tid (else pid), cpu (time), run (of the scheduler,
 *                                    else cpu), parent, peak, also=1 (its process has others), code=N or
 *                                    signal=N, late=1 (it comes after the clocks were read)
 *   stack NUMBER|thread=N ADDRESS... with that number, or in which that thread already waited
 *
 * In place of smartctl(8), files of the rig answer: smartctl/DEVICE has what it writes, DEVICE.exit its exit
 * status, DEVICE.error the name of an errno with which it cannot be run; each question is a byte more in
 * DEVICE.asked.
 *
 * PLAN is a name in src/topic/trace/plans.def, for NAME_of_one and NAME_of_scope, too; waiters: those of
 * waits; trace: a tracepoint that a user named. Fields are in a table of script.c; one that is not named is
 * 0 in a key. More entries may follow, in lines that begin with a tab, and behind "; ", where what is not
 * named of the key is that of the entry before; {2..9} in one makes eight. Values are sums of terms: 12,
 * 0x12, 5s, 3ms, 8:1 (a device), now, and names as close, EBADF, tcp, sleep. ~ in a text is a NUL. Until a
 * plan is counted it is refused with ENOTSUP.
 */
#ifndef PANETOP_TESTS_SCRIPT_H
#define PANETOP_TESTS_SCRIPT_H

#include "topic/process/exit_reader.h"
#include "topic/trace/trace.h"

#define SCRIPT_PLANS_MAX 16

struct script {
	struct trace_counting counting; /* the first member: of env */
	struct machine_calls calls;     /* of env */
	const struct env *env;
	struct script_plan *plans[SCRIPT_PLANS_MAX]; /* what is counted, owned */
	struct script_use *uses[SCRIPT_PLANS_MAX];   /* what topics do with it, owned */
	int error;                                   /* of what is not counted */
	struct script_stack {
		bool is_before;
		uint64_t number, frames[BPF_STACK_FRAMES];
	} stacks[8];
	unsigned n_stacks;
	struct script_exits {
		struct exit_source source; /* the first member: of env */
		struct exit_record *records; /* owned; the last ones come after the clocks were read */
		size_t n, n_late, capacity;
		uint64_t lost;
		int error;
	} exits;
};

void script_open(struct script *script, struct env *env);
void script_close(struct script *script);

/* A sum of terms. */
uint64_t script_value(const struct script *script, const char *text);

/* False: its first word is none of a script. */
bool script_run(struct script *script, const char *text);

/*
 * What topics did with a plan and all that its name stands for: "opened=2 open=1 entries=4 process=7
 * wanted=7,42 iterated=1 rests=0 programs=sys_exit". opened: how often; entries: that are left; programs:
 * those that do not rest; rests: how often some began to.
 */
const char *script_use(const struct script *script, const char *plan);

#endif
