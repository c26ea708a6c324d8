/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of the machine that the key x compares with what they usually are. */
#include <config.h>

#include "core/i18n.h"
#include "pane/panes.h"

#define MIB(n) ((double)((n) << 20))
#define BITS(mega) ((mega)*1e6)

/* Of each resource first what the others follow from. */
const struct explained_series explained_series[] = {
	{ N_("CPU busy"), "cpu", "all", NULL, "busy_ratio", 0.05, "cpu", "cpus", EXPLAINED_CPU },
	{ N_("CPU in the kernel"), "cpu", "all", NULL, "system_ratio", 0.05, "cpu", "cpus", EXPLAINED_CPU },
	{ N_("CPU stolen"), "cpu", "all", NULL, "steal_ratio", 0.02, "cpu", "cpus", EXPLAINED_ALONE },
	{ N_("CPU pressure"), "pressure", "cpu", "some", "stalled_ratio", 0.05, "memory", "paging",
	  EXPLAINED_CPU },
	{ N_("load"), "system", "", NULL, "load1", 0.5, "overview", "", EXPLAINED_CPU },
	{ N_("memory used"), "memory", "available", NULL, "used_bytes", MIB(64), "memory", "",
	  EXPLAINED_MEMORY },
	{ N_("caches"), "memory", "mem", NULL, "caches_bytes", MIB(128), "memory", "", EXPLAINED_OTHER },
	{ N_("swap used"), "memory", "swap", NULL, "used_bytes", MIB(16), "memory", "", EXPLAINED_MEMORY },
	{ N_("memory pressure"), "pressure", "memory", "some", "stalled_ratio", 0.02, "memory", "paging",
	  EXPLAINED_MEMORY },
	{ N_("refaults"), "paging", "", NULL, "refaults_per_second", 50, "memory", "paging",
	  EXPLAINED_MEMORY },
	{ N_("read back from swap"), "paging", "", NULL, "swap_ins_per_second", 20, "memory", "paging",
	  EXPLAINED_MEMORY },
	{ N_("reads"), "disk", NULL, NULL, "read_bytes_per_second", MIB(4), "disks", "devices",
	  EXPLAINED_DISK },
	{ N_("writes"), "disk", NULL, NULL, "write_bytes_per_second", MIB(4), "disks", "devices",
	  EXPLAINED_DISK },
	{ N_("busy"), "disk", NULL, NULL, "busy_ratio", 0.2, "disks", "devices", EXPLAINED_DISK },
	{ N_("I/O pressure"), "pressure", "io", "some", "stalled_ratio", 0.05, "memory", "paging",
	  EXPLAINED_DISK },
	{ N_("CPU waits for disks"), "cpu", "all", NULL, "iowait_ratio", 0.05, "cpu", "cpus",
	  EXPLAINED_DISK },
	{ N_("threads that wait for a disk"), "system", "", NULL, "blocked", 2, "overview", "",
	  EXPLAINED_DISK },
	{ N_("received"), "interface", NULL, NULL, "received_bits_per_second", BITS(2), "network",
	  "interfaces", EXPLAINED_NETWORK },
	{ N_("sent"), "interface", NULL, NULL, "sent_bits_per_second", BITS(2), "network", "interfaces",
	  EXPLAINED_NETWORK },
	{ N_("drops"), "interface", NULL, NULL, "drops_per_second", 1, "network", "losses",
	  EXPLAINED_ALONE },
	{ N_("processes and threads started"), "system", "", NULL, "forks_per_second", 10, "overview", "",
	  EXPLAINED_STARTS },
	{ N_("context switches"), "system", "", NULL, "context_switches_per_second", 5000, "overview", "",
	  EXPLAINED_OTHER },
	{ N_("power"), "power", "total", NULL, "watts", 3, "power", "", EXPLAINED_CPU },
	{ N_("temperature"), "temperature", NULL, NULL, "celsius", 5, "power", "sensors", EXPLAINED_CPU },
	{ 0 },
};
