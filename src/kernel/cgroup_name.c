/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognizes the names that systemd and the container engines give to control groups. */
#include <config.h>

#include "kernel/cgroup_name.h"

#include <string.h>

#include "core/ascii.h"
#include "core/i18n.h"

#define SHORT_ID_LENGTH 12

static bool ends_in(struct span text, const char *end)
{
	size_t length = strlen(end);

	return span_length(text) > length && memcmp(text.end - length, end, length) == 0;
}

static bool take_start(struct span *text, const char *start)
{
	if (!span_starts(*text, start))
		return false;
	text->at += strlen(start);
	return true;
}

static bool take_end(struct span *text, const char *end)
{
	if (!ends_in(*text, end))
		return false;
	text->end -= strlen(end);
	return true;
}

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

static int hex_digit(char byte)
{
	return byte >= '0' && byte <= '9'   ? byte - '0'
	       : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
	       : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
					    : -1;
}

static bool is_container_id(struct span text)
{
	if (span_length(text) != CONTAINER_ID_LENGTH)
		return false;
	while (text.at < text.end)
		if (hex_digit(*text.at++) < 0)
			return false;
	return true;
}

/* Of 32 digits, with dashes, or with the underscores that names of slices have instead. */
static bool is_pod_uid(struct span text)
{
	unsigned n_digits = 0;

	for (; text.at < text.end; text.at++) {
		if (hex_digit(*text.at) >= 0)
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
		bool escaped = span_length(text) >= 4 && text.at[0] == '\\' && text.at[1] == 'x' &&
			       hex_digit(text.at[2]) >= 0 && hex_digit(text.at[3]) >= 0 &&
			       hex_digit(text.at[2]) + hex_digit(text.at[3]) > 0;
		int byte = escaped ? hex_digit(text.at[2]) << 4 | hex_digit(text.at[3]) : *text.at;

		out->name[length++] = (char)byte;
		text.at += escaped ? 4 : 1;
	}
	out->name[length] = '\0';
}

static void copy_short_id(struct cgroup_name *out, struct span id)
{
	size_t length = 0;

	for (; id.at < id.end && length < SHORT_ID_LENGTH; id.at++)
		if (hex_digit(*id.at) >= 0)
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

	take_end(&id, ".scope");
	for (size_t i = 0; i < sizeof(id_starts) / sizeof(id_starts[0]); i++) {
		struct span rest = id;

		if (take_start(&rest, id_starts[i].start) && is_container_id(rest))
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

	if (take_start(&id, "machine-libpod_pod_") && take_end(&id, ".slice") && is_container_id(id))
		return set_id(out, CGROUP_POD, ENGINE_PODMAN, id);
	if (take_start(&name, "kubepods") && take_end(&name, ".slice")) {
		found = memmem(name.at, span_length(name), "-pod", 4);
		id = found ? span_of(found + 4, (size_t)(name.end - found - 4)) : span_of(name.end, 0);
	} else if (!take_start(&id, "pod") || !has_part(above, "kubepods")) {
		return false;
	}
	return is_pod_uid(id) && set_id(out, CGROUP_POD, ENGINE_UNKNOWN, id);
}

/* Containers that have names in their paths: of LXC, and of systemd-nspawn. */
static bool parse_named(struct span last, struct span above, struct cgroup_name *out)
{
	struct span parent = take_last(&above), name = last;
	bool found = take_start(&name, "lxc.payload.") || span_is(parent, "lxc") ||
		     span_is(parent, "lxc.payload") ||
		     (take_start(&name, "systemd-nspawn@") && take_end(&name, ".service"));

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
		if (ends_in(last, units[i]))
			return CGROUP_UNIT;
	return ends_in(last, ".slice") ? CGROUP_SLICE : ends_in(last, ".scope") ? CGROUP_SCOPE : CGROUP_GROUP;
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
