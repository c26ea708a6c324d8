/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders rows depth first, without recursion: a chain of parents may be as long as the table. */
#include <config.h>

#include "model/tree.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"

#define NO_ROW HASH_NONE

/* Links between rows by index; each is n_rows long. */
struct links {
	uint32_t *parent, *first, *last, *next;
};

static void make_room(struct tree *tree, size_t n_rows)
{
	if (n_rows <= tree->capacity)
		return;
	tree->capacity = n_rows + n_rows / 4;
	tree->depths = alloc_resize(tree->depths, tree->capacity, sizeof(*tree->depths));
	tree->more = alloc_resize(tree->more, tree->capacity, sizeof(*tree->more));
	tree->n_folded = alloc_resize(tree->n_folded, tree->capacity, sizeof(*tree->n_folded));
	tree->before = alloc_resize(tree->before, tree->capacity, sizeof(*tree->before));
	tree->scratch = alloc_resize(tree->scratch, 4 * tree->capacity, sizeof(*tree->scratch));
}

/* Both columns have numbers, or both have texts. */
static uint64_t hash_value(const void *row, const struct column *column)
{
	return column->type == VALUE_TEXT ? hash_bytes(HASH_SEED, span_text(row_text(row, column)))
					  : hash_u64((uint64_t)row_number(row, column));
}

static bool is_same(const void *row, const struct column *key, const void *other, const struct column *column)
{
	return key->type == VALUE_TEXT ? strcmp(row_text(row, key), row_text(other, column)) == 0
				       : row_number(row, key) == row_number(other, column);
}

/* The row whose key is the value of this column of wanted, which is known. */
static uint32_t find_row(const struct hash *index, const struct column *key, const void **rows,
			 const void *wanted, const struct column *column)
{
	uint32_t at;

	HASH_FIND(at, index, hash_value(wanted, column), is_same(rows[at], key, wanted, column));
	return at;
}

/* Of rows with the same key the last counts. */
static void index_rows(struct hash *index, const struct column *key, const void **rows, size_t n_rows)
{
	hash_clear(index);
	hash_reserve(index, n_rows);
	for (size_t i = n_rows; i-- > 0;)
		if (row_is_known(rows[i], key) && find_row(index, key, rows, rows[i], key) == HASH_NONE)
			hash_add(index, hash_value(rows[i], key), (uint32_t)i);
}

static struct links open_links(struct tree *tree, size_t n_rows)
{
	uint32_t *scratch = tree->scratch;

	memset(scratch, 0xff, 4 * n_rows * sizeof(*scratch));
	return (struct links){ scratch, scratch + n_rows, scratch + 2 * n_rows, scratch + 3 * n_rows };
}

static void link_rows(struct links *links, const struct hash *index, const struct column *key,
		      const struct column *parent, const void **rows, size_t n_rows)
{
	for (uint32_t i = 0; i < n_rows; i++) {
		uint32_t above =
			row_is_known(rows[i], parent) ? find_row(index, key, rows, rows[i], parent) : NO_ROW;

		if (above == NO_ROW || above == i)
			continue;
		links->parent[i] = above;
		if (links->first[above] == NO_ROW)
			links->first[above] = i;
		else
			links->next[links->last[above]] = i;
		links->last[above] = i;
	}
}

/* Places row and everything below it; returns the position after them. Placed rows leave the links. */
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
		if (links->first[row] != NO_ROW) {
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
	index_rows(&tree->index, key, rows, n_rows);
	links = open_links(tree, n_rows);
	link_rows(&links, &tree->index, key, parent, rows, n_rows);
	for (uint32_t i = 0; i < n_rows; i++)
		if (links.parent[i] == NO_ROW)
			at = place(tree, &links, rows, i, at);
	for (uint32_t i = 0; i < n_rows && at < n_rows; i++)
		if (tree->before[i])
			at = place(tree, &links, rows, i, at);
}

static size_t find_fold(const struct tree *tree, uint64_t key_hash)
{
	size_t i = 0;

	while (i < tree->n_folds && tree->folds[i] != key_hash)
		i++;
	return i;
}

bool tree_set_fold(struct tree *tree, uint64_t key_hash, bool folded)
{
	size_t at = find_fold(tree, key_hash);

	if (folded == (at < tree->n_folds))
		return false;
	if (folded)
		*VECTOR_ADD(tree->folds, tree->n_folds, tree->folds_capacity) = key_hash;
	else
		tree->folds[at] = tree->folds[--tree->n_folds];
	return true;
}

/* From the last row up: a row has a later sibling if one was met since the last row above it in the tree. */
static void find_lines(struct tree *tree, size_t n_rows)
{
	uint64_t met = 0;

	for (size_t i = n_rows; i-- > 0;) {
		unsigned depth = tree->depths[i];

		if (depth >= TREE_LINES_MAX - 1) {
			tree->more[i] = met;
			continue;
		}
		met &= (UINT64_C(2) << depth) - 1;
		tree->more[i] = met;
		met |= UINT64_C(1) << depth;
	}
}

size_t tree_fold(struct tree *tree, const struct schema *schema, const void **rows, size_t n_rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < n_rows; kept++) {
		uint16_t depth = tree->depths[i];
		bool folded = tree->n_folds > 0 &&
			      find_fold(tree, row_hash_key(schema, rows[i])) < tree->n_folds;

		rows[kept] = rows[i++];
		tree->depths[kept] = depth;
		tree->n_folded[kept] = 0;
		for (; folded && i < n_rows && tree->depths[i] > depth; i++)
			tree->n_folded[kept]++;
	}
	find_lines(tree, kept);
	return kept;
}

void tree_free(struct tree *tree)
{
	free(tree->depths);
	free(tree->more);
	free(tree->n_folded);
	free(tree->folds);
	free(tree->scratch);
	free(tree->before);
	hash_free(&tree->index);
	*tree = (struct tree){ 0 };
}
