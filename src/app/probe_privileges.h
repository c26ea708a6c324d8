/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of --probe, and those of them that tell what rights are held and why. */
#ifndef PANETOP_APP_PROBE_PRIVILEGES_H
#define PANETOP_APP_PROBE_PRIVILEGES_H

#include "model/frame.h"
#include "sys/env.h"
#include "sys/privilege.h"

struct probe_row {
	const char *topic, *source, *state, *gives, *reason, *remedy;
};

/* Adds to the first table of frame. before: as it was started; now it is as while panes are shown. */
void probe_privileges_add(struct frame *frame, const struct env *env, const struct privilege_state *before);

#endif
