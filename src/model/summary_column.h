/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sample as one line of text, after vmstat(8): numbers of several tables side by side. */
#ifndef PANETOP_MODEL_SUMMARY_COLUMN_H
#define PANETOP_MODEL_SUMMARY_COLUMN_H

#include "model/history.h"

struct summary_column {
	struct series series; /* which number */
	const char *title;    /* N_(); NULL: that of its column */
	int width;            /* cells it takes at least */
	unsigned rows; /* above 0: of so many rows of the table at most, each called by its label */
};

#endif
