/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drops the privileges that a run does not need. */
#ifndef PANETOP_APP_PRIVILEGES_H
#define PANETOP_APP_PRIVILEGES_H

#include "app/options.h"
#include "model/settings.h"

/*
 * Call after all files of the run are open and before a second thread starts: drops the privileges that the
 * topics of the run (by index; NULL: all) do not need for what is requested (NULL: anything). 0, or the exit
 * status after an error message. Then starts what helpers come from, with these privileges.
 */
int drop_privileges(const struct options *options, const struct settings *settings,
		    const struct sample_request *request, const bool *wanted);

/* Call when all topics of the run are open and no others follow: drops what only opening them needed. */
int drop_after_open(const struct options *options, const struct settings *settings,
		    const struct sample_request *request, const bool *wanted);

#endif
