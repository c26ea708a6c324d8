/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /proc/net/dev. */
#include <config.h>

#include "kernel/net/net_dev.h"

/* bytes packets errs drop fifo frame compressed multicast; sent: … fifo colls carrier compressed */
static bool parse_traffic(struct span *line, bool sent, union net_traffic *traffic)
{
	uint64_t rest[2];

	for (size_t i = 0; i + 1 < N_NET_COUNTS; i++)
		if (!span_u64(line, &traffic->counts[i]))
			return false;
	if (!span_u64(line, &rest[0]) || !span_u64(line, &rest[1]))
		return false;
	traffic->carrier = sent ? rest[0] : 0;
	return true;
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
		if (take_name(&line, &interface->name) && parse_traffic(&line, false, &interface->received) &&
		    parse_traffic(&line, true, &interface->sent))
			return true;
	return false;
}
