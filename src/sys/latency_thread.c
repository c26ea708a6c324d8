/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A measuring thread sleeps until planned moments and counts how late it wakes up. */
#include <config.h>

#include "sys/latency_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "sys/descriptor.h"
#include "sys/env.h"
#include "sys/privilege.h"
#include "sys/process.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define COARSE_NS UINT64_C(100000000) /* a longer wait starts with one that an order to stop can end */
#define FINE_NS UINT64_C(50000000)
#define DEADLINE_PERIOD_NS UINT64_C(100000) /* the shortest that the kernel accepts by default */
#define DEADLINE_RUNTIME_NS UINT64_C(20000)
#define STACK_TOUCHED 16384
#define PAGE_MIN 4096
#define WAIT_SIGNAL SIGRTMIN
#define READ_TRIES 20

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

/* The argument of sched_setattr(2), which older C libraries lack. */
struct scheduling {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

struct waiting {
	int timer_fd;
	timer_t timer;
	bool has_timer;
	sigset_t signal;
};

static int set_policy(enum latency_policy policy, int priority, uint64_t period_ns)
{
	static const uint32_t numbers[N_LATENCY_POLICIES] = {
		[LATENCY_FIFO] = SCHED_FIFO,
		[LATENCY_RR] = SCHED_RR,
		[LATENCY_DEADLINE] = SCHED_DEADLINE,
		[LATENCY_OTHER] = SCHED_OTHER,
	};
	struct scheduling wanted = { .size = sizeof(wanted), .policy = numbers[policy] };
	uint64_t raised;
	int error;

	if (policy == LATENCY_FIFO || policy == LATENCY_RR)
		wanted.priority = (uint32_t)priority;
	else if (policy == LATENCY_OTHER) /* raising the nice value is permitted, lowering it is not */
		wanted.nice = getpriority(PRIO_PROCESS, 0);
	if (policy == LATENCY_DEADLINE) {
		wanted.period_ns = period_ns > DEADLINE_PERIOD_NS ? period_ns : DEADLINE_PERIOD_NS;
		wanted.deadline_ns = wanted.period_ns;
		wanted.runtime_ns = wanted.period_ns / 20 > DEADLINE_RUNTIME_NS ? wanted.period_ns / 20
										: DEADLINE_RUNTIME_NS;
	}
	raised = privilege_raise(PRIVILEGE_REAL_TIME);
	error = system_call(SYS_sched_setattr, 0, &wanted, 0) < 0 ? -errno : 0;
	privilege_lower(raised);
	return error;
}

struct trial {
	struct latency_thread thread; /* the first member */
	struct latency_plan plan;
};

static uint64_t try_out(void *context)
{
	struct latency_thread *thread = context;

	thread->error = set_policy(thread->plan->policy, thread->plan->priority, NS_PER_SECOND);
	return THREAD_ENDS;
}

int latency_thread_try_policy(const struct machine_threads *threads, enum latency_policy policy, int priority)
{
	static const struct thread_work work = { try_out, .rights = PRIVILEGE_BIT(PRIVILEGE_REAL_TIME) };
	struct trial *trial = alloc_zeroed(1, sizeof(*trial));
	struct machine_thread *thread;
	int error;

	trial->plan = (struct latency_plan){ .policy = policy, .priority = priority };
	trial->thread.plan = &trial->plan;
	thread = thread_start(threads, &work, trial);
	if (thread && !thread_end(thread, true))
		return -ETIMEDOUT; /* it hangs, and keeps it */
	error = thread ? trial->thread.error : -errno;
	free(trial);
	return error;
}

static int pin(const struct machine_threads *of, uint32_t cpu)
{
	size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set;
	int error;

	if (cpu == LATENCY_ANY_CPU)
		return 0;
	set = CPU_ALLOC(cpu + 1);
	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	error = system_call_by(SYS_sched_setaffinity, of->sched_setaffinity(0, bytes, set)) < 0 ? -errno : 0;
	CPU_FREE(set);
	return error;
}

static int open_waiting(struct waiting *waiting, enum latency_method method)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = WAIT_SIGNAL };

	*waiting = (struct waiting){ .timer_fd = -1 };
	sigemptyset(&waiting->signal);
	sigaddset(&waiting->signal, WAIT_SIGNAL);
	if (method == LATENCY_TIMERFD) {
		waiting->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
		return waiting->timer_fd < 0 ? -errno : 0;
	}
	if (method != LATENCY_ITIMER)
		return 0;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	waiting->has_timer = timer_create(CLOCK_MONOTONIC, &event, &waiting->timer) == 0;
	return waiting->has_timer ? 0 : -errno;
}

static void close_waiting(struct waiting *waiting)
{
	descriptor_close(waiting->timer_fd);
	if (waiting->has_timer)
		timer_delete(waiting->timer);
}

static bool is_stopped(const struct latency_thread *thread)
{
	return live_load(&thread->control->stop) != 0;
}

/* Waits this long, or until the threads must stop. */
static void wait_coarsely(const struct latency_thread *thread, uint64_t ns)
{
	struct pollfd stop = { .fd = thread->control->stop_fd, .events = POLLIN };
	struct timespec length = clock_timespec(ns);

	ppoll(&stop, 1, &length, NULL);
}

static struct timespec time_left(uint64_t moment_ns)
{
	uint64_t now = real_mono_ns();

	return clock_timespec(moment_ns > now ? moment_ns - now : 0);
}

/* Waits by the measured method; may return early. */
static void wait_for(const struct latency_thread *thread, const struct waiting *waiting, uint64_t moment_ns)
{
	struct itimerspec alarm = { .it_value = clock_timespec(moment_ns) };
	struct timespec left;
	uint64_t expired;
	ssize_t got;
	int number;

	switch (thread->plan->method) {
	case LATENCY_POSIX_NS:
		left = time_left(moment_ns);
		nanosleep(&left, NULL);
		break;
	case LATENCY_POLL:
		left = time_left(moment_ns);
		ppoll(NULL, 0, &left, NULL);
		break;
	case LATENCY_ITIMER:
		timer_settime(waiting->timer, TIMER_ABSTIME, &alarm, NULL);
		sigwait(&waiting->signal, &number);
		break;
	case LATENCY_TIMERFD:
		timerfd_settime(waiting->timer_fd, TFD_TIMER_ABSTIME, &alarm, NULL);
		got = read(waiting->timer_fd, &expired, sizeof(expired));
		(void)got;
		break;
	default:
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &alarm.it_value, NULL);
	}
}

void live_clear(struct live_counts *counts)
{
	live_store(&counts->missed, 0);
	live_store(&counts->sum_ns, 0);
	live_store(&counts->squares, 0);
	live_store(&counts->min_ns, UINT64_MAX);
	live_store(&counts->max_ns, 0);
	live_store(&counts->n_worst, 0);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		live_store(&counts->times[i], 0);
		if (counts->linear)
			live_store(&counts->linear[i], 0);
	}
}

static void grow(live_u64 *counter, uint64_t by)
{
	live_store(counter, atomic_load_explicit(counter, memory_order_relaxed) + by);
}

static size_t smallest_of_worst(const struct live_counts *counts)
{
	size_t least = 0;

	for (size_t i = 1; i < LATENCY_WORST; i++)
		if (live_load(&counts->late_ns[i]) < live_load(&counts->late_ns[least]))
			least = i;
	return least;
}

/* Replaces the smallest of the worst if this one is larger. */
static void add_worst(struct live_counts *counts, uint64_t woken_ns, uint64_t late_ns)
{
	uint64_t n_worst = live_load(&counts->n_worst);
	size_t place = (size_t)n_worst;

	if (n_worst == LATENCY_WORST && late_ns <= live_load(&counts->floor_ns))
		return;
	if (n_worst < LATENCY_WORST)
		live_store(&counts->n_worst, ++n_worst);
	else
		place = smallest_of_worst(counts);
	live_store(&counts->woken_ns[place], woken_ns);
	live_store(&counts->late_ns[place], late_ns);
	if (n_worst == LATENCY_WORST)
		live_store(&counts->floor_ns, live_load(&counts->late_ns[smallest_of_worst(counts)]));
}

void live_count(struct live_counts *counts, const struct latency_plan *plan, uint64_t woken_ns,
		uint64_t late_ns)
{
	uint64_t sequence = live_load(&counts->sequence);

	live_store(&counts->sequence, sequence + 1);
	grow(&counts->sum_ns, late_ns);
	grow(&counts->missed, late_ns / plan->period_ns);
	live_store(&counts->squares, live_load(&counts->squares) + (double)late_ns * (double)late_ns);
	if (late_ns < live_load(&counts->min_ns))
		live_store(&counts->min_ns, late_ns);
	if (late_ns > live_load(&counts->max_ns))
		live_store(&counts->max_ns, late_ns);
	add_worst(counts, woken_ns, late_ns);
	grow(&counts->times[histogram_index(0, late_ns)], 1);
	if (counts->linear)
		grow(&counts->linear[histogram_index(plan->bucket_ns, late_ns)], 1);
	live_store(&counts->sequence, sequence + 2);
}

/* The count is the sum of the buckets, even when the thread writes meanwhile. */
static void copy_buckets(struct histogram *to, const live_u64 *from)
{
	to->count = 0;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		to->buckets[i] = live_load(&from[i]);
		to->count += to->buckets[i];
	}
}

static void copy(const struct live_counts *live, uint64_t bucket_ns, struct latency_counts *counts)
{
	struct histogram *times = &counts->times;

	times->width_ns = 0;
	times->sum_ns = live_load(&live->sum_ns);
	times->squares = live_load(&live->squares);
	times->min_ns = live_load(&live->min_ns);
	times->max_ns = live_load(&live->max_ns);
	copy_buckets(times, live->times);
	counts->missed = live_load(&live->missed);
	counts->n_worst = (unsigned)live_load(&live->n_worst);
	for (unsigned i = 0; i < counts->n_worst && i < LATENCY_WORST; i++)
		counts->worst[i] = (struct latency_wakeup){ live_load(&live->woken_ns[i]),
							    live_load(&live->late_ns[i]) };
	if (counts->linear && bucket_ns > 0) {
		memcpy(counts->linear, times, offsetof(struct histogram, buckets));
		counts->linear->width_ns = bucket_ns;
		copy_buckets(counts->linear, live->linear);
	}
}

void live_read(const struct live_counts *live, const struct latency_plan *plan, struct latency_counts *counts)
{
	for (unsigned i = 0; i < READ_TRIES; i++) {
		uint64_t before = live_load(&live->sequence);

		copy(live, plan->bucket_ns, counts);
		if (before % 2 == 0 && live_load(&live->sequence) == before)
			break;
	}
}

static void forget(const struct latency_thread *thread)
{
	for (unsigned p = 0; p < thread->plan->n_phases; p++) {
		struct live_counts *counts = thread->counts[p];
		uint64_t sequence = live_load(&counts->sequence);

		live_store(&counts->sequence, sequence + 1);
		live_clear(counts);
		live_store(&counts->sequence, sequence + 2);
	}
}

/* The kernel moves the thread when its CPU goes offline: nothing counts until the CPU is back. */
static bool is_there(struct latency_thread *thread)
{
	const struct machine_threads *threads = thread->plan->threads;
	int cpu = (int)thread->cpu;

	if (thread->cpu == LATENCY_ANY_CPU || threads->sched_getcpu() == cpu)
		return true;
	live_store(&thread->away, 1);
	while (!is_stopped(thread) && (pin(threads, thread->cpu) < 0 || threads->sched_getcpu() != cpu))
		wait_coarsely(thread, COARSE_NS);
	live_store(&thread->away, 0);
	return false;
}

struct course {
	uint64_t start_ns, planned_ns, counted, restarts;
};

/* At the end of the plan: waits for a restart. */
static void rest(struct latency_thread *thread, struct course *at)
{
	live_store(&thread->ended, 1);
	while (!is_stopped(thread) && at->restarts == live_load(&thread->control->restarts))
		wait_coarsely(thread, COARSE_NS);
	live_store(&thread->ended, 0);
	at->start_ns = real_mono_ns();
	at->planned_ns = at->start_ns + thread->plan->period_ns;
	at->counted = 0;
}

static void count_wakeup(struct latency_thread *thread, struct course *at, uint64_t now)
{
	uint64_t late_ns = now - at->planned_ns, period_ns = thread->plan->period_ns;

	if (at->restarts != live_load(&thread->control->restarts)) {
		at->restarts = live_load(&thread->control->restarts);
		at->start_ns = at->planned_ns - period_ns;
		at->counted = 0;
		forget(thread);
	}
	live_count(thread->counts[live_load(&thread->control->phase)], thread->plan, now, late_ns);
	at->counted++;
	at->planned_ns += (late_ns / period_ns + 1) * period_ns;
}

static void measure(struct latency_thread *thread, const struct waiting *waiting)
{
	const struct latency_plan *plan = thread->plan;
	uint64_t start_ns = live_load(&thread->control->start_ns) + thread->offset_ns;
	struct course at = { .start_ns = start_ns, .planned_ns = start_ns + plan->period_ns };

	while (!is_stopped(thread)) {
		uint64_t now = real_mono_ns();

		if ((plan->samples > 0 && at.counted >= plan->samples) ||
		    (plan->duration_ns > 0 && at.planned_ns - at.start_ns > plan->duration_ns)) {
			rest(thread, &at);
		} else if (at.planned_ns > now + COARSE_NS) {
			wait_coarsely(thread, at.planned_ns - now - FINE_NS);
		} else {
			wait_for(thread, waiting, at.planned_ns);
			now = real_mono_ns();
			if (now >= at.planned_ns && is_there(thread))
				count_wakeup(thread, &at, now);
			else if (now >= at.planned_ns)
				at.planned_ns = real_mono_ns() + plan->period_ns;
		}
	}
}

/* Allocates its pages before measuring, also where they cannot be locked. */
static void touch_stack(void)
{
	volatile char bytes[STACK_TOUCHED];

	for (size_t i = 0; i < sizeof(bytes); i += PAGE_MIN)
		bytes[i] = 0;
}

static int prepare(struct latency_thread *thread, struct waiting *waiting)
{
	int error = pin(thread->plan->threads, thread->cpu);

	touch_stack();
	prctl(PR_SET_NAME, "panetop-latency");
	prctl(PR_SET_TIMERSLACK, (unsigned long)thread->plan->slack_ns);
	if (!error)
		error = set_policy(thread->plan->policy, thread->plan->priority, thread->plan->period_ns);
	if (!error)
		error = privilege_limit(0);
	return error ? error : open_waiting(waiting, thread->plan->method);
}

uint64_t latency_thread_run(void *context)
{
	struct latency_thread *thread = context;
	struct waiting waiting = { .timer_fd = -1 };

	thread->error = prepare(thread, &waiting);
	if (atomic_exchange(&thread->stage, LATENCY_PREPARED) == LATENCY_STARTS && !thread->error) {
		while (sem_wait(&thread->control->go) < 0 && errno == EINTR)
			;
		measure(thread, &waiting);
	}
	close_waiting(&waiting);
	return THREAD_ENDS;
}

#define STACK_BYTES ((size_t)2 * 1024 * 1024)
#define STACK_LOCKED ((size_t)32 * 1024) /* at its top: more than the loop needs */
#define PAGE_MAX ((size_t)65536)
#define CPUS_MAX 65536 /* no CPU has this number, nor a higher one */

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

static int thread_begin(struct latency_thread *thread)
{
	struct patience patience = { 0 };
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	thread->thread = thread_start(thread->plan->threads, &thread->work, thread);
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
	char *stack;
	int error;

	thread->cpu = cpu;
	thread->plan = &probe->plan;
	thread->control = &probe->control;
	error = map_memory(thread, &probe->plan);
	if (error) {
		thread->memory = NULL;
		return error;
	}
	stack = (char *)thread->work.stack + STACK_BYTES - STACK_LOCKED;
	if (system_call_by(SYS_mlock, mlock(thread->memory, counters_bytes(&probe->plan))) != 0 ||
	    system_call_by(SYS_mlock, mlock(stack, STACK_LOCKED)) != 0)
		probe->locked = LATENCY_LOCK_NONE;
	error = thread_begin(thread);
	thread->runs = !error;
	probe->left |= thread->left;
	return error;
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
	/* Locks pages as they are touched: the loop soon has touched all that it needs. */
	if (system_call_by(SYS_mlockall, mlockall(MCL_CURRENT | MCL_ONFAULT)) == 0)
		probe->locked = LATENCY_LOCK_ALL;
	live_store(&probe->control.start_ns, real_mono_ns() + plan->settle_ns);
	for (size_t i = 0; i < running; i++)
		sem_post(&probe->control.go);
	return probe;
}

void latency_probe_stop(struct latency_probe *probe)
{
	if (probe->stopped)
		return;
	live_store(&probe->control.stop, 1);
	eventfd_write(probe->control.stop_fd, 1);
	for (size_t i = 0; i < probe->n_threads; i++) {
		probe->threads[i].cpu_ns = latency_probe_cpu_ns(probe, i);
		if (probe->threads[i].runs && !thread_end(probe->threads[i].thread, true))
			probe->left = true;
	}
	if (probe->locked == LATENCY_LOCK_ALL)
		munlockall();
	privilege_lower(probe->raised);
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
	return thread->runs ? thread->thread->of->cpu_ns(thread->thread) : 0;
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

#define PERIOD_NS UINT64_C(100000000)
#define ROUNDS 4096 /* of arithmetic per operation: some microseconds */
#define PARTS 10000 /* the unit of a share is one part of these */

struct cpu_load_thread {
	struct cpu_load *load;
	pthread_t thread;
	unsigned index;
	_Atomic uint64_t operations;
	volatile uint64_t result; /* keeps the work from being optimized away */
};

struct cpu_load {
	_Atomic bool ended;
	_Atomic unsigned cpus, parts;
	struct cpu_load_thread *threads;
	unsigned n_threads;
};

static void load_once(struct cpu_load_thread *thread)
{
	uint64_t value = thread->result + 1;

	for (unsigned i = 0; i < ROUNDS; i++)
		value = value * UINT64_C(6364136223846793005) + i;
	thread->result = value;
	atomic_fetch_add_explicit(&thread->operations, 1, memory_order_relaxed);
}

static void *run(void *argument)
{
	struct cpu_load_thread *thread = argument;
	struct cpu_load *load = thread->load;
	uint64_t start = real_mono_ns();
	struct timespec until;

	privilege_limit(0);
	while (!atomic_load(&load->ended)) {
		unsigned parts = thread->index < atomic_load(&load->cpus) ? atomic_load(&load->parts) : 0;
		uint64_t busy_until = start + PERIOD_NS * parts / PARTS;

		while (real_mono_ns() < busy_until && !atomic_load(&load->ended))
			load_once(thread);
		start += PERIOD_NS;
		until = clock_timespec(start);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	}
	return NULL;
}

/* The CPUs that this process may use, to be freed; the first one if unknown. */
static uint32_t *own_cpus(unsigned *n_cpus)
{
	uint32_t *cpus = alloc_zeroed(CPUS_MAX, sizeof(*cpus));

	*n_cpus = (unsigned)latency_probe_own_cpus(cpus, CPUS_MAX);
	if (*n_cpus == 0)
		*n_cpus = 1;
	return cpus;
}

unsigned cpu_load_cpus(void)
{
	unsigned n_cpus;

	free(own_cpus(&n_cpus));
	return n_cpus;
}

struct cpu_load *cpu_load_open(void)
{
	struct cpu_load *load = alloc_zeroed(1, sizeof(*load));
	size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *one = alloc_zeroed(1, bytes);
	unsigned wanted;
	uint32_t *cpus = own_cpus(&wanted);

	load->threads = alloc_zeroed(wanted, sizeof(*load->threads));
	for (; load->n_threads < wanted; load->n_threads++) {
		struct cpu_load_thread *thread = &load->threads[load->n_threads];

		thread->load = load;
		thread->index = load->n_threads;
		if (pthread_create(&thread->thread, NULL, run, thread) != 0)
			break;
		CPU_ZERO_S(bytes, one);
		CPU_SET_S(cpus[thread->index], bytes, one);
		pthread_setaffinity_np(thread->thread, bytes, one);
	}
	free(one);
	free(cpus);
	if (load->n_threads == wanted)
		return load;
	cpu_load_close(load);
	return NULL;
}

void cpu_load_set(struct cpu_load *load, unsigned cpus, double share)
{
	atomic_store(&load->parts, (unsigned)(share * PARTS + 0.5));
	atomic_store(&load->cpus, cpus);
}

uint64_t cpu_load_operations(const struct cpu_load *load)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < load->n_threads; i++)
		sum += atomic_load(&load->threads[i].operations);
	return sum;
}

void cpu_load_close(struct cpu_load *load)
{
	atomic_store(&load->ended, true);
	for (unsigned i = 0; i < load->n_threads; i++)
		pthread_join(load->threads[i].thread, NULL);
	free(load->threads);
	free(load);
}
