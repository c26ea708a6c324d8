/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "event_lifetime": how long the processes lived that ended, as a histogram. */
#include <config.h>

#include "core/i18n.h"
#include "topic/event/event_notices.h"
#include "topic/event/event_sampler.h"

struct event_lifetime_row {
	double from_seconds, to_seconds;
	uint64_t exits;
	double share_ratio;
};

#define ROW(field, ...) COLUMN(struct event_lifetime_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(from_seconds, .kind = COLUMN_KEY, .unit = UNIT_SECONDS, .title = N_("from"), .width = 9,
	    .help = N_("they lived at least so long; -: it is not known when they began"),
	    .source = "panetop"),
	ROW(to_seconds, .kind = COLUMN_BOUND, .unit = UNIT_SECONDS, .title = N_("to"), .width = 9,
	    .help = N_("and less than this; -: all that lived longer"), .source = "panetop"),
	ROW(exits, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("exits"), .width = 9,
	    .help = N_("processes that ended since panetop began to watch"), .source = "events, counted"),
	ROW(share_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = N_("share"), .width = 6,
	    .help = N_("part of all exits"), .source = "exits / sum of exits"),
};

static const struct schema schema = {
	.name = "event_lifetime",
	.help = N_("how long processes lived"),
	.shape = SHAPE_HISTOGRAM,
	.row_size = sizeof(struct event_lifetime_row),
	SCHEMA_COLUMNS(columns),
};

static void look(void *context, const struct event_statistics *statistics, uint64_t since_ns)
{
	struct event_sampler *state = context;
	uint64_t sum = 0;

	(void)since_ns;
	for (unsigned i = 0; i <= EVENT_LIFETIMES; i++)
		sum += statistics->lifetimes[i];
	for (unsigned i = 0; i <= EVENT_LIFETIMES; i++) {
		struct event_lifetime_row *row;

		if (i == EVENT_LIFETIMES && statistics->lifetimes[i] == 0)
			continue;
		row = table_add(state->table);
		if (i < EVENT_LIFETIMES)
			row->from_seconds = (double)event_lifetime_ns(i) / 1e9;
		if (i + 1 < EVENT_LIFETIMES)
			row->to_seconds = (double)event_lifetime_ns(i + 1) / 1e9;
		row->exits = statistics->lifetimes[i];
		if (sum > 0)
			row->share_ratio = (double)row->exits / (double)sum;
	}
}

static int sample(struct sample *sample)
{
	return event_sampler_look(sample, look);
}

const struct topic topic_event_lifetime = {
	.schema = &schema,
	EVENT_TOPIC,
	.state_size = sizeof(struct event_sampler),
	.open = event_sampler_open,
	.sample = sample,
	.close = event_sampler_close,
};
