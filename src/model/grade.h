/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One scale for what is used or waited for, from calm to critical, by the limits of the rules of findings. */
#ifndef PANETOP_MODEL_GRADE_H
#define PANETOP_MODEL_GRADE_H

#include "model/finding.h"

enum grade { GRADE_CALM, GRADE_BUSY, GRADE_CRITICAL };

/* What is graded: shares from 0 to 1, except the load. */
enum graded {
	GRADED_CPU,
	GRADED_STEAL,
	GRADED_LOAD, /* of 1 minute, for each CPU */
	GRADED_MEMORY,
	GRADED_SWAP,
	GRADED_SWAP_STALL,      /* waiting for memory, from which full swap matters */
	GRADED_CPU_PRESSURE,    /* some task waited */
	GRADED_MEMORY_PRESSURE, /* the same */
	GRADED_IO_PRESSURE,     /* all waited at once */
	GRADED_DISK,            /* time in which it was busy */
	GRADED_INTERFACE,       /* of its speed */
	GRADED_FILESYSTEM,
	GRADED_INODES,
	GRADED_LIMIT, /* memory of a group or container, of its limit */
	GRADED_THROTTLING,
	GRADED_HEAT,    /* of the critical temperature */
	GRADED_BATTERY, /* what is left: less is worse */
	N_GRADED,
};

/* NaN: this grade is never reached. */
struct grade_limits {
	double busy, critical; /* from here on, … */
	bool falling;          /* … or down from here */
};

/* Share of memory in use, and in use up, by the verdict on memory too. */
#define GRADE_MEMORY_BUSY 0.9
#define GRADE_MEMORY_CRITICAL 0.97

struct grades {
	struct grade_limits of[N_GRADED];
};

/* The limits of the rules with these settings (NULL: none are set); what no rule judges has its own. */
void grades_make(struct grades *grades, const struct finding_rule *rules, unsigned n_rules,
		 const struct settings *settings);

/* Of a number; calm if it is unknown, or without limits (NULL). */
enum grade grade_by(const struct grade_limits *limits, double number);
enum grade grade_of(const struct grades *grades, enum graded what, double number);

/* The same limits for numbers in another unit, of which one is unit. */
struct grade_limits grade_limits_in(const struct grades *grades, enum graded what, double unit);

#endif
