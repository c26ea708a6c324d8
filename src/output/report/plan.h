/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page is made of, and why it cannot be made. */
#ifndef PANETOP_OUTPUT_REPORT_PLAN_H
#define PANETOP_OUTPUT_REPORT_PLAN_H

#include "model/explained.h"
#include "model/finding.h"
#include "model/reported.h"
#include "model/scope.h"
#include "model/source.h"

#define REPORT_WORST SIZE_MAX /* the moment to explain: that of the worst finding, or of most pressure */
#define REPORT_TO_END SIZE_MAX

/* All borrowed. */
struct report_plan {
	const struct source *source; /* of a recording, which was read to its end */
	size_t first, last;          /* indexes of its samples; last may be REPORT_TO_END */
	size_t moment;               /* index of the sample to explain, or REPORT_WORST */
	size_t n_read;               /* samples to read at most, every second, third … of them; 0: all */
	const struct schema *const *schemas;
	unsigned n_schemas;
	const struct finding_rule *rules;
	unsigned n_rules;
	const struct settings *settings;          /* limits of the rules; NULL: none are set */
	const struct explained_series *explained; /* see explanation_take() */
	const struct reported *reported;
	struct scope *scope;       /* NULL: all processes */
	bool names;                /* with command lines, users and addresses */
	bool (*interrupted)(void); /* asked before each sample: true ends it; NULL: never */
};

enum report_fault {
	REPORT_FAULTLESS,
	REPORT_EMPTY,      /* the recording has no samples */
	REPORT_ONE_SAMPLE, /* … or a single one, which has no rates */
	REPORT_UNREADABLE, /* no sample can be read */
	REPORT_INTERRUPTED,
};

#endif
