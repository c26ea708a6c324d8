/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of HTML about a recording, for a colleague: what was out of the ordinary and since when, what changed
 * around the worst moment, graphs, the tables of that moment, the machine, and what panetop cost. One file that
 * loads nothing.
 */
#ifndef PANETOP_OUTPUT_REPORT_REPORT_H
#define PANETOP_OUTPUT_REPORT_REPORT_H

#include "core/buffer.h"
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
	const struct schema *const *schemas;
	unsigned n_schemas;
	const struct finding_rule *rules;
	unsigned n_rules;
	const struct settings *settings;          /* limits of the rules; NULL: none are set */
	const struct explained_series *explained; /* see explanation_take() */
	const struct reported *reported;
	struct scope *scope;         /* NULL: all processes */
	bool names;                  /* with command lines, users and addresses */
	bool (*interrupted)(void);   /* asked before each sample: true ends it; NULL: never */
};

enum report_fault {
	REPORT_FAULTLESS,
	REPORT_EMPTY,       /* the recording has no samples */
	REPORT_ONE_SAMPLE,  /* … or a single one, which has no rates */
	REPORT_UNREADABLE,  /* no sample can be read */
	REPORT_INTERRUPTED,
};

/* Appends the page. The source is left at another place, and wants other topics. */
enum report_fault report_make(const struct report_plan *plan, struct buffer *page);

/* A translated sentence; "" for those that need none. */
const char *report_fault_text(enum report_fault fault);

#endif
