/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --probe: what each source gives here and now, and for each that does not: why, and the remedy. */
#ifndef PANETOP_APP_PROBE_H
#define PANETOP_APP_PROBE_H

#include "app/options.h"
#include "sys/env.h"

/* Prints the table in the format of the options; the exit status. */
int probe_run(const struct options *options, const struct settings *settings, struct env *env);

#endif
