/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts by key, where all tests hold, with the sum of one number and the maximum of another:
 *
 *	u64 key[] = { KEYS }, most = MOST;
 *	struct bpf_entry *entry;
 *
 *	if (!map_lookup_elem(wanted, &current->tgid))	of wanted processes
 *		return 0;
 *	if (!(TEST && …))
 *		return 0;
 *	if (BITS)
 *		key[] = { KEYS, bits = fls64(abs(BITS)), negative if it is }
 *	entry = entries[key], entry->count++;		(emit_count_entry)
 *	__sync_fetch_and_add(&entry->sum, VALUE);
 *	if (entry->most < most)				of signed numbers: most ^ 1 << 63
 *		entry->most = most;
 *
 * Texts are compared with all bytes of a slot that is one longer than what they are compared with.
 */
#include <config.h>

#include <string.h>

#include "sys/bpf/emit.h"

/* The comparison under which a run goes to skip: the opposite. */
static int opposite(enum bpf_relation relation, bool is_signed)
{
	static const int compare[][2] = {
		[BPF_LESS] = { BPF_JGE, BPF_JSGE },    [BPF_LESS_EQUAL] = { BPF_JGT, BPF_JSGT },
		[BPF_GREATER] = { BPF_JLE, BPF_JSLE }, [BPF_GREATER_EQUAL] = { BPF_JLT, BPF_JSLT },
		[BPF_EQUAL] = { BPF_JNE, BPF_JNE },    [BPF_NOT_EQUAL] = { BPF_JEQ, BPF_JEQ },
	};

	return compare[relation][is_signed];
}

static void test_text(struct bpf_assembler *as, const struct bpf_test *test, struct frame_slot texts,
		      struct bpf_label *skip)
{
	struct frame_slot text = { texts.at, test->part.words * WORD };
	struct bpf_label other = { 0 };
	struct bpf_label *differs = test->relation == BPF_EQUAL ? skip : &other;

	emit_text(as, &test->part, text);
	for (size_t at = 0; at < text.bytes; at += WORD) {
		uint64_t word;

		memcpy(&word, test->text + at, sizeof(word));
		emit_load_slot(as, WORD, R1, text, at);
		emit_set_long(as, R2, word);
		emit_jump_if_register(as, R1, BPF_JNE, R2, differs);
	}
	if (test->relation == BPF_EQUAL)
		return;
	emit_jump(as, skip);
	emit_label(as, &other);
}

static void test_all(struct bpf_assembler *as, struct bpf_label *skip)
{
	const struct bpf_table_parts *table = as->program->table;
	struct frame_slot texts = { 0 };

	for (unsigned i = 0; i < table->n_tests && i < BPF_TESTS_MAX; i++) {
		const struct bpf_test *test = &table->tests[i];

		if (test->part.words == 0) {
			emit_part(as, &test->part);
			emit_set_long(as, R2, test->number);
			emit_jump_if_register(as, R1, opposite(test->relation, test->part.spot.is_signed), R2,
					      skip);
			continue;
		}
		if (texts.bytes == 0)
			texts = emit_slot(as, BPF_KEY_TEXT_MAX / WORD);
		test_text(as, test, texts, skip);
	}
}

static void store_bits(struct bpf_assembler *as)
{
	const struct bpf_part *part = &as->program->table->bits;
	struct bpf_label positive = { 0 }, counted = { 0 };

	emit_part(as, part);
	emit_move(as, VALUE, R1);
	emit_set(as, R4, 0);
	if (part->spot.is_signed) {
		emit_jump_if(as, VALUE, BPF_JSGE, 0, &positive);
		emit_set(as, R4, 1);
		emit_set(as, VALUE, 0);
		emit_compute(as, BPF_SUB, VALUE, R1);
		emit_label(as, &positive);
	}
	emit_bits(as);
	if (part->spot.is_signed) {
		emit_jump_if(as, R4, BPF_JEQ, 0, &counted);
		emit_set(as, R3, 0);
		emit_compute(as, BPF_SUB, R3, R2);
		emit_move(as, R2, R3);
		emit_label(as, &counted);
	}
	emit_store_slot(as, WORD, as->key, as->key.bytes - WORD, R2);
}

static void work(struct bpf_assembler *as)
{
	const struct bpf_table_parts *table = as->program->table;
	bool has_most = table->most.is != BPF_PART_CONSTANT;
	struct frame_slot most = { 0 };
	struct bpf_label skip = { 0 };

	if (as->target->of_wanted) {
		emit_process(as);
		emit_unless_wanted(as, &skip);
	}
	test_all(as, &skip);
	emit_key(as);
	if (as->program->by_log2)
		store_bits(as);
	if (has_most) { /* before the entry is looked up, since it may call the kernel */
		most = emit_slot(as, 1);
		emit_part(as, &table->most);
		if (table->most.spot.is_signed) {
			emit_set_long(as, R2, UINT64_C(1) << 63);
			emit_compute(as, BPF_XOR, R1, R2);
		}
		emit_store_slot(as, WORD, most, 0, R1);
	}
	emit_part(as, &as->program->value);
	emit_move(as, VALUE, R1);
	emit_count_entry(as, &skip);
	emit_atomic(as, BPF_ADD, R0, offsetof(struct bpf_entry, sum), VALUE);
	if (has_most) {
		emit_load_slot(as, WORD, VALUE, most, 0);
		emit_keep_most(as, offsetof(struct bpf_entry, most));
	}
	emit_label(as, &skip);
}

const struct bpf_shape bpf_table = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES),
	.entries = BPF_ENTRIES_COUNTS,
	.work = work,
};
