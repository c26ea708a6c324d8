/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers of the files of control groups that have names in their lines. */
#include <config.h>

#include "kernel/cgroup_stat.h"

#include <stddef.h>

#define NS_PER_US 1000

/* A line "name number", and where its number is added. */
struct field {
	const char *name;
	size_t offset;
};

static void add(uint64_t *sum, uint64_t value)
{
	if (*sum == U64_UNKNOWN)
		*sum = value;
	else if (value < U64_UNKNOWN - *sum)
		*sum += value;
}

static void add_fields(struct span text, const char *prefix, const struct field *fields, void *out)
{
	struct span line, name, rest;
	uint64_t value;

	while (span_line(&text, &line)) {
		if (!span_starts(line, prefix) || !span_pair_u64(line, &name, &value, &rest))
			continue;
		for (const struct field *field = fields; field->name; field++)
			if (span_is(name, field->name))
				add((uint64_t *)(void *)((char *)out + field->offset), value);
	}
}

#define MEMORY(file_name, field)                                                                             \
	{                                                                                                    \
		file_name, offsetof(struct cgroup_memory_stat, field)                                        \
	}

static const struct field memory_1[] = {
	MEMORY("total_rss", anonymous),
	MEMORY("total_cache", file),
	MEMORY("total_swap", swap),
	MEMORY("total_active_file", active_file),
	MEMORY("total_inactive_file", inactive_file),
	MEMORY("total_workingset_refault", refaults), /* before Linux 5.9 */
	MEMORY("total_workingset_refault_anon", refaults),
	MEMORY("total_workingset_refault_file", refaults),
	{ 0 },
};

static const struct field memory_2[] = {
	MEMORY("anon", anonymous),
	MEMORY("file", file),
	MEMORY("kernel", kernel), /* since Linux 5.18 */
	MEMORY("active_file", active_file),
	MEMORY("inactive_file", inactive_file),
	MEMORY("workingset_refault", refaults),
	MEMORY("workingset_refault_anon", refaults),
	MEMORY("workingset_refault_file", refaults),
	{ 0 },
};

/* What is known of the kernel's memory where there is no sum. */
static const struct field kernel_parts[] = {
	MEMORY("slab", kernel),
	MEMORY("kernel_stack", kernel),
	MEMORY("pagetables", kernel),
	MEMORY("percpu", kernel),
	{ 0 },
};

void cgroup_memory_stat_parse(struct span text, int version, struct cgroup_memory_stat *stat)
{
	*stat = (struct cgroup_memory_stat){ U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN,
					     U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN };
	add_fields(text, version == 1 ? "total_" : "", version == 1 ? memory_1 : memory_2, stat);
	if (version == 2 && stat->kernel == U64_UNKNOWN)
		add_fields(text, "", kernel_parts, stat);
}

static uint64_t to_ns(uint64_t us)
{
	return us > UINT64_MAX / NS_PER_US ? U64_UNKNOWN : us * NS_PER_US;
}

void cgroup_cpu_stat_parse(struct span text, struct cgroup_cpu_stat *stat)
{
	struct span line, name, rest;
	uint64_t value;

	*stat = (struct cgroup_cpu_stat){ U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN };
	while (span_line(&text, &line)) {
		if (!span_pair_u64(line, &name, &value, &rest))
			continue;
		if (span_is(name, "usage_usec"))
			stat->used_ns = to_ns(value);
		else if (span_is(name, "nr_periods"))
			stat->periods = value;
		else if (span_is(name, "nr_throttled"))
			stat->throttled_periods = value;
		else if (span_is(name, "throttled_usec"))
			stat->throttled_ns = to_ns(value);
		else if (span_is(name, "throttled_time"))
			stat->throttled_ns = value;
	}
}

/* "rbytes=4096 wbytes=0 rios=1 …" in any order. */
static bool parse_pairs(struct span line, struct cgroup_io *io)
{
	struct span word, name;
	uint64_t value;
	bool found = false;

	while (span_word(&line, &word)) {
		if (!span_until(&word, '=', &name) || !span_is_u64(word, &value))
			continue;
		if (span_is(name, "rbytes"))
			io->read_bytes = value;
		else if (span_is(name, "wbytes"))
			io->write_bytes = value;
		found |= span_is(name, "rbytes") || span_is(name, "wbytes");
		if (span_is(name, "rios"))
			io->reads = value;
		else if (span_is(name, "wios"))
			io->writes = value;
	}
	return found;
}

static bool parse_direction(struct span line, struct cgroup_io *io)
{
	struct span word;
	uint64_t value;

	if (!span_word(&line, &word) || !span_u64(&line, &value))
		return false;
	if (span_is(word, "Read"))
		io->read_bytes = value;
	else if (span_is(word, "Write"))
		io->write_bytes = value;
	else
		return false;
	return true;
}

bool cgroup_io_next(struct span *text, struct cgroup_io *io)
{
	struct span line;

	while (span_line(text, &line)) {
		*io = (struct cgroup_io){ 0 };
		if (span_u64(&line, &io->major) && span_char(&line, ':') && span_u64(&line, &io->minor) &&
		    (parse_pairs(line, io) || parse_direction(line, io)))
			return true;
	}
	return false;
}

/* "rbps=1048576 wbps=max riops=max wiops=max" in any order. */
static bool parse_limits(struct span line, struct cgroup_io_limits *limits)
{
	static const char *const names[N_CGROUP_IO_KINDS] = { "rbps", "wbps", "riops", "wiops" };
	struct span word, name;
	bool found = false;

	while (span_word(&line, &word)) {
		if (!span_until(&word, '=', &name))
			continue;
		for (unsigned kind = 0; kind < N_CGROUP_IO_KINDS; kind++)
			if (span_is(name, names[kind]))
				found |= span_is_u64(word, &limits->each_second[kind]);
	}
	return found;
}

bool cgroup_io_limits_next(struct span *text, enum cgroup_io_kind kind, struct cgroup_io_limits *limits)
{
	struct span line, word;

	while (span_line(text, &line)) {
		struct span rest;

		*limits = (struct cgroup_io_limits){ 0 };
		if (!span_u64(&line, &limits->major) || !span_char(&line, ':') ||
		    !span_u64(&line, &limits->minor))
			continue;
		rest = line;
		if (parse_limits(line, limits) ||
		    (span_word(&rest, &word) && span_is_u64(word, &limits->each_second[kind])))
			return true;
	}
	return false;
}

bool cgroup_value_parse(struct span text, const char *name, uint64_t *value)
{
	struct span line, found, rest;
	uint64_t number;

	while (span_line(&text, &line)) {
		if (!span_pair_u64(line, &found, &number, &rest) || !span_is(found, name))
			continue;
		*value = number;
		return true;
	}
	return false;
}
