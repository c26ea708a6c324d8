/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --calibrate: what CPU load costs in watts, measured with loads of its own. */
#ifndef PANETOP_APP_CALIBRATE_H
#define PANETOP_APP_CALIBRATE_H

#include "app/options.h"
#include "model/source.h"

/* Returns the exit status. */
int calibrate_run(const struct options *options, struct settings *settings, struct source *source);

#endif
