/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers of /proc/PID/stat, status and io. */
#include <config.h>

#include "kernel/pid_stat.h"

#include <string.h>

/* Numbers of some fields as proc(5) counts them. */
#define FIELD_STATE 3
#define FIELD_START_TICKS 22
#define FIELD_PROCESSOR 39

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

static bool parse_signed(struct span word, int64_t *value)
{
	bool negative = span_char(&word, '-');
	uint64_t size;

	if (!span_u64(&word, &size) || size > INT64_MAX)
		return false;
	*value = negative ? -(int64_t)size : (int64_t)size;
	return true;
}

/* Puts the field with this number where it belongs; those that nobody asked for are none of our business. */
static bool take_field(struct pid_stat *stat, int field, struct span word)
{
	switch (field) {
	case 4:
		return span_u64(&word, &stat->parent_pid);
	case 5:
		return parse_signed(word, &stat->process_group);
	case 6:
		return parse_signed(word, &stat->session);
	case 7:
		return parse_signed(word, &stat->terminal);
	case 9:
		return span_u64(&word, &stat->flags);
	case 10:
		return span_u64(&word, &stat->minor_faults);
	case 12:
		return span_u64(&word, &stat->major_faults);
	case 14:
		return span_u64(&word, &stat->user_ticks);
	case 15:
		return span_u64(&word, &stat->system_ticks);
	case 16:
		return span_u64(&word, &stat->children_user_ticks);
	case 17:
		return span_u64(&word, &stat->children_system_ticks);
	case 19:
		return parse_signed(word, &stat->nice);
	case 20:
		return span_u64(&word, &stat->threads);
	case 22:
		return span_u64(&word, &stat->start_ticks);
	case 24:
		return span_u64(&word, &stat->resident_pages);
	case 39:
		return span_u64(&word, &stat->processor);
	default:
		return true;
	}
}

bool pid_stat_parse(struct span text, struct pid_stat *stat)
{
	struct pid_stat parsed = { .resident_pages = U64_UNKNOWN, .processor = U64_UNKNOWN };
	struct span word;
	uint64_t pid;

	if (!span_u64(&text, &pid) || span_length(text) < 3 || !parse_comm(&text, &parsed.comm) ||
	    !span_word(&text, &word))
		return false;
	parsed.state = *word.at;
	for (int field = FIELD_STATE + 1; field <= FIELD_PROCESSOR; field++)
		if (!span_word(&text, &word) || !take_field(&parsed, field, word)) {
			if (field <= FIELD_START_TICKS)
				return false;
			break;
		}
	*stat = parsed;
	return true;
}

const char *pid_state_text(char state)
{
	static const char letters[] = "RSDTtZXxKWPI";
	static const char *const texts[] = { "R", "S", "D", "T", "t", "Z", "X", "x", "K", "W", "P", "I" };
	const char *found = state ? strchr(letters, state) : NULL;

	return found ? texts[found - letters] : "?";
}

bool pid_status_uids(struct span text, uint32_t *real, uint32_t *effective)
{
	struct span line, name, rest;
	uint64_t first, second;

	while (span_line(&text, &line)) {
		if (!span_pair_u64(line, &name, &first, &rest) || !span_is(name, "Uid"))
			continue;
		if (!span_u64(&rest, &second) || first > UINT32_MAX || second > UINT32_MAX)
			return false;
		*real = (uint32_t)first;
		*effective = (uint32_t)second;
		return true;
	}
	return false;
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
