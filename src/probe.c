/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --probe: tries every source of every topic, and prints what it found as a table like any other. */
#include <config.h>

#include "probe.h"

#include <errno.h>
#include <langinfo.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "output/sink.h"
#include "topic/topic.h"

struct probe_row {
	const char *topic, *source, *state, *gives, *reason, *remedy;
};

#define LABEL(field, heading, what) \
	COLUMN(struct probe_row, field, .kind = COLUMN_LABEL, .title = heading, .help = what, .source = "panetop")
#define KEY(field, heading, what) \
	COLUMN(struct probe_row, field, .kind = COLUMN_KEY, .title = heading, .help = what, .source = "panetop")

static const struct column columns[] = {
	KEY(topic, N_("topic"), N_("what is measured with it")),
	KEY(source, N_("source"), N_("kernel file or facility")),
	LABEL(state, N_("state"), N_("ok, missing, or refused")),
	LABEL(gives, N_("gives"), N_("what it is read for")),
	LABEL(reason, N_("reason"), N_("the error, where it is not ok")),
	LABEL(remedy, N_("remedy"), N_("what to do about it")),
};

static const struct schema schema = {
	.name = "probe",
	.help = N_("what each source gives here and now"),
	.row_size = sizeof(struct probe_row),
	SCHEMA_COLUMNS(columns),
};

static int try_source(struct env *env, const struct source_spec *source)
{
	struct span text;

	return source->test ? source->test(env) : env_read(env, env_file(env, source->path), &text);
}

static void add_source(struct frame *frame, struct env *env, const struct topic *topic,
		       const struct source_spec *source)
{
	int error = try_source(env, source);
	struct probe_row *row = table_add(&frame->tables[0]);
	const char *remedy = error ? source_remedy(source, -error) : "";

	row->topic = topic->schema->name;
	row->source = strncmp(source->path, "proc/", 5) == 0 || strncmp(source->path, "sys/", 4) == 0
			      ? arena_print(&frame->arena, "/%s", source->path)
			      : source->path;
	row->gives = _(source->gives);
	row->state = !error ? "ok" : error == -EACCES || error == -EPERM ? "refused" : "missing";
	row->reason = error ? arena_print(&frame->arena, "%s", strerror(-error)) : "";
	row->remedy = remedy ? remedy : "";
}

static void add_all(struct frame *frame, struct env *env)
{
	frame->mono_ns = env_mono_ns();
	frame->wall_ns = env_wall_ns();
	frame->tables[0].present = true;
	for (unsigned i = 0; i < n_topics; i++)
		for (const struct source_spec *source = topics[i]->sources; source->path; source++)
			add_source(frame, env, topics[i], source);
}

int probe_run(const struct options *options, struct env *env)
{
	static const struct schema *const schemas[] = { &schema };
	struct plan plan = {
		.n_views = 1,
		.unit = options->unit,
		.ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
	};
	struct frame frame;
	struct sink sink;
	int error;

	plan.views = alloc_zeroed(1, sizeof(*plan.views));
	view_open(plan.views, &schema);
	frame_open(&frame, schemas, 1);
	add_all(&frame, env);
	sink_open(&sink, options->format, &plan, STDOUT_FILENO, _("standard output"));
	error = sink_begin(&sink);
	if (!error)
		error = sink_frame(&sink, &frame);
	if (error && error != -EPIPE)
		complain(sink.name, "%s", strerror(-error));
	sink_close(&sink);
	plan_close(&plan);
	frame_close(&frame);
	return error && error != -EPIPE ? 1 : 0;
}
