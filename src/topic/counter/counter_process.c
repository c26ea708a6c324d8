/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "counter_process": hardware and kernel events of selected processes. Follows threads as they start
 * and exit, and processes that execute a program with other privileges.
 */
#include <config.h>

#include "topic/counter/counter_process.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "sys/pids.h"
#include "topic/counter/counter.h"
#include "topic/power/energy.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/process/process_scope.h"

#define OPENINGS_MAX 8 /* attempts, while the process starts threads faster than they are opened */

static int compare_tids(const void *one, const void *other)
{
	uint32_t a = (*(struct counter_set *const *)one)->place.tid;
	uint32_t b = (*(struct counter_set *const *)other)->place.tid;

	return (a > b) - (a < b);
}

/* Is it among the first n_sorted threads? */
static bool is_counted(const struct counter_threads *threads, size_t n_sorted, uint32_t tid)
{
	size_t at;

	VECTOR_BOUND(at, n_sorted, threads->list[at]->place.tid < tid);
	return at < n_sorted && threads->list[at]->place.tid == tid;
}

static void add_thread(struct counter_threads *threads, struct env *env, const struct counter_plan *plan,
		       uint32_t tid)
{
	struct counter_set *set = alloc_zeroed(1, sizeof(*set));

	set->env = env;
	set->place = (struct counter_place){ .tid = tid,
					     .inherited = plan->inherits,
					     .user_only = threads->user_only };
	counter_set_open(set, &plan->events, &plan->pmus);
	*VECTOR_ADD(threads->list, threads->n_threads, threads->capacity) = set;
	for (unsigned e = 0; e < plan->events.count; e++) {
		struct counter_sum *sum = &threads->sums[e];
		int fd = set->cells[e].fd;

		sum->n_open += fd >= 0;
		if (fd < 0 && fd != -ESRCH && !sum->error && !plan->events.list[e].why)
			sum->error = fd;
	}
}

static void reset(struct counter_threads *threads)
{
	while (threads->n_threads > 0)
		counter_sets_drop(threads->list, &threads->n_threads, threads->n_threads - 1);
	memset(threads->sums, 0, sizeof(threads->sums));
	memset(threads->parts, 0, sizeof(threads->parts));
	threads->missed = false;
}

static int list_threads(struct env *env, uint32_t pid, const uint32_t **tids, size_t *n_tids)
{
	int error = pids_threads(env, pid, tids, n_tids);

	return error == -ENOENT ? -ESRCH : error;
}

/* Opens threads that are listed but not open. 0 or -errno. */
static int add_threads(struct counter_threads *threads, struct env *env, const struct counter_plan *plan)
{
	size_t n_sorted = threads->n_threads, n_tids;
	const uint32_t *tids;
	int error = list_threads(env, threads->pid, &tids, &n_tids);

	for (size_t i = 0; !error && i < n_tids; i++)
		if (!is_counted(threads, n_sorted, tids[i]))
			add_thread(threads, env, plan, tids[i]);
	if (threads->n_threads > n_sorted)
		qsort(threads->list, threads->n_threads, sizeof(struct counter_set *), compare_tids);
	return error;
}

/* Closes threads that are not on this list. False when the list has threads that are not open. */
static bool keep(struct counter_threads *threads, const uint32_t *tids, size_t n_tids)
{
	bool all = true;
	size_t at = 0;

	for (size_t i = 0; i < n_tids; i++) {
		while (at < threads->n_threads && threads->list[at]->place.tid < tids[i])
			counter_sets_drop(threads->list, &threads->n_threads, at);
		if (at < threads->n_threads && threads->list[at]->place.tid == tids[i])
			at++;
		else
			all = false;
	}
	while (at < threads->n_threads)
		counter_sets_drop(threads->list, &threads->n_threads, at);
	return all;
}

/* A thread that started before its parent was opened is not counted: then all are opened again. */
static int open_all(struct counter_threads *threads, struct env *env, const struct counter_plan *plan)
{
	struct pid_stat stat;
	const uint32_t *tids;
	size_t n_tids;
	int error;

	for (int i = 0; i < OPENINGS_MAX; i++) {
		reset(threads);
		error = add_threads(threads, env, plan);
		if (!error)
			error = process_find(env, threads->pid, threads->start_seconds, &stat);
		if (!error)
			error = list_threads(env, threads->pid, &tids, &n_tids);
		if (error)
			return error;
		/* a TID may have been reused by another process before it was opened */
		threads->missed = !keep(threads, tids, n_tids);
		if (!threads->missed)
			break;
	}
	return 0;
}

/* Why nothing is counted; 0 when something is, or when the machine lacks all of the events. */
static int refusal_of(const struct counter_threads *threads, const struct counter_plan *plan)
{
	int error = 0;

	for (unsigned e = 0; e < plan->events.count; e++) {
		if (threads->sums[e].n_open > 0)
			return 0;
		if (counter_is_lost(threads->sums[e].error) && !error)
			error = threads->sums[e].error;
	}
	return error;
}

static uint64_t clock_of(const struct counter_threads *threads, const struct env *env)
{
	uint64_t ns;

	return env_process_cpu_ns(env, threads->pid, &ns) ? ns : 0;
}

void counter_threads_open(struct counter_threads *threads, struct env *env, const struct counter_plan *plan)
{
	threads->since_ns = threads->read_ns = env_mono_ns(env);
	threads->error = -EACCES;
	for (int tries = 0; tries < 2 && threads->error == -EACCES; tries++) {
		threads->user_only = tries > 0;
		threads->error = open_all(threads, env, plan);
		if (threads->error == 0)
			threads->error = refusal_of(threads, plan);
	}
	if (threads->error)
		reset(threads);
	threads->clock_ns = clock_of(threads, env);
}

void counter_threads_close(struct counter_threads *threads)
{
	reset(threads);
	free(threads->list);
}

/* Can this event of our own thread be counted, in user mode? 0 or -errno. */
static int try_event(const struct env *env, const struct counter_event *event,
		     const struct counter_plan *plan)
{
	struct counter_place place = { .tid = env_self_pid(),
				       .inherited = plan->inherits,
				       .user_only = true };
	int fd = counter_open(env->perf, event, &plan->pmus, &place, -1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void add_up(struct counter_threads *threads, const struct counter_set *set, unsigned n_events)
{
	for (unsigned e = 0; e < n_events; e++) {
		const struct counter_cell *cell = &set->cells[e];
		struct counter_part *part = &threads->parts[e];

		if (cell->fd < 0) {
			if (counter_is_lost(cell->fd) && cell->fd != -ESRCH && threads->sums[e].n_open > 0) {
				threads->sums[e].known = false;
				threads->lost_error = cell->fd;
			}
			continue;
		}
		part->count += cell->grown;
		part->times.enabled_ns += cell->grown_times.enabled_ns;
		part->times.running_ns += cell->grown_times.running_ns;
	}
}

/* An event that did not run in any thread waits for the next read. */
static void estimate(struct counter_sum *sum, struct counter_part *part)
{
	uint64_t grown = part->times.enabled_ns > 0 ? perf_scaled(part->count, part->times) : part->count;

	sum->times = part->times;
	if (grown == U64_UNKNOWN) {
		sum->known = false;
		return;
	}
	sum->total += grown;
	*part = (struct counter_part){ 0 };
}

/* False when a thread can no longer be read. */
static bool read_all(struct counter_threads *threads, const struct env *env, const struct counter_plan *plan)
{
	bool read = true;

	threads->lost_error = 0;
	threads->read_ns = env_mono_ns(env);
	for (unsigned e = 0; e < plan->events.count; e++)
		threads->sums[e].known = true;
	for (size_t i = 0; i < threads->n_threads; i++) {
		struct counter_set *set = threads->list[i];
		size_t files = set->files;

		counter_set_read(set, &plan->events);
		read &= set->files == files;
		add_up(threads, set, plan->events.count);
	}
	for (unsigned e = 0; e < plan->events.count; e++)
		estimate(&threads->sums[e], &threads->parts[e]);
	return read;
}

static bool has_counted(const struct counter_threads *threads, const struct counter_plan *plan)
{
	for (unsigned e = 0; e < plan->events.count; e++)
		if (threads->sums[e].times.enabled_ns > 0)
			return true;
	return false;
}

/*
 * When a process executes a program with other privileges its counters stop, but stay readable. That shows in
 * the clock of the process, which goes on: it is read after a read and before the next, so that all of its
 * growth must have been counted.
 */
static bool read_and_check(struct counter_threads *threads, const struct env *env,
			   const struct counter_plan *plan)
{
	uint64_t clock_ns = clock_of(threads, env);
	bool read = read_all(threads, env, plan);

	read &= clock_ns <= threads->clock_ns || has_counted(threads, plan);
	threads->clock_ns = clock_of(threads, env);
	return read;
}

void counter_threads_read(struct counter_threads *threads, struct env *env, const struct counter_plan *plan)
{
	const uint32_t *tids;
	size_t n_tids, n_kept;
	bool listed;

	if (threads->error)
		return;
	listed = !plan->inherits && list_threads(env, threads->pid, &tids, &n_tids) == 0;
	threads->restarted = !read_and_check(threads, env, plan);
	if (threads->restarted) {
		counter_threads_open(threads, env, plan);
	} else if (listed) {
		keep(threads, tids, n_tids);
		n_kept = threads->n_threads;
		add_threads(threads, env, plan);
		threads->missed = threads->n_threads > n_kept;
	}
}

struct counter_process_row {
	uint64_t pid;
	double start_seconds;
	const char *name, *scope;
	double watts, joules;
	COUNTER_NUMBERS;
};

#define ROW(field, ...) COLUMN(struct counter_process_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(pid, A_KEY(N_("PID"), 7), .fleeting = true, .help = N_("process ID"), .source = "/proc"),
	ROW(start_seconds, A_KEY(N_("started"), 10), .fleeting = true, .unit = UNIT_SECONDS, .hidden = true,
	    .help = N_("start time, after boot"), .source = "/proc/PID/stat starttime"),
	ROW(name, A_LABEL(N_("name"), 10), .grouping = "command", .rank = 4,
	    .help = N_("name when counting started"), .source = "/proc/PID/stat comm"),
	COUNTER_COLUMNS(struct counter_process_row),
	ROW(watts, A_RATE(WATTS, N_("~watts"), 7), .rank = 1, .optional = true,
	    .rate_of = offsetof(struct counter_process_row, joules),
	    .help = N_("power that its cycles, or instructions, add to an idle machine: an estimate, where "
		       "the calibration used counters"),
	    .source = "growth of joules / time"),
	ROW(joules, A_COUNTER(JOULES, N_("~joules"), 8), .hidden = true,
	    .help = N_("energy, by the same estimate"),
	    .source = "total * slope of the calibration for cycles or instructions"),
	ROW(scope, A_LABEL(N_("scope"), 5), .rank = 2, .hidden = true,
	    .help = N_("all: user and kernel mode; user: only user mode"),
	    .source = "perf_event_open(2), exclude_kernel"),
};

static const struct schema schema = {
	.name = "counter_process",
	.help = N_("events of selected processes, all threads together"),
	.of_run = true,
	SCHEMA_ROWS(struct counter_process_row, columns),
};

struct state {
	struct process_list *processes;
	const struct topic_settings *settings;
	const struct sample_request *request;
	struct power_estimate estimate;
	struct counter_plan plan;
	enum counter_choice choice;
	int no_hardware;               /* -errno: why software events were chosen */
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
	error = try_event(env, &plan->events.list[0], plan);
	if (error == -EINVAL) {
		plan->inherits = false;
		error = try_event(env, &plan->events.list[0], plan);
	}
	counter_events_hardware(&hardware);
	state->no_hardware = try_event(env, &hardware.list[0], plan);
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
	{ EACCES, N_("give it the capability cap_perfmon; for your own processes it is enough to set "       \
		     "/proc/sys/kernel/perf_event_paranoid to 1") },                                         \
		{ EPERM, COUNTER_FORBIDDEN },                                                                \
	{                                                                                                    \
		ENOTSUP, N_("only the running machine has counters: leave out --root")                       \
	}

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
			row->joules =
				power_estimate_counted(&state->estimate, row->event, (double)counts[e].total);
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
		notice(env, frame, threads, -EACCES, _("only user mode is counted, not the kernel"));
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

const struct topic topic_counter_process = {
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct state),
	.setting = POWER_FIT_SETTING,
	.setting_uses = ENERGY_USES,
	.uses = COUNTER_USES | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.opening_uses = COUNTER_OPENING_USES,
	/* On demand, since without counters nothing is read. */
	.reads = READINGS(READING_ON_DEMAND(struct state, processes, &process_reader)),
	.open = open_counter,
	.prepare = prepare_sample,
	.sample = sample,
	.close = close_counter,
};
