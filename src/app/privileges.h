/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what a run will do to the rights that it keeps. */
#ifndef PANETOP_APP_PRIVILEGES_H
#define PANETOP_APP_PRIVILEGES_H

#include "app/options.h"
#include "core/settings.h"

/*
 * When all files of the run are open, and before there is a second thread: gives up what the topics of
 * the run (by index; NULL: any may be) have no need of. 0, or the exit status after an error message.
 */
int drop_privileges(const struct options *options, const struct settings *settings, const bool *wanted);

/* When all topics of a run that takes no others are opened: gives up what only their opening needed. */
int drop_after_open(const struct options *options, const struct settings *settings, const bool *wanted);

#endif
