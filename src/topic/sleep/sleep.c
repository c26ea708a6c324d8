/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "sleep": when the machine slept and what woke it up, and when its clock was set; "suspend": which
 * ways to sleep it has, how long it slept since boot, and what failed; "wake_source": devices and parts of
 * the kernel that may wake it up, or keep it awake. Differences between clocks stay as they are but for a
 * sleep, or a clock that is set.
 */
#include <config.h>

#include "topic/sleep/sleep.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/span.h"
#include "core/unknown.h"
#include "model/history.h"
#include "sys/attribute.h"
#include "topic/kernel_clock.h"
#include "topic/topic.h"

#define WAKE_SOURCES "sys/class/wakeup" /* since Linux 5.4 */
#define PATH_ROOM 512

static int wake_sources_test(struct env *env)
{
	return env_exists(env, WAKE_SOURCES) ? 0 : -ENOENT;
}

static const char *path_of(char path[PATH_ROOM], const char *directory, const char *attribute)
{
	snprintf(path, PATH_ROOM, WAKE_SOURCES "/%.256s/%s", directory, attribute);
	return path;
}

/* Where it has none, that of its directory. NULL: it is gone. bytes have room for an attribute. */
static const char *wake_source_name(struct env *env, const char *directory, char *bytes, size_t room)
{
	char path[PATH_ROOM];
	long length = attribute_once(env, path_of(path, directory, "name"), bytes, room);

	return length > 0 ? bytes : length == 0 ? directory : NULL;
}

/* The rest of an identifier is the number of the device; a device of PNP has it in a file alone: 00:05. */
static const char *device_of_identifier(const char *identifier)
{
	static const struct {
		const char *begin, *device;
	} known[] = {
		{ "PNP0B0", N_("clock (RTC)") },   { "PNP0C0D", N_("lid") },
		{ "PNP0C0C", N_("power button") }, { "LNXPWRBN", N_("power button") },
		{ "PNP0C0E", N_("sleep button") }, { "LNXSLPBN", N_("sleep button") },
		{ "PNP0C0A", N_("battery") },      { "ACPI0003", N_("power supply") },
		{ "PNP03", N_("keyboard") },       { "PNP0F", N_("mouse") },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (ascii_same(identifier, known[i].begin, strlen(known[i].begin)))
			return known[i].device;
	return "";
}

/* What people call the device, N_(), by its name or its identifier of ACPI; "": that is not known. */
static const char *wake_source_device(struct env *env, const char *directory, const char *name)
{
	const char *device = device_of_identifier(name);
	char path[PATH_ROOM], bytes[64];

	if (*device || attribute_once(env, path_of(path, directory, "device/id"), bytes, sizeof(bytes)) <= 0)
		return device;
	return device_of_identifier(bytes);
}

static uint64_t wake_source_number(struct env *env, const char *directory, const char *attribute)
{
	uint64_t number = U64_UNKNOWN;
	char path[PATH_ROOM];

	attribute_once_u64(env, path_of(path, directory, attribute), &number);
	return number;
}

/* When it last had an event, or began or ended to keep the machine awake, to 1 ms; U64_UNKNOWN: never. */
static uint64_t wake_source_changed_ns(struct env *env, const char *directory)
{
	uint64_t ms = wake_source_number(env, directory, "last_change_ms");

	return ms > 0 && ms < U64_UNKNOWN / 1000000 ? ms * 1000000 + kernel_clock_lag_ns(env) : U64_UNKNOWN;
}

#define PLACE "/sys/class/wakeup/*/"

struct wake_source_row {
	uint64_t events, activations, wakeups;
	double awake_seconds, total_seconds, prevented_seconds, age_seconds;
	const char *name, *source, *state, *device;
};

#define WAKE(field, ...) COLUMN(struct wake_source_row, field, __VA_ARGS__)

static const struct column wake_columns[] = {
	WAKE(events, A_COUNTER(COUNT, N_("events"), 8),
	    .help = N_("events since boot, also while the machine was awake"), .source = PLACE "event_count"),
	WAKE(activations, A_COUNTER(COUNT, N_("active"), 8), .rank = 3,
	     .help = N_("how often it began to keep the machine awake"), .source = PLACE "active_count"),
	WAKE(wakeups, A_COUNTER(COUNT, N_("aborts"), 9), .rank = 2,
	     .help = N_("how often it may have aborted a suspend that programs had begun"),
	     .source = PLACE "wakeup_count"),
	WAKE(age_seconds, A_GAUGE(SECONDS, N_("ago"), 7), .whole = true,
	     .help = N_("time awake since its last change; unknown: it never had one"),
	     .source = PLACE "last_change_ms"),
	WAKE(state, A_LABEL(N_("state"), 8), .words = true, .rank = 1,
	     .help = N_("active: it keeps the machine awake now"), .source = PLACE "active_time_ms"),
	WAKE(awake_seconds, A_GAUGE(SECONDS, N_("since"), 7), .rank = 4,
	     .help = N_("active: for how long it has been so; else 0"), .source = PLACE "active_time_ms"),
	WAKE(total_seconds, A_COUNTER(SECONDS, N_("total"), 9), .rank = 4,
	     .help = N_("time active since boot"), .source = PLACE "total_time_ms"),
	WAKE(prevented_seconds, A_COUNTER(SECONDS, N_("prevented"), 9), .rank = 5,
	     .help = N_("time for which it kept the machine from sleeping by itself (autosleep)"),
	     .source = PLACE "prevent_suspend_time_ms"),
	WAKE(name, A_KEY(N_("name"), 20),
	     .help = N_("name of the device, or what a driver or program calls it"), .source = PLACE "name"),
	WAKE(device, A_LABEL(N_("device"), 13), .rank = 1, .optional = true, .words = true,
	     .help = N_("what people call it, where that is known"),
	     .source = PLACE "name, " PLACE "device/id"),
	WAKE(source, A_KEY(N_("source"), 9), .hidden = true,
	     .help = N_("its directory in /sys/class/wakeup, as names may not be unique"),
	     .source = "/sys/class/wakeup"),
};

static const struct schema wake_schema = {
	.name = "wake_source",
	.is_public = true,
	.help = N_("what may wake up the machine, or keep it awake"),
	.none = N_("no wakeup sources here: this kernel cannot sleep, or is older than 5.4"),
	SCHEMA_ROWS(struct wake_source_row, wake_columns),
};

static const struct source_spec wake_sources[] = {
	{ .path = WAKE_SOURCES,
	  .gives = N_("wakeup sources"),
	  .optional = true,
	  .test = wake_sources_test,
	  .remedies = { { ENOENT,
			  N_("this kernel cannot sleep (CONFIG_PM_SLEEP), or is older than 5.4") } } },
	{ 0 },
};

static double seconds_of(struct env *env, const char *directory, const char *attribute)
{
	return u64_number(wake_source_number(env, directory, attribute)) / 1e3;
}

static void add_wake_source(void *context, const char *directory)
{
	struct sample *sample = context;
	struct env *env = sample->env;
	char bytes[ATTRIBUTE_TEXT_MAX];
	const char *name = wake_source_name(env, directory, bytes, sizeof(bytes));
	uint64_t now_ns = sample->table->mono_ns, changed_ns;
	struct wake_source_row *row;

	if (!name)
		return; /* its device was removed */
	row = table_add(sample->table);
	row->name = sample_text(sample, name);
	row->source = sample_text(sample, directory);
	row->events = wake_source_number(env, directory, "event_count");
	row->activations = wake_source_number(env, directory, "active_count");
	row->wakeups = wake_source_number(env, directory, "wakeup_count");
	row->total_seconds = seconds_of(env, directory, "total_time_ms");
	row->prevented_seconds = seconds_of(env, directory, "prevent_suspend_time_ms");
	row->awake_seconds = seconds_of(env, directory, "active_time_ms");
	row->device = wake_source_device(env, directory, row->name);
	row->state = row->awake_seconds > 0 ? N_("active") : "";
	changed_ns = wake_source_changed_ns(env, directory);
	if (changed_ns != U64_UNKNOWN)
		row->age_seconds = changed_ns < now_ns ? (double)(now_ns - changed_ns) / 1e9 : 0;
}

static int sample_sources(struct sample *sample)
{
	listing_each_directory(sample->env, WAKE_SOURCES, add_wake_source, sample);
	return 0;
}

const struct topic topic_wake_source = {
	.schema = &wake_schema, .sources = wake_sources, .sample = sample_sources
};

#define CLOCK_CHANGE_NS UINT64_C(50000000) /* smaller changes wait until they add up to more */
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

/* Again where something came between, a few times at most. */
static struct clock_reading clock_reading_take(const struct env *env)
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

struct clock_change {
	uint64_t slept_ns;           /* 0: it did not sleep */
	int64_t set_ns;              /* above 0: forward; 0: the clock was not set */
	struct clock_reading before; /* of the last look */
};

/*
 * CLOCK_MONOTONIC stands still while the machine sleeps and CLOCK_BOOTTIME goes on; only setting the clock
 * moves CLOCK_REALTIME against both, since NTP changes the speed of all three. The first look, which may be
 * in a time namespace with offsets, has no change.
 */
static struct clock_change clock_watch_look(struct clock_watch *watch, const struct clock_reading *now)
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
	woken->n += snprintf(woken->first[at].name, NAME_ROOM, "%s%s%s", device, *device ? " " : "",
			     name) > 0;
}

/* "lid PNP0C0D:00, alarmtimer"; NULL: none. */
static const char *find_sources(struct sample *sample, const struct clock_reading *before,
				const struct clock_reading *now)
{
	struct woken woken = { .env = sample->env, .from_ns = before->mono_ns, .to_ns = now->mono_ns };
	char text[NAMED_MAX * (NAME_ROOM + 2)] = "";
	size_t length = 0;

	listing_each_directory(sample->env, WAKE_SOURCES, add_source, &woken);
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

static int sleep_sample(struct sample *sample)
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
	.schema = &schema, .sources = sources, .state_size = sizeof(struct state), .open = open_sleep,
	.sample = sleep_sample
};

#define POWER "sys/power/"
#define STATS POWER "suspend_stats/"

struct suspend_row {
	uint64_t suspends, failures;
	double asleep_seconds, hardware_seconds;
	const char *states, *mem_sleep, *failed_device, *failed_step, *failed_error;
};

#define SUSPEND(field, ...) COLUMN(struct suspend_row, field, __VA_ARGS__)

static const struct column suspend_columns[] = {
	SUSPEND(asleep_seconds, A_COUNTER(SECONDS, N_("asleep"), 9), .help = N_("time asleep since boot"),
		.source = "CLOCK_BOOTTIME - CLOCK_MONOTONIC, without offsets of a time namespace"),
	SUSPEND(suspends, A_COUNTER(COUNT, N_("suspends"), 8), .help = N_("suspends since boot"),
		.source = "/sys/power/suspend_stats/success"),
	SUSPEND(failures, A_COUNTER(COUNT, N_("failed"), 6),
		.help = N_("suspends since boot that were aborted"),
	    .source = "/sys/power/suspend_stats/fail"),
	SUSPEND(hardware_seconds, A_GAUGE(SECONDS, N_("deepest"), 8), .rank = 2, .optional = true,
		.help = N_("of the last suspend: time in the deepest state of the hardware; where it is far "
			   "below the time asleep, the machine used much energy meanwhile (since Linux 6.4, "
			   "some platforms)"),
		.source = "/sys/power/suspend_stats/last_hw_sleep"),
	SUSPEND(states, A_LABEL(N_("states"), 16), .rank = 1,
		.help = N_("ways to sleep, as the kernel spells them; empty: the machine cannot sleep"),
		.source = "/sys/power/state"),
	SUSPEND(mem_sleep, A_LABEL(N_("mem is"), 14), .rank = 1,
		.help = N_("what \"mem\" does; the chosen one is in brackets: s2idle stops CPUs, deep (S3) "
			   "switches them off"),
		.source = "/sys/power/mem_sleep"),
	SUSPEND(failed_device, A_LABEL(N_("device"), 12), .rank = 3,
		.help = N_("device at which the last failed suspend was aborted"),
		.source = "/sys/power/suspend_stats/last_failed_dev"),
	SUSPEND(failed_step, A_LABEL(N_("step"), 14), .rank = 3, .help = N_("step at which it was aborted"),
		.source = "/sys/power/suspend_stats/last_failed_step"),
	SUSPEND(failed_error, A_LABEL(N_("error"), 5), .rank = 4,
		.help = N_("its error number; -16: busy, as when an event came meanwhile"),
		.source = "/sys/power/suspend_stats/last_failed_errno"),
};

static const struct schema suspend_schema = {
	.name = "suspend",
	.is_public = true,
	.help = N_("how long the machine slept since boot, how it can sleep, and what failed"),
	SCHEMA_ROWS(struct suspend_row, suspend_columns),
};

static const struct source_spec suspend_sources[] = {
	{ .path = POWER "state",
	  .gives = N_("how the machine can sleep"),
	  .optional = true,
	  .remedies = { { ENOENT, N_("this kernel cannot sleep (CONFIG_PM_SLEEP)") } } },
	{ .path = STATS "success",
	  .gives = N_("how often the machine slept, and what failed"),
	  .optional = true,
	  .remedies = { { ENOENT, N_("this kernel cannot sleep (CONFIG_SUSPEND), or is older than 5.4") } } },
	{ 0 },
};

/* NULL: it cannot be read. */
static const char *text_of(struct sample *sample, const char *path)
{
	char bytes[ATTRIBUTE_TEXT_MAX];
	long length = attribute_once(sample->env, path, bytes, sizeof(bytes));

	while (length > 0 && bytes[length - 1] == ' ')
		length--;
	return length >= 0 ? arena_copy(&sample->frame->arena, bytes, (size_t)length) : NULL;
}

/*
 * NaN where the offsets are not plausible, as the namespace is not the one that /proc shows, and for another
 * root, whose clocks are not ours.
 */
static double asleep_seconds(struct env *env)
{
	struct clock_reading now = clock_reading_take(env);
	uint64_t boot_ns = now.boot_ns - kernel_clock_boot_lag_ns(env);
	int64_t asleep_ns = (int64_t)(boot_ns - (now.mono_ns - kernel_clock_lag_ns(env)));

	if (!env->live || asleep_ns < -(int64_t)now.apart_ns)
		return NAN;
	return asleep_ns > (int64_t)now.apart_ns ? (double)asleep_ns / 1e9 : 0;
}

static int sample_suspend(struct sample *sample)
{
	struct suspend_row *row = table_add(sample->table);
	uint64_t hardware_us;

	row->asleep_seconds = asleep_seconds(sample->env);
	row->states = text_of(sample, POWER "state");
	row->mem_sleep = text_of(sample, POWER "mem_sleep");
	attribute_once_u64(sample->env, STATS "success", &row->suspends);
	attribute_once_u64(sample->env, STATS "fail", &row->failures);
	if (attribute_once_u64(sample->env, STATS "last_hw_sleep", &hardware_us) == 0 && row->suspends > 0)
		row->hardware_seconds = (double)hardware_us / 1e6;
	if (row->failures == 0 || row->failures >= U64_BLANK)
		return 0;
	row->failed_device = text_of(sample, STATS "last_failed_dev"); /* of a few, it names the last */
	row->failed_step = text_of(sample, STATS "last_failed_step");
	row->failed_error = text_of(sample, STATS "last_failed_errno");
	return 0;
}

const struct topic topic_suspend = {
	.schema = &suspend_schema, .sources = suspend_sources, .sample = sample_suspend
};
