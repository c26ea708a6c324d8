/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Prometheus calls the columns: the names of metrics and labels. */
#ifndef PANETOP_OUTPUT_EXPOSITION_H
#define PANETOP_OUTPUT_EXPOSITION_H

#include "model/frame.h"

#define EXPOSITION_NAME_MAX 160

/* The name of the samples of a column, "panetop_cpu_user_seconds_total"; false: it has none. */
bool exposition_metric(const struct schema *schema, const struct column *column,
		       char name[EXPOSITION_NAME_MAX]);

/* The label that has the texts of a column: "cpu", "command"; NULL: none has. */
const char *exposition_label(const struct schema *schema, const struct column *column);

/* The name of the metric whose labels are the other texts of a row; false: there is none. */
bool exposition_info(const struct schema *schema, char name[EXPOSITION_NAME_MAX]);

/* The column that a rate is the growth of in each second, if that has a metric; NULL: none. */
const struct column *exposition_counter(const struct schema *schema, const struct column *rate);

#endif
