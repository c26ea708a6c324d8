/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "suspend": which ways to sleep the machine has, how long it slept since boot, and what failed. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "sys/attribute.h"
#include "topic/kernel_clock.h"
#include "topic/sleep/clock_watch.h"
#include "topic/topic.h"

#define POWER "sys/power/"
#define STATS POWER "suspend_stats/"

struct suspend_row {
	uint64_t suspends, failures;
	double asleep_seconds, hardware_seconds;
	const char *states, *mem_sleep, *failed_device, *failed_step, *failed_error;
};

#define ROW(field, ...) COLUMN(struct suspend_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(asleep_seconds, A_COUNTER(SECONDS, N_("asleep"), 9), .help = N_("time asleep since boot"),
	    .source = "CLOCK_BOOTTIME - CLOCK_MONOTONIC, without offsets of a time namespace"),
	ROW(suspends, A_COUNTER(COUNT, N_("suspends"), 8), .help = N_("suspends since boot"),
	    .source = "/sys/power/suspend_stats/success"),
	ROW(failures, A_COUNTER(COUNT, N_("failed"), 6), .help = N_("suspends since boot that were aborted"),
	    .source = "/sys/power/suspend_stats/fail"),
	ROW(hardware_seconds, A_GAUGE(SECONDS, N_("deepest"), 8), .rank = 2, .optional = true,
	    .help = N_("of the last suspend: time in the deepest state of the hardware; where it is far "
		       "below the time asleep, the machine used much energy meanwhile (since Linux 6.4, some "
		       "platforms)"),
	    .source = "/sys/power/suspend_stats/last_hw_sleep"),
	ROW(states, A_LABEL(N_("states"), 16), .rank = 1,
	    .help = N_("ways to sleep, as the kernel spells them; empty: the machine cannot sleep"),
	    .source = "/sys/power/state"),
	ROW(mem_sleep, A_LABEL(N_("mem is"), 14), .rank = 1,
	    .help = N_("what \"mem\" does; the chosen one is in brackets: s2idle stops CPUs, deep (S3) "
		       "switches them off"),
	    .source = "/sys/power/mem_sleep"),
	ROW(failed_device, A_LABEL(N_("device"), 12), .rank = 3,
	    .help = N_("device at which the last failed suspend was aborted"),
	    .source = "/sys/power/suspend_stats/last_failed_dev"),
	ROW(failed_step, A_LABEL(N_("step"), 14), .rank = 3, .help = N_("step at which it was aborted"),
	    .source = "/sys/power/suspend_stats/last_failed_step"),
	ROW(failed_error, A_LABEL(N_("error"), 5), .rank = 4,
	    .help = N_("its error number; -16: busy, as when an event came meanwhile"),
	    .source = "/sys/power/suspend_stats/last_failed_errno"),
};

static const struct schema schema = {
	.name = "suspend",
	.is_public = true,
	.help = N_("how long the machine slept since boot, how it can sleep, and what failed"),
	SCHEMA_ROWS(struct suspend_row, columns),
};

static const struct source_spec sources[] = {
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

/* The kernel keeps a few failures, of which it names the last. */
static void fill_failure(struct sample *sample, struct suspend_row *row)
{
	row->failed_device = text_of(sample, STATS "last_failed_dev");
	row->failed_step = text_of(sample, STATS "last_failed_step");
	row->failed_error = text_of(sample, STATS "last_failed_errno");
}

static int sample(struct sample *sample)
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
	if (row->failures > 0 && row->failures < U64_BLANK)
		fill_failure(sample, row);
	return 0;
}

const struct topic topic_suspend = { .schema = &schema, .sources = sources, .sample = sample };
