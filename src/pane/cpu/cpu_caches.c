/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of caches: what groups of resctrl get and use, and a group for one process. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/span.h"
#include "pane/cpu/cpu.h"
#include "pane/stories.h"

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

struct story {
	const struct table *table;
	struct buffer *out;
	unsigned warnings;
};

static const char *text_of(const struct story *story, const void *row, const char *column)
{
	return table_text(story->table, row, column);
}

static double rate_of(const struct story *story, const void *row)
{
	return table_number(story->table, row, "total_bytes_per_second");
}

static bool is_control(const struct story *story, const void *row)
{
	return strcmp(text_of(story, row, "kind"), "control") == 0;
}

static bool same_domain(const struct story *story, const void *one, const void *other)
{
	return strcmp(text_of(story, one, "domain"), text_of(story, other, "domain")) == 0;
}

/* Is the row that of a monitoring group of this control group? */
static bool is_part_of(const struct story *story, const void *row, const void *control)
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
static double sum_of(const struct story *story, const void *of)
{
	double sum = 0;

	for (size_t i = 0; i < story->table->n_rows; i++) {
		const void *row = table_row(story->table, i);

		if (is_control(story, row) && same_domain(story, row, of))
			sum += rate_of(story, row);
	}
	return sum;
}

static bool is_noisy(const struct story *story, const void *row, double sum)
{
	return rate_of(story, row) >= NOISY_RATE && rate_of(story, row) >= NOISY_SHARE * sum;
}

/* In hexadecimal; 0: not known. */
static uint64_t mask_of(const struct story *story, const void *row, const char *column)
{
	struct span text = span_text(text_of(story, row, column));
	uint64_t mask;

	return span_hex(&text, &mask) && span_length(text) == 0 ? mask : 0;
}

#define SHARES_ALL (-1.0)

/* Ways that both may fill, of any kind; SHARES_ALL where the cache is not divided; NaN: not known. */
static double shared_ways(const struct story *story, const void *one, const void *other)
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
static struct neighbour neighbour_of(const struct story *story, const void *noisy, const void *control)
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

static void tell_noise(struct story *story, const void *noisy, const struct neighbour *neighbour, double sum)
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
static void of_domain(struct story *story, const void *first)
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

static bool is_first_of_domain(const struct story *story, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (same_domain(story, table_row(story->table, i), table_row(story->table, index)))
			return false;
	return true;
}

/* "yes": that of some row is known; "": of none. */
static struct fact any_known(const struct story *story, const char *key)
{
	const struct column *column = schema_known_column(story->table->schema, key);
	bool known = false;

	for (size_t i = 0; i < story->table->n_rows; i++)
		known |= column_has_value(column, table_row(story->table, i));
	return (struct fact){ .text = known ? "yes" : "" };
}

static void of_machine(struct story *story)
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
	struct story story = { table, out, 0 };

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

void cpu_draw_caches(const struct pane_context *context, struct canvas *canvas)
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
		y += canvas_wrapped(canvas, y, i < warnings ? STYLE_WARN : STYLE_DIM, line);
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

bool cpu_has_caches(const struct pane_context *context)
{
	const struct table *table = context_table(context, CPU_TABLE_CACHE);

	return table && table->n_rows > 0;
}

void cpu_cache_actions(struct pane_context *context)
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

void cpu_tidy_caches(struct pane_context *context)
{
	const char *remedy;

	screen_act(context, TOPIC, "tidy", cpu_say_nothing, &remedy);
}
