/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the live source: which topics it keeps open, and orders to them. */
#include "rig.h"

#include "sys/env.h"
#include "topic/topic.h"

static struct rig rig;

static unsigned n_synced;

static void note_sync(void)
{
	n_synced++;
}

static const struct machine_calls calls = { .sync = note_sync };

static const char *read_file(const char *name)
{
	FILE *file = fopen(textf("%s/%s", rig.root, name), "r");
	char text[64] = "";

	ck_assert_msg(file != NULL, "%s", name);
	fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	return textf("%s", text);
}

#define DROP_CACHES "proc/sys/vm/drop_caches"

static void open_reclaim(void)
{
	rig_open(&rig, "empty", TOPICS("reclaim"));
	rig_put(&rig, "proc/vmstat",
		"pgscan_kswapd 10\npgscan_direct 20\npgsteal_kswapd 5\nallocstall_dma 1\n"
		"allocstall_normal 2\ndrop_slab 7\n");
	rig.env.calls = &calls;
	rig.env.live = true;
}

static int done_error;
static unsigned n_done;

static void note_done(void *context, int error)
{
	ck_assert_ptr_eq(context, &n_done);
	done_error = error;
	n_done++;
}

static int act(const char *topic, const char *action, const char **remedy)
{
	*remedy = "old";
	return rig.source.act(rig.source.state, topic, action, note_done, &n_done, remedy);
}

START_LIVE_TEST(counters_of_reclaim_are_those_of_the_kernel)
{
	open_reclaim();
	rig_next(&rig);
	rig_put(&rig, "proc/vmstat",
		"pgscan_kswapd 30\npgscan_direct 20\npgsteal_kswapd 5\nallocstall_dma 1\n"
		"allocstall_normal 5\ndrop_slab 7\n");
	rig_next(&rig);
	ck_assert_uint_eq(frame_table(rig.now, "reclaim")->n_rows, 5);
	check_row(rig.now, "reclaim",
		  "counter=pgscan_kswapd total=30 per_second=20 counts=pages meaning=scanned by kswapd in "
		  "the background");
	check_row(rig.now, "reclaim",
		  "counter=allocstall total=6 per_second=3 counts=stalls meaning=allocations that had to "
		  "reclaim memory themselves");
	check_row(rig.now, "reclaim",
		  "counter=drop_slab total=7 per_second=0 counts=times meaning=reclaimable slab dropped by "
		  "an administrator");
	rig_close(&rig);
}

START_TEST(caches_are_dropped_by_request)
{
	const char *remedy;

	open_reclaim();
	rig_next(&rig);
	ck_assert_int_eq(act("reclaim", "drop-caches", &remedy), -ENOENT);
	ck_assert_int_eq(act("reclaim", "drop-all", &remedy), -ENOTSUP);
	ck_assert_ptr_null(remedy);
	rig_put(&rig, DROP_CACHES, "%s", "");
	ck_assert_int_eq(rig.source.act(rig.source.state, "reclaim", "drop-caches", NULL, NULL, NULL),
			 0); /* whether it may be */
	ck_assert(*read_file(DROP_CACHES) == '\0' && n_synced == 0);
	ck_assert_int_eq(act("reclaim", "drop-caches", &remedy), 0);
	ck_assert_ptr_null(remedy);
	while (n_done == 0)
		rig_next(&rig);
	ck_assert(n_done == 1 && done_error == 0 && n_synced == 1);
	ck_assert_str_eq(read_file(DROP_CACHES), "3\n");
	rig_close(&rig);
}

START_TEST(orders_that_are_refused)
{
	const char *remedy;

	open_reclaim();
	rig_put(&rig, DROP_CACHES, "%s", "");
	rig_next(&rig);
	ck_assert_int_eq(act("nothing", "drop-caches", &remedy), -ENOTSUP);
	ck_assert_int_eq(act("memory", "drop-caches", &remedy), -ENOTSUP);
	rig.request.read_only = true;
	ck_assert_int_eq(act("reclaim", "drop-caches", &remedy), -EPERM);
	ck_assert_str_eq(remedy, "it was started with --read-only");
	/* those that change nothing on the machine are taken also by who only reads */
	ck_assert_int_eq(act("latency", "restart", &remedy), -ENOTSUP); /* nothing is measured */
	ck_assert_ptr_null(remedy);
	rig.request.read_only = false;
	rig.env.live = false;
	ck_assert_int_eq(act("reclaim", "drop-caches", &remedy), -ENOTSUP);
	ck_assert_str_eq(read_file(DROP_CACHES), "");
	rig_close(&rig);
}

/* What is no longer wanted is closed, and not sampled until it is wanted again. */
START_TEST(topics_come_and_go)
{
	bool *wanted = calloc(n_topics, sizeof(*wanted));

	open_reclaim();
	rig_next(&rig);
	ck_assert_ptr_nonnull(frame_table(rig.now, "reclaim"));
	rig.source.want(rig.source.state, wanted);
	rig_next(&rig);
	ck_assert_ptr_null(frame_table(rig.now, "reclaim"));
	for (unsigned i = 0; i < n_topics; i++)
		wanted[i] = strcmp(topics[i]->schema->name, "reclaim") == 0;
	rig.source.want(rig.source.state, wanted);
	rig_next(&rig);
	ck_assert_uint_eq(frame_table(rig.now, "reclaim")->n_rows, 5);
	ck_assert(!rig.source.has_finished(rig.source.state));
	rig.env.finished = true;
	ck_assert(rig.source.has_finished(rig.source.state));
	ck_assert_int_eq(rig.source.event_fd(rig.source.state), -1); /* none has events */
	rig_put(&rig, "proc/vmstat", "nothing 1\n");
	rig_next(&rig);
	ck_assert_uint_eq(rig.now->n_notices, 1);
	ck_assert_ptr_nonnull(strstr(rig.now->notices[0].text,
				     "proc/vmstat: contains nothing that panetop understands"));
	rig_close(&rig);
	free(wanted);
}

/* Of all topics, also the last ones of the table. */
START_TEST(what_topics_open_is_closed_with_them)
{
	static const char *const topic_names[] = { "interrupt", "softirq", "process", "counter",
						   "network_account", "temperature", "slab", NULL };
	unsigned before = n_descriptors();

	rig_open_live(&rig, topic_names);
	rig_next(&rig);
	ck_assert_uint_gt(n_descriptors(), before);
	rig_close(&rig);
	ck_assert_uint_eq(n_descriptors(), before);
}

/* Over which time its statistics are, and the moment up to which. */
static double run_seconds(uint64_t *mono_ns)
{
	rig_next(&rig);
	*mono_ns = frame_table(rig.now, "power")->mono_ns;
	return cell_f64(rig.now, "power", "package-0", "run_seconds");
}

START_TEST(statistics_begin_again_for_one_topic_or_all)
{
	static const char *const restarted[] = { "reclaim", "power", "energy", NULL };
	uint64_t before_ns, now_ns;
	double before, now;

	rig_open(&rig, "power-laptop", TOPICS("power"));
	rig_next(&rig);
	rig_next(&rig);
	for (unsigned i = 0; i < 4; i++) {
		before = run_seconds(&before_ns);
		ck_assert_double_gt(before, 0);
		rig.source.restart(rig.source.state, restarted[i]);
		now = run_seconds(&now_ns);
		if (i % 2 == 0) /* of another topic, or of none */
			now -= before;
		ck_assert_double_eq_tol(now, (double)(now_ns - before_ns) / 1e9, 1e-9);
	}
	rig_close(&rig);
}

static const struct env_cost *cost_of(const char *name)
{
	for (unsigned i = 0; i < rig.env.n_costs; i++)
		if (strcmp(rig.env.costs[i].name, name) == 0)
			return &rig.env.costs[i];
	ck_abort_msg("no costs of %s", name);
	return NULL;
}

START_TEST(topics_that_rest_are_not_sampled)
{
	bool *resting = calloc(n_topics, sizeof(*resting));
	uint64_t reads;

	open_reclaim();
	rig_next(&rig);
	rig.request.resting = resting;
	rig_next(&rig);
	ck_assert_ptr_nonnull(frame_table(rig.now, "reclaim"));
	for (unsigned i = 0; i < n_topics; i++)
		resting[i] = strcmp(topics[i]->schema->name, "reclaim") == 0;
	reads = cost_of("reclaim")->reads;
	ck_assert(reads > 0 && cost_of("memory")->reads == 0);
	rig_next(&rig);
	ck_assert(!frame_table(rig.now, "reclaim") && cost_of("reclaim")->reads == reads);
	rig.request.resting = NULL;
	rig_next(&rig);
	ck_assert(frame_table(rig.now, "reclaim") && cost_of("reclaim")->reads > reads);
	frame_clear(rig.now);
	ck_assert_int_eq(rig.source.next_events(rig.source.state, rig.now), 1);
	ck_assert(rig.now->only_events && !frame_table(rig.now, "reclaim")); /* it has none */
	rig_close(&rig);
	free(resting);
}
