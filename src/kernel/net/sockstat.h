/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/net/sockstat and sockstat6: how many sockets there are in this network namespace. */
#ifndef PANETOP_KERNEL_NET_SOCKSTAT_H
#define PANETOP_KERNEL_NET_SOCKSTAT_H

#include <stdint.h>

#include "core/span.h"

/* TCP sockets "inuse": without those in TIME_WAIT. 0 where the text does not say. */
uint64_t sockstat_tcp(struct span text);

#endif
