/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "function": what can be counted in the selected process, of the code that it has mapped. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/probe/function_list.h"
#include "topic/process/target.h"
#include "topic/topic.h"

struct function_row {
	uint64_t pid;
	const char *file, *function, *kind, *path;
};

static const struct column columns[] = {
	COLUMN(struct function_row, pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7,
	       .hidden = true, .help = N_("process"), .source = "/proc"),
	COLUMN(struct function_row, function, .kind = COLUMN_KEY, .fleeting = true, .title = N_("function"),
	       .width = 32,
	       .help = N_("its name as --probe-call takes it; of a probe that its authors put there (USDT) "
			  "with its provider"),
	       .source = "symbols and .note.stapsdt of the file"),
	COLUMN(struct function_row, file, .kind = COLUMN_KEY, .fleeting = true, .title = N_("file"),
	       .width = 16, .help = N_("name of the program or library"), .source = "/proc/PID/maps"),
	COLUMN(struct function_row, kind, .kind = COLUMN_LABEL, .words = true, .title = N_("kind"),
	       .width = 8, .rank = 1,
	       .help = N_("function; probe: a place that the authors of the program have marked (USDT)"),
	       .source = "panetop"),
	COLUMN(struct function_row, path, .kind = COLUMN_LABEL, .title = N_("path"), .width = 16, .rank = 2,
	       .help = N_("path of the file, as the process sees it"), .source = "/proc/PID/maps"),
};

static const struct schema schema = {
	.name = "function",
	.help = N_("functions of the selected process that can be counted"),
	.none = N_("no function is known; the files may be stripped of their names"),
	.row_size = sizeof(struct function_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/self/maps",
	  .gives = N_("the files whose code a process has mapped"),
	  .remedies = { { EACCES, N_("run it as root, or give it the capability cap_sys_ptrace") },
			{ EPERM, N_("run it as root, or give it the capability cap_sys_ptrace") } } },
	{ 0 },
};

struct state {
	struct target *target;
	struct function_list list;
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add_rows(struct sample *sample)
{
	const struct state *state = sample->state;
	const struct listed_functions *functions = &state->list.now;
	struct arena *arena = &sample->frame->arena;
	const char *path = NULL, *file = NULL;
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < functions->n; i++) {
		const struct listed_function *listed = &functions->list[i];
		const char *name = functions->texts.bytes + listed->name;
		const char *provider = functions->texts.bytes + listed->provider;
		struct function_row *row = table_add(sample->table);

		if (listed->file != last) {
			const char *text = functions->texts.bytes + functions->files[listed->file];

			path = arena_copy(arena, text, strlen(text));
			file = base_of(path);
			last = listed->file;
		}
		row->pid = state->list.pid;
		row->path = path;
		row->file = file;
		row->kind = *provider ? N_("probe") : N_("function");
		row->function = *provider ? arena_print(arena, "%s:%s", provider, name)
					  : arena_copy(arena, name, strlen(name));
	}
}

static int sample_functions(struct sample *sample)
{
	struct state *state = sample->state;
	const struct target *target = state->target;
	bool is_live = target->state == TARGET_LIVE && sample->env->live;

	target_notices(target, sample->frame, schema.name);
	function_list_update(&state->list, is_live ? target->memory_pid : 0, target->start_ticks,
			     sample->request->batch);
	if (function_list_is_late(&state->list))
		frame_notice(sample->frame, schema.name, NULL,
			     _("the functions are not known yet: a file of the process does not answer, or "
			       "is very large"));
	if (!is_live || !state->list.known)
		return 0;
	if (state->list.now.error)
		return state->list.now.error;
	add_rows(sample);
	if (state->list.now.n_left_out > 0)
		frame_notice(sample->frame, schema.name, NULL,
			     _("%zu functions are left out; --probe-call takes any name"),
			     state->list.now.n_left_out);
	return 0;
}

static int open_functions(struct sample *sample)
{
	struct state *state = sample->state;

	state->list.clock = sample->env->clock;
	state->list.threads = sample->env->own_threads;
	return 0;
}

static void close_functions(struct sample *sample)
{
	struct state *state = sample->state;

	function_list_close(&state->list);
}

static const struct reading reads[] = {
	READING(struct state, target, &target_reader),
	{ 0 },
};

const struct topic topic_function = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_MAPS),
	.state_size = sizeof(struct state),
	.reads = reads,
	.open = open_functions,
	.sample = sample_functions,
	.close = close_functions,
};
