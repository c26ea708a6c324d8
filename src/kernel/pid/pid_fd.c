/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links of file descriptors, and lines of fdinfo, which differ by the kind of file and by driver. */
#include <config.h>

#include "kernel/pid/pid_fd.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"

#ifndef O_TMPFILE
#define O_TMPFILE 020000000
#endif

static uint64_t bracketed_inode(struct span text)
{
	uint64_t inode;

	return span_char(&text, '[') && span_u64(&text, &inode) && span_char(&text, ']') ? inode
											 : U64_UNKNOWN;
}

/* Files in memory lie below /dev, too. */
static bool is_device(struct span path)
{
	return span_starts(path, "/dev/") && !span_starts(path, "/dev/shm/") &&
	       !span_starts(path, "/dev/mqueue/") && !span_starts(path, "/dev/hugepages/");
}

/* "anon_inode:[eventpoll]"; some have no brackets. */
static struct span anonymous_kind(struct span name)
{
	if (span_char(&name, '[') && name.end > name.at && name.end[-1] == ']')
		name.end--;
	return name;
}

void pid_fd_link_parse(struct span link, struct pid_fd_link *parsed)
{
	struct span rest = link;

	*parsed = (struct pid_fd_link){ .path = link, .inode = U64_UNKNOWN };
	if (span_take_start(&rest, "socket:")) {
		parsed->kind = N_("socket");
		parsed->inode = bracketed_inode(rest);
	} else if (span_take_start(&rest, "pipe:")) {
		parsed->kind = N_("pipe");
		parsed->inode = bracketed_inode(rest);
	} else if (span_take_start(&rest, "anon_inode:")) {
		parsed->anonymous = anonymous_kind(rest);
	} else if (span_starts(rest, "/memfd:")) {
		parsed->kind = N_("memfd");
		span_take_end(&parsed->path, PATH_DELETED);
	} else if (span_starts(rest, "/")) {
		parsed->kind = is_device(rest) ? N_("device") : N_("file");
		parsed->deleted = span_take_end(&parsed->path, PATH_DELETED);
	} else {
		parsed->kind = N_("other");
	}
}

void pid_fd_info_parse(struct span text, struct pid_fd_info *info)
{
	struct span line, name, rest;
	uint64_t value;

	*info = (struct pid_fd_info){ U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN };
	while (span_line(&text, &line)) {
		if (!span_pair_u64(line, &name, &value, &rest))
			continue;
		if (span_is(name, "pos"))
			info->position = value;
		else if (span_is(name, "mnt_id"))
			info->mount = value;
		else if (span_is(name, "ino"))
			info->inode = value;
		else if (span_is(name, "flags") && span_until(&line, ':', &name) && span_word(&line, &rest)) {
			info->flags = 0;
			for (; rest.at < rest.end && *rest.at >= '0' && *rest.at <= '7'; rest.at++)
				info->flags = info->flags << 3 | (uint64_t)(*rest.at - '0');
		}
	}
}

bool pid_fd_is_directory(uint64_t flags)
{
	return flags != U64_UNKNOWN && (flags & O_DIRECTORY) && (flags & O_TMPFILE) != O_TMPFILE;
}

char *pid_fd_flags_text(uint64_t flags, char out[PID_FD_FLAGS_MAX])
{
	static const struct {
		uint64_t flag;
		const char *name;
	} names[] = {
		{ O_APPEND, "append" }, { O_NONBLOCK, "nonblock" }, { O_DSYNC, "dsync" },
		{ O_ASYNC, "async" },   { O_DIRECT, "direct" },     { O_CLOEXEC, "cloexec" },
	};
	static const char *const modes[] = { "r", "w", "rw", "-" };
	size_t used = (size_t)snprintf(out, PID_FD_FLAGS_MAX, "%s",
				       (flags & O_PATH) ? "path" : modes[flags & O_ACCMODE]);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (flags & names[i].flag)
			used += (size_t)snprintf(out + used, PID_FD_FLAGS_MAX - used, ",%s", names[i].name);
	return out;
}

/* Lines of "drm-KIND-NAME: NUMBER UNIT", where NAME is that of an engine or a kind of memory. */
#define ENGINE(field) false, offsetof(struct drm_engine, field)
#define REGION(field) true, offsetof(struct drm_region, field)

/* The first prefix that fits decides, so the longer ones come first. */
static const struct {
	const char *prefix;
	bool of_region;
	size_t offset;
} kinds[] = {
	{ "drm-engine-capacity-", ENGINE(capacity) }, { "drm-engine-", ENGINE(busy_ns) },
	{ "drm-total-cycles-", ENGINE(total_cycles) }, { "drm-cycles-", ENGINE(cycles) },
	{ "drm-total-", REGION(total_bytes) },        { "drm-resident-", REGION(resident_bytes) },
	{ "drm-shared-", REGION(shared_bytes) },      { "drm-memory-", REGION(memory_bytes) },
};

static const struct {
	const char *name;
	uint64_t factor;
} units[] = {
	{ "ns", 1 }, { "KiB", 1024 }, { "MiB", 1024 * 1024 }, { "GiB", 1024 * 1024 * 1024 },
};

/* Known units only: a number in another one is not known. */
static bool parse_value(struct span text, uint64_t *value)
{
	struct span unit;

	if (!span_u64(&text, value))
		return false;
	if (!span_word(&text, &unit))
		return *value != U64_UNKNOWN;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (span_is(unit, units[i].name))
			return !__builtin_mul_overflow(*value, units[i].factor, value) &&
			       *value != U64_UNKNOWN;
	return false;
}

/* NULL: there is no room for another one. */
static void *engine_of(struct drm_client *client, struct span name)
{
	for (size_t i = 0; i < client->n_engines; i++)
		if (span_same(client->engines[i].name, name))
			return &client->engines[i];
	if (client->n_engines == DRM_ENGINES_MAX)
		return NULL;
	client->engines[client->n_engines] = (struct drm_engine){ .name = name,
								  .capacity = 1,
								  .busy_ns = U64_UNKNOWN,
								  .cycles = U64_UNKNOWN,
								  .total_cycles = U64_UNKNOWN };
	return &client->engines[client->n_engines++];
}

static void *region_of(struct drm_client *client, struct span name)
{
	for (size_t i = 0; i < client->n_regions; i++)
		if (span_same(client->regions[i].name, name))
			return &client->regions[i];
	if (client->n_regions == DRM_REGIONS_MAX)
		return NULL;
	client->regions[client->n_regions] = (struct drm_region){ .name = name,
								  .total_bytes = U64_UNKNOWN,
								  .resident_bytes = U64_UNKNOWN,
								  .shared_bytes = U64_UNKNOWN,
								  .memory_bytes = U64_UNKNOWN };
	return &client->regions[client->n_regions++];
}

static void take_number(struct drm_client *client, struct span key, struct span text)
{
	struct span name = key;
	uint64_t value;
	size_t i = 0;
	char *entry;

	while (i < sizeof(kinds) / sizeof(kinds[0]) && !span_starts(key, kinds[i].prefix))
		i++;
	if (i == sizeof(kinds) / sizeof(kinds[0]) || !parse_value(text, &value))
		return;
	name.at += strlen(kinds[i].prefix);
	if (span_length(name) == 0 || span_length(name) >= DRM_NAME_MAX)
		return;
	entry = kinds[i].of_region ? region_of(client, name) : engine_of(client, name);
	if (!entry || (!kinds[i].of_region && kinds[i].offset == offsetof(struct drm_engine, capacity) &&
		       value == 0))
		return;
	memcpy(entry + kinds[i].offset, &value, sizeof(value));
}

static void take_text(struct span *to, struct span text)
{
	struct span word;

	if (span_word(&text, &word) && span_length(word) < DRM_NAME_MAX)
		*to = word;
}

bool drm_client_parse(struct span text, struct drm_client *client)
{
	struct span line, key;

	client->driver = client->device = span_text("");
	client->id = U64_UNKNOWN;
	client->n_engines = client->n_regions = 0;
	while (span_line(&text, &line)) {
		if (!span_until(&line, ':', &key) || !span_starts(key, "drm-"))
			continue;
		if (span_is(key, "drm-driver"))
			take_text(&client->driver, line);
		else if (span_is(key, "drm-pdev"))
			take_text(&client->device, line);
		else if (span_is(key, "drm-client-id"))
			span_u64(&line, &client->id);
		else
			take_number(client, key, line);
	}
	return span_length(client->driver) > 0;
}

/* What is in memory now; older drivers have one number, and some only what was allocated. */
static uint64_t region_bytes(const struct drm_region *region)
{
	if (region->resident_bytes != U64_UNKNOWN)
		return region->resident_bytes;
	return region->memory_bytes != U64_UNKNOWN ? region->memory_bytes : region->total_bytes;
}

/* A sum that would overflow is not known. */
static uint64_t sum_of(const struct drm_client *client, bool of_local, bool of_shared)
{
	uint64_t sum = 0;
	bool any = false;

	for (size_t i = 0; i < client->n_regions; i++) {
		const struct drm_region *region = &client->regions[i];
		bool is_local = span_starts(region->name, "vram") || span_starts(region->name, "local");
		/* buffers that amdgpu has moved out: the processor cannot reach them */
		bool is_wanted = of_local ? is_local : !span_is(region->name, "cpu");
		uint64_t bytes = of_shared ? region->shared_bytes : region_bytes(region);

		if (!is_wanted || bytes == U64_UNKNOWN)
			continue;
		if (__builtin_add_overflow(sum, bytes, &sum))
			return U64_UNKNOWN;
		any = true;
	}
	return any ? sum : U64_UNKNOWN;
}

uint64_t drm_client_memory(const struct drm_client *client)
{
	return sum_of(client, false, false);
}

uint64_t drm_client_local(const struct drm_client *client)
{
	return sum_of(client, true, false);
}

uint64_t drm_client_shared(const struct drm_client *client)
{
	return sum_of(client, false, true);
}
