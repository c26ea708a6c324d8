/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the events, starts the process that unwinds, serves it with files, and adds up what it finds. */
#include <config.h>

#include "topic/profile/profiler.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/arena.h"
#include "core/vector.h"
#include "sys/privilege.h"
#include "sys/profile_files.h"
#include "topic/profile/profile_child.h"
#include "topic/profile/profile_events.h"

#define WINDOW_NS UINT64_C(10000000000)
#define COST_MAX 0.015 /* of one CPU, at the usual rate … */
#define USUAL_RATE 97  /* … and in proportion at higher ones */
#define RATE_MIN 11
#define STARTS_MAX 3
#define START_NS UINT64_C(30000000000) /* to load libraries, on a machine however slow */
#define QUEUE_MAX ((size_t)64 << 20)  /* of results that no sample takes */
#define SLOTS_MAX 4096
#define FUNCTIONS_MAX 100000
#define NODES_MAX 400000
#define LINES_MAX 100000
#define SAMPLE_COST_NS 15e3 /* in the kernel: measured 14 to 18 µs, of which the interrupt is most */

struct count {
	struct profile_count of;
	unsigned epoch; /* of the scope when inside was found out; 0: never */
	bool inside;
};

/* Of one interval. */
struct slot {
	uint64_t from_ns, to_ns;
	struct count *counts;
	size_t n;
	uint64_t cpu_ns, samples; /* that unwinding took, and that were taken of all processes */
};

struct profiler {
	struct env *env;
	struct profile_events events;
	int channel;
	pid_t child;
	struct profile_shared *shared;
	uint32_t skipped[STARTS_MAX];
	size_t n_skipped;
	bool has_thread;
	pthread_t thread;

	uint64_t started_ns;

	pthread_mutex_t lock;   /* of the next three */
	struct buffer messages; /* with results: each after its length, a size_t */
	bool ready;             /* the process that unwinds has mapped the rings */
	bool ended;             /* … or it has ended, or sent what cannot be */

	struct profile_function *functions;
	size_t n_functions, function_capacity;
	struct profile_call *nodes;
	size_t n_nodes, node_capacity;
	struct profile_line *lines;
	size_t n_lines, line_capacity;
	struct count *fresh;
	size_t n_fresh, fresh_capacity;
	struct fork {
		uint32_t pid, parent;
	} * forks; /* since the last tick */
	size_t n_forks, fork_capacity;
	struct profile_state state;
	struct arena texts;
	uint64_t last_ns, judged_ns; /* of the last tick, and of when the cost was judged last */
	struct profile_state before, judged;
	struct slot slots[SLOTS_MAX];
	size_t first, n_slots;
	struct profile_sum *sums, *line_sums;
	size_t sum_capacity, line_sum_capacity;
	double cost_ratio, cost_max;
	struct profile_window window;
};

/* Names are of files that others wrote; ';' parts the functions of a stack. */
static const char *clean_text(struct arena *arena, struct span text)
{
	char *copy = arena_take(arena, span_length(text) + 1);

	for (size_t i = 0; i < span_length(text); i++)
		copy[i] = (unsigned char)text.at[i] < ' ' || text.at[i] == ';' || text.at[i] == 0x7f
				  ? '?'
				  : text.at[i];
	copy[span_length(text)] = '\0';
	return copy;
}

static bool take_function(struct profiler *profiler, const struct profile_result *result)
{
	if (profiler->n_functions == FUNCTIONS_MAX)
		return false;
	*VECTOR_ADD(profiler->functions, profiler->n_functions, profiler->function_capacity) =
		(struct profile_function){
			.name = clean_text(&profiler->texts, result->name),
			.file = clean_text(&profiler->texts, result->file),
			.path = clean_text(&profiler->texts, result->path),
			.names = result->names,
		};
	return true;
}

static bool take_line(struct profiler *profiler, const struct profile_result *result)
{
	if (profiler->n_lines == LINES_MAX || result->function >= profiler->n_functions)
		return false;
	*VECTOR_ADD(profiler->lines, profiler->n_lines, profiler->line_capacity) =
		(struct profile_line){ .function = result->function,
				       .number = result->line,
				       .source = clean_text(&profiler->texts, result->name) };
	return true;
}

static bool take_count(struct profiler *profiler, const struct profile_count *count)
{
	if (count->node >= profiler->n_nodes ||
	    (count->line < PROFILE_ANY_LINE && count->line >= profiler->n_lines))
		return false;
	*VECTOR_ADD(profiler->fresh, profiler->n_fresh, profiler->fresh_capacity) =
		(struct count){ .of = *count };
	return true;
}

static bool take_result(struct profiler *profiler, const struct profile_result *result)
{
	switch (result->kind) {
	case PROFILE_RESULT_FUNCTION:
		return take_function(profiler, result);
	case PROFILE_RESULT_NODE:
		if (profiler->n_nodes == NODES_MAX || result->function >= profiler->n_functions ||
		    (result->parent != PROFILE_NO_NODE && result->parent >= profiler->n_nodes))
			return false;
		*VECTOR_ADD(profiler->nodes, profiler->n_nodes, profiler->node_capacity) =
			(struct profile_call){ result->parent, result->function };
		return true;
	case PROFILE_RESULT_LINE:
		return take_line(profiler, result);
	case PROFILE_RESULT_COUNT:
		return take_count(profiler, &result->count);
	case PROFILE_RESULT_FORK:
		*VECTOR_ADD(profiler->forks, profiler->n_forks, profiler->fork_capacity) =
			(struct fork){ result->pid, result->parent_pid };
		return true;
	case PROFILE_RESULT_STATE:
		profiler->state = result->state;
		return true;
	}
	return false;
}

static bool take_message(struct profiler *profiler, struct span message)
{
	struct profile_result result;

	while (profile_results_next(&message, &result))
		if (!take_result(profiler, &result))
			return false;
	return span_length(message) == 0;
}

/* False: something in them cannot be. */
static bool take_messages(struct profiler *profiler)
{
	struct buffer taken;
	struct span rest;
	bool good = true;
	size_t length;

	pthread_mutex_lock(&profiler->lock);
	taken = profiler->messages;
	profiler->messages = (struct buffer){ 0 };
	pthread_mutex_unlock(&profiler->lock);
	rest = span_of(taken.bytes, taken.length);
	while (good && span_eat(&rest, &length, sizeof(length))) {
		good = take_message(profiler, span_of(rest.at, length));
		rest.at += length;
	}
	buffer_free(&taken);
	return good;
}

static bool queue_message(struct profiler *profiler, const char *bytes, size_t length)
{
	bool room;

	pthread_mutex_lock(&profiler->lock);
	room = profiler->messages.length < QUEUE_MAX;
	if (room) {
		buffer_add(&profiler->messages, (const char *)&length, sizeof(length));
		buffer_add(&profiler->messages, bytes, length);
	}
	pthread_mutex_unlock(&profiler->lock);
	return room;
}

/* Its first message says that it has mapped the rings. */
static void note_ready(struct profiler *profiler)
{
	profile_events_join(&profiler->events);
	pthread_mutex_lock(&profiler->lock);
	profiler->ready = true;
	pthread_mutex_unlock(&profiler->lock);
}

static bool serve(struct profiler *profiler, const char *bytes, size_t length)
{
	struct profile_file file;
	uint32_t kind;
	int fd, error;

	if (length < sizeof(kind))
		return false;
	memcpy(&kind, bytes, sizeof(kind));
	if (kind == PROFILE_RESULTS) {
		if (!profiler->ready)
			note_ready(profiler);
		return queue_message(profiler, bytes + sizeof(kind), length - sizeof(kind));
	}
	if (length != sizeof(file))
		return false;
	memcpy(&file, bytes, sizeof(file));
	fd = profile_file_open(&file);
	error = profile_file_answer(profiler->channel, fd);
	if (fd >= 0)
		close(fd);
	return error == 0;
}

static void *run(void *context)
{
	struct profiler *profiler = context;
	char *bytes = alloc_zeroed(PROFILE_MESSAGE_MAX, 1);
	ssize_t length;

	privilege_limit(PRIVILEGE_BIT(PRIVILEGE_MAPS) | PRIVILEGE_BIT(PRIVILEGE_SYMBOLS) |
			PRIVILEGE_BIT(PRIVILEGE_HIDDEN));
	while ((length = recv(profiler->channel, bytes, PROFILE_MESSAGE_MAX, 0)) > 0 &&
	       serve(profiler, bytes, (size_t)length))
		;
	pthread_mutex_lock(&profiler->lock);
	profiler->ended = true;
	pthread_mutex_unlock(&profiler->lock);
	free(bytes);
	return NULL;
}

static int start(struct profiler *profiler)
{
	struct profile_child_plan plan = {
		.events = profiler->events.rings,
		.n_events = profiler->events.n_rings,
		.ring_bytes = profiler->events.ring_bytes,
		.shared = profiler->shared,
		.skipped = profiler->skipped,
		.n_skipped = profiler->n_skipped,
	};
	int ends[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	plan.channel = ends[1];
	profiler->child = profile_child_start(&plan);
	close(ends[1]);
	profiler->channel = ends[0];
	if (profiler->child < 0)
		return profiler->child;
	profiler->started_ns = env_mono_ns();
	profiler->ended = profiler->ready = profiler->events.are_mapped = false;
	profile_events_follow(&profiler->events);
	error = -pthread_create(&profiler->thread, NULL, run, profiler);
	profiler->has_thread = !error;
	return error;
}

static void stop(struct profiler *profiler)
{
	if (profiler->channel >= 0)
		shutdown(profiler->channel, SHUT_RDWR);
	if (profiler->has_thread)
		pthread_join(profiler->thread, NULL);
	profiler->has_thread = false;
	if (profiler->channel >= 0)
		close(profiler->channel);
	profiler->channel = -1;
	if (profiler->child > 0) {
		kill(profiler->child, SIGKILL);
		while (waitpid(profiler->child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	profiler->child = 0;
}

static void forget_results(struct profiler *profiler)
{
	for (size_t i = 0; i < profiler->n_slots; i++)
		free(profiler->slots[(profiler->first + i) % SLOTS_MAX].counts);
	profiler->n_slots = 0;
	profiler->n_functions = profiler->n_nodes = profiler->n_lines = profiler->n_fresh = 0;
	profiler->state = profiler->before = profiler->judged = (struct profile_state){ 0 };
	buffer_empty(&profiler->messages);
	arena_free(&profiler->texts);
}

static void close_profiler(void *state)
{
	struct profiler *profiler = state;

	stop(profiler);
	profile_events_close(&profiler->events);
	forget_results(profiler);
	free(profiler->functions);
	free(profiler->nodes);
	free(profiler->lines);
	free(profiler->fresh);
	free(profiler->forks);
	free(profiler->sums);
	free(profiler->line_sums);
	buffer_free(&profiler->messages);
	if (profiler->shared)
		munmap(profiler->shared, sizeof(*profiler->shared));
	pthread_mutex_destroy(&profiler->lock);
}

static int open_profiler(void *state, const struct sample *sample)
{
	struct profiler *profiler = state;
	void *shared = mmap(NULL, sizeof(*profiler->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int error;

	profiler->env = sample->env;
	profiler->channel = -1;
	pthread_mutex_init(&profiler->lock, NULL);
	if (shared == MAP_FAILED)
		error = -errno;
	else {
		profiler->shared = shared;
		error = profile_events_open(&profiler->events, sample->env,
					    (unsigned)sample->settings->profile.rate);
	}
	if (!error)
		error = start(profiler);
	profiler->last_ns = profiler->judged_ns = env_mono_ns();
	profiler->cost_max = COST_MAX * fmax(1, (double)profiler->events.rate / USUAL_RATE);
	if (error)
		close_profiler(profiler);
	return error;
}

/* A crash is of what it was unwinding: it goes on without that. */
static int restart(struct profiler *profiler, bool ready)
{
	if (!ready)
		return -ENODEV; /* it cannot map the rings, or be confined */
	if (profiler->n_skipped == STARTS_MAX)
		return -ENOTRECOVERABLE;
	profiler->skipped[profiler->n_skipped++] = profiler->shared->pid;
	stop(profiler);
	forget_results(profiler);
	return start(profiler);
}

/* With the CPUs that are online now. */
static int open_again(struct profiler *profiler)
{
	unsigned rate = profiler->events.rate;
	int error;

	stop(profiler);
	forget_results(profiler);
	profile_events_close(&profiler->events);
	error = profile_events_open(&profiler->events, profiler->env, rate);
	return error ? error : start(profiler);
}

static void keep_window(struct profiler *profiler, uint64_t from_ns)
{
	while (profiler->n_slots > 0) {
		struct slot *slot = &profiler->slots[profiler->first];

		if (slot->to_ns > from_ns && profiler->n_slots < SLOTS_MAX)
			return;
		free(slot->counts);
		profiler->first = (profiler->first + 1) % SLOTS_MAX;
		profiler->n_slots--;
	}
}

/* What came since the last tick, as a slot. */
static void take_fresh(struct profiler *profiler, uint64_t now_ns)
{
	struct slot *slot;

	keep_window(profiler, 0);
	slot = &profiler->slots[(profiler->first + profiler->n_slots++) % SLOTS_MAX];
	*slot = (struct slot){
		.from_ns = profiler->last_ns,
		.to_ns = now_ns,
		.n = profiler->n_fresh,
		.cpu_ns = u64_less(profiler->state.cpu_ns, profiler->before.cpu_ns),
		.samples = u64_less(profiler->state.samples, profiler->before.samples),
	};
	profiler->before = profiler->state;
	slot->counts = profiler->n_fresh > 0 ? alloc_zeroed(profiler->n_fresh, sizeof(*slot->counts)) : NULL;
	if (profiler->n_fresh > 0)
		memcpy(slot->counts, profiler->fresh, profiler->n_fresh * sizeof(*slot->counts));
	profiler->n_fresh = 0;
}

static double window_seconds(const struct profiler *profiler)
{
	return (double)(profiler->last_ns - profiler->slots[profiler->first].from_ns) / 1e9;
}

static double cost_ratio(const struct profiler *profiler)
{
	double ns = 0;

	for (size_t i = 0; i < profiler->n_slots; i++) {
		const struct slot *slot = &profiler->slots[(profiler->first + i) % SLOTS_MAX];

		ns += (double)slot->cpu_ns + (double)slot->samples * SAMPLE_COST_NS;
	}
	return ns / 1e9 / window_seconds(profiler);
}

/* What lives shorter than a look at all processes is in the scope of its parent, too. */
static void take_forks(struct profiler *profiler, struct scope *scope)
{
	for (size_t i = 0; i < profiler->n_forks && scope_is_set(scope); i++)
		scope_event(scope,
			    &(struct scope_process){
				    .pid = profiler->forks[i].pid,
				    .parent_pid = profiler->forks[i].parent,
				    .start_seconds = NAN,
				    .uid = U64_UNKNOWN,
				    .name = span_text(""),
				    .program = span_text(""),
			    },
			    true);
	profiler->n_forks = 0;
}

/* Found out when it is new, since a process that has ended is forgotten. */
static bool is_inside(struct count *count, const struct sample *sample)
{
	const struct scope *scope = sample->request->scope;

	if (sample->request->profiled_pid)
		return count->of.pid == sample->request->profiled_pid;
	if (!scope_is_set(scope))
		return true;
	if (count->epoch != scope->epoch + 1)
		count->inside = scope_has(scope, count->of.pid, NAN);
	count->epoch = scope->epoch + 1;
	return count->inside;
}

/* Halves the rate where it costs too much, over the time since it was judged last. */
static void slow_down(struct profiler *profiler)
{
	const struct profile_state *now = &profiler->state, *then = &profiler->judged;
	uint64_t ns = profiler->last_ns - profiler->judged_ns;
	bool judged_before = then->samples > 0; /* at first it reads the names of functions */
	double cost_ns = (double)u64_less(now->cpu_ns, then->cpu_ns) +
			 (double)u64_less(now->samples, then->samples) * SAMPLE_COST_NS;

	if (profiler->last_ns < profiler->judged_ns + WINDOW_NS)
		return;
	profiler->judged = *now;
	profiler->judged_ns = profiler->last_ns;
	if (judged_before && cost_ns > profiler->cost_max * (double)ns && profiler->events.rate > RATE_MIN)
		profile_events_set_rate(&profiler->events, (profiler->events.rate / 2) | 1);
}

static int update(void *state, const struct sample *sample)
{
	struct profiler *profiler = state;
	uint64_t now_ns = env_mono_ns(),
		 from_ns = sample->request->batch ? profiler->last_ns : now_ns - WINDOW_NS;
	bool ready, ended;

	pthread_mutex_lock(&profiler->lock);
	ready = profiler->ready;
	ended = profiler->ended || (!ready && now_ns > profiler->started_ns + START_NS);
	pthread_mutex_unlock(&profiler->lock);
	ended |= !take_messages(profiler);
	take_forks(profiler, sample->request->scope);
	if (from_ns > profiler->last_ns)
		from_ns = profiler->last_ns;
	keep_window(profiler, from_ns);
	take_fresh(profiler, now_ns);
	profiler->last_ns = now_ns;
	profiler->cost_ratio = cost_ratio(profiler);
	if (ended)
		return restart(profiler, ready);
	if (!ready)
		return 0;
	if (!profile_events_fit(&profiler->events))
		return open_again(profiler);
	profile_events_follow(&profiler->events);
	slow_down(profiler);
	return 0;
}

void profiler_want_lines(struct profiler *profiler, bool wanted)
{
	profiler->shared->wants_lines = wanted;
}

static void add_count(struct profile_sum *sum, const struct profile_count *count)
{
	sum->samples += count->samples;
	sum->weight += count->weight;
}

const struct profile_window *profiler_window(struct profiler *profiler, const struct sample *sample)
{
	struct profile_window *window = &profiler->window;
	struct profile_sum all = { 0 }, with_lines = { 0 };
	double squares = 0;

	VECTOR_RESERVE(profiler->sums, profiler->n_nodes + 1, profiler->sum_capacity);
	VECTOR_RESERVE(profiler->line_sums, profiler->n_lines + 1, profiler->line_sum_capacity);
	memset(profiler->sums, 0, profiler->n_nodes * sizeof(*profiler->sums));
	memset(profiler->line_sums, 0, profiler->n_lines * sizeof(*profiler->line_sums));
	for (size_t i = 0; i < profiler->n_slots; i++) {
		struct slot *slot = &profiler->slots[(profiler->first + i) % SLOTS_MAX];

		for (size_t c = 0; c < slot->n; c++) {
			struct count *count = &slot->counts[c];

			if (!is_inside(count, sample))
				continue;
			add_count(&profiler->sums[count->of.node], &count->of);
			if (count->of.line < PROFILE_ANY_LINE)
				add_count(&profiler->line_sums[count->of.line], &count->of);
			if (count->of.line != PROFILE_ANY_LINE)
				add_count(&with_lines, &count->of);
			add_count(&all, &count->of);
			squares += count->of.squares;
		}
	}
	*window = (struct profile_window){
		.functions = profiler->functions,
		.nodes = profiler->nodes,
		.n_functions = profiler->n_functions,
		.n_nodes = profiler->n_nodes,
		.lines = profiler->lines,
		.n_lines = profiler->n_lines,
		.sums = profiler->sums,
		.line_sums = profiler->line_sums,
		.all = all,
		.with_lines = with_lines,
		.n_effective = squares > 0 ? (double)all.weight * (double)all.weight / squares : 0,
		.seconds = profiler->n_slots > 0 ? window_seconds(profiler) : 0,
		.state = profiler->state,
		.cost_ratio = profiler->cost_ratio,
		.rate = profiler->events.rate,
		.by_cycles = profiler->events.by_cycles,
		.own_only = profiler->events.own_only,
		.n_left_out = profiler->events.n_left_out,
		.n_crashes = profiler->n_skipped,
	};
	return window;
}

const struct reader profiler_reader = {
	.name = "samples of code",
	.state_size = sizeof(struct profiler),
	.open = open_profiler,
	.update = update,
	.close = close_profiler,
	.source = "perf samples",
};
