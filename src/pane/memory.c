/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory pane. */
#include <config.h>

#include "core/i18n.h"
#include "pane/panes.h"

const char *const headline_topics[] = { "system", "self", NULL };

static const struct pane_table tables[] = {
	{ .topic = "memory", .headline = true },
	{ .topic = "memory_limit", .headline = true },
	{ .topic = "meminfo" },
	{ .topic = "memory_check" },
	{ .topic = "reclaim" },
	{ .topic = "pressure" },
	{ .topic = "page_reader", .on_request = true, .sort = "read_bytes_per_second" },
	{ 0 },
};

const struct pane pane_memory = {
	.name = "memory",
	.title = N_("Memory"),
	.question = N_("Is there enough memory, and does the cache earn its keep?"),
	.by_default = true,
	.tables = tables,
};
