/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/interrupts and /proc/softirqs: a line per interrupt, a column per CPU. */
#ifndef PANETOP_KERNEL_INTERRUPTS_H
#define PANETOP_KERNEL_INTERRUPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

struct interrupt_line {
	struct span label;  /* "24", "LOC", "NET_RX": without the colon */
	struct span counts; /* a number per CPU of the heading, fewer for ERR and MIS */
};

/* The next CPU of the heading, the first line: "CPU0 CPU1 …". */
bool interrupt_cpu_next(struct span *heading, uint32_t *cpu);

/* The next interrupt; skips malformed lines. */
bool interrupt_next(struct span *text, struct interrupt_line *line);

/*
 * The name for people, once all counts have been consumed from line->counts: the devices of a numbered
 * interrupt ("virtio0-input.0", "ehci_hcd:usb1, eth0"), else its label.
 */
struct span interrupt_name(const struct interrupt_line *line);

#endif
