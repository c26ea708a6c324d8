/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --probe: tries every source of every topic, and prints what it found as a table like any other. */
#include <config.h>

#include "app/runs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/privileges.h"
#include "core/alloc.h"
#include "core/buffer.h"
#include "core/i18n.h"
#include "output/sink.h"
#include "pane/panes.h"
#include "sys/descriptor.h"
#include "sys/privilege.h"
#include "topic/reader.h"
#include "topic/topic.h"

#define PLAIN_CELLS 100
#define CELLS_MIN 40
#define NAMES_BYTES 1024

struct probe_row {
	const char *topic, *source, *state, *gives, *reason, *remedy;
};

#define PROSE(field, heading, what)                                                                          \
	COLUMN(struct probe_row, field, .kind = COLUMN_LABEL, .prose = true, .title = heading, .help = what, \
	       .source = "panetop")
#define KEY(field, heading, what)                                                                            \
	COLUMN(struct probe_row, field, .kind = COLUMN_KEY, .title = heading, .help = what,                  \
	       .source = "panetop")

static const struct column columns[] = {
	KEY(topic, N_("topic"),
	    N_("what it is used for; reader: a list that topics share; privilege: a capability or user")),
	KEY(source, N_("source"), N_("kernel file, facility, list or capability")),
	COLUMN(struct probe_row, state, .kind = COLUMN_LABEL, .words = true, .title = N_("state"),
	       .help = N_("ok, missing, refused, empty, unusable (read, but not understood), or n/a: nothing "
			  "is missing"),
	       .source = "panetop"),
	PROSE(gives, N_("gives"), N_("what it provides")),
	PROSE(reason, N_("reason"), N_("the error, unless ok; of a reader: its topics")),
	PROSE(remedy, N_("remedy"), N_("what to do about it")),
};

static const struct schema schema = {
	.name = "probe",
	.help = N_("what each source gives here and now"),
	.row_size = sizeof(struct probe_row),
	SCHEMA_COLUMNS(columns),
};

/* Takes one sample into a temporary frame: can the topic parse what it reads? */
static int try_topic(struct env *env, const struct topic *topic)
{
	const struct sample_request request = { 0 };
	struct settings usual;
	struct sample sample = {
		.topic = topic, .env = env, .settings = &usual.topic, .request = &request
	};
	struct frame frame;
	int error;

	settings_open(&usual);
	frame_open(&frame, &topic->schema, 1);
	error = topic_open(&sample);
	if (!error) {
		error = topic_sample(&sample, &frame, &frame.tables[0]);
		topic_close(&sample);
	} else {
		topic_forget(&sample);
	}
	frame_close(&frame);
	return error;
}

static int try_source(struct env *env, const struct source_spec *source)
{
	struct span text;
	int error;

	if (source->test)
		return source->test(env);
	error = env_read(env, env_file(env, source->path), &text);
	if (error == -EISDIR) /* a directory: listed, not read */
		return 0;
	return !error && span_length(text) == 0 ? -ENODATA : error;
}

static void judge(struct probe_row *row, struct env *env, struct frame *frame,
		  const struct source_spec *source, int error, bool understood)
{
	const char *unused = error ? source_unused(env, source, -error) : NULL;
	int why = error || understood ? -error : ENODATA;
	const char *remedy = why && !unused ? source_remedy(env, source, why) : NULL;

	row->remedy = remedy ? remedy : "";
	if (!error && !understood) {
		row->state = N_("unusable");
		row->reason = _("contains nothing that panetop understands");
	} else if (unused) {
		row->state = N_("n/a");
		row->reason = unused;
	} else if (error == -ENODATA) {
		row->state = N_("empty");
		row->reason = _("empty");
	} else {
		row->state = !error                                ? N_("ok")
			     : error == -EACCES || error == -EPERM ? N_("refused")
								   : N_("missing");
		row->reason = error ? arena_print(&frame->arena, "%s", env_error_text(-error)) : "";
	}
}

static void add_source(struct frame *frame, struct env *env, const struct topic *topic,
		       const struct source_spec *source, bool understood)
{
	struct probe_row *row = table_add(&frame->tables[0]);

	row->topic = topic->schema->name;
	row->source = arena_print(&frame->arena, "%s%s", source_root(source->path), source->path);
	row->gives = _(source->gives);
	judge(row, env, frame, source, try_source(env, source), understood);
}

/* Sources that several topics share are listed once. */
static bool is_listed(const struct topic *const *chosen, unsigned index)
{
	for (unsigned i = 0; i < index; i++)
		if (chosen[i]->sources == chosen[index]->sources)
			return true;
	return false;
}

/* Does it work here? The rows of its topics have what it lacks. */
static int try_reader(struct env *env, const struct reader *reader)
{
	const struct sample_request request = { 0 };
	struct settings usual;
	struct frame frame;
	struct sample sample = {
		.topic = topics[0], .env = env, .settings = &usual.topic, .request = &request, .frame = &frame
	};
	int error;

	settings_open(&usual);
	frame_open(&frame, &topics[0]->schema, 1);
	sample.table = &frame.tables[0];
	if (reader_open(reader, &sample, &error)) {
		error = reader_update(reader, &sample);
		reader_close(reader, env);
	}
	frame_close(&frame);
	return error;
}

/* The topics that read it, separated by commas. */
static const char *topics_of(struct frame *frame, const struct reader *reader)
{
	const char *names = "";

	for (unsigned i = 0; i < n_topics; i++)
		if (readings_include(topics[i]->reads, reader))
			names = arena_print(&frame->arena, "%s%s%s", names, *names ? ", " : "",
					    topics[i]->schema->name);
	return names;
}

static bool has_row(const struct frame *frame, const char *source)
{
	const struct table *table = &frame->tables[0];

	for (size_t i = 0; i < table->n_rows; i++)
		if (strcmp(((const struct probe_row *)table_row(table, i))->source, source) == 0)
			return true;
	return false;
}

static void add_readers(struct frame *frame, struct env *env, const struct reading *list)
{
	for (; list && list->reader; list++) {
		struct probe_row *row;

		if (has_row(frame, list->reader->name))
			continue;
		add_readers(frame, env, list->reader->reads);
		row = table_add(&frame->tables[0]);
		row->topic = "reader";
		row->source = list->reader->name;
		row->state = try_reader(env, list->reader) < 0 ? N_("n/a") : N_("ok");
		row->gives = _("read once a tick for all topics that need it");
		row->reason = topics_of(frame, list->reader);
		row->remedy = "";
	}
}

/* If a topic cannot parse its data, its first source is unusable: the others only add to it. */
static void add_all(struct frame *frame, struct env *env, const struct options *options)
{
	unsigned n_chosen;
	const struct topic **chosen = options_topics(options, &n_chosen);
	char host[256];

	env_host(env, host, sizeof(host));
	frame->host = arena_copy(&frame->arena, host, strlen(host));
	frame->mono_ns = env_mono_ns(env);
	frame->wall_ns = env_wall_ns(env);
	frame->tables[0].present = true;
	for (unsigned i = 0; i < n_chosen; i++) {
		bool listed = is_listed(chosen, i),
		     understood = listed || try_topic(env, chosen[i]) != -ENODATA;
		const struct source_spec *first = chosen[i]->sources;

		for (const struct source_spec *source = first; !listed && source->path; source++)
			add_source(frame, env, chosen[i], source, understood || source != first);
	}
	for (unsigned i = 0; i < n_chosen; i++)
		add_readers(frame, env, chosen[i]->reads);
	free(chosen);
}

static bool pane_uses(const struct pane *pane, enum privilege_use use)
{
	for (const struct pane_table *table = pane->tables; table->topic; table++) {
		const struct topic *topic = topic_find(table->topic);

		if (topic && ((topic->uses | topic->opening_uses | topic->setting_uses) & PRIVILEGE_BIT(use)))
			return true;
	}
	return false;
}

/* The panes with this use, separated by commas. */
static const char *panes_of(struct frame *frame, enum privilege_use use)
{
	const char *names = "";

	for (unsigned i = 0; i < n_panes; i++)
		if (pane_uses(panes[i], use))
			names = arena_print(&frame->arena, "%s%s%s", names, *names ? ", " : "",
					    panes[i]->name);
	return names;
}

static struct probe_row *add_privilege(struct frame *frame, const char *source)
{
	struct probe_row *row = table_add(&frame->tables[0]);

	row->topic = "privilege";
	row->source = source;
	row->state = "ok";
	row->remedy = "";
	return row;
}

/* What README recommends. */
#define USUAL_USES                                                                                           \
	(PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_RINGS) |      \
	 PRIVILEGE_BIT(PRIVILEGE_NETLINK) | PRIVILEGE_BIT(PRIVILEGE_REAL_TIME))

/* setcap(8) replaces what the program has, so that the line names all. */
static const char *setcap_line(struct frame *frame, uint64_t capabilities)
{
	char names[NAMES_BYTES], program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[length > 0 ? length : 0] = '\0';
	privilege_names(capabilities, names, sizeof(names));
	return arena_print(&frame->arena, _("run it as root, or: sudo setcap %s+p %s"), names,
			   length > 0 ? program : PACKAGE);
}

/* Programs in a snap cannot have file capabilities. */
static const char *remedy_for(struct frame *frame, const struct env *env, uint64_t bit, bool root,
			      uint64_t capabilities)
{
	char text[PRIVILEGE_REMEDY_BYTES];

	if (privilege_remedy_for_root(bit, text))
		return arena_copy(&frame->arena, text, strlen(text));
	if (root)
		return _("root lacks it here: start panetop where root has it");
	return env->in_snap ? _("run it as root") : setcap_line(frame, capabilities);
}

static void add_capability(struct frame *frame, const struct env *env, const struct privilege_row *wanted,
			   const struct privilege_state *before, const struct privilege_state *now)
{
	uint64_t bit = UINT64_C(1) << wanted->capability;
	struct probe_row *row;
	char name[64];

	privilege_name(wanted->capability, name, sizeof(name));
	row = add_privilege(frame, arena_print(&frame->arena, "%s: %s", name, wanted->call));
	row->gives = _(wanted->gives);
	row->reason = arena_print(&frame->arena,
				  now->sets.effective & bit ? _("held, always effective: %s")
							    : _("held, raised only for this call: %s"),
				  panes_of(frame, wanted->use));
	if (now->sets.permitted & bit)
		return;
	row->state = "missing";
	row->reason = before->bounding & bit ? _("not granted") : _("not in the bounding set");
	row->remedy = remedy_for(frame, env, bit, now->user == 0,
				 privilege_capabilities(USUAL_USES) | before->sets.permitted | bit);
}

static void add_user(struct frame *frame, const struct privilege_row *wanted,
		     const struct privilege_state *now)
{
	struct probe_row *row = add_privilege(frame, arena_print(&frame->arena, "user 0: %s", wanted->call));

	row->gives = _(wanted->gives);
	row->reason = arena_print(&frame->arena, _("runs as this user: %s"), panes_of(frame, wanted->use));
	if (now->user == 0)
		return;
	row->state = "missing";
	row->reason = _("no capability suffices");
	row->remedy = _("run it as root");
}

/* What panetop was started with, and what it has dropped. */
static void add_process(struct frame *frame, const struct privilege_state *before,
			const struct privilege_state *now)
{
	struct probe_row *row = add_privilege(frame, "process");
	char kept[NAMES_BYTES], gone[NAMES_BYTES];

	privilege_names(now->sets.permitted, kept, sizeof(kept));
	privilege_names(before->sets.permitted & ~now->sets.permitted, gone, sizeof(gone));
	row->gives = _("the privileges it keeps");
	row->reason =
		arena_print(&frame->arena, _("user %u; permitted: %s; dropped: %s%s%s"), (unsigned)now->user,
			    *kept ? kept : "-", *gone ? gone : "-", now->no_new_privs ? "; no_new_privs" : "",
			    now->bounding == 0 ? _("; bounding set empty") : "");
}

/*
 * before: as panetop was started; it now holds what it holds while panes are shown. Leaves out what only
 * another root needs, and what is useless here, such as seeing hidden processes where proc hides none.
 */
static void add_privileges(struct frame *frame, const struct env *env, const struct privilege_state *before)
{
	struct privilege_state now;

	if (!env->live)
		return;
	privilege_query(&now);
	add_process(frame, before, &now);
	for (unsigned i = 0; i < n_privilege_rows; i++) {
		const struct privilege_row *row = &privilege_rows[i];

		if (row->capability == PRIVILEGE_USER_0)
			add_user(frame, row, &now);
		else if (!row->of_option && privilege_applies(row))
			add_capability(frame, env, row, before, &now);
	}
}

/* The width of the terminal, else one that reads well. */
static int line_cells(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return PLAIN_CELLS;
	return size.ws_col > CELLS_MIN ? size.ws_col : CELLS_MIN;
}

/* Text: long sources come last, sentences below the row. */
static void choose_plan(struct print_plan *plan, const struct options *options)
{
	plan->views = alloc_zeroed(1, sizeof(*plan->views));
	view_open(plan->views, &schema);
	if (options->format != &sink_text)
		return;
	view_apply_defaults(plan->views, "topic,state,source,gives,reason,remedy", NULL);
	plan->wrap_cells = line_cells();
}

int probe_run(const struct options *options, const struct settings *settings, struct env *env)
{
	static const struct schema *const schemas[] = { &schema };
	struct print_plan plan = {
		.n_views = 1,
		.unit = settings->unit,
		.ascii = options->ascii || !i18n_is_utf8(),
	};
	struct privilege_state before;
	struct frame frame;
	int status;

	privilege_query(&before);
	if (drop_privileges(options, settings, NULL, NULL) != 0)
		return 1;
	choose_plan(&plan, options);
	frame_open(&frame, schemas, 1);
	add_all(&frame, env, options);
	add_privileges(&frame, env, &before);
	status = print_alone(&plan, options->format, &frame);
	frame_close(&frame);
	return status;
}
