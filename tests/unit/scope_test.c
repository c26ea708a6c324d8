/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the scope: how it is typed, and who is a member, also where pids and parents change. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/scope.h"
#include "suite.h"

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

START_TEST(a_tree_has_its_root_and_descendants)
{
	struct scope *scope = scope_of("tree=10");

	LOOK(scope, { 1, 0, 0 }, { 5, 1, 12 }, { 10, 1, 1 }, { 11, 2, 10 }, { 12, 2, 11 }, { 13, 2, 1 });
	ck_assert(scope_has(scope, 10, 1) && scope_has(scope, 11, 2) && scope_has(scope, 12, 2));
	ck_assert(scope_has(scope, 5, 1)); /* pids wrapped: the child has the smaller one */
	ck_assert(!scope_has(scope, 1, 0) && !scope_has(scope, 13, 2) && !scope_has(scope, 99, 9));
	ck_assert_uint_eq(scope->n_members, 4);
}

START_TEST(a_member_of_a_tree_stays_when_its_parent_ends)
{
	struct scope *scope = scope_of("tree=10");

	LOOK(scope, { 1, 0, 0 }, { 10, 1, 1 }, { 11, 2, 10 }, { 12, 2, 11 });
	LOOK(scope, { 1, 0, 0 }, { 12, 2, 1 }); /* adopted */
	ck_assert(scope_has(scope, 12, 2) && !scope_has(scope, 1, 0));
	LOOK(scope, { 1, 0, 0 }, { 12, 2, 1 }, { 13, 5, 12 });
	ck_assert(scope_has(scope, 13, 5));
	ck_assert(scope_has(scope, 11, 2)); /* it has ended, but its exit is still to be counted */
}

START_TEST(a_pid_that_is_used_again_is_another_process)
{
	struct scope *scope = scope_of("tree=10");

	LOOK(scope, { 1, 0, 0 }, { 10, 1, 1 }, { 11, 2, 10 });
	LOOK(scope, { 1, 0, 0 }, { 10, 7, 1 }, { 11, 8, 1 }, { 12, 8, 10 });
	ck_assert(!scope_has(scope, 10, 7) && !scope_has(scope, 11, 8) && !scope_has(scope, 12, 8));
	ck_assert(!scope_has(scope, 11, NAN) && scope_has(scope, 11, 2));
	scope = scope_of("pid=10,sh");
	LOOK(scope, { 10, 1, 0 }, { 20, 1, 0, 0, NULL, "sh" });
	ck_assert(scope_has(scope, 10, 1) && scope_has(scope, 20, 1));
	LOOK(scope, { 10, 3, 0 }, { 20, 4, 0, 0, NULL, "sh" });
	ck_assert(!scope_has(scope, 10, 3)); /* a number is one process, … */
	ck_assert(scope_has(scope, 20, 4));  /* … a name is all that have it */
}

START_TEST(a_scope_waits_for_its_first_process)
{
	struct scope *scope = scope_of("tree=10");

	LOOK(scope, { 1, 0, 0 });
	ck_assert(scope->has_looked && scope->n_members == 0);
	LOOK(scope, { 1, 0, 0 }, { 10, 3, 1 }, { 11, 3, 10 });
	ck_assert_uint_eq(scope->n_members, 2);
}

START_TEST(a_user_is_its_number)
{
	struct scope *scope = scope_of("user=bob");

	scope->terms[0].users[0] = 1000;
	scope->terms[0].n_users = 1;
	LOOK(scope, { 1, 0, 0, 0 }, { 10, 1, 1, 1000 }, { 11, 2, 10, 1001 });
	ck_assert(scope_has(scope, 10, 1) && !scope_has(scope, 11, 2));
	LOOK(scope, { 1, 0, 0, 0 }, { 10, 1, 1, 0 }, { 11, 2, 10, 1000 }); /* su */
	ck_assert(!scope_has(scope, 10, 1) && scope_has(scope, 11, 2));
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

START_TEST(a_process_may_move_to_another_group)
{
	struct scope *scope = scope_of("cgroup=/a");

	LOOK(scope, { 10, 1, 1, 0, "/a/b" }, { 11, 1, 10, 0, "/c" }, { 12, 1, 10, 0, NULL }, { 13, 1, 11 });
	ck_assert(scope_has(scope, 10, 1) && !scope_has(scope, 11, 1));
	ck_assert(scope_has(scope, 12, 1) && !scope_has(scope, 13, 1)); /* not read yet: as the parent */
	LOOK(scope, { 10, 1, 1, 0, "/c" }, { 11, 1, 10, 0, "/a" }, { 12, 1, 10, 0, "/a" });
	ck_assert(!scope_has(scope, 10, 1) && scope_has(scope, 11, 1) && scope_has(scope, 12, 1));
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

START_TEST(all_terms_hold)
{
	struct scope *scope = scope_of("tree=10");

	also(scope, "user=1000");
	LOOK(scope, { 1, 0, 0, 1000 }, { 10, 1, 1, 1000 }, { 11, 1, 10, 0 }, { 12, 1, 11, 1000 });
	ck_assert(scope_has(scope, 10, 1) && !scope_has(scope, 1, 0));
	ck_assert(!scope_has(scope, 11, 1) && scope_has(scope, 12, 1)); /* below a process of another user */
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

START_TEST(processes_come_in_any_order)
{
	struct scope *scope = scope_of("tree=10");

	LOOK(scope, { 12, 2, 11 }, { 10, 1, 1 }, { 11, 2, 10 });
	ck_assert(scope_has(scope, 10, 1) && scope_has(scope, 11, 2) && scope_has(scope, 12, 2));
	ck_assert_uint_eq(scope->n_members, 3);
	LOOK(scope, { 5, 3, 11 }, { 12, 2, 1 }); /* 11 was seen before */
	ck_assert(scope_has(scope, 5, 3) && scope_has(scope, 12, 2));
	ck_assert_uint_eq(scope->n_members, 2);
	ck_assert(scope_has(scope, 10, 1)); /* the first of those that ended */
	scope = scope_of("tree=10");
	LOOK(scope, { 5, 2, 10 }, { 10, 1, 1 });
	ck_assert(scope_has(scope, 5, 2));
	ck_assert_uint_eq(scope->n_members, 2);
}

START_TEST(parents_in_a_circle_have_no_answer)
{
	struct scope *scope = scope_of("tree=10");

	LOOK(scope, { 20, 1, 21 }, { 21, 1, 20 }, { 22, 1, 22 }, { 10, 1, 20 }, { 11, 1, 10 });
	ck_assert(!scope_has(scope, 20, 1) && !scope_has(scope, 21, 1) && !scope_has(scope, 22, 1));
	ck_assert(scope_has(scope, 10, 1) && scope_has(scope, 11, 1));
}

/* A start is written in hundredths of a second, rounded down, or as it was. */
START_TEST(starts_differ_by_two_hundredths_at_most)
{
	struct scope *scope = scope_of("tree=10");

	LOOK(scope, { 10, 1, 1 }, { 11, 2, 10 });
	ck_assert(scope_has(scope, 11, 2.02) && scope_has(scope, 11, 1.98));
	ck_assert(!scope_has(scope, 11, 2.022) && !scope_has(scope, 11, 1.978));
	LOOK(scope, { 10, 1, 1 }, { 11, 2.02, 10 });
	ck_assert_uint_eq(scope->n_past, 0);
	LOOK(scope, { 10, 1, 1 }, { 11, 2.05, 10 });
	ck_assert_uint_eq(scope->n_past, 1);
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
