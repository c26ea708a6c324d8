/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread looks, every few milliseconds, what those threads are in that have begun to wait; a wait is looked
 * at once. How long they ran and were ready is in schedstat, so that the rest is what they waited.
 */
#include <config.h>

#include "topic/profile/wait_switches.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/pid/pid_stat.h"
#include "kernel/pid/pid_syscall.h"
#include "sys/descriptor.h"
#include "sys/perf_ring.h"
#include "sys/pids.h"
#include "sys/privilege.h"
#include "sys/process.h"

#define LOOK_NS UINT64_C(5000000)
#define RING_BYTES ((size_t)16384)
#define RINGS_MAX 48 /* an ordinary user may lock memory for about as many */
#define THREADS_MAX 256
#define TEXT_BYTES 256
#define RECORD_PREEMPTED PERF_RECORD_MISC_SWITCH_OUT_PREEMPT

struct watched_process {
	uint32_t pid;
	uint64_t start_ticks;
	bool seen;     /* in this tick */
	bool switches; /* of all its threads */
	char name[WAIT_COMMAND_BYTES];
	int files;                                 /* its directory fd; -1 */
	uint64_t run_ns, ready_ns;                 /* sums */
	uint64_t fresh_ns, fresh_run, fresh_ready; /* since the last tick; fresh_ns: lived, of all threads */
	struct wait_tally tally;
};

struct watched_thread {
	struct watched_process *process;
	uint32_t tid;
	bool seen;
	int event, schedstat, channel, call; /* event: -1: its switches are not known */
	struct perf_ring ring;
	struct pid_schedstat ran;    /* as last read */
	uint64_t lived_ns;           /* up to when it is accounted for */
	bool has_channel;            /* the kernel says in which function it waits */
	bool off, preempted;         /* it is not on a CPU, since since_ns … */
	uint64_t since_ns, begun_ns; /* … begun_ns: all of the wait */
	bool looked, counted;
	unsigned reason;
};

struct wait_switches {
	struct env *env;
	struct machine_thread *looker;
	pthread_mutex_t lock; /* of all that follows */
	struct watched_process **processes;
	size_t n_processes, process_capacity;
	struct watched_thread **threads;
	size_t n_threads, thread_capacity, n_rings;
	size_t n_left_out;
	uint64_t looked_ns;
	char room[RING_BYTES];
};

/* --- A thread of the process, its waits and what it is in. */

static struct span read_file(int fd, char bytes[TEXT_BYTES])
{
	ssize_t length = fd < 0 ? -1 : pread(fd, bytes, TEXT_BYTES, 0);

	return span_of(bytes, length > 0 ? (size_t)length : 0);
}

/* The name of the call, or NULL; target: of the file that it works on, as far as it is known. */
static const char *read_call(const struct watched_thread *thread, char target[TEXT_BYTES])
{
	char bytes[TEXT_BYTES], name[24];
	struct pid_syscall call;
	ssize_t length = -1;

	target[0] = '\0';
	if (!pid_syscall_parse(read_file(thread->call, bytes), &call) || call.running || call.none)
		return NULL;
	if (pid_syscall_fd(&call) >= 0 && thread->process->files >= 0) {
		snprintf(name, sizeof(name), "%lld", (long long)pid_syscall_fd(&call));
		length = readlinkat(thread->process->files, name, target, TEXT_BYTES - 1);
	}
	target[length > 0 ? length : 0] = '\0';
	return pid_syscall_name(&call);
}

/* False: it is on a CPU, or nothing is known. */
static bool look(struct watched_thread *thread)
{
	uint64_t raised = privilege_raise_for(PRIVILEGE_DETAILS, thread->process->pid);
	char bytes[TEXT_BYTES], target[TEXT_BYTES];
	struct span channel = read_file(thread->channel, bytes);
	const char *call = read_call(thread, target);
	struct wait_meaning meaning;

	privilege_lower(raised);

	if (span_is(channel, "0"))
		channel = span_of(bytes, 0);
	thread->has_channel |= span_length(channel) > 0;
	if (span_length(channel) == 0 && (!call || thread->has_channel))
		return false;
	meaning = wait_meaning_of(&channel, span_length(channel) > 0, BPF_STATE_OTHER, call);
	if (meaning.cause == WAIT_OTHER)
		meaning.cause = wait_cause_of_call(call, target);
	thread->reason = wait_tally_reason(&thread->process->tally, meaning.cause, meaning.function);
	thread->looked = true;
	return true;
}

/* Up to this time; ended: it does not wait any more. */
static void add_wait(struct watched_thread *thread, uint64_t until_ns, bool ended)
{
	struct wait_tally *tally = &thread->process->tally;
	uint64_t ns = until_ns > thread->since_ns ? until_ns - thread->since_ns : 0;
	uint64_t whole_ns = ended && until_ns > thread->begun_ns ? until_ns - thread->begun_ns : 0;

	if (thread->looked)
		wait_tally_add(tally, thread->reason, ns, !thread->counted, whole_ns);
	else
		wait_tally_add_unseen(tally, ns, !thread->counted, whole_ns);
	thread->counted = true;
	thread->since_ns = until_ns;
}

static void take_switch(struct watched_thread *thread, unsigned misc, uint64_t time_ns)
{
	bool out = misc & PERF_RECORD_MISC_SWITCH_OUT;

	if (thread->off && !thread->preempted && time_ns >= thread->begun_ns)
		add_wait(thread, time_ns, true);
	thread->off = out;
	thread->preempted = out && misc & RECORD_PREEMPTED;
	thread->looked = thread->counted = false;
	thread->since_ns = thread->begun_ns = time_ns;
}

/* Records end with pid and tid, and the time. */
static void drain(struct wait_switches *switches, struct watched_thread *thread)
{
	struct perf_event_header header;
	struct span records;
	uint64_t time_ns;

	if (!thread->ring.mapping)
		return;
	records = perf_ring_take(&thread->ring, switches->room);
	while (span_length(records) >= sizeof(header)) {
		memcpy(&header, records.at, sizeof(header));
		if (header.size < sizeof(header) || header.size > span_length(records))
			return;
		if (header.type == PERF_RECORD_SWITCH &&
		    header.size >= sizeof(header) + 2 * sizeof(time_ns)) {
			memcpy(&time_ns, records.at + header.size - sizeof(time_ns), sizeof(time_ns));
			take_switch(thread, header.misc, time_ns);
		}
		records.at += header.size;
	}
}

/* --- The looker. */

/* Without its switches what it is in stands for the time since the last look. */
static void look_at(struct wait_switches *switches, struct watched_thread *thread, uint64_t now_ns)
{
	drain(switches, thread);
	if (thread->event >= 0) {
		if (thread->off && !thread->preempted && !thread->looked)
			look(thread);
		return;
	}
	if (look(thread) && switches->looked_ns > 0)
		wait_tally_add(&thread->process->tally, thread->reason, now_ns - switches->looked_ns, false,
			       0);
}

static uint64_t look_at_all(void *context)
{
	struct wait_switches *switches = context;
	uint64_t now_ns;

	pthread_mutex_lock(&switches->lock);
	now_ns = env_mono_ns(switches->env);
	for (size_t i = 0; i < switches->n_threads; i++)
		look_at(switches, switches->threads[i], now_ns);
	switches->looked_ns = now_ns;
	pthread_mutex_unlock(&switches->lock);
	return LOOK_NS;
}

/* --- Which threads there are. */

static int open_of(struct wait_switches *switches, const struct watched_thread *thread, const char *name)
{
	char path[48];

	snprintf(path, sizeof(path), "task/%u/%s", thread->tid, name);
	return pids_open(switches->env, thread->process->pid, path, O_RDONLY);
}

static int open_event(const struct env *env, int tid)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.exclude_kernel = 1, .exclude_hv = 1, .sample_id_all = 1, .context_switch = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return perf_open(env->perf, &attr, tid, -1, -1);
}

static void open_ring(struct wait_switches *switches, struct watched_thread *thread)
{
	if (switches->n_rings >= RINGS_MAX)
		return;
	thread->event = open_event(switches->env, (int)thread->tid);
	if (thread->event < 0)
		return;
	if (perf_ring_open(&thread->ring, thread->event, RING_BYTES) < 0) {
		close(thread->event);
		thread->event = -1;
		return;
	}
	switches->n_rings++;
}

static bool read_schedstat(const struct watched_thread *thread, struct pid_schedstat *ran)
{
	char bytes[TEXT_BYTES];

	return pid_schedstat_parse(read_file(thread->schedstat, bytes), ran);
}

static void add_thread(struct wait_switches *switches, struct watched_process *process, uint32_t tid)
{
	struct watched_thread *thread = alloc_zeroed(1, sizeof(*thread));

	*thread = (struct watched_thread){ .process = process, .tid = tid, .seen = true, .event = -1 };
	thread->schedstat = open_of(switches, thread, "schedstat");
	if (switches->n_threads >= THREADS_MAX || !read_schedstat(thread, &thread->ran)) {
		descriptor_close(thread->schedstat);
		free(thread);
		switches->n_left_out++;
		return;
	}
	thread->channel = open_of(switches, thread, "wchan");
	thread->call = open_of(switches, thread, "syscall");
	open_ring(switches, thread);
	thread->lived_ns = thread->since_ns = thread->begun_ns = env_mono_ns(switches->env);
	thread->off = look(thread); /* it has waited before */
	thread->counted = true;
	*VECTOR_ADD(switches->threads, switches->n_threads, switches->thread_capacity) = thread;
}

static void remove_thread(struct wait_switches *switches, size_t at)
{
	struct watched_thread *thread = switches->threads[at];
	const int files[] = { thread->event, thread->schedstat, thread->channel, thread->call };

	switches->n_rings -= thread->ring.mapping != NULL;
	perf_ring_close(&thread->ring);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		descriptor_close(files[i]);
	free(thread);
	switches->threads[at] = switches->threads[--switches->n_threads];
}

static bool has_thread(const struct wait_switches *switches, const struct watched_process *process,
		       uint32_t tid)
{
	for (size_t i = 0; i < switches->n_threads; i++)
		if (switches->threads[i]->process == process && switches->threads[i]->tid == tid) {
			switches->threads[i]->seen = true;
			return true;
		}
	return false;
}

static struct watched_process *process_of(struct wait_switches *switches, const struct process *listed)
{
	struct watched_process *process;

	for (size_t i = 0; i < switches->n_processes; i++) {
		process = switches->processes[i];
		if (process->pid == listed->pid && process->start_ticks == listed->start_ticks)
			return process;
	}
	process = alloc_zeroed(1, sizeof(*process));
	process->pid = listed->pid;
	process->start_ticks = listed->start_ticks;
	process->files = pids_open(switches->env, listed->pid, "fd", O_RDONLY | O_DIRECTORY);
	*VECTOR_ADD(switches->processes, switches->n_processes, switches->process_capacity) = process;
	return process;
}

static void follow_process(struct wait_switches *switches, const struct process *listed)
{
	struct watched_process *process = process_of(switches, listed);
	const uint32_t *tids;
	size_t n_tids;

	process->seen = true;
	snprintf(process->name, sizeof(process->name), "%s", listed->name);
	if (pids_threads(switches->env, listed->pid, &tids, &n_tids) < 0)
		return;
	for (size_t i = 0; i < n_tids; i++)
		if (!has_thread(switches, process, tids[i]))
			add_thread(switches, process, tids[i]);
}

static void drop_ended(struct wait_switches *switches)
{
	for (size_t i = switches->n_threads; i > 0; i--)
		if (!switches->threads[i - 1]->seen || !switches->threads[i - 1]->process->seen)
			remove_thread(switches, i - 1);
	for (size_t i = switches->n_processes; i > 0; i--) {
		struct watched_process *process = switches->processes[i - 1];

		if (process->seen)
			continue;
		descriptor_close(process->files);
		free(process);
		switches->processes[i - 1] = switches->processes[--switches->n_processes];
	}
}

/* --- A tick. */

static void account_for(struct wait_switches *switches, struct watched_thread *thread, uint64_t now_ns)
{
	struct watched_process *process = thread->process;
	struct pid_schedstat ran;

	drain(switches, thread);
	process->switches &= thread->event >= 0;
	if (!read_schedstat(thread, &ran))
		return; /* it ends */
	if (thread->event >= 0 && thread->off && !thread->preempted) {
		if (!thread->looked)
			look(thread);
		add_wait(thread, now_ns, false);
	}
	process->fresh_ns += now_ns - thread->lived_ns;
	process->fresh_run += ran.run_ns - thread->ran.run_ns;
	process->fresh_ready += ran.wait_ns - thread->ran.wait_ns;
	thread->ran = ran;
	thread->lived_ns = now_ns;
}

static void add_to_ledger(struct wait_ledger *ledger, struct watched_process *process)
{
	uint32_t number = wait_ledger_process(ledger, process->pid, process->start_ticks), item;
	const uint64_t sums[] = { process->run_ns, process->ready_ns };

	memcpy(ledger->processes[number].command, process->name, sizeof(process->name));
	for (uint32_t state = BPF_STATE_RUNNING; state <= BPF_STATE_READY; state++) {
		item = wait_ledger_item(ledger, number, state, 0, 0);
		wait_ledger_name(ledger, item, state == BPF_STATE_RUNNING ? WAIT_RUNNING : WAIT_READY,
				 (struct span){ 0 });
		wait_ledger_add(ledger, item, sums[state], 0);
	}
	for (unsigned i = 0; i < process->tally.n; i++) {
		const struct wait_reason *reason = &process->tally.reasons[i];

		item = wait_ledger_item(ledger, number, BPF_STATE_OTHER, i, 0);
		wait_ledger_name(ledger, item, reason->cause, span_text(reason->function));
		wait_ledger_add(ledger, item, (uint64_t)reason->sum_ns, (uint64_t)(reason->sum_waits + 0.5));
	}
}

/* What it ran and was ready comes off the time that its threads lived: the rest was waited. */
static void end_process(struct watched_process *process)
{
	uint64_t busy_ns = process->fresh_run + process->fresh_ready;

	if (busy_ns > process->fresh_ns) /* clocks of CPUs are read a little later */
		busy_ns = process->fresh_ns;
	if (process->fresh_run > busy_ns)
		process->fresh_run = busy_ns;
	process->run_ns += process->fresh_run;
	process->ready_ns += busy_ns - process->fresh_run;
	wait_tally_end(&process->tally, process->fresh_ns - busy_ns);
	process->fresh_ns = process->fresh_run = process->fresh_ready = 0;
}

static void follow_all(struct wait_switches *switches, const struct process_list *processes, uint32_t pid)
{
	switches->n_left_out = 0;
	for (size_t i = 0; i < switches->n_threads; i++)
		switches->threads[i]->seen = false;
	for (size_t i = 0; i < switches->n_processes; i++)
		switches->processes[i]->seen = false;
	for (size_t i = 0; i < processes->n_all; i++)
		if (pid ? processes->all[i]->pid == pid : !processes->all[i]->outside)
			follow_process(switches, processes->all[i]);
}

uint64_t wait_switches_update(struct wait_switches *switches, const struct process_list *processes,
			      uint32_t process, struct wait_ledger *ledger)
{
	uint64_t now_ns;

	if (!patience_lock(&switches->lock))
		return 0;
	follow_all(switches, processes, process);
	for (size_t i = 0; i < switches->n_processes; i++)
		switches->processes[i]->switches = true;
	now_ns = env_mono_ns(switches->env);
	for (size_t i = 0; i < switches->n_threads; i++)
		account_for(switches, switches->threads[i], now_ns);
	for (size_t i = 0; i < switches->n_processes; i++) {
		end_process(switches->processes[i]);
		if (switches->processes[i]->seen)
			add_to_ledger(ledger, switches->processes[i]);
	}
	drop_ended(switches);
	pthread_mutex_unlock(&switches->lock);
	return now_ns;
}

bool wait_switches_has(const struct wait_switches *switches, uint32_t pid)
{
	for (size_t i = 0; i < switches->n_processes; i++)
		if (switches->processes[i]->pid == pid)
			return switches->processes[i]->switches;
	return false;
}

size_t wait_switches_left_out(const struct wait_switches *switches)
{
	return switches->n_left_out;
}

static void free_switches(void *context)
{
	struct wait_switches *switches = context;

	for (size_t i = 0; i < switches->n_processes; i++)
		switches->processes[i]->seen = false;
	drop_ended(switches);
	pthread_mutex_destroy(&switches->lock);
	free(switches->processes);
	free(switches->threads);
	free(switches);
}

struct wait_switches *wait_switches_open(struct env *env)
{
	static const struct thread_work work = { look_at_all, free_switches,
						 PRIVILEGE_BIT(PRIVILEGE_DETAILS) };
	struct wait_switches *switches = alloc_zeroed(1, sizeof(*switches));

	switches->env = env;
	pthread_mutex_init(&switches->lock, NULL);
	switches->looker = thread_start(env->own_threads, &work, switches);
	if (switches->looker)
		return switches;
	free_switches(switches);
	return NULL;
}

void wait_switches_close(struct wait_switches *switches)
{
	if (switches)
		thread_end(switches->looker, true);
}

int wait_switches_test(struct env *env)
{
	int event = env->live ? open_event(env, 0) : -ENOTSUP;

	if (event < 0)
		return event;
	close(event);
	return 0;
}
