/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU pane: its tables, options, views and actions, and what groups of resctrl get and use. */
#include <config.h>

#include "pane/cpu/cpu.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/span.h"
#include "model/calibration.h"
#include "screen/keys.h"

#define NOISY_RATE 1e9        /* bytes per second */
#define NOISY_SHARE (2.0 / 3) /* of all groups: twice the others together */
#define NEIGHBOUR_RATE 10e6   /* bytes per second: it does something */

static const struct remark noise[] = {
	{ "ways < 0", N_("{group} is a noisy neighbour: it moves {total_bytes_per_second} of L3 {domain}, "
			 "{share_ratio:%} of all, and shares the cache with {other}") },
	{ "ways > 0",
	  PN_("{group} is a noisy neighbour: it moves {total_bytes_per_second} of L3 {domain}, "
	      "{share_ratio:%} of all, and shares {ways} way with {other}",
	      "{group} is a noisy neighbour: it moves {total_bytes_per_second} of L3 {domain}, "
	      "{share_ratio:%} of all, and shares {ways} ways with {other}"),
	  "ways" },
	{ "unlimited", N_("{group} is a noisy neighbour: it moves {total_bytes_per_second} of L3 {domain}, "
			  "{share_ratio:%} of all; it shares no ways with {other}, but nothing limits its "
			  "bandwidth (MB)") },
};

static const struct remark uncounted[] = {
	{ "not occupied, not moved, not noted", N_("This CPU counts neither what a group occupies nor what "
						   "it moves (no CMT, no MBM).") },
	{ "not occupied, not noted", N_("This CPU does not count what a group occupies (no CMT).") },
	{ "not moved, not noted", N_("This CPU does not count what a group moves (no MBM).") },
};

static const struct remark undivided = {
	"not ways", N_("Caches are not divided here (no CAT): every group may fill all of them.")
};

struct cache_lines {
	const struct table *table;
	struct buffer *out;
	unsigned warnings;
};

static const char *text_of(const struct cache_lines *story, const void *row, const char *column)
{
	return table_text(story->table, row, column);
}

static double rate_of(const struct cache_lines *story, const void *row)
{
	return table_number(story->table, row, "total_bytes_per_second");
}

static bool is_control(const struct cache_lines *story, const void *row)
{
	return strcmp(text_of(story, row, "kind"), "control") == 0;
}

static bool same_domain(const struct cache_lines *story, const void *one, const void *other)
{
	return strcmp(text_of(story, one, "domain"), text_of(story, other, "domain")) == 0;
}

/* Is the row that of a monitoring group of this control group? */
static bool is_part_of(const struct cache_lines *story, const void *row, const void *control)
{
	static const char below[] = "mon_groups/";
	const char *name = text_of(story, row, "group"), *whole = text_of(story, control, "group");
	size_t length = strcmp(whole, "/") == 0 ? 0 : strlen(whole);

	if (is_control(story, row) || !same_domain(story, row, control))
		return false;
	if (length > 0 && (strncmp(name, whole, length) != 0 || name[length++] != '/'))
		return false;
	return strncmp(name + length, below, strlen(below)) == 0;
}

/* What all groups move in a domain; NaN where that of one is not known. */
static double sum_of(const struct cache_lines *story, const void *of)
{
	double sum = 0;

	for (size_t i = 0; i < story->table->n_rows; i++) {
		const void *row = table_row(story->table, i);

		if (is_control(story, row) && same_domain(story, row, of))
			sum += rate_of(story, row);
	}
	return sum;
}

static bool is_noisy(const struct cache_lines *story, const void *row, double sum)
{
	return rate_of(story, row) >= NOISY_RATE && rate_of(story, row) >= NOISY_SHARE * sum;
}

/* In hexadecimal; 0: not known. */
static uint64_t mask_of(const struct cache_lines *story, const void *row, const char *column)
{
	struct span text = span_text(text_of(story, row, column));
	uint64_t mask;

	return span_hex(&text, &mask) && span_length(text) == 0 ? mask : 0;
}

#define SHARES_ALL (-1.0)

/* Ways that both may fill, of any kind; SHARES_ALL where the cache is not divided; NaN: not known. */
static double shared_ways(const struct cache_lines *story, const void *one, const void *other)
{
	uint64_t mask = mask_of(story, one, "mask") | mask_of(story, one, "code_mask");
	uint64_t other_mask = mask_of(story, other, "mask") | mask_of(story, other, "code_mask");

	if (!mask && !other_mask)
		return SHARES_ALL;
	return mask && other_mask ? (double)__builtin_popcountll(mask & other_mask) : (double)NAN;
}

struct neighbour {
	const void *row; /* of its control group; NULL: none */
	double rate;
	double ways; /* that it shares with the noisy group */
};

/* The one that moves most, of those that share ways if there are any. */
static struct neighbour neighbour_of(const struct cache_lines *story, const void *noisy, const void *control)
{
	struct neighbour best = { 0 };

	for (size_t i = 0; i < story->table->n_rows; i++) {
		const void *row = table_row(story->table, i);
		struct neighbour found = { row, rate_of(story, row), 0 };

		if (!is_control(story, row) || !same_domain(story, row, noisy))
			continue;
		if (row == control)
			found.rate -= rate_of(story, noisy);
		found.ways = shared_ways(story, noisy, row);
		if (!(found.rate >= NEIGHBOUR_RATE) || isnan(found.ways) ||
		    (best.row && best.ways != 0 && found.ways == 0))
			continue;
		if (!best.row || (best.ways == 0 && found.ways != 0) || found.rate > best.rate)
			best = found;
	}
	return best;
}

static void tell_noise(struct cache_lines *story, const void *noisy, const struct neighbour *neighbour,
		       double sum)
{
	const struct column *limit = schema_known_column(story->table->schema, "limit_bytes_per_second");
	/* can its bandwidth be limited, and is it not? */
	bool unlimited = table_number(story->table, noisy, "throttle_ratio") >= 1 ||
			 (limit && row_is_blank(noisy, limit));
	const struct made_fact made[] = {
		{ "other", { .text = text_of(story, neighbour->row, "group") } },
		{ "ways", { .number = neighbour->ways } },
		{ "share_ratio", number_fact(rate_of(story, noisy) / sum, UNIT_RATIO),
		  "total_bytes_per_second / sum of those of its domain" },
		{ "unlimited", { .text = unlimited ? "yes" : "" } },
	};
	const struct row_facts facts = { { row_fact }, story->table, noisy, made, 4 };

	if (remarks_say(story->out, REMARKS(noise), &facts.facts) < 0)
		return;
	buffer_char(story->out, '\n');
	story->warnings++;
}

/* Of the domain of this row, the first one of it. */
static void of_domain(struct cache_lines *story, const void *first)
{
	double sum = sum_of(story, first);

	for (size_t i = 0; i < story->table->n_rows && !isnan(sum); i++) {
		const void *control = table_row(story->table, i), *noisy = control;
		struct neighbour neighbour;

		if (!is_control(story, control) || !same_domain(story, control, first) ||
		    !is_noisy(story, control, sum))
			continue;
		for (size_t part = 0; part < story->table->n_rows && noisy == control; part++) {
			const void *row = table_row(story->table, part);

			if (is_part_of(story, row, control) && is_noisy(story, row, sum))
				noisy = row;
		}
		neighbour = neighbour_of(story, noisy, control);
		if (neighbour.row)
			tell_noise(story, noisy, &neighbour, sum);
		return;
	}
}

static bool is_first_of_domain(const struct cache_lines *story, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (same_domain(story, table_row(story->table, i), table_row(story->table, index)))
			return false;
	return true;
}

/* "yes": that of some row is known; "": of none. */
static struct fact any_known(const struct cache_lines *story, const char *key)
{
	const struct column *column = schema_known_column(story->table->schema, key);
	bool known = false;

	for (size_t i = 0; i < story->table->n_rows; i++)
		known |= column_has_value(column, table_row(story->table, i));
	return (struct fact){ .text = known ? "yes" : "" };
}

static void of_machine(struct cache_lines *story)
{
	const struct made_fact made[] = {
		{ "occupied", any_known(story, "occupancy_bytes") },
		{ "moved", any_known(story, "total_bytes") },
		{ "noted", any_known(story, "note") },
		{ "ways", any_known(story, "ways") },
	};
	const struct row_facts facts = { { row_fact }, .made = made, .n_made = 4 };

	if (remarks_say(story->out, REMARKS(uncounted), &facts.facts) >= 0)
		buffer_char(story->out, '\n');
	if (remark_say(story->out, &undivided, &facts.facts))
		buffer_char(story->out, '\n');
}

unsigned cache_story(struct buffer *out, const struct table *table)
{
	struct cache_lines story = { table, out, 0 };

	for (size_t i = 0; i < table->n_rows; i++)
		/* not the part of a NUMA node, and not an L2 cache */
		if (!strpbrk(text_of(&story, table_row(table, i), "domain"), "/:") &&
		    is_first_of_domain(&story, i))
			of_domain(&story, table_row(table, i));
	if (table->n_rows > 0)
		of_machine(&story);
	return story.warnings;
}

#define TABLE_LINES_MIN 6
#define TOPIC "cache_group"

/* cpu_caches.c */
static void cpu_draw_caches(const struct pane_context *context, struct canvas *canvas)
{
	const struct table *table = context_table(context, CPU_TABLE_CACHE);
	struct buffer story = BUFFER_HERE;
	unsigned warnings = table ? cache_story(&story, table) : 0;
	struct span lines = span_of(story.bytes, story.length), line;
	struct canvas rest;
	int y = 0;

	for (unsigned i = 0; span_line(&lines, &line); i++) {
		if (y + canvas_lines(canvas, line) + TABLE_LINES_MIN > canvas->height)
			break;
		y += canvas_wrapped(canvas, y, i < warnings ? STYLE_STRONG : STYLE_DIM, line);
	}
	buffer_free(&story);
	rest = canvas_rows(canvas, y, canvas->height - y);
	context_draw_titled(
		context, &rest, CPU_TABLE_CACHE,
		context->request->scope
			? _("of the machine: which groups fill the caches, and move how much memory?")
			: _("which groups fill the caches, and move how much memory?"));
}

/* The kernel's words for what a group lacks say little. */
static const char *failure_of(char text[TEXT_MAX], int error, const char *remedy)
{
	switch (error) {
	case -ENOSPC:
		return _("no monitoring group is left: the CPU counts only as many as it has numbers (RMID)");
	case -EBUSY:
		return remedy ? remedy
			      : _("the caches still have data of groups that were removed; try again later");
	case -EAGAIN:
		return _("another program changes resctrl at present: it holds the lock of its directory");
	case -EINVAL:
		return _("its threads are in several control groups");
	case -EPERM:
	case -EACCES:
		return failure_text(text, error,
				    remedy ? remedy
				    : geteuid() == 0
					    ? _("the kernel or the container forbids it")
					    : _("only root may monitor processes of others: run it as root"));
	default:
		return failure_text(text, error, remedy);
	}
}

static void say_failed(struct pane_context *context, int error, const char *remedy)
{
	char text[TEXT_MAX];

	screen_warn(context->screen, MESSAGE_PANE, _("not monitored: %s"), failure_of(text, error, remedy));
}

/* Before it began: then busy is the screen. */
static void say_refused(struct pane_context *context, int error, const char *remedy)
{
	say_failed(context, error,
		   error == -EBUSY && !remedy ? _("another action is still under way") : remedy);
}

static void monitored(struct pane_context *context, int error)
{
	const struct cpu_state *cpu = context->state;

	if (error) {
		say_failed(context, error, NULL);
		return;
	}
	screen_show_view(context, CPU_VIEW_CACHES);
	screen_message(context->screen, MESSAGE_PANE,
		       _("%s is monitored, with the threads that it starts from now on; what it had in the "
			 "cache before is not counted"),
		       cpu->monitored);
}

static int act_on_target(struct pane_context *context, void (*done)(struct pane_context *context, int error),
			 const char **remedy)
{
	const struct cpu_state *cpu = context->state;
	char action[128];

	snprintf(action, sizeof(action), "monitor %.0f %.6f", cpu->targets->pid, cpu->targets->start_seconds);
	return screen_act(context, TOPIC, action, done, remedy);
}

static void monitor(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);
	const char *remedy;
	int error;

	cpu_targets_text(cpu, cpu->monitored); /* the targets may be others when it is done */
	error = act_on_target(context, monitored, &remedy);
	if (error)
		say_refused(context, error, remedy);
}

bool cpu_may_monitor(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	const char *remedy;
	int error = cpu->n_targets == 1 ? act_on_target(context, NULL, &remedy) : -ENODEV;

	return error != -ENODEV && error != -ENOENT && error != -ENOTSUP;
}

void cpu_ask_monitor(struct pane_context *context)
{
	char question[2 * TEXT_MAX], text[TEXT_MAX];
	const char *remedy;
	int error = act_on_target(context, NULL, &remedy);

	if (error) {
		say_refused(context, error, remedy);
		return;
	}
	snprintf(question, sizeof(question),
		 _("Put %s into a monitoring group of resctrl, until panetop ends?"),
		 cpu_targets_text(context->state, text));
	screen_ask(context, question, monitor);
}

static void ended(struct pane_context *context, int error)
{
	char text[TEXT_MAX];

	if (error)
		screen_warn(context->screen, MESSAGE_PANE, _("its monitoring group stays: %s"),
			    failure_text(text, error, NULL));
	else
		screen_message(context->screen, MESSAGE_PANE, "%s", _("its monitoring group is removed"));
}

static void end(struct pane_context *context)
{
	const char *remedy;
	int error = screen_act(context, TOPIC, "end", ended, &remedy);

	if (error)
		ended(context, error);
}

/* The process that is monitored, as its row has it; NULL: none is. */
static const char *monitored_process(const struct pane_context *context)
{
	const struct table *table = context_table(context, CPU_TABLE_CACHE);

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const char *process = table_text(table, table_row(table, i), "process");

		if (*process)
			return process;
	}
	return NULL;
}

static bool cpu_has_caches(const struct pane_context *context)
{
	const struct table *table = context_table(context, CPU_TABLE_CACHE);

	return table && table->n_rows > 0;
}

static void cpu_cache_actions(struct pane_context *context)
{
	const char *process = monitored_process(context);
	char question[TEXT_MAX];

	if (!process) {
		screen_show_view(context, CPU_VIEW_PROCESSES);
		screen_message(context->screen, MESSAGE_PANE, "%s",
			       _("select a process; F9 can then monitor its use of caches"));
		return;
	}
	snprintf(question, sizeof(question), _("Remove the monitoring group of %s?"), process);
	screen_ask(context, question, end);
}

/* removes groups that a killed panetop left */
static void cpu_tidy_caches(struct pane_context *context)
{
	const char *remedy;

	screen_act(context, TOPIC, "tidy", cpu_say_nothing, &remedy);
}

static void add_zombie(const struct table *table, const void *row, struct buffer *out)
{
	double pid = table_number(table, row, "ppid");
	const void *parent = table_with_pid(table, pid);

	if (strcmp(table_text(table, row, "state"), "Z") != 0 || !(pid > 0))
		return;
	if (parent)
		buffer_print(out,
			     _("It is a zombie: it exited, but its parent %s (%.0f) has not waited for it."),
			     table_text(table, parent, "name"), pid);
	else
		buffer_print(out,
			     _("It is a zombie: it exited, but its parent (%.0f) has not waited for it."),
			     pid);
	buffer_char(out, '\n');
	buffer_print(out, "%s\n",
		     _("It uses nothing but its PID, and no signal ends it; it goes when its parent waits or "
		       "exits."));
}

static bool begins_with(const char *text, const char *name)
{
	return strncmp(text, name, strlen(name)) == 0;
}

static void add_names(const struct table *table, const void *row, struct buffer *out)
{
	const char *name = table_text(table, row, "name"), *program = table_text(table, row, "program");
	const char *slash = strrchr(program, '/');
	/* without the dash of "-bash" and the directory of "/usr/sbin/sshd" */
	const char *base = slash && slash[1] ? slash + 1 : *program == '-' ? program + 1 : program;

	if (*name == '\0' || *program == '\0' || *program == '[' || begins_with(base, name) ||
	    begins_with(program, name))
		return;
	buffer_print(out, _("Its name is %s, its command line begins with %s."), name, program);
	buffer_char(out, '\n');
	buffer_print(out, "%s\n",
		     _("The name is that of the executed file or script, or one that it chose (prctl); the "
		       "command "
		       "line is what its parent passed, or what it wrote over it."));
}

#define USERS_MAX 64

static bool is_listed(const char *const *users, unsigned n_users, const char *user)
{
	for (unsigned i = 0; i < n_users; i++)
		if (strcmp(users[i], user) == 0)
			return true;
	return false;
}

/* Of all processes, shown or not, in the order of their first ones. */
static unsigned list_users(const struct table *processes, const char **users)
{
	unsigned n_users = 0;

	for (size_t i = 0; processes && i < processes->n_rows && n_users < USERS_MAX; i++) {
		const char *user = table_text(processes, table_row(processes, i), "user");

		if (*user && !is_listed(users, n_users, user))
			users[n_users++] = user;
	}
	return n_users;
}

/* Item 0 is everybody. */
static void show_user(struct pane_context *context, unsigned index)
{
	struct cpu_state *cpu = context_state(context);
	const char *user = cpu->users.bytes;

	context_request(context)->shown_user = NULL;
	for (unsigned i = 1; i < index; i++)
		user += strlen(user) + 1;
	if (index > 0) {
		snprintf(cpu->user, sizeof(cpu->user), "%s", user);
		context_request(context)->shown_user = cpu->user;
		if (context->view == CPU_VIEW_PROCESSES)
			screen_show_view(context, CPU_VIEW_ALL); /* all of them may be idle */
	}
	screen_adjust(context);
}

/* false: all are shown */
static bool cpu_show_all_users(struct pane_context *context)
{
	if (!context->request->shown_user)
		return false;
	show_user(context, 0);
	return true;
}

static void cpu_choose_user(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);
	const struct table *processes = context_table(context, CPU_TABLE_PROCESS);
	struct menu_item items[USERS_MAX + 1] = { { _("all users"), NULL } };
	const char *users[USERS_MAX], *shown = context->request->shown_user;
	unsigned n_users = list_users(processes, users), current = 0;

	buffer_empty(&cpu->users);
	for (unsigned i = 0; i < n_users; i++) {
		buffer_add(&cpu->users, users[i], strlen(users[i]) + 1);
		items[i + 1] = (struct menu_item){ users[i], NULL };
		if (shown && strcmp(shown, users[i]) == 0)
			current = i + 1;
	}
	screen_menu(context, _("Show the processes of"), items, n_users + 1, current, show_user);
}

static bool is_of_all(const struct sample_request *request)
{
	return !request->processes;
}

static bool is_of_some(const struct sample_request *request)
{
	return request->processes;
}

/* The processes with other columns, which have settings of their own. */
#define DRESSED(view, shown, order)                                                                          \
	{ .topic = "process", .lazy = true, .columns = shown, .sort = order, .setting = "cpu." view }

static const struct pane_table tables[] = {
	[CPU_TABLE_PROCESS] = { .topic = "process", .headline = true, .sort = "cpu_ratio" },
	[CPU_TABLE_ACCOUNT] = { .topic = "account", .headline = true },
	[CPU_TABLE_CPU] = { .topic = "cpu", .headline = true },
	[CPU_TABLE_EXITED] = { .topic = "exited", .sort = "cpu_ratio" },
	[CPU_TABLE_ENDED] = { .topic = "ended", .lazy = true, .recorded = true },
	[CPU_TABLE_FAILING] = { .topic = "failing", .lazy = true, .sort = "failures" },
	[CPU_TABLE_STUCK] = { .topic = "stuck", .lazy = true, .sort = "stuck_seconds" },
	[CPU_TABLE_CONVOY] = { .topic = "convoy", .lazy = true, .sort = "waiting_threads" },
	[CPU_TABLE_POWER_ACCOUNT] = { .topic = "power_account", .lazy = true, .option = "calibration" },
	[CPU_TABLE_SELF] = { .topic = "self" },
	[CPU_TABLE_BUILD] = { .topic = "build" },
	[CPU_TABLE_DISTRIBUTION] = { .topic = "distribution", .lazy = true, .option = "distribution" },
	[CPU_TABLE_TOTAL] = { .topic = "process_total", .lazy = true, .option = "totals",
			      .sort = "mean_ratio" },
	[CPU_TABLE_THREAD] = { .topic = "thread", .lazy = true, .option = "threads", .sort = "cpu_ratio" },
	[CPU_TABLE_COUNTER] = { .topic = "counter", .lazy = true, .option = "perf", .when = is_of_all },
	[CPU_TABLE_COUNTER_PROCESS] = { .topic = "counter_process", .lazy = true, .option = "perf",
					.when = is_of_some },
	[CPU_TABLE_LIMIT] = { .topic = "cpu_limit" },
	[CPU_TABLE_SYSTEM] = { .topic = "system" },
	[CPU_TABLE_PRESSURE] = { .topic = "pressure" },
	[CPU_TABLE_THROTTLE] = { .topic = "throttle" },
	[CPU_TABLE_TIME] = { .topic = "time_account", .lazy = true, .sort = "ratio" },
	[CPU_TABLE_CACHE] = { .topic = "cache_group", .lazy = true, .of_machine = true },
	[CPU_TABLE_GPU] = { .topic = "gpu", .lazy = true, .recorded = true, .of_machine = true },
	[CPU_TABLE_GPU_PROCESS] = { .topic = "gpu_process", .lazy = true, .recorded = true,
				    .only_column = "engine", .only = "all",
				    .columns = "busy_ratio,busiest,memory_bytes,local_bytes,"
					       "shared_bytes,pid,device,command", .sort = "busy_ratio",
				    .setting = "cpu.gpu" },
	[CPU_TABLE_GPU_ENGINE] = { .topic = "gpu_process",
				   .lazy = true,
				   .threshold = "capacity",
				   .least = 1, /* not the sum of all */
				   .columns = "busy_ratio,engine,capacity,pid,device,command",
				   .sort = "busy_ratio",
				   .setting = "cpu.gpu-engines" },
	[CPU_TABLE_MEMORY] = DRESSED("memory",
				     "resident_bytes,growth_bytes_per_second,memory_ratio,shared_bytes,"
				     "swapped_bytes,virtual_bytes,pid,user,command",
				     "resident_bytes"),
	[CPU_TABLE_IO] =
		DRESSED("io",
			"disk_bytes_per_second,read_bytes_per_second,write_bytes_per_second,read_bytes,"
			"write_bytes,pid,state,user,command",
			"disk_bytes_per_second"),
	[CPU_TABLE_WAITING] =
		DRESSED("waiting",
			"wait_ratio,switches_per_second,cpu_ratio,wait_seconds,pid,state,priority,"
			"nice,threads,user,command",
			"wait_ratio"),
	[CPU_TABLE_NETWORK] = DRESSED("network",
				      "received_bytes_per_second,sent_bytes_per_second,"
				      "tcp_received_bytes_per_second,tcp_sent_bytes_per_second,"
				      "cpu_ratio,pid,user,command",
				      "received_bytes_per_second"),
	{ 0 },
};

const struct series cpu_series[] = {
	CPU_PART_SERIES(0),
	[CPU_SERIES_MEMORY] = { "memory", "available", "used_bytes" },
};

#define USED_SOMETHING 0.001 /* of a CPU; the view All shows all, and the account counts all */

static double least_share(const struct settings *settings, const struct sample_request *request)
{
	if (settings->cpu.threshold > 0)
		return settings->cpu.threshold / 100;
	/* a tree needs the ancestors, and an explicitly chosen process is always shown */
	return settings->cpu.idle || settings->cpu.tree || request->processes ? NAN : USED_SOMETHING;
}

/* Idle processes are shown with their command lines. */
static void wants(const struct settings *settings, struct sample_request *request)
{
	request->idle_shown = settings->cpu.idle || settings->cpu.tree;
}

static const struct series cpu_count = { "system", NULL, "cpus" };

static void adjust(const struct settings *settings, const struct sample_request *request, struct view *view)
{
	if (strcmp(view->schema->name, "distribution") == 0 && !request->batch) {
		view_set_threshold(view, "processes", 1);
		if (view->sort == VIEW_AS_SAMPLED) /* the busiest first */
			view_choose_sort(view, "from_ratio");
	}
	if (strcmp(view->schema->name, "process") != 0 && strcmp(view->schema->name, "thread") != 0)
		return;
	view_set_threshold(view, "cpu_ratio", least_share(settings, request));
	if (settings->cpu.tree)
		view_choose_tree(view, "pid", "ppid");
	if (request->shown_user)
		view_choose_rows(view, request->shown_user, NULL, "user");
	if (settings->cpu.hide_self && request->own_pid)
		view_exclude(view, request->own_pid, "pid");
	view->cpu_count = settings->cpu.per_machine ? &cpu_count : NULL;
	command_form_apply(&settings->cpu.command, view);
}

/* Only with a calibration, which the power pane may make meanwhile. A recording has what its machine knew. */
static bool knows_watts(const struct pane_context *context)
{
	return screen_replays(context) || context->settings->topic.fit.cpus > 0;
}

static void request_watts(struct pane_context *context)
{
	bool wanted = context->view == CPU_VIEW_WATTS || knows_watts(context);

	if (wanted != context->requested[CPU_TABLE_POWER_ACCOUNT])
		screen_request(context, CPU_TABLE_POWER_ACCOUNT, wanted);
}

/* Idle processes have a view of their own; idle threads are shown with the option --idle. */
static void show_idle(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	bool list = cpu_has_processes(context->focus) || context->view == CPU_VIEW_THREADS;
	bool idle = context->view != CPU_VIEW_PROCESSES &&
		    (context->view != CPU_VIEW_THREADS || cpu->idle_threads);

	if (!list || context->view == CPU_VIEW_PROCESS_COUNTERS || idle == context->settings->cpu.idle)
		return;
	settings_set(context_settings(context), "cpu.idle", idle ? "yes" : NULL, 0);
	screen_adjust(context);
}

/* Some tables are sampled without being shown. */
static void viewed(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);

	if (cpu_has_processes(context->focus) && context->focus != cpu->processes) {
		/* the same process stays selected */
		table_place_copy(&context->tables[context->focus].place,
				 &context->tables[cpu->processes].place);
		cpu->processes = context->focus;
	}
	cpu->before_threads = CPU_VIEW_PROCESSES;
	show_idle(context);
	if (context->view == CPU_VIEW_PROCESS_COUNTERS)
		cpu_select_first(context);
	request_watts(context);
	if (context->settings->cpu.totals)
		context->requested[CPU_TABLE_TOTAL] = true;
}

/* From threads to the view of the key that led to them. */
static int above(const struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;

	return context->view == CPU_VIEW_THREADS       ? (int)cpu->before_threads
	       : context->view != CPU_VIEW_PROCESSES ? CPU_VIEW_PROCESSES
						     : -1;
}

/* With the filter, which finds the threads of a process by its name, too. */
static void toggle_threads(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);
	const struct table_widget *from = &context->tables[context->focus];
	bool of_tasks = cpu_has_processes(context->focus) || context->view == CPU_VIEW_THREADS;
	unsigned before = context->view == CPU_VIEW_THREADS ? cpu->before_threads : context->view;

	screen_show_view(context, context->view == CPU_VIEW_THREADS ? before : CPU_VIEW_THREADS);
	if (of_tasks)
		table_set_filter(&context->tables[context->focus],
				 from->has_filter ? from->filter_text.bytes : "");
	cpu->before_threads = of_tasks ? before : CPU_VIEW_PROCESSES;
}

/* The topic counts for the process under the cursor. */
static void sampling(struct pane_context *context)
{
	const struct table_widget *processes = &context->tables[CPU_TABLE_PROCESS];
	double pid = table_selected(processes, "pid");
	unsigned listed = context->view == CPU_VIEW_PROCESS_COUNTERS ? CPU_TABLE_PROCESS : context->focus;

	request_watts(context);
	screen_request(context, CPU_TABLE_ENDED, context->focus == CPU_TABLE_PROCESS);
	process_rows_request(context,
			     context->view != CPU_VIEW_TIME && cpu_has_processes(listed) ? 1UL << listed : 0);
	if (context->view == CPU_VIEW_TIME)
		context_request(context)->time_of_mapped = false;
	if (context->view != CPU_VIEW_PROCESS_COUNTERS)
		return;
	context_request(context)->selected = (struct process_choice){ 0 };
	if (!isnan(pid))
		context_request(context)->selected =
			(struct process_choice){ .is_set = true,
						 .pid = (uint32_t)pid,
						 .start_seconds =
							 table_selected(processes, "start_seconds") };
}

/* A topic counts from zero again once it was not sampled. */
static void keep_first(uint64_t *first_ns, const struct frame *frame, const char *topic)
{
	if (!frame_table(frame, topic))
		*first_ns = 0;
	else if (*first_ns == 0 || frame->wall_ns < *first_ns)
		*first_ns = frame->wall_ns;
}

static void sampled(struct pane_context *context, const struct frame *frame)
{
	static const char *const busy = "busy_ratio";
	struct cpu_state *cpu = context_state(context);

	keep_first(&cpu->exited_wall_ns, frame, "exited");
	keep_first(&cpu->totals_wall_ns, frame, "process_total");
	cpu_note_gpu(cpu, frame);
	followed_rows_add(&cpu->cpus, &context->history, frame, "cpu", 1, &busy, 1);
	if (cpu->tags.n > 0 && frame_table(frame, "process") && !frame_table(frame, "process")->failed)
		row_tags_keep(&cpu->tags, frame_table(frame, "process"));
}

/* A tree has no place for processes whose parents are not known. */
static const struct table *merged_table(const struct pane_context *context, unsigned index)
{
	const struct cpu_state *cpu = context->state;

	return index == CPU_TABLE_PROCESS && !context->settings->cpu.tree
		       ? ended_rows_table(&cpu->ended, context->frame)
		       : NULL;
}

static void why_row(const struct pane_context *context, const void *row, struct buffer *out)
{
	const struct table *table = context_table(context, context->focus);

	if (!cpu_has_processes(context->focus))
		return;
	add_zombie(table, row, out);
	add_names(table, row, out);
}

static void toggle_tree(struct pane_context *context)
{
	bool tree = !context->settings->cpu.tree;

	if (!cpu_has_processes(context->focus))
		screen_show_view(context, CPU_VIEW_PROCESSES);
	screen_set(context, "tree", tree ? "yes" : NULL,
		   tree ? _("all processes, as a tree") : _("processes sorted by a column"));
}

/* What is sought may be idle: these look among all processes. */
#define AMONG_ALL(name, action)                                                                              \
	static void name(struct pane_context *context)                                                       \
	{                                                                                                    \
		screen_show_view(context, CPU_VIEW_ALL);                                                     \
		screen_do(context, action);                                                                  \
	}

AMONG_ALL(search_all, ACTION_SEARCH)
AMONG_ALL(filter_all, ACTION_FILTER)
AMONG_ALL(all_by_memory, ACTION_SORT_MEMORY)
AMONG_ALL(all_by_time, ACTION_SORT_TIME)

static const struct pane_action active_actions[] = {
	{ ACTION_SEARCH, search_all, NULL, NULL },
	{ ACTION_FILTER, filter_all, NULL, NULL },
	{ ACTION_SORT_MEMORY, all_by_memory, NULL, NULL },
	{ ACTION_SORT_TIME, all_by_time, NULL, NULL },
	{ 0 },
};

#define BIT(table) (1UL << (table))

#define LIST(view_name, view_title, view_help, view_table)                                                   \
	{ view_name, view_title, view_help, view_table, .draw = cpu_draw_list }
#define TABLE(view_name, view_title, view_help, view_table)                                                  \
	{ view_name, view_title, view_help, view_table, .heading = cpu_heading }

#define MORE(view_name, view_title, view_help, view_table)                                                   \
	{ view_name, view_title, view_help, view_table, .more = true, .heading = cpu_heading }

static const struct pane_action cache_actions[] = {
	{ ACTION_ACT, cpu_cache_actions, N_("Monitor"),
	  N_("put one process into a monitoring group of resctrl, or end that") },
	{ 0 },
};

static const struct pane_view views[] = {
	[CPU_VIEW_PROCESSES] = { "processes", N_("Processes"),
				 N_("processes that used CPU time, exited ones too, and the machine"),
				 CPU_TABLE_PROCESS, .actions = active_actions, .draw = cpu_draw_list },
	[CPU_VIEW_ALL] = LIST("all", N_("All"), N_("all processes, idle ones too"), CPU_TABLE_PROCESS),
	[CPU_VIEW_THREADS] = LIST("threads", N_("Threads"), N_("CPU use by thread"), CPU_TABLE_THREAD),
	[CPU_VIEW_MEMORY] = LIST("memory", N_("Memory"),
				 N_("what each process has in memory, and how it grows"), CPU_TABLE_MEMORY),
	[CPU_VIEW_IO] = LIST("io", N_("I/O"), N_("what each process reads from storage and writes to it"),
			     CPU_TABLE_IO),
	[CPU_VIEW_WAITING] =
		LIST("waiting", N_("Waiting"),
		     N_("processes that are ready to run but have to wait for a CPU"), CPU_TABLE_WAITING),
	[CPU_VIEW_TIME] = { "time", N_("Time"),
			    N_("what the threads of each process do, and what they wait for"), CPU_TABLE_TIME,
			    .draw = cpu_draw_time },
	[CPU_VIEW_NETWORK] =
		LIST("network", N_("Network"), N_("what each process receives and sends"), CPU_TABLE_NETWORK),
	[CPU_VIEW_CPUS] = TABLE("cpus", N_("CPUs"), N_("each CPU in numbers"), CPU_TABLE_CPU),
	[CPU_VIEW_EXITED] =
		MORE("exited", N_("Exited"),
		     N_("CPU use of processes that exited between two samples, by name"), CPU_TABLE_EXITED),
	[CPU_VIEW_ACCOUNT] = MORE("account", N_("Account"),
				  N_("what used the CPU time, and what is unaccounted"), CPU_TABLE_ACCOUNT),
	[CPU_VIEW_MEANS] =
		MORE("means", N_("Means"),
		     N_("mean CPU use of every process from now on, including exited ones"), CPU_TABLE_TOTAL),
	[CPU_VIEW_DISTRIBUTION] = { "distribution", N_("Distribution"),
				    N_("distribution of CPU use over processes"), CPU_TABLE_DISTRIBUTION,
				    .more = true, .heading = cpu_heading, .draw = cpu_draw_distribution },
	[CPU_VIEW_WATTS] = MORE("watts", N_("Watts"),
				N_("what uses the watts, from a calibration: processes, the idle machine, "
				   "the rest"),
				CPU_TABLE_POWER_ACCOUNT),
	[CPU_VIEW_COUNTERS] =
		MORE("counters", N_("Counters"), N_("performance counters of every CPU"), CPU_TABLE_COUNTER),
	[CPU_VIEW_PROCESS_COUNTERS] = { "process-counters", N_("Process counters"),
					N_("performance counters of the selected process"), CPU_TABLE_PROCESS,
					BIT(CPU_TABLE_COUNTER_PROCESS), .more = true,
					.draw = cpu_draw_counters },
	[CPU_VIEW_SELF] = MORE("self", N_("Own cost"), N_("the cost of panetop itself"), CPU_TABLE_SELF),
	[CPU_VIEW_FAILING] =
		MORE("failing", N_("Failing"),
		     N_("commands that failed within a minute, and what started them"), CPU_TABLE_FAILING),
	[CPU_VIEW_STUCK] = MORE("stuck", N_("Stuck"),
				N_("tasks in uninterruptible sleep (D), and what they wait for"),
				CPU_TABLE_STUCK),
	[CPU_VIEW_CONVOYS] = MORE("convoys", N_("Convoys"),
				  N_("mutexes that most threads of a process wait for, and who holds them"),
				  CPU_TABLE_CONVOY),
	[CPU_VIEW_CACHES] = { "caches", N_("Caches"),
			      N_("which groups of resctrl fill the CPU caches, and move how much memory"),
			      CPU_TABLE_CACHE, .actions = cache_actions, .more = true,
			      .draw = cpu_draw_caches },
	[CPU_VIEW_GPU] = { "gpu", N_("GPU"),
			   N_("how busy graphics processors are, and which processes use them"),
			   CPU_TABLE_GPU_PROCESS, BIT(CPU_TABLE_GPU), .actions = process_actions,
			   .is_more = cpu_lacks_gpu, .draw = cpu_draw_gpus },
	[CPU_VIEW_GPU_ENGINES] = { "gpu-engines", N_("GPU engines"),
				   N_("which engines of graphics processors work for each process"),
				   CPU_TABLE_GPU_ENGINE, BIT(CPU_TABLE_GPU), .actions = process_actions,
				   .more = true, .draw = cpu_draw_gpus },
	{ 0 },
};

static const struct pane_action pane_actions[] = {
	{ ACTION_ACT, cpu_actions, N_("Signal"),
	  N_("send a signal to the tagged processes or the selected one; their affinity, policy and I/O "
	     "priority") },
	{ ACTION_TAG, cpu_tag, NULL, N_("tag a process, to act on several; Esc removes all tags") },
	{ ACTION_TREE, toggle_tree, NULL, N_("all processes as a tree, or a list") },
	{ ACTION_THREADS, toggle_threads, NULL, N_("threads, or processes") },
	{ ACTION_USER, cpu_choose_user, NULL, NULL },
	{ ACTION_OPEN, cpu_open_process, NULL, N_("open the selected process: all that is known of it") },
	{ ACTION_LESS_NICE, cpu_less_nice, NULL, NULL },
	{ ACTION_NICER, cpu_nicer, NULL, NULL },
	{ ACTION_AFFINITY, cpu_affinity, N_("Affinity"), NULL },
	{ 0 },
};

static const char *const scale_labels[] = { /* xgettext:no-c-format */ N_("100 % is one CPU"),
					    /* xgettext:no-c-format */ N_("100 % is the whole machine") };
static const char *const graph_labels[] = { N_("where there is room"), N_("always") };

static const struct pane_setting choices[] = {
	{ "per-machine", N_("Scale"), scale_labels },
	{ "command", N_("Command"), command_form_labels },
	{ "directories", N_("Directories of programs"), command_directory_labels },
	{ "graph", N_("Graph"), graph_labels },
	{ 0 },
};

/* Without exit records, of which the topic account has a notice; with a scope there may be another one. */
static bool tells(const struct pane_context *context, const struct notice *notice)
{
	return strcmp(notice->topic, "exited") == 0 && context->view != CPU_VIEW_EXITED &&
	       !scope_is_set(context->request->scope);
}

static const char *refuses(const struct pane_context *context, enum action action)
{
	bool acts = action == ACTION_ACT || action == ACTION_TAG || action == ACTION_NICER ||
		    action == ACTION_LESS_NICE || action == ACTION_AFFINITY;

	if (acts && screen_replays(context))
		return _("processes in a recording cannot be changed");
	if (action == ACTION_ACT && context->view == CPU_VIEW_CACHES)
		return cpu_has_caches(context) ? NULL : _("there are no groups of resctrl here");
	if (action == ACTION_OPEN && (context->view == CPU_VIEW_GPU || context->view == CPU_VIEW_GPU_ENGINES))
		return cpu_lacks_gpu(context) ? _("no process is shown here") : NULL;
	return (acts || action == ACTION_OPEN) && !cpu_has_processes(context->focus)
		       ? _("works in the process list only (Esc)")
		       : NULL;
}

static void open_cpu(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);

	cpu->idle_threads = context->settings->cpu.idle;
	if (context->settings->cpu.threads)
		context->view = CPU_VIEW_THREADS;
	else if (cpu->idle_threads)
		context->view = CPU_VIEW_ALL;
	context->focus = views[context->view].table;
	for (unsigned i = 0; tables[i].topic; i++)
		if (cpu_has_processes(i))
			context->tables[i].tags = &cpu->tags;
	context->requested[CPU_TABLE_THREAD] = context->view == CPU_VIEW_THREADS;
	context->requested[CPU_TABLE_POWER_ACCOUNT] = knows_watts(context);
	cpu_tidy_caches(context);
}

static void close_cpu(void *state)
{
	struct cpu_state *cpu = state;

	ended_rows_free(&cpu->ended);
	row_tags_free(&cpu->tags);
	free(cpu->targets);
	buffer_free(&cpu->users);
}

const struct pane pane_cpu = {
	.name = "cpu",
	.digit = '2',
	.title = N_("CPU"),
	.question = N_("Who uses the processors?"),
	.tables = tables,
	.series = cpu_series,
	.n_series = N_CPU_SERIES,
	.why_row = why_row,
	.views = views,
	.actions = pane_actions,
	.widen = cpu_show_all_users,
	.choices = choices,
	.refuses = refuses,
	.tells = tells,
	.viewed = viewed,
	.above = above,
	.state_size = sizeof(struct cpu_state),
	.open = open_cpu,
	.close = close_cpu,
	.adjust = adjust,
	.wants = wants,
	.sampling = sampling,
	.prepare = ended_rows_prepare,
	.sampled = sampled,
	.update = ended_rows_update,
	.table = merged_table,
	.origin = ended_rows_origin_of,
};
