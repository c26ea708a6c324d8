/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "sleep": when the machine slept and what woke it up, and when its clock was set. */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/history.h"
#include "sys/attribute.h"
#include "topic/sleep/clock_watch.h"
#include "topic/sleep/wake_source.h"
#include "topic/topic.h"

#define WAKE_IRQ "sys/power/pm_wakeup_irq"
#define NAMED_MAX 4
#define NAME_ROOM 64
#define MS_NS UINT64_C(1000000)

struct sleep_row {
	uint64_t number, time, from_time, irq;
	const char *kind, *wake_source, *irq_device;
	double seconds;
};

#define ROW(field, ...) COLUMN(struct sleep_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(number, A_KEY(N_("number"), 8), .hidden = true, .help = N_("serial number"), .source = "panetop"),
	ROW(time, A_LABEL(N_("time"), 12), .unit = UNIT_TIME, .rank = 1,
	    .help = N_("suspend: time of the first sample after it; clock: what the clock says now"),
	    .source = "CLOCK_REALTIME"),
	ROW(kind, A_LABEL(N_("kind"), 7), .words = true,
	    .help = N_("suspend: the machine slept; clock: its clock was set; slewing by NTP does not count"),
	    .source = "which clock moved against CLOCK_BOOTTIME"),
	ROW(seconds, A_LABEL(N_("seconds"), 8), .unit = UNIT_SECONDS,
	    .help = N_("suspend: time asleep, on some machines to a second; clock: by how much it was set, "
		       "below 0: back. Less than 50 ms waits until it adds up to more, and several sleeps "
		       "within one sample are one row"),
	    .source = "growth of CLOCK_BOOTTIME - CLOCK_MONOTONIC; of CLOCK_REALTIME - CLOCK_BOOTTIME"),
	ROW(from_time, A_LABEL(N_("from"), 12), .unit = UNIT_TIME, .rank = 2,
	    .help = N_("suspend: time of the last sample before it; clock: what the clock would say now"),
	    .source = "CLOCK_REALTIME"),
	ROW(irq, A_LABEL(N_("IRQ"), 4), .rank = 3,
	    .help = N_("interrupt that woke up the machine; unknown where the platform does not report one"),
	    .source = "/sys/power/pm_wakeup_irq"),
	ROW(irq_device, A_LABEL(N_("of"), 8), .rank = 5, .help = N_("devices of that interrupt"),
	    .source = "/sys/kernel/irq/N/actions"),
	ROW(wake_source, A_LABEL(N_("wake source"), 24), .rank = 1,
	    .help = N_("wakeup sources with an event between the sample before the sleep and that after it, "
		       "the first one first; mostly what woke up the machine is among them"),
	    .source = "/sys/class/wakeup/*/last_change_ms"),
};

static const struct schema schema = {
	.name = SLEEP_TOPIC,
	.help = N_("when the machine slept and what woke it up, and when its clock was set"),
	.none = N_("the machine has not slept"),
	.shape = SHAPE_EVENTS,
	SCHEMA_ROWS(struct sleep_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = WAKE_SOURCES,
	  .gives = N_("what woke up the machine"),
	  .optional = true,
	  .test = wake_sources_test,
	  .remedies = { { ENOENT,
			  N_("this kernel cannot sleep (CONFIG_PM_SLEEP), or is older than 5.4") } } },
	{ .path = WAKE_IRQ,
	  .gives = N_("which interrupt woke up the machine"),
	  .optional = true,
	  .remedies = { { ENOENT, N_("this kernel cannot sleep (CONFIG_PM_SLEEP)") },
			{ ENODATA, N_("the machine has not slept, or its platform does not report one"),
			  .unused = true } } },
	{ 0 },
};

struct state {
	struct clock_watch clocks;
	uint64_t number; /* of the last row */
};

/* Wakeup sources that changed within a time. */
struct woken {
	struct env *env;
	uint64_t from_ns, to_ns;
	struct {
		uint64_t changed_ns;
		char name[NAME_ROOM];
	} first[NAMED_MAX];
	unsigned n;
};

/* In the order of their changes, of which the first ones stay. */
static void add_source(void *context, const char *directory)
{
	struct woken *woken = context;
	uint64_t changed_ns = wake_source_changed_ns(woken->env, directory);
	char bytes[ATTRIBUTE_TEXT_MAX];
	const char *name, *device;
	unsigned at = woken->n;

	if (changed_ns == U64_UNKNOWN || changed_ns + MS_NS <= woken->from_ns || changed_ns > woken->to_ns)
		return;
	while (at > 0 && woken->first[at - 1].changed_ns > changed_ns)
		at--;
	name = at < NAMED_MAX ? wake_source_name(woken->env, directory, bytes, sizeof(bytes)) : NULL;
	if (!name)
		return;
	woken->n -= woken->n == NAMED_MAX;
	memmove(&woken->first[at + 1], &woken->first[at], (woken->n - at) * sizeof(woken->first[0]));
	woken->first[at].changed_ns = changed_ns;
	device = wake_source_device(woken->env, directory, name);
	snprintf(woken->first[at].name, NAME_ROOM, "%s%s%s", device, *device ? " " : "", name);
	woken->n++;
}

/* "lid PNP0C0D:00, alarmtimer"; NULL: none. */
static const char *find_sources(struct sample *sample, const struct clock_reading *before,
				const struct clock_reading *now)
{
	struct woken woken = { .env = sample->env, .from_ns = before->mono_ns, .to_ns = now->mono_ns };
	char text[NAMED_MAX * (NAME_ROOM + 2)] = "";
	size_t length = 0;

	wake_sources_each(sample->env, add_source, &woken);
	for (unsigned i = 0; i < woken.n; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s", i > 0 ? ", " : "",
					   woken.first[i].name);
	return woken.n > 0 ? arena_copy(&sample->frame->arena, text, length) : NULL;
}

static void find_irq(struct sample *sample, struct sleep_row *row)
{
	char path[64], actions[ATTRIBUTE_TEXT_MAX];
	long length;

	if (attribute_once_u64(sample->env, WAKE_IRQ, &row->irq) < 0)
		return;
	snprintf(path, sizeof(path), "sys/kernel/irq/%" PRIu64 "/actions", row->irq);
	length = attribute_once(sample->env, path, actions, sizeof(actions));
	if (length > 0)
		row->irq_device = arena_copy(&sample->frame->arena, actions, (size_t)length);
}

static struct sleep_row *add_row(struct sample *sample, const char *kind, uint64_t time_ns, uint64_t from_ns,
				 double seconds)
{
	struct state *state = sample->state;
	struct sleep_row *row = table_add(sample->table);

	row->number = ++state->number;
	row->kind = kind;
	row->time = time_ns;
	row->from_time = from_ns;
	row->seconds = seconds;
	return row;
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;
	struct clock_reading now = clock_reading_take(sample->env);
	struct clock_change change = clock_watch_look(&state->clocks, &now);

	if (change.slept_ns > 0) {
		struct sleep_row *row = add_row(sample, N_("suspend"), now.wall_ns, change.before.wall_ns,
						(double)change.slept_ns / 1e9);

		row->wake_source = find_sources(sample, &change.before, &now);
		find_irq(sample, row);
	}
	if (change.set_ns != 0) {
		struct sleep_row *row =
			add_row(sample, N_("clock"), now.wall_ns, now.wall_ns - (uint64_t)change.set_ns,
				(double)change.set_ns / 1e9);

		row->irq = U64_BLANK;
		row->wake_source = row->irq_device = "";
	}
	return 0;
}

/* Sleeps from now on, not only from the first sample on. */
static int open_sleep(struct sample *sample)
{
	struct state *state = sample->state;
	struct clock_reading now = clock_reading_take(sample->env);

	clock_watch_look(&state->clocks, &now);
	return 0;
}

const struct topic topic_sleep = {
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct state),
	.open = open_sleep,
	.sample = sample,
};
