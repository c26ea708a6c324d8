/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows each process of the list to the scope, and notes which are outside. */
#include <config.h>

#include "topic/process/scope_members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/typed_name.h"
#include "core/vector.h"
#include "topic/group/container_name.h"
#include "topic/process/process_entry.h"

/* The files of an engine are read once for each container, and a few times more while they have no name. */

#define TRIES_MAX 3
#define TRY_EVERY 16 /* samples */

struct known_container {
	char id[CONTAINER_ID_LENGTH + 1], name[CGROUP_NAME_MAX]; /* name: empty: not known */
	unsigned tries;
	uint64_t tried; /* the sample */
};

struct scope_containers {
	struct known_container *known;
	size_t n, capacity;
	uint64_t samples;
};

/* The innermost container in the path that has an ID. */
static bool find_container(const char *path, struct cgroup_name *name, size_t *length)
{
	for (*length = strlen(path); *length > 1; --*length) {
		if (path[*length] != '\0' && path[*length] != '/')
			continue;
		cgroup_name_parse(span_of(path, *length), name);
		if (name->kind == CGROUP_CONTAINER && span_length(name->id) > 0)
			return true;
	}
	return false;
}

static struct known_container *find_known(struct scope_containers *containers, struct span id)
{
	struct known_container *added;

	for (size_t i = 0; i < containers->n; i++)
		if (span_is(id, containers->known[i].id))
			return &containers->known[i];
	added = VECTOR_ADD(containers->known, containers->n, containers->capacity);
	*added = (struct known_container){ .name = "" };
	memcpy(added->id, id.at, span_length(id));
	return added;
}

/* An engine may write the name after the first process is there. */
static void read_name(struct scope_containers *containers, const struct env *env,
		      struct known_container *container, enum container_engine engine)
{
	struct container_name found;

	if (*container->name || container->tries >= TRIES_MAX ||
	    (container->tries > 0 && containers->samples < container->tried + TRY_EVERY))
		return;
	container->tries++;
	container->tried = containers->samples;
	if (container_name_find(&env->root, engine, container->id, &found))
		memcpy(container->name, found.name, sizeof(found.name));
}

static void look(struct scope_containers *containers, struct scope *scope, const struct env *env,
		 const char *path)
{
	struct known_container *container;
	struct cgroup_name name;
	size_t length;

	if (!find_container(path, &name, &length))
		return;
	container = find_known(containers, name.id);
	read_name(containers, env, container, name.engine);
	if (*container->name)
		scope_learn(scope, span_of(path, length), container->name);
}

void scope_containers_find(struct scope_containers **containers, struct scope *scope, const struct env *env,
			   struct process *const *all, size_t n_all)
{
	const char *last = "";

	if (!*containers)
		*containers = alloc_zeroed(1, sizeof(**containers));
	(*containers)->samples++;
	for (size_t i = 0; i < n_all; i++) {
		const char *path = all[i]->group;

		if (!path || strcmp(path, last) == 0)
			continue;
		look(*containers, scope, env, path);
		last = path;
	}
}

void scope_containers_free(struct scope_containers *containers)
{
	if (!containers)
		return;
	free(containers->known);
	free(containers);
}

static void try_name(struct near_name *near, const char *name, char text[SCOPE_TEXT_MAX])
{
	const char *before = near->name;

	near_name_try(near, name);
	if (near->name == before)
		return;
	snprintf(text, SCOPE_TEXT_MAX, "%s", name);
	near->name = text;
}

/* Names that a scope could have for the control group of a process: the path of that or of one above it. */
static void try_group(struct near_name *near, const struct scope_term *term, const char *path,
		      char text[SCOPE_TEXT_MAX])
{
	struct scope_term named;

	if (term->kind != SCOPE_GROUP) {
		if (scope_term_of_group(&named, term->kind, path))
			try_name(near, named.text, text);
		return;
	}
	for (size_t length = 1; *path && length < sizeof(named.text); length++) {
		if (path[length] == '/' || path[length] == '\0') {
			memcpy(named.text, path, length);
			named.text[length] = '\0';
			try_name(near, named.text, text);
		}
		if (path[length] == '\0')
			break;
	}
}

bool scope_containers_near(const struct scope_containers *containers, const struct scope_term *term,
			   struct process *const *all, size_t n_all, char near[SCOPE_TEXT_MAX])
{
	struct near_name nearest = { .typed = span_text(term->text) };

	for (size_t i = 0; i < n_all; i++)
		if (all[i]->group)
			try_group(&nearest, term, all[i]->group, near);
	for (size_t i = 0; containers && term->kind == SCOPE_CONTAINER && i < containers->n; i++)
		if (*containers->known[i].name)
			near_name_try(&nearest, containers->known[i].name);
	if (nearest.name && nearest.name != near)
		snprintf(near, SCOPE_TEXT_MAX, "%s", nearest.name);
	return nearest.name != NULL;
}

static double start_of(const struct env *env, const struct process *process)
{
	return process_start_seconds(env, process->start_ticks);
}

static void show(struct scope *scope, const struct env *env, const struct process *process)
{
	scope_look(scope,
		   &(struct scope_process){
			   .pid = process->pid,
			   .parent_pid = process->stat.parent_pid,
			   .start_seconds = start_of(env, process),
			   .uid = process->uid == UINT32_MAX ? U64_UNKNOWN : process->uid,
			   .group = process->group,
			   .name = span_text(process->name),
			   .program = process->command ? span_of(process->command, process->program_length)
						       : span_text(""),
		   });
}

void scope_members_find(struct scope *scope, const struct env *env, struct process *const *all, size_t n_all)
{
	if (scope_is_set(scope)) {
		scope_begin(scope);
		for (size_t i = 0; i < n_all; i++)
			show(scope, env, all[i]);
		scope_end(scope);
	}
	for (size_t i = 0; i < n_all; i++)
		all[i]->outside = !scope_has(scope, all[i]->pid, start_of(env, all[i]));
}
