/* SPDX-License-Identifier: GPL-2.0-or-later */
/* panes.def as arrays, and how a typed name finds its pane. */
#include <config.h>

#include "pane/panes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/typed_name.h"
#include "model/units.h"

#define PANE(name) extern const struct pane pane_##name;
#include "pane/panes.def"
#undef PANE

#define PANE(name) &pane_##name,
const struct pane *const panes[] = {
#include "pane/panes.def"
};
#undef PANE

const unsigned n_panes = sizeof(panes) / sizeof(panes[0]);

const char *const batch_panes[] = { "memory", "cpu", NULL };

const char *const recorded_panes[] = { "overview", "cpu", "memory", "disks", "network", NULL };

const char hosts_pane[] = "fleet";

const struct pane *pane_find(const char *typed)
{
	const struct pane *found = NULL;
	unsigned n_found = 0;

	for (unsigned i = 0; i < n_panes; i++) {
		if (typed_is(span_text(typed), panes[i]->name))
			return panes[i];
		if (!typed_begins(span_text(typed), panes[i]->name))
			continue;
		found = panes[i];
		n_found++;
	}
	return n_found == 1 ? found : NULL;
}

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

unsigned headline_pieces(const struct frame *frame, char pieces[][HEADLINE_PIECE_MAX])
{
	double uptime = of_system(frame, "uptime_seconds"), load = of_system(frame, "load1");
	double tasks = of_system(frame, "tasks"), cpus = of_system(frame, "cpus");
	double usable = of_system(frame, "container_cpus");
	char texts[3][VALUE_TEXT_MAX];
	unsigned n = 0;

	snprintf(pieces[n++], HEADLINE_PIECE_MAX, "%s", PACKAGE);
	if (frame->host)
		snprintf(pieces[n++], HEADLINE_PIECE_MAX, "%s", frame->host);
	if (uptime >= 0 && uptime < 1e12)
		uptime_piece(pieces[n++], uptime);
	if (!isnan(load))
		snprintf(pieces[n++], HEADLINE_PIECE_MAX, _("load %s %s %s"), fixed_text(texts[0], load, 2),
			 fixed_text(texts[1], of_system(frame, "load5"), 2),
			 fixed_text(texts[2], of_system(frame, "load15"), 2));
	if (!isnan(tasks))
		snprintf(pieces[n++], HEADLINE_PIECE_MAX, P_("%.0f task", "%.0f tasks", (unsigned long)tasks),
			 tasks);
	if (usable < cpus) /* "2 of 8 CPUs" in a container with a limit */
		snprintf(pieces[n++], HEADLINE_PIECE_MAX, _("%s of %.0f CPUs"),
			 fixed_text(texts[0], usable, usable == floor(usable) ? 0 : 2), cpus);
	else if (!isnan(cpus))
		snprintf(pieces[n++], HEADLINE_PIECE_MAX, P_("%.0f CPU", "%.0f CPUs", (unsigned long)cpus),
			 cpus);
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

#define MIB(n) ((double)((n) << 20))
#define BITS(mega) ((mega)*1e6)

/* Of each resource first what the others follow from. */
const struct explained_series explained_series[] = {
	{ N_("CPU busy"), "cpu", "all", NULL, "busy_ratio", 0.05, "cpu", "cpus", EXPLAINED_CPU },
	{ N_("CPU in the kernel"), "cpu", "all", NULL, "system_ratio", 0.05, "cpu", "cpus", EXPLAINED_CPU },
	{ N_("CPU stolen"), "cpu", "all", NULL, "steal_ratio", 0.02, "cpu", "cpus", EXPLAINED_ALONE },
	{ N_("CPU pressure"), "pressure", "cpu", "some", "stalled_ratio", 0.05, "memory", "paging",
	  EXPLAINED_CPU },
	{ N_("load"), "system", "", NULL, "load1", 0.5, "overview", "", EXPLAINED_CPU },
	{ N_("memory used"), "memory", "available", NULL, "used_bytes", MIB(64), "memory", "",
	  EXPLAINED_MEMORY },
	{ N_("caches"), "memory", "mem", NULL, "caches_bytes", MIB(128), "memory", "", EXPLAINED_OTHER },
	{ N_("swap used"), "memory", "swap", NULL, "used_bytes", MIB(16), "memory", "", EXPLAINED_MEMORY },
	{ N_("memory pressure"), "pressure", "memory", "some", "stalled_ratio", 0.02, "memory", "paging",
	  EXPLAINED_MEMORY },
	{ N_("refaults"), "paging", "", NULL, "refaults_per_second", 50, "memory", "paging",
	  EXPLAINED_MEMORY },
	{ N_("read back from swap"), "paging", "", NULL, "swap_ins_per_second", 20, "memory", "paging",
	  EXPLAINED_MEMORY },
	{ N_("reads"), "disk", NULL, NULL, "read_bytes_per_second", MIB(4), "disks", "devices",
	  EXPLAINED_DISK },
	{ N_("writes"), "disk", NULL, NULL, "write_bytes_per_second", MIB(4), "disks", "devices",
	  EXPLAINED_DISK },
	{ N_("busy"), "disk", NULL, NULL, "busy_ratio", 0.2, "disks", "devices", EXPLAINED_DISK },
	{ N_("I/O pressure"), "pressure", "io", "some", "stalled_ratio", 0.05, "memory", "paging",
	  EXPLAINED_DISK },
	{ N_("CPU waits for disks"), "cpu", "all", NULL, "iowait_ratio", 0.05, "cpu", "cpus",
	  EXPLAINED_DISK },
	{ N_("threads that wait for a disk"), "system", "", NULL, "blocked", 2, "overview", "",
	  EXPLAINED_DISK },
	{ N_("received"), "interface", NULL, NULL, "received_bits_per_second", BITS(2), "network",
	  "interfaces", EXPLAINED_NETWORK },
	{ N_("sent"), "interface", NULL, NULL, "sent_bits_per_second", BITS(2), "network", "interfaces",
	  EXPLAINED_NETWORK },
	{ N_("drops"), "interface", NULL, NULL, "drops_per_second", 1, "network", "losses", EXPLAINED_ALONE },
	{ N_("processes and threads started"), "system", "", NULL, "forks_per_second", 10, "overview", "",
	  EXPLAINED_STARTS },
	{ N_("context switches"), "system", "", NULL, "context_switches_per_second", 5000, "overview", "",
	  EXPLAINED_OTHER },
	{ N_("power"), "power", "total", NULL, "watts", 3, "power", "", EXPLAINED_CPU },
	{ N_("temperature"), "temperature", NULL, NULL, "celsius", 5, "power", "sensors", EXPLAINED_CPU },
	{ 0 },
};
