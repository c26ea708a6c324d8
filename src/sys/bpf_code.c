/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The assembler. r6 is the context, r7 the program's struct bpf_self, r8 its start where this run is timed,
 * r9 the value; r0 to r5 last until the next call.
 */
#include <config.h>

#include "sys/bpf_code.h"

#include <asm/unistd.h>
#include <errno.h>

#define WORD 8
#define ZERO_AT (-WORD)                          /* the only key of arrays */
#define ROOM_AT (ZERO_AT - WORD)                 /* for one word */
#define ENTRY_AT (ROOM_AT - 3 * WORD)            /* a new entry */
#define KEYS_AT (ENTRY_AT - BPF_KEYS_MAX * WORD) /* the words of the key, upwards */

#define SLOT_AT ENTRY_AT /* the number of one */
#define PHASES_AT ENTRY_AT          /* their address … */
#define MIDDLE_AT (ENTRY_AT + WORD) /* … and when the second began */
#define LENGTH_AT ENTRY_AT
#define RECORD_AT (ENTRY_AT + WORD)

#define TIMES_WORDS ((int)(sizeof(struct bpf_times) / WORD))
#define TIMES_AT (KEYS_AT - TIMES_WORDS * WORD) /* new ones */
#define TASK_AT ENTRY_AT
#define OTHERS_MAX 3

#define CTX BPF_REG_6
#define SELF BPF_REG_7
#define BEGUN BPF_REG_8
#define VALUE BPF_REG_9
#define FRAME BPF_REG_10

static void put(struct bpf_code *code, int operation, int to, int from, int offset, int32_t number)
{
	if (code->count == BPF_CODE_MAX) {
		code->failed = true;
		return;
	}
	code->insns[code->count++] = (struct bpf_insn){
		.code = (uint8_t)operation,
		.dst_reg = (uint8_t)(to & 15),
		.src_reg = (uint8_t)(from & 15),
		.off = (int16_t)offset,
		.imm = number,
	};
}

static void move(struct bpf_code *code, int to, int from)
{
	put(code, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

static void set(struct bpf_code *code, int to, int32_t number)
{
	put(code, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number);
}

static void compute(struct bpf_code *code, int operation, int to, int from)
{
	put(code, BPF_ALU64 | operation | BPF_X, to, from, 0, 0);
}

static void compute_with(struct bpf_code *code, int operation, int to, int32_t number)
{
	put(code, BPF_ALU64 | operation | BPF_K, to, 0, 0, number);
}

static void load(struct bpf_code *code, uint32_t bytes, int to, int base, int offset)
{
	int size = bytes == 8 ? BPF_DW : bytes == 4 ? BPF_W : bytes == 2 ? BPF_H : BPF_B;

	if (bytes != 8 && bytes != 4 && bytes != 2 && bytes != 1)
		code->failed = true;
	put(code, BPF_LDX | BPF_MEM | size, to, base, offset, 0);
}

static void store(struct bpf_code *code, int base, int offset, int from)
{
	put(code, BPF_STX | BPF_MEM | BPF_DW, base, from, offset, 0);
}

static void store_half(struct bpf_code *code, int base, int offset, int from)
{
	put(code, BPF_STX | BPF_MEM | BPF_W, base, from, offset, 0);
}

static void store_number(struct bpf_code *code, int base, int offset, int32_t number)
{
	put(code, BPF_ST | BPF_MEM | BPF_DW, base, 0, offset, number);
}

static void call(struct bpf_code *code, int function)
{
	put(code, BPF_JMP | BPF_CALL, 0, 0, 0, function);
}

static void call_kernel(struct bpf_code *code, uint32_t function)
{
	put(code, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, (int32_t)function);
}

/* A jump forward if the register compares so with number; land() says where to. */
static unsigned jump(struct bpf_code *code, int compare, int one, int32_t number)
{
	put(code, BPF_JMP | compare | BPF_K, one, 0, 0, number);
	return code->count - 1;
}

static unsigned jump_with(struct bpf_code *code, int compare, int one, int other)
{
	put(code, BPF_JMP | compare | BPF_X, one, other, 0, 0);
	return code->count - 1;
}

static void land(struct bpf_code *code, unsigned from)
{
	if (!code->failed)
		code->insns[from].off = (int16_t)(code->count - from - 1);
}

static void jump_back(struct bpf_code *code, unsigned to)
{
	put(code, BPF_JMP | BPF_JA, 0, 0, (int)to - (int)code->count - 1, 0);
}

static void load_number(struct bpf_code *code, int to, uint64_t number)
{
	put(code, BPF_LD | BPF_DW | BPF_IMM, to, 0, 0, (int32_t)(uint32_t)number);
	put(code, 0, 0, 0, 0, (int32_t)(uint32_t)(number >> 32));
}

/* The address of the first value of an array. */
static void load_first_value(struct bpf_code *code, int to, int map)
{
	put(code, BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_VALUE, 0, map);
	put(code, 0, 0, 0, 0, 0);
}

static void load_map(struct bpf_code *code, int map)
{
	put(code, BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map);
	put(code, 0, 0, 0, 0, 0);
}

static void load_address(struct bpf_code *code, int to, int offset)
{
	move(code, to, FRAME);
	compute_with(code, BPF_ADD, to, offset);
}

/* r0: the element with the key at this place of the frame, or NULL. */
static void look_up(struct bpf_code *code, int map, int key_at)
{
	load_map(code, map);
	load_address(code, BPF_REG_2, key_at);
	call(code, BPF_FUNC_map_lookup_elem);
}

/* r0: 0, or negative. */
static void update(struct bpf_code *code, int map, int value_at, int flags)
{
	load_map(code, map);
	load_address(code, BPF_REG_2, KEYS_AT);
	load_address(code, BPF_REG_3, value_at);
	set(code, BPF_REG_4, flags);
	call(code, BPF_FUNC_map_update_elem);
}

/* Only this program on this CPU writes there, and it does not interrupt itself. */
static void add_to_self(struct bpf_code *code, size_t field)
{
	load(code, 8, BPF_REG_1, SELF, (int)field);
	compute_with(code, BPF_ADD, BPF_REG_1, 1);
	store(code, SELF, (int)field, BPF_REG_1);
}

/* Through a pointer that leads nowhere 0 is loaded. */
static void load_member(struct bpf_code *code, const struct bpf_shape *shape, const struct bpf_part *part)
{
	unsigned none;

	load(code, 8, BPF_REG_3, CTX, (int)part->offset * WORD);
	none = jump(code, BPF_JEQ, BPF_REG_3, 0); /* of some arguments the verifier wants to see it */
	if (part->n_path == 0 || part->n_path > BPF_PATH_MAX)
		code->failed = true;
	for (unsigned i = 0; i < part->n_path && i < BPF_PATH_MAX; i++) {
		uint32_t bytes = i + 1 < part->n_path ? sizeof(void *) : part->bytes;

		if (shape->typed) {
			load(code, bytes, BPF_REG_3, BPF_REG_3, (int)part->path[i]);
			continue;
		}
		compute_with(code, BPF_ADD, BPF_REG_3, (int32_t)part->path[i]);
		store_number(code, FRAME, ROOM_AT, 0);
		load_address(code, BPF_REG_1, ROOM_AT);
		set(code, BPF_REG_2, (int32_t)bytes);
		call(code, BPF_FUNC_probe_read_kernel);
		load(code, bytes, BPF_REG_3, FRAME, ROOM_AT);
	}
	land(code, none);
	move(code, BPF_REG_1, BPF_REG_3);
}

static void load_marks(struct bpf_code *code, int marks)
{
	unsigned none;

	look_up(code, marks, ZERO_AT);
	set(code, BPF_REG_1, 0);
	none = jump(code, BPF_JEQ, BPF_REG_0, 0);
	load(code, 8, BPF_REG_1, BPF_REG_0, 0);
	land(code, none);
}

/* In r1 the number under which it was kept, then what was. */
static void load_noted(struct bpf_code *code, int notes)
{
	unsigned none;

	store(code, FRAME, ROOM_AT, BPF_REG_1);
	look_up(code, notes, ROOM_AT);
	set(code, BPF_REG_1, 0);
	none = jump(code, BPF_JEQ, BPF_REG_0, 0);
	load(code, 8, BPF_REG_1, BPF_REG_0, 0);
	land(code, none);
}

static void load_process(struct bpf_code *code)
{
	call(code, BPF_FUNC_get_current_pid_tgid);
	compute_with(code, BPF_RSH, BPF_REG_0, 32);
	move(code, BPF_REG_1, BPF_REG_0);
}

static void load_maker(struct bpf_code *code, const struct bpf_shape *shape, const struct bpf_part *part)
{
	unsigned noted;

	load_member(code, shape, part);
	load_noted(code, shape->starts);
	noted = jump(code, BPF_JNE, BPF_REG_1, 0);
	load_process(code);
	land(code, noted);
}

/* Into r1. */
static void load_part(struct bpf_code *code, const struct bpf_shape *shape, const struct bpf_part *part)
{
	unsigned busy;

	switch (part->is) {
	case BPF_PART_CONSTANT:
		load_number(code, BPF_REG_1, part->constant);
		return;
	case BPF_PART_FIELD:
		load(code, part->bytes, BPF_REG_1, CTX, (int)part->offset);
		return;
	case BPF_PART_ARGUMENT:
		load(code, 8, BPF_REG_1, CTX, (int)part->offset * WORD);
		if (part->bytes == 4)
			put(code, BPF_ALU | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_1, 0, 0);
		return;
	case BPF_PART_MEMBER:
		load_member(code, shape, part);
		return;
	case BPF_PART_CPU:
		call(code, BPF_FUNC_get_smp_processor_id);
		break;
	case BPF_PART_PROCESS:
		load_process(code);
		return;
	case BPF_PART_THREAD:
		call(code, BPF_FUNC_get_current_pid_tgid);
		put(code, BPF_ALU | BPF_MOV | BPF_X, BPF_REG_0, BPF_REG_0, 0, 0);
		break;
	case BPF_PART_IDLE:
		call(code, BPF_FUNC_get_current_pid_tgid);
		set(code, BPF_REG_1, 0);
		busy = jump(code, BPF_JNE, BPF_REG_0, 0);
		set(code, BPF_REG_1, 1);
		land(code, busy);
		return;
	case BPF_PART_CGROUP:
		call(code, BPF_FUNC_get_current_cgroup_id);
		break;
	case BPF_PART_MARKS:
		load_marks(code, shape->marks);
		return;
	case BPF_PART_NOTED:
		load(code, 8, BPF_REG_1, CTX, (int)part->offset * WORD);
		load_noted(code, shape->starts);
		return;
	case BPF_PART_MAKER:
		load_maker(code, shape, part);
		return;
	}
	move(code, BPF_REG_1, BPF_REG_0);
}

static void join(struct bpf_code *code, int word_at, uint32_t shift)
{
	if (shift > 63)
		code->failed = true;
	compute_with(code, BPF_LSH, BPF_REG_1, (int32_t)shift);
	load(code, 8, BPF_REG_2, FRAME, word_at);
	compute(code, BPF_OR, BPF_REG_1, BPF_REG_2);
}

/* Into r1; the word of the key so far is at this place. */
static void load_key(struct bpf_code *code, const struct bpf_shape *shape, unsigned number, int word_at)
{
	const struct bpf_part *part = &shape->keys[number];
	bool asks = part->is == BPF_PART_MAKER && number > 0;
	unsigned noted, own = 0;

	if (asks) {
		load(code, 8, BPF_REG_1, FRAME, word_at);
		noted = jump(code, BPF_JNE, BPF_REG_1, 0);
		load_process(code);
		own = jump(code, BPF_JA, 0, 0);
		land(code, noted);
	}
	load_part(code, shape, part);
	if (asks)
		land(code, own);
}

static void store_keys(struct bpf_code *code, const struct bpf_shape *shape)
{
	int word_at = KEYS_AT - WORD;

	if (shape->n_keys + shape->by_log2 > BPF_KEYS_MAX || shape->n_keys == 0 || shape->keys[0].joins)
		code->failed = true;
	for (unsigned i = 0; i < shape->n_keys && i < BPF_KEYS_MAX; i++) {
		load_key(code, shape, i, word_at);
		if (shape->keys[i].joins)
			join(code, word_at, shape->keys[i].shift);
		else
			word_at += WORD;
		store(code, FRAME, word_at, BPF_REG_1);
	}
}

/* r2: the number of bits of the value, 0 for 0. */
static void count_bits(struct bpf_code *code)
{
	unsigned zero;

	move(code, BPF_REG_1, VALUE);
	set(code, BPF_REG_2, 0);
	for (int bits = 32; bits > 0; bits /= 2) {
		unsigned small;

		move(code, BPF_REG_3, BPF_REG_1);
		compute_with(code, BPF_RSH, BPF_REG_3, bits);
		small = jump(code, BPF_JEQ, BPF_REG_3, 0);
		compute_with(code, BPF_ADD, BPF_REG_2, bits);
		move(code, BPF_REG_1, BPF_REG_3);
		land(code, small);
	}
	zero = jump(code, BPF_JEQ, BPF_REG_1, 0);
	compute_with(code, BPF_ADD, BPF_REG_2, 1);
	land(code, zero);
}

/* r1: histogram_index() of the value. */
static void find_bucket(struct bpf_code *code)
{
	unsigned narrow, below;

	count_bits(code);
	move(code, BPF_REG_1, VALUE);
	narrow = jump(code, BPF_JLE, BPF_REG_2, HISTOGRAM_SUB_BITS);
	compute_with(code, BPF_SUB, BPF_REG_2, HISTOGRAM_SUB_BITS + 1);
	compute(code, BPF_RSH, BPF_REG_1, BPF_REG_2);
	compute_with(code, BPF_LSH, BPF_REG_2, HISTOGRAM_SUB_BITS);
	compute(code, BPF_ADD, BPF_REG_1, BPF_REG_2);
	land(code, narrow);
	below = jump(code, BPF_JLT, BPF_REG_1, HISTOGRAM_BUCKETS);
	set(code, BPF_REG_1, HISTOGRAM_BUCKETS - 1);
	land(code, below);
}

static int words_of(const struct bpf_shape *shape)
{
	int words = 0;

	for (unsigned i = 0; i < shape->n_keys; i++)
		words += !shape->keys[i].joins;
	return words;
}

static void store_class(struct bpf_code *code, const struct bpf_shape *shape)
{
	int at = KEYS_AT + words_of(shape) * WORD;

	if (shape->by_log2) {
		count_bits(code);
		store(code, FRAME, at, BPF_REG_2);
	}
}

#define SLOT_MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

uint32_t bpf_slot(const uint64_t *key, unsigned n_words)
{
	uint64_t mixed = 0;

	for (unsigned word = 0; word < n_words; word++)
		mixed = (mixed ^ key[word]) * SLOT_MULTIPLIER;
	return (uint32_t)(mixed >> (64 - BPF_SLOT_BITS));
}

/* The number of the slot of the key, of as many as have these bits. */
static void store_slot(struct bpf_code *code, int words, int bits)
{
	set(code, BPF_REG_1, 0);
	load_number(code, BPF_REG_2, SLOT_MULTIPLIER);
	for (int word = 0; word < words; word++) {
		load(code, 8, BPF_REG_3, FRAME, KEYS_AT + word * WORD);
		compute(code, BPF_XOR, BPF_REG_1, BPF_REG_3);
		compute(code, BPF_MUL, BPF_REG_1, BPF_REG_2);
	}
	compute_with(code, BPF_RSH, BPF_REG_1, 64 - bits);
	store_half(code, FRAME, SLOT_AT, BPF_REG_1);
}

/* Jumps where the key has its slot, with the address of its entry in r0. */
static unsigned find_slot(struct bpf_code *code, const struct bpf_shape *shape)
{
	int words = code->failed ? 0 : words_of(shape) + shape->by_log2;
	unsigned others[BPF_KEYS_MAX], none, found;

	store_slot(code, words, BPF_SLOT_BITS);
	look_up(code, shape->slots, SLOT_AT);
	none = jump(code, BPF_JEQ, BPF_REG_0, 0);
	for (int word = 0; word < words; word++) {
		load(code, 8, BPF_REG_1, BPF_REG_0, word * WORD);
		load(code, 8, BPF_REG_2, FRAME, KEYS_AT + word * WORD);
		others[word] = jump_with(code, BPF_JNE, BPF_REG_1, BPF_REG_2);
	}
	compute_with(code, BPF_ADD, BPF_REG_0, words * WORD);
	found = jump(code, BPF_JA, 0, 0);
	land(code, none);
	for (int word = 0; word < words; word++)
		land(code, others[word]);
	return found;
}

static void add_atomically(struct bpf_code *code, int base, size_t offset, int from)
{
	put(code, BPF_STX | BPF_ATOMIC | BPF_DW, base, from, (int)offset, BPF_ADD);
}

/* Of the value and what is there, from r0 on. */
static void keep_most(struct bpf_code *code, size_t offset)
{
	unsigned greater;

	load(code, 8, BPF_REG_1, BPF_REG_0, (int)offset);
	greater = jump_with(code, BPF_JGE, BPF_REG_1, VALUE);
	store(code, BPF_REG_0, (int)offset, VALUE);
	land(code, greater);
}

static void count_value(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned found, made, done, has_slot = 0;

	store_class(code, shape);
	if (shape->has_slots)
		has_slot = find_slot(code, shape);
	look_up(code, shape->entries, KEYS_AT);
	found = jump(code, BPF_JNE, BPF_REG_0, 0);
	for (int word = 0; word < 3; word++)
		store_number(code, FRAME, ENTRY_AT + word * WORD, 0);
	update(code, shape->entries, ENTRY_AT, BPF_NOEXIST);
	look_up(code, shape->entries, KEYS_AT);
	made = jump(code, BPF_JNE, BPF_REG_0, 0);
	add_to_self(code, offsetof(struct bpf_self, lost));
	done = jump(code, BPF_JA, 0, 0);
	land(code, found);
	land(code, made);
	if (shape->has_slots)
		land(code, has_slot);
	set(code, BPF_REG_1, 1);
	add_atomically(code, BPF_REG_0, offsetof(struct bpf_entry, count), BPF_REG_1);
	add_atomically(code, BPF_REG_0, offsetof(struct bpf_entry, sum), VALUE);
	keep_most(code, offsetof(struct bpf_entry, most));
	land(code, done);
}

/* The value under the key. Most keys are there already: that is cheaper than an update. */
static void keep(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned none, known, made;

	look_up(code, shape->starts, KEYS_AT);
	none = jump(code, BPF_JEQ, BPF_REG_0, 0);
	store(code, BPF_REG_0, 0, VALUE);
	known = jump(code, BPF_JA, 0, 0);
	land(code, none);
	store(code, FRAME, ROOM_AT, VALUE);
	update(code, shape->starts, ROOM_AT, BPF_ANY);
	made = jump(code, BPF_JEQ, BPF_REG_0, 0);
	add_to_self(code, offsetof(struct bpf_self, lost));
	land(code, made);
	land(code, known);
}

/* r0: the slot of the key, or NULL. */
static void find_start_slot(struct bpf_code *code, const struct bpf_shape *shape)
{
	store_slot(code, 1, BPF_START_SLOT_BITS);
	look_up(code, shape->start_slots, SLOT_AT);
}

/* As keep(), in its slot, unless another key has that. */
static void keep_in_slot(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned none, taken, others, kept;

	find_start_slot(code, shape);
	none = jump(code, BPF_JEQ, BPF_REG_0, 0);
	move(code, BPF_REG_3, BPF_REG_0);
	set(code, BPF_REG_0, 0);
	load(code, 8, BPF_REG_2, FRAME, KEYS_AT);
	put(code, BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_3, BPF_REG_2, 0, BPF_CMPXCHG);
	taken = jump(code, BPF_JEQ, BPF_REG_0, 0);
	others = jump_with(code, BPF_JNE, BPF_REG_0, BPF_REG_2);
	land(code, taken);
	store(code, BPF_REG_3, WORD, VALUE);
	kept = jump(code, BPF_JA, 0, 0);
	land(code, none);
	land(code, others);
	keep(code, shape);
	land(code, kept);
}

static void start(struct bpf_code *code, const struct bpf_shape *shape)
{
	store_keys(code, shape);
	call(code, BPF_FUNC_ktime_get_ns);
	move(code, VALUE, BPF_REG_0);
	if (shape->phases)
		keep_in_slot(code, shape);
	else
		keep(code, shape);
}

/*
 * A key without a start began before panetop did; a second stop has lost its start, unless a start may have
 * several.
 */
static void stop(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned unknown, begun, lost;

	if (shape->begins_elsewhere) {
		load_part(code, shape, &shape->begun);
		store(code, FRAME, KEYS_AT, BPF_REG_1);
	} else {
		store_keys(code, shape);
	}
	look_up(code, shape->starts, KEYS_AT);
	unknown = jump(code, BPF_JEQ, BPF_REG_0, 0);
	load(code, 8, VALUE, BPF_REG_0, 0);
	store_number(code, BPF_REG_0, 0, 0);
	begun = jump(code, BPF_JNE, VALUE, 0);
	if (!shape->begins_elsewhere)
		add_to_self(code, offsetof(struct bpf_self, lost));
	lost = jump(code, BPF_JA, 0, 0);
	land(code, begun);
	if (shape->begins_elsewhere)
		store_keys(code, shape);
	call(code, BPF_FUNC_ktime_get_ns);
	compute(code, BPF_SUB, BPF_REG_0, VALUE);
	move(code, VALUE, BPF_REG_0);
	count_value(code, shape);
	land(code, unknown);
	land(code, lost);
}

/* The value: when the second phase began. Jumps where that is not known. */
static void load_middle(struct bpf_code *code, const struct bpf_shape *shape, unsigned unknown[2])
{
	unsigned known, none, others, has_slot;

	load_part(code, shape, &shape->middle);
	move(code, VALUE, BPF_REG_1);
	known = jump(code, BPF_JNE, VALUE, 0);
	load_part(code, shape, &shape->begun);
	store(code, FRAME, KEYS_AT, BPF_REG_1);
	find_start_slot(code, shape);
	none = jump(code, BPF_JEQ, BPF_REG_0, 0);
	load(code, 8, BPF_REG_1, BPF_REG_0, 0);
	load(code, 8, BPF_REG_2, FRAME, KEYS_AT);
	others = jump_with(code, BPF_JNE, BPF_REG_1, BPF_REG_2);
	load(code, 8, VALUE, BPF_REG_0, WORD);
	store_number(code, BPF_REG_0, 0, 0);
	has_slot = jump(code, BPF_JA, 0, 0);
	land(code, none);
	land(code, others);
	look_up(code, shape->starts, KEYS_AT);
	unknown[0] = jump(code, BPF_JEQ, BPF_REG_0, 0);
	load(code, 8, VALUE, BPF_REG_0, 0);
	store_number(code, BPF_REG_0, 0, 0);
	unknown[1] = jump(code, BPF_JEQ, VALUE, 0);
	land(code, has_slot);
	land(code, known);
}

/* The address of those of the key to r0 and PHASES_AT; jumps where there is none. A new key has the next. */
static void find_phases(struct bpf_code *code, const struct bpf_shape *shape, unsigned none[3])
{
	unsigned has_slot = 0, found;

	if (shape->has_slots)
		has_slot = find_slot(code, shape);
	look_up(code, shape->entries, KEYS_AT);
	found = jump(code, BPF_JNE, BPF_REG_0, 0);
	look_up(code, shape->numbers, ZERO_AT);
	none[0] = jump(code, BPF_JEQ, BPF_REG_0, 0);
	set(code, BPF_REG_1, 1);
	put(code, BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_0, BPF_REG_1, 0, BPF_ADD | BPF_FETCH);
	store(code, FRAME, ROOM_AT, BPF_REG_1);
	update(code, shape->entries, ROOM_AT, BPF_NOEXIST);
	look_up(code, shape->entries, KEYS_AT);
	none[1] = jump(code, BPF_JEQ, BPF_REG_0, 0);
	land(code, found);
	if (shape->has_slots)
		land(code, has_slot);
	load(code, 8, BPF_REG_1, BPF_REG_0, 0);
	store(code, FRAME, ROOM_AT, BPF_REG_1);
	look_up(code, shape->histograms, ROOM_AT);
	none[2] = jump(code, BPF_JEQ, BPF_REG_0, 0);
	store(code, FRAME, PHASES_AT, BPF_REG_0);
}

/* Of the value. */
static void count_phase(struct bpf_code *code, enum bpf_phase phase)
{
	unsigned forward = jump(code, BPF_JSGE, VALUE, 0);

	set(code, VALUE, 0); /* its ends were read from clocks of two CPUs, or from one that stood still */
	land(code, forward);
	find_bucket(code);
	load(code, 8, BPF_REG_0, FRAME, PHASES_AT);
	compute_with(code, BPF_LSH, BPF_REG_1, 3);
	compute(code, BPF_ADD, BPF_REG_1, BPF_REG_0);
	set(code, BPF_REG_2, 1);
	add_atomically(code, BPF_REG_1, offsetof(struct bpf_phases, buckets[phase]), BPF_REG_2);
	add_atomically(code, BPF_REG_0, offsetof(struct bpf_phases, sum[phase]), VALUE);
	keep_most(code, offsetof(struct bpf_phases, most[phase]));
}

static void stop_phases(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned unknown[2], none[3], counted, only_second, some;

	load_part(code, shape, &shape->whole);
	move(code, VALUE, BPF_REG_1);
	load_part(code, shape, &shape->done);
	some = jump_with(code, BPF_JLT, BPF_REG_1, VALUE);
	load_middle(code, shape, unknown);
	store_keys(code, shape);
	find_phases(code, shape, none);
	store(code, FRAME, MIDDLE_AT, VALUE);
	call(code, BPF_FUNC_ktime_get_ns);
	compute(code, BPF_SUB, BPF_REG_0, VALUE);
	move(code, VALUE, BPF_REG_0);
	count_phase(code, BPF_PHASE_SECOND);
	load_part(code, shape, &shape->value);
	only_second = jump(code, BPF_JEQ, BPF_REG_1, 0);
	load(code, 8, VALUE, FRAME, MIDDLE_AT);
	compute(code, BPF_SUB, VALUE, BPF_REG_1);
	count_phase(code, BPF_PHASE_FIRST);
	counted = jump(code, BPF_JA, 0, 0);
	for (int way = 0; way < 3; way++)
		land(code, none[way]);
	add_to_self(code, offsetof(struct bpf_self, lost));
	land(code, only_second);
	land(code, counted);
	land(code, unknown[0]);
	land(code, unknown[1]);
	land(code, some);
}

static void note(struct bpf_code *code, const struct bpf_shape *shape)
{
	load_part(code, shape, &shape->value);
	move(code, VALUE, BPF_REG_1);
	store_keys(code, shape);
	keep(code, shape);
}

static void mark(struct bpf_code *code, const struct bpf_shape *shape)
{
	bool sets = shape->does == BPF_MARK;
	unsigned none;

	load_part(code, shape, &shape->value);
	compute_with(code, BPF_ADD, BPF_REG_1, (int32_t)shape->first_bit);
	compute_with(code, BPF_AND, BPF_REG_1, 63);
	set(code, VALUE, 1);
	compute(code, BPF_LSH, VALUE, BPF_REG_1);
	if (!sets)
		compute_with(code, BPF_XOR, VALUE, -1);
	look_up(code, shape->marks, ZERO_AT);
	none = jump(code, BPF_JEQ, BPF_REG_0, 0);
	load(code, 8, BPF_REG_1, BPF_REG_0, 0);
	compute(code, sets ? BPF_OR : BPF_AND, BPF_REG_1, VALUE);
	store(code, BPF_REG_0, 0, BPF_REG_1);
	land(code, none);
}

/* Reads what is in memory: nothing is paged in. */
static void copy_text(struct bpf_code *code)
{
	unsigned copied, short_enough;

	load(code, 8, BPF_REG_2, FRAME, LENGTH_AT);
	store_half(code, BPF_REG_0, offsetof(struct bpf_record, text_bytes), BPF_REG_2);
	short_enough = jump(code, BPF_JLE, BPF_REG_2, BPF_TEXT_MAX);
	set(code, BPF_REG_2, BPF_TEXT_MAX);
	land(code, short_enough);
	store(code, FRAME, LENGTH_AT, BPF_REG_2);
	store_half(code, BPF_REG_0, offsetof(struct bpf_record, copied_bytes), BPF_REG_2);
	move(code, BPF_REG_1, BPF_REG_0);
	compute_with(code, BPF_ADD, BPF_REG_1, BPF_RECORD_HEAD);
	move(code, BPF_REG_3, VALUE);
	call(code, BPF_FUNC_probe_read_user);
	copied = jump(code, BPF_JEQ, BPF_REG_0, 0);
	set(code, BPF_REG_2, 0);
	store(code, FRAME, LENGTH_AT, BPF_REG_2);
	load(code, 8, BPF_REG_1, FRAME, RECORD_AT);
	store_half(code, BPF_REG_1, offsetof(struct bpf_record, copied_bytes), BPF_REG_2);
	land(code, copied);
}

/* A CPU without a ring is not of interest; a full one has lost the record. */
static void send_record(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned too_long, sent, no_ring;

	load(code, 8, BPF_REG_5, FRAME, LENGTH_AT);
	too_long = jump(code, BPF_JGT, BPF_REG_5, BPF_TEXT_MAX); /* never: the verifier wants to see it */
	compute_with(code, BPF_ADD, BPF_REG_5, BPF_RECORD_HEAD);
	load(code, 8, BPF_REG_4, FRAME, RECORD_AT);
	load_number(code, BPF_REG_3, BPF_F_CURRENT_CPU);
	load_map(code, shape->rings);
	move(code, BPF_REG_2, BPF_REG_1);
	move(code, BPF_REG_1, CTX);
	call(code, BPF_FUNC_perf_event_output);
	sent = jump(code, BPF_JEQ, BPF_REG_0, 0);
	no_ring = jump(code, BPF_JEQ, BPF_REG_0, -ENOENT);
	add_to_self(code, offsetof(struct bpf_self, lost));
	land(code, sent);
	land(code, no_ring);
	land(code, too_long);
}

static void record(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned none;

	load_part(code, shape, &shape->value);
	move(code, VALUE, BPF_REG_1);
	load_part(code, shape, &shape->end);
	compute(code, BPF_SUB, BPF_REG_1, VALUE);
	store(code, FRAME, LENGTH_AT, BPF_REG_1);
	look_up(code, shape->records, ZERO_AT);
	none = jump(code, BPF_JEQ, BPF_REG_0, 0);
	store(code, FRAME, RECORD_AT, BPF_REG_0);
	copy_text(code);
	send_record(code, shape);
	land(code, none);
}

static void count(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned negative = 0;

	load_part(code, shape, &shape->value);
	move(code, VALUE, BPF_REG_1);
	if (shape->positive) {
		compute_with(code, BPF_LSH, BPF_REG_1, 32);
		negative = jump(code, BPF_JSLE, BPF_REG_1, 0);
	}
	store_keys(code, shape);
	count_value(code, shape);
	if (shape->positive)
		land(code, negative);
}

/* From include/linux/sched.h of Linux 6.18; the values have been the same since 4.14. */
#define TASK_INTERRUPTIBLE 0x1
#define TASK_DEAD 0x80
#define TASK_NOLOAD 0x400 /* an idle kernel thread */
#define PF_KTHREAD 0x200000

/* Arguments of sched_switch. */
enum { PREVIOUS = 1, NEXT };

static unsigned jump_if_any(struct bpf_code *code, int one, int32_t bits)
{
	put(code, BPF_JMP | BPF_JSET | BPF_K, one, 0, 0, bits);
	return code->count - 1;
}

/* In to: the task. */
static void load_task(struct bpf_code *code, int to)
{
	load(code, 8, to, FRAME, TASK_AT);
}

static void load_of_task(struct bpf_code *code, int to, uint32_t bytes, uint32_t offset)
{
	load_task(code, to);
	load(code, bytes, to, to, (int)offset);
}

/* Only programs of users wait in system calls. LOCK or SLEEP. */
static void set_sleep(struct bpf_code *code, const struct bpf_task_layout *layout)
{
	static const int32_t calls[] = {
#ifdef __NR_futex
		__NR_futex,
#endif
#ifdef __NR_futex_time64
		__NR_futex_time64,
#endif
		449, 455, /* futex_waitv, futex_wait: the same everywhere, since Linux 5.16 and 6.7 */
	};
	unsigned kernel, locks[sizeof(calls) / sizeof(*calls)], sleeps;

	set(code, VALUE, BPF_STATE_SLEEP);
	load_of_task(code, BPF_REG_1, 4, layout->flags);
	kernel = jump_if_any(code, BPF_REG_1, PF_KTHREAD);
	load_task(code, BPF_REG_1);
	call(code, BPF_FUNC_task_pt_regs);
	load(code, 8, BPF_REG_1, BPF_REG_0, (int)layout->call);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		locks[i] = jump(code, BPF_JEQ, BPF_REG_1, calls[i]);
	sleeps = jump(code, BPF_JA, 0, 0);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		land(code, locks[i]);
	set(code, VALUE, BPF_STATE_LOCK);
	land(code, sleeps);
	land(code, kernel);
}

/* What a task waits for whose state is in r1. */
static void set_wait(struct bpf_code *code, const struct bpf_task_layout *layout)
{
	unsigned disk = 0, memory = 0, sleeps, idle, other;

	set(code, VALUE, BPF_STATE_MEMORY);
	if (layout->memstall_bit) {
		load_of_task(code, BPF_REG_2, 1, layout->in_memstall);
		memory = jump_if_any(code, BPF_REG_2, layout->memstall_bit);
	}
	set(code, VALUE, BPF_STATE_DISK);
	load_of_task(code, BPF_REG_2, 1, layout->in_iowait);
	disk = jump_if_any(code, BPF_REG_2, layout->iowait_bit);
	set(code, VALUE, BPF_STATE_SLEEP);
	idle = jump_if_any(code, BPF_REG_1, TASK_NOLOAD);
	sleeps = jump_if_any(code, BPF_REG_1, TASK_INTERRUPTIBLE);
	set(code, VALUE, BPF_STATE_OTHER);
	other = jump(code, BPF_JA, 0, 0);
	land(code, sleeps);
	set_sleep(code, layout);
	land(code, disk);
	if (layout->memstall_bit)
		land(code, memory);
	land(code, idle);
	land(code, other);
}

/* sched_switch: whether it was preempted, and its state. */
static void set_left(struct bpf_code *code, const struct bpf_task_layout *layout)
{
	unsigned preempted, ready, dead;

	set(code, VALUE, BPF_STATE_READY);
	load(code, 8, BPF_REG_1, CTX, 0);
	preempted = jump(code, BPF_JNE, BPF_REG_1, 0);
	load(code, 8, BPF_REG_1, CTX, 3 * WORD);
	put(code, BPF_ALU | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_1, 0, 0);
	ready = jump(code, BPF_JEQ, BPF_REG_1, 0);
	set(code, VALUE, BPF_STATE_GONE);
	dead = jump_if_any(code, BPF_REG_1, TASK_DEAD);
	set_wait(code, layout);
	land(code, preempted);
	land(code, ready);
	land(code, dead);
}

static void set_current(struct bpf_code *code, const struct bpf_task_layout *layout)
{
	unsigned runs, queued, ready, dead;

	set(code, VALUE, BPF_STATE_RUNNING);
	load_of_task(code, BPF_REG_1, layout->on_cpu_bytes, layout->on_cpu);
	runs = jump(code, BPF_JNE, BPF_REG_1, 0);
	set(code, VALUE, BPF_STATE_READY);
	load_of_task(code, BPF_REG_1, layout->on_rq_bytes, layout->on_rq);
	queued = jump(code, BPF_JNE, BPF_REG_1, 0);
	load_of_task(code, BPF_REG_1, 4, layout->state);
	ready = jump(code, BPF_JEQ, BPF_REG_1, 0);
	set(code, VALUE, BPF_STATE_GONE);
	dead = jump_if_any(code, BPF_REG_1, TASK_DEAD);
	set_wait(code, layout);
	land(code, runs);
	land(code, queued);
	land(code, ready);
	land(code, dead);
}

static void set_state(struct bpf_code *code, const struct bpf_shape *shape)
{
	switch (shape->enters) {
	case BPF_ENTERS_RUNNING:
		set(code, VALUE, BPF_STATE_RUNNING);
		return;
	case BPF_ENTERS_READY:
		set(code, VALUE, BPF_STATE_READY);
		return;
	case BPF_ENTERS_GONE:
		set(code, VALUE, BPF_STATE_GONE);
		return;
	case BPF_ENTERS_WAIT:
		set_left(code, shape->layout);
		return;
	case BPF_ENTERS_EXISTS:
		set_current(code, shape->layout);
		return;
	case BPF_ENTERS_SWITCH: /* of two tasks: each has its own */
		return;
	}
}

/* r0: its times so far; adds those since the last state, and enters the new one. */
static void add_times(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned runs = 0, clock;

	load(code, 8, BPF_REG_1, BPF_REG_0, offsetof(struct bpf_times, state));
	if (shape->enters == BPF_ENTERS_READY)
		runs = jump(code, BPF_JEQ, BPF_REG_1, BPF_STATE_RUNNING);
	load(code, 8, BPF_REG_2, FRAME, ROOM_AT);
	load(code, 8, BPF_REG_3, BPF_REG_0, offsetof(struct bpf_times, since_ns));
	clock = jump_with(code, BPF_JLT, BPF_REG_2, BPF_REG_3);
	store(code, BPF_REG_0, offsetof(struct bpf_times, since_ns), BPF_REG_2);
	store(code, BPF_REG_0, offsetof(struct bpf_times, state), VALUE);
	store(code, BPF_REG_0, offsetof(struct bpf_times, before), BPF_REG_1);
	compute(code, BPF_SUB, BPF_REG_2, BPF_REG_3);
	compute_with(code, BPF_AND, BPF_REG_1, N_BPF_STATES - 1);
	compute_with(code, BPF_LSH, BPF_REG_1, 3);
	compute(code, BPF_ADD, BPF_REG_0, BPF_REG_1);
	load(code, 8, BPF_REG_1, BPF_REG_0, offsetof(struct bpf_times, spent_ns));
	compute(code, BPF_ADD, BPF_REG_1, BPF_REG_2);
	store(code, BPF_REG_0, offsetof(struct bpf_times, spent_ns), BPF_REG_1);
	land(code, clock);
	if (shape->enters == BPF_ENTERS_READY)
		land(code, runs);
}

/* A task that an event meets between our look and this is known then. */
static void begin_times(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned made, known;

	for (int word = 0; word < TIMES_WORDS; word++)
		store_number(code, FRAME, TIMES_AT + word * WORD, 0);
	load_of_task(code, BPF_REG_1, 4, shape->layout->tgid);
	store(code, FRAME, TIMES_AT + (int)offsetof(struct bpf_times, process), BPF_REG_1);
	load(code, 8, BPF_REG_1, FRAME, ROOM_AT);
	store(code, FRAME, TIMES_AT + (int)offsetof(struct bpf_times, begun_ns), BPF_REG_1);
	store(code, FRAME, TIMES_AT + (int)offsetof(struct bpf_times, since_ns), BPF_REG_1);
	store(code, FRAME, TIMES_AT + (int)offsetof(struct bpf_times, state), VALUE);
	store(code, FRAME, TIMES_AT + (int)offsetof(struct bpf_times, before), VALUE);
	update(code, shape->entries, TIMES_AT, BPF_NOEXIST);
	made = jump(code, BPF_JEQ, BPF_REG_0, 0);
	known = jump(code, BPF_JEQ, BPF_REG_0, -EEXIST);
	add_to_self(code, offsetof(struct bpf_self, lost));
	land(code, made);
	land(code, known);
}

static void enter_task(struct bpf_code *code, const struct bpf_shape *shape)
{
	bool begins = shape->enters != BPF_ENTERS_GONE;
	unsigned gone, unknown, done = 0;

	set_state(code, shape);
	if (shape->enters == BPF_ENTERS_GONE)
		load(code, 8, BPF_REG_1, CTX, WORD);
	else
		load_of_task(code, BPF_REG_1, 4, shape->layout->pid);
	store(code, FRAME, KEYS_AT, BPF_REG_1);
	load_task(code, BPF_REG_1);
	store(code, FRAME, KEYS_AT + WORD, BPF_REG_1);
	look_up(code, shape->entries, KEYS_AT);
	unknown = jump(code, BPF_JEQ, BPF_REG_0, 0);
	if (shape->enters != BPF_ENTERS_EXISTS)
		add_times(code, shape);
	if (begins)
		done = jump(code, BPF_JA, 0, 0);
	land(code, unknown);
	if (begins) {
		gone = jump(code, BPF_JEQ, VALUE, BPF_STATE_GONE);
		begin_times(code, shape);
		land(code, gone);
		land(code, done);
	}
}

/* Keeps the task; jumps where it is not to be looked at. */
static unsigned choose_task(struct bpf_code *code, const struct bpf_shape *shape, unsigned *others)
{
	unsigned n_others = 0;

	load(code, 8, BPF_REG_1, CTX, (int)shape->task * WORD);
	if (shape->enters == BPF_ENTERS_EXISTS)
		others[n_others++] = jump(code, BPF_JEQ, BPF_REG_1, 0);
	store(code, FRAME, TASK_AT, BPF_REG_1);
	load(code, 4, BPF_REG_2, BPF_REG_1, (int)shape->layout->tgid);
	others[n_others++] = shape->process ? jump(code, BPF_JNE, BPF_REG_2, (int32_t)shape->process)
					    : jump(code, BPF_JEQ, BPF_REG_2, 0); /* the idle one */
	if (shape->enters == BPF_ENTERS_GONE) {
		load(code, 4, BPF_REG_2, BPF_REG_1, (int)shape->layout->pid);
		load(code, 8, BPF_REG_1, CTX, WORD);
		others[n_others++] = jump_with(code, BPF_JEQ, BPF_REG_1, BPF_REG_2);
	}
	return n_others;
}

/* Jumps where none of the two that sched_switch names is to be looked at. */
static unsigned choose_either(struct bpf_code *code, const struct bpf_shape *shape, unsigned *others)
{
	unsigned wanted;

	if (!shape->process)
		return 0;
	load(code, 8, BPF_REG_1, CTX, PREVIOUS * WORD);
	load(code, 4, BPF_REG_1, BPF_REG_1, (int)shape->layout->tgid);
	wanted = jump(code, BPF_JEQ, BPF_REG_1, (int32_t)shape->process);
	load(code, 8, BPF_REG_1, CTX, NEXT * WORD);
	load(code, 4, BPF_REG_1, BPF_REG_1, (int)shape->layout->tgid);
	others[0] = jump(code, BPF_JNE, BPF_REG_1, (int32_t)shape->process);
	land(code, wanted);
	return 1;
}

/* Before anything else, as most runs may end here. */
static unsigned choose(struct bpf_code *code, const struct bpf_shape *shape, unsigned *others)
{
	return shape->enters == BPF_ENTERS_SWITCH ? choose_either(code, shape, others) :
						    choose_task(code, shape, others);
}

static void enter_one_of_two(struct bpf_code *code, struct bpf_shape shape, enum bpf_enters enters,
			     unsigned task)
{
	unsigned others[OTHERS_MAX], n_others;

	shape.enters = enters;
	shape.task = task;
	n_others = choose_task(code, &shape, others);
	enter_task(code, &shape);
	for (unsigned i = 0; i < n_others; i++)
		land(code, others[i]);
}

static void enter(struct bpf_code *code, const struct bpf_shape *shape)
{
	call(code, BPF_FUNC_ktime_get_ns);
	store(code, FRAME, ROOM_AT, BPF_REG_0);
	if (shape->enters != BPF_ENTERS_SWITCH) {
		enter_task(code, shape);
		return;
	}
	enter_one_of_two(code, *shape, BPF_ENTERS_WAIT, PREVIOUS);
	enter_one_of_two(code, *shape, BPF_ENTERS_RUNNING, NEXT);
}

#define READER_WORDS ((int)(sizeof(struct bpf_reader) / WORD))
#define NEW_READER_AT (KEYS_AT - READER_WORDS * WORD)
#define READER_AT (NEW_READER_AT - WORD) /* its address */
#define MAPPING_AT (READER_AT - WORD)
#define PAGES_AT (MAPPING_AT - WORD)
#define FIRST_AT (PAGES_AT - WORD)
#define LAST_AT (FIRST_AT - WORD)
#define CLOCK_AT (LAST_AT - WORD) /* system calls that read, or page faults, of the task so far */

static void load_of_reader(struct bpf_code *code, int to, size_t field)
{
	load(code, 8, to, FRAME, READER_AT);
	load(code, 8, to, to, (int)field);
}

/* From r2. */
static void store_of_reader(struct bpf_code *code, size_t field)
{
	load(code, 8, BPF_REG_1, FRAME, READER_AT);
	store(code, BPF_REG_1, (int)field, BPF_REG_2);
}

static void copy_to_reader(struct bpf_code *code, size_t field, int from)
{
	load(code, 8, BPF_REG_2, FRAME, from);
	store_of_reader(code, field);
}

static void load_pages(struct bpf_code *code, const struct bpf_cache_layout *layout)
{
	unsigned small;

	load(code, 8, BPF_REG_1, CTX, 0);
	load(code, 8, BPF_REG_2, BPF_REG_1, (int)layout->folio_flags);
	compute_with(code, BPF_RSH, BPF_REG_2, (int32_t)layout->large_bit);
	compute_with(code, BPF_AND, BPF_REG_2, 1);
	set(code, BPF_REG_3, 0);
	small = jump(code, BPF_JEQ, BPF_REG_2, 0);
	load(code, 8, BPF_REG_3, BPF_REG_1, (int)layout->folio_order);
	compute_with(code, BPF_AND, BPF_REG_3, 31);
	land(code, small);
	set(code, BPF_REG_2, 1);
	compute(code, BPF_LSH, BPF_REG_2, BPF_REG_3);
	store(code, FRAME, PAGES_AT, BPF_REG_2);
}

/* What of the read lies in the file, into FIRST and LAST; jumps where nothing does. */
static void load_range(struct bpf_code *code, const struct bpf_cache_layout *layout, unsigned nothing[2])
{
	unsigned within;

	load(code, 8, BPF_REG_1, FRAME, MAPPING_AT);
	load(code, 8, BPF_REG_1, BPF_REG_1, (int)layout->mapping_host);
	load(code, 8, BPF_REG_1, BPF_REG_1, (int)layout->inode_size);
	nothing[0] = jump(code, BPF_JSLE, BPF_REG_1, 0);
	compute_with(code, BPF_SUB, BPF_REG_1, 1);
	compute_with(code, BPF_RSH, BPF_REG_1, (int32_t)layout->page_bits);
	load(code, 8, BPF_REG_2, CTX, 2 * WORD);
	within = jump_with(code, BPF_JLE, BPF_REG_2, BPF_REG_1);
	move(code, BPF_REG_2, BPF_REG_1);
	land(code, within);
	load(code, 8, BPF_REG_3, CTX, WORD);
	nothing[1] = jump_with(code, BPF_JGT, BPF_REG_3, BPF_REG_2);
	store(code, FRAME, FIRST_AT, BPF_REG_3);
	store(code, FRAME, LAST_AT, BPF_REG_2);
}

static void load_clock(struct bpf_code *code, const struct bpf_shape *shape)
{
	const struct bpf_cache_layout *layout = shape->cache;

	call(code, BPF_FUNC_get_current_task_btf);
	if (shape->event == BPF_CACHE_ASKED) {
		load(code, 8, BPF_REG_1, BPF_REG_0, (int)layout->task_reads);
	} else {
		load(code, 8, BPF_REG_1, BPF_REG_0, (int)layout->task_minor);
		load(code, 8, BPF_REG_2, BPF_REG_0, (int)layout->task_major);
		compute(code, BPF_ADD, BPF_REG_1, BPF_REG_2);
	}
	store(code, FRAME, CLOCK_AT, BPF_REG_1);
}

/* Jumps where there is no room for it. */
static unsigned find_reader(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned found, none;

	call(code, BPF_FUNC_get_current_pid_tgid);
	store(code, FRAME, ROOM_AT, BPF_REG_0);
	look_up(code, shape->readers, ROOM_AT);
	found = jump(code, BPF_JNE, BPF_REG_0, 0);
	for (int word = 0; word < READER_WORDS; word++)
		store_number(code, FRAME, NEW_READER_AT + word * WORD, 0);
	load_map(code, shape->readers);
	load_address(code, BPF_REG_2, ROOM_AT);
	load_address(code, BPF_REG_3, NEW_READER_AT);
	set(code, BPF_REG_4, BPF_ANY);
	call(code, BPF_FUNC_map_update_elem);
	look_up(code, shape->readers, ROOM_AT);
	land(code, found);
	none = jump(code, BPF_JEQ, BPF_REG_0, 0);
	store(code, FRAME, READER_AT, BPF_REG_0);
	return none;
}

/* The value, of this event, unless it is 0. */
static void count_event(struct bpf_code *code, const struct bpf_shape *shape, enum bpf_cache_event event)
{
	const struct bpf_cache_layout *layout = shape->cache;
	unsigned nothing = jump(code, BPF_JEQ, VALUE, 0);

	load(code, 8, BPF_REG_1, FRAME, ROOM_AT);
	compute_with(code, BPF_RSH, BPF_REG_1, 32);
	store(code, FRAME, KEYS_AT + BPF_CACHE_PROCESS * WORD, BPF_REG_1);
	store_number(code, FRAME, KEYS_AT + BPF_CACHE_EVENT * WORD, (int32_t)event);
	load(code, 8, BPF_REG_1, FRAME, MAPPING_AT);
	load(code, 8, BPF_REG_1, BPF_REG_1, (int)layout->mapping_host);
	load(code, 8, BPF_REG_2, BPF_REG_1, (int)layout->inode_number);
	store(code, FRAME, KEYS_AT + BPF_CACHE_INODE * WORD, BPF_REG_2);
	load(code, 8, BPF_REG_1, BPF_REG_1, (int)layout->inode_super);
	load(code, 4, BPF_REG_1, BPF_REG_1, (int)layout->super_device);
	store(code, FRAME, KEYS_AT + BPF_CACHE_DEVICE * WORD, BPF_REG_1);
	count_value(code, shape);
	land(code, nothing);
}

/* Jumps unless the thread is still in the fault that it was in when this file was last faulted. */
static void jump_unless_in_fault(struct bpf_code *code, unsigned to[2])
{
	load_of_reader(code, BPF_REG_1, offsetof(struct bpf_reader, faulted));
	load(code, 8, BPF_REG_2, FRAME, MAPPING_AT);
	to[0] = jump_with(code, BPF_JNE, BPF_REG_1, BPF_REG_2);
	load_of_reader(code, BPF_REG_1, offsetof(struct bpf_reader, faults));
	load(code, 8, BPF_REG_2, FRAME, CLOCK_AT);
	to[1] = jump_with(code, BPF_JNE, BPF_REG_1, BPF_REG_2);
}

static void cache_added(struct bpf_code *code)
{
	unsigned outside[2], in_fault, same;

	jump_unless_in_fault(code, outside);
	in_fault = jump(code, BPF_JA, 0, 0);
	land(code, outside[0]);
	land(code, outside[1]);
	load_of_reader(code, BPF_REG_3, offsetof(struct bpf_reader, pending));
	load_of_reader(code, BPF_REG_1, offsetof(struct bpf_reader, adding));
	load(code, 8, BPF_REG_2, FRAME, MAPPING_AT);
	same = jump_with(code, BPF_JEQ, BPF_REG_1, BPF_REG_2);
	set(code, BPF_REG_3, 0);
	store_of_reader(code, offsetof(struct bpf_reader, adding));
	land(code, same);
	load(code, 8, BPF_REG_2, FRAME, PAGES_AT);
	compute(code, BPF_ADD, BPF_REG_2, BPF_REG_3);
	store_of_reader(code, offsetof(struct bpf_reader, pending));
	land(code, in_fault);
}

/* The kernel may try a fault again, and a fault has two tracepoints. */
static void cache_faulted(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned outside[2], known;

	jump_unless_in_fault(code, outside);
	known = jump(code, BPF_JA, 0, 0);
	land(code, outside[0]);
	land(code, outside[1]);
	copy_to_reader(code, offsetof(struct bpf_reader, faulted), MAPPING_AT);
	copy_to_reader(code, offsetof(struct bpf_reader, faults), CLOCK_AT);
	set(code, VALUE, 1);
	count_event(code, shape, BPF_CACHE_FAULTED);
	land(code, known);
}

/* PAGES: what this thread has added to the file since its last read or write of it. */
static void take_pending(struct bpf_code *code)
{
	unsigned other;

	store_number(code, FRAME, PAGES_AT, 0);
	load_of_reader(code, BPF_REG_1, offsetof(struct bpf_reader, adding));
	load(code, 8, BPF_REG_2, FRAME, MAPPING_AT);
	other = jump_with(code, BPF_JNE, BPF_REG_1, BPF_REG_2);
	load_of_reader(code, BPF_REG_1, offsetof(struct bpf_reader, pending));
	store(code, FRAME, PAGES_AT, BPF_REG_1);
	set(code, BPF_REG_2, 0);
	store_of_reader(code, offsetof(struct bpf_reader, pending));
	land(code, other);
}

static void cache_dirtied(struct bpf_code *code, const struct bpf_shape *shape)
{
	load(code, 8, VALUE, FRAME, PAGES_AT);
	take_pending(code);
	count_event(code, shape, BPF_CACHE_DIRTIED);
}

/*
 * A read looks for what is left of it again and again, to the same end, until it has all: only the first look
 * counts.
 */
static void leave_out_rest(struct bpf_code *code)
{
	static const struct {
		size_t field;
		int compare, with;
	} same[] = {
		{ offsetof(struct bpf_reader, reading), BPF_JNE, MAPPING_AT },
		{ offsetof(struct bpf_reader, last), BPF_JNE, LAST_AT },
		{ offsetof(struct bpf_reader, reads), BPF_JNE, CLOCK_AT },
		{ offsetof(struct bpf_reader, first), BPF_JGE, FIRST_AT },
	};
	unsigned others[sizeof(same) / sizeof(same[0])];

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		load_of_reader(code, BPF_REG_1, same[i].field);
		load(code, 8, BPF_REG_2, FRAME, same[i].with);
		others[i] = jump_with(code, same[i].compare, BPF_REG_1, BPF_REG_2);
	}
	set(code, VALUE, 0);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		land(code, others[i]);
}

static void cache_asked(struct bpf_code *code, const struct bpf_shape *shape)
{
	load(code, 8, VALUE, FRAME, LAST_AT);
	load(code, 8, BPF_REG_1, FRAME, FIRST_AT);
	compute(code, BPF_SUB, VALUE, BPF_REG_1);
	compute_with(code, BPF_ADD, VALUE, 1);
	leave_out_rest(code);
	copy_to_reader(code, offsetof(struct bpf_reader, reading), MAPPING_AT);
	copy_to_reader(code, offsetof(struct bpf_reader, first), FIRST_AT);
	copy_to_reader(code, offsetof(struct bpf_reader, last), LAST_AT);
	copy_to_reader(code, offsetof(struct bpf_reader, reads), CLOCK_AT);
	take_pending(code);
	count_event(code, shape, BPF_CACHE_ASKED);
	load(code, 8, VALUE, FRAME, PAGES_AT);
	count_event(code, shape, BPF_CACHE_ADDED);
}

/* Takes the place of the page cache's own figures, which know neither processes nor reads. */
static void cache(struct bpf_code *code, const struct bpf_shape *shape)
{
	const struct bpf_cache_layout *layout = shape->cache;
	bool of_folio = shape->event == BPF_CACHE_ADDED || shape->event == BPF_CACHE_DIRTIED;
	unsigned none, no_reader, nothing[2] = { 0 };

	load(code, 8, BPF_REG_1, CTX, shape->event == BPF_CACHE_DIRTIED ? WORD : 0);
	if (shape->event == BPF_CACHE_ADDED)
		load(code, 8, BPF_REG_1, BPF_REG_1, (int)layout->folio_mapping);
	none = jump(code, BPF_JEQ, BPF_REG_1, 0);
	store(code, FRAME, MAPPING_AT, BPF_REG_1);
	if (of_folio)
		load_pages(code, layout);
	if (shape->event == BPF_CACHE_ASKED)
		load_range(code, layout, nothing);
	load_clock(code, shape);
	no_reader = find_reader(code, shape);
	switch (shape->event) {
	case BPF_CACHE_ADDED:
		cache_added(code);
		break;
	case BPF_CACHE_ASKED:
		cache_asked(code, shape);
		break;
	case BPF_CACHE_FAULTED:
		cache_faulted(code, shape);
		break;
	case BPF_CACHE_DIRTIED:
		cache_dirtied(code, shape);
		break;
	}
	land(code, none);
	land(code, no_reader);
	if (shape->event == BPF_CACHE_ASKED) {
		land(code, nothing[0]);
		land(code, nothing[1]);
	}
}

#define WALK BPF_REG_6
#define TASK BPF_REG_9
#define ITERATION_AT ENTRY_AT /* of three words */
#define ALL_THREADS 1         /* BPF_TASK_ITER_ALL_THREADS of kernel/bpf/task_iter.c */
#define PROCESS_AT(field) (int)(offsetof(struct bpf_walk, processes) + offsetof(struct bpf_walked, field))

/* r1 with r5; r0 is SLOT_MULTIPLIER. */
static void mix(struct bpf_code *code)
{
	compute(code, BPF_XOR, BPF_REG_1, BPF_REG_5);
	compute(code, BPF_MUL, BPF_REG_1, BPF_REG_0);
}

/* The verifier computes with no addresses: it forgets that one is one when it is read from a map. */
static void mix_address(struct bpf_code *code, uint32_t offset)
{
	load(code, 8, BPF_REG_5, TASK, (int)offset);
	store(code, BPF_REG_4, PROCESS_AT(mark), BPF_REG_5);
	load(code, 8, BPF_REG_5, BPF_REG_4, PROCESS_AT(mark));
	mix(code);
}

/* r4: the place of the process with this number, which is in r3. */
static void locate_process(struct bpf_code *code)
{
	compute_with(code, BPF_MUL, BPF_REG_3, sizeof(struct bpf_walked));
	move(code, BPF_REG_4, WALK);
	compute(code, BPF_ADD, BPF_REG_4, BPF_REG_3);
}

/* At r4, for the tgid in r1. */
static void begin_process(struct bpf_code *code, const struct bpf_walk_layout *layout)
{
	unsigned none;

	store_half(code, BPF_REG_4, PROCESS_AT(pid), BPF_REG_1);
	load(code, 8, BPF_REG_5, TASK, (int)layout->task_signal);
	load(code, 4, BPF_REG_1, BPF_REG_5, (int)layout->signal_threads);
	store_half(code, BPF_REG_4, PROCESS_AT(unseen), BPF_REG_1);
	load(code, 8, BPF_REG_5, BPF_REG_5, (int)layout->signal_run);
	store(code, BPF_REG_4, PROCESS_AT(run_ns), BPF_REG_5);
	set(code, BPF_REG_1, 0);
	mix_address(code, layout->task_parent);
	mix_address(code, layout->task_groups);
	load(code, 8, BPF_REG_2, TASK, (int)layout->task_memory);
	none = jump(code, BPF_JEQ, BPF_REG_2, 0); /* of the kernel */
	for (unsigned i = 0; i < BPF_WALK_COUNTERS; i++) {
		load(code, 8, BPF_REG_5, BPF_REG_2, (int)layout->memory_counters[i]);
		mix(code);
	}
	land(code, none);
	store(code, BPF_REG_4, PROCESS_AT(mark), BPF_REG_1);
}

/* r4: the process of the task, which is the last one unless it is new; full: there is no room. */
static void find_process(struct bpf_code *code, const struct bpf_walk_layout *layout, unsigned full[2])
{
	unsigned first, same;

	load(code, 4, BPF_REG_1, TASK, (int)layout->task_tgid);
	load(code, 8, BPF_REG_2, WALK, offsetof(struct bpf_walk, n_processes));
	first = jump(code, BPF_JEQ, BPF_REG_2, 0);
	move(code, BPF_REG_3, BPF_REG_2);
	compute_with(code, BPF_SUB, BPF_REG_3, 1);
	full[0] = jump(code, BPF_JGE, BPF_REG_3, BPF_WALK_MAX);
	locate_process(code);
	load(code, 4, BPF_REG_5, BPF_REG_4, PROCESS_AT(pid));
	same = jump_with(code, BPF_JEQ, BPF_REG_1, BPF_REG_5);
	land(code, first);
	full[1] = jump(code, BPF_JGE, BPF_REG_2, BPF_WALK_MAX);
	move(code, BPF_REG_3, BPF_REG_2);
	compute_with(code, BPF_ADD, BPF_REG_2, 1);
	store(code, WALK, offsetof(struct bpf_walk, n_processes), BPF_REG_2);
	locate_process(code);
	begin_process(code, layout);
	land(code, same);
}

/* At r4. */
static void add_thread(struct bpf_code *code, const struct bpf_walk_layout *layout)
{
	load(code, 4, BPF_REG_1, BPF_REG_4, PROCESS_AT(unseen));
	compute_with(code, BPF_SUB, BPF_REG_1, 1);
	store_half(code, BPF_REG_4, PROCESS_AT(unseen), BPF_REG_1);
	load(code, 8, BPF_REG_1, BPF_REG_4, PROCESS_AT(run_ns));
	load(code, 8, BPF_REG_5, TASK, (int)layout->task_run);
	compute(code, BPF_ADD, BPF_REG_1, BPF_REG_5);
	store(code, BPF_REG_4, PROCESS_AT(run_ns), BPF_REG_1);
	load(code, 8, BPF_REG_1, BPF_REG_4, PROCESS_AT(mark));
	load(code, 4, BPF_REG_5, TASK, (int)layout->task_priority);
	mix(code);
	store(code, BPF_REG_4, PROCESS_AT(mark), BPF_REG_1);
}

/* Its numbers are in the memory that it writes, as the verifier follows those in registers without end. */
static void walk(struct bpf_code *code, const struct bpf_shape *shape)
{
	const struct bpf_walk_layout *layout = shape->walk_layout;
	unsigned begin, end, enough, full[2];

	load_first_value(code, WALK, shape->walk);
	store_number(code, WALK, offsetof(struct bpf_walk, n_tasks), 0);
	store_number(code, WALK, offsetof(struct bpf_walk, n_processes), 0);
	store_number(code, WALK, offsetof(struct bpf_walk, ended), 0);
	load_address(code, BPF_REG_1, ITERATION_AT);
	set(code, BPF_REG_2, 0);
	set(code, BPF_REG_3, ALL_THREADS);
	call_kernel(code, layout->iteration_new);
	begin = code->count;
	load_address(code, BPF_REG_1, ITERATION_AT);
	call_kernel(code, layout->iteration_next);
	end = jump(code, BPF_JEQ, BPF_REG_0, 0);
	move(code, TASK, BPF_REG_0);
	load(code, 8, BPF_REG_1, WALK, offsetof(struct bpf_walk, n_tasks));
	enough = jump(code, BPF_JGE, BPF_REG_1, BPF_WALK_MAX);
	compute_with(code, BPF_ADD, BPF_REG_1, 1);
	store(code, WALK, offsetof(struct bpf_walk, n_tasks), BPF_REG_1);
	load_number(code, BPF_REG_0, SLOT_MULTIPLIER);
	find_process(code, layout, full);
	add_thread(code, layout);
	jump_back(code, begin);
	land(code, end);
	set(code, BPF_REG_1, 1);
	put(code, BPF_STX | BPF_MEM | BPF_B, WALK, BPF_REG_1, offsetof(struct bpf_walk, ended), 0);
	land(code, enough);
	land(code, full[0]);
	land(code, full[1]);
	load_address(code, BPF_REG_1, ITERATION_AT);
	call_kernel(code, layout->iteration_destroy);
}

static void work(struct bpf_code *code, const struct bpf_shape *shape)
{
	switch (shape->does) {
	case BPF_COUNT:
		count(code, shape);
		return;
	case BPF_START:
		start(code, shape);
		return;
	case BPF_STOP:
		if (shape->phases)
			stop_phases(code, shape);
		else
			stop(code, shape);
		return;
	case BPF_NOTE:
		note(code, shape);
		return;
	case BPF_MARK:
	case BPF_UNMARK:
		mark(code, shape);
		return;
	case BPF_RECORD:
		record(code, shape);
		return;
	case BPF_ENTER:
		enter(code, shape);
		return;
	case BPF_CACHE:
		cache(code, shape);
		return;
	case BPF_WALK:
		walk(code, shape);
		return;
	}
}

static void work_unless(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned without;

	load_part(code, shape, &shape->unless);
	load_number(code, BPF_REG_2, shape->unless_bits);
	compute(code, BPF_AND, BPF_REG_1, BPF_REG_2);
	without = jump(code, BPF_JNE, BPF_REG_1, 0);
	work(code, shape);
	land(code, without);
}

static void begin_timing(struct bpf_code *code, int32_t timed_runs)
{
	unsigned untimed;

	add_to_self(code, offsetof(struct bpf_self, runs));
	set(code, BEGUN, 0);
	compute_with(code, BPF_AND, BPF_REG_1, timed_runs - 1);
	untimed = jump(code, BPF_JNE, BPF_REG_1, 0);
	call(code, BPF_FUNC_ktime_get_ns);
	move(code, BEGUN, BPF_REG_0);
	land(code, untimed);
}

static void end_timing(struct bpf_code *code)
{
	unsigned untimed = jump(code, BPF_JEQ, BEGUN, 0);

	call(code, BPF_FUNC_ktime_get_ns);
	compute(code, BPF_SUB, BPF_REG_0, BEGUN);
	load(code, 8, BPF_REG_1, SELF, offsetof(struct bpf_self, timed_ns));
	compute(code, BPF_ADD, BPF_REG_1, BPF_REG_0);
	store(code, SELF, offsetof(struct bpf_self, timed_ns), BPF_REG_1);
	add_to_self(code, offsetof(struct bpf_self, timed_runs));
	land(code, untimed);
}

bool bpf_assemble(struct bpf_code *code, const struct bpf_shape *shape)
{
	unsigned none, others[OTHERS_MAX], n_others = 0;

	code->count = 0;
	code->failed = false;
	move(code, CTX, BPF_REG_1);
	if (shape->does == BPF_ENTER)
		n_others = choose(code, shape, others);
	store_number(code, FRAME, ZERO_AT, 0);
	look_up(code, shape->self, ZERO_AT);
	none = jump(code, BPF_JEQ, BPF_REG_0, 0);
	move(code, SELF, BPF_REG_0);
	begin_timing(code, shape->does == BPF_WALK ? 1 : BPF_TIMED_RUNS);
	if (shape->unless_bits)
		work_unless(code, shape);
	else
		work(code, shape);
	end_timing(code);
	land(code, none);
	for (unsigned i = 0; i < n_others; i++)
		land(code, others[i]);
	set(code, BPF_REG_0, 0);
	put(code, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return !code->failed;
}
