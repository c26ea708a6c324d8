/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of keys and values, from where the program runs. */
#include <config.h>

#include "sys/bpf/parts.h"

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

/* Only this program on this CPU writes there, and it does not interrupt itself. */
void emit_count_self(struct bpf_assembler *as, size_t field)
{
	emit_load(as, 8, R1, SELF, field);
	emit_compute_with(as, BPF_ADD, R1, 1);
	emit_store(as, 8, SELF, field, R1);
}

void emit_member_of(struct bpf_assembler *as, uint32_t bytes, int to, int base, const char *way)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	struct bpf_place place = { .n = 1 };
	int error = kernel->member(kernel->state, way, &place);

	bytes = bytes ? bytes : place.bytes;
	if (!error && (place.n != 1 || bytes == 0))
		error = -ENODATA;
	if (error)
		emit_lack(as, error);
	emit_load(as, bytes, to, base, place.offsets[0]);
}

void emit_member(struct bpf_assembler *as, int to, int base, const char *way)
{
	emit_member_of(as, 0, to, base, way);
}

void emit_command(struct bpf_assembler *as, struct frame_slot command, unsigned word, int task)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	struct bpf_place place = { .n = 1 };
	int error = kernel->member(kernel->state, "task_struct.comm", &place);

	if (error || place.n != 1)
		emit_lack(as, error ? error : -ENODATA);
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
	int error = kernel->member(kernel->state, way, &place);

	if (error)
		emit_lack(as, error);
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
	int error;

	if (part->absent_with && kernel->member(kernel->state, part->absent_with, &place) == 0) {
		as->code->lacks = true;
		emit_set_long(as, R1, 0);
		return;
	}
	error = find_member(kernel, part, &place);
	if (error)
		emit_lack(as, error);
	emit_argument(as, R3, part->argument);
	emit_jump_if(as, R3, BPF_JEQ, 0, &none); /* of some arguments the verifier wants to see it */
	for (unsigned i = 0; i < place.n; i++)
		follow(as, i + 1 < place.n ? sizeof(void *) : place.bytes, place.offsets[i]);
	emit_label(as, &none);
	emit_move(as, R1, R3);
}

static void load_field(struct bpf_assembler *as, const struct bpf_part *part)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	struct bpf_place place = { 0 };
	int error = kernel->field(kernel->state, part->name, &place);

	if (error)
		emit_lack(as, error);
	emit_load(as, place.bytes, R1, CTX, place.offsets[0]);
}

static void load_marks(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 };

	emit_look_up(as, BPF_MAP_MARKS, as->zero);
	emit_set(as, R1, 0);
	emit_jump_if(as, R0, BPF_JEQ, 0, &none);
	emit_load(as, 8, R1, R0, 0);
	emit_label(as, &none);
}

/* In r1 the number under which it was kept, then what was. */
static void load_noted(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 };

	emit_store_slot(as, 8, as->room, 0, R1);
	emit_look_up(as, BPF_MAP_STARTS, as->room);
	emit_set(as, R1, 0);
	emit_jump_if(as, R0, BPF_JEQ, 0, &none);
	emit_load(as, 8, R1, R0, 0);
	emit_label(as, &none);
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

/* Its lowest bytes, with their sign. */
static void take_lowest(struct bpf_assembler *as, const struct bpf_spot *spot)
{
	int32_t above = WORD * 8 - spot->value_bytes * 8;

	if (above == 0 || (!spot->is_signed && spot->value_bytes == spot->bytes))
		return;
	emit_compute_with(as, BPF_LSH, R1, above);
	emit_compute_with(as, spot->is_signed ? BPF_ARSH : BPF_RSH, R1, above);
}

/* r3 = what is at this offset of the record; to programs its first bytes are closed. */
static void address_record(struct bpf_assembler *as, uint16_t offset)
{
	emit_move(as, R3, CTX);
	emit_compute_with(as, BPF_ADD, R3, offset);
}

/* The kernel lets a program load only what is aligned. */
static void load_number(struct bpf_assembler *as, const struct bpf_spot *spot)
{
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
	take_lowest(as, spot);
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

/* What is copied of a text, at most. */
static unsigned text_bytes(const struct bpf_part *part)
{
	unsigned room = part->words * WORD;

	return part->spot.is == BPF_SPOT_HERE && part->spot.bytes < room ? part->spot.bytes : room;
}

/*
 * The function of the kernel puts a NUL at the end of what it copies. Where it has copied as much as it may,
 * the text may go on: the next byte tells.
 */
static void copy_text(struct bpf_assembler *as, const struct bpf_part *part, struct frame_slot slot)
{
	unsigned bytes = text_bytes(part);
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
	for (size_t at = 0; at < slot.bytes; at += WORD)
		emit_store_slot_number(as, slot, at, 0);
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
	switch (part->is) {
	case BPF_PART_CONSTANT:
		emit_set_long(as, R1, part->constant);
		return;
	case BPF_PART_FIELD:
		load_field(as, part);
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
		load_marks(as);
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
