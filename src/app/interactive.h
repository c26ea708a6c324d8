/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From options and configuration to a running screen. */
#ifndef PANETOP_APP_INTERACTIVE_H
#define PANETOP_APP_INTERACTIVE_H

#include "app/options.h"
#include "model/sample_request.h"
#include "model/source.h"
#include "sys/worker.h"

/*
 * The exit status. All borrowed; settings holds what the command line set for panes, and the
 * configuration is added to it; worker may be NULL.
 */
int interactive_run(const struct options *options, struct settings *settings, struct sample_request *request,
		    struct source *source, struct worker *worker);

#endif
