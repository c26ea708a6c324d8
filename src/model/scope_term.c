/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions of a scope, as they are typed. */
#include <config.h>

#include "model/scope_term.h"

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/span.h"
#include "core/typed_name.h"
#include "core/unknown.h"

static const char *const kinds[N_SCOPE_KINDS] = {
	[SCOPE_PROCESSES] = "pid", [SCOPE_TREE] = "tree",	[SCOPE_USER] = "user",
	[SCOPE_GROUP] = "cgroup",  [SCOPE_SERVICE] = "service", [SCOPE_CONTAINER] = "container",
};

static const char expected[] =
	N_("use pid=LIST, tree=PID, user=NAME, cgroup=PATH, service=NAME or container=NAME|ID");

static bool refuse(char *why, size_t room, const char *text)
{
	snprintf(why, room, "%s", text);
	return false;
}

/* Is it a number of hexadecimal digits? Such an ID is found by its beginning. */
static bool is_id(const char *text)
{
	return *text && text[strspn(text, "0123456789abcdef")] == '\0';
}

static bool check(struct scope_term *term, char *why, size_t room)
{
	const char *text = term->text;
	size_t length = strlen(text);

	switch (term->kind) {
	case SCOPE_TREE:
		return span_whole_number(text, 1, INT32_MAX, &term->pid) ||
		       refuse(why, room, _("use the number of a process"));
	case SCOPE_GROUP:
		if (*text != '/')
			return refuse(why, room,
				      _("use a path as in /proc/PID/cgroup, such as /system.slice"));
		while (length > 1 && text[length - 1] == '/')
			term->text[--length] = '\0';
		return true;
	case SCOPE_SERVICE:
		return !strchr(text, '/') ||
		       refuse(why, room, _("use the name of a unit, such as nginx; a path is cgroup=PATH"));
	case SCOPE_CONTAINER:
		if (strchr(text, '/'))
			return refuse(why, room, _("use a name or an ID; a path is cgroup=PATH"));
		return !is_id(text) || length >= SCOPE_DIGITS_MIN ||
		       refuse(why, room, _("use at least 4 digits of an ID"));
	default:
		return true;
	}
}

bool scope_term_set(struct scope_term *term, enum scope_kind kind, const char *value, char *why, size_t room)
{
	memset(term, 0, sizeof(*term));
	term->kind = kind;
	if (!*value)
		return refuse(why, room, _("the value must not be empty"));
	if (strlen(value) >= sizeof(term->text))
		return refuse(why, room, _("it is too long"));
	strcpy(term->text, value);
	return check(term, why, room);
}

bool scope_term_parse(struct scope_term *term, const char *text, char *why, size_t room)
{
	struct near_name near = { 0 };
	struct span rest = span_text(text), word;

	if (!span_until(&rest, '=', &word)) {
		snprintf(why, room, _("what is it? Write service=%s, user=%s …; %s"), text, text, _(expected));
		return false;
	}
	near.typed = word;
	for (unsigned kind = 0; kind < N_SCOPE_KINDS; kind++) {
		if (typed_is(word, kinds[kind]))
			return scope_term_set(term, (enum scope_kind)kind, rest.at, why, room);
		near_name_try(&near, kinds[kind]);
	}
	if (near.name)
		snprintf(why, room, _("did you mean %s=%s? %s"), near.name, rest.at, _(expected));
	else
		snprintf(why, room, "%s", _(expected));
	return false;
}

void scope_term_choose(struct scope_term *term, enum scope_kind kind, uint64_t pid, double start_seconds)
{
	memset(term, 0, sizeof(*term));
	term->kind = kind;
	term->pid = pid;
	term->has_start = true;
	term->start_seconds = start_seconds;
	snprintf(term->text, sizeof(term->text), "%llu", (unsigned long long)pid);
}

void scope_term_write(const struct scope_term *term, char *text, size_t room)
{
	snprintf(text, room, "%s=%s", kinds[term->kind], term->text);
}

/* A name without a suffix of its own is that of a service. */
static bool has_unit_suffix(struct span name)
{
	static const char *const suffixes[] = { ".service", ".scope", ".slice", ".socket", ".mount", ".swap" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t length = strlen(suffixes[i]);

		if (span_length(name) > length && memcmp(name.end - length, suffixes[i], length) == 0)
			return true;
	}
	return false;
}

void scope_term_describe(const struct scope_term *term, char *text, size_t room)
{
	switch (term->kind) {
	case SCOPE_PROCESSES:
		snprintf(text, room, strchr(term->text, ',') ? _("processes %s") : _("process %s"), term->text);
		break;
	case SCOPE_TREE:
		snprintf(text, room, _("tree of %s"), term->text);
		break;
	case SCOPE_USER:
		snprintf(text, room, _("user %s"), term->text);
		break;
	case SCOPE_SERVICE:
		snprintf(text, room, "%s%s", term->text,
			 has_unit_suffix(span_text(term->text)) ? "" : ".service");
		break;
	case SCOPE_CONTAINER:
		snprintf(text, room, _("container %s"), term->text);
		break;
	default:
		snprintf(text, room, "%s", term->text);
	}
}

/* "nginx" means "nginx.service" of systemd, and "openrc.nginx" of OpenRC. */
static bool is_unit(struct span part, const char *name)
{
	size_t length = strlen(name);
	struct span rest = part;

	if (span_is(part, name) && has_unit_suffix(part))
		return true;
	if (has_unit_suffix(span_text(name)))
		return false;
	if (span_starts(part, "openrc.")) {
		rest.at += strlen("openrc.");
		return span_is(rest, name);
	}
	if (!span_starts(part, name))
		return false;
	rest.at += length;
	return span_is(rest, ".service");
}

#define ID_DIGITS 64 /* of Docker, Podman, containerd and CRI-O */

/*
 * "docker-ID.scope", "libpod-ID.scope", "cri-containerd-ID.scope", "crio-ID.scope", "docker/ID"; a name in
 * "lxc.payload.NAME", "lxc/NAME", "machine-NAME.scope".
 */
static bool is_container(struct span part, struct span before, const char *name)
{
	static const char *const named[] = { "lxc.payload.", "machine-" };
	struct span id = part;

	if (span_length(part) > strlen(".scope") && memcmp(part.end - strlen(".scope"), ".scope", 6) == 0)
		id.end -= strlen(".scope");
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		struct span rest = id;

		rest.at += span_starts(id, named[i]) ? strlen(named[i]) : 0;
		if (rest.at > id.at && span_is(rest, name))
			return true;
	}
	if (span_is(before, "lxc") && span_is(id, name))
		return true;
	if (!is_id(name) || span_length(id) < ID_DIGITS)
		return false;
	id.at = id.end - ID_DIGITS;
	if (id.at > part.at && id.at[-1] != '-')
		return false;
	for (const char *at = id.at; at < id.end; at++)
		if (!strchr("0123456789abcdef", *at))
			return false;
	return strlen(name) <= ID_DIGITS && span_starts(id, name);
}

static bool is_at_or_below(const char *path, const char *above)
{
	size_t length = strlen(above);

	if (length <= 1)
		return *path == '/';
	return strncmp(path, above, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

bool scope_term_has_group(const struct scope_term *term, const char *path)
{
	struct span rest = span_text(path), part, before = span_text("");

	if (term->kind == SCOPE_GROUP)
		return is_at_or_below(path, term->text);
	while (span_length(rest) > 0) {
		if (!span_until(&rest, '/', &part)) {
			part = rest;
			rest.at = rest.end;
		}
		if (span_length(part) > 0 && (term->kind == SCOPE_SERVICE
						      ? is_unit(part, term->text)
						      : is_container(part, before, term->text)))
			return true;
		before = part;
	}
	return false;
}

bool scope_term_has_user(const struct scope_term *term, uint64_t uid, const char *user)
{
	struct span rest = span_text(term->text), item;
	uint64_t number;

	for (unsigned i = 0; i < term->n_users; i++)
		if (term->users[i] == uid)
			return true;
	while (term->n_users == 0 && span_item(&rest, &item)) {
		if (user && span_is(item, user))
			return true;
		if (uid != U64_UNKNOWN && span_is_u64(item, &number) && number == uid)
			return true;
	}
	return false;
}
