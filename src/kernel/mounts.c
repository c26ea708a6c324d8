/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mounts, devices and locks, a line each. */
#include <config.h>

#include "kernel/mounts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/unknown.h"

/* The next mount of this type; the rest of its line are options and two numbers. */
static bool next_mount(struct span *text, const char *type, struct span *where, struct span *rest)
{
	struct span device, kind;

	while (span_line(text, rest))
		if (span_word(rest, &device) && span_word(rest, where) && span_word(rest, &kind) &&
		    span_is(kind, type))
			return true;
	return false;
}

bool mounts_find(struct span text, const char *type, struct span *directory)
{
	struct span rest;

	return next_mount(&text, type, directory, &rest);
}

static bool find_option(struct span list, const char *option, struct span *value)
{
	struct span one, name;

	while (span_item(&list, &one)) {
		if (span_until(&one, '=', &name) && span_is(name, option)) {
			*value = one;
			return true;
		}
	}
	return false;
}

bool mounts_option(struct span text, const char *type, const char *directory, const char *option,
		   struct span *value)
{
	struct span where, rest, options;
	bool found = false;

	while (next_mount(&text, type, &where, &rest))
		if (span_is(where, directory))
			found = span_word(&rest, &options) && find_option(options, option, value);
	return found;
}

static bool parse_device(struct span *line, uint64_t *device)
{
	uint64_t major, minor;

	if (!span_u64(line, &major) || !span_char(line, ':') || !span_u64(line, &minor))
		return false;
	*device = major << 32 | (minor & UINT32_MAX);
	return true;
}

/* Any number of optional fields, such as "master:1", and a dash. */
static bool skip_optional(struct span *line)
{
	struct span word;

	while (span_word(line, &word))
		if (span_is(word, "-"))
			return true;
	return false;
}

static bool parse_mount(struct span line, struct mount_info *info)
{
	struct span of_mount;

	if (!span_u64(&line, &info->id) || !span_u64(&line, &info->parent) ||
	    !parse_device(&line, &info->device) || !span_word(&line, &info->root) ||
	    !span_word(&line, &info->point) ||
	    !span_word(&line, &of_mount) || !skip_optional(&line) || !span_word(&line, &info->type) ||
	    !span_word(&line, &info->source))
		return false;
	if (!span_word(&line, &info->options))
		info->options = span_text("");
	info->read_only = span_list_has(info->options, "ro");
	info->is_written = !info->read_only && !span_list_has(of_mount, "ro");
	return true;
}

bool mountinfo_next(struct span *text, struct mount_info *info)
{
	struct span line;

	while (span_line(text, &line))
		if (parse_mount(line, info))
			return true;
	return false;
}

/* The byte of an escape, a backslash and three octal digits; 0: it is none. */
static char escaped_byte(struct span text)
{
	unsigned value = 0;

	if (span_length(text) < 4 || *text.at != '\\')
		return '\0';
	for (unsigned i = 1; i <= 3; i++) {
		if (text.at[i] < '0' || text.at[i] > '7')
			return '\0';
		value = value * 8 + (unsigned)(text.at[i] - '0');
	}
	return value <= UINT8_MAX ? (char)value : '\0';
}

char mountinfo_byte(struct span *escaped)
{
	char byte = escaped_byte(*escaped);
	size_t length = byte ? 4 : 1;

	if (!byte)
		byte = *escaped->at ? *escaped->at : '?';
	escaped->at += length;
	return byte;
}

char *mountinfo_text(struct span escaped)
{
	char *text = alloc_zeroed(span_length(escaped) + 1, 1), *to = text;

	while (escaped.at < escaped.end)
		*to++ = mountinfo_byte(&escaped);
	return text;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool parse_requests(struct span *line, struct disk_requests *requests)
{
	return span_u64(line, &requests->completed) && span_u64(line, &requests->merged) &&
	       span_u64(line, &requests->sectors) && span_u64(line, &requests->milliseconds);
}

bool disk_stats_next(struct span *text, struct disk_stats *stats)
{
	struct span line;

	while (span_line(text, &line)) {
		if (span_u64(&line, &stats->major) && span_u64(&line, &stats->minor) &&
		    span_word(&line, &stats->name) && parse_requests(&line, &stats->reads) &&
		    parse_requests(&line, &stats->writes) && span_u64(&line, &stats->in_flight) &&
		    span_u64(&line, &stats->busy_ms) && span_u64(&line, &stats->queue_ms)) {
			/* what newer kernels append */
			if (!parse_requests(&line, &stats->discards))
				memset(&stats->discards, 0xff, sizeof(stats->discards)); /* all unknown */
			if (!span_u64(&line, &stats->flushes) || !span_u64(&line, &stats->flush_ms))
				stats->flushes = stats->flush_ms = U64_UNKNOWN;
			return true;
		}
	}
	return false;
}

bool disk_is_partition(struct span disk, struct span name)
{
	size_t length = span_length(disk);
	struct span rest = name;
	uint64_t number;

	if (length == 0 || span_length(name) <= length || memcmp(disk.at, name.at, length) != 0)
		return false;
	rest.at += length;
	if (is_digit(disk.end[-1]) && !span_char(&rest, 'p'))
		return false;
	return rest.at < rest.end && is_digit(*rest.at) && span_u64(&rest, &number) && rest.at == rest.end;
}

bool disk_is_stacked(struct span name)
{
	static const char *const prefixes[] = { "loop", "ram", "zram", "dm-", "md", "drbd", "bcache", "zd" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (span_starts(name, prefixes[i]))
			return true;
	return false;
}

bool disk_path_head(struct span name, char head[DISK_HEAD_MAX])
{
	uint64_t subsystem, controller, space;

	if (!span_take_start(&name, "nvme") || !span_u64(&name, &subsystem) ||
	    !span_char(&name, 'c') || !span_u64(&name, &controller) || !span_char(&name, 'n') ||
	    !span_u64(&name, &space) || name.at < name.end)
		return false;
	snprintf(head, DISK_HEAD_MAX, "nvme%" PRIu64 "n%" PRIu64, subsystem, space);
	return true;
}

/* A line: "7: -> FLOCK  ADVISORY  WRITE 4711 fe:00:123 0 EOF". */
struct lock_line {
	uint64_t number, pid;
	bool waits;
};

static bool parse_lock(struct span line, struct lock_line *lock)
{
	struct span word, pid;

	*lock = (struct lock_line){ 0 };
	if (!span_word(&line, &word) || span_length(word) < 2 || word.end[-1] != ':')
		return false;
	word.end--;
	if (!span_is_u64(word, &lock->number) || !span_word(&line, &word))
		return false;
	lock->waits = span_is(word, "->");
	if (lock->waits && !span_word(&line, &word)) /* FLOCK, POSIX, OFDLCK, LEASE, … */
		return false;
	return span_word(&line, &word) && span_word(&line, &word) && span_word(&line, &pid) &&
	       span_is_u64(pid, &lock->pid);
}

bool file_locks_holder(struct span text, uint64_t pid, uint64_t *holder)
{
	struct lock_line held = { 0 }, lock;
	struct span line;

	while (span_line(&text, &line)) {
		bool known = parse_lock(line, &lock);

		if (known && lock.waits && lock.pid == pid && lock.number == held.number && held.pid > 0) {
			*holder = held.pid;
			return true;
		}
		if (!known || !lock.waits)
			held = lock;
	}
	return false;
}
