/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits by pauses: of a process that is traced, neither its pidfd nor SIGCHLD says when it can be reaped. */
#include <config.h>

#include "sys/patience.h"

#include <stdatomic.h>

#include "sys/child.h"
#include "sys/loop.h"

#define LONG_NS UINT64_C(700000000)
#define SHORT_NS UINT64_C(30000000)    /* where another one has lasted its time … */
#define RECENT_NS UINT64_C(3000000000) /* … not long ago */
#define PAUSE_MIN_NS UINT64_C(50000)
#define PAUSE_MAX_NS UINT64_C(5000000)
#define AWAIT_NS UINT64_C(10000000000)
#define RUN_CPU_NS UINT64_C(5000000000)

static const struct machine_clock *clock_of(const struct machine_clock *clock)
{
	return clock ? clock : &real_clock;
}

bool patience_lasts(struct patience *patience)
{
	static _Atomic uint64_t lost_ns;
	const struct machine_clock *clock = clock_of(patience->clock);
	uint64_t now_ns = clock_mono_ns(clock), before_ns = atomic_load(&lost_ns);

	if (patience->until_ns == 0) {
		bool is_recent = before_ns > 0 && now_ns - before_ns < RECENT_NS;

		patience->until_ns = now_ns + (is_recent ? SHORT_NS : LONG_NS);
		patience->pause_ns = PAUSE_MIN_NS;
	}
	if (now_ns >= patience->until_ns) {
		atomic_store(&lost_ns, now_ns);
		return false;
	}
	clock_pause(clock, patience->pause_ns);
	if (patience->pause_ns < PAUSE_MAX_NS)
		patience->pause_ns *= 2;
	return true;
}

/* Does it run, or wait for a CPU? Its clock has its TID: CPUCLOCK_PID of include/linux/posix-timers.h. */
static bool thread_runs(clockid_t its)
{
	return child_runs((pid_t) ~(its >> 3));
}

bool patience_join(pthread_t thread)
{
	struct patience patience = { 0 };
	clockid_t its;
	bool has_clock = pthread_getcpuclockid(thread, &its) == 0;
	uint64_t until_cpu_ns = has_clock ? clock_now_ns(&real_clock, its) + RUN_CPU_NS : 0;

	while (pthread_tryjoin_np(thread, NULL) != 0) {
		if (patience.until_ns > 0 && has_clock && thread_runs(its) &&
		    clock_now_ns(&real_clock, its) < until_cpu_ns)
			patience.until_ns = clock_mono_ns(&real_clock) + LONG_NS;
		if (!patience_lasts(&patience)) {
			pthread_detach(thread);
			return false;
		}
	}
	return true;
}

bool patience_lock(pthread_mutex_t *lock)
{
	struct patience patience = { 0 };

	while (pthread_mutex_trylock(lock) != 0)
		if (!patience_lasts(&patience))
			return false;
	return true;
}

bool progress_goes_on(struct progress *progress)
{
	atomic_fetch_add_explicit(&progress->steps, 1, memory_order_relaxed);
	return !atomic_load_explicit(&progress->cancelled, memory_order_relaxed);
}

bool patience_await(struct progress *progress)
{
	const struct machine_clock *clock = clock_of(progress->clock);
	uint64_t until_ns = clock_mono_ns(clock) + AWAIT_NS;
	struct patience patience = { .clock = clock };
	unsigned before = 0;

	while (!atomic_load(&progress->ready)) {
		unsigned steps = atomic_load(&progress->steps);

		if (steps != before)
			patience.until_ns = 0;
		before = steps;
		if (loop_signal_waits() || clock_mono_ns(clock) >= until_ns || !patience_lasts(&patience))
			return false;
	}
	return true;
}
