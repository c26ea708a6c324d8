/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is worth a sentence about a process. */
#ifndef PANETOP_PANE_PROCESS_REMARKS_H
#define PANETOP_PANE_PROCESS_REMARKS_H

#include "core/buffer.h"
#include "model/frame.h"

/* Adds lines, of a row of the topic process: of a zombie its parent, of a name that its command line lacks
 * why. */
void process_remarks(const struct table *table, const void *row, struct buffer *out);

#endif
