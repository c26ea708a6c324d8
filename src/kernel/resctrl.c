/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers of schemata, size, mon_data and cpu_resctrl_groups. */
#include <config.h>

#include "kernel/resctrl.h"

#include "core/unknown.h"

static const struct {
	const char *name;
	enum resctrl_resource resource;
} resources[] = {
	{ "L3", RESCTRL_L3 },          { "L3DATA", RESCTRL_L3_DATA }, { "L3CODE", RESCTRL_L3_CODE },
	{ "MB", RESCTRL_BANDWIDTH },   { "L2", RESCTRL_L2 },          { "L2DATA", RESCTRL_L2_DATA },
	{ "L2CODE", RESCTRL_L2_CODE },
};

#define N_RESOURCES (sizeof(resources) / sizeof(resources[0]))

static enum resctrl_resource resource_of(struct span name)
{
	for (unsigned i = 0; i < N_RESOURCES; i++)
		if (span_is(name, resources[i].name))
			return resources[i].resource;
	return RESCTRL_OTHER;
}

bool resctrl_share_next(struct resctrl_shares *shares, struct resctrl_share *share)
{
	struct span item, name;

	for (;;) {
		while (span_item_of(&shares->line, ';', &item)) {
			if (!span_u64(&item, &share->domain) || !span_char(&item, '='))
				continue;
			share->resource = shares->resource;
			share->value = span_trimmed(item);
			return true;
		}
		if (!span_line(&shares->rest, &shares->line))
			return false;
		if (span_until(&shares->line, ':', &name))
			shares->resource = resource_of(span_trimmed(name));
		else
			shares->line.at = shares->line.end;
	}
}

bool resctrl_mask(struct span text, uint64_t *mask)
{
	uint64_t parsed;

	text = span_trimmed(text);
	if (!span_hex(&text, &parsed) || span_length(text) > 0)
		return false;
	*mask = parsed;
	return true;
}

enum resctrl_reading resctrl_count(struct span text, uint64_t *value)
{
	uint64_t counted;

	text = span_trimmed(text);
	*value = U64_UNKNOWN;
	if (span_is(text, "Unavailable"))
		return RESCTRL_UNAVAILABLE;
	if (span_is(text, "Unassigned"))
		return RESCTRL_UNASSIGNED;
	if (!span_is_u64(text, &counted))
		return RESCTRL_ERROR;
	*value = counted;
	return RESCTRL_COUNTED;
}

bool resctrl_domain(struct span name, const char *prefix, uint64_t *id)
{
	if (!span_starts(name, prefix))
		return false;
	while (*prefix++)
		name.at++;
	return span_is_u64(name, id);
}

bool resctrl_groups(struct span text, struct span *control, struct span *monitoring)
{
	struct span control_line, monitoring_line, key;

	if (!span_line(&text, &control_line) || !span_line(&text, &monitoring_line) ||
	    !span_until(&control_line, ':', &key) || !span_is(key, "res") ||
	    !span_until(&monitoring_line, ':', &key) || !span_is(key, "mon"))
		return false;
	*control = control_line;
	*monitoring = monitoring_line;
	return span_length(*control) > 0;
}
