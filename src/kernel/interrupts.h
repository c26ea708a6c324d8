/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of a line per interrupt and a column per CPU: /proc/interrupts and /proc/softirqs. */
#ifndef PANETOP_KERNEL_INTERRUPTS_H
#define PANETOP_KERNEL_INTERRUPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

struct interrupt_line {
	struct span label;  /* "24", "LOC", "NET_RX": without its colon */
	struct span counts; /* a number for each CPU of the heading, less for ERR and MIS */
};

/* The next CPU of the heading, which is the first line: "CPU0 CPU1 …". */
bool interrupt_cpu_next(struct span *heading, uint32_t *cpu);

/* The next line that is one; those that are not are passed over. */
bool interrupt_next(struct span *text, struct interrupt_line *line);

/*
 * What people call it, after all counts have been eaten from line->counts: the names of the devices behind a
 * numbered interrupt ("virtio0-input.0", "ehci_hcd:usb1, eth0"), else its label.
 */
struct span interrupt_name(const struct interrupt_line *line);

#endif
