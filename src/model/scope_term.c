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
#include "kernel/cgroup.h"

static const char *const kinds[N_SCOPE_KINDS] = {
	[SCOPE_PROCESSES] = "pid", [SCOPE_TREE] = "tree",       [SCOPE_USER] = "user",
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
		return !strchr(text, '/') ||
		       refuse(why, room, _("use a name or an ID; a path is cgroup=PATH"));
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
		snprintf(why, room, _("what is it? Write service=%s, user=%s ...; %s"), text, text,
			 _(expected));
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
	static const char *const suffixes[] = {
		".service", ".scope", ".slice", ".socket", ".mount", ".swap"
	};

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
		snprintf(text, room, strchr(term->text, ',') ? _("processes %s") : _("process %s"),
			 term->text);
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
static bool is_unit(const struct cgroup_name *group, const char *name)
{
	size_t length = strlen(name);

	if (group->kind == CGROUP_GROUP)
		return strncmp(group->name, "openrc.", 7) == 0 && strcmp(group->name + 7, name) == 0;
	if (group->kind != CGROUP_UNIT && group->kind != CGROUP_SLICE && group->kind != CGROUP_SCOPE)
		return false;
	if (has_unit_suffix(span_text(name)))
		return strcmp(group->name, name) == 0;
	return strncmp(group->name, name, length) == 0 && strcmp(group->name + length, ".service") == 0;
}

/* By its beginning, or by a name that has been learned for it. */
static bool is_meant_id(const struct scope_term *term, struct span id)
{
	bool is = is_id(term->text) && strlen(term->text) >= SCOPE_DIGITS_MIN && span_starts(id, term->text);

	for (unsigned i = 0; i < term->n_ids && !is; i++)
		is = span_starts(id, term->ids[i]);
	return is;
}

/* By its ID, or by a name that is in the path; "machine-NAME.scope" is of systemd-nspawn. */
static bool is_container(const struct cgroup_name *group, const struct scope_term *term)
{
	struct span rest = span_text(group->name);
	const char *name = term->text;

	if (group->kind == CGROUP_CONTAINER)
		return span_length(group->id) > 0 ? is_meant_id(term, group->id)
						  : strcmp(group->name, name) == 0;
	if (group->kind != CGROUP_SCOPE || !span_starts(rest, "machine-"))
		return false;
	rest.at += strlen("machine-");
	rest.end -= strlen(".scope");
	return span_is(rest, name);
}

bool scope_path_is_below(const char *path, const char *above)
{
	size_t length = strlen(above);

	if (length <= 1)
		return *path == '/';
	return strncmp(path, above, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* Of the group, or of one above it. */
static bool is_named(const struct scope_term *term, struct span path)
{
	struct cgroup_name name;

	cgroup_name_parse(path, &name);
	return term->kind == SCOPE_SERVICE ? is_unit(&name, term->text) : is_container(&name, term);
}

bool scope_term_has_group(const struct scope_term *term, const char *path)
{
	if (term->kind == SCOPE_GROUP)
		return scope_path_is_below(path, term->text);
	for (const char *at = path; *at; at++)
		if (at > path && (at[1] == '/' || at[1] == '\0') &&
		    is_named(term, span_of(path, (size_t)(at + 1 - path))))
			return true;
	return false;
}

/* Slices are groups of services, and are found by their paths. */
static bool is_wanted(const struct cgroup_name *name, enum scope_kind kind)
{
	return kind == SCOPE_CONTAINER ? name->kind == CGROUP_CONTAINER
				       : name->kind == CGROUP_UNIT || name->kind == CGROUP_SCOPE;
}

bool scope_term_of_group(struct scope_term *term, enum scope_kind kind, const char *path)
{
	struct cgroup_name name;
	char why[TEXT_MAX];

	for (size_t length = strlen(path); length > 1; length--) {
		if (path[length] != '\0' && path[length] != '/')
			continue;
		cgroup_name_parse(span_of(path, length), &name);
		if (is_wanted(&name, kind))
			return scope_term_set(term, kind, name.name, why, sizeof(why));
	}
	return false;
}

bool scope_term_learn(struct scope_term *term, struct span path, const char *name)
{
	struct cgroup_name group;

	if (term->kind != SCOPE_CONTAINER || strcmp(term->text, name) != 0)
		return false;
	cgroup_name_parse(path, &group);
	if (group.kind != CGROUP_CONTAINER || span_length(group.id) < SCOPE_ID_DIGITS ||
	    is_meant_id(term, group.id))
		return false;
	if (term->n_ids == SCOPE_IDS_MAX)
		memmove(term->ids[0], term->ids[1], sizeof(term->ids) - sizeof(term->ids[0]));
	else
		term->n_ids++;
	memcpy(term->ids[term->n_ids - 1], group.id.at, SCOPE_ID_DIGITS);
	return true;
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
