/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "counter_process": hardware and kernel events of selected processes. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "topic/counter/counter_rows.h"
#include "topic/counter/counter_threads.h"
#include "topic/power/energy.h"
#include "topic/process/process_find.h"
#include "topic/process/process_list.h"
#include "topic/process/process_scope.h"

struct counter_process_row {
	uint64_t pid;
	double start_seconds;
	const char *name, *scope;
	double watts, joules;
	COUNTER_NUMBERS;
};

#define ROW(field, ...) COLUMN(struct counter_process_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7,
	    .help = N_("process ID"), .source = "/proc"),
	ROW(start_seconds, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_SECONDS, .title = N_("started"),
	    .width = 10, .hidden = true, .help = N_("start time, after boot"),
	    .source = "/proc/PID/stat starttime"),
	ROW(name, .kind = COLUMN_LABEL, .grouping = "command", .title = N_("name"), .width = 10, .rank = 4,
	    .help = N_("name when counting started"), .source = "/proc/PID/stat comm"),
	COUNTER_COLUMNS(struct counter_process_row),
	ROW(watts, .kind = COLUMN_RATE, .unit = UNIT_WATTS, .title = N_("~watts"), .width = 7, .rank = 1,
	    .optional = true, .rate_of = offsetof(struct counter_process_row, joules),
	    .help = N_("power that its cycles, or instructions, add to an idle machine: an estimate, where "
		       "the calibration used counters"),
	    .source = "growth of joules / time"),
	ROW(joules, .kind = COLUMN_COUNTER, .unit = UNIT_JOULES, .title = N_("~joules"), .width = 8,
	    .hidden = true, .help = N_("energy, by the same estimate"),
	    .source = "total * slope of the calibration for cycles or instructions"),
	ROW(scope, .kind = COLUMN_LABEL, .title = N_("scope"), .width = 5, .rank = 2, .hidden = true,
	    .help = N_("all: user and kernel mode; user: only user mode"),
	    .source = "perf_event_open(2), exclude_kernel"),
};

static const struct schema schema = {
	.name = "counter_process",
	.help = N_("events of selected processes, all threads together"),
	.of_run = true,
	.row_size = sizeof(struct counter_process_row),
	SCHEMA_COLUMNS(columns),
};

struct state {
	struct process_list *processes;
	const struct topic_settings *settings;
	const struct sample_request *request;
	struct power_estimate estimate;
	struct counter_plan plan;
	enum counter_choice choice;
	int no_hardware; /* -errno: why software events were chosen */
	struct counter_threads **list; /* owned */
	size_t n_processes, capacity;
};

/* The TIDs that are opened come from proc. */
static int refusal(const struct env *env)
{
	return !env->live ? -ENOTSUP : env->foreign_pids ? -EXDEV : 0;
}

/* Opens counters for panetop itself to find out what works. 0, or -errno when none does. */
static int choose(struct state *state, const struct env *env)
{
	struct counter_plan *plan = &state->plan;
	struct counter_events hardware = { 0 };
	int error;

	counter_events_thread(&plan->events);
	plan->inherits = true;
	error = counter_threads_try(env, &plan->events.list[0], plan);
	if (error == -EINVAL) {
		plan->inherits = false;
		error = counter_threads_try(env, &plan->events.list[0], plan);
	}
	counter_events_hardware(&hardware);
	state->no_hardware = counter_threads_try(env, &hardware.list[0], plan);
	state->choice = COUNTER_SOFTWARE;
	if (!error && state->no_hardware == 0) {
		counter_events_free(&plan->events);
		plan->events = hardware;
		state->choice = COUNTER_HARDWARE;
	} else {
		counter_events_free(&hardware);
	}
	return error;
}

static int prepare(struct state *state, struct env *env)
{
	const char *names = counter_names(state->settings);
	int error;

	if (state->plan.events.count > 0)
		return 0;
	counter_pmus_free(&state->plan.pmus);
	counter_pmus_read(&state->plan.pmus, env);
	error = choose(state, env);
	if (error) {
		counter_events_free(&state->plan.events);
		return error;
	}
	if (names) {
		counter_events_free(&state->plan.events);
		counter_events_named(&state->plan.events, env, names);
		state->choice = COUNTER_NAMED;
	}
	return 0;
}

static int test_events(struct env *env, bool hardware)
{
	struct state state = { 0 };
	int error = refusal(env);

	if (error)
		return error;
	error = choose(&state, env);
	counter_events_free(&state.plan.events);
	return error ? error : hardware ? state.no_hardware : 0;
}

static int test_software(struct env *env)
{
	return test_events(env, false);
}

static int test_hardware(struct env *env)
{
	return test_events(env, true);
}

#define REFUSED                                                                                              \
	{ EACCES,                                                                                            \
	  N_("give it the capability cap_perfmon; for your own processes it is enough to set "               \
	     "/proc/sys/kernel/perf_event_paranoid to 1") },                                                 \
	{ EPERM, COUNTER_FORBIDDEN },                                                                        \
	{ ENOTSUP, N_("only the running machine has counters: leave out --root") }

static const struct source_spec sources[] = {
	{ .path = COUNTER_SOURCE,
	  .gives = N_("CPU time, page faults, context switches and migrations of a process"),
	  .test = test_software,
	  .remedies = { REFUSED, { ENOSYS, N_("this kernel was built without CONFIG_PERF_EVENTS") } } },
	{ .path = COUNTER_HARDWARE_SOURCE,
	  .gives = N_("cycles, instructions, cache and branch misses of a process"),
	  .optional = true,
	  .test = test_hardware,
	  .remedies = { REFUSED,
			{ ENODEV,
			  N_("there is no PMU, as in many virtual machines: the host may provide one") } } },
	{ .path = "proc", .gives = N_("processes and their threads") },
	{ 0 },
};

static struct counter_threads *find_counted(const struct state *state, uint32_t pid, double start_seconds)
{
	for (size_t i = 0; i < state->n_processes; i++)
		if (state->list[i]->pid == pid && state->list[i]->start_seconds == start_seconds)
			return state->list[i];
	return NULL;
}

static void count(struct state *state, struct env *env, uint32_t pid, double start_seconds, const char *name)
{
	struct counter_threads *threads = find_counted(state, pid, start_seconds);

	if (!threads) {
		threads = alloc_zeroed(1, sizeof(*threads));
		threads->pid = pid;
		threads->start_seconds = start_seconds;
		strncpy(threads->name, name, sizeof(threads->name) - 1);
		counter_threads_open(threads, env, &state->plan);
		*VECTOR_ADD(state->list, state->n_processes, state->capacity) = threads;
	}
	threads->wanted = true;
}

static void count_selected(struct state *state, struct env *env, const struct process_choice *selected)
{
	const struct process *process = process_list_find(state->processes, selected->pid);
	double start_seconds = process ? process_start_seconds(env, process->start_ticks) : NAN;

	if (fabs(start_seconds - selected->start_seconds) < 0.5 / (double)env->ticks_per_second)
		count(state, env, selected->pid, start_seconds, process->name);
	else
		count(state, env, selected->pid, selected->start_seconds, "");
}

/* Processes that --pid names: false when there are none. */
static bool count_listed(struct state *state, struct env *env, const char *list)
{
	bool any = false;

	for (size_t i = 0; i < state->processes->n_all; i++) {
		const struct process *process = state->processes->all[i];

		if (!process_matches(process, span_text(list)))
			continue;
		count(state, env, process->pid, process_start_seconds(env, process->start_ticks),
		      process->name);
		any = true;
	}
	return any;
}

static void choose_processes(struct state *state, struct env *env, struct frame *frame)
{
	const struct process_choice *selected = &state->request->selected;
	const char *list = state->request->processes;

	for (size_t i = 0; i < state->n_processes; i++)
		state->list[i]->wanted = false;
	if (selected->is_set)
		count_selected(state, env, selected);
	else if (!list)
		frame_notice(frame, schema.name, _("select one with --pid, or with the cursor on the screen"),
			     _("no process is selected"));
	else if (count_listed(state, env, list))
		frame->named_there = true;
	else if (state->n_processes == 0)
		missing_targets_add_process(frame, state->request, schema.name, list);
}

static void add_rows(const struct state *state, struct frame *frame, struct table *table,
		     const struct counter_threads *threads)
{
	const struct counter_events *events = &state->plan.events;
	struct counter_count counts[COUNTER_EVENTS_MAX];

	for (unsigned e = 0; e < events->count; e++)
		counts[e] = (struct counter_count){
			.total = threads->sums[e].known ? threads->sums[e].total : U64_UNKNOWN,
			.times = threads->sums[e].times,
			.elapsed_ns = threads->read_ns - threads->since_ns,
		};
	for (unsigned e = 0; e < events->count; e++) {
		struct counter_process_row *row;

		if (threads->sums[e].n_open == 0)
			continue;
		row = table_add(table);
		row->pid = threads->pid;
		row->start_seconds = threads->start_seconds;
		row->name = arena_copy(&frame->arena, threads->name, strlen(threads->name));
		row->scope = threads->user_only ? "user" : "all";
		counter_fill(&row->numbers, frame, events, e, counts);
		if (counts[e].total != U64_UNKNOWN)
			row->joules = power_estimate_counted(&state->estimate, row->event,
							     (double)counts[e].total);
	}
}

static void notice(const struct env *env, struct frame *frame, const struct counter_threads *threads,
		   int error, const char *what)
{
	frame_notice(frame, schema.name,
		     error ? counter_remedy(env, &topic_counter_process, COUNTER_SOURCE, error) : NULL,
		     "%u %s: %s%s%s", threads->pid, threads->name, what, error ? ": " : "",
		     error ? strerror(-error) : "");
}

static void notice_process(const struct env *env, struct frame *frame, const struct counter_threads *threads,
			 const struct counter_plan *plan)
{
	if (threads->restarted)
		notice(env, frame, threads, 0,
		     _("it executed a program with other privileges: its counters start again"));
	if (threads->error == -ESRCH)
		notice(env, frame, threads, 0, _("it has exited"));
	else if (threads->error)
		notice(env, frame, threads, threads->error, _("counting is not permitted"));
	if (threads->error)
		return;
	if (threads->user_only)
		notice(env, frame, threads, -EACCES,
		     _("only user mode is counted, not the kernel"));
	counter_notice_events(env, frame, &topic_counter_process, &plan->events, threads->sums);
	if (threads->lost_error)
		notice(env, frame, threads, threads->lost_error, _("not all of its threads are counted"));
	if (threads->missed)
		notice(env, frame, threads, 0, _("some of its threads are counted only in part"));
}

static void drop(struct state *state, size_t index)
{
	counter_threads_close(state->list[index]);
	free(state->list[index]);
	state->n_processes--;
	memmove(&state->list[index], &state->list[index + 1],
		(state->n_processes - index) * sizeof(*state->list));
}

/* False when it can be dropped. */
static bool read_process(const struct state *state, struct env *env, struct frame *frame, struct table *table,
			 struct counter_threads *threads)
{
	struct pid_stat stat;
	bool ended = process_find(env, threads->pid, threads->start_seconds, &stat) == -ESRCH;

	/* an exited process shows its last counts, unless the cursor has left it */
	if (!threads->wanted && (!ended || state->request->selected.is_set))
		return false;
	counter_threads_read(threads, env, &state->plan);
	if (ended)
		threads->error = -ESRCH;
	add_rows(state, frame, table, threads);
	notice_process(env, frame, threads, &state->plan);
	return !ended;
}

/* Generic events of a thread are counted only on the first type of cores. */
static void notice_core_types(struct frame *frame, const struct counter_pmus *pmus)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < pmus->count; i++)
		kinds += pmus->list[i].is_core;
	if (kinds > 1)
		frame_notice(frame, schema.name, NULL,
			     P_("%u type of cores: hardware events are counted on the first type only",
				"%u types of cores: hardware events are counted on the first type only",
				kinds),
			     kinds);
}

static int sample(struct sample *sample)
{
	struct env *env = sample->env;
	struct frame *frame = sample->frame;
	struct table *table = sample->table;
	struct state *state = sample->state;
	int error = refusal(env);

	if (!error)
		error = prepare(state, env);
	if (error) {
		env_note_failure(env, COUNTER_SOURCE, error);
		return error;
	}
	error = reader_update(&process_reader, sample);
	if (error)
		return error;
	if (state->choice == COUNTER_SOFTWARE)
		counter_notice_no_hardware(env, frame, &topic_counter_process, state->no_hardware);
	else if (state->choice == COUNTER_HARDWARE)
		notice_core_types(frame, &state->plan.pmus);
	choose_processes(state, env, frame);
	table->mono_ns = env_mono_ns(env);
	for (size_t i = 0; i < state->n_processes;)
		if (read_process(state, env, frame, table, state->list[i]))
			i++;
		else
			drop(state, i);
	return 0;
}

static int open_counter(struct sample *sample)
{
	struct state *state = sample->state;

	state->settings = sample->settings;
	state->request = sample->request;
	return 0;
}

static void prepare_sample(struct sample *sample)
{
	struct state *state = sample->state;

	power_estimate_update(&state->estimate, sample);
	missing_targets_want_programs(state->processes, sample->request);
}

static void close_counter(struct sample *sample)
{
	struct state *state = sample->state;

	while (state->n_processes > 0)
		drop(state, state->n_processes - 1);
	free(state->list);
	counter_pmus_free(&state->plan.pmus);
	counter_events_free(&state->plan.events);
	power_estimate_close(&state->estimate);
}

/* On demand, since without counters nothing is read. */
static const struct reading reads[] = {
	READING_ON_DEMAND(struct state, processes, &process_reader),
	{ 0 },
};

const struct topic topic_counter_process = {
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct state),
	.setting = POWER_FIT_SETTING,
	.setting_uses = ENERGY_USES,
	.uses = COUNTER_USES | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.opening_uses = COUNTER_OPENING_USES,
	.reads = reads,
	.open = open_counter,
	.prepare = prepare_sample,
	.sample = sample,
	.close = close_counter,
};
