/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the last minutes of the overview, and saves them when a rule fires. */
#ifndef PANETOP_APP_FLIGHT_RECORDER_H
#define PANETOP_APP_FLIGHT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/frame.h"
#include "model/settings.h"
#include "sys/machine.h"

struct flight_recorder;

/* It saves into this directory. 0, or an exit status after an error message. */
int flight_recorder_open(struct flight_recorder **recorder, const struct machine_clock *clock,
			 const char *directory, const struct settings *settings);
void flight_recorder_close(struct flight_recorder *recorder); /* NULL is fine */

/* Marks the topics, by index, that it keeps: true. */
bool flight_recorder_want(bool *wanted);

void flight_recorder_keep(struct flight_recorder *recorder, const struct frame *frame);

/* Saves what it keeps, if rules have fired more often than when it was called last. */
void flight_recorder_note(struct flight_recorder *recorder, uint64_t n_fired);

#endif
