/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides from options and panes what a batch run samples and prints. */
#ifndef PANETOP_APP_RUN_PLAN_H
#define PANETOP_APP_RUN_PLAN_H

#include <regex.h>
#include <stdbool.h>

#include "app/options.h"
#include "app/rule_watch.h"
#include "model/difference.h"
#include "model/host.h"
#include "model/settings.h"
#include "output/sink.h"

struct run_plan {
	struct print_plan print;
	const struct settings *settings; /* borrowed, as the request */
	const struct sample_request *request;
	const char *pane_names[OPTIONS_PANES_MAX];
	const struct pane *panes[OPTIONS_PANES_MAX]; /* print.n_panes of them */
	struct {                                     /* of each table of --table; NULL: no pane's own */
		const struct pane *pane;
		const struct pane_table *table;
	} homes[OPTIONS_TABLES_MAX];
	unsigned n_headlines;                        /* the first n_headlines views are headline tables */
	bool *wanted;                                /* by index of topic; owned */
	bool *asked; /* of these, those that are printed or recorded: not what findings and lines read */
	bool covers_delay; /* the first sample follows a whole delay, so that it has rates */
	bool touches, touches_all; /* the user has named what clears accessed bits: a table, a column */
	bool streams;      /* events are printed as they happen, not only with a sample */
	bool ends;         /* some tables are printed in the last sample only */
	bool without_secrets;        /* panes have no tables that read command lines or environments */
	struct labelled *labelled; /* owned; tables of several machines together; NULL: of one */
	struct differences *differences; /* owned; NULL: samples are printed as they are */
	regex_t filter;
	bool has_filter;
};

/*
 * 0, or the exit status after an error message about columns, sort or filter. run_plan_close() gives all back
 * in either case. The screen opens one too, to have its options checked.
 */
int run_plan_open(struct run_plan *run, const struct options *options, const struct settings *settings,
		  const struct sample_request *request);
void run_plan_close(struct run_plan *run);

/* Those of the frames that are printed, in the order of the topics. */
const struct schema *const *run_plan_schemas(const struct run_plan *run);

/* Samples what these rules judge as well, and records what they fire. */
void run_plan_add_rules(struct run_plan *run, const struct options *options, const struct rule_watch *rules);

/* Requests the columns that the run prints or records. */
void run_plan_request(const struct run_plan *run, const struct options *options,
		      struct sample_request *request);

/* Says what of the tables of --table no scope limits, and why. */
void run_plan_notice_scope(const struct run_plan *run, struct frame *frame);

/* As view_choose_columns() and view_choose_sort(); false after an error message about the option whose. */
bool run_plan_choose_columns(struct view *view, const char *list, const char *whose);
bool run_plan_choose_sort(struct view *view, const char *name, const char *whose);

/* Prints one frame on standard output, and closes the plan: the exit status. */
int print_alone(struct print_plan *plan, const struct sink_format *format, const struct frame *frame);

#endif
