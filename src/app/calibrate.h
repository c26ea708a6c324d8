/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --calibrate: what CPU load costs in watts, measured with loads of its own; --calibration reads its JSON. */
#ifndef PANETOP_APP_CALIBRATE_H
#define PANETOP_APP_CALIBRATE_H

#include "app/options.h"
#include "model/frame.h"

/* Returns the exit status. */
int calibrate_run(const struct options *options, struct settings *settings, struct source *source);

/* Sets the calibration that this file (NULL: none) holds. Returns -1 to go on, else 2. */
int calibration_file_take(struct settings *settings, const char *path);

#endif
