/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "account": where CPU time went, and how much of it is unaccounted for. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/pid/pid_stat.h"
#include "sys/attribute.h"
#include "topic/cpu/proc_stat.h"
#include "topic/event/event_reader.h"
#include "topic/process/cgroup_cpu_time.h"
#include "topic/process/exit_ledger.h"
#include "topic/process/exit_reader.h"
#include "topic/topic.h"

enum stolen_verdict {
	STOLEN_UNDECIDED, /* too little was stolen so far, or the kernel does not show it */
	STOLEN_APART,
	STOLEN_IN_CLOCKS,
};

/* All zero at first. */
struct stolen_time {
	enum stolen_verdict verdict;
	struct stolen_look *looks; /* owned: the last one on each CPU */
	size_t n_looks, capacity;
	uint64_t next_ticks; /* steal of all CPUs from which on the next look is worthwhile */
};

/*
 * The kernel takes stolen time off the clocks of tasks only with CONFIG_PARAVIRT_TIME_ACCOUNTING, and without
 * no-steal-acc. The clock of the tasks of a CPU is in our own /proc/self/sched: where stolen time is taken
 * off, it falls behind CLOCK_MONOTONIC by the growth of steal.
 */

#define STEAL_SECONDS 1.0  /* much more than the error of any of the clocks */
#define TOLERANCE 0.25     /* of that */
#define APART_SECONDS 1000 /* looks that are further apart differ by the drift of CLOCK_MONOTONIC, too */

struct stolen_look {
	uint64_t cpu, mono_ns;
	double clock, steal, interrupts; /* seconds */
};

/* U64_UNKNOWN on failure. */
static uint64_t own_cpu(struct env *env)
{
	char bytes[ATTRIBUTE_TEXT_MAX];
	long length = attribute_once(env, "proc/self/stat", bytes, sizeof(bytes));
	struct pid_stat stat;

	return length > 0 && pid_stat_parse(span_of(bytes, (size_t)length), &stat) ? stat.processor
										     : U64_UNKNOWN;
}

static const struct cpu_times *times_of(const struct proc_stat *stat, uint64_t cpu)
{
	for (size_t i = 0; i < stat->n_cpus; i++)
		if (stat->cpus[i].cpu == cpu)
			return &stat->cpus[i];
	return NULL;
}

/* False if the kernel does not show it, or this process changes to another CPU meanwhile. */
static bool look(struct stolen_look *now, struct env *env, const struct proc_stat *stat)
{
	const double hz = (double)env->ticks_per_second;
	const struct cpu_times *times;
	char bytes[ATTRIBUTE_TEXT_MAX];
	long length;

	now->cpu = own_cpu(env);
	times = times_of(stat, now->cpu);
	if (!times || times->steal == U64_UNKNOWN || times->softirq == U64_UNKNOWN)
		return false;
	length = attribute_once(env, "proc/self/sched", bytes, sizeof(bytes));
	if (length < 0 || !pid_sched_parse(span_of(bytes, (size_t)length), &now->clock))
		return false;
	now->steal = (double)times->steal / hz;
	now->interrupts = cpu_times_measures_interrupts(&stat->all)
				  ? (double)(times->irq + times->softirq) / hz
				  : 0;
	return own_cpu(env) == now->cpu;
}

/* Measured interrupts are taken off the clocks, too: with many of them nothing is decided. */
static enum stolen_verdict judge(const struct stolen_look *from, const struct stolen_look *now)
{
	double steal = now->steal - from->steal, interrupts = now->interrupts - from->interrupts;
	double passed = (double)(now->mono_ns - from->mono_ns) / 1e9;
	double behind = passed - (now->clock - from->clock);

	if (fabs(interrupts) > steal * TOLERANCE / 2 || passed > APART_SECONDS)
		return STOLEN_UNDECIDED;
	if (fabs(behind - steal) < steal * TOLERANCE)
		return STOLEN_APART;
	return fabs(behind) < steal * TOLERANCE ? STOLEN_IN_CLOCKS : STOLEN_UNDECIDED;
}

static struct stolen_look *last_look(struct stolen_time *stolen, const struct stolen_look *now)
{
	for (size_t i = 0; i < stolen->n_looks; i++)
		if (stolen->looks[i].cpu == now->cpu)
			return &stolen->looks[i];
	*VECTOR_ADD(stolen->looks, stolen->n_looks, stolen->capacity) = *now;
	return &stolen->looks[stolen->n_looks - 1];
}

/* Once per tick; mono_ns: CLOCK_MONOTONIC of the tick. */
static enum stolen_verdict stolen_time_update(struct stolen_time *stolen, struct env *env, uint64_t mono_ns,
				       const struct proc_stat *stat)
{
	struct stolen_look now = { .mono_ns = mono_ns }, *last;

	if (stolen->verdict != STOLEN_UNDECIDED || stat->all.steal == U64_UNKNOWN ||
	    stat->all.steal < stolen->next_ticks || !look(&now, env, stat))
		return stolen->verdict;
	stolen->next_ticks = stat->all.steal + (uint64_t)(STEAL_SECONDS * (double)env->ticks_per_second);
	last = last_look(stolen, &now);
	if (now.steal - last->steal < STEAL_SECONDS && now.steal >= last->steal)
		return STOLEN_UNDECIDED;
	stolen->verdict = judge(last, &now);
	*last = now;
	return stolen->verdict;
}

#define KSOFTIRQD "ksoftirqd/" /* and the number of its CPU */

struct account_row {
	const char *part;
	double cpu_ratio, cpu_seconds;
	const char *from;
};

#define ROW(field, ...) COLUMN(struct account_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(part, A_KEY(N_("part"), 12), .words = true,
	    .help = N_("tasks: processes seen alive; exited: processes that exited between samples; irq, "
		       "softirq: interrupts, steal: taken by the host, each unknown where the kernel counts "
		       "it as time of the tasks that it interrupts; unaccounted: the rest, negative where "
		       "time is counted twice; busy: the sum, as the kernel counts it; with a scope tasks "
		       "and exited are its processes, and all the rest is outside"),
	    .source = "panetop"),
	ROW(cpu_ratio, A_RATE(RATIO, N_("%CPU"), 6), .rate_of = offsetof(struct account_row, cpu_seconds),
	    .help = N_("CPU use in the last interval; 100 is one CPU"),
	    .source = "change of cpu_seconds / time"),
	ROW(cpu_seconds, A_GAUGE(SECONDS, N_("time"), 9), .help = N_("CPU time since the first sample"),
	    .source = "see the column from"),
	ROW(from, A_LABEL(N_("from"), 24), .rank = 1, .words = true, .help = N_("source of the time"),
	    .source = "panetop"),
};

static const struct schema schema = {
	.name = "account", .is_public = true, .help = N_("where CPU time went"),
	SCHEMA_ROWS(struct account_row, columns),
};

/* Only checks whether registration works. */
static int test_records(struct env *env)
{
	int error = 0;

	exit_reader_close(exit_reader_open(env, &error));
	return error;
}

static int test_cpu_sum(struct env *env)
{
	struct cgroup_cpu_time *sum = cgroup_cpu_time_open(env);
	int error = sum ? 0 : -ENODEV;

	cgroup_cpu_time_close(sum);
	return error;
}

struct state {
	struct exit_ledger *ledger;
	bool begun;
	double irq, softirq, steal, busy; /* in the first sample */
	double ksoftirqd;                 /* its CPU time since then, in seconds */
	struct stolen_time stolen_time;
	unsigned scope_epoch; /* of the scope that the parts are about */
	double scope_busy;    /* time of busy when it was chosen */
	double stolen; /* since the first sample, until it was found to be in the clocks, in seconds */
};

static double or_zero(uint64_t ticks)
{
	return ticks == U64_UNKNOWN ? 0 : (double)ticks;
}

static void add(struct table *table, const char *part, double seconds, const char *from)
{
	struct account_row *row = table_add(table);

	row->part = part;
	row->cpu_seconds = seconds;
	row->from = from;
}

static const char *exited_source(const struct exit_ledger *ledger)
{
	if (ledger->by_cpu_sum)
		return cgroup_cpu_time_version(ledger->processes->cpu_sum) == 1
			       ? N_("cpuacct.usage - tasks")
			       : N_("cpu.stat of cgroups - tasks");
	return ledger->reader ? N_("taskstats exit records") : N_("cutime, cstime of parents");
}

/* The sum of control groups is of the whole machine: records say which part of it is of the scope. */
static const char *scope_exited_source(const struct exit_ledger *ledger)
{
	if (!ledger->by_cpu_sum)
		return exited_source(ledger);
	if (cgroup_cpu_time_version(ledger->processes->cpu_sum) == 1)
		return ledger->reader ? N_("exit records, fitted to cpuacct.usage - tasks")
				      : N_("cutime, cstime of parents, fitted to cpuacct.usage - tasks");
	return ledger->reader ? N_("exit records, fitted to cpu.stat of cgroups - tasks")
			      : N_("cutime, cstime of parents, fitted to cpu.stat of cgroups - tasks");
}

/* CPU time of the threads that serve soft interrupts: the kernel counts it as softirq, too. */
static double ksoftirqd_used(const struct process_list *processes)
{
	double used = 0;

	for (size_t i = 0; i < processes->n_all; i++) {
		const struct process *process = processes->all[i];

		if (process->used_ns != U64_UNKNOWN && process_is_kernel_thread(process) &&
		    strncmp(process->name, KSOFTIRQD, strlen(KSOFTIRQD)) == 0)
			used += (double)process->used_ns / 1e9;
	}
	return used;
}

static void begin(struct state *state, const struct proc_stat *stat)
{
	const struct cpu_times *times = &stat->all;

	state->begun = true;
	state->irq = or_zero(times->irq);
	state->softirq = or_zero(times->softirq);
	state->steal = or_zero(times->steal);
	state->busy = stat->busy;
}

static void add_parts(const struct state *state, const struct proc_stat *stat, double hz, struct table *table)
{
	const struct exit_ledger *ledger = state->ledger;
	const struct cpu_times *times = &stat->all;
	double processes = (double)ledger->alive_ns / 1e9, ended = (double)ledger->ended_ns / 1e9;
	double irq = NAN, softirq = NAN, interrupts = 0;
	bool steals_apart = state->stolen_time.verdict != STOLEN_IN_CLOCKS;
	double busy = (proc_stat_busy_at(stat, ledger->processes->mono_ns) - state->busy) / hz;

	if (cpu_times_measures_interrupts(times)) {
		irq = (or_zero(times->irq) - state->irq) / hz;
		softirq = fmax(0, (or_zero(times->softirq) - state->softirq) / hz - state->ksoftirqd);
		interrupts = irq + softirq;
	}
	add(table, N_("tasks"), processes,
	    ledger->processes->clocks ? N_("clocks of the processes") : "/proc/PID/stat");
	add(table, N_("exited"), ended, exited_source(ledger));
	add(table, N_("irq"), irq, isnan(irq) ? N_("in tasks and exited") : "/proc/stat irq");
	add(table, N_("softirq"), softirq,
	    isnan(softirq) ? N_("in tasks and exited") : "/proc/stat softirq - ksoftirqd");
	add(table, N_("steal"), steals_apart ? state->stolen : NAN,
	    steals_apart ? "/proc/stat steal" : N_("in tasks and exited"));
	add(table, N_("unaccounted"), busy - processes - ended - interrupts - state->stolen,
	    N_("busy - all others"));
	add(table, N_("busy"), busy, N_("/proc/stat, without idle and iowait"));
}

/* All that is not of processes in the scope is one part. */
static void add_scope_parts(const struct state *state, const struct sample *sample,
			    const struct proc_stat *stat)
{
	const struct exit_ledger *ledger = state->ledger;
	double processes = (double)ledger->scope_alive_ns / 1e9, ended = (double)ledger->scope_ended_ns / 1e9;
	double busy = (proc_stat_busy_at(stat, ledger->processes->mono_ns) - state->scope_busy) /
		      (double)sample->env->ticks_per_second;
	char scope[TEXT_MAX];

	add(sample->table, N_("tasks"), processes,
	    ledger->processes->clocks ? N_("clocks of the processes") : "/proc/PID/stat");
	add(sample->table, N_("exited"), ended, scope_exited_source(ledger));
	scope_write(sample->request->scope, scope, sizeof(scope));
	add(sample->table, OUTSIDE_SCOPE, busy - processes - ended,
	    arena_print(&sample->frame->arena, SCOPE_REST_SOURCE, scope));
	add(sample->table, N_("busy"), busy, N_("/proc/stat, without idle and iowait"));
}

/* Then a sample without rows keeps rates from growing over the parts of two scopes. */
static bool changes_scope(struct state *state, const struct proc_stat *stat)
{
	bool changes = state->scope_epoch != state->ledger->scope_epoch;

	if (changes || state->scope_busy <= 0)
		state->scope_busy = stat->busy;
	state->scope_epoch = state->ledger->scope_epoch;
	return changes && state->ledger->processes->updates > 1;
}

static int sample(struct sample *sample)
{
	struct env *env = sample->env;
	struct state *state = sample->state;
	const struct proc_stat *stat;
	uint64_t lost = state->ledger->reader ? exit_reader_lost(state->ledger->reader) : 0;
	int error = proc_stat_read(env, &stat);

	sample->table->mono_ns = state->ledger->processes->mono_ns;
	if (error)
		return error;
	if (!stat->has_all)
		return -ENODATA;
	if (state->begun)
		state->ksoftirqd += ksoftirqd_used(state->ledger->processes);
	else
		begin(state, stat);
	if (stolen_time_update(&state->stolen_time, env, sample->frame->mono_ns, stat) != STOLEN_IN_CLOCKS)
		state->stolen = (or_zero(stat->all.steal) - state->steal) / (double)env->ticks_per_second;
	if (changes_scope(state, stat))
		return 0;
	if (scope_is_set(sample->request->scope))
		add_scope_parts(state, sample, stat);
	else
		add_parts(state, stat, (double)env->ticks_per_second, sample->table);
	if (!state->ledger->reader && state->ledger->reader_error != -ENOTSUP)
		frame_notice(sample->frame, schema.name,
			     source_remedy(env, topic_source(&topic_account, "taskstats"),
					   -state->ledger->reader_error),
			     _("no exit records: %s"), env_error_text(-state->ledger->reader_error));
	if (lost > 0)
		frame_notice(sample->frame, schema.name, _("a shorter delay loses fewer records"),
			     P_("%lu exit record was lost: its CPU time is unaccounted",
				"%lu exit records were lost: their CPU time is unaccounted",
				(unsigned long)lost),
			     (unsigned long)lost);
	return 0;
}

static void close_account(struct sample *sample)
{
	struct state *state = sample->state;

	free(state->stolen_time.looks);
}

const struct topic topic_account = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/stat", .gives = N_("CPU time of the machine") },
		{ .path = "run time of cgroups",
		  .gives = N_("CPU time of all processes: without those alive, it is that of exited ones"),
		  .optional = true, .test = test_cpu_sum,
		  .remedies = { { ENODEV, N_("the root control group is not visible, as in a container: exit "
					     "records and parents are used, less precisely") } } },
		{ .path = "taskstats", .is_socket = true,
		  .gives = N_("CPU time of processes that exited between samples, by name"), .optional = true,
		  .test = test_records,
		  .remedies = { { EPERM,
				  N_("without cap_net_admin this comes from the parents' cutime/cstime, "
				     "later and less precisely: run it as root, or give it the capability") },
				{ ENOENT,
				  N_("kernel without CONFIG_TASKSTATS: cutime/cstime of parents is used") },
				{ EINVAL,
				  N_("not available in a container: cutime/cstime of parents is used") } } }),
	.state_size = sizeof(struct state), .uses = EVENT_USES, .opening_uses = EVENT_OPENING_USES,
	.reads = READINGS(READING(struct state, ledger, &exit_ledger_reader)), .sample = sample,
	.close = close_account,
};
