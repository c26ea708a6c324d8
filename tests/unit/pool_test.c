/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of core/pool: elements are apart and zero, and their memory goes when they go. */
#include "suite.h"

#include <stdint.h>

#include "core/arena.h"

#define COUNT 5000

struct thing {
	uint32_t number;
	char bytes[401];
};

static bool is_zero(const struct thing *thing)
{
	static const struct thing zero;

	return memcmp(thing, &zero, sizeof(zero)) == 0;
}

START_TEST(elements_are_apart_and_zero)
{
	struct pool pool = { .size = sizeof(struct thing) };
	static struct thing *things[COUNT];
	uint32_t random = 1;

	for (uint32_t i = 0; i < 20 * COUNT; i++) {
		struct thing **thing = &things[(random = random * 1103515245 + 12345) / 65536 % COUNT];
		uint32_t place = (uint32_t)(thing - things);

		if (*thing) {
			ck_assert_uint_eq((*thing)->number, place);
			ck_assert_int_eq((*thing)->bytes[400], (char)place);
			pool_give(&pool, *thing);
			*thing = NULL;
			continue;
		}
		*thing = pool_take(&pool);
		ck_assert(is_zero(*thing));
		ck_assert_uint_eq((uintptr_t)*thing % _Alignof(uint64_t), 0);
		memset(*thing, (int)place, sizeof(**thing));
		(*thing)->number = place;
	}
	for (uint32_t i = 0; i < COUNT; i++)
		if (things[i])
			pool_give(&pool, things[i]);
	ck_assert_ptr_null(pool.with_room);
	pool_free(&pool);
}

/* Where one of many is left, it holds its chunk alone. */
START_TEST(memory_of_a_crowd_is_given_back)
{
	struct pool pool = { .size = sizeof(struct thing) };
	static struct thing *things[COUNT];
	size_t crowd;

	for (unsigned i = 0; i < COUNT; i++)
		things[i] = pool_take(&pool);
	crowd = pool.n_chunks;
	ck_assert_uint_ge(crowd, 10);
	for (unsigned i = 1; i < COUNT; i++)
		pool_give(&pool, things[i]);
	ck_assert_uint_eq(pool.n_chunks, 2);
	for (unsigned i = 1; i < COUNT; i++)
		things[i] = pool_take(&pool);
	ck_assert_uint_eq(pool.n_chunks, crowd);
	for (unsigned i = 0; i < COUNT; i++)
		pool_give(&pool, things[i]);
	ck_assert_uint_eq(pool.n_chunks, 1);
	pool_free(&pool);
	ck_assert_uint_eq(pool.n_chunks, 0);
}
