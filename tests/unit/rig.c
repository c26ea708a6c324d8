/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine that topics sample. */
#include <config.h>

#include "rig.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "model/pipeline.h"
#include "model/scope.h"
#include "topic/live.h"

static void command(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void command(const char *format, ...)
{
	char text[8192];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	ck_assert_msg(system(text) == 0, "%sthis failed: %s", suite_place, text);
}

void rig_tick(struct rig *rig, int tick)
{
	command("cp -R '%s/.' '%s'", fixture_root(rig->fixture, tick), rig->root);
}

void rig_add(struct rig *rig, const char *topic)
{
	ck_assert_msg(topic_find(topic) != NULL, "%sthere is no topic %s", suite_place, topic);
	for (unsigned i = 0; i < n_topics; i++)
		rig->wanted[i] |= strcmp(topic_schemas()[i]->name, topic) == 0;
	rig->source.want(rig->source.state, rig->wanted);
}

/* Its root is open. */
static void open_source(struct rig *rig, const char *const *names)
{
	settings_open(&rig->settings);
	live_open(&rig->source, &rig->env, &rig->settings, &rig->request);
	rig->wanted = alloc_zeroed(n_topics, sizeof(*rig->wanted));
	for (int i = 0; i < 2; i++)
		frame_open(&rig->frames[i], topic_schemas(), n_topics);
	for (; names && *names; names++)
		rig_add(rig, *names);
}

void rig_open(struct rig *rig, const char *fixture, const char *const *names)
{
	*rig = (struct rig){ .fixture = fixture, .clock = still_clock_at(UINT64_C(1000000000000)) };
	scratch_directory_in_memory(rig->root, "rig");
	rig_tick(rig, 0);
	ck_assert_int_eq(env_open(&rig->env, rig->root), 0);
	rig->env.clock = &rig->clock.clock;
	rig->env.page_bytes = 4096;
	rig->env.ticks_per_second = 100;
	rig->env.no_libraries = true;
	script_open(&rig->script, &rig->env);
	open_source(rig, names);
}

void rig_open_live(struct rig *rig, const char *const *names)
{
	*rig = (struct rig){ 0 };
	ck_assert_int_eq(env_open(&rig->env, "/"), 0);
	open_source(rig, names);
}

void rig_close(struct rig *rig)
{
	rig->source.close(rig->source.state);
	frame_close(&rig->frames[0]);
	frame_close(&rig->frames[1]);
	ck_assert_uint_eq(rig->env.pids.n_kept, 0); /* every attribute was given back */
	env_close(&rig->env);
	script_close(&rig->script);
	settings_close(&rig->settings);
	free(rig->wanted);
}

void rig_script(struct rig *rig, const char *format, ...)
{
	char text[2048];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	ck_assert_msg(script_run(&rig->script, text), "%s", text);
}

/* Those above the path. */
static void make_place(struct rig *rig, const char *path)
{
	rig_make(rig, textf("%.*s", (int)(strrchr(path, '/') - path), path));
}

void rig_put(struct rig *rig, const char *path, const char *format, ...)
{
	char full[512];
	va_list list;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", rig->root, path);
	if (!format) {
		unlink(full);
		return;
	}
	file = fopen(full, "w");
	if (!file) {
		make_place(rig, path);
		file = fopen(full, "w");
	}
	ck_assert_msg(file != NULL, "%s", full);
	va_start(list, format);
	vfprintf(file, format, list);
	va_end(list);
	fclose(file);
}

void rig_link(struct rig *rig, const char *path, const char *target)
{
	const char *full = textf("%s/%s", rig->root, path);

	make_place(rig, path);
	unlink(full);
	ck_assert_msg(symlink(target, full) == 0, "%s", path);
}

void rig_remove(struct rig *rig, const char *path)
{
	command("rm -r '%s/%s'", rig->root, path);
}

void rig_make(struct rig *rig, const char *path)
{
	char full[512];
	int length = snprintf(full, sizeof(full), "%s/%s/", rig->root, path);

	ck_assert_int_lt(length, (int)sizeof(full));
	for (char *end = full + strlen(rig->root) + 1; (end = strchr(end, '/')); *end++ = '/') {
		*end = '\0';
		ck_assert_msg(mkdir(full, 0755) == 0 || errno == EEXIST, "%s", full);
	}
}

void rig_set_scope(struct rig *rig, struct scope *scope, const char *in)
{
	struct scope_term term;
	char why[256] = "";

	scope_clear(scope);
	scope->epoch++;
	if (in) {
		ck_assert_msg(scope_term_parse(&term, in, why, sizeof(why)), "%s", why);
		ck_assert(scope_add(scope, &term));
	}
	rig->request.scope = scope;
}

const struct frame *rig_sample(struct rig *rig, double seconds)
{
	struct frame *before = rig->now;

	rig->clock.ns += (uint64_t)(seconds * 1e9);
	rig->now = &rig->frames[before == &rig->frames[0]];
	frame_clear(rig->now);
	ck_assert_int_eq(rig->source.next(rig->source.state, rig->now), 1);
	scope_read_frame(rig->request.scope, rig->now, false);
	frame_derive(rig->now, before);
	return rig->now;
}

const struct frame *rig_next(struct rig *rig)
{
	return rig_sample(rig, 1);
}

struct sample rig_sample_for(struct rig *rig, const char *topic)
{
	return (struct sample){ .topic = topic ? topic_find(topic) : NULL,
				.env = &rig->env,
				.settings = &rig->settings.topic,
				.request = &rig->request };
}
