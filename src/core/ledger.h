/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters from reading to reading: they wrap, begin again, or read too little for a moment. */
#ifndef PANETOP_CORE_LEDGER_H
#define PANETOP_CORE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counters of 32 bits, which begin again at 0 when they are full. */
#define WRAP_SPAN (UINT64_C(1) << 32)

/*
 * Did the counter wrap between these two readings? It then was in the upper half and is in the lower; any
 * other that is less was set back, or read while it was written.
 */
static inline bool wrapped(uint64_t before, uint64_t now)
{
	return now < before && before >= WRAP_SPAN / 2 && before < WRAP_SPAN && now < WRAP_SPAN / 2;
}

/* Counters of one thing from reading to reading: they wrap, begin again, or read too little for a moment. */
#define LEDGER_MAX 16

/* A value that is U64_UNKNOWN stays so. */
struct ledger {
	uint64_t raw[LEDGER_MAX];   /* as read last */
	uint64_t total[LEDGER_MAX]; /* the same, but they go on */
	uint64_t grown[LEDGER_MAX]; /* by this in the last reading */
	uint64_t fallen[LEDGER_MAX]; /* as the last doubtful reading had them */
	bool doubtful;              /* the last reading fell and is left out */
	bool again;                 /* they began at 0 again, as the reading before this one had shown */
};

void ledger_open(struct ledger *ledger, const uint64_t *now, size_t count);

/*
 * Takes the next reading. Where a counter fell, it is doubtful, as after a hiccup of a driver, and left out:
 * the next one shows whether they began again, or were set back. Those of mains (bits) begin again together,
 * while a wrap comes alone.
 */
void ledger_read(struct ledger *ledger, const uint64_t *now, size_t count, uint32_t mains);

/* For a counter alone: is this reading doubtful, as it fell without a wrap? */
bool ledger_fell(uint64_t before, uint64_t now);

/* Since the last reading that was not doubtful; one that was set back counts on from what it fell to. */
uint64_t ledger_growth(uint64_t before, uint64_t now, uint64_t fallen);

#endif
