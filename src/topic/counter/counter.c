/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "counter": hardware and kernel events per CPU; and "page_event": page faults, allocations and
 * reclaim of the whole machine. From counts to the numbers of a row; events that are absent for one reason
 * share a notice.
 */
#include <config.h>

#include "topic/counter/counter.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "topic/served_mounts.h"

#define COUNTER_NAMES_MAX 512

static const char *keep(struct frame *frame, const char *text)
{
	return arena_copy(&frame->arena, text, strlen(text));
}

void counter_fill(struct counter_numbers *numbers, struct frame *frame, const struct counter_events *events,
		  unsigned index, const struct counter_count *counts)
{
	const struct counter_event *event = &events->list[index];
	struct perf_times times = counts[index].times;

	numbers->event = keep(frame, event->name);
	numbers->total = counts[index].total;
	if (times.enabled_ns > 0)
		numbers->running_ratio = fmin(1, (double)times.running_ns / (double)times.enabled_ns);
	numbers->share_of = "";
	if (event->per_cycle) {
		numbers->cycles_total = counts[event->base].total;
	} else if (event->base >= 0) {
		numbers->whole_total = counts[event->base].total;
		numbers->share_of = keep(frame, events->list[event->base].name);
	} else if (event->is_clock && counts[index].elapsed_ns > 0) {
		numbers->whole_total = counts[index].elapsed_ns;
		numbers->share_of = N_("one CPU");
	}
}

const char *counter_names(const struct topic_settings *settings)
{
	const char *names = settings->counters;

	return names && strcmp(names, "auto") != 0 ? names : NULL;
}

const char *counter_remedy(const struct env *env, const struct topic *topic, const char *path, int error)
{
	return source_remedy(env, topic_source(topic, path), -error);
}

/* Why an event is not counted; why NULL: it is. */
struct absence {
	const char *why, *remedy;
};

static struct absence absence_of(const struct env *env, const struct topic *topic,
				 const struct counter_event *event, const struct counter_sum *sum)
{
	if (event->why)
		return (struct absence){ event->why, event->remedy };
	if (sum->n_open > 0 || !sum->error)
		return (struct absence){ NULL, NULL };
	if (sum->error == -ENODEV)
		return (struct absence){ _("this machine cannot count it"), NULL };
	return (struct absence){ strerror(-sum->error),
				 counter_remedy(env, topic, COUNTER_SOURCE, sum->error) };
}

static bool is_same(const struct absence *one, const struct absence *other)
{
	return strcmp(one->why, other->why) == 0 &&
	       (one->remedy == other->remedy ||
		(one->remedy && other->remedy && strcmp(one->remedy, other->remedy) == 0));
}

/* One notice for all events from this one on that are absent for the same reason. */
static void notice_absent(struct frame *frame, const char *topic, const struct counter_events *events,
			  const struct absence *absences, unsigned first)
{
	char names[COUNTER_NAMES_MAX];
	size_t used = 0;

	for (unsigned e = 0; e < first; e++)
		if (absences[e].why && is_same(&absences[e], &absences[first]))
			return;
	for (unsigned e = first; e < events->count && used < sizeof(names); e++)
		if (absences[e].why && is_same(&absences[e], &absences[first]))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
						 events->list[e].name);
	frame_notice(frame, topic, absences[first].remedy, "%s: %s", names, absences[first].why);
}

void counter_notice_events(const struct env *env, struct frame *frame, const struct topic *topic,
			 const struct counter_events *events, const struct counter_sum *sums)
{
	struct absence absences[COUNTER_EVENTS_MAX];
	const char *name = topic->schema->name;

	for (unsigned e = 0; e < events->count; e++)
		absences[e] = absence_of(env, topic, &events->list[e], &sums[e]);
	for (unsigned e = 0; e < events->count; e++)
		if (absences[e].why)
			notice_absent(frame, name, events, absences, e);
	if (events->surplus > 0)
		frame_notice(frame, name, NULL,
			     P_("%u event of cpu.perf is beyond the limit of %d",
				"%u events of cpu.perf are beyond the limit of %d",
				events->surplus),
			     events->surplus, COUNTER_EVENTS_MAX);
}

void counter_notice_no_hardware(const struct env *env, struct frame *frame, const struct topic *topic,
			      int error)
{
	const char *remedy = counter_remedy(env, topic, COUNTER_HARDWARE_SOURCE, error);

	if (error == -ENODEV)
		frame_notice(frame, topic->schema->name, remedy,
			     _("no hardware counters: software events are counted instead"));
	else
		frame_notice(frame, topic->schema->name, remedy,
			     _("no hardware counters, software events are counted instead: %s"),
			     strerror(-error));
}

#define TRACEPOINTS "sys/kernel/tracing/events"

struct counter_row {
	const char *cpu;
	COUNTER_NUMBERS;
};

static const struct column columns[] = {
	COLUMN(struct counter_row, cpu, A_KEY(N_("CPU"), 5),
	       .help = N_("CPU number; all: sum of the online CPUs"), .source = "/" COUNTER_ONLINE),
	COUNTER_COLUMNS(struct counter_row),
};

static const struct schema schema = {
	.name = "counter",
	.is_public = true,
	.help = N_("events per CPU: cycles, instructions and misses, or page faults and context switches"),
	.of_run = true, .sum_row = "all",
	SCHEMA_ROWS(struct counter_row, columns),
};

static int test_software(struct env *env)
{
	return counter_machine_test(env, counter_events_software);
}

static int test_hardware(struct env *env)
{
	return counter_machine_test(env, counter_events_hardware);
}

static int test_tracepoints(struct env *env)
{
	int tracefs = tracing_open(env);

	descriptor_close(tracefs);
	return tracefs < 0 ? tracefs : 0;
}

static const struct source_spec sources[] = {
	{ .path = COUNTER_SOURCE,
	  .gives = N_("page faults, context switches and migrations per CPU"),
	  .test = test_software,
	  .remedies = { COUNTER_MACHINE_REMEDIES } },
	{ .path = COUNTER_HARDWARE_SOURCE,
	  .gives = N_("cycles, instructions, cache and branch misses per CPU"),
	  .optional = true,
	  .test = test_hardware,
	  .remedies = { COUNTER_MACHINE_REMEDIES,
			{ ENODEV,
			  N_("there is no PMU, as in many virtual machines: the host may provide one") } } },
	{ .path = COUNTER_ONLINE, .gives = N_("online CPUs") },
	{ .path = TRACEPOINTS,
	  .gives = N_("tracepoints by name, for the setting cpu.perf"),
	  .optional = true,
	  .test = test_tracepoints,
	  .remedies = { { ENOENT, N_("mount it: mount -t tracefs tracefs /sys/kernel/tracing") } } },
	{ 0 },
};

static struct counter_count count_of_cell(const struct counter_cell *cell)
{
	return (struct counter_count){
		.total = cell->fd >= 0 && cell->known ? cell->total : U64_UNKNOWN,
		.times = cell->grown_times,
	};
}

static struct counter_count count_of_sum(const struct counter_sum *sum)
{
	return sum->n_open > 0 && sum->known
		       ? (struct counter_count){ .total = sum->total, .times = sum->times }
		       : (struct counter_count){ .total = U64_UNKNOWN };
}

/* A row for each event that is counted on this CPU, or should be; cpu NULL: the sums. */
static void add_rows(struct frame *frame, struct table *table, const struct counter_machine *machine,
		     const struct counter_set *cpu)
{
	const char *name = cpu ? arena_print(&frame->arena, "%u", (unsigned)cpu->place.cpu) : "all";
	struct counter_count counts[COUNTER_EVENTS_MAX];

	for (unsigned e = 0; e < machine->events.count; e++)
		counts[e] = cpu ? count_of_cell(&cpu->cells[e]) : count_of_sum(&machine->sums[e]);
	for (unsigned e = 0; e < machine->events.count; e++) {
		struct counter_row *row;

		if (machine->sums[e].n_open == 0 ||
		    (cpu && cpu->cells[e].fd < 0 && !counter_is_lost(cpu->cells[e].fd)))
			continue;
		row = table_add(table);
		row->cpu = name;
		counter_fill(&row->numbers, frame, &machine->events, e, counts);
	}
}

/* CPUs on which an event is not counted that others count. */
static void notice_lost(const struct env *env, struct frame *frame, const struct counter_machine *machine)
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
		frame_notice(frame, schema.name, counter_remedy(env, &topic_counter, COUNTER_SOURCE, error),
			     P_("%zu CPU is counted only in part: %s",
				"%zu CPUs are counted only in part: %s", n_lost),
			     n_lost, strerror(-error));
}

static int open_counter(struct sample *sample)
{
	struct counter_machine *machine = sample->state;

	counter_machine_open(machine, sample->env, counter_names(sample->settings));
	return 0;
}

static void close_counter(struct sample *sample)
{
	counter_machine_close(sample->state);
}

static int sample(struct sample *sample)
{
	struct env *env = sample->env;
	struct frame *frame = sample->frame;
	struct counter_machine *machine = sample->state;
	struct span online;
	int error = -ENOTSUP;

	if (env->live) {
		error = env_read(env, env_file(env, COUNTER_ONLINE), &online);
		if (error)
			return error;
		error = counter_machine_read(machine, online);
	}
	if (error) {
		env_note_failure(env, COUNTER_SOURCE, error);
		return error;
	}
	if (machine->choice == COUNTER_SOFTWARE)
		counter_notice_no_hardware(env, frame, &topic_counter, machine->no_hardware);
	counter_notice_events(env, frame, &topic_counter, &machine->events, machine->sums);
	notice_lost(env, frame, machine);
	add_rows(frame, sample->table, machine, NULL);
	for (size_t i = 0; i < machine->n_cpus; i++)
		add_rows(frame, sample->table, machine, machine->cpus[i]);
	return 0;
}

const struct topic topic_counter = {
	.schema = &schema, .sources = sources, .state_size = sizeof(struct counter_machine),
	.uses = COUNTER_USES, .opening_uses = COUNTER_OPENING_USES, .open = open_counter, .sample = sample,
	.close = close_counter
};

/* The first three stand in for exceptions:*, which not every processor has. */
static const struct {
	const char *name, *meaning;
} page_events[] = {
	{ "page-faults", N_("all page faults") },
	{ "minor-faults", N_("page faults without storage access") },
	{ "major-faults", N_("page faults that waited for storage") },
	{ "exceptions:page_fault_user", N_("page faults in user mode") },
	{ "exceptions:page_fault_kernel", N_("page faults in the kernel") },
	{ "kmem:mm_page_alloc", N_("page allocations") },
	{ "kmem:mm_page_free", N_("pages freed one by one") },
	{ "kmem:mm_page_free_batched", N_("pages freed in batches") },
	{ "vmscan:mm_vmscan_wakeup_kswapd", N_("wakeup requests to kswapd") },
	{ "vmscan:mm_vmscan_kswapd_wake", N_("kswapd wakes up and reclaims") },
	{ "vmscan:mm_vmscan_direct_reclaim_begin", N_("direct reclaim by allocating programs") },
};

#define N_EVENTS (sizeof(page_events) / sizeof(page_events[0]))

struct event_row {
	const char *event;
	double per_second;
	uint64_t total;
	const char *meaning;
};

#define PAGE(field, ...) COLUMN(struct event_row, field, __VA_ARGS__)

static const struct column page_columns[] = {
	PAGE(event, A_KEY(N_("event"), 37), .help = N_("event of libpfm4, or a tracepoint"),
	    .source = "panetop"),
	PAGE(per_second, A_RATE(PER_SECOND, N_("per s"), 8), .rate_of = offsetof(struct event_row, total),
	    .help = N_("per second in the last interval"), .source = "growth of total / time"),
	PAGE(total, A_COUNTER(COUNT, N_("total"), 12), .rank = 2,
	    .help = N_("count on all CPUs since the first sample"), .source = "perf_event_open(2)"),
	PAGE(meaning, A_LABEL(N_("what it counts"), 30), .words = true, .rank = 1,
	    .help = N_("meaning of the event"), .source = "panetop"),
};

static const struct schema page_schema = {
	.name = "page_event",
	.is_public = true,
	.help = N_("page faults, allocations and reclaim of the whole machine"),
	.of_run = true,
	SCHEMA_ROWS(struct event_row, page_columns),
};

static const struct source_spec page_sources[] = {
	{ .path = COUNTER_SOURCE,
	  .gives = N_("page faults, allocations and reclaim of the whole machine"),
	  .test = test_software,
	  .remedies = { COUNTER_MACHINE_REMEDIES } },
	{ .path = COUNTER_ONLINE, .gives = N_("online CPUs") },
	{ 0 },
};

static int open_page_events(struct sample *sample)
{
	struct counter_machine *machine = sample->state;
	char names[512] = "";

	for (size_t i = 0; i < N_EVENTS; i++)
		strcat(strcat(names, i > 0 ? "," : ""), page_events[i].name);
	counter_machine_open(machine, sample->env, names);
	return 0;
}

static const char *meaning_of(const char *name)
{
	for (size_t i = 0; i < N_EVENTS; i++)
		if (strcmp(page_events[i].name, name) == 0)
			return page_events[i].meaning;
	return "";
}

static int sample_page_events(struct sample *sample)
{
	struct env *env = sample->env;
	struct counter_machine *machine = sample->state;
	struct span online;
	int error = env->live ? env_read(env, env_file(env, COUNTER_ONLINE), &online) : 0;

	if (error || !env->live)
		return error;
	error = counter_machine_read(machine, online);
	if (error)
		return error;
	counter_notice_events(env, sample->frame, &topic_page_event, &machine->events, machine->sums);
	for (unsigned i = 0; i < machine->events.count; i++) {
		const struct counter_sum *sum = &machine->sums[i];
		const char *name = machine->events.list[i].name;
		struct event_row *row;

		if (sum->n_open == 0)
			continue;
		row = table_add(sample->table);
		row->event = sample_text(sample, name);
		row->meaning = meaning_of(name);
		if (sum->known)
			row->total = sum->total;
	}
	return 0;
}

const struct topic topic_page_event = {
	.schema = &page_schema, .sources = page_sources, .state_size = sizeof(struct counter_machine),
	.uses = COUNTER_USES, .opening_uses = COUNTER_OPENING_USES, .open = open_page_events,
	.sample = sample_page_events, .close = close_counter
};
