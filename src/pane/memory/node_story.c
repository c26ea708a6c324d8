/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First how much is local, then what is far and which node is full: each with its threshold. */
#include <config.h>

#include "pane/memory/node_story.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/units.h"

#define GAIN_BYTES_NOTABLY 0.01 /* of the memory of the machine, that another node would make local */
#define GAIN_NOTABLY 0.2        /* of the memory of the process */
#define LOST_NOTABLY 10.0       /* pages a second */

static void add(char *text, size_t room, const char *sentence)
{
	size_t length = strlen(text);

	snprintf(text + length, room - length, "%s%s", length > 0 ? " " : "", sentence);
}

static void add_sum(const struct node_facts *facts, char *text, size_t room)
{
	char words[TEXT_MAX], size[VALUE_TEXT_MAX];

	if (facts->known > 0 && facts->known_bytes > 0)
		snprintf(words, sizeof(words),
			 P_("%.0f nodes: %.0f %% of the %s of %.0f process is where it runs.",
			    "%.0f nodes: %.0f %% of the %s of %.0f processes is where they run.",
			    (unsigned long)facts->known),
			 facts->nodes, 100 * (1 - facts->far_bytes / facts->known_bytes),
			 size_text(size, facts->known_bytes), facts->known);
	else
		snprintf(words, sizeof(words),
			 facts->processes > 0 ? _("%.0f nodes: on which of them the memory of these "
						  "processes is, is not known.")
					      : _("%.0f nodes; no process was looked at."),
			 facts->nodes);
	add(text, room, words);
}

/* Not where its memory is spread as evenly as its CPU time: then no node would be better. */
static void add_far(const struct node_facts *facts, char *text, size_t room)
{
	char words[TEXT_MAX];

	if (!facts->far_name || isnan(facts->far_pid + facts->best_node) ||
	    !(facts->gain_bytes >= GAIN_BYTES_NOTABLY * facts->machine_bytes) ||
	    !(facts->best_ratio - facts->far_local - facts->far_error >= GAIN_NOTABLY))
		return;
	snprintf(words, sizeof(words),
		 _("%s (%.0f) runs far from its memory: %.0f %% of it is local; on node %.0f it would be "
		   "%.0f %%."),
		 facts->far_name, facts->far_pid, 100 * facts->far_local, facts->best_node,
		 100 * facts->best_ratio);
	add(text, room, words);
}

static void add_lost(const struct node_facts *facts, char *text, size_t room)
{
	char words[TEXT_MAX], rate[VALUE_TEXT_MAX];

	if (isnan(facts->lost_node) || !(facts->lost_per_second >= LOST_NOTABLY))
		return;
	snprintf(words, sizeof(words),
		 _("Node %.0f has too little free memory: %s pages a second had to be allocated elsewhere."),
		 facts->lost_node, rate_text(rate, facts->lost_per_second));
	add(text, room, words);
}

char *node_story(const struct node_facts *facts, char *text, size_t room)
{
	*text = '\0';
	if (facts->nodes < 1) {
		add(text, room, _("The kernel shows no NUMA nodes here."));
	} else if (facts->nodes < 2) {
		add(text, room,
		    _("The kernel knows one NUMA node: to it all memory is equally near, and no process can "
		      "be far from its memory."));
	} else if (!isnan(facts->nodes)) {
		add_sum(facts, text, room);
		add_far(facts, text, room);
		add_lost(facts, text, room);
	}
	return text;
}
