/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What numbers about two series mean, in words. */
#include <config.h>

#include "pane/power/power_story.h"

#include <math.h>
#include <stdio.h>

#include "core/i18n.h"

#define RELATED 0.3 /* |r| below this says little */

const char *power_relation(char letter, char other, struct lag lag, double step_seconds, char *text,
			   size_t room)
{
	double seconds = fabs((double)lag.steps * step_seconds);
	int digits = step_seconds < 1 && seconds < 10 ? 1 : 0;

	if (isnan(lag.correlation))
		snprintf(text, room, _("%c and %c: not known yet"), letter, other);
	else if (fabs(lag.correlation) < RELATED)
		snprintf(text, room, _("%c and %c have little to do with each other (r %.2f)"), letter, other,
			 lag.correlation);
	else if (lag.steps == 0)
		snprintf(text, room,
			 lag.correlation > 0 ? _("%c follows %c at once (r %.2f)")
					     : _("%c falls when %c rises (r %.2f)"),
			 letter, other, lag.correlation);
	else if (lag.correlation > 0)
		snprintf(text, room,
			 lag.steps > 0 ? _("%c follows %c by %.*f s (r %.2f)")
				       : _("%c is ahead of %c by %.*f s (r %.2f)"),
			 letter, other, digits, seconds, lag.correlation);
	else
		snprintf(text, room,
			 lag.steps > 0 ? _("%c falls when %c has risen, %.*f s later (r %.2f)")
				       : _("%c falls before %c rises, by %.*f s (r %.2f)"),
			 letter, other, digits, seconds, lag.correlation);
	return text;
}
