/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a hit costs the program that is hit: measured on functions of panetop's own. */
#ifndef PANETOP_TOPIC_PROBE_PROBE_PRICE_H
#define PANETOP_TOPIC_PROBE_PROBE_PRICE_H

#include "sys/machine_clock.h"
#include "sys/perf_ring.h"

enum probe_way {
	PROBE_WAY_TRAP, /* a breakpoint in place of the first byte */
	PROBE_WAY_NOP,  /* a nop of 5 bytes, which newer kernels replace by a call */
	N_PROBE_WAYS,
};

/* Seconds of each hit, and with leave (-1: none) of the return with it. 0 or -errno. */
int probe_price_measure(const struct machine_clock *clock, const struct machine_perf *perf,
			const struct uprobe_form *form, enum probe_way way, int enter, int leave,
			double *seconds);

#endif
