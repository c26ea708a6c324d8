/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads libdw, and libelf, which comes with it. Rules of addresses that come again are kept. Not every
 * compiler writes a table of which compilation unit has which addresses.
 */
#include <config.h>

#include "topic/profile/debug_info.h"

#include <errno.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/vector.h"
#ifdef HAVE_DW

#include <dlfcn.h>
#include <dwarf.h>

#define LIBRARY "libdw.so.1"

struct dw_library dw_library;

#define DWARF(function) { "dwarf_" #function, (void **)&dw_library.function }

static const struct {
	const char *name;
	void **at;
} functions[] = {
	{ "elf_version", (void **)&dw_library.elf_version },
	{ "elf_memory", (void **)&dw_library.elf_memory },
	{ "elf_end", (void **)&dw_library.elf_end },
	DWARF(getcfi_elf), DWARF(cfi_end), DWARF(cfi_addrframe), DWARF(frame_info), DWARF(frame_cfa),
	DWARF(frame_register), DWARF(begin_elf), DWARF(end), DWARF(nextcu), DWARF(offdie), DWARF(ranges),
	DWARF(getsrc_die), DWARF(lineno), DWARF(linesrc),
};

static bool find_functions(void *library)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		*functions[i].at = dlsym(library, functions[i].name);
		if (!*functions[i].at)
			return false;
	}
	return dw_library.elf_version(EV_CURRENT) != EV_NONE;
}

int dw_library_load(void)
{
	static bool loaded;
	void *library = loaded ? NULL : dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	loaded = loaded || (library && find_functions(library));
	return loaded ? 0 : -ELIBACC;
}

#define RANGES_MAX 1000000

struct source_lines {
	const struct dw_library *library;
	Elf *elf;
	Dwarf *dwarf;
	struct range {
		uint64_t start, end;
		Dwarf_Off unit;
	} * ranges;
	size_t n_ranges, capacity;
};

static int by_start(const void *a, const void *b)
{
	const struct range *one = a, *other = b;

	return one->start == other->start ? 0 : one->start < other->start ? -1 : 1;
}

static void add_unit(struct source_lines *lines, Dwarf_Off offset)
{
	Dwarf_Die unit;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	if (!lines->library->offdie(lines->dwarf, offset, &unit))
		return;
	while ((at = lines->library->ranges(&unit, at, &base, &start, &end)) > 0 &&
	       lines->n_ranges < RANGES_MAX)
		*VECTOR_ADD(lines->ranges, lines->n_ranges, lines->capacity) =
			(struct range){ start, end, offset };
}

static void add_units(struct source_lines *lines)
{
	Dwarf_Off at = 0, next;
	size_t header;

	while (lines->n_ranges < RANGES_MAX &&
	       lines->library->nextcu(lines->dwarf, at, &next, &header, NULL, NULL, NULL) == 0 && next > at) {
		add_unit(lines, at + header);
		at = next;
	}
	if (lines->n_ranges > 0)
		qsort(lines->ranges, lines->n_ranges, sizeof(*lines->ranges), by_start);
}

struct source_lines *source_lines_open(const struct dw_library *library, struct span bytes)
{
	struct source_lines *lines;

	if (!library && dw_library_load() < 0)
		return NULL;
	lines = alloc_zeroed(1, sizeof(*lines));
	lines->library = library ? library : &dw_library;
	lines->elf = lines->library->elf_memory((char *)(uintptr_t)bytes.at, span_length(bytes));
	lines->dwarf = lines->elf ? lines->library->begin_elf(lines->elf, DWARF_C_READ, NULL) : NULL;
	if (lines->dwarf)
		add_units(lines);
	if (lines->n_ranges == 0) {
		source_lines_close(lines);
		return NULL;
	}
	return lines;
}

void source_lines_close(struct source_lines *lines)
{
	if (!lines)
		return;
	if (lines->dwarf)
		lines->library->end(lines->dwarf);
	if (lines->elf)
		lines->library->elf_end(lines->elf);
	free(lines->ranges);
	free(lines);
}

bool source_lines_find(const struct source_lines *lines, uint64_t address, struct source_line *line)
{
	const char *file;
	Dwarf_Line *found;
	Dwarf_Die unit;
	size_t from;
	int number;

	VECTOR_BOUND(from, lines->n_ranges, lines->ranges[from].start <= address);
	if (from == 0 || address >= lines->ranges[from - 1].end ||
	    !lines->library->offdie(lines->dwarf, lines->ranges[from - 1].unit, &unit))
		return false;
	found = lines->library->getsrc_die(&unit, address);
	if (!found || lines->library->lineno(found, &number) != 0 || number <= 0)
		return false;
	file = lines->library->linesrc(found, NULL, NULL);
	if (!file)
		return false;
	*line = (struct source_line){ .file = span_text(file), .number = (uint32_t)number };
	return true;
}

#else

int dw_library_load(void)
{
	return -ENOTSUP;
}

struct source_lines *source_lines_open(const struct dw_library *library, struct span bytes)
{
	(void)library;
	(void)bytes;
	return NULL;
}

void source_lines_close(struct source_lines *lines)
{
	(void)lines;
}

bool source_lines_find(const struct source_lines *lines, uint64_t address, struct source_line *line)
{
	(void)lines;
	(void)address;
	(void)line;
	return false;
}

#endif

#define WORD 8

/* By the numbers of DWARF: where a sample has a register, and what a call keeps. */
#if defined(__x86_64__)
static const unsigned char sampled_at[FRAME_REGISTERS] = { 0,  3,  2,  1,  4,  5,  6,  7, 9,
							   10, 11, 12, 13, 14, 15, 16, 8 };
#define KEPT (1u << 3 | 1u << 6 | 0xfu << 12) /* rbx, rbp, r12 to r15 */
#define FORGOTTEN (1u << 3)                   /* rbx without a rule is the same, which libdw says of rax */
#define DWARF_SP 7
#define DWARF_FP 6
#define DWARF_IP 16
#elif defined(__aarch64__)
static const unsigned char sampled_at[FRAME_REGISTERS] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
							   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
							   22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };
#define KEPT (0x7ffu << 19) /* x19 to x29 */
#define FORGOTTEN 0u
#define DWARF_SP 31
#define DWARF_FP 29
#define DWARF_IP 32
#else
static const unsigned char sampled_at[FRAME_REGISTERS] = { 0 };
#define DWARF_SP 0
#define DWARF_FP 0
#define DWARF_IP 0
#endif

void frame_state_begin(struct frame_state *state, const uint64_t registers[PROFILE_N_REGISTERS])
{
	for (unsigned i = 0; i < FRAME_REGISTERS; i++)
		state->registers[i] = registers[sampled_at[i]];
	state->known = (UINT64_C(1) << FRAME_REGISTERS) - 1;
	state->ip = registers[PROFILE_IP];
	state->exact = true;
}

static bool read_stack(const struct frame_stack *stack, uint64_t address, uint64_t *value)
{
	return address >= stack->address && address - stack->address < span_length(stack->bytes) &&
	       span_peek(stack->bytes, (size_t)(address - stack->address), value, sizeof(*value));
}

enum frame_step frame_pointer_step(const struct frame_stack *stack, struct frame_state *state)
{
	uint64_t fp = state->registers[DWARF_FP], caller_fp, caller_ip;

	if (!(state->known & UINT64_C(1) << DWARF_FP) || !read_stack(stack, fp, &caller_fp) ||
	    !read_stack(stack, fp + WORD, &caller_ip))
		return FRAME_LOST;
	if (caller_ip == 0)
		return FRAME_FIRST;
	state->known = UINT64_C(1) << DWARF_FP | UINT64_C(1) << DWARF_SP;
	state->registers[DWARF_SP] = fp + 2 * WORD;
	/* cppcheck-suppress redundantAssignment ; where the architecture is not known */
	state->registers[DWARF_FP] = caller_fp;
	state->ip = caller_ip;
	state->exact = false;
	return FRAME_CALLER;
}

#if defined(HAVE_DW) && PROFILE_REGISTERS != 0

#define KEPT_MAX 4096 /* frames of addresses, of half a kilobyte each */
#define VALUES_MAX 16 /* on the stack of an expression */
#define OPERATIONS_MAX 64

struct frame_rules {
	Elf *elf;
	Dwarf_CFI *cfi;
	struct kept {
		uint64_t address;
		Dwarf_Frame *frame; /* NULL: there are no rules */
	} * kept;
	size_t n_kept;
	struct hash by_address;
};

struct frame_rules *frame_rules_open(struct span bytes)
{
	struct frame_rules *rules;
	Elf *elf;
	Dwarf_CFI *cfi;

	if (dw_library_load() < 0)
		return NULL;
	elf = dw_library.elf_memory((char *)(uintptr_t)bytes.at,
				    span_length(bytes)); /* which does not write there */
	cfi = elf ? dw_library.getcfi_elf(elf) : NULL;
	if (!cfi) {
		dw_library.elf_end(elf);
		return NULL;
	}
	rules = alloc_zeroed(1, sizeof(*rules));
	rules->elf = elf;
	rules->cfi = cfi;
	return rules;
}

static void forget(struct frame_rules *rules)
{
	for (size_t i = 0; i < rules->n_kept; i++)
		free(rules->kept[i].frame);
	rules->n_kept = 0;
	hash_clear(&rules->by_address);
}

void frame_rules_close(struct frame_rules *rules)
{
	if (!rules)
		return;
	forget(rules);
	hash_free(&rules->by_address);
	free(rules->kept);
	dw_library.cfi_end(rules->cfi);
	dw_library.elf_end(rules->elf);
	free(rules);
}

static Dwarf_Frame *frame_at(struct frame_rules *rules, uint64_t address)
{
	struct kept *kept;
	uint32_t at;

	HASH_FIND(at, &rules->by_address, hash_u64(address), rules->kept[at].address == address);
	if (at != HASH_NONE)
		return rules->kept[at].frame;
	if (rules->n_kept == KEPT_MAX)
		forget(rules);
	if (!rules->kept)
		rules->kept = alloc_zeroed(KEPT_MAX, sizeof(*rules->kept));
	hash_add(&rules->by_address, hash_u64(address), (uint32_t)rules->n_kept);
	kept = &rules->kept[rules->n_kept++];
	*kept = (struct kept){ .address = address };
	if (dw_library.cfi_addrframe(rules->cfi, address, &kept->frame) != 0)
		kept->frame = NULL;
	return kept->frame;
}

/* What an expression is computed with. */
struct computing {
	const struct frame_stack *stack;
	const struct frame_state *state;
	bool has_cfa;
	uint64_t cfa;
	uint64_t values[VALUES_MAX];
	unsigned n;
};

static bool push(struct computing *at, uint64_t value)
{
	if (at->n == VALUES_MAX)
		return false;
	at->values[at->n++] = value;
	return true;
}

static bool push_register(struct computing *at, uint64_t number, uint64_t offset)
{
	return number < FRAME_REGISTERS && at->state->known >> number & 1 &&
	       push(at, at->state->registers[number] + offset);
}

/* With two values on the stack, of which one stays. */
static bool combine(struct computing *at, uint8_t operation)
{
	uint64_t a, b;

	if (at->n < 2)
		return false;
	b = at->values[--at->n];
	a = at->values[--at->n];
	switch (operation) {
	case DW_OP_and:
		return push(at, a & b);
	case DW_OP_or:
		return push(at, a | b);
	case DW_OP_xor:
		return push(at, a ^ b);
	case DW_OP_plus:
		return push(at, a + b);
	case DW_OP_minus:
		return push(at, a - b);
	case DW_OP_mul:
		return push(at, a * b);
	case DW_OP_shl:
		return push(at, b < 64 ? a << b : 0);
	case DW_OP_shr:
		return push(at, b < 64 ? a >> b : 0);
	case DW_OP_eq:
		return push(at, a == b);
	case DW_OP_ne:
		return push(at, a != b);
	case DW_OP_ge:
		return push(at, (int64_t)a >= (int64_t)b);
	case DW_OP_gt:
		return push(at, (int64_t)a > (int64_t)b);
	case DW_OP_le:
		return push(at, (int64_t)a <= (int64_t)b);
	case DW_OP_lt:
		return push(at, (int64_t)a < (int64_t)b);
	default:
		return false;
	}
}

static bool dereference(struct computing *at)
{
	uint64_t value;

	if (at->n == 0 || !read_stack(at->stack, at->values[at->n - 1], &value))
		return false;
	at->values[at->n - 1] = value;
	return true;
}

/* *is_value: the result is a value, not the address of one. Branches and pieces are not known. */
static bool operate(struct computing *at, const Dwarf_Op *op, bool *is_value)
{
	uint8_t code = op->atom;

	if (code >= DW_OP_lit0 && code <= DW_OP_lit31)
		return push(at, code - DW_OP_lit0);
	if (code >= DW_OP_breg0 && code <= DW_OP_breg31)
		return push_register(at, code - DW_OP_breg0, op->number);
	if (code >= DW_OP_const1u && code <= DW_OP_consts)
		return push(at, op->number);
	switch (code) {
	case DW_OP_bregx:
		return push_register(at, op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return at->has_cfa && push(at, at->cfa);
	case DW_OP_plus_uconst:
		if (at->n == 0)
			return false;
		at->values[at->n - 1] += op->number;
		return true;
	case DW_OP_deref:
		return dereference(at);
	case DW_OP_dup:
		return at->n > 0 && push(at, at->values[at->n - 1]);
	case DW_OP_drop:
		return at->n > 0 && at->n-- > 0;
	case DW_OP_nop:
		return true;
	case DW_OP_stack_value:
		*is_value = true;
		return true;
	default:
		return combine(at, code);
	}
}

static bool compute(struct computing *at, const Dwarf_Op *ops, size_t n, bool *is_value, uint64_t *result)
{
	*is_value = false;
	at->n = 0;
	if (n == 0 || n > OPERATIONS_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!operate(at, &ops[i], is_value))
			return false;
	if (at->n == 0)
		return false;
	*result = at->values[at->n - 1];
	return true;
}

enum found { FOUND_VALUE, FOUND_UNDEFINED, FOUND_NOT };

/* The register that the caller had. */
static enum found caller_register(Dwarf_Frame *frame, unsigned number, struct computing *at, uint64_t *value)
{
	Dwarf_Op memory[3], *ops;
	bool is_value;
	uint64_t result;
	size_t n;

	if (dw_library.frame_register(frame, (int)number, memory, &ops, &n) != 0)
		return FOUND_NOT;
	if (n == 0 && ops == memory && !(FORGOTTEN >> number & 1))
		return FOUND_UNDEFINED;
	if (n == 0) { /* it is the same */
		*value = at->state->registers[number];
		return at->state->known >> number & 1 ? FOUND_VALUE : FOUND_NOT;
	}
	if (n == 1 && ops[0].atom == DW_OP_regx) {
		uint64_t other = ops[0].number;

		*value = other < FRAME_REGISTERS ? at->state->registers[other] : 0;
		return other < FRAME_REGISTERS && at->state->known >> other & 1 ? FOUND_VALUE : FOUND_NOT;
	}
	if (!compute(at, ops, n, &is_value, &result))
		return FOUND_NOT;
	if (!is_value && !read_stack(at->stack, result, &result))
		return FOUND_NOT;
	*value = result;
	return FOUND_VALUE;
}

static enum frame_step step(Dwarf_Frame *frame, int return_register, const struct frame_stack *stack,
			    struct frame_state *state)
{
	struct computing at = { .stack = stack, .state = state };
	struct frame_state caller = { .known = 0 };
	uint64_t wanted = (uint64_t)KEPT | UINT64_C(1) << return_register;
	enum found ip = FOUND_NOT;
	Dwarf_Op *ops;
	bool is_value;
	size_t n;

	if (dw_library.frame_cfa(frame, &ops, &n) != 0 || !compute(&at, ops, n, &is_value, &at.cfa))
		return FRAME_LOST;
	at.has_cfa = true;
	for (unsigned i = 0; i < FRAME_REGISTERS; i++) {
		enum found found;

		if (!(wanted >> i & 1))
			continue;
		found = caller_register(frame, i, &at, &caller.registers[i]);
		caller.known |= (uint64_t)(found == FOUND_VALUE) << i;
		if (i == (unsigned)return_register)
			ip = found;
	}
	if (ip == FOUND_UNDEFINED)
		return FRAME_FIRST;
	if (ip == FOUND_NOT)
		return FRAME_LOST;
	caller.ip = caller.registers[return_register];
	caller.registers[DWARF_IP] = caller.ip;
	caller.registers[DWARF_SP] = at.cfa;
	caller.known |= UINT64_C(1) << DWARF_IP | UINT64_C(1) << DWARF_SP;
	if (caller.ip == 0)
		return FRAME_FIRST;
	if (at.cfa <= state->registers[DWARF_SP] && caller.ip == state->ip)
		return FRAME_LOST; /* it would go on for ever */
	*state = caller;
	return FRAME_CALLER;
}

enum frame_step frame_rules_step(struct frame_rules *rules, uint64_t bias, const struct frame_stack *stack,
				 struct frame_state *state)
{
	uint64_t address = state->ip - bias - !state->exact;
	Dwarf_Frame *frame = frame_at(rules, address);
	enum frame_step result;
	int return_register;
	bool of_signal;

	if (!frame)
		return FRAME_LOST;
	return_register = dw_library.frame_info(frame, NULL, NULL, &of_signal);
	if (return_register < 0 || return_register >= FRAME_REGISTERS)
		return FRAME_LOST;
	result = step(frame, return_register, stack, state);
	if (result == FRAME_CALLER)
		state->exact = of_signal;
	return result;
}

#else

struct frame_rules *frame_rules_open(struct span bytes)
{
	(void)bytes;
	return NULL;
}

void frame_rules_close(struct frame_rules *rules)
{
	(void)rules;
}

enum frame_step frame_rules_step(struct frame_rules *rules, uint64_t bias, const struct frame_stack *stack,
				 struct frame_state *state)
{
	(void)rules;
	(void)bias;
	(void)stack;
	(void)state;
	return FRAME_LOST;
}

#endif
