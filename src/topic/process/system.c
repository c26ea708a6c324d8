/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "system": load, tasks, context switches, interrupts, forks and uptime of the whole machine. */
#include <config.h>

#include <errno.h>

#include "core/i18n.h"
#include "kernel/system.h"
#include "sys/pids.h"
#include "topic/cpu/cpu_allowance.h"
#include "topic/cpu/proc_stat.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

struct system_row {
	double load1, load5, load15, container_cpus;
	uint64_t cpus, tasks, threads, running, blocked;
	uint64_t context_switches, interrupts, forks;
	double context_switches_per_second, interrupts_per_second, forks_per_second, uptime_seconds;
};

#define LOAD(field, heading, what) \
	COLUMN(struct system_row, field, .kind = COLUMN_GAUGE, .title = heading, .width = 6, .help = what, \
	       .source = "/proc/loadavg")

#define COUNT(field, ...)                                                                                    \
	COLUMN(struct system_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .width = 7, .rank = 1,    \
	       __VA_ARGS__)

#define RATE(counter, heading, what, line) \
	COLUMN(struct system_row, counter##_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, \
	       .title = heading, .width = 8, .rank = 2, .rate_of = offsetof(struct system_row, counter), \
	       .help = what, .source = "growth of /proc/stat " line " / time"), \
	COLUMN(struct system_row, counter, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = heading, \
	       .width = 12, .hidden = true, .help = what, .source = "/proc/stat " line)

static const struct column columns[] = {
	LOAD(load1, N_("load1"), N_("threads that run, or wait for a CPU or a disk: mean over 1 minute")),
	LOAD(load5, N_("load5"), N_("threads that run, or wait for a CPU or a disk: mean over 5 minutes")),
	LOAD(load15, N_("load15"), N_("threads that run, or wait for a CPU or a disk: mean over 15 minutes")),
	COUNT(cpus, .title = N_("CPUs"), .help = N_("online CPUs"), .source = "/proc/stat cpuN lines"),
	COUNT(container_cpus, .title = N_("usable"), .hidden = true,
	      .help = N_(
		      "CPUs that the container in which panetop runs may use at once, by its quota and its "
		      "cpuset; unknown: panetop is not in a pid namespace of its own"),
	      .source = "v2 cpu.max, cpuset.cpus.effective; v1 cpu.cfs_quota_us / cpu.cfs_period_us, "
			"cpuset.effective_cpus; /proc/self/ns/pid"),
	COUNT(tasks, .title = N_("tasks"), .help = N_("processes visible to this user in /proc"),
	      .source = "numbered directories in /proc"),
	COUNT(threads, .title = N_("threads"), .help = N_("threads, kernel threads included"),
	      .source = "/proc/loadavg, fourth field"),
	COUNT(running, .title = N_("running"), .help = N_("threads that run or wait for a CPU now"),
	      .source = "/proc/stat procs_running"),
	COUNT(blocked, .title = N_("blocked"), .help = N_("threads that wait for a disk now"),
	      .source = "/proc/stat procs_blocked"),
	RATE(context_switches, N_("ctxt/s"), N_("context switches"), "ctxt"),
	RATE(interrupts, N_("intr/s"), N_("interrupts"), "intr"),
	RATE(forks, N_("forks/s"), N_("processes and threads started"), "processes"),
	COLUMN(struct system_row, uptime_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS,
	       .title = N_("uptime"), .width = 10, .rank = 1, .help = N_("time since boot, suspend included"),
	       .source = "/proc/uptime"),
};

static const struct schema schema = {
	.name = "system", .is_public = true, .help = N_("the whole machine in one row"),
	SCHEMA_ROWS(struct system_row, columns),
};

static int read_loadavg(struct env *env, struct system_row *row)
{
	struct loadavg loadavg;
	struct span text;
	int error = env_read(env, env_file(env, "proc/loadavg"), &text);

	if (error)
		return error;
	if (!loadavg_parse(text, &loadavg))
		return -ENODATA;
	row->load1 = loadavg.load1;
	row->load5 = loadavg.load5;
	row->load15 = loadavg.load15;
	row->threads = loadavg.threads;
	return 0;
}

static int read_stat(struct env *env, struct system_row *row)
{
	const struct proc_stat *stat;
	int error = proc_stat_read(env, &stat);

	if (error)
		return error;
	row->cpus = stat->totals.cpus;
	row->context_switches = stat->totals.context_switches;
	row->interrupts = stat->totals.interrupts;
	row->forks = stat->totals.forks;
	row->running = stat->totals.running;
	row->blocked = stat->totals.blocked;
	return 0;
}

/* The number of processes, and the two counters of which at least one moves when it changes. */
struct state {
	uint64_t forks, threads, processes;
	struct cpu_allowance *allowance;
};

static uint64_t listed(struct sample *sample)
{
	const struct process_list *list = reader_state(&process_reader, sample->env);
	const uint32_t *pids;
	size_t n_pids;

	if (list && reader_is_due(&process_reader, sample->env))
		return reader_update(&process_reader, sample) == 0 ? list->n_all + list->n_missing
								   : U64_UNKNOWN;
	return pids_list(sample->env, &pids, &n_pids) == 0 ? n_pids : U64_UNKNOWN;
}

/* Lists /proc, which costs more than all the rest, only when a process or thread was started or exited. */
static void count_processes(struct sample *sample, struct state *state, struct system_row *row)
{
	bool unmoved = state->forks == row->forks && state->threads == row->threads;

	if (!unmoved || row->forks == U64_UNKNOWN || row->threads == U64_UNKNOWN)
		state->processes = listed(sample);
	state->forks = row->forks;
	state->threads = row->threads;
	row->tasks = state->processes;
}

static int open_system(struct sample *sample)
{
	struct state *state = sample->state;

	state->forks = state->threads = U64_UNKNOWN;
	return 0;
}

static int sample(struct sample *sample)
{
	struct env *env = sample->env;
	struct state *state = sample->state;
	struct system_row *row = table_add(sample->table);
	int load_error = read_loadavg(env, row), stat_error = read_stat(env, row);
	struct span text;

	if (env_read(env, env_file(env, "proc/uptime"), &text) == 0)
		uptime_parse(text, &row->uptime_seconds);
	count_processes(sample, state, row);
	row->container_cpus = cpu_allowance_container(state->allowance, row->cpus);
	return load_error && stat_error ? load_error : 0;
}

const struct topic topic_system = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/loadavg", .gives = N_("load and number of threads") },
		{ .path = "proc/stat", .gives = N_("context switches, interrupts, forks, CPUs") },
		{ .path = "proc/uptime", .gives = N_("time since boot") }),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, allowance, &cpu_allowance_reader)), .open = open_system,
	.sample = sample,
};
