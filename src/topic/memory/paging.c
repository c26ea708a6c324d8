/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "paging": sums of reclaim counters that show whether memory is short, now and over the last minutes.
 */
#include <config.h>

#include "core/i18n.h"
#include "kernel/meminfo.h"
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
	WINDOW(calm_seconds, UNIT_SECONDS, N_("calm"), N_("time since the last refault, or since panetop "
							  "started"),
	       "time since refaults last grew"),
};

static const struct schema schema = {
	.name = "paging",
	.is_public = true,
	.help = N_("page-ins, refaults and evictions of the machine, now and in the last 300 s"),
	SCHEMA_ROWS(struct paging_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/vmstat", .gives = N_("paging, reclaim, refaults") },
	{ 0 },
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
	.sources = sources,
	.state_size = sizeof(struct state),
	.sample = sample,
};
