/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A member that is a recording. */
#ifndef PANETOP_FLEET_RECORDING_MEMBER_H
#define PANETOP_FLEET_RECORDING_MEMBER_H

#include "fleet/member.h"

/* Takes the recording over. name is copied. */
void recording_member_open(struct member *member, const char *name, const struct source *recording,
			   unsigned serial, const struct member_plan *plan);

#endif
