/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From options and configuration to a running screen. */
#ifndef PANETOP_INTERACTIVE_H
#define PANETOP_INTERACTIVE_H

#include "core/worker.h"
#include "model/source.h"
#include "options.h"

/*
 * The exit status. All borrowed; settings holds what the command line set for panes, and the
 * configuration is added to it; worker may be NULL.
 */
int interactive_run(const struct options *options, struct settings *settings, struct source *source,
		    struct worker *worker);

#endif
