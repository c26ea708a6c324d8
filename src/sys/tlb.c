/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each translation is tagged with the number of its address space. On x86 Linux has six numbers on each CPU
 * (TLB_NR_DYN_ASIDS) and gives them in turn to what runs there; a number is flushed when it is given again.
 * After more address spaces than that have run on a CPU, no process has its former number there. A CPU
 * without numbers (PCID) flushes all at each switch. The numbers of AMD's INVLPGB, which are the same on all
 * CPUs, and those of ARM, of which there are more than processes, are not given again.
 */
#include <config.h>

#include "sys/tlb.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/process_control.h"

#define N_COPIES 8 /* a few more than there are numbers */
#define STACK_BYTES 16384

/* In a copy. Ends it with the errno of a failure. */
static int visit_cpus(void *context)
{
	const struct control_cpus *allowed = context;

	for (uint32_t cpu = 0; cpu < CONTROL_CPUS_MAX; cpu++) {
		struct control_cpus one = { 0 };
		int error = 0;

		if (control_cpus_have(allowed, cpu)) {
			control_cpus_add(&one, cpu);
			error = control_set_cpus(0, &one);
		}
		if (error && error != -EINVAL) /* that is a CPU which went offline meanwhile */
			_exit(-error);
	}
	_exit(0);
}

static uint64_t nanoseconds(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

/* The errno of its failure. */
static int wait_for(pid_t copy, uint64_t *cpu_ns)
{
	struct rusage used = { 0 };
	int status = 0;

	while (wait4(copy, &status, __WALL, &used) < 0)
		if (errno != EINTR)
			return errno;
	*cpu_ns += nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

int tlb_drop(uint64_t *cpu_ns)
{
	_Alignas(16) char stack[STACK_BYTES]; /* each copy has its own */
	struct control_cpus allowed;
	pid_t copies[N_COPIES];
	int error = control_get_cpus(0, &allowed), n = 0;

	*cpu_ns = 0;
	/* no signal tells other parts of panetop that a copy ends */
	for (; !error && n < N_COPIES; n++) {
		copies[n] = clone(visit_cpus, stack + STACK_BYTES, 0, &allowed);
		if (copies[n] < 0) {
			error = -errno;
			break;
		}
	}
	while (n > 0) {
		int failure = wait_for(copies[--n], cpu_ns);

		if (failure)
			error = -failure;
	}
	return error;
}
