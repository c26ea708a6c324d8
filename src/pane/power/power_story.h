/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences of the power pane: which series follows which. */
#ifndef PANETOP_PANE_POWER_POWER_STORY_H
#define PANETOP_PANE_POWER_POWER_STORY_H

#include <stddef.h>

#include "model/statistics.h"

/* "T follows L by 12 s (r 0.93)"; steps of the lag are step_seconds long. Returns text. */
const char *power_relation(char letter, char other, struct lag lag, double step_seconds, char *text,
			   size_t room);

#endif
