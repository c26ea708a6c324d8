/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows of a table are wanted: by lists, by a threshold, and by a regular expression. */
#ifndef PANETOP_MODEL_VIEW_FILTER_H
#define PANETOP_MODEL_VIEW_FILTER_H

#include <regex.h>
#include <stdbool.h>

#include "model/column.h"
#include "model/scope.h"

/*
 * A row is wanted when its number or its text is in a comma-separated list. A negative index: no such column.
 */
struct view_choice {
	const char *list; /* borrowed; NULL: rows whose number is excluded do not pass */
	int number, text; /* indices of columns */
	int other;        /* a second number that may be in the list */
	uint64_t excluded;
};

#define VIEW_CHOICES_MAX 4

struct view_filter {
	const regex_t *pattern; /* borrowed; NULL: every row */
	const char *digits; /* borrowed; if it is a number, PIDs that begin with it pass, too; NULL: none */
	struct view_choice choices[VIEW_CHOICES_MAX];
	unsigned n_choices;
	int threshold_column; /* rows whose number here is below threshold or unknown are excluded */
	double threshold;     /* NaN: none */
	const struct scope *scope;  /* borrowed; NULL: rows of all processes */
	int scope_pid, scope_start; /* indices of columns; start -1: none, pid: rows without one pass */
	int scope_path;             /* in place of scope_pid, of tables of control groups; -1: none */
	const char *group;    /* borrowed: path of a control group that processes are in; NULL: any … */
	int group_column;     /* … of those of the rows, by index */
	bool group_alone;     /* not those in groups below it */
	const void *pinned;   /* borrowed: the threshold does not exclude this row; NULL: none */
};

bool view_filter_accepts(const struct view_filter *filter, const struct schema *schema, const void *row);

/* Is the row of what the scope is about? */
bool view_filter_scopes(const struct view_filter *filter, const struct schema *schema, const void *row);

/* Extended regular expression; case matters only if it contains a capital. 0 or an error of regcomp(3). */
int pattern_compile(regex_t *pattern, const char *text);

/* Is the text a number with which the PID of the row begins? */
bool pid_begins_with(const char *text, const struct schema *schema, const void *row);

/* Does any text column of the row match? */
bool pattern_matches(const regex_t *pattern, const struct schema *schema, const void *row);

#endif
