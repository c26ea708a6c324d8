/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "page_event": page faults, allocations and reclaim of the whole machine, by perf events. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "topic/counter/counter.h"

/* The first three stand in for exceptions:*, which not every processor has. */
static const struct {
	const char *name, *meaning;
} events[] = {
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

#define N_EVENTS (sizeof(events) / sizeof(events[0]))

struct event_row {
	const char *event;
	double per_second;
	uint64_t total;
	const char *meaning;
};

#define ROW(field, ...) COLUMN(struct event_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(event, A_KEY(N_("event"), 37), .help = N_("event of libpfm4, or a tracepoint"),
	    .source = "panetop"),
	ROW(per_second, A_RATE(PER_SECOND, N_("per s"), 8), .rate_of = offsetof(struct event_row, total),
	    .help = N_("per second in the last interval"), .source = "growth of total / time"),
	ROW(total, A_COUNTER(COUNT, N_("total"), 12), .rank = 2,
	    .help = N_("count on all CPUs since the first sample"), .source = "perf_event_open(2)"),
	ROW(meaning, A_LABEL(N_("what it counts"), 30), .words = true, .rank = 1,
	    .help = N_("meaning of the event"), .source = "panetop"),
};

static const struct schema schema = {
	.name = "page_event",
	.is_public = true,
	.help = N_("page faults, allocations and reclaim of the whole machine"),
	.of_run = true,
	SCHEMA_ROWS(struct event_row, columns),
};

static int test_events(struct env *env)
{
	return counter_machine_test(env, counter_events_software);
}

static const struct source_spec sources[] = {
	{ .path = COUNTER_SOURCE,
	  .gives = N_("page faults, allocations and reclaim of the whole machine"),
	  .test = test_events,
	  .remedies = { COUNTER_MACHINE_REMEDIES } },
	{ .path = COUNTER_ONLINE, .gives = N_("online CPUs") },
	{ 0 },
};

static int open_events(struct sample *sample)
{
	struct counter_machine *machine = sample->state;
	char names[512] = "";

	for (size_t i = 0; i < N_EVENTS; i++)
		strcat(strcat(names, i > 0 ? "," : ""), events[i].name);
	counter_machine_open(machine, sample->env, names);
	return 0;
}

static void close_events(struct sample *sample)
{
	counter_machine_close(sample->state);
}

static const char *meaning_of(const char *name)
{
	for (size_t i = 0; i < N_EVENTS; i++)
		if (strcmp(events[i].name, name) == 0)
			return events[i].meaning;
	return "";
}

static int sample(struct sample *sample)
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
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct counter_machine),
	.uses = COUNTER_USES,
	.opening_uses = COUNTER_OPENING_USES,
	.open = open_events,
	.sample = sample,
	.close = close_events,
};
