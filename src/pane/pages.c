/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages pane: its tables, options and keys. */
#include <config.h>

#include "pane/pages.h"

#include "core/i18n.h"

static const struct pane_table tables[] = {
	[TOTAL_TABLE] = { .topic = "page_total", .headline = true },
	[REGION_TABLE] = { .topic = "region", .headline = true },
	[CELL_TABLE] = { .topic = "cell" },
	{ 0 },
};

static const struct pane_option options[] = {
	{ "cells", N_("N"), N_("cells"), NULL, NULL },
	{ "from", N_("A"), N_("cells"), NULL, NULL },
	{ "to", N_("A"), N_("cells"), NULL, NULL },
	{ "shares", NULL, N_("cells"), NULL, NULL },
	{ 0 },
};
const struct pane pane_pages = {
	.name = "pages",
	.title = N_("Pages"),
	.question = N_("Where is the memory of this process, and what is moving?"),
	.takes_pid = true,
	.tables = tables,
	.options = options,
};
