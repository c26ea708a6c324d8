/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the pages pane share. */
#ifndef PANETOP_PANE_PAGES_H
#define PANETOP_PANE_PAGES_H

#include "screen/context.h"

enum pages_table {
	TOTAL_TABLE,
	REGION_TABLE,
	CELL_TABLE,
	LEVEL_TABLE,
	PAGE_TABLE,
	BYTES_TABLE,
	EVENT_TABLE,
	LIST_TABLE,
	N_PAGES_TABLES,
};

#endif
