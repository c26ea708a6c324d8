/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a calibration wants to know of a frame. */
#ifndef PANETOP_PANE_POWER_POWER_SAMPLE_H
#define PANETOP_PANE_POWER_POWER_SAMPLE_H

#include "core/settings.h"
#include "model/calibration.h"
#include "model/frame.h"

/*
 * Of a frame with its rates, and the operations that the load did in its interval. The settings may name the
 * events that are counted as cycles and as instructions.
 */
struct calibration_sample power_sample(const struct frame *frame, const struct settings *settings,
				       uint64_t operations);

/* The name of the event of this measure (cycles or instructions). */
const char *power_event(const struct settings *settings, enum calibration_measure measure);

#endif
