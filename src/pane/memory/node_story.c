/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First how much is local, then what is far and which node is full: each with its condition. */
#include <config.h>

#include "pane/memory/node_story.h"

#include <math.h>

#include "core/i18n.h"

#define ERROR_MAX 0.1 /* with more it is not known where a process has its memory */

/* Not where its memory is spread as evenly as its CPU time: then no node would be better. */
#define FAR                                                                                                  \
	{                                                                                                    \
		"whole, gain_bytes >= 0.01 * machine_bytes, gain_ratio >= 0.2, best_node",                   \
			N_("{command} ({pid}) runs far from its memory: {local_ratio:%} of it is local; on " \
			   "node {best_node} it would be {best_ratio:%}."),                                  \
			.more = true                                                                         \
	}
#define LOST                                                                                                 \
	{                                                                                                    \
		"whole, lost_per_second >= 10, lost_node",                                                   \
			N_("Node {lost_node} has too little free memory: {lost_per_second:rate} pages a "    \
			   "second had to be allocated elsewhere."),                                         \
			.more = true                                                                         \
	}

static const struct remark remarks[] = {
	{ "nodes < 1", N_("The kernel shows no NUMA nodes here.") },
	{ "nodes < 2", N_("The kernel knows one NUMA node: to it all memory is equally near, and no process "
			  "can be far from its memory.") },
	{ "known_bytes > 0",
	  PN_("{nodes} nodes: {near_ratio:%} of the {known_bytes} of {known} process is where it runs.",
	      "{nodes} nodes: {near_ratio:%} of the {known_bytes} of {known} processes is where they run."),
	  "known" },
	FAR,
	LOST,
	{ "processes > 0", N_("{nodes} nodes: on which of them the memory of these processes is, is not "
			      "known.") },
	FAR,
	LOST,
	{ NULL, N_("{nodes} nodes; no process was looked at.") },
	FAR,
	LOST,
};

/* Of the processes whose memory and CPU time are known, … */
struct sums {
	double known, known_bytes, far_bytes;
	const void *far; /* … the one of which another node would make most local; NULL: none */
	double gain_bytes;
};

static void add_process(struct sums *sums, const struct table *table, const void *row)
{
	double far_bytes = table_number(table, row, "far_bytes"), gain;

	if (isnan(far_bytes) || table_number(table, row, "error_ratio") > ERROR_MAX)
		return;
	sums->known++;
	sums->known_bytes += table_number(table, row, "resident_bytes");
	sums->far_bytes += far_bytes;
	gain = table_number(table, row, "resident_bytes") *
	       (table_number(table, row, "best_ratio") - table_number(table, row, "local_ratio"));
	if (sums->far && gain <= sums->gain_bytes)
		return;
	sums->far = row;
	sums->gain_bytes = gain;
}

/* The node that lost the most allocations to others; returns the memory of all. */
static double find_loser(const struct table *nodes, double *node, double *per_second)
{
	double machine_bytes = 0;

	for (size_t i = 0; i < nodes->n_rows; i++) {
		const void *row = table_row(nodes, i);
		double lost = table_number(nodes, row, "foreign_per_second");

		machine_bytes += table_number(nodes, row, "total_bytes");
		if (lost > *per_second) {
			*per_second = lost;
			*node = table_number(nodes, row, "node");
		}
	}
	return machine_bytes;
}

void node_story(struct buffer *out, const struct table *nodes, const struct table *processes, bool whole)
{
	double lost_per_second = 0, lost_node = NAN, gain_ratio;
	double machine_bytes = nodes ? find_loser(nodes, &lost_node, &lost_per_second) : NAN;
	size_t n_processes = processes ? processes->n_rows : 0;
	struct sums sums = { 0 };

	for (size_t i = 0; i < n_processes; i++)
		add_process(&sums, processes, table_row(processes, i));
	gain_ratio = table_number(processes, sums.far, "best_ratio") -
		     table_number(processes, sums.far, "local_ratio") -
		     table_number(processes, sums.far, "error_ratio");
	if (nodes) {
		const struct made_fact made[] = {
			{ "nodes", { .number = (double)nodes->n_rows } },
			{ "processes", { .number = (double)n_processes } },
			{ "known", { .number = sums.known } },
			{ "known_bytes", { .number = sums.known_bytes, .unit = UNIT_BYTES },
			  "sum of resident_bytes" },
			{ "near_ratio", number_fact(1 - sums.far_bytes / sums.known_bytes, UNIT_RATIO),
			  "1 - sum of far_bytes / sum of resident_bytes" },
			{ "machine_bytes", { .number = machine_bytes } },
			{ "gain_bytes", { .number = sums.gain_bytes } },
			{ "gain_ratio", { .number = gain_ratio } },
			{ "lost_node", { .number = lost_node } },
			{ "lost_per_second", number_fact(lost_per_second, UNIT_PER_SECOND),
			  "the most of node.foreign_per_second" },
			{ "whole", { .text = whole ? "yes" : "" } },
		};
		const struct row_facts facts = { { row_fact }, processes, sums.far, made, 11 };

		remarks_say(out, REMARKS(remarks), &facts.facts);
	}
}
