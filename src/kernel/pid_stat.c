/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers of /proc/PID/stat and /proc/PID/io. */
#include <config.h>

#include "kernel/pid_stat.h"

#include <string.h>

/* Numbers of the fields as proc(5) counts them; the state is number 3. */
#define FIELD_STATE 3
#define FIELD_MAJOR_FAULTS 12
#define FIELD_START_TICKS 22

/* The name may hold ") (" and newlines: it ends at the last parenthesis. */
static bool parse_comm(struct span *text, struct span *comm)
{
	const char *close = memrchr(text->at, ')', span_length(*text));

	if (!span_char(text, ' ') || !span_char(text, '(') || !close || close < text->at)
		return false;
	*comm = (struct span){ .at = text->at, .end = close };
	text->at = close + 1;
	return true;
}

bool pid_stat_parse(struct span text, struct pid_stat *stat)
{
	struct pid_stat parsed;
	struct span word;
	uint64_t pid;

	if (!span_u64(&text, &pid) || span_length(text) < 3 || !parse_comm(&text, &parsed.comm) ||
	    !span_word(&text, &word))
		return false;
	for (int field = FIELD_STATE + 1; field <= FIELD_START_TICKS; field++) {
		if (!span_word(&text, &word))
			return false;
		if (field == FIELD_MAJOR_FAULTS && !span_u64(&word, &parsed.major_faults))
			return false;
		if (field == FIELD_START_TICKS && !span_u64(&word, &parsed.start_ticks))
			return false;
	}
	*stat = parsed;
	return true;
}

bool pid_io_parse(struct span text, struct pid_io *io)
{
	struct span line, name, rest;
	uint64_t value;

	while (span_line(&text, &line)) {
		if (span_pair_u64(line, &name, &value, &rest) && span_is(name, "read_bytes")) {
			io->read_bytes = value;
			return true;
		}
	}
	return false;
}
