/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The latency pane: its tables, options and keys; latency_draw.c and latency_chart.c draw it. */
#include <config.h>

#include "pane/latency/latency.h"

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "screen/keys.h"

#define CPUS_MAX 65536

static const struct pane_table tables[] = {
	[LATENCY_TABLE_LATENCY] = { .topic = "latency", .headline = true },
	[LATENCY_TABLE_PHASE] = { .topic = "latency_phase", .lazy = true, .option = "command" },
	[LATENCY_TABLE_BUCKET] = { .topic = "latency_bucket", .option = "bucket" },
	[LATENCY_TABLE_WORST] = { .topic = "latency_worst" },
	{ 0 },
};

static const struct pane_assertion assertion = {
	.topic = "latency",
	.row = "all",
	.phases = "latency_phase",
	.during = "during",
	.after = "after",
};

const double latency_windows[LATENCY_WINDOWS] = { 0, 10, 60, 600 };

static bool is_within(const char *value, double least, double most)
{
	double seconds;

	return span_whole_seconds(value, least, most, &seconds);
}

static bool valid_period(const char *value)
{
	return is_within(value, 49.9999e-6, 1);
}

static bool valid_slack(const char *value)
{
	return is_within(value, 1e-9, 1);
}

static bool valid_bucket(const char *value)
{
	return is_within(value, 1e-9, 1);
}

static bool valid_duration(const char *value)
{
	return is_within(value, 1e-3, 1e8);
}

static bool valid_priority(const char *value)
{
	uint64_t number;

	return span_whole_number(value, 1, 99, &number);
}

static bool valid_samples(const char *value)
{
	uint64_t number;

	return span_whole_number(value, 1, UINT32_MAX, &number);
}

static bool is_one_of(const char *value, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(value, *names) == 0)
			return true;
	return false;
}

static bool valid_policy(const char *value)
{
	static const char *const names[] = { "fifo", "rr", "deadline", "other", NULL };

	return is_one_of(value, names);
}

static bool valid_method(const char *value)
{
	static const char *const names[] = { "clock_ns", "posix_ns", "itimer", "poll", "timerfd", NULL };

	return is_one_of(value, names);
}

static bool valid_cpus(const char *value)
{
	struct span list = span_text(value);
	uint64_t first, last;

	do {
		if (list.at < list.end && *list.at == ' ')
			return false;
		if (!span_u64(&list, &first))
			return false;
		last = first;
		if (span_char(&list, '-') && !span_u64(&list, &last))
			return false;
	} while (first <= last && last < CPUS_MAX && span_char(&list, ','));
	return list.at == list.end && first <= last && last < CPUS_MAX;
}

static const struct pane_option options[] = {
	{ "period", N_("SECONDS"), N_("time between wake-ups (default 1ms)"), valid_period,
	  N_("use 50us to 1s: 0.001, 1e-3 or 1ms") },
	{ "policy", "fifo|rr|deadline|other", N_("scheduling policy of the threads (default fifo)"),
	  valid_policy, N_("use fifo, rr, deadline or other") },
	{ "priority", N_("N"), N_("real-time priority of fifo and rr (default 80)"), valid_priority,
	  N_("use 1 to 99") },
	{ "method", "clock_ns|posix_ns|itimer|poll|timerfd", N_("how the threads wait (default clock_ns)"),
	  valid_method, N_("use clock_ns, posix_ns, itimer, poll or timerfd") },
	{ "cpus", N_("CPU[-CPU][,...]"), N_("measure on these CPUs (default: all that panetop may use)"),
	  valid_cpus, N_("use numbers as in 0,2-3") },
	{ "slack", N_("SECONDS"), N_("timer slack of the policy other (default 1ns)"), valid_slack,
	  N_("use 1ns to 1s") },
	{ "bucket", N_("SECONDS"), N_("also print the distribution in buckets of this width"), valid_bucket,
	  N_("use 1ns to 1s: 1e-6 or 1us") },
	{ "duration", N_("SECONDS"), N_("stop measuring after this time"), valid_duration,
	  N_("use seconds from 0.001 to 1e8") },
	{ "samples", N_("N"), N_("stop measuring after N wake-ups on each CPU"), valid_samples,
	  N_("use a whole number from 1") },
	{ "cpu-dma-latency", NULL, N_("keep the CPUs out of deep idle states meanwhile"), NULL, NULL },
	{ 0 },
};

static const char *refuses_option(const struct settings *settings, const char *name)
{
	bool other = settings_is(settings, "latency.policy", "other");
	bool deadline = settings_is(settings, "latency.policy", "deadline");

	if (strcmp(name, "priority") == 0 && (other || deadline))
		return _("only the policies fifo and rr have a priority");
	if (strcmp(name, "slack") == 0 && !other)
		return _("only the policy other has a timer slack: add --policy=other");
	return NULL;
}

static void next_window(struct pane_context *context)
{
	struct latency_state *latency = context->state;

	latency->window = (latency->window + 1) % LATENCY_WINDOWS;
	if (latency->window == 0)
		screen_message(context->screen, MESSAGE_PANE, "%s", _("since the start"));
	else
		screen_message(context->screen, MESSAGE_PANE, _("the last %.0f s"),
			       latency_windows[latency->window]);
}

static void next_cpus(struct pane_context *context)
{
	struct latency_state *latency = context->state;
	const char *const said[N_CPUS_VIEWS] = { _("all CPUs together"), _("one CPU; [ and ] choose another"),
						 _("the CPUs side by side; [ and ] scroll") };

	latency->cpus = (latency->cpus + 1) % N_CPUS_VIEWS;
	screen_message(context->screen, MESSAGE_PANE, "%s", said[latency->cpus]);
}

/* The first row of the table is that of all CPUs. */
static unsigned measured_cpus(const struct pane_context *context)
{
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);

	return table && table->n_rows > 1 ? (unsigned)table->n_rows - 1 : 1;
}

static void next_cpu(struct pane_context *context)
{
	struct latency_state *latency = context->state;

	latency->cpu = (latency->cpu + 1) % measured_cpus(context);
}

static void previous_cpu(struct pane_context *context)
{
	struct latency_state *latency = context->state;
	unsigned n_cpus = measured_cpus(context);

	latency->cpu = (latency->cpu + n_cpus - 1) % n_cpus;
}

static void restarted(struct pane_context *context, int error)
{
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       error ? strerror(-error) : _("measurement restarted"));
}

static const char *nothing_to_restart(void)
{
	return _("no measurement to restart");
}

static void restart(struct pane_context *context)
{
	const char *remedy;
	int error = screen_act(context, "latency", "restart", restarted, &remedy);

	if (error == -ENOTSUP)
		screen_message(context->screen, MESSAGE_PANE, "%s", nothing_to_restart());
	else if (error)
		screen_message(context->screen, MESSAGE_PANE, "%s", strerror(-error));
}

static void act(struct pane_context *context, unsigned index)
{
	static void (*const acts[])(struct pane_context * context) = { restart, next_window, next_cpus,
								       next_cpu, previous_cpu };

	acts[index](context);
}

static void show_actions(struct pane_context *context)
{
	const struct menu_item items[] = {
		{ _("Restart"), _("restart the measurement") },
		{ _("Window"), _("since the start, or the last 10, 60 or 600 seconds") },
		{ _("CPUs"), _("all CPUs together, one, or side by side") },
		{ _("Next CPU"), NULL },
		{ _("Previous CPU"), NULL },
	};

	screen_menu(context, _("Actions"), items, sizeof(items) / sizeof(items[0]), 0, act);
}

static const struct pane_view views[] = {
	[LATENCY_VIEW_SUMMARY] = { "summary", N_("Summary"), N_("the distribution, and the worst wake-ups"),
				   LATENCY_TABLE_WORST, .draw = latency_draw },
	[LATENCY_VIEW_NUMBERS] = { "numbers", N_("Numbers"), N_("percentiles of every CPU in numbers"),
				   LATENCY_TABLE_LATENCY },
	[LATENCY_VIEW_BUCKETS] = { "buckets", N_("Buckets"), N_("the distribution in numbers"),
				   LATENCY_TABLE_BUCKET },
	[LATENCY_VIEW_WORST] = { "worst", N_("Worst"),
				 N_("the worst wake-ups, and what the machine did then"),
				 LATENCY_TABLE_WORST },
	{ 0 },
};

static const struct pane_action pane_actions[] = {
	{ ACTION_ACT, show_actions, NULL, N_("menu of actions: restart, window, CPUs") },
	{ 0 },
};

static const char *const times_values[] = { "logarithmic", "linear", NULL };
static const char *const counts_values[] = { "linear", "logarithmic", NULL };
static const char *const times_labels[] = { N_("logarithmic"), N_("linear") };
static const char *const counts_labels[] = { N_("linear"), N_("logarithmic") };

static const struct pane_setting choices[] = {
	{ "times", N_("Scale of times"), times_values, times_labels },
	{ "counts", N_("Scale of counts"), counts_values, counts_labels },
	{ 0 },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	return action == ACTION_ACT && screen_replays(context) ? nothing_to_restart() : NULL;
}

static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct latency_state *latency = context->state;

	past_add(&latency->past, frame);
}

static const struct series explained[] = {
	{ "latency", "all", "priority" },
	{ "latency", "all", "period_seconds" },
	{ "latency", "all", "slack_seconds" },
	{ "latency", "all", "cpus" },
	{ "latency", "all", "measured_seconds" },
	{ "latency_bucket", "all", "samples" },
	{ 0 },
};

static const char *const settings[] = { "times", "counts", NULL };

const struct pane pane_latency = {
	.name = "latency",
	.digit = '9',
	.title = N_("Latency"),
	.question = N_("How late does this machine wake a program up?"),
	.assertion = &assertion,
	.tables = tables,
	.options = options,
	.explained = explained,
	.explain = latency_explain,
	.settings = settings,
	.views = views,
	.actions = pane_actions,
	.choices = choices,
	.refuses = refuses,
	.refuses_option = refuses_option,
	.state_size = sizeof(struct latency_state),
	.sampled = sampled,
};
