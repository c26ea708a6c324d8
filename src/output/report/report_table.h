/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of a page, by their columns. */
#ifndef PANETOP_OUTPUT_REPORT_REPORT_TABLE_H
#define PANETOP_OUTPUT_REPORT_REPORT_TABLE_H

#include "model/reported.h"
#include "model/scope.h"
#include "output/report/page.h"

#define REPORT_COLUMNS_MAX 100

/* Columns of tables on a page, each once. */
struct report_columns {
	const struct column *list[REPORT_COLUMNS_MAX];
	unsigned n;
};

/* Adds the rows of this frame with their title; nothing if there are none. Personal columns need names. */
void report_table_add(struct page *page, const struct reported_table *table, const struct frame *frame,
		      const struct scope *scope, struct report_columns *columns);

/* What the columns of the tables so far mean, and the units of their numbers. */
void report_columns_add(struct page *page, const struct report_columns *columns);

#endif
