/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What fell may be 0 for one reading only: it is judged by the next one. */
#include <config.h>

#include "core/ledger.h"

#include <string.h>

#include "core/unknown.h"

#define WRAP_NEAR (WRAP_SPAN / 4) /* grown by more within a reading, it rather fell */

static bool known(const struct ledger *ledger, const uint64_t *now, size_t i)
{
	return ledger->raw[i] != U64_UNKNOWN && now[i] != U64_UNKNOWN;
}

bool ledger_fell(uint64_t before, uint64_t now)
{
	/* a wrap that needs no second look */
	bool wrapped_now = wrapped(before, now) && now > 0 && now + WRAP_SPAN - before < WRAP_NEAR;

	return now < before && !wrapped_now;
}

/* mains that fell, and whether any other one did without a wrap */
static unsigned count_fallen(const struct ledger *ledger, const uint64_t *now, size_t count, uint32_t mains,
			     bool *fell)
{
	unsigned n_fallen = 0;

	for (size_t i = 0; i < count; i++) {
		if (!known(ledger, now, i) || now[i] >= ledger->raw[i])
			continue;
		n_fallen += mains >> i & 1;
		*fell |= ledger_fell(ledger->raw[i], now[i]);
	}
	return n_fallen;
}

uint64_t ledger_growth(uint64_t before, uint64_t now, uint64_t fallen)
{
	if (now >= before)
		return now - before;
	if (wrapped(before, now))
		return now + WRAP_SPAN - before;
	return now > fallen ? now - fallen : 0;
}

void ledger_open(struct ledger *ledger, const uint64_t *now, size_t count)
{
	*ledger = (struct ledger){ 0 };
	memcpy(ledger->raw, now, count * sizeof(*now));
	memcpy(ledger->total, now, count * sizeof(*now));
}

void ledger_read(struct ledger *ledger, const uint64_t *now, size_t count, uint32_t mains)
{
	bool fell = false, again = count_fallen(ledger, now, count, mains, &fell) > 1;

	ledger->doubtful = (fell || again) && !ledger->doubtful;
	ledger->again = again && !ledger->doubtful;
	if (ledger->doubtful)
		memcpy(ledger->fallen, now, count * sizeof(*now));
	for (size_t i = 0; i < count; i++) {
		ledger->grown[i] = 0;
		if (ledger->doubtful)
			continue;
		if (known(ledger, now, i)) {
			ledger->grown[i] = again ? now[i]
						 : ledger_growth(ledger->raw[i], now[i], ledger->fallen[i]);
			ledger->total[i] += ledger->grown[i];
		} else {
			ledger->total[i] = now[i];
			ledger->grown[i] = now[i] == U64_UNKNOWN ? U64_UNKNOWN : 0;
		}
		ledger->raw[i] = now[i];
	}
}
