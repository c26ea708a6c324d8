/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts of a sentence as a test writes them: "state=S cpu_ratio=0.4"; "-" is not known. */
#ifndef PANETOP_TESTS_UNIT_GIVEN_FACTS_H
#define PANETOP_TESTS_UNIT_GIVEN_FACTS_H

#include "model/sentence.h"

struct given_facts {
	struct facts facts; /* whose find is given_fact, or a function that falls back to it */
	const char *list;
	const char *otherwise; /* of what is not in the list; what neither has is not known */
};

/* The unit of a number goes by the end of its name. A text lasts until eight more are asked for. */
struct fact given_fact(const struct facts *facts, struct span name);

#endif
