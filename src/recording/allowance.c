/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts the memory that samples take in the reader, in frames and in what is drawn or written. */
#include <config.h>

#include "recording/allowance.h"

#include "core/i18n.h"
#include "core/vector.h"

#define LEAST ((uint64_t)128 << 20)
#define TIMES_SIZE 256
#define MOST ((uint64_t)2 << 30)

#define FRAMES 4          /* two in batch, up to four on the screen */
#define DECODED_SAMPLES 2 /* a row lies in two samples of its decoder */
#define ROW_CELLS 32      /* what a row costs beside its cells, mostly time: joins, sorting, output */

/* Frames keep the memory of a peak until recent_use_is_outgrown(); so does this. */
struct allowed_use {
	struct recent_use recent;
	uint64_t used, held; /* bytes */
};

void allowance_open(struct allowance *allowance, unsigned n_uses)
{
	*allowance = (struct allowance){ .most = LEAST, .n_uses = n_uses };
	allowance->uses = alloc_zeroed(n_uses, sizeof(*allowance->uses));
}

void allowance_close(struct allowance *allowance)
{
	free(allowance->uses);
}

void allowance_set_size(struct allowance *allowance, uint64_t recorded_bytes)
{
	uint64_t more = recorded_bytes < MOST / TIMES_SIZE ? recorded_bytes * TIMES_SIZE : MOST;

	allowance->most = LEAST + more < MOST ? LEAST + more : MOST;
}

uint64_t allowance_room(const struct allowance *allowance, unsigned use)
{
	uint64_t others = allowance->held - allowance->uses[use].held;

	return allowance->most > others ? allowance->most - others : 0;
}

static void set_held(struct allowance *allowance, struct allowed_use *use, uint64_t bytes)
{
	allowance->held += bytes - use->held;
	use->held = bytes;
}

void allowance_hold(struct allowance *allowance, unsigned use, uint64_t bytes)
{
	struct allowed_use *held = &allowance->uses[use];

	held->used = bytes;
	if (bytes > held->held)
		set_held(allowance, held, bytes);
}

void allowance_next_sample(struct allowance *allowance)
{
	for (unsigned i = 0; i < allowance->n_uses; i++) {
		struct allowed_use *use = &allowance->uses[i];

		if (recent_use_is_outgrown(&use->recent, use->used, use->held))
			set_held(allowance, use, use->used);
	}
}

uint64_t allowance_row_bytes(size_t cells)
{
	return (cells + ROW_CELLS) * (FRAMES + DECODED_SAMPLES) * sizeof(uint64_t);
}

uint64_t allowance_text_bytes(size_t bytes)
{
	return (uint64_t)bytes * (FRAMES + 1);
}

const char *allowance_exceeded(void)
{
	return _("a part of the recording was skipped: it would take far more memory than a recording "
		 "of this size does");
}
