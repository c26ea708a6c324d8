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

/* Of the limit, without cache that can be dropped: as the columns of the groups pane are marked. */
#define USED_MUCH 0.8

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

static enum memory_level level_of(const struct pane_context *context, double used)
{
	return grade_of(context->grades, GRADED_LIMIT,
			used) > GRADE_CALM ? MEMORY_BAD : used >= USED_MUCH ? MEMORY_HIGH : MEMORY_OK;
}

enum memory_level memory_scope_verdict(const struct pane_context *context, char *text, size_t room)
{
	double bytes = number(context, "memory_bytes"), used = number(context, "limit_used_ratio");
	double count = number(context, "processes");
	char size[VALUE_TEXT_MAX], limit[VALUE_TEXT_MAX];

	size_text(size, bytes);
	if (isnan(bytes)) {
		snprintf(text, room, "%s", _("How much memory the scope has is not known."));
		return MEMORY_UNKNOWN;
	}
	if (is_of_group(context) && !isnan(used)) {
		snprintf(text, room,
			 _("It has %s, and uses %.0f %% of its limit of %s without cache that can be "
			   "dropped."),
			 size, 100 * used, size_text(limit, number(context, "limit_bytes")));
		return level_of(context, used);
	}
	if (is_of_group(context))
		snprintf(text, room,
			 _("It has %s, page cache included: %.0f %% of the machine. No limit of its "
			   "own."),
			 size, 100 * bytes / machine_bytes(context));
	else
		snprintf(text, room,
			 P_("%.0f process has %s resident.",
			    "%.0f processes have %s resident: a shared page counts once for each.",
			    (unsigned long)count),
			 count, size);
	return MEMORY_UNKNOWN;
}

char *memory_scope_story(const struct pane_context *context, char *text, size_t room)
{
	double proportional = number(context, "proportional_bytes");
	char size[VALUE_TEXT_MAX];

	if (is_of_group(context))
		snprintf(text, room, "%s", _("A page is charged to the control group that used it first."));
	else if (!isnan(proportional))
		snprintf(text, room,
			 _("%s with each shared page divided by those who map it (PSS). Without kernel "
			   "memory and page cache that none maps."),
			 size_text(size, proportional));
	else
		snprintf(text, room, "%s",
			 _("A sum, not an account: without kernel memory and page cache that none maps. The "
			   "column PSS of Processes divides shared pages."));
	return text;
}
