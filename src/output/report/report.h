/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of HTML about a recording, for a colleague: what was out of the ordinary and since when, what
 * changed around the worst moment, graphs, the tables of that moment, the machine, and what panetop cost. One
 * file that loads nothing.
 */
#ifndef PANETOP_OUTPUT_REPORT_REPORT_H
#define PANETOP_OUTPUT_REPORT_REPORT_H

#include "core/buffer.h"
#include "output/report/stretch.h"

/* Appends the page. The source is left at another place, and wants other topics. */
enum report_fault report_make(const struct report_plan *plan, struct buffer *page);

/* A translated sentence; "" for those that need none. */
const char *report_fault_text(enum report_fault fault);

#endif
