/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A measuring thread sleeps until planned moments and counts how late it wakes up. */
#include <config.h>

#include "sys/latency_thread.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "sys/env.h"
#include "sys/privilege.h"
#include "sys/system_call.h"

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

static struct timespec time_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_SECOND),
				  .tv_nsec = (long)(ns % NS_PER_SECOND) };
}

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

static int pin(uint32_t cpu)
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
	error = system_call_by(SYS_sched_setaffinity, sched_setaffinity(0, bytes, set)) < 0 ? -errno : 0;
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
	if (waiting->timer_fd >= 0)
		close(waiting->timer_fd);
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
	struct timespec length = time_of(ns);

	ppoll(&stop, 1, &length, NULL);
}

static struct timespec time_left(uint64_t moment_ns)
{
	uint64_t now = real_mono_ns();

	return time_of(moment_ns > now ? moment_ns - now : 0);
}

/* Waits by the measured method; may return early. */
static void wait_for(const struct latency_thread *thread, const struct waiting *waiting, uint64_t moment_ns)
{
	struct itimerspec alarm = { .it_value = time_of(moment_ns) };
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
	if (thread->cpu == LATENCY_ANY_CPU || sched_getcpu() == (int)thread->cpu)
		return true;
	live_store(&thread->away, 1);
	while (!is_stopped(thread) && (pin(thread->cpu) < 0 || sched_getcpu() != (int)thread->cpu))
		wait_coarsely(thread, COARSE_NS);
	live_store(&thread->away, 0);
	return false;
}

struct progress {
	uint64_t start_ns, planned_ns, counted, restarts;
};

static bool is_over(const struct latency_plan *plan, const struct progress *at)
{
	return (plan->samples > 0 && at->counted >= plan->samples) ||
	       (plan->duration_ns > 0 && at->planned_ns - at->start_ns > plan->duration_ns);
}

/* At the end of the plan: waits for a restart. */
static void rest(struct latency_thread *thread, struct progress *at)
{
	live_store(&thread->ended, 1);
	while (!is_stopped(thread) && at->restarts == live_load(&thread->control->restarts))
		wait_coarsely(thread, COARSE_NS);
	live_store(&thread->ended, 0);
	at->start_ns = real_mono_ns();
	at->planned_ns = at->start_ns + thread->plan->period_ns;
	at->counted = 0;
}

static void count_wakeup(struct latency_thread *thread, struct progress *at, uint64_t now)
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
	uint64_t start_ns = live_load(&thread->control->start_ns) + thread->offset_ns;
	struct progress at = { .start_ns = start_ns, .planned_ns = start_ns + thread->plan->period_ns };

	while (!is_stopped(thread)) {
		uint64_t now = real_mono_ns();

		if (is_over(thread->plan, &at)) {
			rest(thread, &at);
		} else if (at.planned_ns > now + COARSE_NS) {
			wait_coarsely(thread, at.planned_ns - now - FINE_NS);
		} else {
			wait_for(thread, waiting, at.planned_ns);
			now = real_mono_ns();
			if (now >= at.planned_ns && is_there(thread))
				count_wakeup(thread, &at, now);
			else if (now >= at.planned_ns)
				at.planned_ns = real_mono_ns() + thread->plan->period_ns;
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
	int error = pin(thread->cpu);

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
