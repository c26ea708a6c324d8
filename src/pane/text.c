/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences and times that must read the same in every pane. */
#include <config.h>

#include "pane/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "sys/env.h"

char *failure_text(char text[TEXT_MAX], int error, const char *remedy)
{
	snprintf(text, TEXT_MAX, "%s%s%s",
		 error == -ENOTSUP && !remedy ? _("this is not the live machine")
		 : error == -ESRCH            ? _("the process has ended")
					      : env_error_text(-error),
		 remedy ? "; " : "", remedy ? remedy : "");
	return text;
}

char *stretch_text(char text[STRETCH_MAX], double seconds)
{
	if (seconds < 120)
		snprintf(text, STRETCH_MAX, _("%.0f s"), seconds);
	else if (seconds < 7200)
		snprintf(text, STRETCH_MAX, _("%.0f min"), floor(seconds / 60));
	else
		snprintf(text, STRETCH_MAX, _("%.1f h"), floor(seconds / 360) / 10);
	return text;
}
