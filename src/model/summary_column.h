/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sample as one line of text, like vmstat(8): numbers of several tables side by side. */
#ifndef PANETOP_MODEL_SUMMARY_COLUMN_H
#define PANETOP_MODEL_SUMMARY_COLUMN_H

#include "model/history.h"

struct summary_column {
	struct series series; /* which number */
	const char *title;    /* N_(); NULL: the title of its column */
	int width;            /* minimum width in cells */
	unsigned rows; /* above 0: at most this many rows of the table, each headed by its label */
};

#endif
