/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of a page, by their columns. */
#ifndef PANETOP_OUTPUT_REPORT_REPORT_TABLE_H
#define PANETOP_OUTPUT_REPORT_REPORT_TABLE_H

#include "model/reported.h"
#include "model/scope.h"
#include "output/report/page.h"

/* Adds the rows of this frame with their title; nothing if there are none. Personal columns need names. */
void report_table_add(struct page *page, const struct reported_table *table, const struct frame *frame,
		      const struct scope *scope);

#endif
