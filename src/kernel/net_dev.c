/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /proc/net/dev. */
#include <config.h>

#include "kernel/net_dev.h"

/* bytes packets errs drop fifo frame compressed multicast; sent: … fifo colls carrier compressed */
static bool parse_traffic(struct span *line, struct net_traffic *traffic)
{
	uint64_t rest[4];

	return span_u64(line, &traffic->bytes) && span_u64(line, &traffic->packets) &&
	       span_u64(line, &traffic->errors) && span_u64(line, &traffic->drops) &&
	       span_u64(line, &rest[0]) && span_u64(line, &rest[1]) && span_u64(line, &rest[2]) &&
	       span_u64(line, &rest[3]);
}

/* A name may hold a colon, as eth0:1 does: the last one before the numbers ends it. */
static bool take_name(struct span *line, struct span *name)
{
	const char *colon = NULL;

	while (line->at < line->end && *line->at == ' ')
		line->at++;
	for (const char *at = line->at; at < line->end && *at != ' '; at++)
		if (*at == ':')
			colon = at;
	if (!colon || colon == line->at)
		return false;
	*name = (struct span){ line->at, colon };
	line->at = colon + 1;
	return true;
}

bool net_interface_next(struct span *text, struct net_interface *interface)
{
	struct span line;

	while (span_line(text, &line))
		if (take_name(&line, &interface->name) && parse_traffic(&line, &interface->received) &&
		    parse_traffic(&line, &interface->sent))
			return true;
	return false;
}
