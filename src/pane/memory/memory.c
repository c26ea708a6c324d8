/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory pane: its tables, keys and views; memory_draw.c draws the summary. */
#include <config.h>

#include <string.h>

#include "core/i18n.h"
#include "pane/memory/memory.h"
#include "pane/text.h"

static const struct pane_table tables[] = {
	[MEMORY_TABLE_MEMORY] = { .topic = "memory", .headline = true },
	[MEMORY_TABLE_LIMIT] = { .topic = "memory_limit", .headline = true },
	[MEMORY_TABLE_MEMINFO] = { .topic = "meminfo" },
	[MEMORY_TABLE_CHECK] = { .topic = "memory_check",
				 .columns = "error_bytes,error_ratio,sum_bytes,total_bytes,formula" },
	[MEMORY_TABLE_RECLAIM] = { .topic = "reclaim" },
	[MEMORY_TABLE_PRESSURE] = { .topic = "pressure" },
	[MEMORY_TABLE_PAGING] = { .topic = "paging" },
	[MEMORY_TABLE_READER] = { .topic = "page_reader", .lazy = true, .sort = "read_bytes_per_second" },
	{ 0 },
};

const struct series memory_series[] = {
	[MEMORY_SERIES_TOTAL] = { "memory", "mem", "total_bytes" },
	[MEMORY_SERIES_ANONYMOUS] = { "memory", "mem", "anonymous_bytes" },
	[MEMORY_SERIES_KERNEL] = { "memory", "mem", "kernel_bytes" },
	[MEMORY_SERIES_CACHES] = { "memory", "mem", "caches_bytes" },
	[MEMORY_SERIES_OTHERS] = { "memory", "mem", "others_bytes" },
	[MEMORY_SERIES_PAGE_IN] = { "paging", NULL, "page_in_bytes" },
};

#define MEM(column) { "memory", "mem", column "_bytes" }
#define PAGING(column) { "paging", NULL, column }
#define LIMIT(resource, column) { "memory_limit", resource, column "_bytes" }

/* What stands beside the tables, the lines at the bottom first. */
static const struct series explained[] = {
	PAGING("page_in_bytes_per_second"),
	PAGING("swap_ins_per_second"),
	PAGING("refaults_per_second"),
	PAGING("scans_per_second"),
	{ "pressure", "memory", "avg10_ratio" },
	PAGING("window_seconds"),
	PAGING("window_refaults"),
	PAGING("window_refaults_per_second"),
	PAGING("window_evictions"),
	PAGING("window_swap_ins"),
	PAGING("calm_seconds"),
	PAGING("page_in_bytes"),
	MEM("total"),
	MEM("anonymous"),
	MEM("kernel"),
	MEM("caches"),
	MEM("others"),
	MEM("free"),
	{ "memory", "available", "free_bytes" },
	{ "memory", "swap", "used_bytes" },
	LIMIT("memory", "limit"),
	LIMIT("memory", "used"),
	LIMIT("memory", "free"),
	LIMIT("memory", "caches"),
	LIMIT("swap", "limit"),
	LIMIT("swap", "used"),
	LIMIT("swap", "free"),
	MEM("page_cache"),
	{ "meminfo", "Cached", "value_bytes" },
	{ "meminfo", "Shmem", "value_bytes" },
	{ 0 },
};

/* Columns for "used"; the first is the one without a mark. */
static const struct {
	const char *name, *column;
} used_definitions[] = {
	{ "total-free", "used_bytes" },
	{ "procps", "used_procps_bytes" },
	{ "htop", "used_htop_bytes" },
};

#define N_DEFINITIONS (sizeof(used_definitions) / sizeof(used_definitions[0]))

static bool valid_used(const char *value)
{
	for (size_t i = 0; i < N_DEFINITIONS; i++)
		if (strcmp(used_definitions[i].name, value) == 0)
			return true;
	return false;
}

static const struct pane_option options[] = {
	{ "used", "total-free|procps|htop",
	  N_("definition of used on the screen and in text (default total-free)"), valid_used,
	  N_("use total-free, procps or htop") },
	{ 0 },
};

static void choose_used(struct view *view, unsigned definition)
{
	const char *forms[N_DEFINITIONS + 1] = { NULL };

	for (size_t d = 0; d < N_DEFINITIONS; d++)
		forms[d] = used_definitions[d].column;
	view_choose_form(view, forms, forms[definition]);
}

static unsigned chosen_definition(const struct settings *settings)
{
	const char *name = settings_get(settings, "memory.used");

	for (unsigned i = 0; name && i < N_DEFINITIONS; i++)
		if (strcmp(used_definitions[i].name, name) == 0)
			return i;
	return 0;
}

static void adjust(const struct settings *settings, const struct sample_request *request, struct view *view)
{
	(void)request;
	if (strcmp(view->schema->name, "memory") == 0)
		choose_used(view, chosen_definition(settings));
}

double memory_span(const struct pane_context *context)
{
	return settings_is(context->settings, "memory.span", "1h")       ? 3600
	       : settings_is(context->settings, "memory.span", "sample") ? 0
									 : 300;
}

const char *memory_formula(const struct pane_context *context)
{
	const struct column *column =
		schema_known_column(context->tables[MEMORY_TABLE_MEMORY].view.schema,
				    used_definitions[chosen_definition(context->settings)].column);

	return column->mark ? _(column->mark) : _("used = total - free");
}

static double caches_now(const struct frame *frame)
{
	return frame_number(frame, "memory", "mem", "caches_bytes");
}

static void say_failed(struct pane_context *context, int error, const char *remedy)
{
	char text[TEXT_MAX];

	screen_warn(context->screen, MESSAGE_PANE, _("the caches cannot be dropped: %s"),
		       failure_text(text, error, remedy));
}

static void dropped(struct pane_context *context, int error)
{
	struct memory_state *memory = context->state;

	memory->drop.state = error ? DROP_NONE : DROP_MADE;
	if (error) {
		say_failed(context, error, NULL);
		return;
	}
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       _("caches dropped; watch what reads them in again"));
	screen_show_view(context, MEMORY_READERS);
}

static void drop_caches(struct pane_context *context)
{
	struct memory_state *memory = context->state;
	const char *remedy;
	int error;

	memory->drop =
		(struct memory_drop){ .state = DROP_RUNNING, .before_bytes = caches_now(context->frame) };
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       _("writing dirty data to disk, then dropping the caches..."));
	error = screen_act(context, "reclaim", "drop-caches", dropped, &remedy);
	if (!error)
		return;
	memory->drop.state = DROP_NONE;
	say_failed(context, error, remedy);
}

/* Asks only if it is possible. */
static void ask_drop(struct pane_context *context)
{
	const char *remedy;
	int error = screen_act(context, "reclaim", "drop-caches", NULL, &remedy);

	if (error)
		say_failed(context, error, remedy);
	else
		screen_ask(context,
			   _("Drop all caches, to see what is read again? Dirty data is written first; "
			     "nothing is lost, "
			     "but everything is slower for a while."),
			   drop_caches);
}

/* Growth is counted from the first frame after the drop. */
static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct memory_drop *drop = &((struct memory_state *)context->state)->drop;

	if (drop->state != DROP_MADE)
		return;
	drop->state = DROP_MEASURED;
	drop->after_bytes = caches_now(frame);
	drop->mono_ns = frame->mono_ns;
	drop->wall_ns = frame->wall_ns;
	history_mark(&context->history, drop->mono_ns, 'D');
}

static void act(struct pane_context *context, unsigned index)
{
	(void)index;
	ask_drop(context);
}

static void show_actions(struct pane_context *context)
{
	const struct menu_item items[] = {
		{ _("Drop the caches"), _("experiment (root): watch what reads them in again") },
	};

	screen_menu(context, _("Actions"), items, 1, 0, act);
}

static const struct pane_view views[] = {
	[MEMORY_SUMMARY] = { "overview", N_("Overview"),
			     N_("is there enough, and is the cache worth its memory?"), MEMORY_TABLE_MEMORY,
			     .draw = memory_draw },
	[MEMORY_EXTENDED] = { "meminfo", N_("Meminfo"), N_("every line of /proc/meminfo, explained"),
			      MEMORY_TABLE_MEMINFO, .draw = memory_draw },
	[MEMORY_CHECKS] = { "checks", N_("Sum checks"), N_("do the lines of /proc/meminfo add up?"),
			    MEMORY_TABLE_CHECK, .draw = memory_draw },
	[MEMORY_PAGING] = { "paging", N_("Paging"), N_("paging, reclaim, refaults, and pressure"),
			    MEMORY_TABLE_RECLAIM, .draw = memory_draw },
	[MEMORY_READERS] = { "readers", N_("Readers"), N_("the processes that read pages in"),
			     MEMORY_TABLE_READER, .draw = memory_draw },
	{ 0 },
};

static const struct pane_action pane_actions[] = {
	{ ACTION_ACT, show_actions, NULL, N_("menu of actions: drop the caches") },
	{ 0 },
};

static const char *const used_values[] = { "total-free", "procps", "htop", NULL };
static const char *const used_labels[] = { N_("total - free"), N_("as procps"), N_("as htop") };
static const char *const span_values[] = { "5min", "1h", "sample", NULL };
static const char *const span_labels[] = { N_("5 min"), N_("1 h"), N_("a column per sample") };

static const struct pane_setting choices[] = {
	{ "used", N_("Definition of used"), used_values, used_labels },
	{ "span", N_("Span of the graph"), span_values, span_labels },
	{ 0 },
};

static const char *const settings[] = { "span", NULL };

static const char *refuses(const struct pane_context *context, enum action action)
{
	return action == ACTION_ACT && screen_replays(context) ? _("a recording has no caches to drop")
							       : NULL;
}

const struct pane pane_memory = {
	.name = "memory",
	.digit = '3',
	.title = N_("Memory"),
	.question = N_("Is there enough memory, and does the cache earn its keep?"),
	.tables = tables,
	.options = options,
	.series = memory_series,
	.n_series = N_MEMORY_SERIES,
	.explained = explained,
	.settings = settings,
	.views = views,
	.actions = pane_actions,
	.choices = choices,
	.refuses = refuses,
	.state_size = sizeof(struct memory_state),
	.adjust = adjust,
	.sampled = sampled,
};
