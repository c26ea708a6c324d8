/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scopes of a recording add up, and containers are found by name; on a proc of our own. */
#include "rig.h"

#include "model/scope.h"

static struct rig rig;

/* A process in ticks: its CPU time, and that of the children it has waited for. */
struct one {
	unsigned pid, parent, uid;
	const char *group, *name;
	unsigned cpu, children;
};

static void put(const struct one *one)
{
	rig_put(&rig, textf("proc/%u/stat", one->pid),
		"%u (%s) S %u 1 1 0 -1 4 100 0 9 0 %u 0 %u 0 20 0 1 0 %u 1000 25 0\n", one->pid, one->name,
		one->parent, one->cpu, one->children, 100 + one->pid);
	rig_put(&rig, textf("proc/%u/status", one->pid), "Name:\t%s\nUid:\t%u\t%u\t%u\t%u\n", one->name,
		one->uid, one->uid, one->uid, one->uid);
	rig_put(&rig, textf("proc/%u/cgroup", one->pid), "0::%s\n", one->group);
}

/* The machine after this many seconds: shells of two users in two groups, and a service. */
static void build(unsigned second)
{
	const struct one all[] = {
		{ 1, 0, 0, "/init.scope", "init", 100 + second, 500 },
		{ 10, 1, 0, "/system.slice/nginx.service", "nginx", 200 + 30 * second, 0 },
		{ 11, 10, 33, "/system.slice/nginx.service", "nginx", 100 + 40 * second, 0 },
		{ 20, 1, 1000, "/user.slice/a.scope", "sh", 50, 10 + 25 * second },
		{ 21, 20, 1000, "/user.slice/a.scope", "make", 5 * second, 0 },
		{ 30, 1, 1001, "/user.slice/b.scope", "sh", 70, 3 * second },
	};
	unsigned busy = 1000 + second * (1 + 30 + 40 + 25 + 5 + 3 + 7);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		put(&all[i]);
	rig_put(&rig, "proc/stat", "cpu  %u 0 0 9000 0 0 0 0 0 0\ncpu0 %u 0 0 9000 0 0 0 0 0 0\n", busy,
		busy);
}

static double part_of(const char *name)
{
	return frame_number(rig.now, "account", name, "cpu_ratio");
}

static void open_one(void)
{
	rig_open(&rig, "empty", TOPICS("process", "account", "exited"));
	build(0);
}

/* CPU time of all processes that are in the scope by now. */
static double listed(const struct scope *scope)
{
	const struct table *table = frame_table(rig.now, "process");
	double sum = 0;

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (scope_has(scope, table_u64(table, row, "pid"), table_number(table, row, "start_seconds")))
			sum += table_number(table, row, "cpu_ratio");
	}
	return sum;
}

/* As a replay does it with frames that were recorded without a scope; it may lack their control groups. */
START_TEST(scopes_of_a_recording_add_up_to_the_machine)
{
	static const struct {
		const char *scope;
		double tasks; /* as live; NaN: unknown */
	} cases[] = { { "user=0", 0.31 }, { "user=33", 0.4 }, { "user=1000,1001", 0.05 },
		      { "tree=20", 0.05 }, { "cgroup=/user.slice", NAN } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scope scope = { 0 };
		struct scope_term term;
		double tasks, rest;
		char why[256];

		ck_assert(scope_term_parse(&term, cases[i].scope, why, sizeof(why)));
		ck_assert(scope_add(&scope, &term));
		open_one();
		for (unsigned second = 0; second < 3; second++) {
			build(second);
			rig_next(&rig);
			scope_read_frame(&scope, rig.now, true);
			scope_split_frame(&scope, rig.now, true);
		}
		tasks = part_of("tasks");
		rest = part_of("(outside, or exited)");
		ck_assert_uint_gt(rig.now->n_notices, 0);
		ck_assert_double_eq_tol(part_of("busy"), 1.11, 1e-9);
		ck_assert(isnan(part_of("exited")));
		ck_assert_uint_eq(frame_table(rig.now, "exited")->n_rows, 0);
		if (isnan(cases[i].tasks)) {
			ck_assert(isnan(tasks));
		} else {
			ck_assert_double_eq_tol(tasks, cases[i].tasks, 1e-9);
			ck_assert_double_eq_tol(listed(&scope), tasks, 1e-9);
			ck_assert_double_eq_tol(tasks + rest, 1.11, 1e-9);
		}
		rig_close(&rig);
		scope_free(&scope);
	}
}

#define ID "3f2a9c0d4b1e5f60718293a4b5c6d7e8f90123456789abcdef0123456789abcd"

/* A container of Docker with this name; NULL: its engine has not written one. */
static void put_container(const char *name)
{
	rig_make(&rig, "var/lib/docker/containers/" ID);
	if (name)
		rig_put(&rig, "var/lib/docker/containers/" ID "/config.v2.json", "{\"Name\": \"/%s\"}", name);
	put(&(struct one){ 40, 1, 0, "/system.slice/docker-" ID ".scope", "web", 10, 0 });
}

/* An engine may have written no name; a near miss has a suggestion. */
START_TEST(a_container_is_found_by_its_name)
{
	static const struct {
		const char *in;
		bool named, is_in;
		const char *remedy; /* NULL: none of the topic scope */
	} cases[] = {
		{ "container=web-1", true, true, NULL },
		{ "container=web-1", false, false, NULL },
		{ "container=3f2a9c", true, true, NULL },
		{ "container=wbe-1", true, false, "did you mean web-1?" },
		{ "service=ngnix", true, false, "did you mean nginx.service?" },
		{ "container=quite-another", true, false, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scope scope = { 0 };
		const struct notice *notice;

		open_one();
		rig_set_scope(&rig, &scope, cases[i].in);
		put_container(cases[i].named ? "web-1" : NULL);
		rig_next(&rig);
		ck_assert_msg(scope_has(&scope, 40, NAN) == cases[i].is_in, "case %zu", i);
		ck_assert_uint_eq(scope.n_members, cases[i].is_in ? 1 : 0);
		notice = frame_newest_notice(rig.now, "scope");
		ck_assert_pstr_eq(notice ? notice->remedy : NULL, cases[i].remedy);
		rig_close(&rig);
		scope_free(&scope);
	}
}
