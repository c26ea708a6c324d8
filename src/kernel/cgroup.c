/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places, names and files of control groups, by both versions. */
#include <config.h>

#include "kernel/cgroup.h"

#include <string.h>

#include "core/i18n.h"
#include "kernel/mounts.h"

/* Version 1 means "no limit" by the largest multiple of the page size below 2^63. */
#define VERSION_1_NO_LIMIT (UINT64_C(0x7fffffffffffffff) & ~UINT64_C(0xffff))

/* "4:memory:/a/b" or, for version 2, "0::/a/b". */
static bool find_group(struct span cgroups, const char *controller, struct span *group)
{
	struct span line, id, controllers;

	while (span_line(&cgroups, &line)) {
		if (!span_until(&line, ':', &id) || !span_until(&line, ':', &controllers))
			continue;
		if (controller ? span_list_has(controllers, controller) : span_is(id, "0")) {
			*group = line;
			return true;
		}
	}
	return false;
}

/*
 * Is group, which has no escapes, equal to root or below it? Then *rest is what follows root, as the mount
 * shows only what is below it; otherwise all of group.
 */
static bool is_below(struct span root, struct span group, struct span *rest)
{
	struct span at = group;

	*rest = group;
	if (span_length(root) <= 1)
		return true;
	while (span_length(root) > 0)
		if (span_length(at) == 0 || mountinfo_byte(&root) != *at.at++)
			return false;
	if (span_length(at) > 0 && *at.at != '/')
		return false;
	*rest = at;
	return true;
}

static bool is_hierarchy(const struct mount_info *mount)
{
	return span_is(mount->type, "cgroup") || span_is(mount->type, "cgroup2");
}

/* The first mount of the hierarchy that shows the group; otherwise the first mount. */
static bool find_mount(struct span mounts, const char *controller, struct span group,
		       struct mount_info *mount)
{
	struct mount_info candidate;
	struct span rest;
	bool found = false;

	while (mountinfo_next(&mounts, &candidate)) {
		if (!(controller ? span_is(candidate.type, "cgroup") &&
					   span_list_has(candidate.options, controller)
				 : span_is(candidate.type, "cgroup2")))
			continue;
		if (!found)
			*mount = candidate;
		found = true;
		if (is_below(candidate.root, group, &rest)) {
			*mount = candidate;
			break;
		}
	}
	return found;
}

/* Copies without leading and trailing slashes; decodes a path of mountinfo. */
static bool copy_path(struct span path, bool escaped, char *out)
{
	size_t length = 0;

	while (path.at < path.end && *path.at == '/')
		path.at++;
	while (path.at < path.end && path.end[-1] == '/')
		path.end--;
	while (path.at < path.end) {
		if (length + 1 >= CGROUP_PATH_MAX)
			return false;
		out[length++] = escaped ? mountinfo_byte(&path) : *path.at++;
	}
	out[length] = '\0';
	return true;
}

static bool set_place(const struct mount_info *mount, struct span group, struct cgroup_place *place)
{
	return copy_path(mount->point, true, place->mount) && copy_path(group, false, place->group);
}

bool cgroup_find(struct span cgroups, struct span mounts, const char *controller, struct cgroup_place *place)
{
	struct span group, rest;
	struct mount_info mount;

	for (int version = 1; version <= 2; version++) {
		const char *name = version == 1 ? controller : NULL;

		if (!find_group(cgroups, name, &group) || !find_mount(mounts, name, group, &mount))
			continue;
		place->version = version;
		is_below(mount.root, group, &rest);
		return set_place(&mount, rest, place);
	}
	return false;
}

bool cgroup_next(struct span *mounts, const char *group, struct cgroup_place *place)
{
	struct mount_info mount;
	struct span rest;

	while (mountinfo_next(mounts, &mount)) {
		if (!is_hierarchy(&mount))
			continue;
		place->version = span_is(mount.type, "cgroup") ? 1 : 2;
		if (!is_below(mount.root, span_text(group), &rest))
			place->version = 0;
		return set_place(&mount, rest, place);
	}
	return false;
}

static unsigned depth_of(struct span path)
{
	unsigned depth = 0;

	for (const char *at = path.at; at + 1 < path.end; at++)
		depth += at[0] == '/' && at[1] != '/';
	return depth;
}

bool cgroup_path_in(struct span cgroups, unsigned hierarchy, struct span *path)
{
	static const char *const controllers[] = { "cpu", "memory", "pids", "blkio", "name=systemd", NULL };

	if (!find_group(cgroups, controllers[hierarchy], path) || span_length(*path) == 0 || *path->at != '/')
		return false;
	span_take_end(path, PATH_DELETED); /* it was removed below its last process */
	return true;
}

struct span cgroup_path(struct span cgroups)
{
	struct span deepest = span_text(""), path;

	for (unsigned i = 0; i < CGROUP_PATHS; i++)
		if (cgroup_path_in(cgroups, i, &path) &&
		    (span_length(deepest) == 0 || depth_of(path) > depth_of(deepest)))
			deepest = path;
	return deepest;
}

bool cgroup_mount_next(struct span *mounts, struct cgroup_mount *mount)
{
	struct mount_info found;

	while (mountinfo_next(mounts, &found)) {
		if (!is_hierarchy(&found) || !copy_path(found.point, true, mount->point))
			continue;
		mount->options = found.options;
		mount->version = span_is(found.type, "cgroup") ? 1 : 2;
		return true;
	}
	return false;
}

bool cgroup_mount_has(const struct cgroup_mount *mount, const char *option)
{
	return span_list_has(mount->options, option);
}

bool cgroup_quota_parse(struct span quota, struct span period, double *cpus)
{
	uint64_t quota_us, period_us;

	*cpus = 0;
	if (span_starts(quota, "max") || span_starts(quota, "-1"))
		return true;
	if (!span_u64(&quota, &quota_us) || !span_u64(&period, &period_us) || period_us == 0)
		return false;
	*cpus = (double)quota_us / (double)period_us;
	return true;
}

bool cgroup_limit_parse(struct span text, uint64_t *bytes)
{
	struct span line;

	if (!span_line(&text, &line))
		return false;
	if (span_is(line, "max")) {
		*bytes = CGROUP_NO_LIMIT;
		return true;
	}
	if (!span_u64(&line, bytes))
		return false;
	if (*bytes >= VERSION_1_NO_LIMIT)
		*bytes = CGROUP_NO_LIMIT;
	return true;
}

#define SHORT_ID_LENGTH 12

/* The part after the last slash, which it removes from path with the slash. */
static struct span take_last(struct span *path)
{
	struct span last = *path;

	while (last.at < last.end && last.end[-1] == '/')
		last.end--;
	path->end = last.end;
	while (path->end > path->at && path->end[-1] != '/')
		path->end--;
	last.at = path->end;
	if (path->end > path->at)
		path->end--;
	return last;
}

/* Usual engines have 64 digits, others the 32 of a UUID. */
static bool is_container_id(struct span text)
{
	if (span_length(text) != CONTAINER_ID_LENGTH && span_length(text) != CONTAINER_ID_LENGTH / 2)
		return false;
	while (text.at < text.end)
		if (ascii_hex_digit(*text.at++) < 0)
			return false;
	return true;
}

/* Of 32 digits, with dashes, or with the underscores that names of slices have instead. */
static bool is_pod_uid(struct span text)
{
	unsigned n_digits = 0;

	for (; text.at < text.end; text.at++) {
		if (ascii_hex_digit(*text.at) >= 0)
			n_digits++;
		else if (*text.at != '-' && *text.at != '_')
			return false;
	}
	return n_digits == 32;
}

/* systemd writes "\x2d" for a dash in a name. A NUL stays as it is written. */
static void copy_unescaped(struct cgroup_name *out, struct span text)
{
	size_t length = 0;

	while (text.at < text.end && length + 1 < sizeof(out->name)) {
		bool begins = span_length(text) >= 4 && text.at[0] == '\\' && text.at[1] == 'x';
		int high = begins ? ascii_hex_digit(text.at[2]) : -1;
		int low = begins ? ascii_hex_digit(text.at[3]) : -1;
		bool escaped = high >= 0 && low >= 0 && high + low > 0;

		out->name[length] = *text.at;
		if (escaped)
			out->name[length] = (char)(high << 4 | low);
		length++;
		text.at += escaped ? 4 : 1;
	}
	out->name[length] = '\0';
}

static void copy_short_id(struct cgroup_name *out, struct span id)
{
	size_t length = 0;

	for (; id.at < id.end && length < SHORT_ID_LENGTH; id.at++)
		if (ascii_hex_digit(*id.at) >= 0)
			out->name[length++] = ascii_lower(*id.at);
	out->name[length] = '\0';
}

static bool set_id(struct cgroup_name *out, enum cgroup_kind kind, enum container_engine engine,
		   struct span id)
{
	out->kind = kind;
	out->engine = engine;
	out->id = id;
	copy_short_id(out, id);
	return true;
}

static const struct {
	const char *start;
	enum container_engine engine;
} id_starts[] = {
	{ "docker-", ENGINE_DOCKER },      { "libpod-payload-", ENGINE_PODMAN },
	{ "libpod-", ENGINE_PODMAN },      { "cri-containerd-", ENGINE_CONTAINERD },
	{ "nerdctl-", ENGINE_CONTAINERD }, { "crio-", ENGINE_CRIO },
};

static bool has_part(struct span path, const char *start)
{
	while (span_length(path) > 0)
		if (span_starts(take_last(&path), start))
			return true;
	return false;
}

/* "docker-ID.scope", "libpod-ID", or "ID" in a group whose name says whose it is. */
static bool parse_container(struct span last, struct span above, struct cgroup_name *out)
{
	struct span id = last;
	struct span parent = above;

	span_take_end(&id, ".scope");
	for (size_t i = 0; i < sizeof(id_starts) / sizeof(id_starts[0]); i++) {
		struct span rest = id;

		if (span_take_start(&rest, id_starts[i].start) && is_container_id(rest))
			return set_id(out, CGROUP_CONTAINER, id_starts[i].engine, rest);
	}
	while (span_until(&id, ':', &parent)) /* "…-podUID.slice:cri-containerd:ID" */
		if (is_container_id(id))
			return set_id(out, CGROUP_CONTAINER,
				      span_is(parent, "crio") ? ENGINE_CRIO : ENGINE_CONTAINERD, id);
	if (!is_container_id(id))
		return false;
	parent = take_last(&above);
	return set_id(out, CGROUP_CONTAINER,
		      span_is(parent, "docker")       ? ENGINE_DOCKER
		      : span_starts(parent, "libpod") ? ENGINE_PODMAN
						      : ENGINE_UNKNOWN,
		      id);
}

/* "kubepods-burstable-podUID.slice", "podUID" below kubepods, "machine-libpod_pod_ID.slice". */
static bool parse_pod(struct span last, struct span above, struct cgroup_name *out)
{
	struct span id = last, name = last;
	const char *found;

	if (span_take_start(&id, "machine-libpod_pod_") && span_take_end(&id, ".slice") &&
	    is_container_id(id))
		return set_id(out, CGROUP_POD, ENGINE_PODMAN, id);
	if (span_take_start(&name, "kubepods") && span_take_end(&name, ".slice")) {
		found = memmem(name.at, span_length(name), "-pod", 4);
		id = found ? span_of(found + 4, (size_t)(name.end - found - 4)) : span_of(name.end, 0);
	} else if (!span_take_start(&id, "pod") || !has_part(above, "kubepods")) {
		return false;
	}
	return is_pod_uid(id) && set_id(out, CGROUP_POD, ENGINE_UNKNOWN, id);
}

/* Containers that have names in their paths: of LXC, and of systemd-nspawn. */
static bool parse_named(struct span last, struct span above, struct cgroup_name *out)
{
	struct span parent = take_last(&above), name = last;
	bool found = span_take_start(&name, "lxc.payload.") || span_is(parent, "lxc") ||
		     span_is(parent, "lxc.payload") ||
		     (span_take_start(&name, "systemd-nspawn@") && span_take_end(&name, ".service"));

	if (!found || span_length(name) == 0)
		return false;
	out->kind = CGROUP_CONTAINER;
	copy_unescaped(out, name);
	return true;
}

static enum cgroup_kind kind_of_unit(struct span last)
{
	static const char *const units[] = { ".service", ".socket", ".mount", ".swap", ".target", ".timer" };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (span_take_end(&last, units[i]))
			return CGROUP_UNIT;
	return span_take_end(&last, ".slice")   ? CGROUP_SLICE
	       : span_take_end(&last, ".scope") ? CGROUP_SCOPE
						: CGROUP_GROUP;
}

void cgroup_name_parse(struct span path, struct cgroup_name *out)
{
	struct span last = take_last(&path);

	*out = (struct cgroup_name){ .kind = CGROUP_GROUP, .id = span_of(last.end, 0) };
	if (span_length(last) == 0) {
		strcpy(out->name, "/");
		return;
	}
	if (parse_container(last, path, out) || parse_pod(last, path, out) || parse_named(last, path, out))
		return;
	out->kind = kind_of_unit(last);
	if (out->kind != CGROUP_GROUP)
		copy_unescaped(out, last);
	else
		memcpy(out->name, last.at,
		       span_length(last) < sizeof(out->name) ? span_length(last) : sizeof(out->name) - 1);
}

const char *cgroup_kind_name(enum cgroup_kind kind)
{
	static const char *const names[] = {
		[CGROUP_GROUP] = "group", [CGROUP_UNIT] = "unit",           [CGROUP_SLICE] = "slice",
		[CGROUP_SCOPE] = "scope", [CGROUP_CONTAINER] = "container", [CGROUP_POD] = "pod",
	};

	return names[kind];
}

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

#define MEMORY(name, field) { name, offsetof(struct cgroup_memory_stat, field) }

static const struct field memory_1[] = {
	MEMORY("total_rss", anonymous),
	MEMORY("total_cache", file),
	MEMORY("total_swap", swap),
	MEMORY("total_active_file", caches),
	MEMORY("total_inactive_file", caches),
	MEMORY("total_workingset_refault", refaults), /* before Linux 5.9 */
	MEMORY("total_workingset_refault_anon", refaults),
	MEMORY("total_workingset_refault_file", refaults),
	{ 0 },
};

static const struct field memory_2[] = {
	MEMORY("anon", anonymous),
	MEMORY("file", file),
	MEMORY("kernel", kernel), /* since Linux 5.18 */
	MEMORY("active_file", caches),
	MEMORY("inactive_file", caches),
	MEMORY("slab_reclaimable", caches),
	MEMORY("workingset_refault", refaults),
	MEMORY("workingset_refault_anon", refaults),
	MEMORY("workingset_refault_file", refaults),
	{ 0 },
};

/* What is known of the kernel's memory where there is no sum. */
static const struct field kernel_parts[] = {
	MEMORY("slab", kernel), MEMORY("kernel_stack", kernel), MEMORY("pagetables", kernel),
	MEMORY("percpu", kernel), { 0 },
};

void cgroup_memory_stat_parse(struct span text, int version, struct cgroup_memory_stat *stat)
{
	memset(stat, 0xff, sizeof(*stat)); /* all U64_UNKNOWN */
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

static bool find_word(struct span text, const char *word, struct span *after)
{
	size_t length = strlen(word);
	const char *at = memmem(text.at, span_length(text), word, length);

	if (at)
		*after = (struct span){ at + length, text.end };
	return at != NULL;
}

/* The third number of the record's head: PRIORITY,SEQUENCE,MICROSECONDS,… */
static bool take_time(struct span line, uint64_t *us)
{
	struct span word;

	return span_until(&line, ',', &word) && span_until(&line, ',', &word) && span_u64(&line, us);
}

/* "usage 61440kB, limit 61440kB, failcnt 7" */
static bool parse_usage(struct span text, struct oom_record *record)
{
	uint64_t kilobytes;

	record->line = OOM_USAGE;
	if (!find_word(text, ", limit ", &text) || !span_u64(&text, &kilobytes))
		return false;
	record->limit_bytes = kilobytes < VERSION_1_NO_LIMIT >> 10 ? kilobytes << 10 : U64_UNKNOWN;
	return true;
}

/* "Killed process 4711 (java) total-vm:…"; before Linux 5.3 "Kill process 4711 (java) score …" */
static bool parse_kill(struct span text, struct oom_record *record)
{
	record->line = OOM_KILL;
	if (!find_word(text, ": Kill", &text) || !find_word(text, " process ", &text) ||
	    !span_u64(&text, &record->pid) || !span_take_start(&text, " ("))
		return false;
	record->command = (struct span){ text.at, memrchr(text.at, ')', span_length(text)) };
	return record->command.end != NULL;
}

bool oom_record_parse(struct span line, struct oom_record *record)
{
	struct span text;

	if (!take_time(line, &record->boot_us) || !span_until(&line, ';', &text))
		return false;
	record->of_machine = span_take_start(&line, "Out of memory");
	if (record->of_machine || span_take_start(&line, "Memory cgroup out of memory"))
		return parse_kill(line, record);
	if (span_take_start(&line, "memory: usage "))
		return parse_usage(line, record);
	record->line = OOM_CAUSE;
	if (!span_take_start(&line, "oom-kill:constraint=") ||
	    !find_word(line, ",oom_memcg=", &record->limit) ||
	    !find_word(record->limit, ",task_memcg=", &text))
		return false;
	record->limit.end = text.at - strlen(",task_memcg=");
	return true;
}
