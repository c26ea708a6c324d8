/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /etc/passwd. */
#include <config.h>

#include "kernel/passwd.h"

#include <string.h>

/* The next entry with a name and a number; false after the last. */
static bool next_entry(struct span *text, struct span *user, uint64_t *uid)
{
	struct span line, password;

	while (span_line(text, &line))
		if (span_until(&line, ':', user) && span_until(&line, ':', &password) &&
		    span_u64(&line, uid) && span_char(&line, ':') && span_length(*user) > 0)
			return true;
	return false;
}

bool passwd_find(struct span text, uint32_t uid, struct span *name)
{
	struct span user;
	uint64_t number;

	while (next_entry(&text, &user, &number)) {
		if (number != uid)
			continue;
		*name = user;
		return true;
	}
	return false;
}

bool passwd_number(struct span text, struct span name, uint32_t *uid)
{
	struct span user;
	uint64_t number;

	while (next_entry(&text, &user, &number)) {
		if (number > UINT32_MAX || !span_same(user, name))
			continue;
		*uid = (uint32_t)number;
		return true;
	}
	return false;
}
