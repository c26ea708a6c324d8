/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of core/hash: look-up, equal hashes, growth, clearing. */
#include "suite.h"

#include "core/hash.h"

#define N_KEYS 5000

static uint64_t keys[N_KEYS];

static uint32_t find(const struct hash *table, uint64_t hash, uint64_t key)
{
	uint32_t at;

	HASH_FIND(at, table, hash, keys[at] == key);
	return at;
}

START_TEST(an_empty_table_finds_nothing)
{
	struct hash table = { 0 };

	ck_assert_uint_eq(find(&table, 0, 0), HASH_NONE);
	ck_assert_uint_eq(find(&table, hash_u64(7), 7), HASH_NONE);
	hash_clear(&table);
	hash_free(&table);
}

START_TEST(finds_every_key_after_growth)
{
	struct hash table = { 0 };

	for (uint32_t i = 0; i < N_KEYS; i++) {
		keys[i] = i * UINT64_C(0x100000001);
		hash_add(&table, hash_u64(keys[i]), i);
	}
	ck_assert_uint_eq(table.count, N_KEYS);
	for (uint32_t i = 0; i < N_KEYS; i++)
		ck_assert_uint_eq(find(&table, hash_u64(keys[i]), keys[i]), i);
	ck_assert_uint_eq(find(&table, hash_u64(3), 3), HASH_NONE);
	hash_free(&table);
}

START_TEST(tells_keys_of_one_hash_apart)
{
	struct hash table = { 0 };

	for (uint32_t i = 0; i < 100; i++) {
		keys[i] = i;
		hash_add(&table, UINT64_MAX, i);
	}
	for (uint32_t i = 0; i < 100; i++)
		ck_assert_uint_eq(find(&table, UINT64_MAX, i), i);
	ck_assert_uint_eq(find(&table, UINT64_MAX, 100), HASH_NONE);
	ck_assert_uint_eq(find(&table, 1, 5), HASH_NONE);
	hash_free(&table);
}

START_TEST(a_cleared_table_keeps_its_room)
{
	struct hash table = { 0 };
	size_t n_slots;

	hash_reserve(&table, N_KEYS);
	n_slots = table.n_slots;
	ck_assert_uint_ge(n_slots, 2 * N_KEYS);
	keys[0] = 9;
	hash_add(&table, hash_u64(9), 0);
	hash_clear(&table);
	ck_assert_uint_eq(find(&table, hash_u64(9), 9), HASH_NONE);
	for (uint32_t i = 0; i < N_KEYS; i++) {
		keys[i] = i;
		hash_add(&table, hash_u64(i), i);
	}
	ck_assert_uint_eq(table.n_slots, n_slots);
	hash_free(&table);
}

START_TEST(bytes_are_hashed_as_one_text)
{
	uint64_t whole = hash_bytes(HASH_SEED, span_text("foobar"));

	ck_assert_uint_eq(whole, hash_bytes(hash_bytes(HASH_SEED, span_text("foo")), span_text("bar")));
	ck_assert_uint_eq(whole, UINT64_C(0x85944171f73967e8)); /* as published for FNV-1a */
}
