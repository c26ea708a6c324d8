/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "convoy": mutexes that most threads of a process wait for.
 *
 * Only busy processes of several threads are looked at, a few in each sample, and of each first some threads:
 * most are no convoy, which these show. A thread that waits for a mutex of the C library is in futex(2) with
 * FUTEX_WAIT and the value 2; idle threads of a pool wait for a condition variable, which is another call.
 * Whether the holder works is what makes a convoy of it: a pool may have a leader that sleeps with the lock.
 */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/pid/pid_syscall.h"
#include "sys/pids.h"
#include "topic/process/command_reader.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define GAP_NS UINT64_C(5000000000) /* for which a convoy may be missed */
#define LOOKS_MAX 6       /* processes that are looked at in a sample … */
#define NEW_MAX 3         /* … of them those that were no convoy in the last one */
#define FIRST_THREADS 8   /* of each, at first … */
#define THREADS_MAX 48    /* … and where at least half of these wait for one mutex */
#define THREADS_LEAST 5   /* a process with fewer has no convoy */
#define WAITING_LEAST 4
#define BUSY_RATIO 0.1    /* of a CPU, in the last interval */
#define LOCKED_CONTENDED 2 /* value of a mutex that others wait for */
#define OWNER_OFFSET 8    /* of the TID of its holder in pthread_mutex_t */
#define LOOK_WEIGHT 0.2   /* of the newest look at a holder, among all */

struct convoy_row {
	uint64_t pid;
	double start_seconds, convoy_seconds, waiting_ratio, holder_busy_ratio;
	uint64_t waiting_threads, threads, holder_tid;
	const char *process, *lock, *holder;
};

#define ROW(field, ...) COLUMN(struct convoy_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(convoy_seconds, A_GAUGE(SECONDS, N_("for"), 6), .whole = true,
	    .help = N_("time for which this was so at each look"), .source = "time between samples"),
	ROW(waiting_threads, A_GAUGE(COUNT, N_("waiting"), 7),
	    .help = N_("threads that wait for the mutex, of those that were looked at, at most 48"),
	    .source = "/proc/PID/task/TID/syscall: futex with FUTEX_WAIT and the value 2"),
	ROW(waiting_ratio, A_GAUGE(RATIO, N_("%wait"), 6), .help = N_("their share"),
	    .source = "waiting_threads / threads that were looked at"),
	ROW(threads, A_LABEL(N_("threads"), 7), .fleeting = true, .rank = 2,
	    .help = N_("threads of the process"), .source = "/proc/PID/stat num_threads"),
	ROW(process, A_KEY(N_("process"), 16), .fleeting = true, .grouping = "command",
	    .help = N_("process name, at most 15 bytes"), .source = "/proc/PID/stat comm"),
	ROW(pid, A_PROCESS_ID, .help = N_("process ID")),
	ROW(start_seconds, A_PROCESS_START),
	ROW(lock, A_LABEL(N_("mutex"), 14), .fleeting = true, .rank = 1,
	    .help = N_("its address in the process"), .source = "/proc/PID/task/TID/syscall"),
	ROW(holder, A_LABEL(N_("held by"), 15), .fleeting = true,
	    .help = N_("name of the thread that held it at the last look; unknown: none of the process"),
	    .source = "/proc/PID/task/TID/stat comm"),
	ROW(holder_tid, A_LABEL(N_("TID"), 7), .fleeting = true, .help = N_("thread ID of the holder"),
	    .source = "/proc/PID/mem, 8 bytes behind the address of the mutex"),
	ROW(holder_busy_ratio, A_GAUGE(RATIO, N_("%works"), 6), .rank = 3,
	    .help = N_("share of looks at which its holder ran or waited for a disk, the newest counting "
		       "most; unknown: no holder was found"),
	    .source = "/proc/PID/task/TID/syscall and stat of holders, an estimate"),
};

static const struct schema schema = {
	.name = "convoy", .help = N_("mutexes of the C library that most threads of a busy process wait for"),
	.none = N_("no mutex was found that most threads of a process wait for"),
	SCHEMA_ROWS(struct convoy_row, columns),
};

/* A process that is looked at. */
struct look {
	uint32_t pid, holder;
	uint64_t start_ticks, threads, since_ns;
	uint64_t seen_ns; /* when it was a convoy last; 0: never */
	uint32_t tids[THREADS_MAX];
	size_t n_tids, n_read;
	uint64_t locks[THREADS_MAX]; /* that threads wait for */
	size_t n_locks, n_waiting;   /* waiting: for lock */
	uint64_t lock;               /* most of them; 0: none */
	double busy;                 /* see LOOK_WEIGHT; NaN: not known */
	char holder_state, holder_name[PROCESS_NAME_MAX];
};

struct state {
	struct process_list *processes;
	struct look looks[LOOKS_MAX]; /* in this sample; afterwards those that are convoys */
	size_t n_looks;
	uint32_t next_pid;             /* whose turn it is */
	struct command_reader *reader; /* NULL: nothing was read yet */
};

static bool is_candidate(const struct process_list *list, const struct process *process)
{
	double passed_ns = (double)(list->mono_ns - list->last_ns);

	return process->stat.threads >= THREADS_LEAST && !process_is_kernel_thread(process) &&
	       list->last_ns > 0 && process->used_ns != U64_UNKNOWN &&
	       (double)process->used_ns >= BUSY_RATIO * passed_ns;
}

/* A look may come while the lock is passed on, or while the process has no CPU. */
static bool goes_on(const struct state *state, const struct look *look)
{
	return look->seen_ns > 0 && state->processes->mono_ns - look->seen_ns < GAP_NS;
}

/* Convoys of the last samples go on, if they are still candidates. */
static void keep_convoys(struct state *state)
{
	size_t n_looks = 0;

	for (size_t i = 0; i < state->n_looks; i++) {
		const struct look *look = &state->looks[i];
		const struct process *process = process_list_find(state->processes, look->pid);

		if (process && process->start_ticks == look->start_ticks &&
		    (is_candidate(state->processes, process) || goes_on(state, look)))
			state->looks[n_looks++] = *look;
	}
	state->n_looks = n_looks;
}

static bool is_looked_at(const struct state *state, uint32_t pid)
{
	for (size_t i = 0; i < state->n_looks; i++)
		if (state->looks[i].pid == pid)
			return true;
	return false;
}

/* Others in turn. */
static void choose_others(struct state *state)
{
	const struct process_list *list = state->processes;
	size_t first, n_new = 0;

	VECTOR_BOUND(first, list->n_all, list->all[first]->pid < state->next_pid);
	for (size_t i = 0; i < list->n_all && n_new < NEW_MAX && state->n_looks < LOOKS_MAX; i++) {
		const struct process *process = list->all[(first + i) % list->n_all];

		if (!is_candidate(list, process) || is_looked_at(state, process->pid))
			continue;
		state->looks[state->n_looks++] = (struct look){ .pid = process->pid,
								.start_ticks = process->start_ticks,
								.busy = NAN };
		state->next_pid = process->pid + 1;
		n_new++;
	}
}

/* Some of many, spread over all. */
static void choose_threads(struct state *state, struct look *look)
{
	const uint32_t *tids;
	size_t n_tids = 0;

	look->n_tids = look->n_read = look->n_locks = look->n_waiting = 0;
	if (pids_threads(state->processes->env, look->pid, &tids, &n_tids) < 0)
		return;
	look->threads = n_tids;
	look->n_tids = n_tids < THREADS_MAX ? n_tids : THREADS_MAX;
	for (size_t i = 0; i < look->n_tids; i++)
		look->tids[i] = tids[i * n_tids / look->n_tids];
}

/* The first ones, or all others. */
static void ask(struct state *state, size_t index, bool first)
{
	const struct look *look = &state->looks[index];
	size_t step = (look->n_tids + FIRST_THREADS - 1) / FIRST_THREADS;
	char path[PROCESS_FILE_MAX];

	for (size_t i = 0; i < look->n_tids; i++) {
		if ((i % step == 0) != first)
			continue;
		snprintf(path, sizeof(path), "task/%u/syscall", look->tids[i]);
		command_reader_ask(state->reader, look->pid, path, index);
	}
}

/* Is it a thread that waits for a mutex? */
static bool waits_for_mutex(struct span text, uint64_t *lock)
{
	struct pid_syscall call;
	const char *name = pid_syscall_parse(text, &call) ? pid_syscall_name(&call) : NULL;

	if (!name || strcmp(name, "futex") != 0 ||
	    ((uint32_t)call.arguments[1] & (uint32_t)FUTEX_CMD_MASK) != FUTEX_WAIT ||
	    (uint32_t)call.arguments[2] != LOCKED_CONTENDED)
		return false;
	*lock = call.arguments[0];
	return true;
}

/* What was read of all threads that were requested. */
static void take(struct state *state)
{
	struct command_line line;

	command_reader_submit(state->reader);
	while (command_reader_next(state->reader, &line)) {
		struct look *look = &state->looks[line.tag];
		uint64_t lock;

		look->n_read += line.length > 0;
		if (waits_for_mutex(span_of(line.text, line.length), &lock) && look->n_locks < THREADS_MAX)
			look->locks[look->n_locks++] = lock;
	}
}

/* The mutex of most threads; a convoy goes on as long as it is the same. */
static void count_waiting(struct look *look)
{
	uint64_t most = 0;

	look->n_waiting = 0;
	for (size_t i = 0; i < look->n_locks; i++) {
		size_t n = 0;

		for (size_t j = 0; j < look->n_locks; j++)
			n += look->locks[j] == look->locks[i];
		if (n <= look->n_waiting)
			continue;
		look->n_waiting = n;
		most = look->locks[i];
	}
	if (most != look->lock && most != 0) {
		look->since_ns = 0;
		look->busy = NAN;
		look->lock = most;
	}
}

static bool is_half(const struct look *look)
{
	return look->n_waiting > 0 && 2 * look->n_waiting >= look->n_read;
}

/* Only convoys stay, also of the last seconds. */
static void look_at_threads(struct state *state)
{
	size_t n_looks = 0;

	for (size_t i = 0; i < state->n_looks; i++) {
		choose_threads(state, &state->looks[i]);
		ask(state, i, true);
	}
	take(state);
	for (size_t i = 0; i < state->n_looks; i++) {
		count_waiting(&state->looks[i]);
		if (is_half(&state->looks[i]))
			ask(state, i, false);
	}
	take(state);
	for (size_t i = 0; i < state->n_looks; i++) {
		count_waiting(&state->looks[i]);
		if (state->looks[i].n_waiting >= WAITING_LEAST && is_half(&state->looks[i]))
			state->looks[i].seen_ns = state->processes->mono_ns;
		if (goes_on(state, &state->looks[i]))
			state->looks[n_looks++] = state->looks[i];
	}
	state->n_looks = n_looks;
}

/* What is 8 bytes behind a lock may be anything: the holder is a thread of the process. */
static void find_holders(struct state *state)
{
	struct env *env = state->processes->env;
	struct command_line line;

	for (size_t i = 0; i < state->n_looks; i++)
		command_reader_ask_at(state->reader, state->looks[i].pid, "mem",
				      state->looks[i].lock + OWNER_OFFSET, i);
	command_reader_submit(state->reader);
	for (size_t i = 0; i < state->n_looks; i++)
		state->looks[i].holder = 0;
	while (command_reader_next(state->reader, &line)) {
		struct look *look = &state->looks[line.tag];
		uint32_t owner = 0;
		char path[PROCESS_FILE_MAX], bytes[PROCESS_STAT_MAX];
		struct pid_stat stat;
		long length;

		if (line.length >= sizeof(owner))
			memcpy(&owner, line.text, sizeof(owner));
		if (owner == 0 || owner > INT32_MAX)
			continue;
		snprintf(path, sizeof(path), "task/%u/stat", owner);
		length = pids_read(env, look->pid, path, bytes, sizeof(bytes));
		if (length < 0 || !pid_stat_parse(span_of(bytes, (size_t)length), &stat))
			continue;
		look->holder = owner;
		look->holder_state = stat.state;
		snprintf(look->holder_name, sizeof(look->holder_name), "%.*s",
			 (int)span_length(stat.comm), stat.comm.at);
	}
}

/* A thread that sleeps in futex(2) has passed it on meanwhile, which says nothing. */
static void look_at_holders(struct state *state)
{
	struct command_line line;
	struct pid_syscall call;

	for (size_t i = 0; i < state->n_looks; i++) {
		char path[PROCESS_FILE_MAX];

		snprintf(path, sizeof(path), "task/%u/syscall", state->looks[i].holder);
		if (state->looks[i].holder != 0)
			command_reader_ask(state->reader, state->looks[i].pid, path, i);
	}
	command_reader_submit(state->reader);
	while (command_reader_next(state->reader, &line)) {
		struct look *look = &state->looks[line.tag];
		bool known = pid_syscall_parse(span_of(line.text, line.length), &call);
		const char *name = known ? pid_syscall_name(&call) : NULL;
		bool busy = look->holder_state == 'R' || look->holder_state == 'D' ||
			    (known && call.running);

		if (!known || (!busy && name && strcmp(name, "futex") == 0))
			continue;
		if (isnan(look->busy))
			look->busy = busy;
		look->busy += LOOK_WEIGHT * (busy - look->busy);
	}
}

static void add_row(struct sample *sample, struct look *look)
{
	const struct state *state = sample->state;
	const struct process *process = process_list_find(state->processes, look->pid);
	struct arena *arena = &sample->frame->arena;
	uint64_t now_ns = state->processes->mono_ns;
	struct convoy_row *row;

	if (!process)
		return;
	if (look->since_ns == 0)
		look->since_ns = now_ns;
	row = table_add(sample->table);
	row->process = arena_copy(arena, process->name, strlen(process->name));
	row->pid = look->pid;
	row->start_seconds = process_start_seconds(sample->env, look->start_ticks);
	row->convoy_seconds = (double)(now_ns - look->since_ns) / 1e9;
	row->waiting_threads = look->n_waiting;
	row->waiting_ratio = (double)look->n_waiting / (double)look->n_read;
	row->threads = look->threads;
	row->lock = arena_print(arena, "0x%" PRIx64, look->lock);
	row->holder_busy_ratio = look->busy;
	if (look->holder == 0)
		return;
	row->holder = arena_copy(arena, look->holder_name, strlen(look->holder_name));
	row->holder_tid = look->holder;
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;

	sample->table->mono_ns = state->processes->mono_ns;
	keep_convoys(state);
	choose_others(state);
	if (state->n_looks == 0)
		return 0;
	if (!state->reader)
		state->reader = command_reader_open(sample->env, "proc/PID/task/TID/syscall");
	if (!command_reader_is_free(state->reader)) { /* it hangs: nothing is known */
		struct command_line line;

		while (command_reader_next(state->reader, &line))
			;
		state->n_looks = 0;
		return 0;
	}
	look_at_threads(state);
	find_holders(state);
	look_at_holders(state);
	for (size_t i = 0; i < state->n_looks; i++)
		if (state->looks[i].seen_ns == state->processes->mono_ns)
			add_row(sample, &state->looks[i]);
	return 0;
}

static void close_convoy(struct sample *sample)
{
	struct state *state = sample->state;

	if (state->reader)
		command_reader_close(state->reader);
}

const struct topic topic_convoy = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/self/syscall", .gives = N_("the mutex that a thread waits for"),
		  .optional = true,
		  .remedies = { { ENOENT,
				  N_("this kernel was built without CONFIG_HAVE_ARCH_TRACEHOOK") } } }),
	.state_size = sizeof(struct state),
	.uses = PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_MEMORY) |
		PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.reads = READINGS(READING(struct state, processes, &process_reader)), .sample = sample,
	.close = close_convoy,
};
