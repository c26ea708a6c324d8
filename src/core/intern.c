/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that are kept once, however often they come. */
#include <config.h>

#include "core/intern.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/span.h"

#define FIRST_SLOTS ((size_t)1024)

/* Where the text is, or the free slot where it belongs. */
static struct intern_slot *slot_of(const struct intern *intern, const char *text, uint64_t hash)
{
	size_t mask = intern->n_slots - 1, at = hash & mask;

	while (intern->slots[at].text &&
	       (intern->slots[at].hash != hash || strcmp(intern->slots[at].text, text) != 0))
		at = (at + 1) & mask;
	return &intern->slots[at];
}

static void grow(struct intern *intern)
{
	struct intern_slot *old = intern->slots;
	size_t n_old = intern->n_slots;

	intern->n_slots = n_old ? n_old * 2 : FIRST_SLOTS;
	intern->slots = alloc_zeroed(intern->n_slots, sizeof(*intern->slots));
	for (size_t i = 0; i < n_old; i++)
		if (old[i].text)
			*slot_of(intern, old[i].text, old[i].hash) = old[i];
	free(old);
}

const char *intern_text(struct intern *intern, const char *text)
{
	struct intern_slot *slot;
	struct span bytes = span_text(text);
	uint64_t hash = span_hash(SPAN_HASH_FIRST, bytes);

	if (2 * intern->n_texts >= intern->n_slots)
		grow(intern);
	slot = slot_of(intern, text, hash);
	if (!slot->text) {
		*slot = (struct intern_slot){ arena_copy(&intern->arena, text, span_length(bytes)), hash };
		intern->n_texts++;
		intern->n_bytes += span_length(bytes) + 1;
	}
	return slot->text;
}

void intern_reset(struct intern *intern)
{
	if (intern->n_texts > 0)
		memset(intern->slots, 0, intern->n_slots * sizeof(*intern->slots));
	arena_reset(&intern->arena);
	intern->n_texts = intern->n_bytes = 0;
}

void intern_free(struct intern *intern)
{
	arena_free(&intern->arena);
	free(intern->slots);
	*intern = (struct intern){ 0 };
}
