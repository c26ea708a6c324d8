/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc says of a process in numbers, by place or by name. */
#include <config.h>

#include "kernel/pid/pid_stat.h"

#include <string.h>

/* Field numbers as in proc(5). */
enum {
	FIELD_STATE = 3,
	FIELD_START_TICKS = 22,
	FIELD_PROCESSOR = 39,
	FIELD_POLICY = 41,
	FIELD_DISK_TICKS = 42,
	FIELD_EXIT_STATUS = 52,
};

enum field_type { FIELD_SKIPPED, FIELD_U64, FIELD_U32, FIELD_I32 };

#define FIELD(type, name) { FIELD_##type, offsetof(struct pid_stat, name) }

/* By number. */
static const struct field {
	enum field_type type;
	size_t offset;
} fields[FIELD_PROCESSOR + 1] = {
	[4] = FIELD(U32, parent_pid),
	[5] = FIELD(I32, process_group),
	[6] = FIELD(I32, session),
	[7] = FIELD(I32, terminal),
	[9] = FIELD(U32, flags),
	[10] = FIELD(U64, minor_faults),
	[11] = FIELD(U64, children_minor_faults),
	[12] = FIELD(U64, major_faults),
	[14] = FIELD(U64, user_ticks),
	[15] = FIELD(U64, system_ticks),
	[16] = FIELD(U64, children_user_ticks),
	[17] = FIELD(U64, children_system_ticks),
	[18] = FIELD(I32, priority),
	[19] = FIELD(I32, nice),
	[20] = FIELD(U32, threads),
	[FIELD_START_TICKS] = FIELD(U64, start_ticks),
	[24] = FIELD(U64, resident_pages),
	[FIELD_PROCESSOR] = FIELD(U64, processor),
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

static bool take_field(struct pid_stat *stat, const struct field *field, struct span word)
{
	void *at = (char *)stat + field->offset;

	switch (field->type) {
	case FIELD_U64:
		return span_u64(&word, at);
	case FIELD_U32:
		return take_u32(word, at);
	case FIELD_I32:
		return take_i32(word, at);
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
		if (!span_word(&text, &word) || !take_field(&parsed, &fields[field], word)) {
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

#define STATUS(name, field) { name, offsetof(struct pid_status, field) }

static const struct {
	const char *name;
	size_t offset;
} status_lines[] = {
	STATUS("VmPeak", vm_peak), STATUS("VmSize", vm_size), STATUS("VmLck", vm_locked),
	STATUS("VmPin", vm_pinned), STATUS("VmHWM", vm_resident_peak),
	STATUS("VmRSS", vm_resident), STATUS("RssAnon", resident_anonymous),
	STATUS("RssFile", resident_file), STATUS("RssShmem", resident_shared),
	STATUS("VmData", vm_data), STATUS("VmStk", vm_stack), STATUS("VmExe", vm_program),
	STATUS("VmLib", vm_library), STATUS("VmPTE", vm_page_tables), STATUS("VmSwap", vm_swap),
	STATUS("HugetlbPages", huge_pages),
};

void pid_status_parse(struct span text, struct pid_status *status)
{
	struct span line, name, unit;
	uint64_t kib;

	memset(status, 0xff, sizeof(*status)); /* all U64_UNKNOWN */
	while (span_line(&text, &line)) {
		if (!span_pair_u64(line, &name, &kib, &unit) || !span_is(unit, " kB") ||
		    kib > UINT64_MAX / 1024)
			continue;
		for (size_t i = 0; i < sizeof(status_lines) / sizeof(status_lines[0]); i++) {
			uint64_t bytes = kib * 1024;

			if (span_is(name, status_lines[i].name))
				memcpy((char *)status + status_lines[i].offset, &bytes, sizeof(bytes));
		}
	}
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

bool pid_status_line(struct span text, const char *wanted, struct span *value)
{
	struct span line, name;

	while (span_line(&text, &line)) {
		if (!span_until(&line, ':', &name) || !span_is(name, wanted))
			continue;
		while (line.at < line.end && (*line.at == '\t' || *line.at == ' '))
			line.at++;
		*value = line;
		return true;
	}
	return false;
}

static bool signal_set(struct span text, const char *name, uint64_t *set)
{
	struct span value;

	return pid_status_line(text, name, &value) && span_hex(&value, set);
}

bool pid_status_signals(struct span text, struct pid_signals *signals)
{
	struct span value;

	signals->queued = signals->queued_max = U64_UNKNOWN;
	if (pid_status_line(text, "SigQ", &value) && span_u64(&value, &signals->queued) &&
	    span_char(&value, '/'))
		span_u64(&value, &signals->queued_max);
	return signal_set(text, "SigPnd", &signals->thread_pending) &&
	       signal_set(text, "ShdPnd", &signals->pending) &&
	       signal_set(text, "SigBlk", &signals->blocked) &&
	       signal_set(text, "SigIgn", &signals->ignored) && signal_set(text, "SigCgt", &signals->caught);
}

/* Lines in columns of fixed width, as names of limits and units hold blanks. */
#define NAME_CELLS 26 /* the kernel pads names to 25 and a blank */

static bool parse_limit_value(struct span *line, uint64_t *value)
{
	struct span word;

	if (!span_word(line, &word))
		return false;
	if (span_is(word, "unlimited")) {
		*value = PID_UNLIMITED;
		return true;
	}
	return span_is_u64(word, value) && *value < PID_UNLIMITED;
}

/* Names contain blanks: the numbers begin in a fixed column. */
static bool parse_limit(struct span line, struct pid_limit *limit)
{
	struct span rest;

	if (span_length(line) <= NAME_CELLS)
		return false;
	limit->name = span_trimmed(span_of(line.at, NAME_CELLS));
	rest = span_of(line.at + NAME_CELLS, span_length(line) - NAME_CELLS);
	if (span_length(limit->name) == 0 || !parse_limit_value(&rest, &limit->soft) ||
	    !parse_limit_value(&rest, &limit->hard))
		return false;
	if (!span_word(&rest, &limit->unit))
		limit->unit = span_text("");
	return true;
}

bool pid_limits_next(struct span *text, struct pid_limit *limit)
{
	struct span line;

	while (span_line(text, &line))
		if (parse_limit(line, limit))
			return true;
	return false;
}

#define SECOND_NS INT64_C(1000000000)
#define CENTURY_SECONDS INT64_C(3155760000)

/* The kernel's nanoseconds count up from the seconds, also where these are negative. */
bool timens_offset(struct span text, const char *clock, int64_t *ahead_ns)
{
	struct span line, name;
	int64_t seconds, ns;

	while (span_line(&text, &line)) {
		if (!span_word(&line, &name) || !span_is(name, clock))
			continue;
		if (!span_i64(&line, &seconds) || !span_i64(&line, &ns) || seconds > CENTURY_SECONDS ||
		    seconds < -CENTURY_SECONDS || ns < 0 || ns >= SECOND_NS)
			return false;
		*ahead_ns = seconds * SECOND_NS + ns;
		return true;
	}
	return false;
}
