/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ordering rows depth first, without recursion: a chain of parents may be as long as the table. */
#include <config.h>

#include "model/tree.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

#define NOBODY UINT32_MAX

/* Links between rows by index; each is n_rows long, slots twice that and a power of two. */
struct links {
	uint32_t *parent, *first, *last, *next, *slots;
	size_t mask;
};

static void make_room(struct tree *tree, size_t n_rows)
{
	if (n_rows <= tree->capacity)
		return;
	tree->capacity = n_rows + n_rows / 4;
	tree->depths = alloc_resize(tree->depths, tree->capacity, sizeof(*tree->depths));
	tree->before = alloc_resize(tree->before, tree->capacity, sizeof(*tree->before));
	tree->scratch = alloc_resize(tree->scratch, 8 * tree->capacity, sizeof(*tree->scratch));
}

static size_t slot_of(const struct links *links, const struct column *key, const void **rows, double wanted)
{
	size_t slot = (size_t)((uint64_t)wanted * UINT64_C(0x9e3779b97f4a7c15) >> 32) & links->mask;

	while (links->slots[slot] != NOBODY && row_number(rows[links->slots[slot]], key) != wanted)
		slot = (slot + 1) & links->mask;
	return slot;
}

static struct links open_links(struct tree *tree, size_t n_rows)
{
	size_t size = 2;
	struct links links;

	while (size < n_rows)
		size *= 2;
	links.parent = tree->scratch;
	links.first = links.parent + n_rows;
	links.last = links.first + n_rows;
	links.next = links.last + n_rows;
	links.slots = links.next + n_rows;
	links.mask = 2 * size - 1;
	memset(tree->scratch, 0xff, (4 * n_rows + 2 * size) * sizeof(*tree->scratch));
	return links;
}

static void link_rows(struct links *links, const struct column *key, const struct column *parent,
		      const void **rows, size_t n_rows)
{
	for (uint32_t i = 0; i < n_rows; i++)
		if (row_is_known(rows[i], key))
			links->slots[slot_of(links, key, rows, row_number(rows[i], key))] = i;
	for (uint32_t i = 0; i < n_rows; i++) {
		uint32_t above =
			row_is_known(rows[i], parent)
				? links->slots[slot_of(links, key, rows, row_number(rows[i], parent))]
				: NOBODY;

		if (above == NOBODY || above == i)
			continue;
		links->parent[i] = above;
		if (links->first[above] == NOBODY)
			links->first[above] = i;
		else
			links->next[links->last[above]] = i;
		links->last[above] = i;
	}
}

/* Puts row and all below it at a place; returns the place behind them. Placed rows leave the links. */
static size_t place(struct tree *tree, struct links *links, const void **rows, uint32_t row, size_t at)
{
	uint32_t top = row;
	unsigned depth = 0;

	for (;;) {
		if (tree->before[row]) {
			rows[at] = tree->before[row];
			tree->before[row] = NULL;
			tree->depths[at++] = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX);
		}
		if (links->first[row] != NOBODY) {
			uint32_t child = links->first[row];

			links->first[row] = links->next[child];
			if (!tree->before[child])
				continue;
			row = child;
			depth++;
		} else if (row == top) {
			return at;
		} else {
			row = links->parent[row];
			depth--;
		}
	}
}

void tree_order(struct tree *tree, const struct column *key, const struct column *parent, const void **rows,
		size_t n_rows)
{
	struct links links;
	size_t at = 0;

	make_room(tree, n_rows);
	if (n_rows == 0)
		return;
	memcpy(tree->before, rows, n_rows * sizeof(*rows));
	links = open_links(tree, n_rows);
	link_rows(&links, key, parent, rows, n_rows);
	for (uint32_t i = 0; i < n_rows; i++)
		if (links.parent[i] == NOBODY)
			at = place(tree, &links, rows, i, at);
	for (uint32_t i = 0; i < n_rows && at < n_rows; i++)
		if (tree->before[i])
			at = place(tree, &links, rows, i, at);
}

void tree_free(struct tree *tree)
{
	free(tree->depths);
	free(tree->scratch);
	free(tree->before);
	*tree = (struct tree){ 0 };
}
