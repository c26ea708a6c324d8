/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the machine draws as a sum, above the processes: the idle machine, what runs, and what is not
 * explained. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/calibration.h"
#include "model/units.h"
#include "pane/cpu/cpu.h"

#define NOTICEABLE_WATTS 0.005

/* " + tasks 2.10", " - unexplained 0.40": parts that are always there, and others that can be noticed. */
static void add_part(const struct table *account, const void *row, char *text, size_t room)
{
	const char *part = table_text(account, row, "part");
	double watts = table_number(account, row, "watts");
	bool first = strcmp(part, "baseline") == 0;
	char number[VALUE_TEXT_MAX];
	size_t length = strlen(text);

	if (strcmp(part, "total") == 0 || (strcmp(part, "others") == 0 && fabs(watts) < NOTICEABLE_WATTS))
		return;
	snprintf(text + length, room - length, " %s%s %s",
		 watts <= -NOTICEABLE_WATTS ? "- "
		 : first                    ? ""
					    : "+ ",
		 _(part), fixed_text(number, fabs(watts), 2));
}

int cpu_draw_watts(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct table *account = context_table(context, POWER_ACCOUNT_TABLE);
	double watts = frame_number(context->frame, "power_account", "total", "watts");
	double r_squared = frame_number(context->frame, "power_account", "tasks", "r_squared");
	struct canvas lines = canvas_rows(canvas, y, canvas->height >= 14 ? 2 : 1);
	char text[TEXT_MAX], number[VALUE_TEXT_MAX];
	size_t length;

	if (!account || isnan(watts))
		return 0;
	snprintf(text, sizeof(text), "%.2f W =", watts);
	for (size_t i = 0; i < account->n_rows; i++)
		add_part(account, table_row(account, i), text, sizeof(text));
	length = strlen(text);
	snprintf(text + length, sizeof(text) - length, _(", an estimate (R squared %s, %s)"),
		 fixed_text(number, r_squared, 2),
		 _(table_text(account, table_find(account, "tasks", NULL), "fit")));
	return canvas_wrapped(&lines, 0, r_squared < CALIBRATION_FAIR ? STYLE_WARN : STYLE_NORMAL,
			      span_text(text));
}
