/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the maps of processes, and of steps from a function to its caller on its own stack. */
#include <config.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "kernel/code/elf_file.h"
#include "suite.h"
#include "topic/profile/code_space.h"
#include "topic/profile/dw_library.h"
#include "topic/profile/frame_rules.h"
#include "topic/profile/source_lines.h"

static struct code_spaces spaces;

static void map(uint32_t pid, uint64_t start, uint64_t end, uint64_t offset, uint32_t file)
{
	const struct code_map one = { start, end, offset, file };

	code_space_add(code_spaces_get(&spaces, pid), &one);
}

/* "file+offset in it" of an address; UINT64_MAX: nothing is there. */
static uint64_t found(uint32_t pid, uint64_t address)
{
	const struct code_map *at = code_space_find(code_spaces_get(&spaces, pid), address);

	return at ? (uint64_t)at->file * 100000 + address - at->start + at->offset : UINT64_MAX;
}

START_TEST(later_maps_replace_parts)
{
	map(7, 1000, 2000, 0, 1);
	map(7, 3000, 4000, 0, 2);
	ck_assert_uint_eq(found(7, 999), UINT64_MAX);
	ck_assert_uint_eq(found(7, 1000), 100000);
	ck_assert_uint_eq(found(7, 1999), 100999);
	ck_assert_uint_eq(found(7, 2000), UINT64_MAX);
	map(7, 1400, 1500, 50, 3); /* in the middle */
	ck_assert_uint_eq(found(7, 1399), 100399);
	ck_assert_uint_eq(found(7, 1400), 300050);
	ck_assert_uint_eq(found(7, 1500), 100500);
	map(7, 1900, 3100, 0, 4); /* over both ends */
	ck_assert_uint_eq(found(7, 1899), 100899);
	ck_assert_uint_eq(found(7, 3099), 401199);
	ck_assert_uint_eq(found(7, 3100), 200100);
	map(7, 0, 10000, 0, 5); /* over all */
	ck_assert_uint_eq(code_spaces_get(&spaces, 7)->n_maps, 1);
	code_spaces_free(&spaces);
}
END_TEST

START_TEST(a_fork_has_a_copy)
{
	map(7, 1000, 2000, 0, 1);
	code_spaces_get(&spaces, 7)->is_whole = true;
	code_spaces_fork(&spaces, 7, 8);
	map(7, 1000, 2000, 0, 2);
	ck_assert_uint_eq(found(8, 1000), 100000);
	ck_assert(code_spaces_get(&spaces, 8)->is_whole);
	code_space_clear(code_spaces_get(&spaces, 8));
	ck_assert_uint_eq(found(8, 1000), UINT64_MAX);
	code_spaces_free(&spaces);
}
END_TEST

START_TEST(the_oldest_processes_are_forgotten)
{
	for (uint32_t pid = 1; pid <= 5000; pid++)
		map(pid, 1000, 2000, 0, 1);
	ck_assert_uint_le(spaces.n, 2048);
	ck_assert_uint_eq(found(5000, 1000), 100000);
	ck_assert_uint_eq(found(1, 1000), UINT64_MAX);
	code_spaces_free(&spaces);
}
END_TEST

#if PROFILE_REGISTERS != 0 && defined(__x86_64__)

#define COPIED 4096

static struct caught {
	uint64_t registers[PROFILE_N_REGISTERS];
	char stack[COPIED];
	size_t bytes;
} caught;

/* As the kernel does it: the registers, and the stack from its pointer on. */
static __attribute__((noinline)) int catch_here(void)
{
	static const int order[PROFILE_N_REGISTERS] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
							REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
							REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
	ucontext_t context;

	getcontext(&context);
	for (int i = 0; i < PROFILE_N_REGISTERS; i++)
		caught.registers[i] = (uint64_t)context.uc_mcontext.gregs[order[i]];
	caught.bytes = COPIED;
	memcpy(caught.stack, (const void *)caught.registers[PROFILE_SP], caught.bytes);
	return 1;
}

static __attribute__((noinline)) int inner(int n)
{
	volatile char room[100] = { 0 };

	return catch_here() + n + room[n % 100];
}

static __attribute__((noinline)) int outer(int n)
{
	int sum = inner(n + 1);

	return sum * 2;
}

static struct span whole_file(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat status;
	void *bytes;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &status), 0);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(bytes, MAP_FAILED);
	close(fd);
	return span_of(bytes, (size_t)status.st_size);
}

static uint64_t bias_of_this_program(void)
{
	extern const char __ehdr_start[];

	return (uintptr_t)__ehdr_start;
}

static bool is_in(uint64_t address, int (*function)(int), size_t bytes)
{
	return address >= (uintptr_t)function && address < (uintptr_t)function + bytes;
}

START_TEST(callers_are_found_one_by_one)
{
	struct frame_stack stack;
	struct frame_state state;
	struct frame_rules *rules;
	struct span bytes = whole_file();
	struct elf_file file;
	uint64_t start;

	if (dw_library_load() < 0)
		skip_test("libdw is not installed");
	ck_assert_int_gt(outer(3), 0);
	rules = frame_rules_open(bytes);
	ck_assert_ptr_nonnull(rules);
	frame_state_begin(&state, caught.registers);
	stack = (struct frame_stack){ caught.registers[PROFILE_SP], span_of(caught.stack, caught.bytes) };
	ck_assert_int_eq(frame_rules_step(rules, bias_of_this_program(), &stack, &state), FRAME_CALLER);
	ck_assert(is_in(state.ip, inner, 4000));
	ck_assert_int_eq(frame_rules_step(rules, bias_of_this_program(), &stack, &state), FRAME_CALLER);
	ck_assert(elf_file_parse(&file, bytes));
	ck_assert(elf_file_start(&file, state.ip - 1 - bias_of_this_program(), &start));
	ck_assert_uint_eq(start, (uintptr_t)outer - bias_of_this_program());
	ck_assert(is_in(state.ip, outer, 4000));
	ck_assert(!state.exact);
	frame_rules_close(rules);
}
END_TEST

START_TEST(what_was_not_copied_ends_it)
{
	struct frame_stack stack;
	struct frame_state state;
	struct frame_rules *rules;

	if (dw_library_load() < 0)
		skip_test("libdw is not installed");
	ck_assert_int_gt(outer(3), 0);
	rules = frame_rules_open(whole_file());
	frame_state_begin(&state, caught.registers);
	stack = (struct frame_stack){ caught.registers[PROFILE_SP], span_of(caught.stack, 8) };
	ck_assert_int_eq(frame_rules_step(rules, bias_of_this_program(), &stack, &state), FRAME_LOST);
	ck_assert_int_eq(frame_rules_step(rules, 1, &stack, &state), FRAME_LOST); /* no rules there */
	frame_rules_close(rules);
}
END_TEST

START_TEST(lines_are_those_of_the_source)
{
	struct source_lines *lines = source_lines_open(whole_file());
	uint64_t start = (uintptr_t)outer - bias_of_this_program();
	struct source_line line;
	const char *name;

	if (!lines)
		skip_test("this test has no line tables, or libdw is not installed");
	ck_assert(source_lines_find(lines, start, &line));
	name = memrchr(line.file.at, '/', span_length(line.file));
	ck_assert_str_eq(name ? name + 1 : line.file.at, "code_space_test.c");
	ck_assert_uint_gt(line.number, 1);
	ck_assert_uint_lt(line.number, __LINE__);
	ck_assert(!source_lines_find(lines, 1, &line));
	ck_assert(!source_lines_find(lines, UINT64_MAX, &line));
	source_lines_close(lines);
}
END_TEST

#endif

START_TEST(garbage_has_no_rules)
{
	static char garbage[4096];

	memcpy(garbage, "\177ELF", 4);
	ck_assert_ptr_null(frame_rules_open(span_of(garbage, sizeof(garbage))));
	ck_assert_ptr_null(frame_rules_open(span_of(garbage, 0)));
	ck_assert_ptr_null(source_lines_open(span_of(garbage, sizeof(garbage))));
	ck_assert_ptr_null(source_lines_open(span_of(garbage, 0)));
}
END_TEST

START_TEST(frame_pointers_are_followed)
{
	const uint64_t words[8] = { 0, 0, 1032, 0x1234, 0, 0x4711, 0, 0 }; /* frames at 1016 and 1032 */
	const struct frame_stack stack = { 1000, span_of((const char *)words, sizeof(words)) };
	struct frame_state state;
	uint64_t registers[PROFILE_N_REGISTERS] = { 0 };

#if defined(__x86_64__)
	registers[6] = 1016;
#elif defined(__aarch64__)
	registers[29] = 1016;
#else
	skip_test("no frame pointer is known here");
#endif
	frame_state_begin(&state, registers);
	ck_assert_int_eq(frame_pointer_step(&stack, &state), FRAME_CALLER);
	ck_assert_uint_eq(state.ip, 0x1234);
	ck_assert_int_eq(frame_pointer_step(&stack, &state), FRAME_CALLER);
	ck_assert_uint_eq(state.ip, 0x4711);
	ck_assert_int_eq(frame_pointer_step(&stack, &state), FRAME_LOST); /* it is 0 there */
}
END_TEST
