/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs of all plans, as instructions: tests/bpf/PLAN.txt and parts.txt, whose head says how to read
 * them; `make update-listings` writes them. The kernel that they are made for has a place of our own for each
 * member, so that listings are the same everywhere.
 *
 * Nothing is left out: instructions that belong together are joined (idioms, join_pairs), lines that many
 * programs have are named (parts), and a program that is like another one is what differs from it.
 */
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

static void list_jump(FILE *file, const struct bpf_insn *insn)
{
	static const char *const operators[] = { "",    "==", ">", ">=", "&",  "!=", "s>",
						 "s>=", "",   "",  "<",  "<=", "s<", "s<=" };
	unsigned n_arguments;

	switch (insn->code & 0xf0) {
	case BPF_EXIT:
		fputs("exit", file);
		return;
	case BPF_CALL:
		fprintf(file, "r0 = %s()",
			insn->src_reg ? functions[insn->imm] : emit_function(insn->imm, &n_arguments));
		return;
	case BPF_JA:
		return;
	default:
		fprintf(file, "if r%u %s ", insn->dst_reg, operators[insn->code >> 4]);
		if (insn->code & BPF_X)
			fprintf(file, "r%u", insn->src_reg);
		else
			fprintf(file, "%d", insn->imm);
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

static void list_one(FILE *file, const struct bpf_insn *insn)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		list_computation(file, insn);
		return;
	case BPF_JMP:
		list_jump(file, insn);
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

/* --- Lines: an instruction each, or some that are one thought. */

#define COLUMNS 110
#define LINE_BYTES (COLUMNS - 20) /* behind a label, before where it goes */
#define TARGETS_MAX 6
#define HELD_BYTES 16 /* of the frame; in all programs they are the same */
#define LINES_MAX 512 /* of a listing in the end */

struct line {
	char text[LINE_BYTES];
	unsigned targets[TARGETS_MAX]; /* lines; n: what follows a part; beyond: elsewhere */
	unsigned n_targets;
	unsigned label; /* from 1; 0: no line goes here */
};

/* Of a program, or of a part. */
struct listing {
	const char *of; /* the plan, or the part */
	char name[256];
	unsigned instructions;
	struct line *lines;
	unsigned n, n_labels;
	bool is_whole; /* and not what differs from another one */
};

static bool goes_into(const struct listing *listing, unsigned from, unsigned until, unsigned at)
{
	for (unsigned i = 0; i < listing->n; i++) {
		const struct line *line = &listing->lines[i];

		if (i < from || i >= until)
			for (unsigned t = 0; t < line->n_targets; t++)
				if (line->targets[t] == at)
					return true;
	}
	return false;
}

/* Whether nothing goes to the middle of these lines. */
static bool is_one_piece(const struct listing *listing, unsigned from, unsigned until)
{
	for (unsigned at = from + 1; at < until; at++)
		if (goes_into(listing, from, until, at))
			return false;
	return true;
}

/* One line in place of these. */
static void replace(struct listing *listing, unsigned from, unsigned until, const struct line *by)
{
	listing->lines[from] = *by;
	memmove(&listing->lines[from + 1], &listing->lines[until],
		(listing->n - until) * sizeof(listing->lines[0]));
	listing->n -= until - from - 1;
	for (unsigned i = 0; i < listing->n; i++)
		for (unsigned t = 0; t < listing->lines[i].n_targets; t++)
			if (listing->lines[i].targets[t] >= until)
				listing->lines[i].targets[t] -= until - from - 1;
}

static void set_text(struct line *line, const char *text)
{
	ck_assert_msg(strlen(text) < sizeof(line->text), "a long line: %s", text);
	strcpy(line->text, text);
}

/* $a: any word, but the same one wherever it stands; $*: the rest of the line. */
struct words {
	const char *starts['z' + 1];
	size_t bytes['z' + 1];
};

static bool matches(const char *text, const char *pattern, struct words *words)
{
	for (; *pattern && *pattern != '\n'; pattern++) {
		unsigned char name = (unsigned char)pattern[1];
		size_t bytes = strcspn(text, " ()");

		if (*pattern != '$') {
			if (*text++ != *pattern)
				return false;
			continue;
		}
		if (name == '*')
			return true;
		pattern++;
		if (words->starts[name] && (words->bytes[name] != bytes ||
					    strncmp(words->starts[name], text, bytes) != 0))
			return false;
		words->starts[name] = text;
		words->bytes[name] = bytes;
		text += bytes;
	}
	return *text == '\0';
}

static const char *filled(const char *pattern, const struct words *words)
{
	static char text[256];
	size_t n = 0;

	for (; *pattern; pattern++) {
		unsigned char name = (unsigned char)pattern[1];

		if (*pattern != '$') {
			text[n++] = *pattern;
			continue;
		}
		pattern++;
		memcpy(text + n, words->starts[name], words->bytes[name]);
		n += words->bytes[name];
	}
	text[n] = '\0';
	return text;
}

/* In this order: what an earlier one makes may be in a later one. */
static const struct {
	const char *lines, *text;
} idioms[] = {
	{ "r$r = r10\nr$r += -$a", "r$r = r10 - $a" },
	{ "r1 = map $m\nr2 = r10 - $k\nr0 = map_lookup_elem()", "r0 = look up $m(r10 - $k)" },
	{ "r1 = map $m\nr2 = r10 - $k\nr3 = r10 - $v\nr4 = $f\nr0 = map_update_elem()",
	  "r0 = update $m(r10 - $k) to r10 - $v, flags $f" },
	{ "r1 = *(u64 *)($r + $o)\nr1 += $v\n*(u64 *)($r + $o) = r1", "r1 = *(u64 *)($r + $o) += $v" },
	{ "r3 += $m\n*(u64 *)(r10 - 16) = 0\nr1 = r10 - 16\nr2 = $b\nr0 = probe_read_kernel()\n"
	  "r3 = *(u$n *)(r10 - 16)", "r3 = read *(u$n *)(r3 + $m), $b bytes" },
	{ "r0 = $n\nexit", "return $n" },
};

/* How many lines from there on are those of the pattern, if they are. */
static unsigned match_lines(const struct listing *listing, unsigned from, const char *pattern,
			    struct words *words)
{
	unsigned n = 0;

	*words = (struct words){ 0 };
	for (; pattern; n++) {
		if (from + n == listing->n || !matches(listing->lines[from + n].text, pattern, words))
			return 0;
		pattern = strchr(pattern, '\n');
		pattern += pattern != NULL;
	}
	return n;
}

static void join_idioms(struct listing *listing, const char *lines, const char *text)
{
	for (unsigned from = 0; from < listing->n; from++) {
		struct words words;
		struct line by = { 0 };
		unsigned n = match_lines(listing, from, lines, &words);

		if (n == 0 || !is_one_piece(listing, from, from + n))
			continue;
		set_text(&by, filled(text, &words));
		replace(listing, from, from + n, &by);
	}
}

static bool is_zeroed(const struct line *line, unsigned offset)
{
	return strcmp(line->text, textf("*(u64 *)(r10 - %u) = 0", offset)) == 0;
}

/* Words of the frame that become 0 one after the other. */
static void join_zeros(struct listing *listing)
{
	for (unsigned from = 0; from < listing->n; from++) {
		unsigned offset, n = 1;
		struct line by = { 0 };

		if (sscanf(listing->lines[from].text, "*(u64 *)(r10 - %u) =", &offset) != 1 ||
		    !is_zeroed(&listing->lines[from], offset))
			continue;
		while (from + n < listing->n && is_zeroed(&listing->lines[from + n], offset - 8 * n))
			n++;
		set_text(&by, textf("%u words at r10 - %u = 0", n, offset));
		if (n > 1 && is_one_piece(listing, from, from + n))
			replace(listing, from, from + n, &by);
	}
}

/* "r1 = A", "r1 = *(u32 *)(r1 + 4)": "r1 = *(u32 *)(A + 4)" */
static bool nests(const char *one, const char *two, char *text, size_t size)
{
	unsigned to, again, base, bits;
	int n_one = 0, n_two = 0;

	if (sscanf(one, "r%u = %n", &to, &n_one) != 1 || strncmp(one + n_one, "*(u", strlen("*(u")) != 0 ||
	    sscanf(two, "r%u = *(u%u *)(r%u +%n", &again, &bits, &base, &n_two) != 3 || n_two == 0 ||
	    to != again || to != base)
		return false;
	one += n_one;
	two += n_two;
	return (size_t)snprintf(text, size, "r%u = *(u%u *)(%s +%s", to, bits, one, two) < size;
}

/* "r1 = A", "B = r1" or "B += r1": "B = r1 = A", "B += r1 = A", where r1 is not in B */
static bool chains(const char *one, const char *two, char *text, size_t size)
{
	unsigned to, from;
	int n = 0;
	const char *from_text = strrchr(two, ' ');

	if (sscanf(one, "r%u = %n", &to, &n) != 1 || n == 0 || !from_text || from_text[-1] != '=' ||
	    sscanf(from_text, " r%u%n", &from, &n) != 1 || from_text[n] || from != to ||
	    strstr(two, textf("(r%u ", to)) || strncmp(two, one, strcspn(one, " ") + 1) == 0 ||
	    strncmp(two, "if ", strlen("if ")) == 0)
		return false;
	return (size_t)snprintf(text, size, "%.*s %s", (int)(from_text - two), two, one) < size;
}

/* "r1 = A", "if r1 == 0": "if (r1 = A) == 0"; "if r2 == r1": "if r2 == (r1 = A)" */
static bool asks(const char *one, const char *two, char *text, size_t size)
{
	unsigned to, asked, with = UINT32_MAX;
	int n = 0, n_with = 0, before = 0;

	if (sscanf(one, "r%u = %n", &to, &n) != 1 || n == 0 ||
	    sscanf(two, "if r%u%n %*s %nr%u%n", &asked, &n, &before, &with, &n_with) < 1)
		return false;
	if (to == asked)
		return (size_t)snprintf(text, size, "if (%s)%s", one, two + n) < size;
	return to == with &&
	       (size_t)snprintf(text, size, "%.*s(%s)%s", before, two, one, two + n_with) < size;
}

typedef bool joins(const char *one, const char *two, char *text, size_t size);

static void join_pairs(struct listing *listing, joins *join)
{
	for (unsigned at = 0; at + 1 < listing->n; at++) {
		struct line by = listing->lines[at + 1];

		if (listing->lines[at].n_targets > 0 || !is_one_piece(listing, at, at + 2) ||
		    !join(listing->lines[at].text, listing->lines[at + 1].text, by.text, sizeof(by.text)))
			continue;
		replace(listing, at, at + 2, &by);
		at--;
	}
}

/* --- Parts: lines that many programs have, with other places of the frame. */

/*
 * From these first lines to the next of these last lines; the inner parts first. What is between may change:
 * then parts.txt does. Where they change themselves they are to be changed here, or stand in every program.
 */
static const struct {
	const char *name, *first, *last;
} parts[] = {
	{ "begin", "*(u64 *)(r10 - 8) = 0\nif (r0 = look up self(r10 - 8)) == 0",
	  "r1 &= 63\nif r1 != 0\nr8 = r0 = ktime_get_ns()" },
	{ "begin, always timed", "*(u64 *)(r10 - 8) = 0\nif (r0 = look up self(r10 - 8)) == 0",
	  "r1 &= 0\nif r1 != 0\nr8 = r0 = ktime_get_ns()" },
	{ "time", "if r8 == 0\nr0 = ktime_get_ns()", "r1 = *(u64 *)(r7 + 16) += 1" },
	{ "bits", "r2 = 0\nr3 = r1\nr3 >>= 32", "if r1 == 0\nr2 += 1" },
	{ "bucket", "[bits]", "if r1 < 3808\nr1 = 3807" },
	{ "hash", "r1 = 0\nr2 = 0x9e3779b97f4a7c15", "*(u32 *)(r10 - $s) = r1" },
	{ "count in slots", "[hash$*\nif (r0 = look up slots(r10 - $s)) == 0",
	  "lock *(u64 *)(r0 + 0) += r1 = 1" },
	{ "count", "if (r0 = look up entries(r10 - $k)) != 0\n3 words at r10 - $e = 0",
	  "lock *(u64 *)(r0 + 0) += r1 = 1" },
	{ "sum", "lock *(u64 *)(r0 + 8) += r9\nif (r1 = *(u64 *)(r0 + 16)) >= r9", "*(u64 *)(r0 + 16) = r9" },
	{ "marks", "r0 = look up marks(r10 - 8)\nr1 = 0", "r1 = *(u64 *)(r0 + 0)" },
	{ "noted", "r0 = look up starts(r10 - 16)\nr1 = 0", "r1 = *(u64 *)(r0 + 0)" },
	{ "keep", "if (r0 = look up starts(r10 - $k)) == 0\n*(u64 *)(r0 + 0) = r9",
	  "r1 = *(u64 *)(r7 + 8) += 1" },
	{ "state", "r9 = 7\nif r1 & 128", "r9 = 4" },
	{ "call", "if (r1 = *(u32 *)(*(u64 *)(r10 - $t) + task_struct.flags)) & 2097152", "r1 = -1" },
	{ "waited", "if (r1 = *(u64 *)(r10 - $t)) >= (r3 = *(u64 *)(r0 + 24))\nr1 = r3", "[sum]" },
	{ "new waiter", "16 words at r10 - $w = 0", "r1 = *(u64 *)(r7 + 8) += 1" },
	{ "account", "if (r2 = *(u64 *)(r10 - $n)) >= (r3 = *(u64 *)(r0 + 16))\nr2 = r3",
	  "r1 = *(u64 *)(r0 + 40) += r2" },
	{ "new thread", "13 words at r10 - $w = 0", "r1 = *(u64 *)(r7 + 8) += 1" },
	{ "path", "r3 = *(u64 *)(r6 + 0)\nr2 = *(u64 *)(r3 + pt_regs.orig_ax)\nif (r2 = (u32)r2) != 257",
	  "if r2 != 8\nif r1 == 0\nr9 = *(u64 *)(r3 + pt_regs.bx)\nr9 = (u32)r9\n" },
	{ "flags of a folio", "r2 = *(u64 *)(r1 + folio.flags)", "r2 <<= r3" },
	{ "reader",
	  "*(u64 *)(r10 - $p) = r0 = get_current_pid_tgid()\nif (r0 = look up readers(r10 - $p)) != 0",
	  "r0 = update $*\nr0 = look up readers(r10 - $p)" },
	{ "count pages", "r1 = *(u64 *)(r10 - $p)\nr1 >>= 32", "[sum]" },
};
#define N_PARTS (sizeof(parts) / sizeof(parts[0]))

static bool was_found[N_PARTS];
static struct listing bodies[64];
static unsigned n_bodies;

static bool is_same(const struct listing *one, const struct listing *other)
{
	if (one->n != other->n)
		return false;
	for (unsigned i = 0; i < one->n; i++) {
		const struct line *line = &one->lines[i], *its = &other->lines[i];

		if (strcmp(line->text, its->text) != 0 || line->n_targets != its->n_targets ||
		    memcmp(line->targets, its->targets, sizeof(line->targets)) != 0)
			return false;
	}
	return true;
}

/* Whether an offset of the frame begins there: "r10 - 24", "[part] 24, 32". */
static bool is_place(const struct line *line, const char *at)
{
	static const char base[] = "r10 - ";
	size_t n = (size_t)(at - line->text), bytes = strlen(base);

	if (*at < '0' || *at > '9' || n == 0 || at[-1] != ' ')
		return false;
	return line->text[0] == '[' ? at > strchr(line->text, ']')
				    : n >= bytes && strncmp(at - bytes, base, bytes) == 0;
}

/* Offsets of the frame become letters; places: which they are, each as " 24,". */
static void name_places(struct line *line, char *places, size_t size)
{
	struct line made = *line;
	size_t n = 0;

	for (const char *at = line->text; *at; at++) {
		unsigned offset;
		const char *place, *known;
		int bytes = 0;

		made.text[n++] = *at;
		if (!is_place(line, at) || sscanf(at, "%u%n", &offset, &bytes) != 1 || offset <= HELD_BYTES)
			continue;
		place = textf(" %u,", offset);
		known = strstr(places, place);
		if (!known) {
			known = places + strlen(places);
			ck_assert_uint_lt(strlen(places) + strlen(place), size);
			strcat(places, place);
		}
		made.text[n - 1] = 'A';
		for (const char *comma = places; comma < known; comma++)
			made.text[n - 1] = (char)(made.text[n - 1] + (*comma == ','));
		at += bytes - 1;
	}
	made.text[n] = '\0';
	*line = made;
}

static void fold(struct listing *listing, unsigned part, unsigned from, unsigned until)
{
	struct listing body = { .of = parts[part].name, .n = until - from };
	struct line by = { 0 };
	char places[128] = "";
	unsigned same = 0, number = 1;

	body.lines = calloc(body.n, sizeof(body.lines[0]));
	ck_assert_ptr_nonnull(body.lines);
	memcpy(body.lines, &listing->lines[from], body.n * sizeof(body.lines[0]));
	for (unsigned i = 0; i < body.n; i++) {
		struct line *line = &body.lines[i];

		name_places(line, places, sizeof(places));
		for (unsigned t = 0; t < line->n_targets; t++) {
			unsigned to = line->targets[t], out;

			if (to >= from && to <= until) {
				line->targets[t] = to - from;
				continue;
			}
			for (out = 0; out < by.n_targets && by.targets[out] != to; out++)
				;
			ck_assert_uint_lt(out, TARGETS_MAX);
			by.targets[out] = to;
			by.n_targets += out == by.n_targets;
			line->targets[t] = body.n + 1 + out;
		}
	}
	for (; same < n_bodies && !is_same(&bodies[same], &body); same++)
		number += bodies[same].of == body.of;
	if (same == n_bodies) {
		ck_assert_uint_lt(n_bodies, sizeof(bodies) / sizeof(bodies[0]));
		strcpy(body.name, number == 1 ? textf("[%s]", body.of) : textf("[%s %u]", body.of, number));
		bodies[n_bodies++] = body;
	} else {
		free(body.lines);
	}
	places[*places ? strlen(places) - 1 : 0] = '\0';
	set_text(&by, textf("%s%s", bodies[same].name, places));
	replace(listing, from, until, &by);
}

static void fold_all(struct listing *listing, unsigned part)
{
	for (unsigned from = 0; from < listing->n; from++) {
		struct words words;
		unsigned until = from + match_lines(listing, from, parts[part].first, &words), n = 0;

		if (until == from)
			continue;
		for (; until < listing->n && n == 0; until += n ? n : 1)
			n = match_lines(listing, until, parts[part].last, &words);
		if (n == 0 || !is_one_piece(listing, from, until))
			continue;
		fold(listing, part, from, until);
		was_found[part] = true;
	}
}

/* --- A listing as it is, or as what differs from another one. */

static void set_labels(struct listing *listing)
{
	listing->n_labels = 0;
	for (unsigned i = 0; i < listing->n; i++)
		if (goes_into(listing, 0, 0, i))
			listing->lines[i].label = ++listing->n_labels;
}

/* With its label, and those of where it goes. */
static const char *whole_line(const struct listing *listing, unsigned at)
{
	static char text[512];
	const struct line *line = &listing->lines[at];
	size_t n = 0;

	if (line->label)
		n += (size_t)sprintf(text, "L%u:", line->label);
	n += (size_t)sprintf(text + n, "\t%s", line->text);
	for (unsigned t = 0; t < line->n_targets; t++) {
		unsigned to = line->targets[t];

		n += (size_t)sprintf(text + n, t ? ", " : *line->text ? " goto " : "goto ");
		if (to < listing->n)
			n += (size_t)sprintf(text + n, "L%u", listing->lines[to].label);
		else if (to == listing->n)
			n += (size_t)sprintf(text + n, "next");
		else
			n += (size_t)sprintf(text + n, "out %u", to - listing->n);
	}
	return text;
}

static bool is_alike(const struct line *one, const struct line *other)
{
	return strcmp(one->text, other->text) == 0 && one->n_targets == other->n_targets &&
	       (one->label > 0) == (other->label > 0);
}

/* For each line of a listing the one of the base that it is, from 1. */
static void align(const struct listing *base, const struct listing *listing, unsigned *lines)
{
	static unsigned short longest[LINES_MAX + 1][LINES_MAX + 1];
	unsigned i = 0, j = 0;

	for (unsigned a = base->n + 1; a-- > 0;)
		for (unsigned b = listing->n + 1; b-- > 0;)
			if (a == base->n || b == listing->n)
				longest[a][b] = 0;
			else if (is_alike(&base->lines[a], &listing->lines[b]))
				longest[a][b] = longest[a + 1][b + 1] + 1;
			else
				longest[a][b] = longest[a + 1][b] > longest[a][b + 1] ? longest[a + 1][b]
										       : longest[a][b + 1];
	memset(lines, 0, listing->n * sizeof(lines[0]));
	while (i < base->n && j < listing->n)
		if (is_alike(&base->lines[i], &listing->lines[j]))
			lines[j++] = ++i;
		else if (longest[i + 1][j] >= longest[i][j + 1])
			i++;
		else
			j++;
}

/* Where a line is: how many lines behind which label. */
static const char *where(const struct listing *base, unsigned at)
{
	unsigned label = at;

	while (label > 0 && !base->lines[label].label)
		label--;
	if (!base->lines[label].label)
		return textf("start + %u", at);
	return textf(at > label ? "L%u + %u" : "L%u", base->lines[label].label, at - label);
}

/* What differs from the base, whose labels it takes; how many lines that are. */
static unsigned list_difference(FILE *file, const struct listing *base, struct listing *listing)
{
	static unsigned lines[LINES_MAX];
	unsigned n = 0, i = 0, j = 0;

	align(base, listing, lines);
	listing->n_labels = base->n_labels;
	for (unsigned at = 0; at < listing->n; at++)
		if (listing->lines[at].label)
			listing->lines[at].label =
				lines[at] ? base->lines[lines[at] - 1].label : ++listing->n_labels;
	for (unsigned at = 0; at < listing->n; at++) {
		char text[512];

		if (!lines[at])
			continue;
		strcpy(text, whole_line(listing, at));
		if (strcmp(text, whole_line(base, lines[at] - 1)) != 0)
			lines[at] = 0;
	}
	while (i < base->n || j < listing->n) {
		unsigned to_i, to_j = j;

		if (j < listing->n && lines[j] == i + 1) {
			i++;
			j++;
			continue;
		}
		while (to_j < listing->n && !lines[to_j])
			to_j++;
		to_i = to_j < listing->n ? lines[to_j] - 1 : base->n;
		n += 1 + to_i - i + to_j - j;
		if (file) {
			fprintf(file, "@ %s\n", i < base->n ? where(base, i) : "the end");
			for (; i < to_i; i++)
				fprintf(file, "-%s\n", whole_line(base, i));
			for (; j < to_j; j++)
				fprintf(file, "+%s\n", whole_line(listing, j));
		}
		i = to_i;
		j = to_j;
	}
	return n;
}

/* Of the same part, or plans of a kind; or of the same name. */
static bool is_related(const struct listing *one, const struct listing *other)
{
	size_t bytes = strcspn(one->of, "_");

	return strcmp(one->name, other->name) == 0 ||
	       (strncmp(one->of, other->of, bytes) == 0 && strchr("_", other->of[bytes]));
}

/* "NAME, as BASE in PLAN but" */
static void list_name(FILE *file, const struct listing *listing, const struct listing *base, bool differs)
{
	const char *text = listing->name;

	if (base) {
		text = textf("%s, as", text);
		if (strcmp(base->name, listing->name) != 0)
			text = textf("%s %s", text, base->name);
		if (strcmp(base->of, listing->of) != 0)
			text = textf("%s in %s", text, base->of);
	}
	text = textf("%s%s", text, differs ? " but" : "");
	while (strlen(text) > COLUMNS) {
		int n = COLUMNS;

		while (text[n] != ' ')
			n--;
		fprintf(file, "%.*s\n ", n, text);
		text += n;
	}
	fprintf(file, "%s\n", text);
}

/* As it is, unless it is shorter to say what differs from one before it that is listed so. */
static void list_listing(FILE *file, struct listing *all, unsigned at)
{
	struct listing *listing = &all[at];
	unsigned base = at, fewest = listing->n * 2 / 3;

	ck_assert_uint_le(listing->n, LINES_MAX);
	for (unsigned i = 0; i < at; i++) {
		bool has_name = strcmp(all[i].name, listing->name) == 0;
		unsigned n;

		if (!is_related(&all[i], listing))
			continue;
		n = list_difference(NULL, &all[i], listing);
		if (n < fewest && (all[i].is_whole || (has_name && n == 0))) {
			base = i;
			fewest = n;
		}
	}
	if (base < at) {
		list_name(file, listing, &all[base], fewest > 0);
		list_difference(file, &all[base], listing);
		return;
	}
	set_labels(listing);
	listing->is_whole = true;
	list_name(file, listing, NULL, false);
	for (unsigned i = 0; i < listing->n; i++)
		fprintf(file, "%s\n", whole_line(listing, i));
}

/* --- The listings. */

static struct listing listings[256];
static unsigned n_listings;

static void disassemble(struct listing *listing, const struct bpf_code *code)
{
	unsigned lines[BPF_CODE_MAX + 1], n = 0;

	for (unsigned i = 0; i < code->count; i += 1 + is_long(&code->insns[i]))
		lines[i] = n++;
	listing->lines = calloc(n, sizeof(listing->lines[0]));
	ck_assert_ptr_nonnull(listing->lines);
	for (unsigned i = 0; i < code->count; i += 1 + is_long(&code->insns[i])) {
		const struct bpf_insn *insn = &code->insns[i];
		struct line *line = &listing->lines[listing->n++];
		FILE *file = fmemopen(line->text, sizeof(line->text), "w");

		ck_assert_ptr_nonnull(file);
		list_one(file, insn);
		ck_assert_int_eq(fclose(file), 0);
		if (is_jump(insn)) {
			line->targets[0] = lines[(int)i + insn->off + 1];
			line->n_targets = 1;
		}
	}
}

static void simplify(struct listing *listing)
{
	for (unsigned i = 0; i < sizeof(idioms) / sizeof(idioms[0]); i++)
		join_idioms(listing, idioms[i].lines, idioms[i].text);
	join_zeros(listing);
	join_pairs(listing, nests);
	join_pairs(listing, chains);
	join_pairs(listing, asks);
	join_pairs(listing, asks); /* both sides of a comparison */
	for (unsigned part = 0; part < N_PARTS; part++)
		fold_all(listing, part);
	set_labels(listing);
}

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

static void list_program(FILE *file, const char *of, const struct trace_plan *plan,
			 const struct bpf_program *program, const char *how, bool typed, bool is_old)
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
	struct listing *listing;
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
	ck_assert_uint_lt(n_listings, sizeof(listings) / sizeof(listings[0]));
	listing = &listings[n_listings++];
	*listing = (struct listing){ .of = of, .instructions = code.count };
	snprintf(listing->name, sizeof(listing->name), "%s: %s%s", program->tracepoint, program->name, how);
	disassemble(listing, &code);
	simplify(listing);
	list_listing(file, listings, n_listings - 1);
	if (code.lacks)
		list_program(file, of, plan, program, textf("%s, of an older kernel", how), typed, true);
}

static void list_plan(FILE *file, const char *name, const struct trace_plan *plan)
{
	for (unsigned i = 0; i < plan->n_programs; i++) {
		const struct bpf_program *program = &plan->programs[i];
		bool typed = program->typed || program->does->needs_types;

		list_program(file, name, plan, program, "", typed, false);
		if (typed && !program->does->needs_types)
			list_program(file, name, plan, program, ", without types", false, false);
	}
}

static void check_plan(const char *name, const struct trace_plan *plan)
{
	FILE *made = tmpfile();

	ck_assert_ptr_nonnull(made);
	list_plan(made, name, plan);
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

static const char head[] =
	"How to read these listings. A line is an instruction, or some of them:\n"
	"	A = r1 = B			r1 = B, then A = r1\n"
	"	A += r1 = B			r1 = B, then A += r1\n"
	"	if (r1 = A) == (r2 = B) goto L1	r1 = A, r2 = B, then if r1 == r2 goto L1\n"
	"	r1 = *(u32 *)(*(u64 *)A + 4)	r1 = *(u64 *)A, then r1 = *(u32 *)(r1 + 4)\n"
	"	r1 = *(u64 *)A += B		r1 = *(u64 *)A, r1 += B, *(u64 *)A = r1\n"
	"	r1 = r10 - 24			r1 = r10, r1 += -24\n"
	"	return 1			r0 = 1, exit\n"
	"	3 words at r10 - 24 = 0		*(u64 *)(r10 - 24) = 0, the same with 16 and 8\n"
	"	r0 = look up MAP(r10 - 24)	r1 = map MAP, r2 = r10 - 24, map_lookup_elem()\n"
	"	r0 = update MAP(r10 - 24) to r10 - 40, flags 1\n"
	"		the same, r3 = r10 - 40, r4 = 1, map_update_elem()\n"
	"	r3 = read *(u32 *)(r3 + MEMBER), 4 bytes\n"
	"		r3 += MEMBER, *(u64 *)(r10 - 16) = 0, r1 = r10 - 16, r2 = 4,\n"
	"		probe_read_kernel(), r3 = *(u32 *)(r10 - 16)\n"
	"	[PART] 24, 40 goto L1		its lines, where A is 24, B is 40, and out 1 is L1\n"
	"MEMBER:1 is the first pointer on the way to a member. L1: stands before a line that others go to;\n"
	"in a part, next is what follows it. A program \"as ANOTHER but\" is what differs:\n"
	"	@ L1 + 2			two lines behind its L1\n"
	"	-				lines of its own\n"
	"	+				lines of this one, with its labels where both have them\n";

static void list_counts(FILE *file)
{
	fprintf(file, "\nInstructions of each program\n");
	for (unsigned i = 0; i < n_listings; i++) {
		bool is_first = i == 0 || strcmp(listings[i].of, listings[i - 1].of) != 0;

		if (is_first)
			fprintf(file, "%s\t%s:", i > 0 ? "\n" : "", listings[i].of);
		fprintf(file, " %u", listings[i].instructions);
	}
	fputc('\n', file);
}

static void check_parts(void)
{
	FILE *made = tmpfile();

	ck_assert_ptr_nonnull(made);
	for (unsigned i = 0; i < N_PARTS; i++)
		ck_assert_msg(was_found[i], "no program has the first and the last lines of the part %s",
			      parts[i].name);
	fprintf(made, "%s\n", head);
	for (unsigned i = 0; i < n_bodies; i++) {
		set_labels(&bodies[i]);
		list_listing(made, bodies, i);
	}
	list_counts(made);
	check_listing(made, "bpf/parts.txt");
	fclose(made);
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
	check_parts();
}
