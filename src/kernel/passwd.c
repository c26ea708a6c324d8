/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /etc/passwd. */
#include <config.h>

#include "kernel/passwd.h"

bool passwd_find(struct span text, uint32_t uid, struct span *name)
{
	struct span line, user, password;
	uint64_t number;

	while (span_line(&text, &line)) {
		if (!span_until(&line, ':', &user) || !span_until(&line, ':', &password) ||
		    !span_u64(&line, &number) || number != uid || !span_char(&line, ':') ||
		    span_length(user) == 0)
			continue;
		*name = user;
		return true;
	}
	return false;
}
