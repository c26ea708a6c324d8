/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts steps from the oldest moment that may be stored. */
#include <config.h>

#include "fleet/stored_axis.h"

#include <errno.h>
#include <math.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define PAST_SECONDS (15 * 86400.0) /* that Prometheus keeps by default */
#define ROUNDING 1e-6               /* of a step: a time made of an index leads to that */
#define BEHIND_SECONDS 5.0          /* what is scraped now can be asked then */

static double now_seconds(const struct machine_clock *clock)
{
	return (double)clock_wall_ns(clock) / 1e9 - BEHIND_SECONDS;
}

int stored_axis_open(struct stored_axis *axis, const struct machine_clock *clock, double step_seconds,
		     double oldest)
{
	double whole, part = modf(step_seconds, &whole);
	const struct timespec step = { (time_t)whole, (long)(part * 1e9) };
	const struct itimerspec times = { step, step };

	axis->clock = clock;
	axis->step = step_seconds;
	oldest = fmin(fmax(ceil(oldest / step_seconds),
			   floor((now_seconds(clock) - PAST_SECONDS) / step_seconds)),
		      floor(now_seconds(clock) / step_seconds) - 1);
	axis->first = oldest * step_seconds;
	axis->next = stored_axis_moments(axis) - 2;
	axis->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	return axis->timer_fd < 0 || timerfd_settime(axis->timer_fd, 0, &times, NULL) < 0 ? -errno : 0;
}

void stored_axis_close(struct stored_axis *axis)
{
	if (axis->timer_fd >= 0)
		close(axis->timer_fd);
	axis->timer_fd = -1;
}

size_t stored_axis_moments(const struct stored_axis *axis)
{
	return (size_t)((now_seconds(axis->clock) - axis->first) / axis->step) + 1;
}

double stored_axis_time(const struct stored_axis *axis, size_t index)
{
	return axis->first + (double)index * axis->step;
}

uint64_t stored_axis_ns(const struct stored_axis *axis, size_t index)
{
	return (uint64_t)(stored_axis_time(axis, index) * 1e9);
}

static int seek(void *state, size_t index)
{
	struct stored_axis *axis = state;
	size_t n = stored_axis_moments(axis);

	axis->next = index < n ? index : n - 1;
	return 0;
}

static size_t position(void *state)
{
	const struct stored_axis *axis = state;

	return axis->next > 0 ? axis->next - 1 : 0;
}

static size_t find(void *state, uint64_t wall_ns)
{
	const struct stored_axis *axis = state;
	double steps = ((double)wall_ns / 1e9 - axis->first) / axis->step + ROUNDING;
	size_t n = stored_axis_moments(axis);

	return steps < 0 ? 0 : steps < (double)(n - 1) ? (size_t)steps : n - 1;
}

static bool extent(void *state, size_t *n, uint64_t *first_ns, uint64_t *last_ns)
{
	const struct stored_axis *axis = state;

	*n = stored_axis_moments(axis);
	*first_ns = stored_axis_ns(axis, 0);
	*last_ns = stored_axis_ns(axis, *n - 1);
	return true;
}

static int wait_fd(void *state)
{
	const struct stored_axis *axis = state;

	return axis->timer_fd;
}

static bool pull(void *state)
{
	const struct stored_axis *axis = state;
	uint64_t times;

	while (read(axis->timer_fd, &times, sizeof(times)) > 0)
		;
	return true;
}

void stored_axis_give(struct stored_axis *axis, struct source *source)
{
	*source = (struct source){
		.poll_fd = -1,
		.seek = seek,
		.position = position,
		.find = find,
		.extent = extent,
		.wait_fd = wait_fd,
		.pull = pull,
		.state = axis,
	};
}
