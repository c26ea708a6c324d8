/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "counter": what the hardware and the kernel count on each CPU, whoever runs there. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "kernel/cpu_list.h"
#include "topic/counter_machine.h"
#include "topic/topic.h"

#define COUNTERS "perf_event_open"
#define HARDWARE "hardware counters"
#define TRACEPOINTS "sys/kernel/tracing/events"
#define ONLINE "sys/devices/system/cpu/online"

struct counter_row {
	const char *cpu, *event;
	double per_second, per_cycle, share_ratio;
	const char *share_of;
	double running_ratio;
	uint64_t total, cycles_total, whole_total;
};

static const struct column columns[] = {
	COLUMN(struct counter_row, cpu, .kind = COLUMN_KEY, .title = N_("CPU"), .width = 5,
	       .help = N_("number of the CPU; all: sum of those that are online"), .source = "/" ONLINE),
	COLUMN(struct counter_row, event, .kind = COLUMN_KEY, .title = N_("event"), .width = 16,
	       .help = N_("what is counted; the setting cpu.perf chooses other events by name"),
	       .source = "panetop, libpfm4"),
	COLUMN(struct counter_row, per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
	       .title = N_("per s"), .width = 8, .rate_of = offsetof(struct counter_row, total),
	       .help = N_("in the last interval"), .source = "growth of total / time"),
	COLUMN(struct counter_row, per_cycle, .kind = COLUMN_RATE, .title = N_("per cycle"), .width = 9,
	       .rank = 1, .optional = true, .rate_of = offsetof(struct counter_row, total),
	       .rate_over = offsetof(struct counter_row, cycles_total),
	       .help = N_("instructions in each cycle of the clock, on average"),
	       .source = "growth of total / growth of cycles_total"),
	COLUMN(struct counter_row, share_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO,
	       .title = N_("share%"), .width = 7, .rank = 1,
	       .rate_of = offsetof(struct counter_row, total),
	       .rate_over = offsetof(struct counter_row, whole_total),
	       .help = N_("share of another event, which the next column names"),
	       .source = "growth of total / growth of whole_total"),
	COLUMN(struct counter_row, share_of, .kind = COLUMN_LABEL, .title = N_("of"), .width = 16, .rank = 1,
	       .help = N_("the event that it is a share of"), .source = "panetop"),
	COLUMN(struct counter_row, running_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO,
	       .title = N_("counted%"), .width = 8, .rank = 2,
	       .help = N_("share of the time in which it was counted: below 100 the numbers are estimates"),
	       .source = "growth of time running / growth of time enabled"),
	COLUMN(struct counter_row, total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("total"),
	       .width = 14, .rank = 3, .help = N_("since panetop counts it"),
	       .source = "perf_event_open(2), count * time enabled / time running"),
	COLUMN(struct counter_row, cycles_total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT,
	       .title = N_("cycles"), .width = 14, .hidden = true,
	       .help = N_("cycles counted at the same time as the instructions"),
	       .source = "total of cycles"),
	COLUMN(struct counter_row, whole_total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT,
	       .title = N_("whole"), .width = 14, .hidden = true,
	       .help = N_("the event that it is a share of, counted at the same time"),
	       .source = "total of the event share_of"),
};

static const struct schema schema = {
	.name = "counter",
	.help = N_("counters by CPU: cycles, instructions and misses, or page faults and switches"),
	.row_size = sizeof(struct counter_row),
	SCHEMA_COLUMNS(columns),
};

/* What a set of events gives on the first CPU that is online: 0 when one can be opened. */
static int test_set(struct env *env, void (*fill)(struct counter_events *events))
{
	struct counter_events events = { 0 };
	struct counter_pmus pmus;
	struct span online;
	uint32_t cpu, last;
	int error = env->live ? env_read(env, env_file(env, ONLINE), &online) : -ENOTSUP;
	int fd = -ENODEV;

	if (error)
		return error;
	if (!cpu_list_next(&online, &cpu, &last))
		return -EBADMSG;
	fill(&events);
	counter_pmus_read(&pmus, env);
	for (unsigned i = 0; i < events.count && fd == -ENODEV; i++)
		fd = counter_open(&events.list[i], &pmus, cpu, -1);
	counter_pmus_free(&pmus);
	counter_events_free(&events);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int test_software(struct env *env)
{
	return test_set(env, counter_events_software);
}

static int test_hardware(struct env *env)
{
	return test_set(env, counter_events_hardware);
}

static int test_tracepoints(struct env *env)
{
	if (faccessat(env->root_fd, TRACEPOINTS, R_OK, AT_EACCESS) == 0 ||
	    (errno == ENOENT && env_exists(env, "sys/kernel/debug/tracing/events")))
		return 0;
	return -errno;
}

#define REFUSED                                                                                              \
	{ EACCES,                                                                                            \
	  N_("give it the capability cap_perfmon, or set /proc/sys/kernel/perf_event_paranoid to 0") },      \
	{ EPERM, N_("a container or the security settings forbid it: run it outside, as root") },            \
	{ ENOTSUP, N_("counters are of the running machine only: leave out --root") }

static const struct source_spec sources[] = {
	{ .path = COUNTERS,
	  .gives = N_("page faults, context switches and migrations by CPU"),
	  .test = test_software,
	  .remedies = { REFUSED, { ENOSYS, N_("this kernel was built without CONFIG_PERF_EVENTS") } } },
	{ .path = HARDWARE,
	  .gives = N_("cycles, instructions, cache and branch misses by CPU"),
	  .optional = true,
	  .test = test_hardware,
	  .remedies = { REFUSED,
			{ ENODEV,
			  N_("there is no PMU, as in many virtual machines: the host may offer one") } } },
	{ .path = ONLINE, .gives = N_("which CPUs are online") },
	{ .path = TRACEPOINTS,
	  .gives = N_("events of the kernel by name, for the setting cpu.perf"),
	  .optional = true,
	  .test = test_tracepoints,
	  .remedies = { { ENOENT, N_("mount it: mount -t tracefs tracefs /sys/kernel/tracing") } } },
	{ 0 },
};

/* What one row is made of, of a CPU or of all. */
struct count {
	uint64_t total; /* U64_UNKNOWN */
	struct perf_times times;
};

static struct count count_of_cell(const struct counter_cell *cell)
{
	return (struct count){
		.total = cell->fd >= 0 && cell->known ? cell->total : U64_UNKNOWN,
		.times = cell->grown_times,
	};
}

static struct count count_of_sum(const struct counter_sum *sum)
{
	return sum->n_open > 0 && sum->known ? (struct count){ .total = sum->total, .times = sum->times }
					     : (struct count){ .total = U64_UNKNOWN };
}

static const char *keep(struct frame *frame, const char *text)
{
	return arena_copy(&frame->arena, text, strlen(text));
}

static void fill_row(struct counter_row *row, struct frame *frame, const struct counter_machine *machine,
		     unsigned index, const struct count *counts)
{
	const struct counter_event *event = &machine->events.list[index];
	struct perf_times times = counts[index].times;

	row->event = keep(frame, event->name);
	row->total = counts[index].total;
	if (times.enabled_ns > 0)
		row->running_ratio = fmin(1, (double)times.running_ns / (double)times.enabled_ns);
	row->share_of = "";
	if (event->per_cycle) {
		row->cycles_total = counts[event->base].total;
	} else if (event->base >= 0) {
		row->whole_total = counts[event->base].total;
		row->share_of = keep(frame, machine->events.list[event->base].name);
	}
}

/* A row for each event that is counted on this CPU, or should be; cpu is NULL for the sums. */
static void add_rows(struct frame *frame, struct table *table, const struct counter_machine *machine,
		     const struct counter_cpu *cpu)
{
	const char *name = cpu ? arena_print(&frame->arena, "%u", (unsigned)cpu->number) : "all";
	struct count counts[COUNTER_EVENTS_MAX];

	for (unsigned e = 0; e < machine->events.count; e++)
		counts[e] = cpu ? count_of_cell(&cpu->cells[e]) : count_of_sum(&machine->sums[e]);
	for (unsigned e = 0; e < machine->events.count; e++) {
		struct counter_row *row;

		if (machine->sums[e].n_open == 0 ||
		    (cpu && cpu->cells[e].fd < 0 && !counter_is_lost(cpu->cells[e].fd)))
			continue;
		row = table_add(table);
		row->cpu = name;
		fill_row(row, frame, machine, e, counts);
	}
}

static const char *remedy_of(const struct env *env, const char *path, int error)
{
	return source_remedy(env, topic_source(&topic_counter, path), -error);
}

/* Names that mean nothing, and events that no CPU counts. */
static void tell_events(const struct env *env, struct frame *frame, const struct counter_machine *machine)
{
	for (unsigned e = 0; e < machine->events.count; e++) {
		const struct counter_event *event = &machine->events.list[e];
		int error = machine->sums[e].error;

		if (event->why)
			frame_notice(frame, schema.name, event->remedy, "%s: %s", event->name, event->why);
		else if (machine->sums[e].n_open == 0 && error == -ENODEV)
			frame_notice(frame, schema.name, NULL, _("%s: this machine cannot count it"),
				     event->name);
		else if (machine->sums[e].n_open == 0 && error)
			frame_notice(frame, schema.name, remedy_of(env, COUNTERS, error), "%s: %s",
				     event->name, strerror(-error));
	}
	if (machine->events.surplus > 0)
		frame_notice(frame, schema.name, NULL,
			     P_("%u event of cpu.perf is one too many: at most %d are counted",
				"%u events of cpu.perf are too many: at most %d are counted",
				machine->events.surplus),
			     machine->events.surplus, COUNTER_EVENTS_MAX);
}

/* CPUs on which an event is missing that others count. */
static void tell_lost(const struct env *env, struct frame *frame, const struct counter_machine *machine)
{
	size_t n_lost = 0;
	int error = 0;

	for (size_t i = 0; i < machine->n_cpus; i++) {
		int found = 0;

		for (unsigned e = 0; e < machine->events.count && !found; e++)
			if (machine->sums[e].n_open > 0 && counter_is_lost(machine->cpus[i]->cells[e].fd))
				found = machine->cpus[i]->cells[e].fd;
		n_lost += found ? 1 : 0;
		error = error ? error : found;
	}
	if (n_lost > 0)
		frame_notice(frame, schema.name, remedy_of(env, COUNTERS, error),
			     P_("%zu CPU is not counted in full: %s", "%zu CPUs are not counted in full: %s",
				n_lost),
			     n_lost, strerror(-error));
}

static void tell_no_hardware(const struct env *env, struct frame *frame, int error)
{
	const char *remedy = remedy_of(env, HARDWARE, error);

	if (error == -ENODEV)
		frame_notice(frame, schema.name, remedy,
			     _("no hardware counters here: events of the kernel are counted instead"));
	else
		frame_notice(frame, schema.name, remedy,
			     _("no hardware counters, events of the kernel are counted instead: %s"),
			     strerror(-error));
}

static int open_counter(struct sampler *sampler, struct env *env, const struct settings *settings)
{
	struct counter_machine *machine = alloc_zeroed(1, sizeof(*machine));

	counter_machine_open(machine, env, settings_get(settings, "cpu.perf"));
	sampler->state = machine;
	return 0;
}

static void close_counter(struct sampler *sampler)
{
	counter_machine_close(sampler->state);
	free(sampler->state);
}

static int sample(struct sampler *sampler, struct env *env, struct frame *frame, struct table *table)
{
	struct counter_machine *machine = sampler->state;
	struct span online;
	int error = -ENOTSUP;

	if (env->live) {
		error = env_read(env, env_file(env, ONLINE), &online);
		if (error)
			return error;
		error = counter_machine_read(machine, online);
	}
	if (error) {
		env_note_failure(env, COUNTERS, error);
		return error;
	}
	if (machine->choice == COUNTER_SOFTWARE)
		tell_no_hardware(env, frame, machine->no_hardware);
	tell_events(env, frame, machine);
	tell_lost(env, frame, machine);
	add_rows(frame, table, machine, NULL);
	for (size_t i = 0; i < machine->n_cpus; i++)
		add_rows(frame, table, machine, machine->cpus[i]);
	return 0;
}

const struct topic topic_counter = {
	.schema = &schema, .sources = sources, .open = open_counter, .sample = sample, .close = close_counter,
};
