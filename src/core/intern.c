/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash of the texts, beside an arena that holds them. */
#include <config.h>

#include "core/intern.h"

#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

/* At most, beside the text: its place in both arrays, each of which may be half empty, and the alignment. */
#define TEXT_BYTES (2 * sizeof(char *) + 4 * sizeof(struct hash_slot) + 8)

static uint32_t find(const struct intern *intern, const char *text, uint64_t hash)
{
	uint32_t at;

	HASH_FIND(at, &intern->index, hash, strcmp(intern->texts[at], text) == 0);
	return at;
}

uint32_t intern_find(const struct intern *intern, const char *text)
{
	return find(intern, text, hash_bytes(HASH_SEED, span_text(text)));
}

uint32_t intern_number(struct intern *intern, const char *text)
{
	struct span bytes = span_text(text);
	uint64_t hash = hash_bytes(HASH_SEED, bytes);
	uint32_t at = find(intern, text, hash);

	if (at == HASH_NONE) {
		at = (uint32_t)intern->n_texts;
		*VECTOR_ADD(intern->texts, intern->n_texts, intern->capacity) =
			arena_copy(&intern->arena, text, span_length(bytes));
		hash_add(&intern->index, hash, at);
		intern->n_bytes += span_length(bytes) + 1 + TEXT_BYTES;
	}
	return at;
}

const char *intern_text(struct intern *intern, const char *text)
{
	uint32_t number = intern_number(intern, text); /* it may move texts */

	return intern->texts[number];
}

void intern_clear(struct intern *intern)
{
	arena_reset(&intern->arena);
	hash_clear(&intern->index);
	intern->n_texts = intern->n_bytes = 0;
}

void intern_free(struct intern *intern)
{
	arena_free(&intern->arena);
	hash_free(&intern->index);
	free(intern->texts);
	*intern = (struct intern){ 0 };
}
