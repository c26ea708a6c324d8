/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts the screen from options and configuration. */
#ifndef PANETOP_APP_INTERACTIVE_H
#define PANETOP_APP_INTERACTIVE_H

#include "app/options.h"
#include "app/rule_watch.h"
#include "model/frame.h"
#include "model/settings.h"
#include "sys/machine_thread.h"

/*
 * Returns the exit status. All arguments are borrowed, worker and rules may be NULL. settings holds the pane
 * options of the command line; the configuration is added to it.
 */
int interactive_run(const struct options *options, struct settings *settings, struct sample_request *request,
		    struct source *source, struct worker *worker, struct rule_watch *rules);

#endif
