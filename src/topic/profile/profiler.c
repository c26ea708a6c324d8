/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the events, keeps a process that unwinds, serves it with files, and adds up its results. A thread
 * does that, so that it goes on between two samples, however far apart they are. That process has a limit of
 * CPU time, as a busy machine may let it wait; and one of time in which it waits for a disk.
 */
#include <config.h>

#include "topic/profile/profiler.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/vector.h"
#include "sys/descriptor.h"
#include "sys/privilege.h"
#include "sys/process.h"
#include "sys/profile_files.h"
#include "topic/profile/debug_info.h"
#include "topic/profile/profile_events.h"

#define SLOWER (PROFILE_SANITIZED ? 5 : 1)
#define LATE_CPU_NS (UINT64_C(600000000) * SLOWER)   /* two million names take 300 ms */
#define LATE_DISK_NS (UINT64_C(2000000000) * SLOWER) /* with hardly any CPU time */
#define HARDLY 10                                    /* a tenth */
#define SHUNNED_NS UINT64_C(5000000000)              /* the first time; doubles each time … */
#define SHUNNED_MAX_NS UINT64_C(600000000000)        /* … up to this … */
#define FORGIVEN_NS UINT64_C(3600000000000)          /* … and begins again after this */
#define COUNTED_NS UINT64_C(600000000000)
#define STILL_MAX 50 /* looks, of which there are five a second */

/* A signal or a debugger may have stopped it. Looks count, as panetop may have been stopped, too. */
static bool is_still(struct profile_watch *watch, const struct profile_shared *shared, pid_t child)
{
	if (shared->read_ns != watch->read_ns || shared->works != watch->works || child_runs(child))
		watch->n_still = 0;
	watch->read_ns = shared->read_ns;
	return watch->n_still++ >= STILL_MAX;
}

bool profile_watch_is_late(struct profile_watch *watch, const struct profile_shared *shared, pid_t child,
			   uint64_t now_ns)
{
	uint64_t cpu_ns = child_cpu_ns(child);

	if (is_still(watch, shared, child))
		return true;
	if (shared->pid == 0 || shared->works != watch->works || watch->since_ns == 0) {
		watch->works = shared->works;
		watch->since_ns = now_ns;
		watch->cpu_ns = cpu_ns;
		*watch->command = '\0';
		return false;
	}
	if (!*watch->command) /* while it lives */
		process_name((pid_t)shared->pid, watch->command, sizeof(watch->command));
	if (cpu_ns > watch->cpu_ns + LATE_CPU_NS)
		return true;
	return now_ns > watch->since_ns + LATE_DISK_NS &&
	       cpu_ns < watch->cpu_ns + (now_ns - watch->since_ns) / HARDLY && child_waits_for_disk(child);
}

static void set_clean(char *text, size_t room, const char *from)
{
	size_t length = strnlen(from, room - 1);

	for (size_t i = 0; i < length; i++)
		text[i] = (unsigned char)from[i] < ' ' || from[i] == 0x7f ? '?' : from[i];
	text[length] = '\0';
}

/* The same file, or where it was none the same process; else a new one, where there is no room the oldest. */
static struct profile_culprit *culprit_of(struct profile_watch *watch, uint32_t pid, uint64_t file)
{
	struct profile_culprit *culprit = &watch->list[0];

	for (size_t i = 0; i < watch->n; i++)
		if (watch->list[i].file == file && (file != 0 || watch->list[i].pid == pid))
			return &watch->list[i];
	if (watch->n < PROFILE_CULPRITS_MAX)
		culprit = &watch->list[watch->n++];
	else
		for (size_t i = 1; i < watch->n; i++)
			culprit = watch->list[i].last_ns < culprit->last_ns ? &watch->list[i] : culprit;
	*culprit = (struct profile_culprit){ .file = file };
	return culprit;
}

void profile_watch_blame(struct profile_watch *watch, const struct profile_shared *shared, uint64_t now_ns)
{
	char path[PROFILE_NAME_MAX];
	uint64_t file = shared->pid ? shared->work.file : 0, time_ns;
	struct profile_culprit *culprit = culprit_of(watch, shared->pid, file);

	if (now_ns > culprit->last_ns + FORGIVEN_NS)
		culprit->times = 0;
	time_ns = culprit->times < 8 ? SHUNNED_NS << culprit->times : SHUNNED_MAX_NS;
	culprit->times++;
	culprit->last_ns = now_ns;
	culprit->until_ns = now_ns + (time_ns < SHUNNED_MAX_NS ? time_ns : SHUNNED_MAX_NS);
	culprit->pid = shared->pid;
	if (culprit->pid == 0)
		return;
	if (!*watch->command || shared->works != watch->works)
		process_name((pid_t)culprit->pid, watch->command, sizeof(watch->command));
	set_clean(culprit->command, sizeof(culprit->command), *watch->command ? watch->command : "?");
	memcpy(path, shared->work.path, sizeof(path));
	path[sizeof(path) - 1] = '\0';
	set_clean(culprit->path, sizeof(culprit->path), file ? path : "");
}

size_t profile_watch_shunned(const struct profile_watch *watch,
			     struct code_shunned list[PROFILE_CULPRITS_MAX], uint64_t now_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < watch->n; i++)
		if (watch->list[i].until_ns > now_ns && watch->list[i].pid != 0)
			list[n++] = (struct code_shunned){ .file = watch->list[i].file,
							   .pid = watch->list[i].pid,
							   .until_ns = watch->list[i].until_ns };
	return n;
}

const struct profile_culprit *profile_watch_last(const struct profile_watch *watch, uint64_t now_ns,
						 unsigned *n_ended)
{
	const struct profile_culprit *last = NULL;

	*n_ended = 0;
	for (size_t i = 0; i < watch->n; i++) {
		const struct profile_culprit *culprit = &watch->list[i];

		if (now_ns > culprit->last_ns + COUNTED_NS)
			continue;
		*n_ended += culprit->times;
		last = !last || culprit->last_ns > last->last_ns ? culprit : last;
	}
	return last;
}

void profile_watch_leave(struct profile_watch *watch, pid_t child)
{
	if (watch->n_stuck < PROFILE_STUCK_MAX)
		watch->stuck[watch->n_stuck++] = child;
}

bool profile_watch_reap(struct profile_watch *watch)
{
	for (size_t i = 0; i < watch->n_stuck;)
		if (child_has_ended(watch->stuck[i]))
			watch->stuck[i] = watch->stuck[--watch->n_stuck];
		else
			i++;
	return watch->n_stuck < PROFILE_STUCK_MAX;
}

#define WINDOW_NS UINT64_C(10000000000)
#define COST_MAX 0.015 /* of one CPU, at the usual rate … */
#define USUAL_RATE 97  /* … and in proportion at higher ones */
#define RATE_MIN 11
#define START_NS UINT64_C(30000000000) /* to start, on a machine however slow */
#define AGAIN_NS UINT64_C(10000000000) /* then another one is tried, where one could not start */
#define WATCH_MS 200                   /* between two looks at the process that unwinds */
#define WATCH_NS (WATCH_MS * UINT64_C(1000000))
#define COUNTS_MAX 1000000 /* between two samples */
#define FORKS_MAX 1000000
#define SLOTS_MAX 4096
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
	bool was_read;            /* what the rings had, and nothing stopped that */
};

struct profiler {
	struct env *env;
	struct profile_events events;
	unsigned wanted_rate;
	struct profile_shared *shared;
	bool has_thread;
	pthread_t thread;
	atomic_bool stopping;

	/* Of the thread. */
	int channel;
	pid_t child;
	uint64_t started_ns, watched_ns;
	int32_t start_error; /* that it has reported */
	struct code_shunned shunned[PROFILE_CULPRITS_MAX];

	pthread_mutex_t events_lock; /* what is in the events; else only the main thread changes them */
	pthread_mutex_t lock;        /* of all down to the forks */
	struct profile_watch watch;
	bool ready;       /* the process that unwinds has mapped the rings */
	bool has_gap;     /* since the last tick there was a time when it was not */
	int error;        /* why there is none */
	uint64_t read_ns; /* results of all samples until then are here */
	struct profile_tables tables;
	struct count *fresh; /* since the last tick */
	size_t n_fresh, fresh_capacity;
	struct hash by_stack;
	struct profile_state ended_state, latest_state; /* of those that ended, and of the one that goes on */
	struct fork {
		uint32_t pid, parent;
	} *forks;
	size_t n_forks, fork_capacity;

	struct fork *taken_forks;
	size_t n_taken_forks, taken_fork_capacity;
	struct profile_culprit culprit;
	unsigned n_ended;
	size_t n_stuck, n_functions, n_nodes, n_lines; /* as of the last tick */
	struct profile_state state;
	uint64_t last_ns, judged_ns; /* of the last tick, and of when the cost was judged last */
	uint64_t opened_ns, taken_read_ns; /* read_ns of the last tick */
	bool is_noted;               /* what lacks, in this tick */
	struct profile_state before, judged;
	struct slot slots[SLOTS_MAX];
	size_t first, n_slots;
	struct profile_sum *sums, *line_sums;
	size_t sum_capacity, line_sum_capacity;
	double cost_ratio, cost_max, unfollowed_ratio;
	struct profile_window window;
};

static void add_fresh(struct profiler *profiler, const struct profile_count *of)
{
	uint64_t hash = hash_u64(hash_u64((uint64_t)of->pid << 32 | of->node) ^ of->line);
	struct profile_count *count;
	uint32_t at;

	HASH_FIND(at, &profiler->by_stack, hash,
		  profiler->fresh[at].of.pid == of->pid && profiler->fresh[at].of.node == of->node &&
			  profiler->fresh[at].of.line == of->line);
	if (at == HASH_NONE && profiler->n_fresh == COUNTS_MAX) {
		profiler->ended_state.lost += of->samples;
		return;
	}
	if (at == HASH_NONE) {
		hash_add(&profiler->by_stack, hash, (uint32_t)profiler->n_fresh);
		*VECTOR_ADD(profiler->fresh, profiler->n_fresh, profiler->fresh_capacity) =
			(struct count){ .of = *of };
		return;
	}
	count = &profiler->fresh[at].of;
	count->samples += of->samples;
	count->weight += of->weight;
	count->squares += of->squares;
}

static bool take_result(struct profiler *profiler, struct profile_result *result)
{
	switch (result->kind) {
	case PROFILE_RESULT_FUNCTION:
	case PROFILE_RESULT_NODE:
	case PROFILE_RESULT_LINE:
		return profile_tables_add(&profiler->tables, result);
	case PROFILE_RESULT_COUNT:
		if (!profile_tables_translate(&profiler->tables, &result->count))
			return false;
		add_fresh(profiler, &result->count);
		return true;
	case PROFILE_RESULT_FORK:
		if (profiler->n_forks < FORKS_MAX)
			*VECTOR_ADD(profiler->forks, profiler->n_forks, profiler->fork_capacity) =
				(struct fork){ result->pid, result->parent_pid };
		return true;
	case PROFILE_RESULT_AGAIN:
		profile_tables_renumber(&profiler->tables);
		return true;
	case PROFILE_RESULT_STATE:
		profiler->latest_state = result->state;
		return true;
	}
	return false;
}

/* False: something in it cannot be. */
static bool take_message(struct profiler *profiler, struct span message)
{
	struct profile_result result;
	bool good = true;

	pthread_mutex_lock(&profiler->lock);
	while (good && profile_results_next(&message, &result))
		good = take_result(profiler, &result);
	pthread_mutex_unlock(&profiler->lock);
	return good && span_length(message) == 0;
}

static void set_ready(struct profiler *profiler, bool ready)
{
	pthread_mutex_lock(&profiler->lock);
	profiler->ready = ready;
	profiler->has_gap = true;
	profiler->error = ready ? 0 : profiler->error;
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
		if (!profiler->ready) { /* its first message: it has mapped the rings */
			pthread_mutex_lock(&profiler->events_lock);
			profile_events_join(&profiler->events);
			pthread_mutex_unlock(&profiler->events_lock);
			set_ready(profiler, true);
		}
		return take_message(profiler, span_of(bytes + sizeof(kind), length - sizeof(kind)));
	}
	if (kind == PROFILE_FAILED && length == sizeof(kind) + sizeof(profiler->start_error)) {
		memcpy(&profiler->start_error, bytes + sizeof(kind), sizeof(profiler->start_error));
		return false;
	}
	if (length != sizeof(file))
		return false;
	memcpy(&file, bytes, sizeof(file));
	fd = file.kind == PROFILE_FILE_NAMED ? -EINVAL : profile_file_open(&file, true);
	error = profile_file_answer(profiler->channel, fd);
	descriptor_close(fd);
	return error == 0;
}

/* False: too many do not end, so that no other may be started. */
static bool reap(struct profiler *profiler)
{
	bool has_room;

	pthread_mutex_lock(&profiler->lock);
	has_room = profile_watch_reap(&profiler->watch);
	pthread_mutex_unlock(&profiler->lock);
	return has_room;
}

static bool is_late(struct profiler *profiler)
{
	uint64_t now_ns = env_mono_ns(profiler->env);

	if (now_ns < profiler->watched_ns + WATCH_NS)
		return false;
	profiler->watched_ns = now_ns;
	reap(profiler);
	return profiler->ready
		       ? profile_watch_is_late(&profiler->watch, profiler->shared, profiler->child, now_ns)
		       : now_ns > profiler->started_ns + START_NS;
}

/* Until it ends, sends what cannot be, is late, or is to be stopped. */
static void serve_child(struct profiler *profiler, char *bytes)
{
	struct pollfd channel = { .fd = profiler->channel, .events = POLLIN };
	ssize_t length;

	while (!profiler->stopping && !is_late(profiler)) {
		uint64_t read_ns = profiler->shared->read_ns;

		if (poll(&channel, 1, 0) == 0) { /* what was sent before has come */
			pthread_mutex_lock(&profiler->lock);
			profiler->read_ns = read_ns;
			pthread_mutex_unlock(&profiler->lock);
			poll(&channel, 1, WATCH_MS);
		}
		length = recv(profiler->channel, bytes, PROFILE_MESSAGE_MAX, MSG_DONTWAIT);
		if (length < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (length <= 0 || !serve(profiler, bytes, (size_t)length))
			return;
	}
}

static int start_child(struct profiler *profiler)
{
	struct profile_child_plan plan = {
		.clock = profiler->env->clock,
		.events = profiler->events.rings,
		.n_events = profiler->events.n_rings,
		.ring_bytes = profiler->events.ring_bytes,
		.shared = profiler->shared,
		.shunned = profiler->shunned,
	};
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	profiler->started_ns = env_mono_ns(profiler->env);
	profiler->start_error = -ENODEV; /* it ends, or does not answer */
	profiler->shared->pid = 0;
	profiler->watch.since_ns = 0;
	profiler->watch.n_still = 0;
	plan.n_shunned = profile_watch_shunned(&profiler->watch, profiler->shunned, profiler->started_ns);
	plan.channel = ends[1];
	profiler->child = profile_child_start(&plan);
	close(ends[1]);
	profiler->channel = ends[0];
	if (profiler->child < 0)
		close(profiler->channel);
	return profiler->child < 0 ? profiler->child : 0;
}

static void add_state(struct profile_state *all, const struct profile_state *of)
{
	all->cpu_ns += of->cpu_ns;
	all->usual_ns += of->usual_ns;
	all->samples += of->samples;
	all->lost += of->lost;
	all->throttled += of->throttled;
	all->whole += of->whole;
	all->unfollowed += of->unfollowed;
	all->rules_error = of->rules_error;
	all->kernel_error = of->kernel_error;
}

/* What it has found stays. */
static void end_child(struct profiler *profiler)
{
	bool has_ended;

	pthread_mutex_lock(&profiler->events_lock);
	profiler->events.are_mapped = false;
	pthread_mutex_unlock(&profiler->events_lock);
	close(profiler->channel);
	has_ended = child_end(profiler->child);
	pthread_mutex_lock(&profiler->lock);
	if (!has_ended)
		profile_watch_leave(&profiler->watch, profiler->child);
	if (profiler->ready && !profiler->stopping)
		profile_watch_blame(&profiler->watch, profiler->shared, env_mono_ns(profiler->env));
	add_state(&profiler->ended_state, &profiler->latest_state);
	profiler->latest_state = (struct profile_state){ 0 };
	profile_tables_renumber(&profiler->tables);
	pthread_mutex_unlock(&profiler->lock);
}

/* 0 or -errno: it could not start. */
static int run_child(struct profiler *profiler, char *bytes)
{
	int error = start_child(profiler);

	if (error)
		return error;
	serve_child(profiler, bytes);
	error = profiler->ready ? 0 : profiler->start_error;
	end_child(profiler);
	set_ready(profiler, false);
	return error;
}

/* One after the other. Where one cannot start, what it lacks may be free later. */
static void run_children(struct profiler *profiler, char *bytes)
{
	uint64_t again_ns = 0;

	while (!profiler->stopping) {
		int error;

		if (!reap(profiler) || env_mono_ns(profiler->env) < again_ns) {
			poll(NULL, 0, WATCH_MS);
			continue;
		}
		error = run_child(profiler, bytes);
		again_ns = error ? env_mono_ns(profiler->env) + AGAIN_NS : 0;
		pthread_mutex_lock(&profiler->lock);
		profiler->error = error;
		pthread_mutex_unlock(&profiler->lock);
	}
}

static void *run(void *context)
{
	struct profiler *profiler = context;
	char *bytes = alloc_zeroed(PROFILE_MESSAGE_MAX, 1);

	privilege_limit(PRIVILEGE_BIT(PRIVILEGE_MAPS) | PRIVILEGE_BIT(PRIVILEGE_SYMBOLS) |
			PRIVILEGE_BIT(PRIVILEGE_HIDDEN) | PRIVILEGE_BIT(PRIVILEGE_RINGS));
	run_children(profiler, bytes);
	free(bytes);
	return NULL;
}

static int start(struct profiler *profiler)
{
	int error;

	profiler->stopping = false;
	error = -pthread_create(&profiler->thread, NULL, run, profiler);
	profiler->has_thread = !error;
	return error;
}

/* False: the thread hangs, and uses the state still. */
static bool stop(struct profiler *profiler)
{
	profiler->stopping = true;
	profiler->has_thread = profiler->has_thread && !patience_join(profiler->thread);
	return !profiler->has_thread;
}

static void close_profiler(void *state)
{
	struct profiler *profiler = state;

	if (!stop(profiler)) {
		reader_leave();
		return;
	}
	profile_events_close(&profiler->events);
	for (size_t i = 0; i < profiler->n_slots; i++)
		free(profiler->slots[(profiler->first + i) % SLOTS_MAX].counts);
	profile_tables_free(&profiler->tables);
	free(profiler->fresh);
	hash_free(&profiler->by_stack);
	free(profiler->forks);
	free(profiler->taken_forks);
	free(profiler->sums);
	free(profiler->line_sums);
	if (profiler->shared)
		munmap(profiler->shared, sizeof(*profiler->shared));
	pthread_mutex_destroy(&profiler->lock);
	pthread_mutex_destroy(&profiler->events_lock);
}

static int open_profiler(void *state, const struct sample *sample)
{
	struct profiler *profiler = state;
	void *shared = mmap(NULL, sizeof(*profiler->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int error;

	profiler->env = sample->env;
	profiler->wanted_rate = (unsigned)sample->settings->profile.rate;
	pthread_mutex_init(&profiler->lock, NULL);
	pthread_mutex_init(&profiler->events_lock, NULL);
	profile_tables_open(&profiler->tables);
	dw_library_load(); /* after a fork it would wait for a thread that was loading a library then */
	if (shared == MAP_FAILED)
		error = -errno;
	else {
		profiler->shared = shared;
		error = profile_events_open(&profiler->events, sample->env, profiler->wanted_rate);
	}
	if (!error)
		error = start(profiler);
	profiler->last_ns = profiler->judged_ns = profiler->opened_ns = env_mono_ns(sample->env);
	profiler->cost_max = COST_MAX * fmax(1, (double)profiler->events.rate / USUAL_RATE);
	if (error)
		close_profiler(profiler);
	return error;
}

/* With the CPUs that are online now. */
static int open_again(struct profiler *profiler)
{
	unsigned rate = profiler->events.rate;
	int error;

	if (!stop(profiler))
		return -EBUSY;
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

/* Keeps what counts refer to. */
static void tidy(struct profiler *profiler)
{
	struct profile_tables *tables = &profiler->tables;

	profile_tables_begin(tables);
	for (size_t i = 0; i < profiler->n_slots; i++) {
		const struct slot *slot = &profiler->slots[(profiler->first + i) % SLOTS_MAX];

		for (size_t c = 0; c < slot->n; c++)
			profile_tables_keep(tables, &slot->counts[c].of);
	}
	profile_tables_tidy(tables);
	for (size_t i = 0; i < profiler->n_slots; i++) {
		struct slot *slot = &profiler->slots[(profiler->first + i) % SLOTS_MAX];

		for (size_t c = 0; c < slot->n; c++)
			profile_tables_move(tables, &slot->counts[c].of);
	}
	profile_tables_end(tables);
}

/* What came since the last tick, as a slot. */
static void take_fresh(struct profiler *profiler, uint64_t now_ns, bool has_gap)
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
		.was_read = profiler->taken_read_ns > profiler->last_ns && !has_gap,
	};
	profiler->unfollowed_ratio =
		slot->samples > 0 ? (double)(profiler->state.unfollowed - profiler->before.unfollowed) /
					    (double)slot->samples
				  : 0;
	profiler->before = profiler->state;
	slot->counts = profiler->n_fresh > 0 ? alloc_zeroed(profiler->n_fresh, sizeof(*slot->counts)) : NULL;
	if (profiler->n_fresh > 0)
		memcpy(slot->counts, profiler->fresh, profiler->n_fresh * sizeof(*slot->counts));
	profiler->n_fresh = 0;
	hash_clear(&profiler->by_stack);
}

/* What the thread has, under its lock: why there is no process that unwinds. */
static int take_all(struct profiler *profiler, uint64_t now_ns, bool *ready, bool *has_gap)
{
	struct fork *forks = profiler->taken_forks;
	size_t capacity = profiler->taken_fork_capacity;
	const struct profile_culprit *last;
	int error;

	pthread_mutex_lock(&profiler->lock);
	*ready = profiler->ready;
	*has_gap = profiler->has_gap || !profiler->ready;
	profiler->has_gap = false;
	profiler->taken_read_ns = profiler->read_ns;
	error = profiler->error;
	profiler->state = profiler->ended_state;
	add_state(&profiler->state, &profiler->latest_state);
	take_fresh(profiler, now_ns, *has_gap);
	if (profile_tables_are_full(&profiler->tables))
		tidy(profiler);
	profiler->taken_forks = profiler->forks;
	profiler->taken_fork_capacity = profiler->fork_capacity;
	profiler->n_taken_forks = profiler->n_forks;
	profiler->forks = forks;
	profiler->fork_capacity = capacity;
	profiler->n_forks = 0;
	last = profile_watch_last(&profiler->watch, now_ns, &profiler->n_ended);
	if (last)
		profiler->culprit = *last;
	profiler->n_stuck = profiler->watch.n_stuck;
	profiler->n_functions = profiler->tables.n_functions;
	profiler->n_nodes = profiler->tables.n_nodes;
	profiler->n_lines = profiler->tables.n_lines;
	pthread_mutex_unlock(&profiler->lock);
	return error;
}

static double window_seconds(const struct profiler *profiler)
{
	return (double)(profiler->last_ns - profiler->slots[profiler->first].from_ns) / 1e9;
}

static double unread_seconds(const struct profiler *profiler)
{
	uint64_t from_ns = profiler->taken_read_ns ? profiler->taken_read_ns : profiler->opened_ns;

	return (double)u64_less(profiler->last_ns, from_ns) / 1e9;
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
	for (size_t i = 0; i < profiler->n_taken_forks && scope_is_set(scope); i++)
		scope_event(scope,
			    &(struct scope_process){
				    .pid = profiler->taken_forks[i].pid,
				    .parent_pid = profiler->taken_forks[i].parent,
				    .start_seconds = NAN,
				    .uid = U64_UNKNOWN,
				    .name = span_text(""),
				    .program = span_text(""),
			    },
			    true);
	profiler->n_taken_forks = 0;
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

/*
 * Halves the rate where it costs too much, over the time since it was judged last, and raises it again. The
 * costs of a few strangers, and of records other than samples, would not fall with it.
 */
static void judge_rate(struct profiler *profiler)
{
	const struct profile_state *now = &profiler->state, *then = &profiler->judged;
	unsigned rate = profiler->events.rate, wanted = profiler->wanted_rate;
	uint64_t ns = profiler->last_ns - profiler->judged_ns;
	bool judged_before = then->samples > 0; /* at first it reads the names of functions */
	double cost_ns = (double)u64_less(now->usual_ns, then->usual_ns) +
			 (double)u64_less(now->samples, then->samples) * SAMPLE_COST_NS;
	double most_ns = profiler->cost_max * (double)ns;

	if (profiler->last_ns < profiler->judged_ns + WINDOW_NS)
		return;
	profiler->judged = *now;
	profiler->judged_ns = profiler->last_ns;
	if (!judged_before)
		return;
	if (cost_ns > most_ns && rate > RATE_MIN)
		profile_events_set_rate(&profiler->events, (rate / 2) | 1);
	else if (cost_ns < most_ns / 4 && rate < wanted)
		profile_events_set_rate(&profiler->events, 2 * rate < wanted ? 2 * rate : wanted);
}

/* Those of whom there was something since the last tick. */
static void show_seen(struct profiler *profiler, const struct slot *slot)
{
	for (size_t i = 0; i < slot->n; i++)
		profile_events_saw(&profiler->events, slot->counts[i].of.pid);
	for (size_t i = 0; i < profiler->n_taken_forks; i++)
		profile_events_saw(&profiler->events, profiler->taken_forks[i].parent);
}

/* More may have been lost than was sampled: then that nothing of a process came means nothing. */
static bool has_lost(const struct profiler *profiler, const struct profile_state *before)
{
	return profiler->state.lost - before->lost > profiler->state.samples - before->samples;
}

bool profiler_is_first(struct profiler *profiler)
{
	bool is_first = !profiler->is_noted;

	profiler->is_noted = true;
	return is_first;
}

static int update(void *state, const struct sample *sample)
{
	struct profiler *profiler = state;
	struct profile_state before = profiler->before;
	struct profile_look look = { .scope = sample->request->scope, .pid = sample->request->profiled_pid };
	uint64_t now_ns = env_mono_ns(sample->env),
		 from_ns = sample->request->batch ? profiler->last_ns : now_ns - WINDOW_NS;
	bool ready;
	int error;

	if (from_ns > profiler->last_ns)
		from_ns = profiler->last_ns;
	keep_window(profiler, from_ns);
	error = take_all(profiler, now_ns, &ready, &look.has_gap);
	show_seen(profiler, &profiler->slots[(profiler->first + profiler->n_slots - 1) % SLOTS_MAX]);
	take_forks(profiler, sample->request->scope);
	profiler->last_ns = now_ns;
	profiler->cost_ratio = cost_ratio(profiler);
	profiler->is_noted = false;
	if (!error && ready && !profile_events_fit(&profiler->events))
		error = open_again(profiler);
	if (error)
		return error;
	look.now_ns = now_ns;
	look.read_ns = profiler->taken_read_ns;
	look.has_gap |= has_lost(profiler, &before);
	pthread_mutex_lock(&profiler->events_lock);
	error = profile_events_follow(&profiler->events, &look);
	if (ready)
		judge_rate(profiler);
	pthread_mutex_unlock(&profiler->events_lock);
	return error;
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
	bool was_read = false;

	VECTOR_RESERVE(profiler->sums, profiler->n_nodes + 1, profiler->sum_capacity);
	VECTOR_RESERVE(profiler->line_sums, profiler->n_lines + 1, profiler->line_sum_capacity);
	memset(profiler->sums, 0, profiler->n_nodes * sizeof(*profiler->sums));
	memset(profiler->line_sums, 0, profiler->n_lines * sizeof(*profiler->line_sums));
	for (size_t i = 0; i < profiler->n_slots; i++) {
		struct slot *slot = &profiler->slots[(profiler->first + i) % SLOTS_MAX];

		was_read |= slot->was_read;
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
		.functions = profiler->tables.functions,
		.nodes = profiler->tables.nodes,
		.n_functions = profiler->n_functions,
		.n_nodes = profiler->n_nodes,
		.lines = profiler->tables.lines,
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
		.n_missed = profiler->events.n_missed,
		.missed_error = profiler->events.missed_error,
		.is_known = all.samples > 0 || (was_read && !profiler->events.lack_wanted),
		.was_read = profiler->taken_read_ns > 0,
		.unread_seconds = unread_seconds(profiler),
		.unfollowed_ratio = profiler->unfollowed_ratio,
		.n_ended = profiler->n_ended,
		.culprit = profiler->n_ended > 0 ? &profiler->culprit : NULL,
		.n_stuck = profiler->n_stuck,
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
