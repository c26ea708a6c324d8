/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run that prints nothing: it watches its rules until it is stopped. */
#ifndef PANETOP_APP_WATCH_H
#define PANETOP_APP_WATCH_H

#include "app/options.h"
#include "model/frame.h"
#include "model/settings.h"
#include "sys/env.h"

/* Returns the exit status. All arguments are borrowed; the source is of the live machine env. */
int watch_run(const struct options *options, const struct settings *settings,
	      const struct sample_request *request, struct source *source, struct env *env);

#endif
