/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "waiting": what the threads of the selected process, or of those of the scope, wait for, by the
 * function of the kernel that they wait in.
 */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/process/process_find.h"
#include "topic/profile/wait_list.h"
#include "topic/profile/wait_switches.h"
#include "topic/trace/trace.h"

#define NEEDS N_("this needs Linux 5.18 with BTF, on x86 or arm64")

struct waiting_row {
	uint64_t pid;
	double start_seconds;
	const char *cause, *function;
	double seconds, ratio;
	uint64_t waits;
	const char *how, *command;
};

#define ROW(field, ...) COLUMN(struct waiting_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(pid, A_KEY(N_("PID"), 7), .fleeting = true, .help = N_("PID"),
	    .source = "task_struct; else /proc"),
	ROW(start_seconds, A_KEY(N_("started"), 10), .fleeting = true, .unit = UNIT_SECONDS, .hidden = true,
	    .help = N_("start time, after boot"), .source = "task_struct; else /proc/PID/stat starttime"),
	ROW(ratio, A_GAUGE(RATIO, N_("%time"), 7), .additive = true,
	    .help = N_("time of all its threads; 1 is one thread all the time; the rows of a process add up "
		       "to its threads"),
	    .source = "seconds / length of the interval"),
	ROW(seconds, A_GAUGE(SECONDS, N_("time"), 9), .rank = 1,
	    .help = N_("time of all its threads in the interval; waits that have not ended count up to now"),
	    .source = "BPF at sched_switch, sched_wakeup; else perf switch records"),
	ROW(waits, A_GAUGE(COUNT, N_("waits"), 8), .rank = 1, .help = N_("waits that began in the interval"),
	    .source = "BPF at sched_switch; else perf switch records"),
	ROW(cause, A_KEY(N_("cause"), 8), .words = true,
	    .help = N_("running on a CPU; ready: waiting for one; disk: for I/O; lock: for a futex, or a "
		       "lock of the kernel; network: for a socket; pipe; poll: for one of several files; "
		       "sleep: for a timer; memory: for memory to be reclaimed or read back; child: for a "
		       "process to end"),
	    .source = "functions of the kernel; else /proc/PID/syscall"),
	ROW(function, A_KEY(N_("function"), 28), .fleeting = true,
	    .help = N_("function of the kernel that it waits in, below those of the scheduler; without "
		       "kernel stacks the system call"),
	    .source = "kernel stack, /proc/kallsyms; else /proc/PID/syscall"),
	ROW(how, A_LABEL(N_("how"), 8), .rank = 3,
	    .help = N_("bpf: counted in the kernel; switches: times from perf, causes sampled; proc: from "
		       "files, causes sampled"),
	    .source = "panetop"),
	ROW(command, A_LABEL(N_("command"), 16), .grouping = "command", .help = N_("name of the process"),
	    .source = "/proc/PID/comm"),
};

static const struct schema schema = {
	.name = "waiting",
	.help = N_("what the threads of the selected process, or of the scope, wait for, by function"),
	.none = N_("choose a process, or a scope with @; the table time_account has all processes"),
	.over_interval = true,
	SCHEMA_ROWS(struct waiting_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE,
	  .gives = N_("what processes wait for, by function of the kernel"),
	  .optional = true,
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES, TRACE_REMEDY_PIDS, { ENOENT, NEEDS }, { ENODATA, NEEDS } } },
	{ .path = "perf switch records",
	  .gives = N_("without BPF: how long threads of the user's own processes wait"),
	  .optional = true,
	  .test = wait_switches_test,
	  .remedies = { { EACCES, N_("lower kernel.perf_event_paranoid to 2 or less") },
			{ EPERM, REMEDY_OF_FILTER },
			{ ENOSYS, N_("this kernel is built without perf events") } } },
	{ 0 },
};

struct state {
	struct wait_list *waits;
};

static void prepare(struct sample *sample)
{
	struct state *state = sample->state;

	wait_list_prepare(state->waits, sample);
}

static void add_row(struct sample *sample, const struct wait_row *of, double interval)
{
	struct waiting_row *row = table_add(sample->table);

	row->pid = of->pid;
	row->start_seconds = process_start_seconds(sample->env, of->start_ticks);
	row->cause = wait_cause_words[of->cause];
	row->function = sample_text(sample, of->function);
	row->command = sample_text(sample, of->command);
	row->seconds = of->seconds;
	row->ratio = interval > 0 ? of->seconds / interval : 0;
	row->waits = of->waits;
	row->how = of->how;
}

static int sample_waiting(struct sample *sample)
{
	struct state *state = sample->state;
	uint64_t now_ns;
	size_t n;
	const struct wait_row *rows = wait_list_rows(state->waits, &n, &now_ns);

	if (now_ns == 0)
		return 0;
	wait_list_notices(state->waits, sample->frame);
	sample->table->mono_ns = now_ns;
	for (size_t i = 0; i < n; i++)
		add_row(sample, &rows[i], wait_list_seconds(state->waits));
	return 0;
}

const struct topic topic_waiting = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_SYMBOLS) |
		PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_RINGS) |
		PRIVILEGE_BIT(PRIVILEGE_DETAILS),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, waits, &wait_reader)),
	.prepare = prepare,
	.sample = sample_waiting,
};
