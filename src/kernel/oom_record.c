/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses from the end: what follows the name of the process are numbers. */
#include <config.h>

#include "kernel/oom_record.h"

#include <string.h>

#include "core/unknown.h"

static bool find(struct span text, const char *word, struct span *after)
{
	size_t length = strlen(word);
	const char *at = memmem(text.at, span_length(text), word, length);

	if (at)
		*after = (struct span){ at + length, text.end };
	return at != NULL;
}

/* Splits at the last one. */
static bool split_last(struct span *text, const char *word, struct span *after)
{
	struct span rest = *text;
	bool found = false;

	while (find(rest, word, &rest)) {
		*after = rest;
		found = true;
	}
	if (found)
		text->end = after->at - strlen(word);
	return found;
}

/* The third number of the record's head: PRIORITY,SEQUENCE,MICROSECONDS,… */
static uint64_t time_of(struct span line)
{
	struct span word;
	uint64_t us;

	if (!span_until(&line, ',', &word) || !span_until(&line, ',', &word) || !span_u64(&line, &us))
		return U64_UNKNOWN;
	return us;
}

bool oom_record_parse(struct span line, struct oom_record *record)
{
	struct span text, user, pid, group;

	if (!find(line, ";oom-kill:constraint=", &text) || !split_last(&text, ",uid=", &user) ||
	    !split_last(&text, ",pid=", &pid) || !span_is_u64(pid, &record->pid) ||
	    !split_last(&text, ",task=", &record->command) || !split_last(&text, ",task_memcg=", &group))
		return false;
	if (!find(text, ",oom_memcg=", &record->limit))
		record->limit = (struct span){ text.end, text.end };
	record->boot_us = time_of(line);
	return true;
}
