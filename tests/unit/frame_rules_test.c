/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of rules that say where the caller is, in files made for it: operations of expressions, bounds. */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "elf_image.h"
#include "suite.h"
#include "topic/profile/dw_library.h"
#include "topic/profile/frame_rules.h"

#if PROFILE_REGISTERS != 0 && defined(__x86_64__)

#define CODE_AT 0x5000 /* in the file */
#define CODE_BYTES 0x100
#define BIAS 0x700000
#define HERE (BIAS + CODE_AT + 0x10)
#define CALLER_IP 0x4711
#define STACK_AT 1000
#define CFA (STACK_AT + 16)

/* By the numbers of DWARF. */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, RIP = 16 };

/* Bytes with their number. */
#define BYTES(text) text, sizeof(text) - 1

static void pad(struct buffer *out)
{
	while (out->length % 8 != 0)
		image_add(out, 0, 1);
}

/*
 * A file whose code has these rules, besides: the CFA is 16 bytes above the stack pointer, and the return
 * address right below the CFA.
 */
static void write_rules(struct buffer *file, bool of_signal, const char *rules, size_t n)
{
	const char *augmentation = of_signal ? "zS" : "";
	struct buffer frame = { 0 };
	size_t at;

	image_add(&frame, 0, 8); /* its length; 0: what the others have in common */
	image_add(&frame, 1, 1);
	buffer_add(&frame, augmentation, strlen(augmentation) + 1);
	image_add(&frame, 1, 1);
	image_add(&frame, 0x78, 1); /* -8: of offsets */
	image_add(&frame, RIP, 1);
	if (of_signal)
		image_add(&frame, 0, 1);
	buffer_add(&frame, BYTES("\x0c\x07\x10\x90\x01")); /* the CFA, the return address */
	pad(&frame);
	image_set(&frame, 0, frame.length - 4, 4);
	at = frame.length;
	image_add(&frame, 0, 4);
	image_add(&frame, at + 4, 4); /* back to the first */
	image_add(&frame, CODE_AT, 8);
	image_add(&frame, CODE_BYTES, 8);
	if (of_signal)
		image_add(&frame, 0, 1);
	buffer_add(&frame, rules, n);
	pad(&frame);
	image_set(&frame, at, frame.length - at - 4, 4);
	image_add(&frame, 0, 4);
	image_write(file, &(struct image){ .is_64 = true,
					   .machine = EM_X86_64,
					   .type = ET_DYN,
					   .sections = { { .name = ".eh_frame",
							   .type = SHT_PROGBITS,
							   .content = image_span(&frame),
							   .address = 0x20000 } } });
	buffer_free(&frame);
}

static const uint64_t words[] = { 0x77, CALLER_IP, 0x99, 0xaa };
static const struct frame_stack stack = { STACK_AT, { (const char *)words, (const char *)(words + 4) } };

/* Interrupted in the code, with 100 + N in register N. */
static struct frame_state begin(void)
{
	struct frame_state state = { .ip = HERE, .known = 0x1ffff, .exact = true };

	for (unsigned i = 0; i < FRAME_REGISTERS; i++)
		state.registers[i] = 100 + i;
	state.registers[RSP] = STACK_AT;
	state.registers[RIP] = HERE;
	return state;
}

static enum frame_step step_by(bool of_signal, const char *rules, size_t n, struct frame_state *state)
{
	struct buffer file = { 0 };
	struct frame_rules *opened;
	enum frame_step result;

	if (PROFILE_REGISTERS == 0)
		skip_test("profiles take another architecture");
	if (dw_library_load() < 0)
		skip_test("libdw is not installed");
	write_rules(&file, of_signal, rules, n);
	opened = frame_rules_open(image_span(&file));
	ck_assert_ptr_nonnull(opened);
	result = frame_rules_step(opened, BIAS, &stack, state);
	frame_rules_close(opened);
	buffer_free(&file);
	return result;
}

static void check_caller(const char *rules, size_t n)
{
	struct frame_state state = begin();

	ck_assert_int_eq(step_by(false, rules, n, &state), FRAME_CALLER);
	ck_assert_uint_eq(state.ip, CALLER_IP);
	ck_assert_uint_eq(state.registers[RIP], CALLER_IP);
	ck_assert_uint_eq(state.registers[RSP], CFA);
	ck_assert(!state.exact);
}

/* rbx of the caller by an expression, which begins with the CFA on its stack; false: it is not known. */
static bool compute_in(struct frame_state *state, const char *operations, size_t n, uint64_t *value)
{
	char rules[128] = { 0x16, RBX, (char)n };

	ck_assert_uint_lt(n, sizeof(rules) - 3);
	memcpy(rules + 3, operations, n);
	ck_assert_int_eq(step_by(false, rules, 3 + n, state), FRAME_CALLER);
	*value = state->registers[RBX];
	return state->known >> RBX & 1;
}

static bool compute(const char *operations, size_t n, uint64_t *value)
{
	struct frame_state state = begin();

	return compute_in(&state, operations, n, value);
}

START_TEST(operations_of_expressions)
{
	static const struct {
		const char *operations;
		size_t n;
		uint64_t value;
	} cases[] = {
		{ BYTES("\x30"), 0 },
		{ BYTES("\x4f"), 31 },
		{ BYTES("\x08\xff"), 255 },
		{ BYTES("\x09\xff"), UINT64_MAX },
		{ BYTES("\x0a\xfe\xff"), 65534 },
		{ BYTES("\x0b\xfe\xff"), UINT64_MAX - 1 },
		{ BYTES("\x0c\xfd\xff\xff\xff"), UINT32_MAX - 2 },
		{ BYTES("\x0d\xfd\xff\xff\xff"), UINT64_MAX - 2 },
		{ BYTES("\x0e\x01\x02\x03\x04\x05\x06\x07\x08"), 0x807060504030201 },
		{ BYTES("\x0f\xff\xff\xff\xff\xff\xff\xff\xff"), UINT64_MAX },
		{ BYTES("\x10\xac\x02"), 300 },
		{ BYTES("\x11\x7e"), UINT64_MAX - 1 },
		{ BYTES("\x70\x05"), 105 }, /* rax + 5 */
		{ BYTES("\x7f\x7f"), 114 }, /* r15 - 1 */
		{ BYTES("\x77\x08"), STACK_AT + 8 },
		{ BYTES("\x80\x01"), HERE + 1 },
		{ BYTES("\x92\x05\x03"), 108 }, /* rdi + 3 */
		{ BYTES("\x92\x0f\x7f"), 114 },
		{ BYTES("\x9c"), CFA },
		{ BYTES("\x96"), CFA },
		{ BYTES("\x31\x23\x05"), 6 },
		{ BYTES("\x77\x00\x06"), 0x77 },
		{ BYTES("\x77\x18\x06"), 0xaa }, /* the last word */
		{ BYTES("\x35\x12\x22"), 10 },   /* twice */
		{ BYTES("\x35\x36\x13"), 5 },
		{ BYTES("\x13\x33"), 3 },
		{ BYTES("\x3c\x3a\x1a"), 8 },
		{ BYTES("\x3c\x3a\x21"), 14 },
		{ BYTES("\x3c\x3a\x27"), 6 },
		{ BYTES("\x3c\x3a\x22"), 22 },
		{ BYTES("\x3c\x3a\x1c"), 2 },
		{ BYTES("\x3a\x3c\x1c"), UINT64_MAX - 1 },
		{ BYTES("\x3c\x3a\x1e"), 120 },
		{ BYTES("\x33\x32\x24"), 12 },
		{ BYTES("\x33\x32\x25"), 0 },
		{ BYTES("\x4c\x32\x25"), 7 },
		{ BYTES("\x31\x08\x3f\x24"), UINT64_C(1) << 63 },
		{ BYTES("\x31\x08\x40\x24"), 0 },
		{ BYTES("\x09\xff\x08\x3f\x25"), 1 },
		{ BYTES("\x09\xff\x08\x40\x25"), 0 },
		{ BYTES("\x33\x33\x29"), 1 },
		{ BYTES("\x33\x32\x29"), 0 },
		{ BYTES("\x33\x33\x2e"), 0 },
		{ BYTES("\x33\x32\x2e"), 1 },
		{ BYTES("\x33\x33\x2a"), 1 },
		{ BYTES("\x32\x33\x2a"), 0 },
		{ BYTES("\x33\x09\xff\x2a"), 1 }, /* 3 >= -1 */
		{ BYTES("\x09\xff\x33\x2a"), 0 },
		{ BYTES("\x33\x33\x2b"), 0 },
		{ BYTES("\x34\x33\x2b"), 1 },
		{ BYTES("\x33\x09\xff\x2b"), 1 },
		{ BYTES("\x09\xff\x33\x2b"), 0 },
		{ BYTES("\x33\x33\x2c"), 1 },
		{ BYTES("\x34\x33\x2c"), 0 },
		{ BYTES("\x09\xff\x33\x2c"), 1 },
		{ BYTES("\x33\x09\xff\x2c"), 0 },
		{ BYTES("\x33\x33\x2d"), 0 },
		{ BYTES("\x32\x33\x2d"), 1 },
		{ BYTES("\x09\xff\x33\x2d"), 1 },
		{ BYTES("\x33\x09\xff\x2d"), 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value;

		ck_assert_msg(compute(cases[i].operations, cases[i].n, &value), "%zu", i);
		ck_assert_msg(value == cases[i].value, "%zu is %llx", i, (unsigned long long)value);
	}
}

START_TEST(operations_that_cannot_be)
{
	static const struct {
		const char *operations;
		size_t n;
	} cases[] = {
		{ BYTES("\x03\x01\x02\x03\x04\x05\x06\x07\x08") }, /* an address of the file */
		{ BYTES("\x31\x32\x14") },                         /* over */
		{ BYTES("\x31\x32\x1b") },                         /* a division */
		{ BYTES("\x31\x1f") },                             /* its negative */
		{ BYTES("\x81\x01") },                             /* of a 18th register */
		{ BYTES("\x92\x11\x01") },
		{ BYTES("\x31\x06") },     /* not on the stack */
		{ BYTES("\x77\x19\x06") }, /* a byte of it is behind the stack */
		{ BYTES("\x77\x7f\x06") }, /* one is before it */
		{ BYTES("\x13") },         /* nothing is left */
		{ BYTES("\x13\x13\x31") }, /* less than nothing */
		{ BYTES("\x13\x12\x31") }, /* twice nothing */
		{ BYTES("\x13\x06\x31") },
		{ BYTES("\x13\x23\x01\x31") },
		{ BYTES("\x13\x31\x22") }, /* a sum of one number */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value;

		ck_assert_msg(!compute(cases[i].operations, cases[i].n, &value), "%zu", i);
	}
}

START_TEST(registers_that_are_not_known_give_nothing)
{
	struct frame_state state = begin();
	uint64_t value;

	state.known &= ~(UINT64_C(1) << RDI);
	ck_assert(!compute_in(&state, BYTES("\x75\x00"), &value));
	state = begin();
	state.known &= ~(UINT64_C(1) << RDI);
	ck_assert(!compute_in(&state, BYTES("\x92\x05\x00"), &value));
	state = begin();
	state.known &= ~(UINT64_C(1) << RDI);
	ck_assert(compute_in(&state, BYTES("\x74\x00"), &value));
	ck_assert_uint_eq(value, 104);
}

/* 16 values, with the CFA, and 64 operations, with the two that begin and end it. */
START_TEST(expressions_have_bounds)
{
	char many[80];
	uint64_t value;

	memset(many, 0x31, sizeof(many));
	ck_assert(compute(many, 15, &value));
	ck_assert_uint_eq(value, 1);
	ck_assert(!compute(many, 16, &value));
	memset(many, 0x96, sizeof(many));
	ck_assert(compute(many, 62, &value));
	ck_assert_uint_eq(value, CFA);
	ck_assert(!compute(many, 63, &value));
}

START_TEST(registers_of_the_caller)
{
	struct frame_state state = begin();

	check_caller("", 0);
	ck_assert_int_eq(step_by(false, "", 0, &state), FRAME_CALLER);
	ck_assert_uint_eq(state.known, 1 << RBX | 1 << RBP | 1 << RSP | 0xf << 12 | 1 << RIP);
	ck_assert(state.registers[RBX] == 103 && state.registers[RBP] == 106 && state.registers[15] == 115);
	state = begin();
	state.known &= ~(UINT64_C(1) << RBX);
	ck_assert_int_eq(step_by(false, "", 0, &state), FRAME_CALLER);
	ck_assert_uint_eq(state.known, 1 << RBP | 1 << RSP | 0xf << 12 | 1 << RIP);
	state = begin();
	ck_assert_int_eq(step_by(false, BYTES("\x83\x02\x86\x03"), &state), FRAME_CALLER);
	ck_assert_uint_eq(state.registers[RBX], 0x77);                              /* 16 below the CFA */
	ck_assert_uint_eq(state.known, 1 << RBX | 1 << RSP | 0xf << 12 | 1 << RIP); /* before the stack */
	state = begin();
	ck_assert_int_eq(step_by(false, BYTES("\x83\x00"), &state), FRAME_CALLER);
	ck_assert_uint_eq(state.registers[RBX], 0x99); /* at the CFA */
	state = begin();
	ck_assert_int_eq(step_by(false, BYTES("\x14\x03\x02"), &state), FRAME_CALLER);
	ck_assert_uint_eq(state.registers[RBX], STACK_AT); /* the address itself */
	state = begin();
	ck_assert_int_eq(step_by(false, BYTES("\x10\x03\x02\x77\x10"), &state), FRAME_CALLER);
	ck_assert_uint_eq(state.registers[RBX], 0x99); /* where an expression says */
	state = begin();
	ck_assert_int_eq(step_by(false, BYTES("\x09\x03\x05"), &state), FRAME_CALLER);
	ck_assert_uint_eq(state.registers[RBX], 105); /* in another register */
	ck_assert(state.known >> RBX & 1);
	state = begin();
	state.known &= ~(UINT64_C(1) << RDI);
	ck_assert_int_eq(step_by(false, BYTES("\x09\x03\x05"), &state), FRAME_CALLER);
	ck_assert(!(state.known >> RBX & 1));
	state = begin();
	ck_assert_int_eq(step_by(false, BYTES("\x09\x03\x10"), &state), FRAME_CALLER);
	ck_assert_uint_eq(state.registers[RBX], HERE); /* the last one */
	state = begin();
	ck_assert_int_eq(step_by(false, BYTES("\x09\x03\x11"), &state), FRAME_CALLER);
	ck_assert(!(state.known >> RBX & 1)); /* which no sample has */
}

START_TEST(callers_that_there_are_not)
{
	static const struct {
		const char *rules;
		size_t n;
		enum frame_step step;
	} cases[] = {
		{ BYTES("\x07\x10"), FRAME_FIRST },         /* it has no return address */
		{ BYTES("\x16\x10\x01\x30"), FRAME_FIRST }, /* which is 0 */
		{ BYTES("\x16\x10\x01\x31"), FRAME_CALLER },
		{ BYTES("\x90\x03"), FRAME_LOST },           /* it is before the stack */
		{ BYTES("\x0f\x02\x77\x10"), FRAME_CALLER }, /* the CFA by an expression */
		{ BYTES("\x0f\x01\x9c"), FRAME_LOST },       /* by itself */
		{ BYTES("\x0c\x10\x00\x16\x10\x01\x31"), FRAME_CALLER },
		{ BYTES("\x0c\x07\x00\x08\x10"), FRAME_LOST }, /* the same again, for ever */
		{ BYTES("\x0c\x07\x01\x08\x10"), FRAME_CALLER },
		{ BYTES("\x0c\x07\x00\x16\x10\x02\x80\x01"), FRAME_CALLER },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame_state state = begin(), before = state;

		ck_assert_msg(step_by(false, cases[i].rules, cases[i].n, &state) == cases[i].step, "%zu", i);
		if (cases[i].step != FRAME_CALLER)
			ck_assert_msg(state.ip == before.ip && state.known == before.known, "%zu", i);
	}
}

/* Behind a call it is the instruction before that counts, which may be the last one. */
START_TEST(rules_are_those_of_the_code)
{
	static const struct {
		uint64_t ip;
		bool exact;
		enum frame_step step;
	} cases[] = {
		{ BIAS + CODE_AT, true, FRAME_CALLER },
		{ BIAS + CODE_AT, false, FRAME_LOST },
		{ BIAS + CODE_AT + 1, false, FRAME_CALLER },
		{ BIAS + CODE_AT - 1, true, FRAME_LOST },
		{ BIAS + CODE_AT + CODE_BYTES - 1, true, FRAME_CALLER },
		{ BIAS + CODE_AT + CODE_BYTES, true, FRAME_LOST },
		{ BIAS + CODE_AT + CODE_BYTES, false, FRAME_CALLER },
		{ BIAS + CODE_AT + CODE_BYTES + 1, false, FRAME_LOST },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame_state state = begin();

		state.ip = cases[i].ip;
		state.exact = cases[i].exact;
		ck_assert_msg(step_by(false, "", 0, &state) == cases[i].step, "%zu", i);
	}
}

START_TEST(callers_of_handlers_of_signals_were_interrupted)
{
	struct frame_state state = begin();

	ck_assert_int_eq(step_by(true, "", 0, &state), FRAME_CALLER);
	ck_assert_uint_eq(state.ip, CALLER_IP);
	ck_assert(state.exact);
	state = begin();
	ck_assert_int_eq(step_by(false, "", 0, &state), FRAME_CALLER);
	ck_assert(!state.exact);
}

/* More than are kept: those that are forgotten are found again. */
START_TEST(many_addresses_of_a_file)
{
	struct buffer file = { 0 };
	struct frame_rules *rules;

	if (PROFILE_REGISTERS == 0)
		skip_test("profiles take another architecture");
	if (dw_library_load() < 0)
		skip_test("libdw is not installed");
	write_rules(&file, false, "", 0);
	rules = frame_rules_open(image_span(&file));
	ck_assert_ptr_nonnull(rules);
	for (uint64_t round = 0; round < 2; round++)
		for (uint64_t address = 0; address < 3 * CODE_AT / 2; address++) {
			bool is_code = address >= CODE_AT && address < CODE_AT + CODE_BYTES;
			struct frame_state state = begin();

			state.ip = BIAS + address;
			ck_assert_int_eq(frame_rules_step(rules, BIAS, &stack, &state),
					 is_code ? FRAME_CALLER : FRAME_LOST);
		}
	frame_rules_close(rules);
	buffer_free(&file);
}

#endif

START_TEST(nothing_has_no_rules)
{
	frame_rules_close(NULL);
	ck_assert_ptr_null(frame_rules_open(span_text("no file")));
}
