/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "paging": sums of reclaim counters that show whether memory is short, now and over the last minutes.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "kernel/meminfo.h"
#include "sys/device_poll.h"
#include "sys/env.h"
#include "topic/served_mounts.h"
#include "topic/topic.h"

#define WINDOW_NS UINT64_C(300000000000)
#define STEP_NS UINT64_C(1000000000) /* between kept moments */
#define MOMENTS_MAX (WINDOW_NS / STEP_NS + 1)

struct paging_row {
	uint64_t page_in_bytes, swap_ins, refaults, evictions, scans;
	double page_in_bytes_per_second, swap_ins_per_second, refaults_per_second, evictions_per_second;
	double scans_per_second;
	double window_seconds, window_refaults_per_second, calm_seconds;
	uint64_t window_refaults, window_evictions, window_swap_ins;
};

#define RATE(of_unit, counter, heading, what)                                                                \
	COLUMN(struct paging_row, counter##_per_second, .kind = COLUMN_RATE, .unit = of_unit,                \
	       .title = heading, .width = 9, .rate_of = offsetof(struct paging_row, counter), .help = what,  \
	       .source = "growth of " #counter " / time")
#define COUNTER(of_unit, counter, heading, what, from)                                                       \
	COLUMN(struct paging_row, counter, .kind = COLUMN_COUNTER, .unit = of_unit, .title = heading,        \
	       .width = 12, .hidden = true, .help = what, .source = from)
#define WINDOW(field, of_unit, heading, what, from)                                                          \
	COLUMN(struct paging_row, field, .kind = COLUMN_GAUGE, .unit = of_unit, .title = heading,            \
	       .width = 12, .rank = 2, .help = what, .source = from)

#define REFAULTS "/proc/vmstat workingset_refault_file + workingset_refault_anon, else workingset_refault"
#define EVICTIONS "/proc/vmstat pgsteal_kswapd + pgsteal_direct, else pgsteal"

static const struct column columns[] = {
	RATE(UNIT_BYTES_PER_SECOND, page_in_bytes, N_("page-in/s"), N_("read from disk into memory")),
	RATE(UNIT_PER_SECOND, swap_ins, N_("swap-in/s"), N_("pages read back from swap")),
	RATE(UNIT_PER_SECOND, refaults, N_("refault/s"),
	     N_("pages that were evicted or swapped out and then needed again")),
	RATE(UNIT_PER_SECOND, evictions, N_("evict/s"), N_("pages reclaimed by the kernel")),
	RATE(UNIT_PER_SECOND, scans, N_("scan/s"), N_("pages scanned to reclaim some of them")),
	COUNTER(UNIT_BYTES, page_in_bytes, N_("page-in"), N_("read from disk into memory since boot"),
		"/proc/vmstat pgpgin * 1024"),
	COUNTER(UNIT_COUNT, swap_ins, N_("swap-in"), N_("pages read back from swap since boot"),
		"/proc/vmstat pswpin"),
	COUNTER(UNIT_COUNT, refaults, N_("refaults"),
		N_("pages that were evicted or swapped out and then needed again, since boot"), REFAULTS),
	COUNTER(UNIT_COUNT, evictions, N_("evictions"), N_("pages reclaimed by the kernel since boot"),
		EVICTIONS),
	COUNTER(UNIT_COUNT, scans, N_("scans"), N_("pages scanned to reclaim some of them, since boot"),
		"/proc/vmstat pgscan_kswapd + pgscan_direct"),
	WINDOW(window_seconds, UNIT_SECONDS, N_("window"),
	       N_("time that the columns named window cover: the last 300 s, or since panetop started"),
	       "time between samples"),
	WINDOW(window_refaults, UNIT_COUNT, N_("refaults"), N_("refaults in the window"),
	       "growth of refaults"),
	WINDOW(window_refaults_per_second, UNIT_PER_SECOND, N_("avg/s"),
	       N_("refaults per second in the window"), "window_refaults / window_seconds"),
	WINDOW(window_evictions, UNIT_COUNT, N_("evictions"), N_("evictions in the window"),
	       "growth of evictions"),
	WINDOW(window_swap_ins, UNIT_COUNT, N_("swap-ins"), N_("pages read back from swap in the window"),
	       "growth of swap_ins"),
	WINDOW(calm_seconds, UNIT_SECONDS, N_("calm"),
	       N_("time since the last refault, or since panetop started"), "time since refaults last grew"),
};

static const struct schema schema = {
	.name = "paging", .is_public = true,
	.help = N_("page-ins, refaults and evictions of the machine, now and in the last 300 s"),
	SCHEMA_ROWS(struct paging_row, columns),
};

struct moment {
	uint64_t mono_ns, refaults, evictions, swap_ins;
};

struct state {
	struct moment moments[MOMENTS_MAX]; /* a ring, the oldest at first */
	size_t first, count;
	uint64_t refaults, changed_ns; /* the last known count, and when it became that; 0: not known yet */
};

/* The sum of those that the kernel counts. */
static uint64_t known_sum(const uint64_t *values, unsigned n_values)
{
	uint64_t sum = U64_UNKNOWN;

	for (unsigned i = 0; i < n_values; i++)
		if (values[i] != U64_UNKNOWN)
			sum = sum == U64_UNKNOWN ? values[i] : u64_sum(sum, values[i]);
	return sum;
}

static void read_counters(struct paging_row *row, struct span text)
{
	enum { PAGE_IN, SWAP_IN, REFAULT, SCAN = REFAULT + 3, STEAL = SCAN + 2, N_NAMES = STEAL + 3 };
	static const char *const names[N_NAMES] = {
		[PAGE_IN] = "pgpgin",
		[SWAP_IN] = "pswpin",
		[REFAULT] = "workingset_refault_file", "workingset_refault_anon", "workingset_refault",
		[SCAN] = "pgscan_kswapd", "pgscan_direct",
		[STEAL] = "pgsteal_kswapd", "pgsteal_direct", "pgsteal",
	};
	uint64_t values[N_NAMES];

	vmstat_parse(text, names, N_NAMES, values);
	if (values[PAGE_IN] < U64_UNKNOWN / 1024)
		row->page_in_bytes = values[PAGE_IN] * 1024;
	row->swap_ins = values[SWAP_IN];
	row->refaults = known_sum(&values[REFAULT], SCAN - REFAULT);
	row->scans = known_sum(&values[SCAN], STEAL - SCAN);
	row->evictions = known_sum(&values[STEAL], N_NAMES - STEAL);
}

static void forget_old(struct state *state, uint64_t now_ns)
{
	while (state->count > 0 && now_ns - state->moments[state->first].mono_ns > WINDOW_NS) {
		state->first = (state->first + 1) % MOMENTS_MAX;
		state->count--;
	}
}

static void keep(struct state *state, const struct moment *now)
{
	size_t newest = (size_t)((state->first + state->count + MOMENTS_MAX - 1) % MOMENTS_MAX);

	if (state->count > 0 && now->mono_ns - state->moments[newest].mono_ns < STEP_NS)
		return;
	state->moments[(state->first + state->count++) % MOMENTS_MAX] = *now;
}

static void fill_window(const struct state *state, const struct moment *now, struct paging_row *row)
{
	const struct moment *oldest = &state->moments[state->first];

	row->window_seconds = 0;
	if (state->count == 0 || now->mono_ns <= oldest->mono_ns)
		return;
	row->window_seconds = (double)(now->mono_ns - oldest->mono_ns) / 1e9;
	row->window_refaults = u64_less(now->refaults, oldest->refaults);
	row->window_evictions = u64_less(now->evictions, oldest->evictions);
	row->window_swap_ins = u64_less(now->swap_ins, oldest->swap_ins);
	if (row->window_refaults != U64_UNKNOWN)
		row->window_refaults_per_second = (double)row->window_refaults / row->window_seconds;
}

static void fill_calm(struct state *state, const struct moment *now, struct paging_row *row)
{
	if (now->refaults == U64_UNKNOWN)
		return;
	if (state->changed_ns == 0 || now->refaults != state->refaults)
		state->changed_ns = now->mono_ns;
	state->refaults = now->refaults;
	row->calm_seconds = (double)(now->mono_ns - state->changed_ns) / 1e9;
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;
	struct paging_row *row;
	struct moment now;
	struct span text;
	int error = env_read(sample->env, env_file(sample->env, "proc/vmstat"), &text);

	if (error)
		return error;
	served_mounts_tell_host(sample->env, sample->frame, schema.name, "proc/vmstat");
	row = table_add(sample->table);
	read_counters(row, text);
	now = (struct moment){ sample->table->mono_ns, row->refaults, row->evictions, row->swap_ins };
	forget_old(state, now.mono_ns);
	fill_window(state, &now, row);
	fill_calm(state, &now, row);
	keep(state, &now);
	return 0;
}

const struct topic topic_paging = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/vmstat", .gives = N_("paging, reclaim, refaults") }),
	.state_size = sizeof(struct state), .sample = sample,
};

/* Topic "reclaim": single counters; and dropping caches as an experiment. */

#define DROP_CACHES "proc/sys/vm/drop_caches"

struct reclaim_row {
	const char *counter;
	uint64_t total;
	double per_second;
	const char *counts, *meaning;
};

static const struct column reclaim_columns[] = {
	COLUMN(struct reclaim_row, counter, A_KEY(N_("counter"), 26),
	       .help = N_("name as the kernel spells it; summed over zones where the kernel counts by zone"),
	       .source = "/proc/vmstat"),
	COLUMN(struct reclaim_row, total, A_COUNTER(COUNT, N_("total"), 12), .rank = 2,
	       .help = N_("since boot"), .source = "/proc/vmstat"),
	COLUMN(struct reclaim_row, per_second, A_RATE(PER_SECOND, N_("per s"), 8), .rank = 1,
	       .rate_of = offsetof(struct reclaim_row, total), .help = N_("in the last interval"),
	       .source = "growth of total / time"),
	COLUMN(struct reclaim_row, counts, A_LABEL(N_("unit"), 6), .rank = 3, .words = true,
	       .help = N_("unit: pages, KiB or events"), .source = "panetop"),
	COLUMN(struct reclaim_row, meaning, A_LABEL(N_("meaning"), 20), .rank = 4, .words = true,
	       .help = N_("what the counter counts"), .source = "panetop"),
};

static const struct schema reclaim_schema = {
	.name = "reclaim", .is_public = true,
	.help = N_("paging, swapping, reclaim and refaults: is memory short, is the cache worth its memory"),
	SCHEMA_ROWS(struct reclaim_row, reclaim_columns),
};

/*
 * vmstat_parse() would add a counter whose name is an earlier one plus a zone's name to that: there is none.
 */
static const struct counter {
	const char *name, *counts, *meaning;
} counters[] = {
	{ "pgpgin", N_("KiB"), N_("read from disk into memory") },
	{ "pgpgout", N_("KiB"), N_("written from memory to disk") },
	{ "pswpin", N_("pages"), N_("read back from swap") },
	{ "pswpout", N_("pages"), N_("written to swap") },
	{ "pgfault", N_("faults"), N_("page faults of all kinds") },
	{ "pgmajfault", N_("faults"), N_("page faults that waited for a disk") },
	{ "workingset_refault_file", N_("pages"), N_("cache that was dropped and then needed again") },
	{ "workingset_refault_anon", N_("pages"),
	  N_("anonymous memory that was swapped out and then needed again") },
	{ "workingset_refault", N_("pages"), N_("refaults of both kinds, on kernels before 5.9") },
	{ "workingset_activate_file", N_("pages"),
	  N_("refaults so soon that the cache is too small") },
	{ "workingset_activate_anon", N_("pages"), N_("the same for anonymous memory") },
	{ "workingset_activate", N_("pages"),
	  N_("the same for both kinds, on kernels before 5.9") },
	{ "pgscan_kswapd", N_("pages"), N_("scanned by kswapd in the background") },
	{ "pgscan_direct", N_("pages"), N_("scanned by programs that waited for memory") },
	{ "pgsteal_kswapd", N_("pages"), N_("reclaimed by kswapd in the background") },
	{ "pgsteal_direct", N_("pages"), N_("reclaimed by programs that waited for memory") },
	{ "pgsteal", N_("pages"), N_("reclaimed by both, on kernels before 3.5") },
	{ "allocstall", N_("stalls"), N_("allocations that had to reclaim memory themselves") },
	{ "compact_stall", N_("stalls"), N_("allocations that waited for compaction") },
	{ "oom_kill", N_("kills"), N_("processes killed because memory ran out") },
	{ "drop_pagecache", N_("times"), N_("page cache dropped by an administrator") },
	{ "drop_slab", N_("times"), N_("reclaimable slab dropped by an administrator") },
};

#define N_COUNTERS (sizeof(counters) / sizeof(counters[0]))

static int test_drop_caches(struct env *env)
{
	return faccessat(env->root.fd, DROP_CACHES, W_OK, AT_EACCESS) < 0 ? -errno : 0;
}

static int sample_reclaim(struct sample *sample)
{
	const char *names[N_COUNTERS];
	uint64_t values[N_COUNTERS];
	struct span text;
	int error = env_read(sample->env, env_file(sample->env, "proc/vmstat"), &text);

	if (error)
		return error;
	for (size_t i = 0; i < N_COUNTERS; i++)
		names[i] = counters[i].name;
	vmstat_parse(text, names, N_COUNTERS, values);
	for (size_t i = 0; i < N_COUNTERS; i++) {
		struct reclaim_row *row;

		if (values[i] == U64_UNKNOWN)
			continue;
		row = table_add(sample->table);
		row->counter = counters[i].name;
		row->total = values[i];
		row->counts = counters[i].counts;
		row->meaning = counters[i].meaning;
	}
	served_mounts_tell_host(sample->env, sample->frame, reclaim_schema.name, "proc/vmstat");
	return sample->table->n_rows > 0 ? 0 : -ENODATA;
}

/* A helper drops the caches, as sync may take seconds, or for ever. */
struct drop {
	struct device_poll poll;
	int error; /* -ECANCELED until it has run to its end */
	void (*done)(void *context, int error);
	void *context;
};

static void drop_caches(struct device_poll *poll)
{
	struct drop *drop = (struct drop *)poll;
	int fd = root_open_at(poll->root, DROP_CACHES, O_WRONLY), error = fd < 0 ? -errno : 0;

	if (!error) {
		poll->calls->sync();
		error = write(fd, "3\n", 2) < 0 ? -errno : 0;
		close(fd);
	}
	drop->error = error;
}

static void drop_done(struct device_poll *poll)
{
	struct drop *drop = (struct drop *)poll;

	drop->done(drop->context, drop->error);
	device_poll_drop(poll);
}

static void free_drop(struct device_poll *poll)
{
	helper_free(poll);
}

static int act(struct env *env, const char *action, void (*done)(void *context, int error), void *context)
{
	struct drop *drop;
	int error = test_drop_caches(env);

	if (strcmp(action, "drop-caches") != 0)
		return -ENOTSUP;
	if (error)
		env_note_failure(env, DROP_CACHES, error);
	if (error || !done)
		return error;
	drop = helper_alloc(sizeof(*drop));
	*drop = (struct drop){
		.poll = { .read = drop_caches, .finished = drop_done, .lost = drop_done, .free = free_drop },
		.error = -ECANCELED,
		.done = done,
		.context = context,
	};
	device_poll_open(&drop->poll, env, DROP_CACHES);
	device_poll_submit(&drop->poll);
	return 0;
}

const struct topic topic_reclaim = {
	.schema = &reclaim_schema,
	.sources = SOURCES(
		{ .path = "proc/vmstat", .gives = N_("paging, reclaim, refaults") },
		{ .path = DROP_CACHES, .gives = N_("dropping the caches as an experiment"), .optional = true,
		  .test = test_drop_caches,
		  .remedies = { { EACCES, N_("only root can drop caches: run it as root") },
				{ EROFS, N_("/proc is mounted read-only, as in a container") } } }),
	.sample = sample_reclaim, .act = act, .uses = PRIVILEGE_BIT(PRIVILEGE_DROP_CACHES),
};
