/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --calibrate: what CPU load costs in watts, measured with loads of its own. */
#ifndef PANETOP_CALIBRATE_H
#define PANETOP_CALIBRATE_H

#include "model/source.h"
#include "options.h"

/* Returns the exit status. */
int calibrate_run(const struct options *options, struct settings *settings, struct source *source);

#endif
