/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How bars and cells are marked: as the findings say, and in no other way. */
#ifndef PANETOP_MODEL_GRADE_H
#define PANETOP_MODEL_GRADE_H

#include "model/finding.h"

enum grade {
	GRADE_CALM,
	GRADE_BUSY,  /* in full use, and nothing suffers: a note */
	GRADE_ALARM, /* a warning */
	GRADE_CRITICAL,
};

/*
 * The worst that holds of these rules, "NAME|NAME", in the findings of the frame; about the scope only with
 * of_scope, and about the machine without, where that is known.
 */
enum grade grade_of_rules(const struct frame *frame, const char *rules, bool of_scope);

/* Of one row of the topic that a rule is about, by its columns; NULL: calm. */
enum grade grade_of_row(const struct findings *findings, const char *rule, const struct schema *schema,
			const void *row);

#endif
