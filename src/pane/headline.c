/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The headline of the screen: the machine in one line. */
#include <config.h>

#include <math.h>
#include <stdio.h>

#include "core/i18n.h"
#include "model/units.h"
#include "pane/panes.h"

const char *const headline_topics[] = { "system", "self", "sleep", NULL };

static double of_system(const struct frame *frame, const char *column)
{
	return frame_number(frame, "system", NULL, column);
}

static void uptime_piece(char *piece, double seconds)
{
	unsigned long minutes = (unsigned long)seconds / 60;

	if (minutes >= 1440)
		snprintf(piece, HEADLINE_PIECE_MAX, _("up %lud %02lu:%02lu"), minutes / 1440,
			 minutes / 60 % 24, minutes % 60);
	else
		snprintf(piece, HEADLINE_PIECE_MAX, _("up %02lu:%02lu"), minutes / 60, minutes % 60);
}

static void load_piece(char *piece, double minute, double five, double fifteen)
{
	char texts[3][VALUE_TEXT_MAX];

	snprintf(piece, HEADLINE_PIECE_MAX, _("load %s %s %s"), fixed_text(texts[0], minute, 2),
		 fixed_text(texts[1], five, 2), fixed_text(texts[2], fifteen, 2));
}

/* "2 of 8 CPUs" in a container with a limit. */
static void cpus_piece(char *piece, double cpus, double usable)
{
	char number[VALUE_TEXT_MAX];

	if (usable < cpus)
		snprintf(piece, HEADLINE_PIECE_MAX, _("%s of %.0f CPUs"),
			 fixed_text(number, usable, usable == floor(usable) ? 0 : 2), cpus);
	else
		snprintf(piece, HEADLINE_PIECE_MAX, P_("%.0f CPU", "%.0f CPUs", (unsigned long)cpus), cpus);
}

unsigned headline_pieces(const struct frame *frame, char pieces[][HEADLINE_PIECE_MAX])
{
	double uptime = of_system(frame, "uptime_seconds"), load = of_system(frame, "load1");
	double tasks = of_system(frame, "tasks"), cpus = of_system(frame, "cpus");
	unsigned n = 0;

	snprintf(pieces[n++], HEADLINE_PIECE_MAX, "%s", PACKAGE);
	if (frame->host)
		snprintf(pieces[n++], HEADLINE_PIECE_MAX, "%s", frame->host);
	if (uptime >= 0 && uptime < 1e12)
		uptime_piece(pieces[n++], uptime);
	if (!isnan(load))
		load_piece(pieces[n++], load, of_system(frame, "load5"), of_system(frame, "load15"));
	if (!isnan(tasks))
		snprintf(pieces[n++], HEADLINE_PIECE_MAX, P_("%.0f task", "%.0f tasks", (unsigned long)tasks),
			 tasks);
	if (!isnan(cpus))
		cpus_piece(pieces[n++], cpus, of_system(frame, "container_cpus"));
	return n;
}

void headline_corner(const struct frame *frame, char *text, size_t room)
{
	double ratio = frame_number(frame, "self", "all", "cpu_ratio");

	if (isnan(ratio))
		*text = '\0';
	else
		snprintf(text, room, _("panetop %.*f %%"), ratio < 0.01 ? 1 : 0, 100 * ratio);
}
