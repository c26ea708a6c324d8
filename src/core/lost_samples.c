/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts losses, and words the messages about them. */
#include <config.h>

#include "core/lost_samples.h"

#include <stdio.h>

#include "core/i18n.h"

#define AGAIN_NS UINT64_C(60000000000)

bool lost_samples_add(struct lost_samples *lost, unsigned long n_samples, const char *why, uint64_t now_ns,
		      char *text, size_t room)
{
	lost->n_lost += n_samples;
	lost->last_lost = true;
	if (lost->reported_ns > 0 && now_ns - lost->reported_ns < AGAIN_NS)
		return false;
	snprintf(text, room, _("%s; samples are lost until it can be written again"), why);
	lost->reported = true;
	lost->reported_ns = now_ns;
	return true;
}

bool lost_samples_end(struct lost_samples *lost, char *text, size_t room)
{
	lost->last_lost = false;
	if (!lost->reported)
		return false;
	snprintf(text, room,
		 P_("written again; %lu sample was lost", "written again; %lu samples were lost",
		    lost->n_lost),
		 lost->n_lost);
	lost->reported = false;
	lost->n_lost = 0;
	return true;
}

bool lost_samples_rest(const struct lost_samples *lost, char *text, size_t room)
{
	snprintf(text, room, P_("%lu sample was lost", "%lu samples were lost", lost->n_lost), lost->n_lost);
	return lost->n_lost > 0;
}
