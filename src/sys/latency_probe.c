/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting, reading and ending the threads that measure; cyclic_thread.c is what they do. */
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
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "sys/env.h"
#include "sys/latency_thread.h"
#include "sys/privilege.h"

#define STACK_BYTES ((size_t)2 * 1024 * 1024)
#define STACK_LOCKED ((size_t)32 * 1024) /* of its top: more than the loop takes */
#define PAGE_MAX ((size_t)65536)
#define TRIES 20

#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif

struct cyclic {
	struct cyclic_plan plan;
	struct cyclic_control control;
	struct cyclic_thread *threads;
	size_t n_threads;
	enum cyclic_lock locked;
	uint64_t raised; /* for as long as memory is locked: a stack that is locked needs it to grow */
};

static size_t counters_bytes(const struct cyclic_plan *plan)
{
	size_t bytes = plan->n_phases * sizeof(struct live_counts);

	if (plan->bucket_ns > 0)
		bytes += plan->n_phases * HISTOGRAM_BUCKETS * sizeof(live_u64);
	return (bytes + PAGE_MAX - 1) / PAGE_MAX * PAGE_MAX;
}

/* Counters, and above them the stack, which grows down towards a page that may not be touched. */
static int map_memory(struct cyclic_thread *thread, const struct cyclic_plan *plan)
{
	size_t counters = counters_bytes(plan);
	char *linear;

	thread->memory_bytes = counters + PAGE_MAX + STACK_BYTES;
	thread->memory = mmap(NULL, thread->memory_bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (thread->memory == MAP_FAILED)
		return -errno;
	mprotect((char *)thread->memory + counters, PAGE_MAX, PROT_NONE);
	thread->stack = (char *)thread->memory + counters + PAGE_MAX;
	linear = (char *)thread->memory + plan->n_phases * sizeof(struct live_counts);
	for (unsigned p = 0; p < plan->n_phases; p++) {
		thread->counts[p] = (struct live_counts *)thread->memory + p;
		if (plan->bucket_ns > 0)
			thread->counts[p]->linear = (live_u64 *)linear + (size_t)p * HISTOGRAM_BUCKETS;
		live_clear(thread->counts[p]);
	}
	return 0;
}

static bool lock_own(const struct cyclic_thread *thread, const struct cyclic_plan *plan)
{
	char *stack = (char *)thread->stack + STACK_BYTES - STACK_LOCKED;

	return mlock(thread->memory, counters_bytes(plan)) == 0 && mlock(stack, STACK_LOCKED) == 0;
}

static int start(struct cyclic_thread *thread)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	int error;

	pthread_attr_init(&attributes);
	error = -pthread_attr_setstack(&attributes, thread->stack, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!error)
		error = -pthread_create(&thread->id, &attributes, cyclic_thread_run, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (error)
		return error;
	while (sem_wait(&thread->control->ready) < 0 && errno == EINTR)
		;
	if (!thread->error)
		return 0;
	pthread_join(thread->id, NULL);
	return thread->error;
}

static int open_thread(struct cyclic *cyclic, uint32_t cpu)
{
	struct cyclic_thread *thread = &cyclic->threads[cyclic->n_threads];
	int error;

	thread->cpu = cpu;
	thread->plan = &cyclic->plan;
	thread->control = &cyclic->control;
	error = map_memory(thread, &cyclic->plan);
	if (error) {
		thread->memory = NULL;
		return error;
	}
	if (!lock_own(thread, &cyclic->plan))
		cyclic->locked = CYCLIC_LOCK_NONE;
	error = start(thread);
	thread->runs = !error;
	return error;
}

/* Pages that are touched from now on stay, too: the loop has soon touched all that it needs. */
static void lock_all(struct cyclic *cyclic)
{
	if (mlockall(MCL_CURRENT | MCL_ONFAULT) == 0)
		cyclic->locked = CYCLIC_LOCK_ALL;
}

struct cyclic *cyclic_open(const struct cyclic_plan *plan, const uint32_t *cpus, size_t n_cpus, int *errors,
			   int *error)
{
	struct cyclic *cyclic = alloc_zeroed(1, sizeof(*cyclic));
	size_t running = 0;

	*error = -EINVAL;
	cyclic->plan = *plan;
	cyclic->raised = privilege_raise(PRIVILEGE_LOCK);
	cyclic->locked = CYCLIC_LOCK_OWN;
	cyclic->threads = alloc_zeroed(n_cpus, sizeof(*cyclic->threads));
	cyclic->control.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sem_init(&cyclic->control.ready, 0, 0);
	sem_init(&cyclic->control.go, 0, 0);
	/* the moments are spread over the period: CPUs that share a core would else slow each other down */
	for (; cyclic->n_threads < n_cpus; cyclic->n_threads++) {
		int *own = &errors[cyclic->n_threads], why = *own;

		cyclic->threads[cyclic->n_threads].offset_ns = plan->period_ns * cyclic->n_threads / n_cpus;
		if (!why)
			why = *own = open_thread(cyclic, cpus[cyclic->n_threads]);
		running += why == 0;
		if (why && *error != -EPERM)
			*error = why;
	}
	if (running == 0) {
		cyclic_close(cyclic);
		return NULL;
	}
	lock_all(cyclic);
	store(&cyclic->control.start_ns, env_mono_ns() + plan->settle_ns);
	for (size_t i = 0; i < running; i++)
		sem_post(&cyclic->control.go);
	return cyclic;
}

uint64_t cyclic_start_ns(const struct cyclic *cyclic)
{
	return load(&cyclic->control.start_ns);
}

void cyclic_close(struct cyclic *cyclic)
{
	eventfd_t one = 1;

	store(&cyclic->control.stop, 1);
	eventfd_write(cyclic->control.stop_fd, one);
	for (size_t i = 0; i < cyclic->n_threads; i++) {
		struct cyclic_thread *thread = &cyclic->threads[i];

		if (thread->runs)
			pthread_join(thread->id, NULL);
		if (thread->memory)
			munmap(thread->memory, thread->memory_bytes);
	}
	if (cyclic->locked == CYCLIC_LOCK_ALL)
		munlockall();
	privilege_lower(cyclic->raised);
	sem_destroy(&cyclic->control.ready);
	sem_destroy(&cyclic->control.go);
	close(cyclic->control.stop_fd);
	free(cyclic->threads);
	free(cyclic);
}

/* The number of samples is that of the buckets, also if they were written meanwhile. */
static void copy_buckets(struct histogram *to, const live_u64 *from)
{
	to->count = 0;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		to->buckets[i] = load(&from[i]);
		to->count += to->buckets[i];
	}
}

static void copy(const struct live_counts *live, uint64_t bucket_ns, struct cyclic_counts *counts)
{
	struct histogram *times = &counts->times;

	times->width_ns = 0;
	times->sum_ns = load(&live->sum_ns);
	times->squares = load(&live->squares);
	times->min_ns = load(&live->min_ns);
	times->max_ns = load(&live->max_ns);
	copy_buckets(times, live->times);
	counts->missed = load(&live->missed);
	counts->n_worst = (unsigned)load(&live->n_worst);
	for (unsigned i = 0; i < counts->n_worst && i < CYCLIC_WORST; i++)
		counts->worst[i] = (struct cyclic_late){ load(&live->woken_ns[i]), load(&live->late_ns[i]) };
	if (counts->linear && bucket_ns > 0) {
		memcpy(counts->linear, times, offsetof(struct histogram, buckets));
		counts->linear->width_ns = bucket_ns;
		copy_buckets(counts->linear, live->linear);
	}
}

void live_read(const struct live_counts *live, const struct cyclic_plan *plan, struct cyclic_counts *counts)
{
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before = load(&live->sequence);

		copy(live, plan->bucket_ns, counts);
		if (before % 2 == 0 && load(&live->sequence) == before)
			break;
	}
}

bool cyclic_read(const struct cyclic *cyclic, size_t index, unsigned phase, struct cyclic_counts *counts)
{
	const struct cyclic_thread *thread = &cyclic->threads[index];

	if (thread->runs)
		live_read(thread->counts[phase], &cyclic->plan, counts);
	return thread->runs;
}

uint64_t cyclic_cpu_ns(const struct cyclic *cyclic, size_t index)
{
	const struct cyclic_thread *thread = &cyclic->threads[index];
	struct timespec used;
	clockid_t clock;

	if (!thread->runs || pthread_getcpuclockid(thread->id, &clock) != 0 ||
	    clock_gettime(clock, &used) < 0)
		return 0;
	return (uint64_t)used.tv_sec * UINT64_C(1000000000) + (uint64_t)used.tv_nsec;
}

bool cyclic_is_away(const struct cyclic *cyclic, size_t index)
{
	return load(&cyclic->threads[index].away);
}

bool cyclic_has_ended(const struct cyclic *cyclic)
{
	for (size_t i = 0; i < cyclic->n_threads; i++)
		if (cyclic->threads[i].runs && !load(&cyclic->threads[i].ended))
			return false;
	return true;
}

void cyclic_restart(struct cyclic *cyclic)
{
	store(&cyclic->control.restarts, load(&cyclic->control.restarts) + 1);
}

void cyclic_set_phase(struct cyclic *cyclic, unsigned phase)
{
	store(&cyclic->control.phase, phase);
}

enum cyclic_lock cyclic_locked(const struct cyclic *cyclic)
{
	return cyclic->locked;
}

bool cyclic_may_nice(void)
{
	return privilege_may(PRIVILEGE_REAL_TIME);
}

int cyclic_priority_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_RTPRIO, &limit) < 0)
		return 0;
	return limit.rlim_cur > 99 ? 99 : (int)limit.rlim_cur;
}

size_t cyclic_own_cpus(uint32_t *cpus, size_t room)
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

int cyclic_hold_awake(void)
{
	uint64_t raised = privilege_raise(PRIVILEGE_AWAKE);
	int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC), error;
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
