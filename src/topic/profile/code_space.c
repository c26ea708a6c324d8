/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the maps of the processes that were used last. */
#include <config.h>

#include "topic/profile/code_space.h"

#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

#define SPACES_MAX 2048 /* processes */
#define MAPS_MAX 4096   /* of a process, with code */

static void index_all(struct code_spaces *spaces)
{
	hash_clear(&spaces->by_pid);
	for (size_t i = 0; i < spaces->n; i++)
		hash_add(&spaces->by_pid, hash_u64(spaces->list[i].pid), (uint32_t)i);
}

/* Forgets half of them, those that ended first, then those that were not used for the longest time. */
static void make_room(struct code_spaces *spaces)
{
	uint64_t limit = spaces->uses - SPACES_MAX / 2,
		 ended_limit = spaces->uses - 1; /* a caller has the last */
	size_t n = 0;

	for (size_t i = 0; i < spaces->n; i++) {
		struct code_space *space = &spaces->list[i];

		if (space->used < (space->ended ? ended_limit : limit))
			free(space->maps);
		else
			spaces->list[n++] = *space;
	}
	spaces->n = n;
	index_all(spaces);
}

struct code_space *code_spaces_get(struct code_spaces *spaces, uint32_t pid)
{
	struct code_space *space;
	uint32_t at;

	HASH_FIND(at, &spaces->by_pid, hash_u64(pid), spaces->list[at].pid == pid);
	if (at == HASH_NONE) {
		if (spaces->n >= SPACES_MAX)
			make_room(spaces);
		at = (uint32_t)spaces->n;
		*VECTOR_ADD(spaces->list, spaces->n, spaces->capacity) = (struct code_space){ .pid = pid };
		hash_add(&spaces->by_pid, hash_u64(pid), at);
	}
	space = &spaces->list[at];
	space->used = ++spaces->uses;
	return space;
}

/* The first map that ends behind the address. */
static size_t place_of(const struct code_space *space, uint64_t address)
{
	size_t at;

	VECTOR_BOUND(at, space->n_maps, space->maps[at].end <= address);
	return at;
}

const struct code_map *code_space_find(const struct code_space *space, uint64_t address)
{
	size_t at = place_of(space, address);

	return at < space->n_maps && space->maps[at].start <= address ? &space->maps[at] : NULL;
}

static void insert(struct code_space *space, size_t at, const struct code_map *map)
{
	VECTOR_RESERVE(space->maps, space->n_maps + 1, space->capacity);
	memmove(space->maps + at + 1, space->maps + at, (space->n_maps - at) * sizeof(*map));
	space->maps[at] = *map;
	space->n_maps++;
}

/* What is left of the maps on both sides stays. */
static void cut_out(struct code_space *space, uint64_t start, uint64_t end)
{
	size_t at = place_of(space, start);

	while (at < space->n_maps && space->maps[at].start < end) {
		struct code_map old = space->maps[at], rest = old;

		memmove(space->maps + at, space->maps + at + 1, (space->n_maps - at - 1) * sizeof(old));
		space->n_maps--;
		if (old.start < start) {
			rest.end = start;
			insert(space, at++, &rest);
		}
		if (old.end > end) {
			rest = old;
			rest.offset += end - old.start;
			rest.start = end;
			insert(space, at++, &rest);
		}
	}
}

void code_space_add(struct code_space *space, const struct code_map *map)
{
	if (map->start >= map->end || space->n_maps + 2 > MAPS_MAX)
		return;
	cut_out(space, map->start, map->end);
	insert(space, place_of(space, map->start), map);
}

void code_space_clear(struct code_space *space)
{
	space->n_maps = 0;
	space->is_whole = space->ended = false;
}

void code_spaces_fork(struct code_spaces *spaces, uint32_t parent, uint32_t child)
{
	struct code_space from = *code_spaces_get(spaces, parent);
	struct code_space *of_child = code_spaces_get(spaces, child);

	code_space_clear(of_child);
	of_child->use = (struct code_use){ 0 };
	VECTOR_RESERVE(of_child->maps, from.n_maps, of_child->capacity);
	if (from.n_maps > 0)
		memcpy(of_child->maps, from.maps, from.n_maps * sizeof(*from.maps));
	of_child->n_maps = from.n_maps;
	of_child->is_whole = from.is_whole;
}

void code_spaces_end(struct code_spaces *spaces, uint32_t pid)
{
	code_spaces_get(spaces, pid)->ended = true;
}

void code_spaces_free(struct code_spaces *spaces)
{
	for (size_t i = 0; i < spaces->n; i++)
		free(spaces->list[i].maps);
	free(spaces->list);
	hash_free(&spaces->by_pid);
	*spaces = (struct code_spaces){ 0 };
}
