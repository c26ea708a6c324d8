/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a snap has to be connected to, by source. */
#include <config.h>

#include "topic/snap.h"

#include <stddef.h>
#include <string.h>

/* Many of these files are for root alone, connected or not. */
#define CONNECT(plug) "sudo snap connect panetop:" plug "; sudo panetop"

/* By how the path begins; the first that fits counts. */
static const struct {
	const char *begin, *remedy;
} connections[] = {
	{ "proc/PID/maps", NULL },
	{ "proc/PID/pagemap", CONNECT("physical-memory-observe") },
	{ "proc/spl/", CONNECT("mount-observe") },
	{ "proc/sys/", NULL },
	{ "proc", CONNECT("system-observe") },
	{ "sys/kernel/tracing", CONNECT("system-trace") },
	{ "sys/", CONNECT("hardware-observe") },
	{ "perf", CONNECT("system-trace") },
	{ "hardware counters", CONNECT("system-trace") },
	{ "sched:", CONNECT("system-trace") },
	{ "connector", CONNECT("netlink-connector") },
	{ "taskstats", CONNECT("netlink-connector") },
	{ "scheduling policy", CONNECT("process-control") },
};

const char *snap_remedy(const char *path)
{
	for (unsigned i = 0; i < sizeof(connections) / sizeof(connections[0]); i++)
		if (strncmp(path, connections[i].begin, strlen(connections[i].begin)) == 0)
			return connections[i].remedy;
	return NULL;
}
