/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of keys and values, from where the program runs. */
#include <config.h>

#include "sys/bpf/emit.h"

#include <errno.h>
#include <string.h>

void emit_look_up(struct bpf_assembler *as, enum bpf_map map, struct frame_slot key)
{
	emit_map(as, R1, map);
	emit_address_of_set(as, R2, key);
	emit_call(as, BPF_FUNC_map_lookup_elem);
}

void emit_update(struct bpf_assembler *as, enum bpf_map map, struct frame_slot key, struct frame_slot value,
		 int32_t flags)
{
	emit_map(as, R1, map);
	emit_address_of_set(as, R2, key);
	emit_address_of_set(as, R3, value);
	emit_set(as, R4, flags);
	emit_call(as, BPF_FUNC_map_update_elem);
}

void emit_find(struct bpf_assembler *as, enum bpf_map map, struct frame_slot key, struct bpf_label *none)
{
	emit_look_up(as, map, key);
	emit_jump_if(as, R0, BPF_JEQ, 0, none);
}

void emit_add(struct bpf_assembler *as, enum bpf_map map, struct frame_slot key, struct frame_slot value,
	      int32_t flags)
{
	struct bpf_label added = { 0 };

	emit_update(as, map, key, value, flags);
	emit_jump_if(as, R0, BPF_JEQ, 0, &added);
	if (flags == BPF_NOEXIST)
		emit_jump_if(as, R0, BPF_JEQ, -EEXIST, &added);
	emit_count_lost(as);
	emit_label(as, &added);
}

void emit_since(struct bpf_assembler *as)
{
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_compute(as, BPF_SUB, R0, VALUE);
	emit_move(as, VALUE, R0);
}

/* Only this program on this CPU writes there, and it does not interrupt itself. */
void emit_count_self(struct bpf_assembler *as, size_t field)
{
	emit_load(as, 8, R1, SELF, field);
	emit_compute_with(as, BPF_ADD, R1, 1);
	emit_store(as, 8, SELF, field, R1);
}

struct bpf_place emit_place(struct bpf_assembler *as, const char *way)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	struct bpf_place place = { .n = 1 };

	emit_lack(as, kernel->member(kernel->state, way, &place));
	emit_lack(as, place.n != 1 ? -ENODATA : 0);
	return place;
}

void emit_member_of(struct bpf_assembler *as, uint32_t bytes, int to, int base, const char *way)
{
	struct bpf_place place = emit_place(as, way);

	bytes = bytes ? bytes : place.bytes;
	emit_lack(as, bytes == 0 ? -ENODATA : 0);
	emit_load(as, bytes, to, base, place.offsets[0]);
}

void emit_member(struct bpf_assembler *as, int to, int base, const char *way)
{
	emit_member_of(as, 0, to, base, way);
}

void emit_command(struct bpf_assembler *as, struct frame_slot command, unsigned word, int task)
{
	struct bpf_place place = emit_place(as, "task_struct.comm");

	emit_member(as, task, task, "task_struct.group_leader");
	for (unsigned at = 0; at < BPF_COMMAND_BYTES; at += WORD) {
		emit_load(as, WORD, R0, task, place.offsets[0] + at);
		emit_store_slot(as, WORD, command, word * WORD + at, R0);
	}
}

void emit_need(struct bpf_assembler *as, const char *way)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	struct bpf_place place;

	emit_lack(as, kernel->member(kernel->state, way, &place));
}

void emit_argument(struct bpf_assembler *as, int to, unsigned argument)
{
	emit_load(as, 8, to, CTX, argument * WORD);
}

static int find_member(const struct bpf_kernel *kernel, const struct bpf_part *part, struct bpf_place *place)
{
	int error = kernel->member(kernel->state, part->name, place);
	uint32_t all = place->bytes;

	if (error)
		return error;
	if (all == 0 || part->bytes > all)
		return -ENODATA;
	place->bytes = part->bytes ? part->bytes : all;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	place->offsets[place->n - 1] += all - place->bytes;
#endif
	if (part->points_to_text && place->n < BPF_PATH_MAX) {
		place->offsets[place->n++] = part->text_offset;
		place->bytes = WORD;
	}
	return 0;
}

/* r3 = *(r3 + offset); a program without types may not do that itself. */
static void follow(struct bpf_assembler *as, uint32_t bytes, uint32_t offset)
{
	if (as->target->typed) {
		emit_load(as, bytes, R3, R3, offset);
		return;
	}
	emit_compute_with(as, BPF_ADD, R3, (int32_t)offset);
	emit_store_slot_number(as, as->room, 0, 0);
	emit_address(as, R1, as->room);
	emit_set(as, R2, (int32_t)bytes);
	emit_call(as, BPF_FUNC_probe_read_kernel);
	emit_load_slot(as, bytes, R3, as->room, 0);
}

/* Through a pointer that leads nowhere 0 is loaded. */
static void load_member(struct bpf_assembler *as, const struct bpf_part *part)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	struct bpf_place place = { 0 };
	struct bpf_label none = { 0 };

	if (part->absent_with && kernel->member(kernel->state, part->absent_with, &place) == 0) {
		as->code->lacks = true;
		emit_set_long(as, R1, 0);
		return;
	}
	emit_lack(as, find_member(kernel, part, &place));
	emit_argument(as, R3, part->argument);
	emit_jump_if(as, R3, BPF_JEQ, 0, &none); /* of some arguments the verifier wants to see it */
	for (unsigned i = 0; i < place.n; i++)
		follow(as, i + 1 < place.n ? sizeof(void *) : place.bytes, place.offsets[i]);
	emit_label(as, &none);
	emit_move(as, R1, R3);
}

/* r1: what is there; 0: nothing. */
static void load_element(struct bpf_assembler *as, enum bpf_map map, struct frame_slot key)
{
	struct bpf_label none = { 0 };

	emit_look_up(as, map, key);
	emit_set(as, R1, 0);
	emit_jump_if(as, R0, BPF_JEQ, 0, &none);
	emit_load(as, 8, R1, R0, 0);
	emit_label(as, &none);
}

/* In r1 the number under which it was kept, then what was. */
static void load_noted(struct bpf_assembler *as)
{
	emit_store_slot(as, 8, as->room, 0, R1);
	load_element(as, BPF_MAP_STARTS, as->room);
}

void emit_process(struct bpf_assembler *as)
{
	emit_call(as, BPF_FUNC_get_current_pid_tgid);
	emit_compute_with(as, BPF_RSH, R0, 32);
	emit_move(as, R1, R0);
}

static void load_maker(struct bpf_assembler *as, const struct bpf_part *part)
{
	struct bpf_label noted = { 0 };

	load_member(as, part);
	load_noted(as);
	emit_jump_if(as, R1, BPF_JNE, 0, &noted);
	emit_process(as);
	emit_label(as, &noted);
}

static void load_idle(struct bpf_assembler *as)
{
	struct bpf_label busy = { 0 };

	emit_call(as, BPF_FUNC_get_current_pid_tgid);
	emit_set(as, R1, 0);
	emit_jump_if(as, R0, BPF_JNE, 0, &busy);
	emit_set(as, R1, 1);
	emit_label(as, &busy);
}

/* r3 = what is at this offset of the record; to programs its first bytes are closed. */
static void address_record(struct bpf_assembler *as, uint16_t offset)
{
	emit_move(as, R3, CTX);
	emit_compute_with(as, BPF_ADD, R3, offset);
}

/* Its lowest bytes, with their sign. The kernel lets a program load only what is aligned. */
static void load_number(struct bpf_assembler *as, const struct bpf_spot *spot)
{
	int32_t above = WORD * 8 - spot->value_bytes * 8;

	if (spot->offset % spot->bytes == 0) {
		emit_load(as, spot->bytes, R1, CTX, spot->offset);
	} else {
		emit_store_slot_number(as, as->room, 0, 0);
		emit_address(as, R1, as->room);
		emit_set(as, R2, spot->bytes);
		address_record(as, spot->offset);
		emit_call(as, BPF_FUNC_probe_read_kernel);
		emit_load_slot(as, spot->bytes, R1, as->room, 0);
	}
	if (above == 0 || (!spot->is_signed && spot->value_bytes == spot->bytes))
		return;
	emit_compute_with(as, BPF_LSH, R1, above);
	emit_compute_with(as, spot->is_signed ? BPF_ARSH : BPF_RSH, R1, above);
}

/* r3 = where the text is, plus this many bytes. */
static void address_text(struct bpf_assembler *as, const struct bpf_spot *spot, unsigned more)
{
	if (spot->is == BPF_SPOT_HERE) {
		address_record(as, (uint16_t)(spot->offset + more));
		return;
	}
	emit_load(as, 4, R3, CTX, spot->offset);
	emit_compute_with(as, BPF_AND, R3, UINT16_MAX);
	emit_move(as, R1, CTX);
	emit_compute(as, BPF_ADD, R1, R3);
	emit_move(as, R3, R1);
	more += spot->is == BPF_SPOT_BEHIND ? spot->offset + (unsigned)sizeof(uint32_t) : 0;
	if (more > 0)
		emit_compute_with(as, BPF_ADD, R3, (int32_t)more);
}

/*
 * The function of the kernel puts a NUL at the end of what it copies. Where it has copied as much as it may,
 * the text may go on: the next byte tells.
 */
static void copy_text(struct bpf_assembler *as, const struct bpf_part *part, struct frame_slot slot)
{
	unsigned room = part->words * WORD;
	unsigned bytes = part->spot.is == BPF_SPOT_HERE && part->spot.bytes < room ? part->spot.bytes : room;
	struct bpf_label whole = { 0 };

	address_text(as, &part->spot, 0);
	emit_address(as, R1, slot);
	emit_set(as, R2, (int32_t)bytes);
	emit_call(as, BPF_FUNC_probe_read_kernel_str);
	emit_jump_if(as, R0, BPF_JNE, (int32_t)bytes, &whole);
	address_text(as, &part->spot, bytes - 1);
	emit_address(as, R1, slot);
	emit_compute_with(as, BPF_ADD, R1, (int32_t)bytes - 1);
	emit_set(as, R2, 1);
	emit_call(as, BPF_FUNC_probe_read_kernel);
	emit_label(as, &whole);
}

void emit_text(struct bpf_assembler *as, const struct bpf_part *part, struct frame_slot slot)
{
	if (part->words == 0 || part->words * WORD != slot.bytes)
		emit_refuse(as, "a text has no room, or another one than its part says");
	emit_clear(as, slot);
	if (part->is == BPF_PART_TEXT) {
		copy_text(as, part, slot);
		return;
	}
	emit_address(as, R1, slot);
	emit_set(as, R2, BPF_COMMAND_BYTES < slot.bytes ? BPF_COMMAND_BYTES : (int32_t)slot.bytes);
	emit_call(as, BPF_FUNC_get_current_comm);
}

size_t bpf_text(const struct bpf_part *part, const uint64_t *words, bool *is_cut)
{
	const char *text = (const char *)words;
	size_t room = part->words * WORD, length = strnlen(text, room);

	*is_cut = length == room && !(part->spot.is == BPF_SPOT_HERE && part->spot.bytes <= room);
	return length - *is_cut;
}

void emit_part(struct bpf_assembler *as, const struct bpf_part *part)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	struct bpf_place place = { 0 };

	switch (part->is) {
	case BPF_PART_CONSTANT:
		emit_set_long(as, R1, part->constant);
		return;
	case BPF_PART_FIELD:
		emit_lack(as, kernel->field(kernel->state, part->name, &place));
		emit_load(as, place.bytes, R1, CTX, place.offsets[0]);
		return;
	case BPF_PART_ARGUMENT:
		emit_argument(as, R1, part->argument);
		if (part->bytes == 4)
			emit_truncate(as, R1, R1);
		return;
	case BPF_PART_MEMBER:
		load_member(as, part);
		return;
	case BPF_PART_CPU:
		emit_call(as, BPF_FUNC_get_smp_processor_id);
		break;
	case BPF_PART_PROCESS:
		emit_process(as);
		return;
	case BPF_PART_THREAD:
		emit_call(as, BPF_FUNC_get_current_pid_tgid);
		emit_truncate(as, R0, R0);
		break;
	case BPF_PART_IDLE:
		load_idle(as);
		return;
	case BPF_PART_CGROUP:
		emit_call(as, BPF_FUNC_get_current_cgroup_id);
		break;
	case BPF_PART_MARKS:
		load_element(as, BPF_MAP_MARKS, as->zero);
		return;
	case BPF_PART_NOTED:
		emit_argument(as, R1, part->argument);
		load_noted(as);
		return;
	case BPF_PART_MAKER:
		load_maker(as, part);
		return;
	case BPF_PART_NUMBER:
		load_number(as, &part->spot);
		return;
	case BPF_PART_TEXT:
	case BPF_PART_COMMAND:
		emit_refuse(as, "a text is used as a number");
		emit_set(as, R1, 0);
		return;
	}
	emit_move(as, R1, R0);
}

static void join(struct bpf_assembler *as, size_t word_at, uint32_t shift)
{
	if (shift > 63)
		emit_refuse(as, "a part of a key is joined beyond its word");
	emit_compute_with(as, BPF_LSH, R1, (int32_t)shift);
	emit_load_slot(as, 8, R2, as->key, word_at);
	emit_compute(as, BPF_OR, R1, R2);
}

/* Into r1; the word of the key so far is at this place. */
static void load_key(struct bpf_assembler *as, unsigned number, size_t word_at)
{
	const struct bpf_part *part = &as->program->keys[number];
	struct bpf_label noted = { 0 }, own = { 0 };

	if (part->is != BPF_PART_MAKER || number == 0) {
		emit_part(as, part);
		return;
	}
	emit_load_slot(as, 8, R1, as->key, word_at);
	emit_jump_if(as, R1, BPF_JNE, 0, &noted);
	emit_process(as);
	emit_jump(as, &own);
	emit_label(as, &noted);
	emit_part(as, part);
	emit_label(as, &own);
}

void emit_key(struct bpf_assembler *as)
{
	size_t word_at = 0, next = 0;

	for (unsigned i = 0; i < as->program->n_keys; i++) {
		const struct bpf_part *part = &as->program->keys[i];

		if (part->words > 0) {
			emit_text(as, part,
				  (struct frame_slot){ as->key.at + (int)next, part->words * WORD });
			next += part->words * WORD;
			continue;
		}
		load_key(as, i, word_at);
		if (part->joins) {
			join(as, word_at, part->shift);
		} else {
			word_at = next;
			next += WORD;
		}
		emit_store_slot(as, 8, as->key, word_at, R1);
	}
}

unsigned bpf_key_words(const struct bpf_program *program)
{
	unsigned words = 0;

	for (unsigned i = 0; i < program->n_keys && i < BPF_KEYS_MAX; i++)
		words += program->keys[i].words > 0 ? program->keys[i].words : !program->keys[i].joins;
	return words;
}

struct frame_slot key_of_start(const struct bpf_assembler *as)
{
	return (struct frame_slot){ as->key.at, bpf_key_words(as->program) * WORD };
}

/* What programs count by key: in a hash, and for keys that come often in slots of their own. */

void emit_bits(struct bpf_assembler *as)
{
	struct bpf_label zero = { 0 };

	emit_move(as, R1, VALUE);
	emit_set(as, R2, 0);
	for (int bits = 32; bits > 0; bits /= 2) {
		struct bpf_label small = { 0 };

		emit_move(as, R3, R1);
		emit_compute_with(as, BPF_RSH, R3, bits);
		emit_jump_if(as, R3, BPF_JEQ, 0, &small);
		emit_compute_with(as, BPF_ADD, R2, bits);
		emit_move(as, R1, R3);
		emit_label(as, &small);
	}
	emit_jump_if(as, R1, BPF_JEQ, 0, &zero);
	emit_compute_with(as, BPF_ADD, R2, 1);
	emit_label(as, &zero);
}

void emit_bucket(struct bpf_assembler *as)
{
	struct bpf_label narrow = { 0 }, below = { 0 };

	emit_bits(as);
	emit_move(as, R1, VALUE);
	emit_jump_if(as, R2, BPF_JLE, HISTOGRAM_SUB_BITS, &narrow);
	emit_compute_with(as, BPF_SUB, R2, HISTOGRAM_SUB_BITS + 1);
	emit_compute(as, BPF_RSH, R1, R2);
	emit_compute_with(as, BPF_LSH, R2, HISTOGRAM_SUB_BITS);
	emit_compute(as, BPF_ADD, R1, R2);
	emit_label(as, &narrow);
	emit_jump_if(as, R1, BPF_JLT, HISTOGRAM_BUCKETS, &below);
	emit_set(as, R1, HISTOGRAM_BUCKETS - 1);
	emit_label(as, &below);
}

uint32_t bpf_slot(const uint64_t *key, unsigned n_words)
{
	uint64_t mixed = 0;

	for (unsigned word = 0; word < n_words; word++)
		mixed = (mixed ^ key[word]) * SLOT_MULTIPLIER;
	return (uint32_t)(mixed >> (64 - BPF_SLOT_BITS));
}

/* bpf_slot() */
void emit_hash(struct bpf_assembler *as, struct frame_slot key, int bits, struct frame_slot slot)
{
	emit_set(as, R1, 0);
	emit_set_long(as, R2, SLOT_MULTIPLIER);
	for (size_t at = 0; at < key.bytes; at += WORD) {
		emit_load_slot(as, 8, R3, key, at);
		emit_compute(as, BPF_XOR, R1, R3);
		emit_compute(as, BPF_MUL, R1, R2);
	}
	emit_compute_with(as, BPF_RSH, R1, 64 - bits);
	emit_store_slot(as, 4, slot, 0, R1);
}

void emit_find_slot(struct bpf_assembler *as, struct bpf_label *found)
{
	struct frame_slot slot;
	struct bpf_label none = { 0 };

	if (as->target->maps[BPF_MAP_SLOTS] < 0)
		return;
	slot = emit_slot(as, 1);
	emit_hash(as, as->key, BPF_SLOT_BITS, slot);
	emit_find(as, BPF_MAP_SLOTS, slot, &none);
	for (size_t at = 0; at < as->key.bytes; at += WORD) {
		emit_load(as, 8, R1, R0, at);
		emit_load_slot(as, 8, R2, as->key, at);
		emit_jump_if_register(as, R1, BPF_JNE, R2, &none);
	}
	emit_compute_with(as, BPF_ADD, R0, (int32_t)as->key.bytes);
	emit_jump(as, found);
	emit_label(as, &none);
}

void emit_keep_most(struct bpf_assembler *as, size_t offset)
{
	struct bpf_label greater = { 0 };

	emit_load(as, 8, R1, R0, offset);
	emit_jump_if_register(as, R1, BPF_JGE, VALUE, &greater);
	emit_store(as, 8, R0, offset, VALUE);
	emit_label(as, &greater);
}

void emit_count_entry(struct bpf_assembler *as, struct bpf_label *none)
{
	struct frame_slot entry = emit_slot(as, sizeof(struct bpf_entry) / WORD);
	struct bpf_label found = { 0 };

	emit_find_slot(as, &found);
	emit_look_up(as, BPF_MAP_ENTRIES, as->key);
	emit_jump_if(as, R0, BPF_JNE, 0, &found);
	emit_clear(as, entry);
	emit_update(as, BPF_MAP_ENTRIES, as->key, entry, BPF_NOEXIST);
	emit_look_up(as, BPF_MAP_ENTRIES, as->key);
	emit_jump_if(as, R0, BPF_JNE, 0, &found);
	emit_count_lost(as);
	emit_jump(as, none);
	emit_label(as, &found);
	emit_set(as, R1, 1);
	emit_atomic(as, BPF_ADD, R0, offsetof(struct bpf_entry, count), R1);
}

void emit_count(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 };

	emit_count_entry(as, &none);
	emit_label(as, &none);
}

void emit_count_value(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 };

	if (as->program->by_log2) { /* its word is the last one of the key */
		emit_bits(as);
		emit_store_slot(as, 8, as->key, as->key.bytes - WORD, R2);
	}
	emit_count_entry(as, &none);
	emit_atomic(as, BPF_ADD, R0, offsetof(struct bpf_entry, sum), VALUE);
	emit_keep_most(as, offsetof(struct bpf_entry, most));
	emit_label(as, &none);
}

/* Most keys are there already: that is cheaper than an update. */
void emit_keep(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 }, kept = { 0 };

	emit_find(as, BPF_MAP_STARTS, key_of_start(as), &none);
	emit_store(as, 8, R0, 0, VALUE);
	emit_jump(as, &kept);
	emit_label(as, &none);
	emit_store_slot(as, 8, as->room, 0, VALUE);
	emit_add(as, BPF_MAP_STARTS, key_of_start(as), as->room, BPF_ANY);
	emit_label(as, &kept);
}

/*
 * What programs of all shapes begin and end with:
 *
 *	struct bpf_self *self;
 *	u64 begun = 0;
 *
 *	if (CHOOSE skips)
 *		return 0;
 *	self = this_cpu(selves);
 *	if (++self->runs % TIMED_RUNS == 0)
 *		begun = ktime_get_ns();
 *	if (!(UNLESS & UNLESS_BITS))
 *		WORK;
 *	if (begun) {
 *		self->timed_ns += ktime_get_ns() - begun;
 *		self->timed_runs++;
 *	}
 *	return 0;
 */

static void begin_timing(struct bpf_assembler *as)
{
	int32_t timed_runs = as->program->does->is_run ? 1 : BPF_TIMED_RUNS;
	struct bpf_label untimed = { 0 };

	emit_count_self(as, offsetof(struct bpf_self, runs));
	emit_set(as, BEGUN, 0);
	emit_compute_with(as, BPF_AND, R1, timed_runs - 1);
	emit_jump_if(as, R1, BPF_JNE, 0, &untimed);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_move(as, BEGUN, R0);
	emit_label(as, &untimed);
	emit_hold(as, BEGUN);
}

static void end_timing(struct bpf_assembler *as)
{
	struct bpf_label untimed = { 0 };

	emit_jump_if(as, BEGUN, BPF_JEQ, 0, &untimed);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_compute(as, BPF_SUB, R0, BEGUN);
	emit_load(as, 8, R1, SELF, offsetof(struct bpf_self, timed_ns));
	emit_compute(as, BPF_ADD, R1, R0);
	emit_store(as, 8, SELF, offsetof(struct bpf_self, timed_ns), R1);
	emit_count_self(as, offsetof(struct bpf_self, timed_runs));
	emit_label(as, &untimed);
}

static bool has_unless(struct bpf_assembler *as)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	const struct bpf_program *program = as->program;
	uint32_t n = 0;

	if (!program->unless_bits || !program->unless.since_later)
		return program->unless_bits != 0;
	emit_lack(as, kernel->arguments(kernel->state, program->tracepoint, &n));
	return program->unless.argument < n;
}

static void work_unless(struct bpf_assembler *as)
{
	struct bpf_label without = { 0 };

	if (has_unless(as)) {
		emit_part(as, &as->program->unless);
		emit_set_long(as, R2, as->program->unless_bits);
		emit_compute(as, BPF_AND, R1, R2);
		emit_jump_if(as, R1, BPF_JNE, 0, &without);
	}
	as->program->does->work(as);
	emit_label(as, &without);
}

/* A slot for the words of its keys, where it has some. */
static void open_key(struct bpf_assembler *as)
{
	const struct bpf_program *program = as->program;
	unsigned n_words = bpf_key_words(program) + program->by_log2;

	if (program->n_keys + program->by_log2 > BPF_KEYS_MAX ||
	    (program->n_keys > 0 && program->keys[0].joins))
		emit_refuse(as, "its key has too many parts, or none to join");
	else if (n_words > 0)
		as->key = emit_slot(as, n_words);
}

int bpf_assemble(struct bpf_code *code, const struct bpf_program *program, const struct bpf_target *target)
{
	struct bpf_assembler as = { .program = program, .target = target };
	struct bpf_label end = { 0 };

	*code = (struct bpf_code){ 0 };
	emit_begin(&as, code);
	as.zero = emit_slot(&as, 1);
	as.room = emit_slot(&as, 1);
	open_key(&as);
	emit_move(&as, CTX, R1);
	emit_hold(&as, CTX);
	if (program->does->choose)
		program->does->choose(&as, &end);
	emit_store_slot_number(&as, as.zero, 0, 0);
	emit_look_up(&as, BPF_MAP_SELF, as.zero);
	emit_jump_if(&as, R0, BPF_JEQ, 0, &end);
	emit_move(&as, SELF, R0);
	emit_hold(&as, SELF);
	begin_timing(&as);
	work_unless(&as);
	end_timing(&as);
	emit_label(&as, &end);
	/* 1 has a tracepoint tell perf events of others, too, and an iterator begin again. */
	emit_set(&as, R0, !program->does->iterates && !program->does->at_code);
	emit_exit(&as);
	emit_end(&as);
	return code->error;
}
