/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queueing disciplines of interfaces, as rtnetlink describes them. */
#ifndef PANETOP_KERNEL_QDISC_H
#define PANETOP_KERNEL_QDISC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

struct qdisc {
	uint32_t interface; /* the kernel's number of it */
	uint32_t handle;    /* another one has another, but all that the kernel chose itself have 0 */
	bool is_root;       /* counts for all below it; the others are part of one, or of what is received */
	uint32_t drops;     /* wraps */
	uint32_t waiting_bytes;
};

/* The payload of a message RTM_NEWQDISC; false when it is malformed, or has no numbers. */
bool qdisc_parse(struct span payload, struct qdisc *qdisc);

/* What it dropped since before, also where its counter wrapped or another one took its place meanwhile. */
uint32_t qdisc_dropped(const struct qdisc *before, const struct qdisc *now);

/* A request for those of all interfaces of the network namespace. */
#define QDISC_REQUEST_BYTES 64
unsigned qdisc_request(char request[QDISC_REQUEST_BYTES], uint32_t sequence);

#endif
