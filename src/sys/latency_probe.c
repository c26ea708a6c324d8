/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts, reads and ends the measuring threads of latency_thread.c. */
#include <config.h>

#include "sys/latency_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/alloc.h"
#include "sys/env.h"
#include "sys/patience.h"
#include "sys/privilege.h"
#include "sys/system_call.h"

#define STACK_BYTES ((size_t)2 * 1024 * 1024)
#define STACK_LOCKED ((size_t)32 * 1024) /* at its top: more than the loop needs */
#define PAGE_MAX ((size_t)65536)
#define CPUS_MAX 65536

#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif

struct latency_probe {
	struct latency_plan plan;
	struct latency_control control;
	struct latency_thread *threads;
	size_t n_threads;
	enum latency_lock locked;
	bool stopped;
	bool left; /* a thread is left behind, and uses all of this still */
	uint64_t raised; /* while memory is locked: a locked stack needs it to grow */
};

static size_t counters_bytes(const struct latency_plan *plan)
{
	size_t bytes = plan->n_phases * sizeof(struct live_counts);

	if (plan->bucket_ns > 0)
		bytes += plan->n_phases * HISTOGRAM_BUCKETS * sizeof(live_u64);
	return (bytes + PAGE_MAX - 1) / PAGE_MAX * PAGE_MAX;
}

/* Counters, a guard page, and above it the stack, which grows down. */
static int map_memory(struct latency_thread *thread, const struct latency_plan *plan)
{
	size_t counters = counters_bytes(plan);
	char *linear;

	thread->memory_bytes = counters + PAGE_MAX + STACK_BYTES;
	thread->memory = mmap(NULL, thread->memory_bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (thread->memory == MAP_FAILED)
		return -errno;
	mprotect((char *)thread->memory + counters, PAGE_MAX, PROT_NONE);
	thread->work = (struct thread_work){ .round = latency_thread_run,
					     .rights = PRIVILEGE_BIT(PRIVILEGE_REAL_TIME),
					     .stack = (char *)thread->memory + counters + PAGE_MAX,
					     .stack_bytes = STACK_BYTES };
	linear = (char *)thread->memory + plan->n_phases * sizeof(struct live_counts);
	for (unsigned p = 0; p < plan->n_phases; p++) {
		thread->counts[p] = (struct live_counts *)thread->memory + p;
		if (plan->bucket_ns > 0)
			thread->counts[p]->linear = (live_u64 *)linear + (size_t)p * HISTOGRAM_BUCKETS;
		live_clear(thread->counts[p]);
	}
	return 0;
}

static bool lock_own(const struct latency_thread *thread, const struct latency_plan *plan)
{
	char *stack = (char *)thread->work.stack + STACK_BYTES - STACK_LOCKED;

	return system_call_by(SYS_mlock, mlock(thread->memory, counters_bytes(plan))) == 0 &&
	       system_call_by(SYS_mlock, mlock(stack, STACK_LOCKED)) == 0;
}

static int start(struct latency_thread *thread)
{
	const struct machine_threads *threads = thread->plan->threads;
	struct patience patience = { 0 };
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	thread->thread = thread_start(threads ? threads : &real_threads, &thread->work, thread);
	error = thread->thread ? 0 : -errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return error;
	while (live_load(&thread->stage) == LATENCY_STARTS && patience_lasts(&patience))
		;
	error = atomic_exchange(&thread->stage, LATENCY_LEFT) == LATENCY_STARTS ? -ETIMEDOUT : thread->error;
	thread->left = error && !thread_end(thread->thread, true);
	return error;
}

static int open_thread(struct latency_probe *probe, uint32_t cpu)
{
	struct latency_thread *thread = &probe->threads[probe->n_threads];
	int error;

	thread->cpu = cpu;
	thread->plan = &probe->plan;
	thread->control = &probe->control;
	error = map_memory(thread, &probe->plan);
	if (error) {
		thread->memory = NULL;
		return error;
	}
	if (!lock_own(thread, &probe->plan))
		probe->locked = LATENCY_LOCK_NONE;
	error = start(thread);
	thread->runs = !error;
	probe->left |= thread->left;
	return error;
}

/* Locks pages as they are touched: the loop soon has touched all that it needs. */
static void lock_all(struct latency_probe *probe)
{
	if (system_call_by(SYS_mlockall, mlockall(MCL_CURRENT | MCL_ONFAULT)) == 0)
		probe->locked = LATENCY_LOCK_ALL;
}

struct latency_probe *latency_probe_open(const struct latency_plan *plan, const uint32_t *cpus, size_t n_cpus,
					 int *errors, int *error)
{
	struct latency_probe *probe = alloc_zeroed(1, sizeof(*probe));
	size_t running = 0;

	*error = -EINVAL;
	probe->plan = *plan;
	probe->raised = privilege_raise(PRIVILEGE_LOCK);
	probe->locked = LATENCY_LOCK_OWN;
	probe->threads = alloc_zeroed(n_cpus, sizeof(*probe->threads));
	probe->control.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sem_init(&probe->control.go, 0, 0);
	/* spread over the period, as CPUs that share a core would slow each other down */
	for (; probe->n_threads < n_cpus; probe->n_threads++) {
		int *own = &errors[probe->n_threads], why = *own;

		probe->threads[probe->n_threads].offset_ns = plan->period_ns * probe->n_threads / n_cpus;
		if (!why)
			why = *own = open_thread(probe, cpus[probe->n_threads]);
		running += why == 0;
		if (why && *error != -EPERM)
			*error = why;
	}
	if (running == 0) {
		latency_probe_close(probe);
		return NULL;
	}
	lock_all(probe);
	live_store(&probe->control.start_ns, real_mono_ns() + plan->settle_ns);
	for (size_t i = 0; i < running; i++)
		sem_post(&probe->control.go);
	return probe;
}

static void unlock_all(struct latency_probe *probe)
{
	if (probe->locked == LATENCY_LOCK_ALL)
		munlockall();
	privilege_lower(probe->raised);
}

void latency_probe_stop(struct latency_probe *probe)
{
	eventfd_t one = 1;

	if (probe->stopped)
		return;
	live_store(&probe->control.stop, 1);
	eventfd_write(probe->control.stop_fd, one);
	for (size_t i = 0; i < probe->n_threads; i++) {
		probe->threads[i].cpu_ns = latency_probe_cpu_ns(probe, i);
		if (probe->threads[i].runs && !thread_end(probe->threads[i].thread, true))
			probe->left = true;
	}
	unlock_all(probe);
	probe->stopped = true;
}

void latency_probe_close(struct latency_probe *probe)
{
	latency_probe_stop(probe);
	if (probe->left)
		return;
	for (size_t i = 0; i < probe->n_threads; i++)
		if (probe->threads[i].memory)
			munmap(probe->threads[i].memory, probe->threads[i].memory_bytes);
	sem_destroy(&probe->control.go);
	close(probe->control.stop_fd);
	free(probe->threads);
	free(probe);
}

bool latency_probe_read(const struct latency_probe *probe, size_t index, unsigned phase,
			struct latency_counts *counts)
{
	const struct latency_thread *thread = &probe->threads[index];

	if (thread->runs)
		live_read(thread->counts[phase], &probe->plan, counts);
	return thread->runs;
}

uint64_t latency_probe_cpu_ns(const struct latency_probe *probe, size_t index)
{
	const struct latency_thread *thread = &probe->threads[index];

	if (probe->stopped)
		return thread->cpu_ns;
	return thread->runs ? thread_cpu_ns(thread->thread) : 0;
}

bool latency_probe_is_away(const struct latency_probe *probe, size_t index)
{
	return live_load(&probe->threads[index].away);
}

bool latency_probe_has_ended(const struct latency_probe *probe)
{
	for (size_t i = 0; i < probe->n_threads; i++)
		if (probe->threads[i].runs && !live_load(&probe->threads[i].ended))
			return false;
	return true;
}

void latency_probe_restart(struct latency_probe *probe)
{
	live_store(&probe->control.restarts, live_load(&probe->control.restarts) + 1);
}

void latency_probe_set_phase(struct latency_probe *probe, unsigned phase)
{
	live_store(&probe->control.phase, phase);
}

enum latency_lock latency_probe_locked(const struct latency_probe *probe)
{
	return probe->locked;
}

bool latency_probe_may_nice(void)
{
	return privilege_may(PRIVILEGE_REAL_TIME);
}

int latency_probe_priority_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_RTPRIO, &limit) < 0)
		return 0;
	return limit.rlim_cur > 99 ? 99 : (int)limit.rlim_cur;
}

size_t latency_probe_own_cpus(uint32_t *cpus, size_t room)
{
	size_t bytes = CPU_ALLOC_SIZE(room), count = 0;
	cpu_set_t *set = alloc_zeroed(1, bytes);

	if (sched_getaffinity(0, bytes, set) == 0)
		for (size_t cpu = 0; cpu < room; cpu++)
			if (CPU_ISSET_S(cpu, bytes, set))
				cpus[count++] = (uint32_t)cpu;
	free(set);
	return count;
}

int latency_probe_hold_awake(const struct env *env)
{
	uint64_t raised = privilege_raise(PRIVILEGE_AWAKE);
	int fd = openat(env->root.fd, "dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC), error;
	int32_t none = 0;

	privilege_lower(raised);
	if (fd < 0)
		return -errno;
	if (write(fd, &none, sizeof(none)) == sizeof(none))
		return fd;
	error = -errno;
	close(fd);
	return error;
}
