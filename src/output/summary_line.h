/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of text per sample; repeats the headings once per screenful, and prints a summary at the end. */
#ifndef PANETOP_OUTPUT_SUMMARY_LINE_H
#define PANETOP_OUTPUT_SUMMARY_LINE_H

#include "output/sink.h"

/* For a sink whose plan has a summary line. Both return the result of sink_flush(). */
int summary_line_frame(struct sink *sink, const struct frame *frame);
int summary_line_end(struct sink *sink);

#endif
