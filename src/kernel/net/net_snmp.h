/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/net/snmp: counters of the protocols, a line of names and a line of numbers for each; and snmp6. */
#ifndef PANETOP_KERNEL_NET_SNMP_H
#define PANETOP_KERNEL_NET_SNMP_H

#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

/* The counter "Ip", "ForwDatagrams"; U64_UNKNOWN: there is none. */
uint64_t net_snmp_find(struct span text, const char *protocol, const char *name);

/* Of /proc/net/snmp6, which has a counter in a line: "Ip6OutForwDatagrams". */
uint64_t net_snmp6_find(struct span text, const char *name);

#endif
