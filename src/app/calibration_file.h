/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --calibrate printed, read again for --calibration. */
#ifndef PANETOP_APP_CALIBRATION_FILE_H
#define PANETOP_APP_CALIBRATION_FILE_H

#include "core/settings.h"

/* Puts the calibration in place of the name of its file in the settings. Returns -1 to go on, else 2. */
int calibration_file_take(struct settings *settings);

#endif
