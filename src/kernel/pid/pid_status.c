/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers of /proc/PID/status. */
#include <config.h>

#include "kernel/pid/pid_status.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
} lines[] = {
	{ "VmPeak", offsetof(struct pid_status, vm_peak) },
	{ "VmSize", offsetof(struct pid_status, vm_size) },
	{ "VmLck", offsetof(struct pid_status, vm_locked) },
	{ "VmPin", offsetof(struct pid_status, vm_pinned) },
	{ "VmHWM", offsetof(struct pid_status, vm_resident_peak) },
	{ "VmRSS", offsetof(struct pid_status, vm_resident) },
	{ "RssAnon", offsetof(struct pid_status, resident_anonymous) },
	{ "RssFile", offsetof(struct pid_status, resident_file) },
	{ "RssShmem", offsetof(struct pid_status, resident_shared) },
	{ "VmData", offsetof(struct pid_status, vm_data) },
	{ "VmStk", offsetof(struct pid_status, vm_stack) },
	{ "VmExe", offsetof(struct pid_status, vm_program) },
	{ "VmLib", offsetof(struct pid_status, vm_library) },
	{ "VmPTE", offsetof(struct pid_status, vm_page_tables) },
	{ "VmSwap", offsetof(struct pid_status, vm_swap) },
	{ "HugetlbPages", offsetof(struct pid_status, huge_pages) },
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
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
			uint64_t bytes = kib * 1024;

			if (span_is(name, lines[i].name))
				memcpy((char *)status + lines[i].offset, &bytes, sizeof(bytes));
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
