/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine in a directory of its own. */
#include <config.h>

#include "rig.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/derive.h"

static void command(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void command(const char *format, ...)
{
	char text[8192];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	ck_assert_msg(system(text) == 0, "%s", text);
}

void rig_tick(struct rig *rig, int tick)
{
	command("cp -R '%s/.' '%s'", fixture_root(rig->fixture, tick), rig->root);
}

void rig_add(struct rig *rig, const char *topic)
{
	struct sample *sample = &rig->samples[rig->n_samples++];

	*sample = (struct sample){ .topic = topic_find(topic),
				   .env = &rig->env,
				   .settings = &rig->settings.topic,
				   .request = &rig->request };
	ck_assert_msg(sample->topic != NULL, "no topic %s", topic);
	ck_assert_int_eq(topic_open(sample), 0);
}

void rig_open(struct rig *rig, const char *fixture, const char *const *names)
{
	const struct schema *const *schemas = topic_schemas();

	*rig = (struct rig){ .fixture = fixture };
	scratch_directory_in_memory(rig->root, "rig");
	settings_open(&rig->settings);
	rig_tick(rig, 0);
	ck_assert_int_eq(env_open(&rig->env, rig->root), 0);
	rig->clock = still_clock_at(UINT64_C(1000000000000));
	rig->env.clock = &rig->clock.clock;
	rig->env.ticks_per_second = 100;
	rig->env.no_libraries = true;
	script_open(&rig->script, &rig->env);
	frame_open(&rig->frames[0], schemas, n_topics);
	frame_open(&rig->frames[1], schemas, n_topics);
	for (; *names; names++)
		rig_add(rig, *names);
}

void rig_close(struct rig *rig)
{
	for (unsigned i = 0; i < rig->n_samples; i++)
		topic_close(&rig->samples[i]);
	frame_close(&rig->frames[0]);
	frame_close(&rig->frames[1]);
	ck_assert_uint_eq(rig->env.pids.n_kept, 0); /* every attribute was given back */
	env_close(&rig->env);
	script_close(&rig->script);
	settings_close(&rig->settings);
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
		rig_make(rig, textf("%.*s", (int)(strrchr(path, '/') - path), path));
		file = fopen(full, "w");
	}
	ck_assert_msg(file != NULL, "%s", full);
	va_start(list, format);
	vfprintf(file, format, list);
	va_end(list);
	fclose(file);
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
	struct frame *now = &rig->frames[1 - rig->present], *before = &rig->frames[rig->present];

	frame_clear(now);
	rig->clock.ns += (uint64_t)(seconds * 1e9);
	rig->env.tick++;
	now->mono_ns = rig->clock.ns;
	for (unsigned i = 0; i < rig->n_samples; i++) {
		struct sample *sample = &rig->samples[i];
		struct table *table = frame_slot(now, sample->topic->schema->name);

		table->mono_ns = rig->clock.ns;
		topic_sample(sample, now, table);
	}
	frame_derive(now, before->mono_ns > 0 ? before : NULL);
	rig->present = 1 - rig->present;
	return now;
}
