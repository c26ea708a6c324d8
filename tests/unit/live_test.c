/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the live source: which topics it keeps open, and orders to them. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"
#include "sys/file_systems.h"
#include "topic/topic.h"

static unsigned n_synced;

static void note_sync(void)
{
	n_synced++;
}

static const struct file_systems file_systems = { .sync = note_sync };

static void write_file(const struct machine *machine, const char *name, const char *text)
{
	FILE *file = fopen(textf("%s/%s", machine->root, name), "w");

	ck_assert_msg(file != NULL, "%s", name);
	fputs(text, file);
	fclose(file);
}

static const char *read_file(const struct machine *machine, const char *name)
{
	FILE *file = fopen(textf("%s/%s", machine->root, name), "r");
	char text[64] = "";

	ck_assert_msg(file != NULL, "%s", name);
	fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	return textf("%s", text);
}

#define DROP_CACHES "proc/sys/vm/drop_caches"

static void open_reclaim(struct machine *machine)
{
	static const char *const names[] = { "reclaim", NULL };
	static const char *const parts[] = { "proc", "proc/sys", "proc/sys/vm" };

	scratch_directory(machine->root, "live");
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(mkdir(textf("%s/%s", machine->root, parts[i]), 0755), 0);
	write_file(machine, "proc/vmstat",
		   "pgscan_kswapd 10\npgscan_direct 20\npgsteal_kswapd 5\nallocstall_dma 1\n"
		   "allocstall_normal 2\ndrop_slab 7\n");
	open_machine(machine, names);
	machine->env.file_systems = &file_systems;
	machine->env.live = true;
}

static int done_error;
static unsigned n_done;

static void note_done(void *context, int error)
{
	ck_assert_ptr_eq(context, &n_done);
	done_error = error;
	n_done++;
}

static int act(struct machine *machine, const char *topic, const char *action, const char **remedy)
{
	*remedy = "old";
	return machine->source.act(machine->source.state, topic, action, note_done, &n_done, remedy);
}

START_LIVE_TEST(counters_of_reclaim_are_those_of_the_kernel)
{
	struct machine machine = { 0 };

	open_reclaim(&machine);
	next_tick(&machine);
	write_file(&machine, "proc/vmstat",
		   "pgscan_kswapd 30\npgscan_direct 20\npgsteal_kswapd 5\nallocstall_dma 1\n"
		   "allocstall_normal 5\ndrop_slab 7\n");
	next_tick(&machine);
	ck_assert_uint_eq(frame_table(machine.now, "reclaim")->n_rows, 5);
	check_row(machine.now, "reclaim",
		  "counter=pgscan_kswapd total=30 per_second=20 counts=pages meaning=scanned by kswapd in "
		  "the background");
	check_row(machine.now, "reclaim",
		  "counter=allocstall total=6 per_second=3 counts=stalls meaning=allocations that had to "
		  "reclaim memory themselves");
	check_row(machine.now, "reclaim",
		  "counter=drop_slab total=7 per_second=0 counts=times meaning=reclaimable slab dropped by "
		  "an administrator");
	close_machine(&machine);
}

START_TEST(caches_are_dropped_by_request)
{
	struct machine machine = { 0 };
	const char *remedy;

	open_reclaim(&machine);
	next_tick(&machine);
	ck_assert_int_eq(act(&machine, "reclaim", "drop-caches", &remedy), -ENOENT);
	ck_assert_int_eq(act(&machine, "reclaim", "drop-all", &remedy), -ENOTSUP);
	ck_assert_ptr_null(remedy);
	write_file(&machine, DROP_CACHES, "");
	ck_assert_int_eq(machine.source.act(machine.source.state, "reclaim", "drop-caches", NULL, NULL, NULL),
			 0); /* whether it may be */
	ck_assert(*read_file(&machine, DROP_CACHES) == '\0' && n_synced == 0);
	ck_assert_int_eq(act(&machine, "reclaim", "drop-caches", &remedy), 0);
	ck_assert_ptr_null(remedy);
	while (n_done == 0)
		next_tick(&machine);
	ck_assert(n_done == 1 && done_error == 0 && n_synced == 1);
	ck_assert_str_eq(read_file(&machine, DROP_CACHES), "3\n");
	close_machine(&machine);
}

START_TEST(orders_that_are_refused)
{
	struct machine machine = { 0 };
	const char *remedy;

	open_reclaim(&machine);
	write_file(&machine, DROP_CACHES, "");
	next_tick(&machine);
	ck_assert_int_eq(act(&machine, "nothing", "drop-caches", &remedy), -ENOTSUP);
	ck_assert_int_eq(act(&machine, "memory", "drop-caches", &remedy), -ENOTSUP);
	machine.request.read_only = true;
	ck_assert_int_eq(act(&machine, "reclaim", "drop-caches", &remedy), -EPERM);
	ck_assert_str_eq(remedy, "it was started with --read-only");
	/* those that change nothing on the machine are taken also by who only reads */
	ck_assert_int_eq(act(&machine, "latency", "restart", &remedy), -ENOTSUP); /* nothing is measured */
	ck_assert_ptr_null(remedy);
	machine.request.read_only = false;
	machine.env.live = false;
	ck_assert_int_eq(act(&machine, "reclaim", "drop-caches", &remedy), -ENOTSUP);
	ck_assert_str_eq(read_file(&machine, DROP_CACHES), "");
	close_machine(&machine);
}

/* What is no longer wanted is closed, and not sampled until it is wanted again. */
START_TEST(topics_come_and_go)
{
	bool *wanted = calloc(n_topics, sizeof(*wanted));
	struct machine machine = { 0 };

	open_reclaim(&machine);
	next_tick(&machine);
	ck_assert_ptr_nonnull(frame_table(machine.now, "reclaim"));
	machine.source.want(machine.source.state, wanted);
	next_tick(&machine);
	ck_assert_ptr_null(frame_table(machine.now, "reclaim"));
	for (unsigned i = 0; i < n_topics; i++)
		wanted[i] = strcmp(topics[i]->schema->name, "reclaim") == 0;
	machine.source.want(machine.source.state, wanted);
	next_tick(&machine);
	ck_assert_uint_eq(frame_table(machine.now, "reclaim")->n_rows, 5);
	ck_assert(!machine.source.has_finished(machine.source.state));
	machine.env.finished = true;
	ck_assert(machine.source.has_finished(machine.source.state));
	ck_assert_int_eq(machine.source.event_fd(machine.source.state), -1); /* none has events */
	write_file(&machine, "proc/vmstat", "nothing 1\n");
	next_tick(&machine);
	ck_assert_uint_eq(machine.now->n_notices, 1);
	ck_assert_ptr_nonnull(strstr(machine.now->notices[0].text,
				     "proc/vmstat: contains nothing that panetop understands"));
	close_machine(&machine);
	free(wanted);
}

/* Of all topics, also the last ones of the table. */
START_TEST(what_topics_open_is_closed_with_them)
{
	static const char *const topic_names[] = { "interrupt", "softirq", "process", "counter",
						   "network_account", "temperature", "slab", NULL };
	struct machine machine = { 0 };
	unsigned before = n_descriptors();

	open_machine(&machine, topic_names);
	next_tick(&machine);
	ck_assert_uint_gt(n_descriptors(), before);
	close_machine(&machine);
	ck_assert_uint_eq(n_descriptors(), before);
}

/* Over which time its statistics are, and the moment up to which. */
static double run_seconds(struct machine *machine, uint64_t *mono_ns)
{
	next_tick(machine);
	*mono_ns = frame_table(machine->now, "power")->mono_ns;
	return cell_f64(machine->now, "power", "package-0", "run_seconds");
}

START_TEST(statistics_begin_again_for_one_topic_or_all)
{
	static const char *const names[] = { "power", NULL };
	static const char *const restarted[] = { "reclaim", "power", "energy", NULL };
	struct machine machine = { 0 };
	uint64_t before_ns, now_ns;
	double before, now;

	open_machine_at(&machine, fixture_root("power-laptop", 0), names);
	next_tick(&machine);
	next_tick(&machine);
	for (unsigned i = 0; i < 4; i++) {
		before = run_seconds(&machine, &before_ns);
		ck_assert_double_gt(before, 0);
		machine.source.restart(machine.source.state, restarted[i]);
		now = run_seconds(&machine, &now_ns);
		if (i % 2 == 0) /* of another topic, or of none */
			now -= before;
		ck_assert_double_eq_tol(now, (double)(now_ns - before_ns) / 1e9, 1e-9);
	}
	close_machine(&machine);
}

static const struct env_cost *cost_of(const struct machine *machine, const char *name)
{
	for (unsigned i = 0; i < machine->env.n_costs; i++)
		if (strcmp(machine->env.costs[i].name, name) == 0)
			return &machine->env.costs[i];
	ck_abort_msg("no costs of %s", name);
	return NULL;
}

START_TEST(topics_that_rest_are_not_sampled)
{
	bool *resting = calloc(n_topics, sizeof(*resting));
	struct machine machine = { 0 };
	uint64_t reads;

	open_reclaim(&machine);
	next_tick(&machine);
	machine.request.resting = resting;
	next_tick(&machine);
	ck_assert_ptr_nonnull(frame_table(machine.now, "reclaim"));
	for (unsigned i = 0; i < n_topics; i++)
		resting[i] = strcmp(topics[i]->schema->name, "reclaim") == 0;
	reads = cost_of(&machine, "reclaim")->reads;
	ck_assert(reads > 0 && cost_of(&machine, "memory")->reads == 0);
	next_tick(&machine);
	ck_assert(!frame_table(machine.now, "reclaim") && cost_of(&machine, "reclaim")->reads == reads);
	machine.request.resting = NULL;
	next_tick(&machine);
	ck_assert(frame_table(machine.now, "reclaim") && cost_of(&machine, "reclaim")->reads > reads);
	frame_clear(machine.now);
	ck_assert_int_eq(machine.source.next_events(machine.source.state, machine.now), 1);
	ck_assert(machine.now->only_events && !frame_table(machine.now, "reclaim")); /* it has none */
	close_machine(&machine);
	free(resting);
}
