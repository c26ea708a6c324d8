/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers of /proc/PID/stat, statm, io, schedstat and sched. */
#include <config.h>

#include "kernel/pid/pid_stat.h"

#include <string.h>

/* Field numbers as in proc(5). */
enum field {
	FIELD_STATE = 3,
	FIELD_PARENT = 4,
	FIELD_GROUP = 5,
	FIELD_SESSION = 6,
	FIELD_TERMINAL = 7,
	FIELD_FLAGS = 9,
	FIELD_MINOR_FAULTS = 10,
	FIELD_CHILDREN_MINOR_FAULTS = 11,
	FIELD_MAJOR_FAULTS = 12,
	FIELD_USER_TICKS = 14,
	FIELD_SYSTEM_TICKS = 15,
	FIELD_CHILDREN_USER_TICKS = 16,
	FIELD_CHILDREN_SYSTEM_TICKS = 17,
	FIELD_PRIORITY = 18,
	FIELD_NICE = 19,
	FIELD_THREADS = 20,
	FIELD_START_TICKS = 22,
	FIELD_RESIDENT_PAGES = 24,
	FIELD_PROCESSOR = 39,
	FIELD_POLICY = 41,
	FIELD_DISK_TICKS = 42,
	FIELD_EXIT_STATUS = 52,
};

/* The name may contain ") (" and newlines: it ends at the last parenthesis. */
static bool parse_comm(struct span *text, struct span *comm)
{
	const char *close = memrchr(text->at, ')', span_length(*text));

	if (!span_char(text, ' ') || !span_char(text, '(') || !close || close < text->at)
		return false;
	*comm = (struct span){ .at = text->at, .end = close };
	text->at = close + 1;
	return true;
}

static bool take_u32(struct span word, uint32_t *value)
{
	uint64_t number;

	if (!span_u64(&word, &number) || number > UINT32_MAX)
		return false;
	*value = (uint32_t)number;
	return true;
}

static bool take_i32(struct span word, int32_t *value)
{
	int64_t number;

	if (!span_i64(&word, &number) || number < INT32_MIN || number > INT32_MAX)
		return false;
	*value = (int32_t)number;
	return true;
}

/* Stores the field with this number, if stat has it. */
static bool take_field(struct pid_stat *stat, int field, struct span word)
{
	switch (field) {
	case FIELD_PARENT:
		return take_u32(word, &stat->parent_pid);
	case FIELD_GROUP:
		return take_i32(word, &stat->process_group);
	case FIELD_SESSION:
		return take_i32(word, &stat->session);
	case FIELD_TERMINAL:
		return take_i32(word, &stat->terminal);
	case FIELD_FLAGS:
		return take_u32(word, &stat->flags);
	case FIELD_MINOR_FAULTS:
		return span_u64(&word, &stat->minor_faults);
	case FIELD_CHILDREN_MINOR_FAULTS:
		return span_u64(&word, &stat->children_minor_faults);
	case FIELD_MAJOR_FAULTS:
		return span_u64(&word, &stat->major_faults);
	case FIELD_USER_TICKS:
		return span_u64(&word, &stat->user_ticks);
	case FIELD_SYSTEM_TICKS:
		return span_u64(&word, &stat->system_ticks);
	case FIELD_CHILDREN_USER_TICKS:
		return span_u64(&word, &stat->children_user_ticks);
	case FIELD_CHILDREN_SYSTEM_TICKS:
		return span_u64(&word, &stat->children_system_ticks);
	case FIELD_PRIORITY:
		return take_i32(word, &stat->priority);
	case FIELD_NICE:
		return take_i32(word, &stat->nice);
	case FIELD_THREADS:
		return take_u32(word, &stat->threads);
	case FIELD_START_TICKS:
		return span_u64(&word, &stat->start_ticks);
	case FIELD_RESIDENT_PAGES:
		return span_u64(&word, &stat->resident_pages);
	case FIELD_PROCESSOR:
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

/* The field with this number, as a number. */
static bool field_u64(struct span text, int wanted, uint64_t *value)
{
	struct span word, comm;
	uint64_t pid;

	if (!span_u64(&text, &pid) || span_length(text) < 3 || !parse_comm(&text, &comm))
		return false;
	for (int field = FIELD_STATE; field <= wanted; field++)
		if (!span_word(&text, &word))
			return false;
	return span_u64(&word, value);
}

bool pid_stat_exit_status(struct span text, int *status)
{
	uint64_t value;

	if (!field_u64(text, FIELD_EXIT_STATUS, &value) || value > INT32_MAX)
		return false;
	*status = (int)value;
	return true;
}

bool pid_stat_late_fields(struct span text, uint64_t *policy, uint64_t *disk_ticks)
{
	return field_u64(text, FIELD_POLICY, policy) && field_u64(text, FIELD_DISK_TICKS, disk_ticks);
}

const char *pid_state_text(char state)
{
	static const char letters[] = "RSDTtZXxKWPI";
	static const char *const texts[] = { "R", "S", "D", "T", "t", "Z", "X", "x", "K", "W", "P", "I" };
	const char *found = state ? strchr(letters, state) : NULL;

	return found ? texts[found - letters] : "?";
}

bool pid_statm_parse(struct span text, struct pid_statm *statm)
{
	return span_u64(&text, &statm->virtual_pages) && span_u64(&text, &statm->resident_pages) &&
	       span_u64(&text, &statm->shared_pages);
}

bool pid_io_parse(struct span text, struct pid_io *io)
{
	struct span line, name, rest;
	uint64_t value;

	*io = (struct pid_io){ U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN };
	while (span_line(&text, &line)) {
		if (!span_pair_u64(line, &name, &value, &rest))
			continue;
		if (span_is(name, "read_bytes"))
			io->read_bytes = value;
		else if (span_is(name, "write_bytes"))
			io->write_bytes = value;
		else if (span_is(name, "rchar"))
			io->call_read_bytes = value;
		else if (span_is(name, "wchar"))
			io->call_write_bytes = value;
	}
	return io->read_bytes != U64_UNKNOWN;
}

bool pid_schedstat_parse(struct span text, struct pid_schedstat *schedstat)
{
	return span_u64(&text, &schedstat->run_ns) && span_u64(&text, &schedstat->wait_ns) &&
	       span_u64(&text, &schedstat->runs);
}

bool pid_sched_parse(struct span text, double *task_clock_seconds)
{
	struct span line, name, colon;
	double milliseconds;

	while (span_line(&text, &line)) {
		if (!span_word(&line, &name) || !span_is(name, "se.exec_start") ||
		    !span_word(&line, &colon) || !span_is(colon, ":"))
			continue;
		if (!span_word(&line, &name) || !span_f64(&name, &milliseconds))
			return false;
		*task_clock_seconds = milliseconds / 1e3;
		return true;
	}
	return false;
}
