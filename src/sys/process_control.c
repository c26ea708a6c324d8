/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Affinity, scheduling policy and I/O priority of threads. */
#include <config.h>

#include "sys/process_control.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/privilege.h"

#define WORD_BITS (8 * sizeof(unsigned long))
#define IO_WHO_PROCESS 1 /* IOPRIO_WHO_PROCESS: a thread */
#define IO_CLASS_SHIFT 13
#define IO_LEVEL_MASK 7u /* newer kernels have hints above it */

static bool has_cpu(const struct control_cpus *cpus, uint32_t cpu)
{
	return cpus->bits[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1;
}

static void add_cpu(struct control_cpus *cpus, uint32_t cpu)
{
	cpus->bits[cpu / WORD_BITS] |= 1UL << (cpu % WORD_BITS);
}

bool control_cpus_parse(struct span list, struct control_cpus *cpus)
{
	uint64_t first, last;

	*cpus = (struct control_cpus){ 0 };
	do {
		if (!span_u64(&list, &first))
			return false;
		last = first;
		if (span_char(&list, '-') && !span_u64(&list, &last))
			return false;
		if (first > last || last >= CONTROL_CPUS_MAX)
			return false;
		for (uint64_t cpu = first; cpu <= last; cpu++)
			add_cpu(cpus, (uint32_t)cpu);
	} while (span_char(&list, ','));
	return span_length(list) == 0;
}

void control_cpus_text(const struct control_cpus *cpus, char text[CONTROL_LIST_MAX])
{
	char range[32];
	size_t used = 0;

	*text = '\0';
	for (unsigned cpu = 0; cpu < CONTROL_CPUS_MAX; cpu++) {
		unsigned first = cpu;
		int length;

		if (!has_cpu(cpus, cpu))
			continue;
		while (cpu + 1 < CONTROL_CPUS_MAX && has_cpu(cpus, cpu + 1))
			cpu++;
		length = snprintf(range, sizeof(range), first < cpu ? "%s%u-%u" : "%s%u", used > 0 ? "," : "",
				  first, cpu);
		if (used + (size_t)length >= CONTROL_LIST_MAX)
			return;
		memcpy(text + used, range, (size_t)length + 1);
		used += (size_t)length;
	}
}

/* The C library's functions have room for 1024 CPUs only. */
int control_get_cpus(uint32_t tid, struct control_cpus *cpus)
{
	*cpus = (struct control_cpus){ 0 };
	return syscall(SYS_sched_getaffinity, (pid_t)tid, sizeof(*cpus), cpus->bits) < 0 ? -errno : 0;
}

int control_set_cpus(uint32_t tid, const struct control_cpus *cpus)
{
	return system_call(SYS_sched_setaffinity, (pid_t)tid, sizeof(*cpus), cpus->bits) < 0 ? -errno : 0;
}

static const struct {
	const char *name;
	int policy;
} policies[] = {
	{ "other", SCHED_OTHER }, { "batch", SCHED_BATCH }, { "idle", SCHED_IDLE }, { "fifo", SCHED_FIFO },
	{ "rr", SCHED_RR },       { "deadline", 6 },        { "ext", 7 },
};

const char *control_policy_name(int policy)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		if (policies[i].policy == policy)
			return policies[i].name;
	return "?";
}

bool control_policy_find(struct span name, int *policy)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (!span_is(name, policies[i].name))
			continue;
		*policy = policies[i].policy;
		return true;
	}
	return false;
}

int control_get_policy(uint32_t tid, struct control_policy *policy)
{
	struct sched_param parameters;
	int number = sched_getscheduler((pid_t)tid);

	if (number < 0 || sched_getparam((pid_t)tid, &parameters) < 0)
		return -errno;
	policy->policy = number & ~SCHED_RESET_ON_FORK;
	policy->priority = (unsigned)parameters.sched_priority;
	return 0;
}

int control_set_policy(uint32_t tid, const struct control_policy *policy)
{
	const struct sched_param parameters = { .sched_priority = (int)policy->priority };

	return system_call_by(SYS_sched_setscheduler,
			      sched_setscheduler((pid_t)tid, policy->policy, &parameters)) < 0
		       ? -errno
		       : 0;
}

int control_get_io(uint32_t tid, struct control_io *io)
{
	long value = system_call(SYS_ioprio_get, IO_WHO_PROCESS, (pid_t)tid);

	if (value < 0)
		return -errno;
	io->class = (unsigned)value >> IO_CLASS_SHIFT & 7;
	io->level = (unsigned)value & IO_LEVEL_MASK;
	return 0;
}

int control_set_io(uint32_t tid, const struct control_io *io)
{
	unsigned value = io->class << IO_CLASS_SHIFT | io->level;

	return system_call(SYS_ioprio_set, IO_WHO_PROCESS, (pid_t)tid, value) < 0 ? -errno : 0;
}

/*
 * Each translation is tagged with the number of its address space. On x86 Linux has six numbers on each CPU
 * (TLB_NR_DYN_ASIDS) and gives them in turn to what runs there; a number is flushed when it is given again.
 * After more address spaces than that have run on a CPU, no process has its former number there. A CPU
 * without numbers (PCID) flushes all at each switch. The numbers of AMD's INVLPGB, which are the same on all
 * CPUs, and those of ARM, of which there are more than processes, are not given again.
 */

#define N_COPIES 8 /* a few more than there are numbers */
#define STACK_BYTES 16384

/* In a copy. Ends it with the errno of a failure. */
static int visit_cpus(void *context)
{
	const struct control_cpus *allowed = context;

	for (uint32_t cpu = 0; cpu < CONTROL_CPUS_MAX; cpu++) {
		struct control_cpus one = { 0 };
		int error = 0;

		if (has_cpu(allowed, cpu)) {
			add_cpu(&one, cpu);
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
