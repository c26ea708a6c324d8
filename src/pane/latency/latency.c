/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The latency pane: its tables, options and keys; latency_draw.c draws it. */
#include <config.h>

#include "pane/latency/latency.h"

#include <string.h>

#include "core/i18n.h"
#include "screen/keys.h"
#include "sys/latency_thread.h"

static bool runs_command(const struct sample_request *request)
{
	return request->command;
}

static const struct pane_table tables[] = {
	[LATENCY_TABLE_LATENCY] = { .topic = "latency", .headline = true, .on_request = true },
	[LATENCY_TABLE_PHASE] = { .topic = "latency_phase", .lazy = true, .when = runs_command },
	[LATENCY_TABLE_BUCKET] = { .topic = "latency_bucket", .option = "bucket", .on_request = true },
	[LATENCY_TABLE_WORST] = { .topic = "latency_worst", .on_request = true },
	{ 0 },
};

static const struct pane_assertion assertion = {
	.topic = "latency",
	.row = "all",
	.phases = "latency_phase",
	.during = "during",
	.after = "after",
};

double latency_window(const struct pane_context *context)
{
	static const double seconds[] = { 0, 10, 60, 600 };

	return seconds[context->settings->latency.window];
}

static const char *refuses_option(const struct settings *settings, const char *name)
{
	enum latency_policy policy = settings->topic.latency.policy;
	bool other = policy == LATENCY_OTHER, deadline = policy == LATENCY_DEADLINE;

	if (strcmp(name, "priority") == 0 && (other || deadline))
		return _("only the policies fifo and rr have a priority");
	if (strcmp(name, "slack") == 0 && !other)
		return _("only the policy other has a timer slack: add --policy=other");
	return NULL;
}

/* The first row of the table is that of all CPUs. */
static unsigned measured_cpus(const struct pane_context *context)
{
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);

	return table && table->n_rows > 1 ? (unsigned)table->n_rows - 1 : 1;
}

static void next_cpu(struct pane_context *context)
{
	struct latency_state *latency = context_state(context);

	latency->cpu = (latency->cpu + 1) % measured_cpus(context);
}

static void previous_cpu(struct pane_context *context)
{
	struct latency_state *latency = context_state(context);
	unsigned n_cpus = measured_cpus(context);

	latency->cpu = (latency->cpu + n_cpus - 1) % n_cpus;
}

static bool shows_cpus(const struct pane_context *context)
{
	return context->view == LATENCY_VIEW_CPUS || context->view == LATENCY_VIEW_ONE;
}

static bool key(struct pane_context *context, const struct input *input)
{
	if (!shows_cpus(context) || (input->key != K_LEFT && input->key != K_RIGHT))
		return false;
	if (input->key == K_LEFT)
		previous_cpu(context);
	else
		next_cpu(context);
	return true;
}

enum latency_phase latency_phase(const struct pane_context *context)
{
	const struct latency_state *latency = context->state;

	if (screen_replays(context))
		return LATENCY_RECORDED;
	if (!context->requested[LATENCY_TABLE_LATENCY])
		return LATENCY_OFF;
	return latency->stopped ? LATENCY_STOPPED : LATENCY_RUNS;
}

static bool goes_on(const struct pane_context *context)
{
	return latency_phase(context) == LATENCY_RUNS;
}

static void request(struct pane_context *context, bool wanted)
{
	screen_request(context, LATENCY_TABLE_LATENCY, wanted);
	screen_request(context, LATENCY_TABLE_BUCKET, wanted);
	screen_request(context, LATENCY_TABLE_WORST, wanted);
}

/* A stopped measurement is closed first: its threads have ended. */
static void start(struct pane_context *context)
{
	struct latency_state *latency = context_state(context);

	request(context, false);
	latency->stopped = false;
	request(context, true);
	screen_message(context->screen, MESSAGE_PANE, "%s", _("measuring; F9 stops it"));
}

static void ended(struct pane_context *context, int error)
{
	struct latency_state *latency = context_state(context);

	latency->stopped = error == 0;
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       error ? strerror(-error) : _("measurement stopped; Enter starts a new one"));
}

static void restarted(struct pane_context *context, int error)
{
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       error ? strerror(-error) : _("measurement restarted"));
}

static void act_on_it(struct pane_context *context, const char *action,
		      void (*done)(struct pane_context *context, int error))
{
	const char *remedy;
	int error = screen_act(context, "latency", action, done, &remedy);

	if (error)
		done(context, error);
}

static void restart(struct pane_context *context)
{
	act_on_it(context, "restart", restarted);
}

static void stop(struct pane_context *context)
{
	act_on_it(context, "stop", ended);
}

static void act(struct pane_context *context, unsigned index)
{
	if (latency_phase(context) != LATENCY_RUNS)
		start(context);
	else if (index == 0)
		stop(context);
	else
		restart(context);
}

static void show_actions(struct pane_context *context)
{
	const struct menu_item running[] = {
		{ _("Stop"), _("end the measuring threads; the result stays") },
		{ _("Restart"), _("forget what was measured, and measure on") },
	};
	const struct menu_item off[] = { { _("Start"), _("start the measuring threads") } };
	bool runs = latency_phase(context) == LATENCY_RUNS;

	screen_menu(context, _("Actions"), runs ? running : off, runs ? 2 : 1, 0, act);
}

static const struct pane_action cpu_actions[] = {
	{ ACTION_REGION_BACK, previous_cpu, N_("CPU"), N_("the previous CPU (or Left)") },
	{ ACTION_REGION_ON, next_cpu, N_("CPU"), N_("the next CPU (or Right)") },
	{ 0 },
};

static const struct pane_view views[] = {
	[LATENCY_VIEW_SUMMARY] = { "summary", N_("Summary"), N_("all CPUs together, and the worst wake-ups"),
				   LATENCY_TABLE_WORST, .draw = latency_draw },
	[LATENCY_VIEW_CPUS] = { "cpus", N_("CPUs"), N_("the CPUs side by side"), LATENCY_TABLE_LATENCY,
				.actions = cpu_actions, .no_table = true, .draw = latency_draw },
	[LATENCY_VIEW_ONE] = { "one", N_("One CPU"), N_("one CPU, and its last seconds"),
			       LATENCY_TABLE_LATENCY, .actions = cpu_actions, .no_table = true,
			       .draw = latency_draw },
	[LATENCY_VIEW_NUMBERS] = { "numbers", N_("Numbers"), N_("percentiles of every CPU in numbers"),
				   LATENCY_TABLE_LATENCY, .draw = latency_draw },
	[LATENCY_VIEW_BUCKETS] = { "buckets", N_("Buckets"), N_("the distribution in numbers"),
				   LATENCY_TABLE_BUCKET, .draw = latency_draw },
	[LATENCY_VIEW_WORST] = { "worst", N_("Worst"),
				 N_("the worst wake-ups, and what the machine did in that interval"),
				 LATENCY_TABLE_WORST, .draw = latency_draw },
	{ 0 },
};

static const struct pane_action pane_actions[] = {
	{ ACTION_OPEN, start, N_("Start"), N_("start measuring") },
	{ ACTION_ACT, show_actions, NULL, N_("stop, restart or start measuring") },
	{ 0 },
};

static const char *const window_labels[] = { N_("since the start"), N_("last 10 s"), N_("last 60 s"),
					     N_("last 600 s") };
static const char *const times_labels[] = { N_("logarithmic"), N_("linear") };
static const char *const counts_labels[] = { N_("linear"), N_("logarithmic") };

static const struct pane_setting choices[] = {
	{ "window", N_("Window of the charts"), window_labels },
	{ "times", N_("Scale of times"), times_labels },
	{ "counts", N_("Scale of counts"), counts_labels },
	{ 0 },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	enum latency_phase phase = latency_phase(context);

	if (phase == LATENCY_RECORDED && (action == ACTION_OPEN || action == ACTION_ACT))
		return _("a recording is not measured again");
	if (phase == LATENCY_RUNS && action == ACTION_OPEN)
		return _("the measurement runs; F9 stops or restarts it");
	return NULL;
}

static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct latency_state *latency = context_state(context);

	latency_past_add(&latency->past, frame);
}

const struct pane pane_latency = {
	.name = "latency",
	.digit = '9',
	.title = N_("Latency"),
	.question = N_("How long until a woken thread runs?"),
	.unscoped = N_("latency is that of the machine: it is measured on CPUs, not in processes"),
	.assertion = &assertion,
	.tables = tables,
	.views = views,
	.actions = pane_actions,
	.choices = choices,
	.refuses = refuses,
	.goes_on = goes_on,
	.key = key,
	.refuses_option = refuses_option,
	.state_size = sizeof(struct latency_state),
	.layout = latency_layout,
	.sampled = sampled,
};
