/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that are stored once, however often they occur. */
#ifndef PANETOP_CORE_INTERN_H
#define PANETOP_CORE_INTERN_H

#include "core/arena.h"
#include "core/hash.h"

/* All zero: no texts. */
struct intern {
	struct arena arena;
	struct hash index; /* of texts */
	const char **texts;
	size_t n_texts, capacity;
	size_t n_bytes; /* of memory for all texts, a little more than it is */
};

/* A copy that lives as long as intern; equal texts share it. */
const char *intern_text(struct intern *intern, const char *text);

/* The index of that copy in texts, where new ones come last. */
uint32_t intern_number(struct intern *intern, const char *text);

/* The same of a text that has a copy; HASH_NONE: it has none. */
uint32_t intern_find(const struct intern *intern, const char *text);

void intern_clear(struct intern *intern); /* keeps its memory */
void intern_free(struct intern *intern);

#endif
