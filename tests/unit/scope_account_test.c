/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of scopes and of the rest are those of the machine; on a proc of our own, live and recorded. */
#include <config.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "model/scope_frame.h"
#include "suite.h"

static const char *const topic_names[] = { "process", "account", "exited", "process_total", NULL };

static void __attribute__((format(printf, 3, 4)))
put_file(const struct machine *machine, const char *name, const char *format, ...)
{
	char path[160];
	va_list list;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/%s", machine->root, name);
	file = fopen(path, "w");
	ck_assert_msg(file != NULL, "%s", path);
	va_start(list, format);
	vfprintf(file, format, list);
	va_end(list);
	fclose(file);
}

static void make_directory(const struct machine *machine, const char *name)
{
	mkdir(textf("%s/proc%s", machine->root, name), 0755);
}

/* A process in ticks: its CPU time, and that of the children it has waited for. */
struct one {
	unsigned pid, parent, uid;
	const char *group, *name;
	unsigned cpu, children;
};

static void put(const struct machine *machine, const struct one *one)
{
	make_directory(machine, textf("/%u", one->pid));
	put_file(machine, textf("%u/stat", one->pid),
		 "%u (%s) S %u 1 1 0 -1 4 100 0 9 0 %u 0 %u 0 20 0 1 0 %u 1000 25 0\n", one->pid, one->name,
		 one->parent, one->cpu, one->children, 100 + one->pid);
	put_file(machine, textf("%u/status", one->pid), "Name:\t%s\nUid:\t%u\t%u\t%u\t%u\n", one->name,
		 one->uid, one->uid, one->uid, one->uid);
	put_file(machine, textf("%u/cgroup", one->pid), "0::%s\n", one->group);
}

/* The machine after this many seconds: shells of two users in two groups, and a service. */
static void build(const struct machine *machine, unsigned second)
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
		put(machine, &all[i]);
	put_file(machine, "stat", "cpu  %u 0 0 9000 0 0 0 0 0 0\ncpu0 %u 0 0 9000 0 0 0 0 0 0\n", busy, busy);
}

struct sums {
	double tasks, exited, outside, busy, total, listed;
};

static double part_of(const struct frame *frame, const char *name)
{
	return frame_number(frame, "account", name, "cpu_ratio");
}

static double sum_of(const struct frame *frame, const char *topic, const char *column)
{
	const struct table *table = frame_table(frame, topic);
	double sum = 0;

	for (size_t i = 0; i < table->n_rows; i++)
		if (!isnan(table_number(table, table_row(table, i), column)))
			sum += table_number(table, table_row(table, i), column);
	return sum;
}

static double listed(const struct frame *frame, const struct scope *scope)
{
	const struct table *table = frame_table(frame, "process");
	double sum = 0;

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (scope_has(scope, table_u64(table, row, "pid"), table_number(table, row, "start_seconds")))
			sum += table_number(table, row, "cpu_ratio");
	}
	return sum;
}

static void open_one(struct machine *machine)
{
	*machine = (struct machine){ 0 };
	scratch_directory(machine->root, "scope");
	make_directory(machine, "");
	build(machine, 0);
	open_machine(machine, topic_names);
	machine->env.ticks_per_second = 100;
}

/* What it was in the second of two seconds. in: NULL: all. */
static struct sums sums_in(const char *in)
{
	struct scope scope = { 0 };
	struct machine machine;
	struct sums sums;

	open_one(&machine);
	if (in)
		choose_scope(&machine, &scope, in);
	for (unsigned second = 0; second < 3; second++) {
		build(&machine, second);
		next_tick(&machine);
	}
	sums = (struct sums){
		.tasks = part_of(machine.now, "tasks"),
		.exited = part_of(machine.now, "exited"),
		.outside = part_of(machine.now, in ? "(outside the scope)" : "unaccounted"),
		.busy = part_of(machine.now, "busy"),
		.total = sum_of(machine.now, "process_total", "cpu_seconds"),
		.listed = listed(machine.now, &scope),
	};
	close_machine(&machine);
	scope_free(&scope);
	return sums;
}

static bool is_near(double one, double other)
{
	return fabs(one - other) < 1e-9;
}

static void check_sum(const char *const *scopes, size_t n_scopes)
{
	struct sums all = sums_in(NULL), sum = { 0 };

	ck_assert(is_near(all.tasks, 0.76) && is_near(all.exited, 0.28) && is_near(all.busy, 1.11));
	for (size_t i = 0; i < n_scopes; i++) {
		struct sums part = sums_in(scopes[i]);

		ck_assert_msg(is_near(part.busy, all.busy), "%s: busy", scopes[i]);
		ck_assert_msg(is_near(part.tasks + part.exited + part.outside, all.busy), "%s: parts",
			      scopes[i]);
		ck_assert_msg(is_near(part.tasks, part.listed), "%s: rows", scopes[i]);
		sum.tasks += part.tasks;
		sum.exited += part.exited;
		sum.total += part.total;
	}
	ck_assert(is_near(sum.tasks, all.tasks) && is_near(sum.exited, all.exited) &&
		  is_near(sum.total, all.total));
	ck_assert(is_near(all.listed, all.tasks));
}

#define CHECK_SUM(...)                                                                                       \
	check_sum((const char *const[]){ __VA_ARGS__ },                                                      \
		  sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

START_TEST(users_add_up_to_the_machine)
{
	CHECK_SUM("user=0", "user=33", "user=1000,1001");
}

START_TEST(groups_add_up_to_the_machine)
{
	CHECK_SUM("cgroup=/system.slice", "cgroup=/user.slice/a.scope", "cgroup=/user.slice/b.scope",
		  "cgroup=/init.scope");
	CHECK_SUM("cgroup=/");
}

START_TEST(trees_add_up_to_the_machine)
{
	CHECK_SUM("tree=10", "tree=20", "tree=30", "pid=1");
	CHECK_SUM("tree=1");
}

START_TEST(children_of_a_member_are_its_own)
{
	struct sums shell = sums_in("user=1000"), service = sums_in("service=nginx");

	ck_assert(is_near(shell.tasks, 0.05) && is_near(shell.exited, 0.25));
	ck_assert(is_near(service.tasks, 0.7) && is_near(service.exited, 0));
}

START_TEST(another_scope_is_no_jump)
{
	static const char *const in[10] = { [2] = "user=33", [5] = "user=1000" };
	struct scope scope = { 0 };
	struct machine machine;

	open_one(&machine);
	for (unsigned second = 0; second < 10; second++) {
		if (in[second] || second == 7)
			scope_clear(&scope);
		if (in[second])
			choose_scope(&machine, &scope, in[second]);
		build(&machine, second);
		next_tick(&machine);
		if (in[second] || second == 7)
			ck_assert(isnan(part_of(machine.now, "tasks")));
		if (second == 4)
			ck_assert(is_near(part_of(machine.now, "tasks"), 0.4) &&
				  is_near(part_of(machine.now, "busy"), 1.11));
		if (second == 9)
			ck_assert(is_near(part_of(machine.now, "tasks"), 0.76) &&
				  is_near(part_of(machine.now, "exited"), 0.28));
	}
	close_machine(&machine);
	scope_free(&scope);
}

/* As a replay does it with frames that were recorded without a scope. */
static struct sums recorded_sums_in(const char *in, bool *any_notice)
{
	struct scope scope = { 0 };
	struct scope_term term;
	struct machine machine;
	struct sums sums;
	char why[256];

	ck_assert(scope_term_parse(&term, in, why, sizeof(why)) && scope_add(&scope, &term));
	open_one(&machine);
	for (unsigned second = 0; second < 3; second++) {
		build(&machine, second);
		next_tick(&machine);
		scope_read_frame(&scope, machine.now, true);
		scope_split_frame(&scope, machine.now, true);
	}
	*any_notice = machine.now->n_notices > 0;
	sums = (struct sums){
		.tasks = part_of(machine.now, "tasks"),
		.exited = part_of(machine.now, "exited"),
		.outside = part_of(machine.now, "(outside, or exited)"),
		.busy = part_of(machine.now, "busy"),
		.total = sum_of(machine.now, "exited", "cpu_seconds"),
		.listed = listed(machine.now, &scope),
	};
	close_machine(&machine);
	scope_free(&scope);
	return sums;
}

START_TEST(scopes_of_a_recording_add_up_to_the_machine)
{
	static const char *const scopes[] = { "user=0", "user=33", "user=1000,1001" };
	struct sums all = sums_in(NULL);
	double tasks = 0;
	bool any_notice;

	for (size_t i = 0; i < 3; i++) {
		struct sums recorded = recorded_sums_in(scopes[i], &any_notice);
		struct sums live = sums_in(scopes[i]);

		ck_assert(is_near(recorded.tasks, live.tasks) && is_near(recorded.listed, live.listed));
		ck_assert(is_near(recorded.tasks + recorded.outside, all.busy) &&
			  is_near(recorded.busy, all.busy));
		ck_assert(isnan(recorded.exited) && is_near(recorded.total, 0) && any_notice);
		tasks += recorded.tasks;
	}
	ck_assert(is_near(tasks, all.tasks));
	ck_assert(is_near(recorded_sums_in("tree=20", &any_notice).tasks, sums_in("tree=20").tasks));
}

/* Their control groups were not asked for. */
START_TEST(what_a_recording_lacks_is_said)
{
	bool any_notice;
	struct sums recorded = recorded_sums_in("cgroup=/user.slice", &any_notice);

	ck_assert(any_notice && isnan(recorded.tasks) && is_near(recorded.busy, sums_in(NULL).busy));
}

#define ID "3f2a9c0d4b1e5f60718293a4b5c6d7e8f90123456789abcdef0123456789abcd"

/* A container of Docker with this name; NULL: its engine has not written one. */
static void put_container(const struct machine *machine, const char *name)
{
	static const char *const directories[] = { "/../var", "/../var/lib", "/../var/lib/docker",
						   "/../var/lib/docker/containers",
						   ("/../var/lib/docker/containers/" ID) };

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		make_directory(machine, directories[i]);
	if (name)
		put_file(machine, "../var/lib/docker/containers/" ID "/config.v2.json", "{\"Name\": \"/%s\"}",
			 name);
	put(machine, &(struct one){ 40, 1, 0, "/system.slice/docker-" ID ".scope", "web", 10, 0 });
}

static bool is_in(const char *in, bool named, const char **remedy)
{
	struct scope scope = { 0 };
	struct machine machine;
	static char text[256];
	bool is;

	open_one(&machine);
	choose_scope(&machine, &scope, in);
	put_container(&machine, named ? "web-1" : NULL);
	next_tick(&machine);
	is = scope_has(&scope, 40, NAN);
	ck_assert_uint_eq(scope.n_members, is ? 1 : 0);
	*remedy = NULL;
	for (unsigned i = 0; i < machine.now->n_notices; i++) {
		const struct notice *notice = &machine.now->notices[i];

		if (strcmp(notice->topic, "scope") != 0 || !notice->remedy)
			continue;
		snprintf(text, sizeof(text), "%s", notice->remedy);
		*remedy = text;
	}
	close_machine(&machine);
	scope_free(&scope);
	return is;
}

START_TEST(a_container_is_found_by_its_name)
{
	const char *remedy;

	ck_assert(is_in("container=web-1", true, &remedy));
	ck_assert(!is_in("container=web-1", false, &remedy));
	ck_assert(is_in("container=3f2a9c", true, &remedy));
	ck_assert(!is_in("container=web", true, &remedy));
}

START_TEST(a_near_miss_has_a_suggestion)
{
	const char *remedy;

	ck_assert(!is_in("container=wbe-1", true, &remedy));
	ck_assert_str_eq(remedy, "did you mean web-1?");
	ck_assert(!is_in("service=ngnix", true, &remedy));
	ck_assert_str_eq(remedy, "did you mean nginx.service?");
	ck_assert(!is_in("container=quite-another", true, &remedy));
	ck_assert_ptr_null(remedy);
}
