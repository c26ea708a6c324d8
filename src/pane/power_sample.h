/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a calibration wants to know of a frame. */
#ifndef PANETOP_PANE_POWER_SAMPLE_H
#define PANETOP_PANE_POWER_SAMPLE_H

#include "model/calibration.h"
#include "model/frame.h"

/* Of a frame with its rates, and the operations that the load did in its interval. */
struct calibration_sample power_sample(const struct frame *frame, uint64_t operations);

#endif
