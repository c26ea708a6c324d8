/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the maps of processes, and of steps from a function to its caller on its own stack. */
#include "suite.h"

#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>

#include "kernel/code/elf_file.h"
#include "topic/profile/code_files.h"
#include "topic/profile/debug_info.h"

static struct code_spaces spaces;

static void map(uint32_t pid, uint64_t start, uint64_t end, uint64_t offset, uint32_t file)
{
	const struct code_map one = { start, end, offset, file };

	code_space_add(code_spaces_get(&spaces, pid), &one);
}

/* What is at addresses of process 7: "1000=1+0 2000=-", a file and an offset in it. */
static void check_maps(uint32_t pid, const char *expected)
{
	struct span rest = span_text(expected), word;

	while (span_word(&rest, &word)) {
		uint64_t address = strtoull(word.at, NULL, 10);
		const struct code_map *at = code_space_find(code_spaces_get(&spaces, pid), address);
		const char *text = at ? textf("%lu=%u+%lu", (unsigned long)address, at->file,
					      (unsigned long)(address - at->start + at->offset))
				      : textf("%lu=-", (unsigned long)address);

		ck_assert_msg(span_is(word, text), "%u: %s", pid, text);
	}
}

/* The file that a process has at 1000; 0: none. */
static uint32_t file_of(uint32_t pid)
{
	const struct code_map *at = code_space_find(code_spaces_get(&spaces, pid), 1000);

	return at ? at->file : 0;
}

START_TEST(later_maps_replace_parts)
{
	map(7, 1000, 2000, 40, 1);
	map(7, 3000, 4000, 0, 3);
	check_maps(7, "999=- 1000=1+40 1999=1+1039 2000=-");
	map(7, 2000, 3000, 0, 2); /* just fits */
	check_maps(7, "1999=1+1039 2000=2+0 2999=2+999 3000=3+0");
	map(7, 2000, 3000, 0, 4); /* the very same place */
	ck_assert_uint_eq(code_spaces_get(&spaces, 7)->n_maps, 3);
	check_maps(7, "2000=4+0");
	map(7, 1500, 1501, 0, 5); /* the least */
	ck_assert_uint_eq(code_spaces_get(&spaces, 7)->n_maps, 5);
	check_maps(7, "1499=1+539 1500=5+0 1501=1+541");
	map(7, 1200, 1200, 0, 6); /* nothing at all */
	map(7, 1200, 1100, 0, 6);
	ck_assert_uint_eq(code_spaces_get(&spaces, 7)->n_maps, 5);
	map(7, 1900, 3100, 0, 8); /* over both ends */
	check_maps(7, "1150=1+190 1899=1+939 1900=8+0 3099=8+1199 3100=3+100");
	map(7, 0, 10000, 0, 9); /* over all */
	ck_assert_uint_eq(code_spaces_get(&spaces, 7)->n_maps, 1);
	code_spaces_free(&spaces);
	ck_assert_uint_eq(spaces.n, 0);
	map(7, 1000, 2000, 0, 1); /* it may be used again */
	check_maps(7, "1999=1+999");
	code_spaces_free(&spaces);
}

START_TEST(a_process_has_so_many_maps)
{
	for (uint32_t i = 0; i < 20000; i++)
		map(7, i * UINT64_C(10), i * UINT64_C(10) + 5, 0, i);
	ck_assert_uint_eq(code_spaces_get(&spaces, 7)->n_maps, 4095);
	map(7, 0, 10, 0, 1); /* there might be two more of it */
	check_maps(7, "9=- 40940=4094+0 40950=-");
	code_spaces_free(&spaces);
}

START_TEST(a_fork_has_a_copy)
{
	struct code_space *child;

	map(8, 5000, 6000, 0, 3);
	code_spaces_end(&spaces, 8); /* another one that had its PID */
	map(7, 1000, 2000, 0, 1);
	map(7, 3000, 4000, 0, 2);
	code_spaces_get(&spaces, 7)->is_whole = true;
	code_spaces_fork(&spaces, 7, 8);
	map(7, 1000, 2000, 0, 4);
	child = code_spaces_get(&spaces, 8);
	ck_assert(child->is_whole && !child->ended && child->n_maps == 2);
	check_maps(8, "1000=1+0 3999=2+999 5000=-");
	code_spaces_end(&spaces, 8);
	code_space_clear(child);
	ck_assert(!child->ended && !child->is_whole && child->n_maps == 0);
	code_spaces_fork(&spaces, 9, 7); /* of one that is not known */
	ck_assert_uint_eq(code_spaces_get(&spaces, 7)->n_maps, 0);
	code_spaces_free(&spaces);
}

/* Room for 2048: of those that were used last, as many as half of that were used since. */
static void fill_all(void)
{
	for (uint32_t pid = 1; pid <= 2048; pid++)
		map(pid, 1000, 2000, 0, pid);
	ck_assert_uint_eq(spaces.n, 2048);
}

START_TEST(half_of_them_are_kept_and_found)
{
	fill_all();
	map(2049, 1000, 2000, 0, 2049);
	ck_assert_uint_eq(spaces.n, 1026);
	for (uint32_t pid = 1024; pid <= 2049; pid++)
		ck_assert_uint_eq(file_of(pid), pid);
	ck_assert_uint_eq(file_of(1023), 0);
	code_spaces_free(&spaces);
	fill_all();
	for (uint32_t pid = 2046; pid <= 2048; pid++)
		spaces.list[pid - 1].ended = true;
	map(2049, 1000, 2000, 0, 2049);
	ck_assert_uint_eq(spaces.n, 1025);
	for (uint32_t pid = 2045; pid <= 2048; pid++) /* the last two may be in use */
		ck_assert_uint_eq(file_of(pid), pid == 2046 ? 0 : pid);
	code_spaces_free(&spaces);
	fill_all();
	code_spaces_fork(&spaces, 1, 3000); /* the oldest one is used again */
	ck_assert_uint_le(spaces.n, 1100);
	ck_assert(file_of(3000) == 1 && file_of(1) == 1);
	code_spaces_free(&spaces);
}

#if PROFILE_REGISTERS != 0 && defined(__x86_64__)

#define COPIED 4096
#define KNOWN_OF_CALLERS 0x1f0c8 /* rbx, rbp, rsp, r12 to r15 and rip, by the numbers of DWARF */

static struct caught {
	uint64_t registers[PROFILE_N_REGISTERS];
	char stack[COPIED];
	size_t bytes;
} caught;

/* Also what lies between variables, which the address sanitizer would report. */
static __attribute__((noinline, no_sanitize("address"))) void
copy_stack(char *to, const volatile char *from, size_t bytes)
{
	while (bytes-- > 0)
		*to++ = *from++;
}

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
	copy_stack(caught.stack, (const volatile char *)caught.registers[PROFILE_SP], caught.bytes);
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

	if (PROFILE_REGISTERS == 0)
		skip_test("profiles take another architecture");
	if (dw_library_load() < 0)
		skip_test("libdw is not installed");
	ck_assert_int_gt(outer(3), 0);
	rules = frame_rules_open(bytes);
	ck_assert_ptr_nonnull(rules);
	frame_state_begin(&state, caught.registers);
	stack = (struct frame_stack){ caught.registers[PROFILE_SP], span_of(caught.stack, caught.bytes) };
	ck_assert_int_eq(frame_rules_step(rules, bias_of_this_program(), &stack, &state), FRAME_CALLER);
	ck_assert(is_in(state.ip, inner, 4000));
	ck_assert_uint_eq(state.known, KNOWN_OF_CALLERS);
	ck_assert_int_eq(frame_rules_step(rules, bias_of_this_program(), &stack, &state), FRAME_CALLER);
	ck_assert_uint_eq(state.known, KNOWN_OF_CALLERS);
	ck_assert(elf_file_parse(&file, bytes));
	ck_assert(elf_file_start(&file, state.ip - 1 - bias_of_this_program(), &start));
	ck_assert_uint_eq(start, (uintptr_t)outer - bias_of_this_program());
	ck_assert(is_in(state.ip, outer, 4000));
	ck_assert(!state.exact);
	stack.bytes.end = stack.bytes.at + 8; /* what was not copied ends it */
	frame_state_begin(&state, caught.registers);
	ck_assert_int_eq(frame_rules_step(rules, bias_of_this_program(), &stack, &state), FRAME_LOST);
	ck_assert_int_eq(frame_rules_step(rules, 1, &stack, &state), FRAME_LOST); /* no rules there */
	frame_rules_close(rules);
}

START_TEST(lines_are_those_of_the_source)
{
	struct source_lines *lines = source_lines_open(NULL, whole_file());
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

#endif

START_TEST(garbage_has_no_rules)
{
	static char garbage[4096];

	memcpy(garbage, "\177ELF", 4);
	ck_assert_ptr_null(frame_rules_open(span_of(garbage, sizeof(garbage))));
	ck_assert_ptr_null(frame_rules_open(span_of(garbage, 0)));
	ck_assert_ptr_null(source_lines_open(NULL, span_of(garbage, sizeof(garbage))));
	ck_assert_ptr_null(source_lines_open(NULL, span_of(garbage, 0)));
}

#if defined(__x86_64__)
#define FP 6
#define SP 7
#elif defined(__aarch64__)
#define FP 29
#define SP 31
#else
#define FP 0
#define SP 0
#endif

START_TEST(frame_pointers_are_followed)
{
	const uint64_t words[8] = { 0, 0, 1032, 0x1234, 0, 0x4711, 0, 0 }; /* frames at 1016 and 1032 */
	const struct frame_stack stack = { 1000, span_of((const char *)words, sizeof(words)) };
	struct frame_state state;
	uint64_t registers[PROFILE_N_REGISTERS] = { 0 };

	if (PROFILE_REGISTERS == 0)
		skip_test("no frame pointer is known here");
	registers[FP] = 1016;
	frame_state_begin(&state, registers);
	ck_assert(state.exact);
	ck_assert_int_eq(frame_pointer_step(&stack, &state), FRAME_CALLER);
	ck_assert_uint_eq(state.ip, 0x1234);
	ck_assert_uint_eq(state.registers[FP], 1032);
	ck_assert_uint_eq(state.registers[SP], 1032);
	ck_assert_uint_eq(state.known, UINT64_C(1) << FP | UINT64_C(1) << SP);
	ck_assert(!state.exact);
	ck_assert_int_eq(frame_pointer_step(&stack, &state), FRAME_CALLER);
	ck_assert_uint_eq(state.ip, 0x4711);
	ck_assert_uint_eq(state.registers[SP], 1048);
	ck_assert_int_eq(frame_pointer_step(&stack, &state), FRAME_LOST); /* it is 0 there */
}

START_TEST(frame_pointers_lie_on_the_stack)
{
	static const struct {
		uint64_t fp;
		enum frame_step step;
	} cases[] = {
		{ 999, FRAME_LOST },    { 1000, FRAME_CALLER },     { 1008, FRAME_FIRST },
		{ 1048, FRAME_CALLER }, { 1049, FRAME_LOST },       { 1056, FRAME_LOST },
		{ 1064, FRAME_LOST },   { UINT64_MAX, FRAME_LOST }, { 992, FRAME_LOST },
	};
	const uint64_t words[8] = { 1016, 0x10, 0, 0x12, 0x13, 0x14, 0x15, 0x16 };
	const struct frame_stack stack = { 1000, span_of((const char *)words, sizeof(words)) };
	uint64_t registers[PROFILE_N_REGISTERS] = { 0 };
	struct frame_state state;

	if (PROFILE_REGISTERS == 0)
		skip_test("no frame pointer is known here");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		registers[FP] = cases[i].fp;
		frame_state_begin(&state, registers);
		ck_assert_msg(frame_pointer_step(&stack, &state) == cases[i].step, "%u",
			      (unsigned)cases[i].fp);
	}
	registers[FP] = 1000;
	frame_state_begin(&state, registers);
	state.known &= ~(UINT64_C(1) << FP);
	ck_assert_int_eq(frame_pointer_step(&stack, &state), FRAME_LOST);
}
