/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences that must read the same in every pane. */
#include <config.h>

#include "pane/text.h"

#include <errno.h>
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
