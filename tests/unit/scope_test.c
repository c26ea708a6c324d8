/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the scope: how it is typed, and who is a member, also where pids and parents change. */
#include "suite.h"

#include <inttypes.h>

#include "model/scope.h"

static char why[1024];

static struct scope *scope_of(const char *text)
{
	static struct scope scope;
	struct scope_term term;

	scope_free(&scope);
	if (!text)
		return &scope;
	ck_assert_msg(scope_term_parse(&term, text, why, sizeof(why)), "%s", why);
	ck_assert(scope_add(&scope, &term));
	return &scope;
}

static void also(struct scope *scope, const char *text)
{
	struct scope_term term;

	ck_assert(scope_term_parse(&term, text, why, sizeof(why)) && scope_add(scope, &term));
}

#define ID "3f2a9c0d4b1e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8"

START_TEST(wrong_scopes_say_what_to_write)
{
	static const char *const cases[][2] = {
		{ "nginx", "service=nginx" },
		{ "usr=bob", "did you mean user=bob?" },
		{ "contaner=x", "did you mean container=x?" },
		{ "quux=x", "use pid=LIST" },
		{ "", "use pid=LIST" },
		{ "=", "use pid=LIST" },
		{ "user=", "empty" },
		{ "tree=0", "number of a process" },
		{ "tree=-1", "number of a process" },
		{ "tree=1x", "number of a process" },
		{ "tree=99999999999999999999", "number of a process" },
		{ "cgroup=system.slice", "/system.slice" },
		{ "service=/a/b", "cgroup=PATH" },
		{ "container=a/b", "cgroup=PATH" },
		{ "user=" ID ID ID ID ID ID ID ID ID ID ID ID ID ID ID ID ID ID, "too long" },
	};
	struct scope_term term;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		*why = '\0';
		ck_assert_msg(!scope_term_parse(&term, cases[i][0], why, sizeof(why)) &&
				      strstr(why, cases[i][1]),
			      "%s: %s", cases[i][0], why);
	}
}

/* As it is typed, and as it is shown. */
START_TEST(scopes_are_written_as_they_are_typed)
{
	static const char *const cases[][2] = {
		{ "pid=1", "process 1" },    { "pid=1,sh,42", "processes 1,sh,42" },
		{ "tree=7", "tree of 7" },     { "tree=2147483647", "tree of 2147483647" },
		{ "user=bob", "user bob" },    { "user=0,bob", "user 0,bob" },
		{ "cgroup=/a", "/a" },	       { "cgroup=/a b/c", "/a b/c" },
		{ "cgroup=/", "/" },	       { "service=nginx", "nginx.service" },
		{ "container=web", "container web" }, { "container=a=b", "container a=b" },
		{ "service=getty@tty1.service", "getty@tty1.service" },
	};
	char text[SCOPE_TEXT_MAX + 16];
	struct scope *scope;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		scope = scope_of(cases[i][0]);
		scope_term_write(&scope->terms[0], text, sizeof(text));
		ck_assert_str_eq(text, cases[i][0]);
		scope_describe(scope, text, sizeof(text));
		ck_assert_str_eq(text, cases[i][1]);
	}
	scope = scope_of("user=bob");
	also(scope, "TREE=7");
	also(scope, "container=web");
	scope_write(scope, text, sizeof(text));
	ck_assert_str_eq(text, "user=bob & tree=7 & container=web");
	scope_describe(scope, text, sizeof(text));
	ck_assert_str_eq(text, "user bob, tree of 7, container web");
	scope_write(scope, text, sizeof("user=bob & tree")); /* as far as there is room */
	ck_assert_str_eq(text, "user=bob & tree");
	scope_write(scope, text, sizeof("user=bob &"));
	ck_assert_str_eq(text, "user=bob");
}

START_TEST(groups_are_those_of_a_term)
{
	static const struct {
		const char *term, *path;
		bool has;
	} cases[] = {
		{ "cgroup=/a", "/a", true },
		{ "cgroup=/a", "/a/b", true },
		{ "cgroup=/a/", "/a", true },
		{ "cgroup=//", "/a", true },
		{ "cgroup=/", "/", true },
		{ "cgroup=/", "/a/b", true },
		{ "cgroup=/a", "/ab", false },
		{ "cgroup=/a/b", "/a", false },
		{ "cgroup=/", "", false },
		{ "cgroup=/", "nonsense", false },
		/* a unit of the path */
		{ "service=nginx", "/system.slice/nginx.service", true },
		{ "service=nginx.service", "/system.slice/nginx.service/sub", true },
		{ "service=user@1000", "/user.slice/user-1000.slice/user@1000.service/app.slice", true },
		{ "service=session-1.scope", "/user.slice/user-1000.slice/session-1.scope", true },
		{ "service=sshd", "/openrc.sshd", true },
		{ "service=ngin", "/system.slice/nginx.service", false },
		{ "service=nginx", "/system.slice/nginx.service.d", false },
		{ "service=nginx", "/system.slice/my-nginx.service", false },
		{ "service=nginx", "/nginx", false },
		{ "service=nginx.service", "/nginx", false },
		/* the beginning of an ID; too few digits are a name */
		{ "container=3f2a", "/docker/" ID, true },
		{ "container=" ID, "/system.slice/docker-" ID ".scope", true },
		{ "container=3f2a9c0d4b1e", "/machine.slice/libpod-" ID ".scope/container", true },
		{ "container=3f2a", "/kubepods.slice/kubepods-podx.slice/cri-containerd-" ID ".scope", true },
		{ "container=web", "/lxc.payload.web/init.scope", true },
		{ "container=web", "/lxc/web", true },
		{ "container=web", "/machine.slice/machine-web.scope", true },
		{ "container=2a9c", "/docker/" ID, false },
		{ "container=3f2b", "/docker/" ID, false },
		{ "container=3f2", "/docker/" ID, false },
		{ "container=" ID "0", "/docker/" ID, false },
		{ "container=3f2a", "/docker/3f2a9c0d", false },
		{ "container=3f2a", "/docker/x" ID, false },
		{ "container=web", "/web", false },
		{ "container=docker", "/docker/" ID, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(scope_term_has_group(&scope_of(cases[i].term)->terms[0], cases[i].path) ==
				      cases[i].has,
			      "%s %s", cases[i].term, cases[i].path);
}

/* The processes of a sample; a pid of 0 ends them. */
struct seen {
	uint64_t pid;
	double start;
	uint64_t parent, uid;
	const char *group, *name;
};

static struct scope_process process_of(const struct seen *seen)
{
	return (struct scope_process){
		.pid = seen->pid,
		.parent_pid = seen->parent,
		.start_seconds = seen->start,
		.uid = seen->uid,
		.group = seen->group,
		.name = span_text(seen->name ? seen->name : ""),
		.program = span_text(""),
	};
}

static void look(struct scope *scope, const struct seen *all)
{
	scope_begin(scope);
	for (; all->pid; all++) {
		struct scope_process process = process_of(all);

		scope_look(scope, &process);
	}
	scope_end(scope);
}

#define LOOK(scope, ...) look(scope, (const struct seen[]){ __VA_ARGS__, { 0 } })

static void fork_event(struct scope *scope, uint64_t pid, uint64_t parent, uint64_t uid)
{
	const struct seen seen = { pid, NAN, parent, uid, NULL, NULL };
	struct scope_process process = process_of(&seen);

	scope_event(scope, &process, true);
}

/*
 * What a scope has after one look at all processes, and after the next: a process is PID@START<PARENT, and
 * behind that maybe ,uUSER ,gGROUP ,nNAME; a start of ? is unknown.
 */
static const struct {
	const char *scope;
	struct {
		const char *all, *in, *out;
	} looks[3];
} members[] = {
	{ "tree=10", /* pids wrapped: a child has a smaller one */
	  { { "1@0<0 5@1<12 10@1<1 11@2<10 12@2<11 13@2<1", "10@1 11@2 12@2 5@1", "1@0 13@2 99@9" } } },
	{ "tree=10", /* it is adopted; what has ended is still to be counted */
	  { { "1@0<0 10@1<1 11@2<10 12@2<11", "12@2", "1@0" },
	    { "1@0<0 12@2<1", "12@2", "1@0" },
	    { "1@0<0 12@2<1 13@5<12", "13@5 11@2", "1@0" } } },
	{ "tree=10", /* pids are used again */
	  { { "1@0<0 10@1<1 11@2<10", "10@1 11@2", "" },
	    { "1@0<0 10@7<1 11@8<1 12@8<10", "11@2", "10@7 11@8 12@8 11@?" } } },
	{ "pid=10,sh", /* a number is one process, a name all that have it */
	  { { "10@1<0 20@1<0,nsh", "10@1 20@1", "" }, { "10@3<0 20@4<0,nsh", "20@4", "10@3" } } },
	{ "tree=10", /* it waits for its first process */
	  { { "1@0<0", "", "1@0 10@3" }, { "1@0<0 10@3<1 11@3<10", "10@3 11@3", "1@0" } } },
	{ "user=1000", /* su */
	  { { "1@0<0,u0 10@1<1,u1000 11@2<10,u1001", "10@1", "11@2" },
	    { "1@0<0,u0 10@1<1,u0 11@2<10,u1000", "11@2", "10@1" } } },
	{ "cgroup=/a", /* one whose group was not read yet is where its parent is; they move */
	  { { "10@1<1,g/a/b 11@1<10,g/c 12@1<10 13@1<11", "10@1 12@1", "11@1 13@1" },
	    { "10@1<1,g/c 11@1<10,g/a 12@1<10,g/a", "11@1 12@1", "10@1" } } },
	{ "tree=10 & user=1000", /* below a process of another user, too */
	  { { "1@0<0,u1000 10@1<1,u1000 11@1<10,u0 12@1<11,u1000", "10@1 12@1", "1@0 11@1" } } },
	{ "tree=10", /* in any order; 11 was seen before */
	  { { "12@2<11 10@1<1 11@2<10", "10@1 11@2 12@2", "" }, { "5@3<11 12@2<1", "5@3 12@2 10@1", "" } } },
	{ "tree=10", { { "5@2<10 10@1<1", "5@2 10@1", "" } } },
	{ "tree=10", /* parents in a circle */
	  { { "20@1<21 21@1<20 22@1<22 10@1<20 11@1<10", "10@1 11@1", "20@1 21@1 22@1" } } },
	{ "tree=10", /* a start is written in hundredths of a second, rounded down, or as it was */
	  { { "10@1<1 11@2<10", "11@2.02 11@1.98", "11@2.022 11@1.978" } } },
};

static void look_at(struct scope *scope, const char *text)
{
	static char groups[8][32], names[8][16]; /* until the look ends */
	struct span left = span_text(text), word;

	memset(groups, 0, sizeof(groups));
	memset(names, 0, sizeof(names));
	scope_begin(scope);
	for (unsigned n = 0; span_word(&left, &word); n++) {
		const char *one = textf("%.*s", (int)span_length(word), word.at);
		struct scope_process process;
		struct seen seen = { 0 };

		sscanf(one, "%" SCNu64 "@%lf<%" SCNu64, &seen.pid, &seen.start, &seen.parent);
		for (const char *part = strchr(one, ','); part; part = strchr(part + 1, ',')) {
			sscanf(part, ",u%" SCNu64, &seen.uid);
			sscanf(part, ",g%31[^,]", groups[n]);
			sscanf(part, ",n%15[^,]", names[n]);
		}
		seen.group = *groups[n] ? groups[n] : NULL;
		seen.name = names[n];
		process = process_of(&seen);
		scope_look(scope, &process);
	}
	scope_end(scope);
}

static void check_members(const struct scope *scope, const char *text, bool are_in, size_t i)
{
	struct span left = span_text(text), word;

	while (span_word(&left, &word)) {
		uint64_t pid = strtoull(word.at, NULL, 10);
		const char *start = (const char *)memchr(word.at, '@', span_length(word)) + 1;

		double began = *start == '?' ? (double)NAN : strtod(start, NULL);

		ck_assert_msg(scope_has(scope, pid, began) == are_in, "case %zu: %.*s", i,
			      (int)span_length(word), word.at);
	}
}

START_TEST(processes_are_members)
{
	ck_assert(scope_has(scope_of(NULL), 1, 0) && !scope_is_set(scope_of(NULL)) && scope_has(NULL, 1, 0));
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const char *also_of = strstr(members[i].scope, " & ");
		struct scope *scope = scope_of(also_of ? "tree=10" : members[i].scope);

		if (also_of)
			also(scope, also_of + 3);
		for (unsigned k = 0; k < 3 && members[i].looks[k].all; k++) {
			look_at(scope, members[i].looks[k].all);
			check_members(scope, members[i].looks[k].in, true, i);
			check_members(scope, members[i].looks[k].out, false, i);
		}
	}
}

/* In a recording there are names, of which one may have been given to another number. */
START_TEST(without_numbers_names_are_compared)
{
	struct scope *scope = scope_of("user=bob,33");
	struct scope_process process = { .pid = 7, .start_seconds = 1, .uid = 1000, .user = "bob" };

	scope_begin(scope);
	scope_look(scope, &process);
	process.pid = 8;
	process.user = "robert";
	scope_look(scope, &process);
	process.pid = 9;
	process.uid = 33;
	scope_look(scope, &process);
	scope_end(scope);
	ck_assert(scope_has(scope, 7, 1) && !scope_has(scope, 8, 1) && scope_has(scope, 9, 1));
}

START_TEST(what_a_source_lacks_is_known)
{
	struct scope *scope = scope_of("cgroup=/a");

	LOOK(scope, { 10, 1, 1, 0, NULL }, { 11, 1, 10, 0, NULL });
	ck_assert_uint_eq(scope->unknown, 1);
	LOOK(scope, { 10, 1, 1, 0, "/b" }, { 11, 1, 10, 0, NULL });
	ck_assert_uint_eq(scope->unknown, 0);
	scope = scope_of("tree=12");
	LOOK(scope, { 10, 1, U64_UNKNOWN }, { 11, 1, U64_UNKNOWN });
	ck_assert_uint_eq(scope->unknown, 1);
}

START_TEST(children_between_two_samples_are_in)
{
	struct scope *scope = scope_of("tree=10");

	LOOK(scope, { 1, 0, 0 }, { 10, 1, 1 }, { 20, 1, 1 });
	fork_event(scope, 11, 10, 0);
	fork_event(scope, 12, 11, 0);
	fork_event(scope, 21, 20, 0);
	ck_assert(scope_has(scope, 11, NAN) && scope_has(scope, 12, NAN) && !scope_has(scope, 21, NAN));
	LOOK(scope, { 1, 0, 0 }, { 10, 1, 1 }, { 12, 2, 1 }, { 20, 1, 1 }); /* 11 ended, 12 is an orphan */
	ck_assert(scope_has(scope, 12, 2) && scope_has(scope, 11, NAN) && !scope_has(scope, 20, 1));
	fork_event(scope, 12, 20, 0); /* the pid is used again at once */
	ck_assert(!scope_has(scope, 12, NAN));
}

static bool takes(struct scope *scope, uint64_t pid, uint64_t parent, uint64_t uid)
{
	const struct seen seen = { pid, NAN, parent, uid, NULL, NULL };
	struct scope_process process = process_of(&seen);

	scope_event(scope, &process, false);
	return scope_has(scope, pid, NAN);
}

START_TEST(a_record_is_judged_by_parent_and_user)
{
	struct scope *scope = scope_of("tree=10");

	ck_assert(takes(scope, 30, 10, 5)); /* nothing is known of 10 yet */
	LOOK(scope, { 1, 0, 0 }, { 10, 1, 1 });
	ck_assert(takes(scope, 31, 10, 5) && takes(scope, 32, 31, 5) && takes(scope, 10, 1, 5));
	ck_assert(!takes(scope, 33, 1, 5) && !takes(scope, 34, 33, 5));
	scope = scope_of("user=5");
	LOOK(scope, { 1, 0, 0, 0 });
	ck_assert(takes(scope, 30, 1, 5) && !takes(scope, 31, 30, 6));
	scope = scope_of("pid=30");
	ck_assert(takes(scope, 30, 1, 5) && !takes(scope, 31, 30, 6));
}

/* As the many short commands of a shell in a tree. */
START_TEST(the_past_is_bounded)
{
	struct scope *scope = scope_of("tree=10");

	LOOK(scope, { 1, 0, 0 }, { 10, 1, 1 });
	for (uint64_t pid = 100; pid < 200100; pid++)
		fork_event(scope, pid, 10, 0);
	ck_assert_uint_le(scope->n_past, 65536);
	ck_assert(scope_has(scope, 200099, NAN) && !scope_has(scope, 100, NAN));
}

/* A name is learned for IDs; of many with the same name the newest are kept. */
START_TEST(names_are_learned)
{
	struct scope *scope = scope_of("container=web");
	unsigned epoch = scope->groups_epoch;
	char path[128];

	scope_learn(scope, span_text("/docker/" ID), "wbe");
	scope_learn(scope, span_text("/system.slice"), "web");
	ck_assert(!scope_has_group(scope, "/docker/" ID) && scope->groups_epoch == epoch);
	scope_learn(scope, span_text("/docker/" ID), "web");
	scope_learn(scope, span_text("/docker/" ID), "web");
	ck_assert(scope_has_group(scope, "/docker/" ID "/below") && scope->groups_epoch == epoch + 1);
	for (unsigned i = 0; i < SCOPE_IDS_MAX; i++) {
		snprintf(path, sizeof(path), "/docker/%x" ID, i);
		path[strlen(path) - 1] = '\0';
		scope_learn(scope, span_text(path), "web");
		ck_assert_msg(scope_has_group(scope, path), "%s", path);
	}
	ck_assert(!scope_has_group(scope, "/docker/" ID));
}
