/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a disk says of its own health: by smartctl(8), as JSON, or in registers that the kernel shows. */
#ifndef PANETOP_TOPIC_DISK_SMART_H
#define PANETOP_TOPIC_DISK_SMART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMART_REASON_MAX 96

enum smart_state { SMART_UNKNOWN, SMART_GOOD, SMART_WORN, SMART_FAILING };

struct smart {
	enum smart_state state;
	double wear_ratio;  /* of its rated endurance; above 1 where it goes on; NaN: unknown */
	double spare_ratio; /* of its spare blocks that are left; NaN */
	double celsius;     /* NaN */
	uint64_t media_errors, unsafe_shutdowns, power_on_seconds; /* U64_UNKNOWN */
	char reason[SMART_REASON_MAX]; /* why it is not good, or not known: N_(), or what smartctl says */
};

/* All unknown. */
struct smart smart_unknown(void);

/*
 * Of "smartctl --json", with attributes (-A), status (-H), errors (-l error) and endurance (-l ssd): of NVMe,
 * ATA and SCSI. False and no change where the text is another one.
 */
bool smart_parse(const char *text, size_t length, struct smart *smart);

/*
 * Registers of eMMC (life_time, pre_eol_info) and UFS (life_time_estimation_a and _b, eol_info), which have
 * the same numbers: steps of 10 % from 1 to 11, more than all; 1 normal, 2 warning, 3 urgent. 0: not known.
 */
struct smart smart_of_registers(uint64_t life_a, uint64_t life_b, uint64_t end_of_life);

#endif
