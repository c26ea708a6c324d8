/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the text of a link says of the kind of file, and what the lines of fdinfo add for each kind. */
#include <config.h>

#include "kernel/pid/pid_fd.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"

#ifndef O_TMPFILE
#define O_TMPFILE 020000000
#endif

static bool take_prefix(struct span *text, const char *prefix)
{
	if (!span_starts(*text, prefix))
		return false;
	text->at += strlen(prefix);
	return true;
}

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
	if (take_prefix(&rest, "socket:")) {
		parsed->kind = N_("socket");
		parsed->inode = bracketed_inode(rest);
	} else if (take_prefix(&rest, "pipe:")) {
		parsed->kind = N_("pipe");
		parsed->inode = bracketed_inode(rest);
	} else if (take_prefix(&rest, "anon_inode:")) {
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
