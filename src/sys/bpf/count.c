/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts by key, with sum and maximum of the value:
 *
 *	u64 value = VALUE, key[] = { KEYS };
 *	struct bpf_entry *entry;
 *
 *	if (POSITIVE && (s32)value <= 0)
 *		return 0;
 *	entry = find_slot(key);				(emit_find_slot)
 *	if (!entry)
 *		entry = map_lookup_elem(entries, key);
 *	if (!entry) {
 *		map_update_elem(entries, key, &(struct bpf_entry){ 0 }, BPF_NOEXIST);
 *		entry = map_lookup_elem(entries, key);
 *	}
 *	if (!entry) {
 *		self->lost++;
 *		return 0;
 *	}
 *	__sync_fetch_and_add(&entry->count, 1);
 *	__sync_fetch_and_add(&entry->sum, value);
 *	if (entry->most < value)
 *		entry->most = value;
 */
#include <config.h>

#include <errno.h>

#include "sys/bpf/emit.h"

static void count(struct bpf_assembler *as)
{
	const struct bpf_program *program = as->program;
	struct bpf_label negative = { 0 };

	emit_part(as, &program->value);
	emit_move(as, VALUE, R1);
	if (program->positive) {
		emit_compute_with(as, BPF_LSH, R1, 32);
		emit_jump_if(as, R1, BPF_JSLE, 0, &negative);
	}
	emit_key(as);
	emit_count_value(as);
	emit_label(as, &negative);
}

const struct bpf_shape bpf_count = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES),
	.entries = BPF_ENTRIES_COUNTS,
	.work = count,
};

/*
 * Keeps a number for other programs:
 *
 *	u64 value = VALUE, key[] = { KEYS };
 *
 *	notes[key] = value;				(emit_keep)
 */

static void note(struct bpf_assembler *as)
{
	emit_part(as, &as->program->value);
	emit_move(as, VALUE, R1);
	emit_key(as);
	emit_keep(as);
}

const struct bpf_shape bpf_note = { .maps = BPF_MAP_BIT(BPF_MAP_STARTS), .keeps_newest = true, .work = note };

/*
 * Sets or clears a bit of this CPU, which programs of the same plan see:
 *
 *	u64 bit = 1 << (VALUE + FIRST_BIT & 63);
 *
 *	*marks |= bit;					bpf_mark
 *	*marks &= ~bit;					bpf_unmark
 */

static void load_bit(struct bpf_assembler *as)
{
	emit_part(as, &as->program->value);
	emit_compute_with(as, BPF_ADD, R1, (int32_t)as->program->first_bit);
	emit_compute_with(as, BPF_AND, R1, 63);
	emit_set(as, VALUE, 1);
	emit_compute(as, BPF_LSH, VALUE, R1);
}

static void change_marks(struct bpf_assembler *as, int operation)
{
	struct bpf_label none = { 0 };

	emit_find(as, BPF_MAP_MARKS, as->zero, &none);
	emit_load(as, 8, R1, R0, 0);
	emit_compute(as, operation, R1, VALUE);
	emit_store(as, 8, R0, 0, R1);
	emit_label(as, &none);
}

static void mark(struct bpf_assembler *as)
{
	load_bit(as);
	change_marks(as, BPF_OR);
}

static void unmark(struct bpf_assembler *as)
{
	load_bit(as);
	emit_compute_with(as, BPF_XOR, VALUE, -1);
	change_marks(as, BPF_AND);
}

const struct bpf_shape bpf_mark = { .maps = BPF_MAP_BIT(BPF_MAP_MARKS), .work = mark };
const struct bpf_shape bpf_unmark = { .maps = BPF_MAP_BIT(BPF_MAP_MARKS), .work = unmark };

/*
 * Counts the time from a start to a stop, by key. The start:
 *
 *	u64 key[] = { KEYS };
 *
 *	starts[key] = ktime_get_ns();			(emit_keep)
 *
 * The stop; where it begins elsewhere, begun is the key of the start:
 *
 *	u64 begun[] = { BEGUN or KEYS }, *start = map_lookup_elem(starts, begun), began, value;
 *
 *	if (!start)
 *		return 0;
 *	began = *start;
 *	*start = 0;
 *	if (began == 0) {
 *		self->lost += !BEGINS_ELSEWHERE;
 *		return 0;
 *	}
 *	value = ktime_get_ns() - began;
 *	count(key[] = { KEYS }, value);			(count.c)
 *
 * A key without a start began before panetop did; a second stop has lost its start, unless a start may have
 * several.
 */

static void start(struct bpf_assembler *as)
{
	emit_key(as);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_move(as, VALUE, R0);
	emit_keep(as);
}

const struct bpf_shape bpf_start = { .maps = BPF_MAP_BIT(BPF_MAP_STARTS), .work = start };

static struct frame_slot key_of_begun(struct bpf_assembler *as)
{
	struct frame_slot begun;

	if (!as->program->begins_elsewhere) {
		emit_key(as);
		return key_of_start(as);
	}
	begun = emit_slot(as, 1);
	emit_part(as, &as->program->begun);
	emit_store_slot(as, 8, begun, 0, R1);
	return begun;
}

static void stop(struct bpf_assembler *as)
{
	struct bpf_label unknown = { 0 }, begun = { 0 };

	emit_find(as, BPF_MAP_STARTS, key_of_begun(as), &unknown);
	emit_load(as, 8, VALUE, R0, 0);
	emit_store_number(as, R0, 0, 0);
	emit_jump_if(as, VALUE, BPF_JNE, 0, &begun);
	if (!as->program->begins_elsewhere)
		emit_count_lost(as);
	emit_jump(as, &unknown);
	emit_label(as, &begun);
	if (as->program->begins_elsewhere)
		emit_key(as);
	emit_since(as);
	emit_count_value(as);
	emit_label(as, &unknown);
}

const struct bpf_shape bpf_stop = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_STARTS),
	.entries = BPF_ENTRIES_COUNTS,
	.work = stop,
};

/*
 * Two times that follow each other, in histograms by the one word of the key. The start of the second:
 *
 *	u64 key = KEY, now = ktime_get_ns(), had;
 *	struct { u64 key, time; } *slot = &start_slots[hash(key)];
 *
 *	had = cmpxchg(&slot->key, 0, key);
 *	if (had == 0 || had == key)
 *		slot->time = now;
 *	else
 *		starts[key] = now;			(emit_keep)
 *
 * The end, of work that is done as a whole:
 *
 *	u64 middle = MIDDLE, first = VALUE, key = KEY;
 *	struct bpf_phases *phases;
 *
 *	if (DONE < WHOLE)
 *		return 0;
 *	if (middle == 0) {
 *		middle = *slot_or_start(BEGUN);		(0 is left there)
 *		if (middle == 0)
 *			return 0;
 *	}
 *	phases = &histograms[entries[key]];		(a new key gets the next number)
 *	if (!phases) {
 *		self->lost++;
 *		return 0;
 *	}
 *	add(phases, 1, ktime_get_ns() - middle);
 *	if (first)
 *		add(phases, 0, middle - first);
 *
 * where add(phases, phase, time) is
 *
 *	time = (s64)time < 0 ? 0 : time;
 *	__sync_fetch_and_add(&phases->buckets[phase][histogram_index(0, time)], 1);
 *	__sync_fetch_and_add(&phases->sum[phase], time);
 *	phases->most[phase] = max(phases->most[phase], time);
 */

/* Of start_slots. */
enum { SLOT_KEY = 0, SLOT_TIME = WORD };

/* r0: the slot of the key, or NULL. */
static void find_start_slot(struct bpf_assembler *as, struct frame_slot key)
{
	struct frame_slot number = emit_slot(as, 1);

	emit_hash(as, key, BPF_START_SLOT_BITS, number);
	emit_look_up(as, BPF_MAP_START_SLOTS, number);
}

static void start_second(struct bpf_assembler *as)
{
	struct bpf_label others = { 0 }, ours = { 0 }, kept = { 0 };

	emit_key(as);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_move(as, VALUE, R0);
	find_start_slot(as, as->key);
	emit_jump_if(as, R0, BPF_JEQ, 0, &others);
	emit_move(as, R3, R0);
	emit_set(as, R0, 0);
	emit_load_slot(as, 8, R2, as->key, 0);
	emit_atomic(as, BPF_CMPXCHG, R3, SLOT_KEY, R2);
	emit_jump_if(as, R0, BPF_JEQ, 0, &ours);
	emit_jump_if_register(as, R0, BPF_JNE, R2, &others);
	emit_label(as, &ours);
	emit_store(as, 8, R3, SLOT_TIME, VALUE);
	emit_jump(as, &kept);
	emit_label(as, &others);
	emit_keep(as);
	emit_label(as, &kept);
}

const struct bpf_shape bpf_start_phases = {
	.maps = BPF_MAP_BIT(BPF_MAP_STARTS) | BPF_MAP_BIT(BPF_MAP_START_SLOTS),
	.work = start_second,
};

/* The value: when the second phase began. */
static void load_middle(struct bpf_assembler *as, struct bpf_label *unknown)
{
	struct frame_slot begun = emit_slot(as, 1);
	struct bpf_label known = { 0 }, others = { 0 };

	emit_part(as, &as->program->middle);
	emit_move(as, VALUE, R1);
	emit_jump_if(as, VALUE, BPF_JNE, 0, &known);
	emit_part(as, &as->program->begun);
	emit_store_slot(as, 8, begun, 0, R1);
	find_start_slot(as, begun);
	emit_jump_if(as, R0, BPF_JEQ, 0, &others);
	emit_load(as, 8, R1, R0, SLOT_KEY);
	emit_load_slot(as, 8, R2, begun, 0);
	emit_jump_if_register(as, R1, BPF_JNE, R2, &others);
	emit_load(as, 8, VALUE, R0, SLOT_TIME);
	emit_store_number(as, R0, SLOT_KEY, 0);
	emit_jump(as, &known);
	emit_label(as, &others);
	emit_find(as, BPF_MAP_STARTS, begun, unknown);
	emit_load(as, 8, VALUE, R0, 0);
	emit_store_number(as, R0, 0, 0);
	emit_jump_if(as, VALUE, BPF_JEQ, 0, unknown);
	emit_label(as, &known);
}

/* In r0, and kept in phases. */
static void find_phases(struct bpf_assembler *as, struct frame_slot phases, struct bpf_label *none)
{
	struct frame_slot number = emit_slot(as, 1);
	struct bpf_label found = { 0 };

	emit_find_slot(as, &found);
	emit_look_up(as, BPF_MAP_ENTRIES, as->key);
	emit_jump_if(as, R0, BPF_JNE, 0, &found);
	emit_find(as, BPF_MAP_NUMBERS, as->zero, none);
	emit_set(as, R1, 1);
	emit_atomic(as, BPF_ADD | BPF_FETCH, R0, 0, R1);
	emit_store_slot(as, 8, number, 0, R1);
	emit_update(as, BPF_MAP_ENTRIES, as->key, number, BPF_NOEXIST);
	emit_find(as, BPF_MAP_ENTRIES, as->key, none);
	emit_label(as, &found);
	emit_load(as, 8, R1, R0, 0);
	emit_store_slot(as, 8, number, 0, R1);
	emit_find(as, BPF_MAP_HISTOGRAMS, number, none);
	emit_store_slot(as, 8, phases, 0, R0);
}

/* Of the value. */
static void count_phase(struct bpf_assembler *as, struct frame_slot phases, enum bpf_phase phase)
{
	struct bpf_label forward = { 0 };

	emit_jump_if(as, VALUE, BPF_JSGE, 0, &forward);
	emit_set(as, VALUE, 0); /* its ends were read from clocks of two CPUs, or from one that stood still */
	emit_label(as, &forward);
	emit_bucket(as);
	emit_load_slot(as, 8, R0, phases, 0);
	emit_compute_with(as, BPF_LSH, R1, 3);
	emit_compute(as, BPF_ADD, R1, R0);
	emit_set(as, R2, 1);
	emit_atomic(as, BPF_ADD, R1, offsetof(struct bpf_phases, buckets[phase]), R2);
	emit_atomic(as, BPF_ADD, R0, offsetof(struct bpf_phases, sum[phase]), VALUE);
	emit_keep_most(as, offsetof(struct bpf_phases, most[phase]));
}

static void stop_both(struct bpf_assembler *as)
{
	struct frame_slot phases = emit_slot(as, 1), middle = emit_slot(as, 1);
	struct bpf_label none = { 0 }, done = { 0 };

	emit_part(as, &as->program->whole);
	emit_move(as, VALUE, R1);
	emit_part(as, &as->program->done);
	emit_jump_if_register(as, R1, BPF_JLT, VALUE, &done);
	load_middle(as, &done);
	emit_key(as);
	find_phases(as, phases, &none);
	emit_store_slot(as, 8, middle, 0, VALUE);
	emit_since(as);
	count_phase(as, phases, BPF_PHASE_SECOND);
	emit_part(as, &as->program->value);
	emit_jump_if(as, R1, BPF_JEQ, 0, &done);
	emit_load_slot(as, 8, VALUE, middle, 0);
	emit_compute(as, BPF_SUB, VALUE, R1);
	count_phase(as, phases, BPF_PHASE_FIRST);
	emit_jump(as, &done);
	emit_label(as, &none);
	emit_count_lost(as);
	emit_label(as, &done);
}

const struct bpf_shape bpf_stop_phases = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_STARTS) |
		BPF_MAP_BIT(BPF_MAP_START_SLOTS) | BPF_MAP_BIT(BPF_MAP_HISTOGRAMS) |
		BPF_MAP_BIT(BPF_MAP_NUMBERS),
	.entries = BPF_ENTRIES_PHASES,
	.work = stop_both,
};

/*
 * Sends a text of the process that runs:
 *
 *	struct bpf_record *record = this_cpu(records);
 *	u64 value = VALUE, length = END - value;
 *
 *	record->text_bytes = length;
 *	length = min(length, BPF_TEXT_MAX);
 *	record->copied_bytes = length;
 *	if (probe_read_user(record->text, length, (void *)value) != 0)
 *		record->copied_bytes = length = 0;
 *	error = perf_event_output(ctx, rings, BPF_F_CURRENT_CPU, record, BPF_RECORD_HEAD + length);
 *	if (error != 0 && error != -ENOENT)
 *		self->lost++;
 *
 * It reads what is in memory: nothing is paged in. A CPU without a ring is not of interest; a full one has
 * lost the record.
 */

/* r0: the record; its address is in record then. */
static void copy_text(struct bpf_assembler *as, struct frame_slot record, struct frame_slot length)
{
	struct bpf_label copied = { 0 }, short_enough = { 0 };

	emit_load_slot(as, 8, R2, length, 0);
	emit_store(as, 4, R0, offsetof(struct bpf_record, text_bytes), R2);
	emit_jump_if(as, R2, BPF_JLE, BPF_TEXT_MAX, &short_enough);
	emit_set(as, R2, BPF_TEXT_MAX);
	emit_label(as, &short_enough);
	emit_store_slot(as, 8, length, 0, R2);
	emit_store(as, 4, R0, offsetof(struct bpf_record, copied_bytes), R2);
	emit_move(as, R1, R0);
	emit_compute_with(as, BPF_ADD, R1, BPF_RECORD_HEAD);
	emit_move(as, R3, VALUE);
	emit_call(as, BPF_FUNC_probe_read_user);
	emit_jump_if(as, R0, BPF_JEQ, 0, &copied);
	emit_set(as, R2, 0);
	emit_store_slot(as, 8, length, 0, R2);
	emit_load_slot(as, 8, R1, record, 0);
	emit_store(as, 4, R1, offsetof(struct bpf_record, copied_bytes), R2);
	emit_label(as, &copied);
}

void emit_send(struct bpf_assembler *as, struct frame_slot record, int32_t head, struct frame_slot length)
{
	struct bpf_label sent = { 0 };

	emit_load_slot(as, 8, R5, length, 0);
	emit_jump_if(as, R5, BPF_JGT, BPF_TEXT_MAX, &sent); /* never: the verifier wants to see it */
	emit_compute_with(as, BPF_ADD, R5, head);
	emit_load_slot(as, 8, R4, record, 0);
	emit_set_long(as, R3, BPF_F_CURRENT_CPU);
	emit_map(as, R1, BPF_MAP_RINGS);
	emit_move(as, R2, R1);
	emit_move(as, R1, CTX);
	emit_call(as, BPF_FUNC_perf_event_output);
	emit_jump_if(as, R0, BPF_JEQ, 0, &sent);
	emit_jump_if(as, R0, BPF_JEQ, -ENOENT, &sent);
	emit_count_lost(as);
	emit_label(as, &sent);
}

static void record_text(struct bpf_assembler *as)
{
	struct frame_slot record = emit_slot(as, 1), length = emit_slot(as, 1);
	struct bpf_label none = { 0 };

	emit_part(as, &as->program->value);
	emit_move(as, VALUE, R1);
	emit_part(as, &as->program->end);
	emit_compute(as, BPF_SUB, R1, VALUE);
	emit_store_slot(as, 8, length, 0, R1);
	emit_find(as, BPF_MAP_RECORDS, as->zero, &none);
	emit_store_slot(as, 8, record, 0, R0);
	copy_text(as, record, length);
	emit_send(as, record, BPF_RECORD_HEAD, length);
	emit_label(as, &none);
}

const struct bpf_shape bpf_record = {
	.maps = BPF_MAP_BIT(BPF_MAP_RECORDS) | BPF_MAP_BIT(BPF_MAP_RINGS),
	.work = record_text,
};
