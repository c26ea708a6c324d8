/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A running calibration: generates the load and takes samples. */
#ifndef PANETOP_PANE_POWER_CALIBRATION_RUN_H
#define PANETOP_PANE_POWER_CALIBRATION_RUN_H

#include "model/calibration.h"
#include "model/frame.h"
#include "model/settings.h"
#include "sys/latency_thread.h"

struct calibration_run {
	struct cpu_load *load;
	uint64_t operations; /* of the load, at the previous sample */
	struct calibration calibration;
};

/* Starts the load. False when the threads cannot be started. */
bool calibration_run_open(struct calibration_run *run, const struct calibration_plan *plan);
void calibration_run_close(struct calibration_run *run);

/*
 * Takes a frame with its rates (tables power, cpu and, if sampled, counter) and sets the next load. The
 * settings may name the events that are counted as cycles and instructions. True when a step has ended.
 */
bool calibration_run_feed(struct calibration_run *run, const struct frame *frame,
			  const struct settings *settings);

/* The name of the event of this measure (cycles or instructions). */
const char *calibration_event(const struct settings *settings, enum calibration_measure measure);

#endif
