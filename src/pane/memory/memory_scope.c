/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the row of the scope: its parts, its limit, and the verdict about what is left of it. */
#include <config.h>

#include "pane/memory/memory_scope.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/scope_use.h"
#include "model/units.h"

static double number(const struct pane_context *context, const char *column)
{
	return frame_number(context->frame, "scope_use", NULL, column);
}

const void *memory_scope_row(const struct pane_context *context)
{
	const struct table *table =
		scope_is_set(context->request->scope) ? frame_table(context->frame, "scope_use") : NULL;

	return table && table->n_rows > 0 ? table_row(table, 0) : NULL;
}

static bool is_of_group(const struct pane_context *context)
{
	return strcmp(table_text(frame_table(context->frame, "scope_use"), memory_scope_row(context),
				 "basis"),
		      SCOPE_OF_GROUP) == 0;
}

static double machine_bytes(const struct pane_context *context)
{
	return frame_number(context->frame, "memory", "mem", "total_bytes");
}

double memory_scope_most(const struct pane_context *context)
{
	double limit = number(context, "limit_bytes");

	return limit > 0 ? limit : machine_bytes(context);
}

unsigned memory_scope_parts(const struct pane_context *context, struct graph_part parts[MEMORY_PARTS])
{
	static const struct {
		char letter;
		const char *group, *processes, *column;
	} all[MEMORY_PARTS] = {
		{ 'A', N_("anonymous"), N_("anonymous"), "anonymous_bytes" },
		{ 'K', N_("kernel"), NULL, "kernel_bytes" },
		{ 'c', N_("file"), N_("mapped files, shared"), "file_bytes" },
		{ 'o', N_("other"), NULL, "other_bytes" },
	};
	bool of_group = is_of_group(context);
	unsigned n = 0;

	for (unsigned i = 0; i < MEMORY_PARTS; i++)
		if (of_group || all[i].processes)
			parts[n++] = (struct graph_part){ all[i].letter, i,
							  _(of_group ? all[i].group : all[i].processes), 0,
							  number(context, all[i].column) };
	return n;
}

#define OF_GROUP "basis == " SCOPE_OF_GROUP
#define LIMITED                                                                                              \
	N_("It has {memory_bytes}, and uses {limit_used_ratio:%} of its limit of {limit_bytes} without "     \
	   "cache that can be dropped.")

static const struct remark verdicts[] = {
	{ "not memory_bytes", N_("How much memory the scope has is not known."), .level = MEMORY_UNKNOWN },
	{ OF_GROUP ", limit_used_ratio >= busy_ratio", LIMITED, .level = MEMORY_BAD },
	/* as the columns of the groups pane are marked */
	{ OF_GROUP ", limit_used_ratio >= 0.8", LIMITED, .level = MEMORY_HIGH },
	{ OF_GROUP ", limit_used_ratio", LIMITED, .level = MEMORY_OK },
	{ OF_GROUP,
	  N_("It has {memory_bytes}, page cache included: {machine_ratio:%} of the machine. No limit of its "
	     "own."),
	  .level = MEMORY_UNKNOWN },
	{ NULL, PN_("{processes} process has {memory_bytes} resident.",
		    "{processes} processes have {memory_bytes} resident: a shared page counts once for "
		    "each."),
	  "processes", .level = MEMORY_UNKNOWN },
};

static const struct remark stories[] = {
	{ OF_GROUP, N_("A page is charged to the control group that used it first.") },
	{ "proportional_bytes",
	  N_("{proportional_bytes} with each shared page split among the processes that map it (PSS); kernel "
	     "memory and unmapped cache are left out.") },
	{ NULL, N_("Shared pages count in each process; kernel memory and unmapped cache are left out. PSS "
		   "(view Processes) splits shared pages.") },
};

enum memory_level memory_scope_verdict(struct buffer *out, const struct pane_context *context)
{
	const struct made_fact made[] = {
		{ "busy_ratio", { .number = findings_limit(context->findings, "group_memory_used") } },
		{ "machine_ratio",
		  number_fact(number(context, "memory_bytes") / machine_bytes(context), UNIT_RATIO),
		  "memory_bytes / memory.mem.total_bytes" },
	};
	const struct row_facts facts = { { row_fact }, frame_table(context->frame, "scope_use"),
					 memory_scope_row(context), made, 2, context->frame };

	return (enum memory_level)remarks_say(out, REMARKS(verdicts), &facts.facts);
}

void memory_scope_story(struct buffer *out, const struct pane_context *context)
{
	const struct row_facts facts = { { row_fact }, frame_table(context->frame, "scope_use"),
					 memory_scope_row(context) };

	remarks_say(out, REMARKS(stories), &facts.facts);
}
