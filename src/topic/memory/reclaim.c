/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "reclaim": paging, swapping, page reclaim and refaults; and dropping caches as an experiment. */
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

#define DROP_CACHES "proc/sys/vm/drop_caches"

struct reclaim_row {
	const char *counter;
	uint64_t total;
	double per_second;
	const char *counts, *meaning;
};

static const struct column columns[] = {
	COLUMN(struct reclaim_row, counter, .kind = COLUMN_KEY, .title = N_("counter"), .width = 26,
	       .help = N_("name as the kernel spells it; summed over zones where the kernel counts by zone"),
	       .source = "/proc/vmstat"),
	COLUMN(struct reclaim_row, total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("total"),
	       .width = 12, .rank = 2, .help = N_("since boot"), .source = "/proc/vmstat"),
	COLUMN(struct reclaim_row, per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
	       .title = N_("per s"), .width = 8, .rank = 1, .rate_of = offsetof(struct reclaim_row, total),
	       .help = N_("in the last interval"), .source = "growth of total / time"),
	COLUMN(struct reclaim_row, counts, .kind = COLUMN_LABEL, .title = N_("unit"), .width = 6, .rank = 3,
	       .words = true, .help = N_("unit: pages, KiB or events"), .source = "panetop"),
	COLUMN(struct reclaim_row, meaning, .kind = COLUMN_LABEL, .title = N_("meaning"), .width = 20,
	       .rank = 4, .words = true, .help = N_("what the counter counts"), .source = "panetop"),
};

static const struct schema schema = {
	.name = "reclaim",
	.is_public = true,
	.help = N_("paging, swapping, reclaim and refaults: is memory short, is the cache worth its memory"),
	SCHEMA_ROWS(struct reclaim_row, columns),
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

static const struct source_spec sources[] = {
	{ .path = "proc/vmstat", .gives = N_("paging, reclaim, refaults") },
	{ .path = DROP_CACHES,
	  .gives = N_("dropping the caches as an experiment"),
	  .optional = true,
	  .test = test_drop_caches,
	  .remedies = { { EACCES, N_("only root can drop caches: run it as root") },
			{ EROFS, N_("/proc is mounted read-only, as in a container") } } },
	{ 0 },
};

static int sample(struct sample *sample)
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
	served_mounts_tell_host(sample->env, sample->frame, schema.name, "proc/vmstat");
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
		poll->file_systems->sync();
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
	.schema = &schema,
	.sources = sources,
	.sample = sample,
	.act = act,
	.uses = PRIVILEGE_BIT(PRIVILEGE_DROP_CACHES),
};
