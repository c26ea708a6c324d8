/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of rules that say where the caller is, in files made for it: operations of expressions, bounds. */
#include "suite.h"

#include <elf.h>

#include "elf_image.h"
#include "topic/profile/debug_info.h"

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

/* What is known of rbx of the caller by these rules, without that register; "?": nothing. */
static const char *rbx_by(const char *rules, size_t n, unsigned without)
{
	struct frame_state state = begin();

	state.known &= ~(UINT64_C(1) << without);
	ck_assert_int_eq(step_by(false, rules, n, &state), FRAME_CALLER);
	return state.known >> RBX & 1 ? textf("%llu", (unsigned long long)state.registers[RBX]) : "?";
}

/* rbx of the caller by an expression, which begins with the CFA on its stack; false: it is not known. */
static bool compute(const char *operations, size_t n, uint64_t *value)
{
	struct frame_state state = begin();
	char rules[128] = { 0x16, RBX, (char)n };

	ck_assert_uint_lt(n, sizeof(rules) - 3);
	memcpy(rules + 3, operations, n);
	ck_assert_int_eq(step_by(false, rules, 3 + n, &state), FRAME_CALLER);
	*value = state.registers[RBX];
	return state.known >> RBX & 1;
}

/* Of operations in hexadecimal digits, "31 23 05". */
static bool compute_text(const char *operations, uint64_t *value)
{
	char bytes[16];
	size_t n = 0;

	for (const char *at = operations; *at; at += strspn(at, " "))
		bytes[n++] = (char)strtoul(at, (char **)&at, 16);
	return compute(bytes, n, value);
}

/* Numbers; registers and what is added; the CFA and the stack; values taken twice; sums; signed comparisons.
 */
START_TEST(operations_of_expressions)
{
	static const struct {
		const char *operations;
		uint64_t value;
	} cases[] = {
		{ "30", 0 },                          { "4f", 31 },
		{ "08 ff", 255 },                     { "09 ff", UINT64_MAX },
		{ "0a fe ff", 65534 },                { "0b fe ff", UINT64_MAX - 1 },
		{ "0c fd ff ff ff", UINT32_MAX - 2 }, { "0d fd ff ff ff", UINT64_MAX - 2 },
		{ "10 ac 02", 300 },                  { "11 7e", UINT64_MAX - 1 },
		{ "70 05", 105 },                     { "7f 7f", 114 },
		{ "77 08", STACK_AT + 8 },            { "80 01", HERE + 1 },
		{ "92 05 03", 108 },                  { "92 0f 7f", 114 },
		{ "9c", CFA },                        { "96", CFA },
		{ "31 23 05", 6 },                    { "77 00 06", 0x77 },
		{ "77 18 06", 0xaa },                 { "35 12 22", 10 },
		{ "35 36 13", 5 },                    { "13 33", 3 },
		{ "3c 3a 1a", 8 },                    { "3c 3a 21", 14 },
		{ "3c 3a 27", 6 },                    { "3c 3a 22", 22 },
		{ "3c 3a 1c", 2 },                    { "3a 3c 1c", UINT64_MAX - 1 },
		{ "3c 3a 1e", 120 },                  { "33 32 24", 12 },
		{ "33 32 25", 0 },                    { "4c 32 25", 7 },
		{ "31 08 3f 24", UINT64_C(1) << 63 }, { "31 08 40 24", 0 },
		{ "09 ff 08 3f 25", 1 },              { "09 ff 08 40 25", 0 },
		{ "33 33 29", 1 },                    { "33 32 29", 0 },
		{ "33 33 2e", 0 },                    { "33 32 2e", 1 },
		{ "33 33 2a", 1 },                    { "32 33 2a", 0 },
		{ "33 09 ff 2a", 1 },                 { "09 ff 33 2a", 0 },
		{ "33 33 2b", 0 },                    { "34 33 2b", 1 },
		{ "33 09 ff 2b", 1 },                 { "09 ff 33 2b", 0 },
		{ "33 33 2c", 1 },                    { "34 33 2c", 0 },
		{ "09 ff 33 2c", 1 },                 { "33 09 ff 2c", 0 },
		{ "33 33 2d", 0 },                    { "32 33 2d", 1 },
		{ "09 ff 33 2d", 1 },                 { "33 09 ff 2d", 0 },
	};
	uint64_t value;

	ck_assert(compute_text("0e 01 02 03 04 05 06 07 08", &value) && value == 0x807060504030201);
	ck_assert(compute_text("0f ff ff ff ff ff ff ff ff", &value) && value == UINT64_MAX);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		ck_assert_msg(compute_text(cases[i].operations, &value), "%s", cases[i].operations);
		ck_assert_msg(value == cases[i].value, "%s is %llx", cases[i].operations,
			      (unsigned long long)value);
	}
}

START_TEST(operations_that_cannot_be)
{
	static const char *const cases[] = {
		"03 01 02 03 04 05 06 07 08", /* an address of the file */
		"31 32 14",                   /* over */
		"31 32 1b",                   /* a division */
		"31 1f",                      /* its negative */
		"81 01",                      /* of a 18th register */
		"92 11 01",
		"31 06",    /* not on the stack */
		"77 19 06", /* a byte of it is behind the stack */
		"77 7f 06", /* one is before it */
		"13",       /* nothing is left */
		"13 13 31", /* less than nothing */
		"13 12 31", /* twice nothing */
		"13 06 31",
		"13 23 01 31",
		"13 31 22", /* a sum of one number */
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		uint64_t value;

		ck_assert_msg(!compute_text(cases[i], &value), "%s", cases[i]);
	}
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

	ck_assert_int_eq(step_by(false, "", 0, &state), FRAME_CALLER);
	ck_assert(state.ip == CALLER_IP && state.registers[RIP] == CALLER_IP && state.registers[RSP] == CFA);
	ck_assert(!state.exact);
	ck_assert_uint_eq(state.known, 1 << RBX | 1 << RBP | 1 << RSP | 0xf << 12 | 1 << RIP);
	ck_assert(state.registers[RBX] == 103 && state.registers[RBP] == 106 && state.registers[15] == 115);
	ck_assert_str_eq(rbx_by("", 0, RBX), "?");
	state = begin();
	ck_assert_int_eq(step_by(false, BYTES("\x83\x02\x86\x03"), &state), FRAME_CALLER);
	ck_assert_uint_eq(state.registers[RBX], 0x77);                               /* 16 below the CFA */
	ck_assert_uint_eq(state.known, 1 << RBX | 1 << RSP | 0xf << 12 | 1 << RIP);  /* before the stack */
	ck_assert_str_eq(rbx_by(BYTES("\x83\x00"), RDI), textf("%d", 0x99));         /* at the CFA */
	ck_assert_str_eq(rbx_by(BYTES("\x14\x03\x02"), RDI), textf("%d", STACK_AT)); /* the address itself */
	ck_assert_str_eq(rbx_by(BYTES("\x10\x03\x02\x77\x10"), RDI),
			 textf("%d", 0x99));                         /* by an expression */
	ck_assert_str_eq(rbx_by(BYTES("\x09\x03\x05"), RAX), "105"); /* in another register */
	ck_assert_str_eq(rbx_by(BYTES("\x09\x03\x05"), RDI), "?");
	ck_assert_str_eq(rbx_by(BYTES("\x09\x03\x10"), RDI), textf("%d", HERE)); /* the last one */
	ck_assert_str_eq(rbx_by(BYTES("\x09\x03\x11"), RAX), "?");               /* which no sample has */
	ck_assert_str_eq(rbx_by(BYTES("\x16\x03\x02\x75\x00"), RDI), "?");
	ck_assert_str_eq(rbx_by(BYTES("\x16\x03\x03\x92\x05\x00"), RDI), "?");
	ck_assert_str_eq(rbx_by(BYTES("\x16\x03\x02\x74\x00"), RDI), "104");
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

	for (size_t i = 0; i < LENGTH(cases); i++) {
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

	for (size_t i = 0; i < LENGTH(cases); i++) {
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
	ck_assert(state.ip == CALLER_IP && state.exact);
}

#endif

START_TEST(nothing_has_no_rules)
{
	frame_rules_close(NULL);
	ck_assert_ptr_null(frame_rules_open(span_text("no file")));
}
