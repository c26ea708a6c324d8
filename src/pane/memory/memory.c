/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory pane: its tables, options and keys; memory_draw.c has its views. */
#include <config.h>

#include "pane/memory/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "pane/common.h"
#include "pane/processes.h"

#define KEEP_NS UINT64_C(30000000000)
#define OLD_ENOUGH_NS UINT64_C(5000000000)

struct size {
	double pid, start_seconds, bytes;
};

struct memory_sizes {
	uint64_t mono_ns;
	size_t n_sizes;
	struct size sizes[]; /* by pid */
};

static int compare(const void *one, const void *other)
{
	const struct size *left = one, *right = other;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

/* The columns of the table process, looked up once for all rows. */
struct reader {
	const struct column *pid, *start_seconds, *bytes;
};

static struct reader reader_of(const struct table *processes)
{
	return (struct reader){ schema_known_column(processes->schema, "pid"),
				schema_known_column(processes->schema, "start_seconds"),
				schema_known_column(processes->schema, "resident_bytes") };
}

static struct size size_of_row(const struct reader *reader, const void *row)
{
	return (struct size){ row_number(row, reader->pid), row_number(row, reader->start_seconds),
			      row_number(row, reader->bytes) };
}

static struct memory_sizes *take(const struct table *processes, uint64_t mono_ns)
{
	struct memory_sizes *taken =
		alloc_zeroed(1, sizeof(*taken) + processes->n_rows * sizeof(taken->sizes[0]));
	struct reader reader = reader_of(processes);

	taken->mono_ns = mono_ns;
	for (size_t i = 0; i < processes->n_rows; i++) {
		struct size size = size_of_row(&reader, table_row(processes, i));

		if (!isnan(size.bytes))
			taken->sizes[taken->n_sizes++] = size;
	}
	qsort(taken->sizes, taken->n_sizes, sizeof(taken->sizes[0]), compare);
	return taken;
}

static const struct table *processes_of(const struct frame *frame)
{
	const struct table *processes = frame_table(frame, "process");

	return processes && processes->present && processes->n_rows > 0 ? processes : NULL;
}

void memory_growth_add(struct memory_growth *growth, const struct frame *frame)
{
	const struct table *processes = processes_of(frame);

	if (growth->newer && frame->mono_ns < growth->newer->mono_ns)
		memory_growth_free(growth); /* an earlier frame of a recording */
	if (!processes || (growth->newer && frame->mono_ns - growth->newer->mono_ns < KEEP_NS))
		return;
	free(growth->older);
	growth->older = growth->newer;
	growth->newer = take(processes, frame->mono_ns);
}

void memory_growth_free(struct memory_growth *growth)
{
	free(growth->older);
	free(growth->newer);
	*growth = (struct memory_growth){ 0 };
}

/* Bytes that it grew by; NaN: it is new, or its size is not known. */
static double growth_since(const struct memory_sizes *then, const struct size *now)
{
	size_t at;

	VECTOR_BOUND(at, then->n_sizes, then->sizes[at].pid < now->pid);
	if (at == then->n_sizes || then->sizes[at].pid > now->pid ||
	    fabs(then->sizes[at].start_seconds - now->start_seconds) > 0)
		return NAN;
	return now->bytes - then->sizes[at].bytes;
}

struct memory_grower memory_growth_most(const struct memory_growth *growth, const struct frame *frame)
{
	const struct memory_sizes *then = growth->older ? growth->older : growth->newer;
	const struct table *processes = processes_of(frame);
	struct memory_grower most = { 0 };
	struct reader reader;

	if (!then || !processes || frame->mono_ns < then->mono_ns + OLD_ENOUGH_NS)
		return most;
	most.since_ns = then->mono_ns;
	reader = reader_of(processes);
	for (size_t i = 0; i < processes->n_rows; i++) {
		const void *row = table_row(processes, i);
		struct size now = size_of_row(&reader, row);
		double bytes = growth_since(then, &now);

		if (bytes > most.bytes) {
			most.bytes = bytes;
			most.row = row;
		}
	}
	return most;
}

static const struct pane_table tables[] = {
	[MEMORY_TABLE_MEMORY] = { .topic = "memory", .headline = true, .of_machine = true },
	[MEMORY_TABLE_LIMIT] = { .topic = "memory_limit", .headline = true, .of_machine = true },
	[MEMORY_TABLE_MEMINFO] = { .topic = "meminfo", .columns = "key,value_bytes,count,meaning" },
	[MEMORY_TABLE_CHECK] = { .topic = "memory_check",
				 .columns = "error_bytes,error_ratio,sum_bytes,total_bytes,formula" },
	[MEMORY_TABLE_RECLAIM] = { .topic = "reclaim" },
	[MEMORY_TABLE_PRESSURE] = { .topic = "pressure" },
	[MEMORY_TABLE_PAGING] = { .topic = "paging" },
	[MEMORY_TABLE_READER] = { .topic = "page_reader", .lazy = true, .sort = "read_bytes_per_second" },
	[MEMORY_TABLE_PROCESS] = { .topic = "process", .lazy = true, .own_columns = true,
				   .columns = "resident_bytes,growth_bytes_per_second,memory_ratio,"
					      "swapped_bytes,pid,user,command", .sort = "resident_bytes" },
	[MEMORY_TABLE_SCOPE] = { .topic = "scope_use", .headline = true, .scoped = true },
	[MEMORY_TABLE_CACHE_USE] = { .topic = "cache_use", .lazy = true, .sort = "asked_pages_per_second" },
	[MEMORY_TABLE_CACHE_FILE] = { .topic = "cache_file", .lazy = true, .of_machine = true,
				      .sort = "asked_pages_per_second" },
	[MEMORY_TABLE_NODE] = { .topic = "node", .lazy = true, .of_machine = true },
	[MEMORY_TABLE_LOCALITY] = { .topic = "locality", .lazy = true, .sort = "far_bytes" },
	[MEMORY_TABLE_NODE_PROCESS] = { .topic = "node_process", .lazy = true },
	[MEMORY_TABLE_NODE_THREAD] = { .topic = "node_thread", .lazy = true, .sort = "moves" },
	{ 0 },
};

const struct series memory_series[] = {
	[MEMORY_SERIES_TOTAL] = { "memory", "mem", "total_bytes" },
	[MEMORY_SERIES_ANONYMOUS] = { "memory", "mem", "anonymous_bytes" },
	[MEMORY_SERIES_KERNEL] = { "memory", "mem", "kernel_bytes" },
	[MEMORY_SERIES_CACHES] = { "memory", "mem", "caches_bytes" },
	[MEMORY_SERIES_OTHERS] = { "memory", "mem", "others_bytes" },
	[MEMORY_SERIES_PAGE_IN] = { "paging", NULL, "page_in_bytes" },
	[MEMORY_SERIES_KILLED] = { "reclaim", "oom_kill", "total" },
	[MEMORY_SERIES_KILLED_AT_LIMITS] = { "group", "/", "all_limit_oom_kills", .while_shown = true },
	[MEMORY_SERIES_STALLS] = { "reclaim", "allocstall", "total" },
	[MEMORY_SERIES_USED + USED_PROCPS] = { "memory", "mem", "used_procps_bytes" },
	[MEMORY_SERIES_USED + USED_TOTAL_FREE] = { "memory", "mem", "used_bytes" },
	[MEMORY_SERIES_USED + USED_HTOP] = { "memory", "mem", "used_htop_bytes" },
	[MEMORY_SERIES_SCOPE] = { "scope_use", NULL, "memory_bytes" },
};

/* Columns for "used". Without a choice those of the table add up, and the graph has what free(1) calls so. */
static const struct {
	const char *column, *words;
} used_definitions[] = {
	[USED_PROCPS] = { "used_procps_bytes", N_("used") },
	[USED_TOTAL_FREE] = { "used_bytes", N_("used, with cache,") },
	[USED_HTOP] = { "used_htop_bytes", N_("used (htop)") },
};

#define OF_TABLE USED_TOTAL_FREE
#define OF_GRAPH USED_PROCPS

#define N_DEFINITIONS (sizeof(used_definitions) / sizeof(used_definitions[0]))

static unsigned chosen_definition(const struct settings *settings, unsigned otherwise)
{
	return settings->memory.used == USED_NOT_CHOSEN ? otherwise : settings->memory.used;
}

static void adjust(const struct settings *settings, const struct sample_request *request, struct view *view)
{
	const char *forms[N_DEFINITIONS + 1] = { NULL };

	(void)request;
	for (size_t d = 0; d < N_DEFINITIONS; d++)
		forms[d] = used_definitions[d].column;
	if (strcmp(view->schema->name, "memory") == 0)
		view_choose_form(view, forms, forms[chosen_definition(settings, OF_TABLE)]);
}

double memory_span(const struct pane_context *context)
{
	return graph_span_seconds(context->settings->memory.span);
}

unsigned memory_used_series(const struct pane_context *context)
{
	if (memory_scope_row(context))
		return MEMORY_SERIES_SCOPE;
	return MEMORY_SERIES_USED + chosen_definition(context->settings, OF_GRAPH);
}

const char *memory_used_words(const struct pane_context *context)
{
	if (memory_scope_row(context))
		return _("in the scope");
	return _(used_definitions[chosen_definition(context->settings, OF_GRAPH)].words);
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
	struct memory_state *memory = context_state(context);

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
	struct memory_state *memory = context_state(context);
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
	struct memory_state *memory = context_state(context);
	struct memory_drop *drop = &memory->drop;

	memory_growth_add(&memory->growth, frame);
	if (drop->state != DROP_MADE)
		return;
	drop->state = DROP_MEASURED;
	drop->after_bytes = caches_now(frame);
	drop->mono_ns = frame->mono_ns;
	drop->wall_ns = frame->wall_ns;
	history_mark(&context->history, drop->mono_ns, 'D');
}

static void close_memory(void *state)
{
	memory_growth_free(&((struct memory_state *)state)->growth);
}

static bool shows_processes(const struct pane_context *context)
{
	return context->view == MEMORY_SUMMARY || context->view == MEMORY_PROCESSES;
}

static const void *selected_row(const struct pane_context *context)
{
	const struct table_widget *widget = &context->tables[MEMORY_TABLE_PROCESS];
	const struct column *column;

	return shows_processes(context) && widget->place.cursor_on &&
			       context_table(context, MEMORY_TABLE_PROCESS)
		       ? table_cell(widget, &column)
		       : NULL;
}

/* What the pane cpu does better: it gets the selected process, or its own first one. */
#define HAND_OVER(name, action)                                                                              \
	static void name(struct pane_context *context)                                                       \
	{                                                                                                    \
		screen_hand_over(context, "cpu", action);                                                    \
	}

HAND_OVER(tree, ACTION_TREE)
HAND_OVER(threads, ACTION_THREADS)
HAND_OVER(user, ACTION_USER)
HAND_OVER(less_nice, ACTION_LESS_NICE)
HAND_OVER(nicer, ACTION_NICER)
HAND_OVER(sort_by_cpu, ACTION_SORT_CPU)
HAND_OVER(sort_by_time, ACTION_SORT_TIME)

static void act(struct pane_context *context, unsigned index)
{
	if (index > 0)
		ask_drop(context);
	else if (selected_row(context))
		screen_hand_over(context, "cpu", ACTION_ACT);
	else
		screen_show_view(context, MEMORY_PROCESSES);
}

/* The first entry, which Enter takes, is never the one that drops the caches. */
static void show_actions(struct pane_context *context)
{
	const void *row = selected_row(context);
	struct menu_item items[2];
	unsigned n_items = 0;
	char text[TEXT_MAX];

	if (row) {
		const struct table *processes = context_table(context, MEMORY_TABLE_PROCESS);

		snprintf(text, sizeof(text), _("Send a signal to %s (%.0f)"),
			 table_text(processes, row, "name"), table_number(processes, row, "pid"));
		items[n_items++] = (struct menu_item){ text, _("as in the CPU pane") };
	} else {
		items[n_items++] = (struct menu_item){ _("Processes by memory"),
						       _("select one, and F9 acts on it") };
	}
	items[n_items++] = (struct menu_item){ _("Drop the caches"),
					       _("experiment (root): watch what reads them in again") };
	screen_menu(context, _("Actions"), items, n_items, 0, act);
}

static void wants(const struct settings *settings, struct sample_request *request)
{
	request->numa_maps = settings->memory.numa_maps;
}

static const struct pane_action pane_actions[] = {
	{ ACTION_ACT, show_actions, NULL, N_("menu of actions: signal a process, drop the caches") },
	{ ACTION_TREE, tree, NULL, NULL },
	{ ACTION_THREADS, threads, NULL, NULL },
	{ ACTION_USER, user, NULL, NULL },
	{ ACTION_LESS_NICE, less_nice, NULL, NULL },
	{ ACTION_NICER, nicer, NULL, NULL },
	{ ACTION_SORT_CPU, sort_by_cpu, NULL, NULL },
	{ ACTION_SORT_TIME, sort_by_time, NULL, NULL },
	{ 0 },
};

static const char *const used_labels[] = { N_("total - available (as free and top)"),
					   N_("total - free (cache is used, too)"), N_("as htop") };
static const char *const axis_labels[] = { N_("the range of the values"), N_("from zero, with the parts") };
static const char *const span_labels[] = { N_("5 min"), N_("1 h"), N_("a column per sample") };

static const struct pane_setting choices[] = {
	{ "used", N_("Definition of used"), used_labels },
	{ "span", N_("Span of the graph"), span_labels },
	{ "axis", N_("Axis of the graph"), axis_labels },
	{ 0 },
};

static bool is_of_processes(enum action action)
{
	for (const struct pane_action *bound = pane_actions; bound->act; bound++)
		if (bound->action == action)
			return action != ACTION_ACT;
	return false;
}

static const char *refuses(const struct pane_context *context, enum action action)
{
	if (is_of_processes(action) && !shows_processes(context))
		return _("works in the views Overview and Processes (Esc)");
	return action == ACTION_ACT && screen_replays(context)
		       ? _("a recording has nothing to signal or to drop")
		       : NULL;
}

static const char unscoped[] =
	N_("Meminfo, Sum checks and Paging are of the machine: the kernel counts them only as a whole");

/* Their titles say so. */
static bool tells(const struct pane_context *context, const struct notice *notice)
{
	return memory_scope_row(context) && strcmp(notice->text, _(unscoped)) == 0;
}

/* The rows that the list of processes shows. */
static void sampling(struct pane_context *context)
{
	process_rows_request(context, 1UL << MEMORY_TABLE_PROCESS);
}

const struct pane pane_memory = {
	.name = "memory",
	.digit = '3',
	.title = N_("Memory"),
	.question = N_("Is there enough memory, and who has it?"),
	.unscoped = unscoped,
	.tables = tables,
	.series = memory_series,
	.n_series = N_MEMORY_SERIES,
	.views = memory_views,
	.actions = pane_actions,
	.choices = choices,
	.refuses = refuses,
	.tells = tells,
	.state_size = sizeof(struct memory_state),
	.close = close_memory,
	.adjust = adjust,
	.wants = wants,
	.sampling = sampling,
	.sampled = sampled,
};
