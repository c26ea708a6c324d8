/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs for tracepoints that a user names: what is in their keys, and what is refused. */
#include "rig.h"

#include "core/i18n.h"
#include "sys/bpf/emit.h"
#include "topic/tracepoint/tracepoint_plan.h"

#define FIELD(declaration, offset, size, is_signed)                                                          \
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

static const char format[] = "name: made_up\nID: 1\nformat:\n" FIELD("unsigned short common_type", 0, 2, 0)
	FIELD("int common_pid", 4, 4, 1) "\n" FIELD("dev_t dev", 8, 4, 0) FIELD("int change", 12, 4, 1)
		FIELD("u64 sector", 16, 8, 0) FIELD("char rwbs[10]", 24, 10, 0) FIELD("u16 odd", 35, 2, 0)
			FIELD("__data_loc char[] path", 40, 4, 0) FIELD("__rel_loc char[] near", 44, 4, 0)
				FIELD("void * where", 48, 8, 0) FIELD("char long_text[80]", 56, 80, 0)
					FIELD("int fd", 136, 8, 0) FIELD("u8 mac[6]", 144, 6, 0)
						FIELD("struct thing thing", 150, 12, 0)
							FIELD("int pid", 164, 4,
							      1) "\nprint fmt: \"%s\", REC->path\n";

static struct tracepoint_plan plan;
static char why[TEXT_MAX];

static bool make_from(const char *fields, const char *text, bool of_scope)
{
	struct trace_spec spec;

	why[0] = '\0';
	ck_assert_msg(trace_spec_parse(&spec, text, why, sizeof(why)), "%s: %s", text, why);
	return tracepoint_plan_make(&plan, &spec, span_text(fields), of_scope, why, sizeof(why));
}

static bool make(const char *text, bool of_scope)
{
	return make_from(format, text, of_scope);
}

static int find_member(void *state, const char *way, struct bpf_place *place)
{
	(void)state;
	(void)way;
	*place = (struct bpf_place){ .offsets = { 8 }, .n = 1, .bytes = 4 };
	return 0;
}

/* What the assembler says of it; NULL: nothing. */
static const char *assemble(unsigned *n_instructions)
{
	const struct bpf_kernel kernel = { .member = find_member };
	struct bpf_target target = { .kernel = &kernel, .of_wanted = plan.plan.of_wanted };
	static struct bpf_code code;

	for (enum bpf_map map = 0; map < N_BPF_MAPS; map++)
		target.maps[map] = map == BPF_MAP_SLOTS ? -1 : (int)map;
	bpf_assemble(&code, &plan.programs[0], &target);
	*n_instructions = code.count;
	return code.refused;
}

static void print_part(struct buffer *out, const char *kind, const struct bpf_part *part)
{
	static const char *const spots[] = { "@", "->", "+>" }; /* here, elsewhere, behind */
	static const char *const others[] = { [BPF_PART_CPU] = "cpu",
					      [BPF_PART_PROCESS] = "process",
					      [BPF_PART_THREAD] = "thread",
					      [BPF_PART_CGROUP] = "cgroup",
					      [BPF_PART_COMMAND] = "command" };

	if (part->is == BPF_PART_NUMBER || part->is == BPF_PART_TEXT)
		buffer_print(out, " %s%s%u:%u/%u%s", kind, spots[part->spot.is], part->spot.offset,
			     part->spot.bytes, part->spot.value_bytes, part->spot.is_signed ? "s" : "");
	else
		buffer_print(out, " %s %s", kind, others[part->is]);
	if (part->words)
		buffer_print(out, "*%u", part->words);
}

/*
 * What is counted: words of the key; its parts, with OFFSET:BYTES/BYTES of the number, s: signed, *WORDS of a
 * text; what is summed, what is kept, whose bits are counted; the conditions, and what the plan needs.
 */
static const char *plan_text(void)
{
	static const char *const kinds[] = { "number", "device", "pointer", "group", "text" };
	static const char *const relations[] = { "<", "<=", ">", ">=", "==", "!=" };
	const struct bpf_program *program = &plan.programs[0];
	struct buffer out = { 0 };
	const char *text;

	buffer_print(&out, "%u", plan.plan.n_words);
	for (unsigned i = 0; i < plan.n_keys; i++)
		print_part(&out, kinds[plan.keys[i]], &program->keys[i]);
	if (plan.has_sum)
		print_part(&out, "sum", &program->value);
	if (plan.has_most)
		print_part(&out, "max", &plan.table.most);
	if (plan.has_bits)
		print_part(&out, program->by_log2 ? "hist" : "?", &plan.table.bits);
	for (unsigned i = 0; i < plan.table.n_tests; i++) {
		const struct bpf_test *test = &plan.table.tests[i];
		bool is_text = test->part.is == BPF_PART_TEXT || test->part.is == BPF_PART_COMMAND;

		print_part(&out, "if", &test->part);
		buffer_print(&out, is_text ? "%s'%s'" : "%s%s", relations[test->relation],
			     is_text ? test->text : textf("%llu", (unsigned long long)test->number));
	}
	buffer_print(&out, "%s%s", plan.plan.by_pid ? " by_pid" : "",
		     plan.plan.of_wanted ? " of_wanted" : "");
	buffer_char(&out, '\0');
	text = textf("%s", out.bytes);
	buffer_free(&out);
	return text;
}

/*
 * A field comes before what panetop knows under the same name. Plans of processes and threads need the PIDs
 * of the kernel.
 */
START_TEST(plans_of_what_is_wished)
{
	static const char no_pid[] = FIELD("int code", 8, 4, 1);
	/* as in regmap:regcache_sync of Linux 5.10: the text is for keys, the number for sums */
	static const char twice[] = FIELD("__data_loc char[] type", 8, 4, 0) FIELD("int type", 12, 4, 1);
	static const struct {
		const char *text, *plan, *fields; /* fields: NULL: those above */
	} cases[] = {
		{ "", "1" },
		{ "hist(change)", "1 hist@12:4/4s" },
		{ "sum(sector)", "1 sum@16:8/8" },
		{ "max(odd)", "1 max@35:2/2" },
		{ "by dev", "1 device@8:4/4" },
		{ "by change", "1 number@12:4/4s" },
		{ "by sector", "1 number@16:8/8" },
		{ "by where", "1 pointer@48:8/8" },
		{ "by fd", "1 number@136:8/4s" },
		{ "by rwbs", "2 text@24:10/10*2" },
		{ "by path", "8 text->40:4/4*8" },
		{ "by near", "8 text+>44:4/4*8" },
		{ "by comm", "2 text command*2" },
		{ "by cgroup", "1 group cgroup" },
		{ "by cpu", "1 number cpu" },
		{ "by dev,cpu hist(change)", "3 device@8:4/4 number cpu hist@12:4/4s" },
		{ "by pid,tid,cpu,cgroup", "4 number@164:4/4s number thread number cpu group cgroup by_pid" },
		{ "by long_text,near,path,comm hist(change)",
		  "27 text@56:80/80*8 text+>44:4/4*8 text->40:4/4*8 text command*2 hist@12:4/4s" },
		{ "by odd,where,fd", "3 number@35:2/2 pointer@48:8/8 number@136:8/4s" },
		{ "by dev,tid", "2 device@8:4/4 number thread by_pid" },
		{ "if tid == 1", "1 if thread==1 by_pid" },
		{ "if dev == 1 and tid == 1", "1 if@8:4/4==1 if thread==1 by_pid" },
		{ "if pid == 1", "1 if@164:4/4s==1" },
		{ "by code,pid", "2 number@8:4/4s number process by_pid", no_pid },
		{ "if pid == 1 and code == 1", "1 if process==1 if@8:4/4s==1 by_pid", no_pid },
		{ "by code", "1 number@8:4/4s", no_pid },
		{ "by type sum(type) if type == x", "8 text->8:4/4*8 sum@12:4/4s if->8:4/4*1=='x'", twice },
		{ "if sector < 5", "1 if@16:8/8<5" },
		{ "if sector <= 5", "1 if@16:8/8<=5" },
		{ "if sector > 5", "1 if@16:8/8>5" },
		{ "if sector >= 5", "1 if@16:8/8>=5" },
		{ "if sector == 5", "1 if@16:8/8==5" },
		{ "if sector != 5", "1 if@16:8/8!=5" },
		{ "if rwbs == WS", "1 if@24:10/10*1=='WS'" },
		{ "if rwbs != WS", "1 if@24:10/10*1!='WS'" },
		{ "if sector > 5 and rwbs == W and change < 0",
		  "1 if@16:8/8>5 if@24:10/10*1=='W' if@12:4/4s<0" },
		{ "if long_text == 1234567", "1 if@56:80/80*1=='1234567'" },
		{ "if long_text == 12345678", "1 if@56:80/80*2=='12345678'" },
		{ "if path == 123456789012345", "1 if->40:4/4*2=='123456789012345'" },
		{ "if path == 1234567890123456", "1 if->40:4/4*3=='1234567890123456'" },
		{ "if rwbs == 0123456789", "1 if@24:10/10*2=='0123456789'" },
		{ "if comm == x", "1 if command*2=='x'" },
		{ "if comm == 0123456789012345", "1 if command*2=='0123456789012345'" },
		{ "if near == 12345", "1 if+>44:4/4*1=='12345'" },
		{ "if path == 12345678901234567890123456789012345678901234567890123456789012",
		  "1 if->40:4/4*8=='12345678901234567890123456789012345678901234567890123456789012'" },
		{ "if sector == 18446744073709551615", "1 if@16:8/8==18446744073709551615" },
		{ "if sector == 0xfff", "1 if@16:8/8==4095" },
		{ "if sector == 0xffffffffffffffff", "1 if@16:8/8==18446744073709551615" },
		{ "if sector == 0", "1 if@16:8/8==0" },
		{ "if sector <= 9223372036854775808", "1 if@16:8/8<=9223372036854775808" },
		{ "if change >= -9223372036854775808", "1 if@12:4/4s>=9223372036854775808" },
		{ "if change >= -1", "1 if@12:4/4s>=18446744073709551615" },
		{ "if change <= 9223372036854775807", "1 if@12:4/4s<=9223372036854775807" },
		{ "if dev == 8:17", "1 if@8:4/4==8388625" },
		{ "if dev == 8388625", "1 if@8:4/4==8388625" },
		{ "if dev == 4095:1048575", "1 if@8:4/4==4294967295" },
		{ "if dev == 0:0", "1 if@8:4/4==0" },
		{ "if dev == 0x10", "1 if@8:4/4==16" },
		{ "if cpu != 1", "1 if cpu!=1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned n_instructions;

		ck_assert_msg(make_from(cases[i].fields ? cases[i].fields : format,
					textf("a:b %s", cases[i].text), false),
			      "%s: %s", cases[i].text, why);
		ck_assert_msg(strcmp(plan_text(), cases[i].plan) == 0, "%s:\n%s, not\n%s", cases[i].text,
			      plan_text(), cases[i].plan);
		ck_assert_ptr_null(assemble(&n_instructions));
	}
}

START_TEST(what_is_refused_says_what_there_is)
{
	static const char *const texts[][2] = {
		{ "a:b by nosuch",
		  "no field nosuch; there are: dev change sector odd where fd pid rwbs path near "
		  "long_text comm tid cpu cgroup" },
		{ "a:b by common_pid", "no field common_pid; there are: dev" },
		{ "a:b sum(comm)", "no field comm; there are: dev change sector odd where fd pid" },
		{ "a:b sum(path)", "path is a text" },
		{ "a:b max(rwbs)", "rwbs is a text" },
		{ "a:b by mac", "mac is an array or a structure" },
		{ "a:b sum(mac)", "mac is an array or a structure" },
		{ "a:b hist(thing)", "thing is an array or a structure" },
		{ "a:b if rwbs > W", "compare it by == or !=" },
		{ "a:b if rwbs == 01234567890", "longer than rwbs, which has 10 bytes" },
		{ "a:b if comm == 01234567890123456", "longer than comm, which has 16 bytes" },
		{ "a:b if sector == x", "sector is a number, 'x' is not" },
		{ "a:b if sector == 1x", "'1x' is not" },
		{ "a:b if sector == 18446744073709551616", "is not" },
		{ "a:b if sector > -1", "sector is never below 0" },
		{ "a:b if change > 9223372036854775808", "never as large" },
		{ "a:b if change > -9223372036854775809", "is not" },
		{ "a:b if dev == 8:0:1", "is not" },
		{ "a:b if dev == 4096:0", "is not" },
		{ "a:b if sector == 8:0", "is not" },
		{ "a:b if nosuch == 1", "no field nosuch" },
		{ "a:b if dev == 0:1048576", "dev is a number, '0:1048576' is not" },
		{ "a:b if dev == 8:", "'8:' is not" },
		{ "a:b if dev == :8", "':8' is not" },
		{ "a:b if dev == 8.1", "'8.1' is not" },
		{ "a:b if dev == 8:1x", "'8:1x' is not" },
		{ "a:b if sector == 0xfg", "'0xfg' is not" },
		{ "a:b if sector == 0x", "'0x' is not" },
		{ "a:b if change == -0x1", "'-0x1' is not" },
		{ "a:b if change == -", "'-' is not" },
		{ "a:b if change == --1", "'--1' is not" },
		{ "a:b if cpu == -1", "cpu is never below 0" },
		{ "a:b if change < 0xffffffffffffffff", "change is never as large as 0xffffffffffffffff" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_msg(!make(texts[i][0], false), "%s", texts[i][0]);
		ck_assert_msg(strstr(why, texts[i][1]) != NULL, "%s: %s", texts[i][0], why);
	}
}

START_TEST(the_largest_program_has_room)
{
	char text[TRACE_SPEC_TEXT_MAX] =
		"a:b by long_text,near,path,path sum(odd) max(change) hist(change) if ";
	unsigned n_instructions;

	for (unsigned i = 0; i < TRACE_TESTS_MAX; i++)
		strcat(text, i == 0 ? "near != 012345678901234567890123456789012345678901234567890"
				    : " and path != 01234567890123456789012345");
	ck_assert_msg(make(text, true), "%s", why);
	ck_assert_ptr_null(assemble(&n_instructions));
	ck_assert_uint_lt(n_instructions, BPF_CODE_MAX);
	ck_assert(plan.plan.of_wanted && plan.plan.by_pid && plan.plan.n_programs == 2);
}

START_TEST(texts_that_are_cut_are_marked)
{
	uint64_t words[BPF_KEY_TEXT_MAX / 8];
	struct bpf_part part;
	bool is_cut;

	ck_assert(make("a:b by path", false));
	part = plan.programs[0].keys[0];
	memset(words, 'x', sizeof(words));
	ck_assert_uint_eq(bpf_text(&part, words, &is_cut), BPF_KEY_TEXT_MAX - 1);
	ck_assert(is_cut);
	((char *)words)[BPF_KEY_TEXT_MAX - 1] = '\0';
	ck_assert_uint_eq(bpf_text(&part, words, &is_cut), BPF_KEY_TEXT_MAX - 1);
	ck_assert(!is_cut);
	((char *)words)[3] = '\0';
	ck_assert_uint_eq(bpf_text(&part, words, &is_cut), 3);
	ck_assert(make("a:b by rwbs", false));
	part = plan.programs[0].keys[0];
	ck_assert_uint_eq(part.words, 2);
	memset(words, 0, sizeof(words));
	memset(words, 'x', 10); /* without a NUL it is all of it */
	ck_assert_uint_eq(bpf_text(&part, words, &is_cut), 10);
	ck_assert(!is_cut);
}

START_TEST(texts_have_as_many_words_as_their_bytes_need)
{
	static const unsigned cases[][2] = { { 1, 1 },  { 8, 1 },  { 9, 2 },  { 56, 7 },
					     { 57, 8 }, { 64, 8 }, { 65, 8 }, { 4096, 8 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *field = textf("\tfield:char t[%u];\toffset:8;\tsize:%u;\tsigned:0;\n",
					  cases[i][0], cases[i][0]);

		ck_assert_msg(make_from(field, "a:b by t", false), "%s: %s", field, why);
		ck_assert_msg(plan.programs[0].keys[0].words == cases[i][1], "%u bytes", cases[i][0]);
	}
}

START_TEST(fields_of_an_unusual_size_are_refused)
{
	static const struct {
		const char *fields;
		bool good;
	} cases[] = {
		{ FIELD("char t[16]", 32767, 16, 0), true },
		{ FIELD("char t[16]", 32768, 16, 0), false },
		{ FIELD("char t[16]", 65544, 16, 0), false },
		{ FIELD("char t[32767]", 8, 32767, 0), true },
		{ FIELD("char t[32768]", 8, 32768, 0), false },
		{ FIELD("char t[65552]", 8, 65552, 0), false },
		{ FIELD("char t[0]", 8, 0, 0), false },
		{ FIELD("char t[1]", 8, 1, 0), true },
		{ FIELD("int t", 32767, 4, 0), true },
		{ FIELD("int t", 32768, 4, 0), false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(make_from(cases[i].fields, "a:b by t", false) == cases[i].good, "%s: %s",
			      cases[i].fields, why);
		ck_assert_str_eq(why, cases[i].good ? "" : "t is a field of an unusual size");
	}
	ck_assert(!make_from(FIELD("int t", 32768, 4, 0), "a:b sum(t)", false));
	ck_assert(!make_from(FIELD("int t", 32768, 4, 0), "a:b max(t)", false));
	ck_assert(!make_from(FIELD("int t", 32768, 4, 0), "a:b hist(t)", false));
	ck_assert(!make_from(FIELD("int t", 32768, 4, 0), "a:b if t == 1", false));
}

START_TEST(a_plan_names_its_tracepoint)
{
	ck_assert(make("a:b by tid if sector > 7", false));
	ck_assert_str_eq(plan.programs[0].tracepoint, "a:b");
	ck_assert_str_eq(plan.programs[0].name, "a:b by tid if sector > 7");
	ck_assert_uint_eq(plan.plan.n_programs, 1);
	ck_assert(make("a:b", true));
	ck_assert_uint_eq(plan.plan.n_programs, 2);
	ck_assert_str_eq(plan.programs[1].tracepoint, "sched_process_fork");
	ck_assert_str_eq(plan_text(), "1 by_pid of_wanted");
}

START_TEST(fields_are_listed_by_what_they_are_for)
{
	static const char *const parts[N_TRACEPOINT_PARTS] = {
		[TRACEPOINT_NUMBERS] = "dev change sector odd where fd pid",
		[TRACEPOINT_TEXTS] = "rwbs path near long_text",
		[TRACEPOINT_OTHERS] = "mac thing",
	};
	struct buffer names = { 0 };

	for (unsigned part = 0; part < N_TRACEPOINT_PARTS; part++) {
		buffer_empty(&names);
		tracepoint_fields(span_text(format), part, &names);
		ck_assert_str_eq(names.bytes, parts[part]);
		ck_assert_uint_eq(names.length, strlen(parts[part]) + 1);
	}
	tracepoint_fields(span_text(FIELD("int x", 8, 4, 1) FIELD("int y", 12, 4, 1)), TRACEPOINT_NUMBERS,
			  &names);
	ck_assert_str_eq(names.bytes + strlen("mac thing") + 1, "x y"); /* after what was there */
	buffer_free(&names);
}

/* Of the root of a machine. 0, or what is wrong. */
static int find(const char *root, const char *text, bool *is_good)
{
	struct tracepoint_list list;
	struct trace_spec spec;
	struct env env;
	int error;

	why[0] = '\0';
	ck_assert(trace_spec_parse(&spec, text, why, sizeof(why)));
	ck_assert_int_eq(env_open(&env, root), 0);
	error = tracepoint_list_open(&list, &env);
	if (!error)
		error = tracepoint_plan_find(&plan, &list, &spec, false, why, sizeof(why));
	tracepoint_list_close(&list);
	*is_good = tracepoint_check(&env, &spec, why, sizeof(why));
	env_close(&env);
	return error;
}

START_TEST(tracepoints_of_a_machine)
{
	struct rig rig;
	bool is_good;

	rig_open(&rig, "readers", NULL);
	ck_assert_int_eq(find(rig.root, "a:b", &is_good), -ENOENT); /* it may have any */
	ck_assert(is_good);
	rig_make(&rig, "sys/kernel/tracing/events/a/b");
	rig_put(&rig, "sys/kernel/tracing/available_events", "a:b\nc:d\n");
	rig_put(&rig, "sys/kernel/tracing/events/a/b/format", "%s", format);
	rig_make(&rig, "sys/kernel/tracing/events/a/c/format");
	ck_assert_int_eq(find(rig.root, "a:b by sector", &is_good), 0);
	ck_assert_str_eq(why, "");
	ck_assert(is_good);
	ck_assert_uint_eq(plan.programs[0].keys[0].spot.offset, 16);
	ck_assert_int_eq(find(rig.root, "a:b by nosuch", &is_good), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "no field nosuch"));
	ck_assert(!is_good);
	ck_assert_int_eq(find(rig.root, "x:y", &is_good), -EINVAL);
	ck_assert_str_eq(why, "no group of tracepoints x; panetop -t tracepoint lists them all");
	ck_assert(!is_good);
	ck_assert_int_eq(find(rig.root, "a:c", &is_good), -EISDIR); /* it cannot be read */
	ck_assert_str_eq(why, "");
	ck_assert(is_good);
	rig_close(&rig);
}

/* A machine with tracefs, and its list. */
struct listed {
	int descriptor; /* of tracefs */
	struct rig rig;
	struct tracepoint_list list;
};

static void open_listed(struct listed *listed, const char *names)
{
	rig_open(&listed->rig, "readers", NULL);
	rig_make(&listed->rig, "sys/kernel/tracing/events/a/b");
	rig_put(&listed->rig, "sys/kernel/tracing/available_events", "%s", names);
	ck_assert_int_eq(tracepoint_list_open(&listed->list, &listed->rig.env), 0);
	listed->descriptor = listed->list.tracefs;
}

static void close_listed(struct listed *listed)
{
	ck_assert_int_ge(fcntl(listed->descriptor, F_GETFD), 0);
	tracepoint_list_close(&listed->list);
	ck_assert_int_lt(fcntl(listed->descriptor, F_GETFD), 0);
	ck_assert_int_eq(listed->list.tracefs, -1);
	ck_assert_ptr_null(listed->list.names);
	rig_close(&listed->rig);
}

/* As many bytes of names as the memory for them has at first, and around it; at most 8 MiB are read. */
START_TEST(lists_of_names_of_any_length)
{
	static const size_t lengths[] = { 0, 100, 131071, 131072, 131073, 262144, 700001, 8388607, 8388608 };
	static char names[8388610];
	struct listed listed;
	struct span read;

	for (size_t i = 0; i + 1 < sizeof(names); i++)
		names[i] = i % 16 == 15 ? '\n' : (char)('a' + i / 16 % 26);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		char next = names[lengths[i]];

		names[lengths[i]] = '\0';
		open_listed(&listed, names);
		ck_assert_int_eq(tracepoint_list_names(&listed.list, &read), 0);
		ck_assert_uint_eq(span_length(read), lengths[i]);
		ck_assert(span_is(read, names));
		rig_put(&listed.rig, "sys/kernel/tracing/available_events", NULL);
		ck_assert_int_eq(tracepoint_list_names(&listed.list, &read), 0); /* it is read once */
		ck_assert_uint_eq(span_length(read), lengths[i]);
		close_listed(&listed);
		names[lengths[i]] = next;
	}
	open_listed(&listed, names);
	ck_assert_int_eq(tracepoint_list_names(&listed.list, &read), 0);
	ck_assert_uint_eq(span_length(read), 8388608);
	close_listed(&listed);
	open_listed(&listed, "");
	rig_put(&listed.rig, "sys/kernel/tracing/available_events", NULL);
	ck_assert_int_eq(tracepoint_list_names(&listed.list, &read), -ENOENT);
	rig_put(&listed.rig, "sys/kernel/tracing/available_events", "a:b\n");
	ck_assert_int_eq(tracepoint_list_names(&listed.list, &read), 0);
	ck_assert(span_is(read, "a:b\n"));
	close_listed(&listed);
}

START_TEST(formats_are_read_by_name)
{
	static char text[20000];
	const char *file = "sys/kernel/tracing/events/a/b/format";
	struct span long_name = span_of(text, 300), read;
	struct listed listed;

	memset(text, 'x', sizeof(text) - 1);
	open_listed(&listed, "a:b\n");
	ck_assert_int_eq(tracepoint_list_format(&listed.list, span_text("a"), span_text("b"), &read),
			 -ENOENT);
	rig_put(&listed.rig, file, "%s", "");
	ck_assert_int_eq(tracepoint_list_format(&listed.list, span_text("a"), span_text("b"), &read), 0);
	ck_assert_uint_eq(span_length(read), 0);
	rig_put(&listed.rig, file, "short");
	ck_assert_int_eq(tracepoint_list_format(&listed.list, span_text("a"), span_text("b"), &read), 0);
	ck_assert(span_is(read, "short"));
	rig_put(&listed.rig, file, "%s", text);
	ck_assert_int_eq(tracepoint_list_format(&listed.list, span_of("ax", 1), span_of("bx", 1), &read), 0);
	ck_assert_uint_eq(span_length(read), 16384);
	ck_assert_int_eq(tracepoint_list_format(&listed.list, long_name, long_name, &read), -ENOENT);
	close_listed(&listed);
}

START_TEST(a_list_is_there_where_tracefs_is)
{
	struct tracepoint_list list;
	struct rig rig;

	rig_open(&rig, "readers", NULL);
	ck_assert_int_eq(tracepoint_list_test(&rig.env), -ENOENT);
	ck_assert_int_eq(tracepoint_list_open(&list, &rig.env), -ENOENT);
	tracepoint_list_close(&list);
	rig_make(&rig, "sys/kernel/tracing/events");
	ck_assert_int_eq(tracepoint_list_test(&rig.env), 0);
	rig_close(&rig);
}

static void refuses(struct listed *listed, const char *group, const char *event, const char *expected)
{
	tracepoint_list_refuse(&listed->list, group, event, why, sizeof(why));
	ck_assert_str_eq(why, expected);
}

START_TEST(what_is_near_is_proposed)
{
	struct listed listed;

	open_listed(&listed, "noise\nblock:block_rq_issue\nsched:sched_switch\nsched:sched_wakeup\n");
	refuses(&listed, "sched", "sched_swich",
		"no tracepoint sched:sched_swich; did you mean sched:sched_switch?");
	refuses(&listed, "sched", "sched_wakup",
		"no tracepoint sched:sched_wakup; did you mean sched:sched_wakeup?");
	refuses(&listed, "sched", "zzz", "no tracepoint sched:zzz; there are: sched_switch sched_wakeup");
	refuses(&listed, "sched", "block_rq_issue",
		"no tracepoint sched:block_rq_issue; there are: sched_switch sched_wakeup");
	refuses(&listed, "shed", "sched_switch", "no group of tracepoints shed; did you mean sched?");
	refuses(&listed, "nois", "x", "no group of tracepoints nois; panetop -t tracepoint lists them all");
	close_listed(&listed);
}

/* 600 bytes of names, each with a blank before it, or whole ones of them. */
static void refuses_of_many(const char *name, unsigned n_names, unsigned n_told)
{
	struct buffer names = { 0 }, expected = { 0 };
	struct listed listed;

	buffer_text(&expected, "no tracepoint many:huh; there are:");
	for (unsigned i = 0; i < n_names; i++) {
		buffer_print(&names, "many:%s%03u\n", name, i);
		if (i < n_told)
			buffer_print(&expected, " %s%03u", name, i);
	}
	buffer_text(&expected, n_told < n_names ? " …" : "");
	buffer_char(&names, '\0');
	buffer_char(&expected, '\0');
	open_listed(&listed, names.bytes);
	refuses(&listed, "many", "huh", expected.bytes);
	close_listed(&listed);
	buffer_free(&names);
	buffer_free(&expected);
}

START_TEST(long_lists_are_cut_behind_a_name)
{
	refuses_of_many("ev", 100, 100); /* 600 */
	refuses_of_many("ev", 101, 100);
	refuses_of_many("ev", 200, 100);
	refuses_of_many("event_", 60, 60);
	refuses_of_many("event_", 61, 60);
	refuses_of_many("event", 66, 66); /* 594 */
	refuses_of_many("event", 67, 66); /* 603 */
}
