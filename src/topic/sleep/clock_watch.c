/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences between clocks, which stay as they are but for a sleep, or a clock that is set. */
#include <config.h>

#include "topic/sleep/clock_watch.h"

#define TRIES 4
#define CLOSE_NS UINT64_C(20000)

static struct clock_reading read_once(const struct env *env)
{
	struct clock_reading reading;
	uint64_t begun_ns = env_boot_ns(env);

	reading.mono_ns = env_mono_ns(env);
	reading.wall_ns = env_wall_ns(env);
	reading.boot_ns = env_boot_ns(env); /* after a sleep between any of them it is far from begun_ns */
	reading.apart_ns = reading.boot_ns - begun_ns;
	return reading;
}

struct clock_reading clock_reading_take(const struct env *env)
{
	struct clock_reading closest = read_once(env);

	for (unsigned i = 1; i < TRIES && closest.apart_ns > CLOSE_NS; i++) {
		struct clock_reading again = read_once(env);

		if (again.apart_ns < closest.apart_ns)
			closest = again;
	}
	return closest;
}

/* By how much a difference between clocks grew; 0 where that may be the time between reading them. */
static int64_t grown(int64_t *reported_ns, int64_t ahead_ns, uint64_t apart_ns)
{
	int64_t grown_ns = ahead_ns - *reported_ns;
	uint64_t size_ns = grown_ns < 0 ? 0 - (uint64_t)grown_ns : (uint64_t)grown_ns;

	if (size_ns <= CLOCK_CHANGE_NS + apart_ns)
		return 0;
	*reported_ns = ahead_ns;
	return grown_ns;
}

struct clock_change clock_watch_look(struct clock_watch *watch, const struct clock_reading *now)
{
	int64_t boot_ahead_ns = (int64_t)(now->boot_ns - now->mono_ns);
	int64_t wall_ahead_ns = (int64_t)(now->wall_ns - now->boot_ns);
	struct clock_change change = { .before = watch->last };
	int64_t slept_ns;

	if (watch->begun) {
		slept_ns = grown(&watch->boot_ahead_ns, boot_ahead_ns, now->apart_ns + watch->apart_ns);
		change.slept_ns = slept_ns > 0 ? (uint64_t)slept_ns : 0;
		change.set_ns = grown(&watch->wall_ahead_ns, wall_ahead_ns, now->apart_ns + watch->apart_ns);
	}
	if (!watch->begun || now->apart_ns + CLOSE_NS < watch->apart_ns)
		*watch = (struct clock_watch){ true, boot_ahead_ns, wall_ahead_ns, now->apart_ns, *now };
	else if (change.slept_ns > 0 || change.set_ns != 0)
		watch->apart_ns = now->apart_ns > watch->apart_ns ? now->apart_ns : watch->apart_ns;
	watch->last = *now;
	return change;
}

uint64_t clock_watch_slept_ns(struct clock_watch *watch, const struct env *env)
{
	struct clock_reading now = clock_reading_take(env);

	return clock_watch_look(watch, &now).slept_ns;
}
