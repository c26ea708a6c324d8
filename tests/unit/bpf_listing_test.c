/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs of all plans, as instructions: tests/bpf/PLAN.txt, which `make update-listings` writes. The
 * kernel that they are made for has a place of our own for each member, so that listings are the same
 * everywhere.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "sys/bpf/emit.h"
#include "topic/trace/trace.h"
#include "topic/tracepoint/tracepoint_plan.h"

#define PLACES_FROM 0x4000 /* no program has a number of its own there */
#define PLACE_BYTES 16     /* room for the pointers on a way */
#define POINTER_BYTES 4

/* Ways to members, how many reads they take, and of how many bytes the last one is. */
static const struct {
	const char *way;
	unsigned n;
	uint32_t bytes;
} members[] = {
	{ "address_space.host", 1, 8 },
	{ "bio.bi_bdev.bd_disk.part0.bd_dev", 4, 4 },
	{ "bio.bi_io_vec.bv_page.mapping.host", 4, 8 },
	{ "bio.bi_iter.bi_size", 1, 4 },
	{ "bio.bi_opf", 1, 4 },
	{ "folio._flags_1", 1, 8 },
	{ "folio.flags", 1, 0 },
	{ "folio.mapping", 1, 8 },
	{ "hrtimer.function", 1, 8 },
	{ "inode.i_ino", 1, 8 },
	{ "inode.i_sb", 1, 8 },
	{ "inode.i_size", 1, 8 },
	{ "kmem_cache.name", 1, 8 },
	{ "mm_struct.rss_stat[0].count", 1, 8 },
	{ "mm_struct.rss_stat[1].count", 1, 8 },
	{ "mm_struct.rss_stat[3].count", 1, 8 },
	{ "pt_regs.bx", 1, 8 },
	{ "pt_regs.cx", 1, 8 },
	{ "pt_regs.di", 1, 8 },
	{ "pt_regs.orig_ax", 1, 8 },
	{ "pt_regs.si", 1, 8 },
	{ "pt_regs.sp", 1, 8 },
	{ "request.__data_len", 1, 4 },
	{ "request.cmd_flags", 1, 4 },
	{ "request.io_start_time_ns", 1, 8 },
	{ "request.q.disk.part0.bd_dev", 4, 4 },
	{ "request.start_time_ns", 1, 8 },
	{ "signal_struct.nr_threads", 1, 4 },
	{ "signal_struct.sum_sched_runtime", 1, 8 },
	{ "sk_buff.len", 1, 4 },
	{ "sock.__sk_common.skc_family", 1, 2 },
	{ "sock.__sk_common.skc_net.net.ns.inum", 2, 4 },
	{ "sock.sk_dst_cache.dev.ifindex", 3, 4 },
	{ "sock.sk_protocol", 1, 2 },
	{ "super_block.s_dev", 1, 4 },
	{ "task_struct.__state", 1, 4 },
	{ "task_struct.cgroups", 1, 8 },
	{ "task_struct.comm", 1, 0 },
	{ "task_struct.flags", 1, 4 },
	{ "task_struct.group_leader", 1, 8 },
	{ "task_struct.group_leader.start_boottime", 2, 8 },
	{ "task_struct.in_iowait", 1, 1 },
	{ "task_struct.in_memstall", 1, 1 },
	{ "task_struct.ioac.syscr", 1, 8 },
	{ "task_struct.maj_flt", 1, 8 },
	{ "task_struct.min_flt", 1, 8 },
	{ "task_struct.mm", 1, 8 },
	{ "task_struct.mm.arg_end", 2, 8 },
	{ "task_struct.mm.arg_start", 2, 8 },
	{ "task_struct.on_cpu", 1, 4 },
	{ "task_struct.on_rq", 1, 4 },
	{ "task_struct.pid", 1, 4 },
	{ "task_struct.real_parent", 1, 8 },
	{ "task_struct.se.sum_exec_runtime", 1, 8 },
	{ "task_struct.signal", 1, 8 },
	{ "task_struct.start_boottime", 1, 8 },
	{ "task_struct.static_prio", 1, 4 },
	{ "task_struct.tgid", 1, 4 },
	{ "task_struct.thread_info.status", 1, 4 },
	{ "timer_list.function", 1, 8 },
};
#define N_MEMBERS (sizeof(members) / sizeof(members[0]))

static const char *const functions[] = { "bpf_iter_task_new", "bpf_iter_task_next", "bpf_iter_task_destroy" };

static const char *const map_names[N_BPF_MAPS] = {
	[BPF_MAP_SELF] = "self",       [BPF_MAP_ENTRIES] = "entries",
	[BPF_MAP_SLOTS] = "slots",     [BPF_MAP_STARTS] = "starts",
	[BPF_MAP_RECORDS] = "records", [BPF_MAP_START_SLOTS] = "start_slots",
	[BPF_MAP_NUMBERS] = "numbers", [BPF_MAP_HISTOGRAMS] = "histograms",
	[BPF_MAP_RINGS] = "rings",     [BPF_MAP_MARKS] = "marks",
	[BPF_MAP_READERS] = "readers", [BPF_MAP_WALK] = "walk",
	[BPF_MAP_WANTED] = "wanted",   [BPF_MAP_WAITERS] = "waiters",
	[BPF_MAP_STACKS] = "stacks",   [BPF_MAP_BEFORE] = "before",
	[BPF_MAP_HITS] = "hits",
};

/* A kernel of which the older lacks what members are absent with. */
struct kernel {
	bool is_old;
};

static int find_member(void *state, const char *way, struct bpf_place *place)
{
	const struct kernel *kernel = state;

	if (strcmp(way, "blk_plug.cur_ktime") == 0)
		return kernel->is_old ? -ENODATA : 0;
	for (uint32_t i = 0; i < N_MEMBERS; i++) {
		if (strcmp(members[i].way, way) != 0)
			continue;
		*place = (struct bpf_place){ .n = members[i].n, .bytes = members[i].bytes };
		for (uint32_t pointer = 0; pointer < members[i].n; pointer++)
			place->offsets[pointer] = PLACES_FROM + i * PLACE_BYTES + pointer * POINTER_BYTES;
		return 0;
	}
	ck_abort_msg("members of %s lacks %s", __FILE__, way);
	return -ENODATA;
}

static int find_bit(void *state, const char *way, uint32_t *offset, uint8_t *bit)
{
	struct bpf_place place;
	int error = find_member(state, way, &place);

	*offset = place.offsets[0];
	*bit = 1;
	return error;
}

static int find_enumerator(void *state, const char *enumeration, const char *name, uint32_t *value)
{
	(void)state;
	ck_assert_str_eq(enumeration, "pageflags");
	ck_assert_str_eq(name, "PG_head");
	*value = 6;
	return 0;
}

static int find_function(void *state, const char *name, uint32_t *number)
{
	(void)state;
	for (uint32_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(functions[i], name) == 0) {
			*number = i;
			return 0;
		}
	return -ENODATA;
}

/* An older kernel has an argument less. */
static int find_arguments(void *state, const char *tracepoint, uint32_t *n)
{
	const struct kernel *kernel = state;

	ck_assert_str_eq(tracepoint, "tcp_retransmit_skb");
	*n = kernel->is_old ? 2 : 3;
	return 0;
}

/* --- A disassembler. */

/* A number, or the member whose place it is; of a pointer on the way with its number. */
static const char *named(int32_t number)
{
	static char text[128];
	uint32_t at = (uint32_t)(number - PLACES_FROM), i = at / PLACE_BYTES, pointer;

	if (number < PLACES_FROM || i >= N_MEMBERS) {
		snprintf(text, sizeof(text), "%d", number);
		return text;
	}
	pointer = at % PLACE_BYTES / POINTER_BYTES;
	if (pointer + 1 == members[i].n)
		return members[i].way;
	snprintf(text, sizeof(text), "%s:%u", members[i].way, pointer + 1);
	return text;
}

static const char *place_of(const struct bpf_insn *insn, unsigned base)
{
	static const char *const sizes[] = {
		[BPF_W >> 3] = "u32", [BPF_H >> 3] = "u16", [BPF_B >> 3] = "u8", [BPF_DW >> 3] = "u64"
	};
	static char text[160];

	snprintf(text, sizeof(text), "*(%s *)(r%u %c %s)", sizes[(insn->code & BPF_DW) >> 3], base,
		 insn->off < 0 ? '-' : '+', named(insn->off < 0 ? -insn->off : insn->off));
	return text;
}

static void list_computation(FILE *file, const struct bpf_insn *insn)
{
	static const char *const operators[] = { "+=",  "-=",  "*=", "/=", "|=", "&=",  "<<=",
						 ">>=", "neg", "%=", "^=", "=",  "s>>=" };
	const char *narrow = BPF_CLASS(insn->code) == BPF_ALU ? "(u32)" : "";

	fprintf(file, "r%u %s %s", insn->dst_reg, operators[insn->code >> 4], narrow);
	if (insn->code & BPF_X)
		fprintf(file, "r%u", insn->src_reg);
	else
		fputs(named(insn->imm), file);
}

/* skips: how many lines further it goes. */
static void list_jump(FILE *file, const struct bpf_insn *insn, int skips)
{
	static const char *const operators[] = { "",    "==", ">", ">=", "&",  "!=", "s>",
						 "s>=", "",   "",  "<",  "<=", "s<", "s<=" };
	unsigned n_arguments;

	switch (insn->code & 0xf0) {
	case BPF_EXIT:
		fputs("exit", file);
		return;
	case BPF_CALL:
		fprintf(file, "call %s",
			insn->src_reg ? functions[insn->imm] : emit_function(insn->imm, &n_arguments));
		return;
	case BPF_JA:
		fprintf(file, "goto %+d", skips);
		return;
	default:
		fprintf(file, "if r%u %s ", insn->dst_reg, operators[insn->code >> 4]);
		if (insn->code & BPF_X)
			fprintf(file, "r%u goto %+d", insn->src_reg, skips);
		else
			fprintf(file, "%d goto %+d", insn->imm, skips);
	}
}

/* Of two instructions. */
static void list_long(FILE *file, const struct bpf_insn *insn)
{
	uint64_t number = (uint32_t)insn[0].imm | (uint64_t)(uint32_t)insn[1].imm << 32;

	if (insn->src_reg)
		fprintf(file, "r%u = %s %s", insn->dst_reg,
			insn->src_reg == BPF_PSEUDO_MAP_FD ? "map" : "memory of", map_names[insn->imm]);
	else
		fprintf(file, "r%u = %#llx", insn->dst_reg, (unsigned long long)number);
}

static void list_atomic(FILE *file, const struct bpf_insn *insn)
{
	const char *place = place_of(insn, insn->dst_reg);

	if (insn->imm == BPF_CMPXCHG)
		fprintf(file, "r0 = compare and exchange(%s, r0, r%u)", place, insn->src_reg);
	else if (insn->imm & BPF_FETCH)
		fprintf(file, "r%u = fetch and add(%s, r%u)", insn->src_reg, place, insn->src_reg);
	else
		fprintf(file, "lock %s += r%u", place, insn->src_reg);
}

static void list_one(FILE *file, const struct bpf_insn *insn, int skips)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		list_computation(file, insn);
		return;
	case BPF_JMP:
		list_jump(file, insn, skips);
		return;
	case BPF_LD:
		list_long(file, insn);
		return;
	case BPF_LDX:
		fprintf(file, "r%u = %s", insn->dst_reg, place_of(insn, insn->src_reg));
		return;
	case BPF_ST:
		fprintf(file, "%s = %d", place_of(insn, insn->dst_reg), insn->imm);
		return;
	case BPF_STX:
		if ((insn->code & 0xe0) == BPF_ATOMIC)
			list_atomic(file, insn);
		else
			fprintf(file, "%s = r%u", place_of(insn, insn->dst_reg), insn->src_reg);
		return;
	default:
		ck_abort_msg("an instruction with code %#x", insn->code);
	}
}

static bool is_jump(const struct bpf_insn *insn)
{
	unsigned kind = insn->code & 0xf0;

	return BPF_CLASS(insn->code) == BPF_JMP && kind != BPF_CALL && kind != BPF_EXIT;
}

static bool is_long(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_DW | BPF_IMM);
}

/* A line for each instruction, with a colon before those that jumps lead to. */
static void list_code(FILE *file, const struct bpf_code *code)
{
	bool is_target[BPF_CODE_MAX] = { false };
	int lines[BPF_CODE_MAX] = { 0 }, n_lines = 0;

	for (unsigned i = 0; i < code->count; i += 1 + is_long(&code->insns[i])) {
		lines[i] = n_lines++;
		if (is_jump(&code->insns[i]))
			is_target[(int)i + code->insns[i].off + 1] = true;
	}
	for (unsigned i = 0; i < code->count; i += 1 + is_long(&code->insns[i])) {
		const struct bpf_insn *insn = &code->insns[i];

		fputs(is_target[i] ? ":\t" : "\t", file);
		list_one(file, insn, is_jump(insn) ? lines[(int)i + insn->off + 1] - lines[i] - 1 : 0);
		fputc('\n', file);
	}
}

/* --- The listings. */

/* A plan opens what its programs name; in some of these maps they may look for what another one keeps. */
static void check_maps(const struct bpf_program *program, const struct bpf_code *code)
{
	unsigned its_maps = program->does->maps | BPF_MAP_BIT(BPF_MAP_SELF) | BPF_MAP_BIT(BPF_MAP_SLOTS) |
			 BPF_MAP_BIT(BPF_MAP_STARTS) | BPF_MAP_BIT(BPF_MAP_MARKS) |
			 BPF_MAP_BIT(BPF_MAP_WANTED);

	for (unsigned i = 0; i < code->count; i += 1 + is_long(&code->insns[i])) {
		const struct bpf_insn *insn = &code->insns[i];

		if (is_long(insn) && insn->src_reg)
			ck_assert_msg(its_maps >> insn->imm & 1, "%s uses %s, but does not name it",
				      program->name, map_names[insn->imm]);
	}
}

static void list_program(FILE *file, const struct trace_plan *plan, const struct bpf_program *program,
			 const char *how, bool typed, bool is_old)
{
	static struct bpf_code code;
	struct kernel state = { .is_old = is_old };
	const struct bpf_kernel kernel = {
		.state = &state,
		.page_bits = 12,
		.member = find_member,
		.bit = find_bit,
		.enumerator = find_enumerator,
		.function = find_function,
		.arguments = find_arguments,
	};
	bool of_one = plan == &trace_plan_time_account_of_one || plan == &trace_plan_waiting_of_one;
	struct bpf_target target = { .kernel = &kernel,
				     .typed = typed,
				     .of_wanted = plan->of_wanted,
				     .process = of_one ? 4711 : 0 };

	for (enum bpf_map map = 0; map < N_BPF_MAPS; map++)
		target.maps[map] = map == BPF_MAP_SLOTS && !plan->slots ? -1 : (int)map;
	ck_assert_msg(bpf_assemble(&code, program, &target) == 0, "%s: %s", program->name,
		      code.refused ? code.refused : "it lacks something");
	check_maps(program, &code);
	fprintf(file, "%s: %s%s, %u instructions\n", program->tracepoint, program->name, how, code.count);
	list_code(file, &code);
	if (code.lacks)
		list_program(file, plan, program, ", of an older kernel", typed, true);
}

static void list_plan(FILE *file, const struct trace_plan *plan)
{
	for (unsigned i = 0; i < plan->n_programs; i++) {
		const struct bpf_program *program = &plan->programs[i];
		bool typed = program->typed || program->does->needs_types;

		list_program(file, plan, program, "", typed, false);
		if (typed && !program->does->needs_types)
			list_program(file, plan, program, ", without types", false, false);
	}
}

static void check_plan(const char *name, const struct trace_plan *plan)
{
	FILE *made = tmpfile();

	ck_assert_ptr_nonnull(made);
	list_plan(made, plan);
	check_listing(made, textf("bpf/%s.txt", name));
	fclose(made);
}

/* A tracepoint that a user names: keys, sums and conditions of all kinds. */
static void check_plan_of_tracepoint(const char *name, const char *text, bool of_scope)
{
	static const char format[] = "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
				     "\tfield:int change;\toffset:12;\tsize:4;\tsigned:1;\n"
				     "\tfield:u16 odd;\toffset:17;\tsize:2;\tsigned:0;\n"
				     "\tfield:char rwbs[10];\toffset:24;\tsize:10;\tsigned:0;\n"
				     "\tfield:__data_loc char[] path;\toffset:36;\tsize:4;\tsigned:0;\n"
				     "\tfield:__rel_loc char[] near;\toffset:40;\tsize:4;\tsigned:0;\n"
				     "\tfield:int fd;\toffset:48;\tsize:8;\tsigned:0;\n";
	static struct tracepoint_plan plan;
	struct trace_spec spec;
	char why[256];

	ck_assert_msg(trace_spec_parse(&spec, text, why, sizeof(why)), "%s", why);
	ck_assert_msg(tracepoint_plan_make(&plan, &spec, span_text(format), of_scope, why, sizeof(why)), "%s",
		      why);
	check_plan(name, &plan.plan);
}

START_TEST(programs_are_those_of_their_listings)
{
#ifndef __x86_64__
	skip_test("the listings are of x86-64");
#endif
#define TRACE_PLAN(name) check_plan(#name, &trace_plan_##name);
#include "topic/trace/plans.def"
#undef TRACE_PLAN
	check_plan_of_tracepoint("tracepoint", "a:b", false);
	check_plan_of_tracepoint("tracepoint_of_scope",
				 "a:b by comm,rwbs,path,near sum(fd) max(change) hist(change) if "
				 "dev == 8:0 and odd >= 7 and change < -1 and rwbs != WS and path == "
				 "/bin/true",
				 true);
}
