/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of a line per sample, its headings repeated when they have scrolled away, with a summary at the end.
 */
#ifndef PANETOP_OUTPUT_SUMMARY_LINE_H
#define PANETOP_OUTPUT_SUMMARY_LINE_H

#include "output/sink.h"

/* For a sink whose plan has a line. Each returns what sink_flush() says. */
int summary_line_frame(struct sink *sink, const struct frame *frame);
int summary_line_end(struct sink *sink);

#endif
