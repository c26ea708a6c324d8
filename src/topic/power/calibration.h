/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of topic "calibration". */
#ifndef PANETOP_TOPIC_POWER_CALIBRATION_H
#define PANETOP_TOPIC_POWER_CALIBRATION_H

#include "model/calibration.h"
#include "model/frame.h"

/* Adds a row for each line of the fit that is known. */
void calibration_add_rows(struct table *table, const struct power_fit *fit);

#endif
