/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cpuset of version 1 has a hierarchy of its own, as CPU time may; their paths are the same in practice. */
#include <config.h>

#include "topic/cpu/cpu_allowance.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "kernel/cgroup.h"
#include "kernel/system.h"
#include "topic/cpu/proc_stat.h"

#define MACHINE_PIDS "pid:[4026531836]" /* PROC_PID_INIT_INO of the kernel */

static bool is_container(struct env *env)
{
	char name[64];
	ssize_t length = root_read_link(&env->root, "proc/self/ns/pid", name, sizeof(name) - 1);

	if (length <= 0)
		return false;
	name[length] = '\0';
	return strcmp(name, MACHINE_PIDS) != 0;
}

static void find(struct env *env, const char *controller, struct own_cgroup *own)
{
	own->found = cgroup_own(env, controller, &own->place) == 0;
}

static int open_allowance(void *state, const struct sample *sample)
{
	struct cpu_allowance *allowance = state;

	allowance->env = sample->env;
	allowance->is_container = is_container(allowance->env);
	find(allowance->env, "cpu", &allowance->cpu);
	find(allowance->env, "cpuacct", &allowance->used);
	find(allowance->env, "cpuset", &allowance->set);
	return 0;
}

const struct reader cpu_allowance_reader = {
	.name = "our CPU quotas", .state_size = sizeof(struct cpu_allowance), .open = open_allowance,
};

double cpu_allowance_quota(struct env *env, const struct cgroup_place *place)
{
	struct span text, quota, period;
	double cpus;

	if (place->version == 2) {
		if (cgroup_read(env, place, "cpu.max", &text) < 0 || !span_word(&text, &quota))
			return 0;
		return cgroup_quota_parse(quota, text, &cpus) ? cpus : 0;
	}
	if (cgroup_read(env, place, "cpu.cfs_quota_us", &quota) < 0 ||
	    cgroup_read(env, place, "cpu.cfs_period_us", &period) < 0)
		return 0;
	return cgroup_quota_parse(quota, period, &cpus) ? cpus : 0;
}

/* CPU time of the group with this path and of those below it, in ns; U64_UNKNOWN. */
static uint64_t used_ns_of(const struct cpu_allowance *allowance, const char *group)
{
	struct cgroup_place place = allowance->used.place;
	struct cgroup_cpu_stat stat;
	uint64_t used_ns;
	struct span text;

	strcpy(place.group, group);
	if (!allowance->used.found ||
	    cgroup_read(allowance->env, &place, place.version == 2 ? "cpu.stat" : "cpuacct.usage", &text) < 0)
		return U64_UNKNOWN;
	if (place.version == 1)
		return span_u64(&text, &used_ns) ? used_ns : U64_UNKNOWN;
	cgroup_cpu_stat_parse(text, &stat);
	return stat.used_ns;
}

/* How many CPUs the cpuset of panetop leaves it; U64_UNKNOWN: there is none. */
static uint64_t cpus_of_set(const struct cpu_allowance *allowance)
{
	const struct cgroup_place *place = &allowance->set.place;
	uint32_t first, last;
	uint64_t count = 0;
	struct span text;

	if (!allowance->set.found ||
	    cgroup_read(allowance->env, place,
			place->version == 2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus", &text) < 0)
		return U64_UNKNOWN;
	while (cpu_list_next(&text, &first, &last))
		count += last - first + 1;
	return count > 0 ? count : U64_UNKNOWN;
}

double cpu_allowance_container(const struct cpu_allowance *allowance, uint64_t online)
{
	struct cgroup_place place = allowance->cpu.place;
	double cpus = (double)online, quota;
	uint64_t set;

	if (!allowance->is_container || online == U64_UNKNOWN)
		return NAN;
	set = cpus_of_set(allowance);
	if (set < online)
		cpus = (double)set;
	do {
		quota = allowance->cpu.found ? cpu_allowance_quota(allowance->env, &place) : 0;
		if (quota > 0 && quota < cpus)
			cpus = quota;
	} while (cgroup_up(&place));
	return cpus;
}

/* Topic "cpu_limit": the CPU limits of this container or service, and how often it was throttled. */

struct limit_row {
	const char *cgroup;
	double limit_ratio, cpu_ratio, throttled_ratio, throttled_seconds, cpu_seconds;
	uint64_t cpuset_cpus, periods, throttled_periods;
};

#define ROW(field, ...) COLUMN(struct limit_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(cgroup, A_KEY(N_("cgroup"), 16),
	    .help = N_("cgroup with the limit: that of panetop or an ancestor"),
	    .source = "/proc/self/cgroup"),
	ROW(limit_ratio, A_GAUGE(RATIO, N_("%limit"), 7),
	    .help = N_("limit of the cgroup; 100 is one CPU; blank: only its cpuset limits it"),
	    .source = "cpu.max; cpu.cfs_quota_us / cpu.cfs_period_us"),
	ROW(cpuset_cpus, A_GAUGE(COUNT, N_("cpuset"), 7), .rank = 2,
	    .help = N_("CPUs that the cpuset of panetop's own cgroup has; blank: all, or an ancestor"),
	    .source = "cpuset.cpus.effective; v1 cpuset.effective_cpus"),
	ROW(cpu_ratio, A_RATE(RATIO, N_("%CPU"), 7), .rank = 1, .of_cpu = true,
	    .rate_of = offsetof(struct limit_row, cpu_seconds),
	    .help = N_("CPU time of its tasks and of the cgroups below it; 100 is one CPU"),
	    .source = "growth of cpu_seconds / time"),
	ROW(throttled_ratio, A_RATE(RATIO, N_("%throt"), 7),
	    .rate_of = offsetof(struct limit_row, throttled_periods),
	    .rate_over = offsetof(struct limit_row, periods),
	    .help = N_("share of the periods in which it reached its limit and was throttled"),
	    .source = "growth of throttled_periods / growth of periods"),
	ROW(throttled_seconds, A_COUNTER(SECONDS, N_("waited"), 9),
	    .help = N_("time that its tasks were throttled, summed"),
	    .source = "cpu.stat throttled_usec; throttled_time"),
	ROW(cpu_seconds, A_COUNTER(SECONDS, N_("CPU time"), 9), .hidden = true,
	    .help = N_("CPU time of its tasks and of the cgroups below it"),
	    .source = "cpu.stat usage_usec; cpuacct.usage"),
	ROW(periods, A_COUNTER(COUNT, N_("periods"), 9), .hidden = true,
	    .help = N_("periods in which it ran"), .source = "cpu.stat nr_periods"),
	ROW(throttled_periods, A_COUNTER(COUNT, N_("throttled"), 9), .hidden = true,
	    .help = N_("periods in which it was throttled"), .source = "cpu.stat nr_throttled"),
};

static const struct schema schema = {
	.name = "cpu_limit", .is_public = true,
	.help = N_("limits of the container or service in which panetop runs"),
	SCHEMA_ROWS(struct limit_row, columns),
};

static int test_cgroup(struct env *env)
{
	return cgroup_test(env, "cpu");
}

static const struct source_spec sources[] = {
	CGROUP_SOURCE("cpu cgroup", test_cgroup,
			  N_("no cgroup hierarchy with the cpu controller is mounted")),
	{ 0 },
};

static void read_waits(struct env *env, const struct cgroup_place *place, struct limit_row *row)
{
	struct cgroup_cpu_stat stat;
	struct span text;

	if (cgroup_read(env, place, "cpu.stat", &text) < 0)
		return;
	cgroup_cpu_stat_parse(text, &stat);
	row->periods = stat.periods;
	row->throttled_periods = stat.throttled_periods;
	if (stat.throttled_ns != U64_UNKNOWN)
		row->throttled_seconds = (double)stat.throttled_ns / 1e9;
}

static void add_row(struct sample *sample, const struct cgroup_place *place, double quota, uint64_t set)
{
	const struct cpu_allowance *allowance = sample->state;
	uint64_t used_ns = used_ns_of(allowance, place->group);
	struct limit_row *row = table_add(sample->table);

	row->cgroup = arena_print(&sample->frame->arena, "/%s", place->group);
	row->cpuset_cpus = set;
	if (quota > 0) {
		row->limit_ratio = quota;
		read_waits(sample->env, place, row);
	}
	if (used_ns != U64_UNKNOWN)
		row->cpu_seconds = (double)used_ns / 1e9;
}

static int sample(struct sample *sample)
{
	const struct cpu_allowance *allowance = sample->state;
	struct cgroup_place place = allowance->cpu.place;
	uint64_t set = cpus_of_set(allowance);
	const struct proc_stat *stat;

	if (!allowance->cpu.found)
		return 0;
	if (proc_stat_read(sample->env, &stat) < 0 || set >= stat->totals.cpus)
		set = U64_BLANK;
	do {
		double quota = cpu_allowance_quota(sample->env, &place);

		if (quota > 0 || set != U64_BLANK)
			add_row(sample, &place, quota, set);
		set = U64_BLANK;
	} while (cgroup_up(&place));
	return 0;
}

const struct topic topic_cpu_limit = {
	.schema = &schema, .sources = sources, .reads = READING_ONE(&cpu_allowance_reader), .sample = sample,
};
