/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --probe: which sources work here, why the others do not, and the remedy. */
#ifndef PANETOP_APP_PROBE_H
#define PANETOP_APP_PROBE_H

#include "app/options.h"
#include "sys/env.h"

/* Prints the table in the selected format; returns the exit status. */
int probe_run(const struct options *options, const struct settings *settings, struct env *env);

#endif
