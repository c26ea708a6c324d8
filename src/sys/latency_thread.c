/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a measuring thread does: it sleeps until planned moments and counts how late it woke up. */
#include <config.h>

#include "sys/latency_thread.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "sys/env.h"
#include "sys/privilege.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define COARSE_NS UINT64_C(100000000) /* a longer wait begins with one that the order to stop ends */
#define FINE_NS UINT64_C(50000000)
#define DEADLINE_PERIOD_NS UINT64_C(100000) /* the shortest that the kernel allows by default */
#define DEADLINE_RUNTIME_NS UINT64_C(20000)
#define STACK_TOUCHED 16384
#define PAGE_MIN 4096
#define WAIT_SIGNAL SIGRTMIN

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

/* The argument of sched_setattr(2), for which older C libraries have neither type nor function. */
struct scheduling {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

/* What a method of waiting needs. */
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

static int set_policy(enum cyclic_policy policy, int priority, uint64_t period_ns)
{
	static const uint32_t numbers[N_CYCLIC_POLICIES] = {
		[CYCLIC_FIFO] = SCHED_FIFO,
		[CYCLIC_RR] = SCHED_RR,
		[CYCLIC_DEADLINE] = SCHED_DEADLINE,
		[CYCLIC_OTHER] = SCHED_OTHER,
	};
	struct scheduling wanted = { .size = sizeof(wanted), .policy = numbers[policy] };
	uint64_t raised;
	int error;

	if (policy == CYCLIC_FIFO || policy == CYCLIC_RR)
		wanted.priority = (uint32_t)priority;
	else if (policy == CYCLIC_OTHER) /* to be nicer is allowed, the way back is not */
		wanted.nice = getpriority(PRIO_PROCESS, 0);
	if (policy == CYCLIC_DEADLINE) {
		wanted.period_ns = period_ns > DEADLINE_PERIOD_NS ? period_ns : DEADLINE_PERIOD_NS;
		wanted.deadline_ns = wanted.period_ns;
		wanted.runtime_ns = wanted.period_ns / 20 > DEADLINE_RUNTIME_NS ? wanted.period_ns / 20
										: DEADLINE_RUNTIME_NS;
	}
	raised = privilege_raise(PRIVILEGE_REAL_TIME);
	error = syscall(SYS_sched_setattr, 0, &wanted, 0) < 0 ? -errno : 0;
	privilege_lower(raised);
	return error;
}

struct trial {
	enum cyclic_policy policy;
	int priority, error;
};

static void *try_out(void *argument)
{
	struct trial *trial = argument;

	trial->error = set_policy(trial->policy, trial->priority, NS_PER_SECOND);
	return NULL;
}

int cyclic_try_policy(enum cyclic_policy policy, int priority)
{
	struct trial trial = { .policy = policy, .priority = priority };
	pthread_t thread;
	int error = -pthread_create(&thread, NULL, try_out, &trial);

	if (error)
		return error;
	pthread_join(thread, NULL);
	return trial.error;
}

static int pin(uint32_t cpu)
{
	size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set;
	int error;

	if (cpu == CYCLIC_ANY_CPU)
		return 0;
	set = CPU_ALLOC(cpu + 1);
	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	error = sched_setaffinity(0, bytes, set) < 0 ? -errno : 0;
	CPU_FREE(set);
	return error;
}

static int open_waiting(struct waiting *waiting, enum cyclic_method method)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = WAIT_SIGNAL };

	*waiting = (struct waiting){ .timer_fd = -1 };
	sigemptyset(&waiting->signal);
	sigaddset(&waiting->signal, WAIT_SIGNAL);
	if (method == CYCLIC_TIMERFD) {
		waiting->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
		return waiting->timer_fd < 0 ? -errno : 0;
	}
	if (method != CYCLIC_ITIMER)
		return 0;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
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

static bool is_stopped(const struct cyclic_thread *thread)
{
	return load(&thread->control->stop) != 0;
}

/* Waits so long, or until the threads shall stop. */
static void wait_coarsely(const struct cyclic_thread *thread, uint64_t ns)
{
	struct pollfd stop = { .fd = thread->control->stop_fd, .events = POLLIN };
	struct timespec length = time_of(ns);

	ppoll(&stop, 1, &length, NULL);
}

static struct timespec time_left(uint64_t moment_ns)
{
	uint64_t now = env_mono_ns();

	return time_of(moment_ns > now ? moment_ns - now : 0);
}

/* Until a moment, by the method that is measured; it may return early. */
static void wait_until(const struct cyclic_thread *thread, const struct waiting *waiting, uint64_t moment_ns)
{
	struct itimerspec alarm = { .it_value = time_of(moment_ns) };
	struct timespec left;
	uint64_t expired;
	ssize_t got;
	int number;

	switch (thread->plan->method) {
	case CYCLIC_POSIX_NS:
		left = time_left(moment_ns);
		nanosleep(&left, NULL);
		break;
	case CYCLIC_POLL:
		left = time_left(moment_ns);
		ppoll(NULL, 0, &left, NULL);
		break;
	case CYCLIC_ITIMER:
		timer_settime(waiting->timer, TIMER_ABSTIME, &alarm, NULL);
		sigwait(&waiting->signal, &number);
		break;
	case CYCLIC_TIMERFD:
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
	store(&counts->missed, 0);
	store(&counts->sum_ns, 0);
	store(&counts->squares, 0);
	store(&counts->min_ns, UINT64_MAX);
	store(&counts->max_ns, 0);
	store(&counts->n_worst, 0);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		store(&counts->times[i], 0);
		if (counts->linear)
			store(&counts->linear[i], 0);
	}
}

static void grow(live_u64 *counter, uint64_t by)
{
	store(counter, atomic_load_explicit(counter, memory_order_relaxed) + by);
}

static size_t least_of_worst(const struct live_counts *counts)
{
	size_t least = 0;

	for (size_t i = 1; i < CYCLIC_WORST; i++)
		if (load(&counts->late_ns[i]) < load(&counts->late_ns[least]))
			least = i;
	return least;
}

/* Takes the place of the least of the worst, if it is worse. */
static void keep_worst(struct live_counts *counts, uint64_t woken_ns, uint64_t late_ns)
{
	uint64_t n_worst = load(&counts->n_worst);
	size_t place = n_worst;

	if (n_worst == CYCLIC_WORST && late_ns <= load(&counts->floor_ns))
		return;
	if (n_worst < CYCLIC_WORST)
		store(&counts->n_worst, ++n_worst);
	else
		place = least_of_worst(counts);
	store(&counts->woken_ns[place], woken_ns);
	store(&counts->late_ns[place], late_ns);
	if (n_worst == CYCLIC_WORST)
		store(&counts->floor_ns, load(&counts->late_ns[least_of_worst(counts)]));
}

void live_count(struct live_counts *counts, const struct cyclic_plan *plan, uint64_t woken_ns,
		uint64_t late_ns)
{
	uint64_t sequence = load(&counts->sequence);

	store(&counts->sequence, sequence + 1);
	grow(&counts->sum_ns, late_ns);
	grow(&counts->missed, late_ns / plan->period_ns);
	store(&counts->squares, load(&counts->squares) + (double)late_ns * (double)late_ns);
	if (late_ns < load(&counts->min_ns))
		store(&counts->min_ns, late_ns);
	if (late_ns > load(&counts->max_ns))
		store(&counts->max_ns, late_ns);
	keep_worst(counts, woken_ns, late_ns);
	grow(&counts->times[histogram_index(0, late_ns)], 1);
	if (counts->linear)
		grow(&counts->linear[histogram_index(plan->bucket_ns, late_ns)], 1);
	store(&counts->sequence, sequence + 2);
}

static void forget(const struct cyclic_thread *thread)
{
	for (unsigned p = 0; p < thread->plan->n_phases; p++) {
		struct live_counts *counts = thread->counts[p];
		uint64_t sequence = load(&counts->sequence);

		store(&counts->sequence, sequence + 1);
		live_clear(counts);
		store(&counts->sequence, sequence + 2);
	}
}

/* The kernel moves a thread away from a CPU that goes offline: it has nothing to count until it is back. */
static bool is_there(struct cyclic_thread *thread)
{
	if (thread->cpu == CYCLIC_ANY_CPU || sched_getcpu() == (int)thread->cpu)
		return true;
	store(&thread->away, 1);
	while (!is_stopped(thread) && (pin(thread->cpu) < 0 || sched_getcpu() != (int)thread->cpu))
		wait_coarsely(thread, COARSE_NS);
	store(&thread->away, 0);
	return false;
}

/* Where a thread is in its plan. */
struct progress {
	uint64_t start_ns, planned_ns, counted, restarts;
};

static bool is_over(const struct cyclic_plan *plan, const struct progress *at)
{
	return (plan->samples > 0 && at->counted >= plan->samples) ||
	       (plan->duration_ns > 0 && at->planned_ns - at->start_ns > plan->duration_ns);
}

/* At the end of the plan it waits: it may have to start anew. */
static void rest(struct cyclic_thread *thread, struct progress *at)
{
	store(&thread->ended, 1);
	while (!is_stopped(thread) && at->restarts == load(&thread->control->restarts))
		wait_coarsely(thread, COARSE_NS);
	store(&thread->ended, 0);
	at->start_ns = env_mono_ns();
	at->planned_ns = at->start_ns + thread->plan->period_ns;
	at->counted = 0;
}

/* A wake-up that was planned, at this moment. */
static void take(struct cyclic_thread *thread, struct progress *at, uint64_t now)
{
	uint64_t late_ns = now - at->planned_ns, period_ns = thread->plan->period_ns;

	if (at->restarts != load(&thread->control->restarts)) {
		at->restarts = load(&thread->control->restarts);
		at->start_ns = at->planned_ns - period_ns;
		at->counted = 0;
		forget(thread);
	}
	live_count(thread->counts[load(&thread->control->phase)], thread->plan, now, late_ns);
	at->counted++;
	at->planned_ns += (late_ns / period_ns + 1) * period_ns;
}

static void measure(struct cyclic_thread *thread, const struct waiting *waiting)
{
	uint64_t start_ns = load(&thread->control->start_ns) + thread->offset_ns;
	struct progress at = { .start_ns = start_ns, .planned_ns = start_ns + thread->plan->period_ns };

	while (!is_stopped(thread)) {
		uint64_t now = env_mono_ns();

		if (is_over(thread->plan, &at)) {
			rest(thread, &at);
		} else if (at.planned_ns > now + COARSE_NS) {
			wait_coarsely(thread, at.planned_ns - now - FINE_NS);
		} else {
			wait_until(thread, waiting, at.planned_ns);
			now = env_mono_ns();
			if (now >= at.planned_ns && is_there(thread))
				take(thread, &at, now);
			else if (now >= at.planned_ns)
				at.planned_ns = env_mono_ns() + thread->plan->period_ns;
		}
	}
}

/* So that no page of it has to be made while it is measured, also where it may not be locked. */
static void touch_stack(void)
{
	volatile char bytes[STACK_TOUCHED];

	for (size_t i = 0; i < sizeof(bytes); i += PAGE_MIN)
		bytes[i] = 0;
}

static int prepare(struct cyclic_thread *thread, struct waiting *waiting)
{
	int error = pin(thread->cpu);

	touch_stack();
	prctl(PR_SET_NAME, "panetop-latency");
	prctl(PR_SET_TIMERSLACK, (unsigned long)thread->plan->slack_ns);
	if (!error)
		error = set_policy(thread->plan->policy, thread->plan->priority, thread->plan->period_ns);
	if (!error)
		error = privilege_keep(0);
	return error ? error : open_waiting(waiting, thread->plan->method);
}

void *cyclic_thread_run(void *argument)
{
	struct cyclic_thread *thread = argument;
	struct waiting waiting = { .timer_fd = -1 };

	thread->error = prepare(thread, &waiting);
	sem_post(&thread->control->ready);
	if (!thread->error) {
		while (sem_wait(&thread->control->go) < 0 && errno == EINTR)
			;
		measure(thread, &waiting);
	}
	close_waiting(&waiting);
	return NULL;
}
