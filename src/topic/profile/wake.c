/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "wake": which commands wake which others, so that it is seen who waits for whom. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "topic/interrupt/wakeup_cause.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"
#include "topic/trace/trace_scope.h"

#define PAIRS_MAX 4096
#define NEEDS N_("this needs Linux 5.14 with BTF")

struct wake_row {
	const char *waker, *woken;
	double per_second;
	uint64_t wakes;
};

#define ROW(field, ...) COLUMN(struct wake_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(waker, A_KEY(N_("waker"), 16), .fleeting = true,
	    .help = N_("name of the process that wakes the other up; (timer), (device), (network), (kernel): "
		       "an interrupt does, or the kernel between tasks"),
	    .source = "task_struct.group_leader.comm of the current task"),
	ROW(woken, A_KEY(N_("woken"), 16), .fleeting = true, .grouping = "command",
	    .help = N_("name of the process of which a thread is woken up: what it waited for was the waker"),
	    .source = "task_struct.group_leader.comm"),
	ROW(per_second, A_RATE(PER_SECOND, N_("per s"), 8), .additive = true,
	    .rate_of = offsetof(struct wake_row, wakes),
	    .help = N_("wake-ups of this one by that one, in the last interval"),
	    .source = "growth of wakes / time"),
	ROW(wakes, A_COUNTER(COUNT, N_("count"), 9), .rank = 1,
	    .help = N_("wake-ups since panetop began to count"), .source = "BPF at sched_waking"),
};

static const struct schema schema = {
	.name = "wake",
	.help = N_("which commands wake which others; of a scope those with a process in it"),
	.none = N_("nothing was woken up yet"),
	.from_zero = true, .of_run = true,
	SCHEMA_ROWS(struct wake_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE,
	  .gives = N_("which commands wake which others"),
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES, TRACE_REMEDY_PIDS, { ENOENT, NEEDS }, { ENODATA, NEEDS } } },
	{ 0 },
};

/* The last one is of the scope alone. */
static const struct bpf_program programs[] = {
	CAUSE_MARKS,
	CAUSE_MARKS_OF_CALLS,
	{ .name = N_("a command wakes another"), .tracepoint = "sched_waking", .does = &bpf_wake },
	TRACE_SCOPE_FORKS,
};
#define N_PROGRAMS (sizeof(programs) / sizeof(programs[0]))
#define WAKE_PROGRAM "sched_waking"

#define PLAN(...)                                                                                            \
	{                                                                                                    \
		.topic = "wake", .programs = programs, .n_words = N_BPF_WAKE_WORDS,                          \
		.n_entries_max = PAIRS_MAX, .slots = true, __VA_ARGS__                                       \
	}

const struct trace_plan trace_plan_wake = PLAN(.n_programs = N_PROGRAMS - 1);
const struct trace_plan trace_plan_wake_of_scope =
	PLAN(.n_programs = N_PROGRAMS, .of_wanted = true, .by_pid = true);

struct pair {
	char waker[BPF_COMMAND_BYTES + 1], woken[BPF_COMMAND_BYTES + 1];
	uint64_t count;
};

struct state {
	struct process_list *processes;
	bool opened;
	unsigned epoch; /* of the scope, for which … */
	bool of_scope;  /* … it is opened */
	struct trace_set trace;
	struct wait_scope scope;
	struct pair *pairs;
	size_t n, capacity;
};

static void close_wakes(struct sample *sample)
{
	struct state *state = sample->state;

	trace_close(&state->trace);
	wait_scope_free(&state->scope);
	free(state->pairs);
	state->pairs = NULL;
	state->capacity = 0;
	state->opened = false;
}

static void prepare(struct sample *sample)
{
	struct state *state = sample->state;
	bool of_scope = scope_is_set(sample->request->scope);
	unsigned epoch = of_scope ? sample->request->scope->epoch : 0;

	if (state->opened && (state->of_scope != of_scope || state->epoch != epoch))
		close_wakes(sample);
	if (state->opened)
		return;
	state->opened = true;
	state->of_scope = of_scope;
	state->epoch = epoch;
	trace_open(&state->trace, sample->env, sample->request,
		   of_scope ? &trace_plan_wake_of_scope : &trace_plan_wake);
}

static const char *const cause_names[N_CAUSES] = {
	[CAUSE_TIMER] = N_("(timer)"),
	[CAUSE_DEVICE] = N_("(device)"),
	[CAUSE_NETWORK] = N_("(network)"),
	[CAUSE_KERNEL] = N_("(kernel)"),
};

static void copy_command(char name[BPF_COMMAND_BYTES + 1], const uint64_t *words)
{
	memcpy(name, words, BPF_COMMAND_BYTES);
	name[BPF_COMMAND_BYTES] = '\0';
}

static void read_pairs(struct state *state)
{
	state->n = 0;
	for (size_t i = 0; i < state->trace.n_entries; i++) {
		const uint64_t *key = trace_key(&state->trace, i);
		enum wakeup_cause cause = wakeup_cause_of(key[BPF_WAKE_MARKS], key[BPF_WAKE_IDLE] != 0);
		struct pair *pair = VECTOR_ADD(state->pairs, state->n, state->capacity);

		memset(pair, 0, sizeof(*pair));
		if (cause_names[cause])
			snprintf(pair->waker, sizeof(pair->waker), "%s", _(cause_names[cause]));
		else
			copy_command(pair->waker, &key[BPF_WAKE_WAKER]);
		copy_command(pair->woken, &key[BPF_WAKE_WOKEN]);
		pair->count = state->trace.values[i].count;
	}
}

static int by_names(const void *a, const void *b)
{
	const struct pair *one = a, *other = b;
	int order = strcmp(one->waker, other->waker);

	return order ? order : strcmp(one->woken, other->woken);
}

static void add_rows(struct sample *sample)
{
	const struct state *state = sample->state;
	struct wake_row *row = NULL;

	for (size_t i = 0; i < state->n; i++) {
		const struct pair *pair = &state->pairs[i];

		if (i == 0 || by_names(pair - 1, pair) != 0) {
			row = table_add(sample->table);
			row->waker = sample_text(sample, pair->waker);
			row->woken = sample_text(sample, pair->woken);
			row->wakes = 0;
		}
		row->wakes += pair->count;
	}
}

static void note_lost(struct sample *sample)
{
	struct state *state = sample->state;
	uint64_t lost = trace_lost(&state->trace, WAKE_PROGRAM);

	if (lost > 0)
		frame_notice(sample->frame, "wake", NULL,
			     P_("%llu wake-up is not in the table, which has room for %u pairs",
				"%llu wake-ups are not in the table, which has room for %u pairs", lost),
			     (unsigned long long)lost, PAIRS_MAX);
}

static int sample_wakes(struct sample *sample)
{
	struct state *state = sample->state;

	if (state->trace.error == -ENOTSUP)
		return 0;
	if (state->trace.error)
		return state->trace.error;
	if (state->of_scope)
		wait_scope_update(&state->scope, &state->trace, state->processes);
	sample->table->mono_ns = env_mono_ns(sample->env);
	if (!trace_read(&state->trace))
		return -EIO;
	read_pairs(state);
	if (state->n > 0)
		qsort(state->pairs, state->n, sizeof(*state->pairs), by_names);
	add_rows(sample);
	note_lost(sample);
	return 0;
}

const struct topic topic_wake = {
	.schema = &schema, .sources = sources, .uses = PRIVILEGE_BIT(PRIVILEGE_BPF),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, processes, &process_reader)), .prepare = prepare,
	.sample = sample_wakes, .close = close_wakes
};
