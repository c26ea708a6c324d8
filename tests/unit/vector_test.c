/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of core/vector: growth and binary search. */
#include <config.h>

#include <stdlib.h>

#include "core/vector.h"
#include "suite.h"

START_TEST(elements_survive_growth)
{
	unsigned *list = NULL;
	size_t count = 0, capacity = 0;

	for (unsigned i = 0; i < 1000; i++) {
		*VECTOR_ADD(list, count, capacity) = i * i;
		ck_assert_uint_le(count, capacity);
	}
	ck_assert_uint_eq(count, 1000);
	for (unsigned i = 0; i < 1000; i++)
		ck_assert_uint_eq(list[i], i * i);
	free(list);
}

START_TEST(room_is_made_once_and_kept)
{
	char *bytes = NULL;
	size_t capacity = 0;

	VECTOR_RESERVE(bytes, 0, capacity);
	ck_assert_ptr_null(bytes);
	VECTOR_RESERVE(bytes, 5000, capacity);
	ck_assert_uint_eq(capacity, 5000);
	bytes[4999] = 'x';
	VECTOR_RESERVE(bytes, 4999, capacity);
	ck_assert_uint_eq(capacity, 5000);
	VECTOR_RESERVE(bytes, 5001, capacity);
	ck_assert_uint_eq(capacity, 10000);
	ck_assert_int_eq(bytes[4999], 'x');
	free(bytes);
}

START_TEST(a_peak_is_outgrown_once_it_is_long_past)
{
	struct recent_use recent = { 0 };
	unsigned *list = NULL, calls = 0;
	size_t count = 0, capacity = 0;

	VECTOR_RESERVE(list, 1000000, capacity);
	count = 1000000;
	VECTOR_EMPTY(list, count, capacity, &recent);
	ck_assert(list && capacity == 1000000 && count == 0); /* as much may come again */
	while (list && calls++ < 100) {
		count = 1000;
		VECTOR_EMPTY(list, count, capacity, &recent);
	}
	ck_assert_uint_eq(capacity, 0);
	ck_assert(calls > 3 && calls < 30);
	VECTOR_RESERVE(list, 1000, capacity); /* it goes on as at first */
	for (unsigned i = 0; i < 100; i++)
		VECTOR_EMPTY(list, count, capacity, &recent);
	ck_assert_uint_eq(capacity, 1000); /* little memory stays */
	free(list);
}

START_TEST(a_load_that_comes_again_keeps_its_memory)
{
	struct recent_use recent = { 0 };

	for (unsigned i = 0; i < 100; i++) /* as much in every third round */
		ck_assert(!recent_use_is_outgrown(&recent, i % 3 ? 1000 : 1000000, 2000000));
}

static size_t bound(const int *list, size_t count, int wanted)
{
	size_t at;

	VECTOR_BOUND(at, count, list[at] < wanted);
	return at;
}

START_TEST(bound_is_the_first_that_is_not_before)
{
	static const int list[] = { 1, 3, 3, 3, 7 };

	ck_assert_uint_eq(bound(list, 0, 3), 0);
	ck_assert_uint_eq(bound(list, 5, 0), 0);
	ck_assert_uint_eq(bound(list, 5, 1), 0);
	ck_assert_uint_eq(bound(list, 5, 2), 1);
	ck_assert_uint_eq(bound(list, 5, 3), 1);
	ck_assert_uint_eq(bound(list, 5, 4), 4);
	ck_assert_uint_eq(bound(list, 5, 7), 4);
	ck_assert_uint_eq(bound(list, 5, 8), 5);
	ck_assert_uint_eq(bound(list, 4, 8), 4);
}
