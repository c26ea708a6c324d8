/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of splitting what parents are told among children that ended, on a list of processes made up here. */
#include "suite.h"

#include "core/unknown.h"
#include "topic/process/exit_ledger.h"

#define MS_NS UINT64_C(1000000)
#define LAST_NS (1000 * MS_NS) /* when the processes were looked at before */
#define NOW_NS (2000 * MS_NS)

static struct process init = { .pid = 1 }, make = { .pid = 10 }, shell = { .pid = 20 };
static struct process *alive[] = { &init, &make, &shell };
static struct process dead = { .pid = 30, .stat = { .parent_pid = 10 } };
static struct process *exited[] = { &dead };
static struct child_shares shares;
static struct event_ended list[8];
static struct event_ended_list ended;
static struct {
	char comm[16];
	uint64_t ns;
} given[4];
static unsigned n_given;

static struct process_list machine(void)
{
	return (struct process_list){ .all = alive, .n_all = 3, .exited = exited, .n_exited = 1,
				      .mono_ns = NOW_NS };
}

/* Times in milliseconds. */
static void add(uint32_t pid, uint32_t parent, const char *comm, uint64_t start, uint64_t end)
{
	struct event_ended *one = &list[ended.count++];

	*one = (struct event_ended){
		.pid = pid, .parent_pid = parent, .start_ns = start * MS_NS, .end_ns = end * MS_NS
	};
	strcpy(one->comm, comm);
}

static void begin(void)
{
	memset(&shares, 0, sizeof(shares));
	shares.since_ns = LAST_NS;
	ended.list = list;
	ended.count = 0;
}

static void take(void)
{
	struct process_list processes = machine();

	child_shares_add(&shares, &processes, &ended);
	ended.count = 0;
}

static void keep(void *context, const char *name, uint64_t ns)
{
	ck_assert_ptr_eq(context, &shares);
	ck_assert_uint_lt(n_given, 4);
	strcpy(given[n_given].comm, name);
	given[n_given++].ns = ns;
}

static bool split(uint32_t reaper_pid, uint64_t ns)
{
	struct process_list processes = machine();

	n_given = 0;
	return child_shares_split(&shares, &processes, reaper_pid, ns, keep, &shares);
}

static uint64_t of(const char *comm)
{
	for (unsigned i = 0; i < n_given; i++)
		if (strcmp(given[i].comm, comm) == 0)
			return given[i].ns;
	return U64_UNKNOWN;
}

START_TEST(who_lived_longer_gets_more)
{
	begin();
	add(101, 10, "cc1", 1100, 1400);
	add(102, 10, "as", 1400, 1500);
	add(103, 20, "sleep", 1100, 1900);
	add(104, 10, "cc1", 1500, 1800);
	take();
	ck_assert(split(10, 700));
	ck_assert(n_given == 2 && of("cc1") == 600 && of("as") == 100);
	ck_assert(!split(10, 700));
	ck_assert(split(20, 5) && n_given == 1 && of("sleep") == 5);
}

START_TEST(who_waited_for_children_used_little)
{
	begin();
	add(200, 10, "sh", 1100, 1500);
	add(202, 201, "cc1", 1110, 1410); /* younger first: the list comes in no order of age */
	add(201, 200, "gcc", 1105, 1455);
	take();
	ck_assert(split(10, 400) && n_given == 3);
	ck_assert(of("sh") == 50 && of("gcc") == 50 && of("cc1") == 300);
}

START_TEST(what_was_seen_while_it_lived_is_not_of_the_end)
{
	begin();
	add(101, 10, "old", 1, 1100);
	add(102, 10, "new", 1100, 1200);
	add(103, 10, "unknown", 0, 1200);
	list[2].start_ns = U64_UNKNOWN;
	take();
	ck_assert(split(10, 400) && of("old") == 100 && of("new") == 100 && of("unknown") == 200);
}

/* The parent of 101 was seen and ended; that of 102 is nowhere; a pid that came back is not its own child. */
START_TEST(the_nearest_that_lives_is_told)
{
	begin();
	add(101, 30, "a", 1100, 1200);
	add(102, 77, "b", 1100, 1200);
	add(103, 103, "c", 1100, 1200);
	add(104, 105, "d", 1100, 1200);
	add(105, 104, "e", 1100, 1200);
	take();
	ck_assert(split(10, 100) && n_given == 1 && of("a") == 100);
	ck_assert(split(1, 100) && of("b") == 99);
	ck_assert_uint_eq(shares.count, 0);
}

START_TEST(a_pid_that_came_back_is_another_parent)
{
	begin();
	add(300, 10, "first", 1100, 1200);
	add(300, 10, "second", 1300, 1600);
	add(301, 300, "child", 1350, 1550);
	take();
	ck_assert(split(10, 400) && of("first") == 100 && of("second") == 100 && of("child") == 200);
}

START_TEST(names_wait_until_the_heir_is_told_or_ends)
{
	begin();
	add(101, 10, "a", 1100, 1200);
	add(102, 20, "b", 1100, 1200);
	add(103, 10, "", 1100, 1200);
	take();
	add(104, 10, "a", 2100, 2200);
	alive[2] = &make; /* 20 has ended */
	take();
	alive[2] = &shell;
	ck_assert_uint_eq(shares.count, 1);
	ck_assert(split(10, 10) && n_given == 1 && of("a") == 10);
	for (unsigned i = 0; i < 2 * CHILD_SHARES_MAX; i++) {
		add(400 + i, 10, textf("name %u", i), 1100, 1200);
		take();
	}
	ck_assert_uint_eq(shares.count, CHILD_SHARES_MAX);
}
