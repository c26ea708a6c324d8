/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what is set of a process: lists of CPUs as people write them; a child against /proc. */
#include <config.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"
#include "sys/process_control.h"

static void check_list(const char *list, const char *written)
{
	struct control_cpus cpus;
	char text[CONTROL_LIST_MAX];

	ck_assert_msg(control_cpus_parse(span_text(list), &cpus), "%s", list);
	control_cpus_text(&cpus, text);
	ck_assert_str_eq(text, written);
}

START_TEST(lists_of_cpus_are_read_and_written)
{
	static const char *const wrong[] = { "", "x", "1,", "1-", "3-2", "1 ", "-1", "1-2-3", "1;2" };
	struct control_cpus cpus;
	char text[64];

	check_list("0", "0");
	check_list("0-1", "0-1");
	check_list("2,0,1", "0-2");
	check_list("63,64,65,127,128", "63-65,127-128");
	check_list("1-3,2-5,9", "1-5,9");
	snprintf(text, sizeof(text), "0,%d", CONTROL_CPUS_MAX - 1);
	check_list(text, text);
	snprintf(text, sizeof(text), "%d-%d", CONTROL_CPUS_MAX - 2, CONTROL_CPUS_MAX - 1);
	check_list(text, text);
	snprintf(text, sizeof(text), "%d", CONTROL_CPUS_MAX);
	ck_assert(!control_cpus_parse(span_text(text), &cpus));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!control_cpus_parse(span_text(wrong[i]), &cpus), "%s", wrong[i]);
}
END_TEST

/* As much as there is room for, and no half of a number. */
START_TEST(a_long_list_is_cut)
{
	struct control_cpus cpus = { 0 };
	char text[CONTROL_LIST_MAX], *last;
	unsigned cpu;

	for (cpu = 0; cpu < CONTROL_CPUS_MAX; cpu += 2)
		cpus.bits[cpu / (8 * sizeof(unsigned long))] |= 1UL << cpu % (8 * sizeof(unsigned long));
	control_cpus_text(&cpus, text);
	ck_assert_int_eq(strncmp(text, "0,2,4,", 6), 0);
	ck_assert_uint_ge(strlen(text), CONTROL_LIST_MAX - 6);
	last = strrchr(text, ',');
	ck_assert_ptr_nonnull(last);
	ck_assert_int_eq(sscanf(last, ",%u", &cpu), 1);
	ck_assert(cpu % 2 == 0 && cpu < CONTROL_CPUS_MAX);
}
END_TEST

START_TEST(policies_have_names)
{
	static const struct {
		const char *name;
		int policy;
	} policies[] = { { "other", SCHED_OTHER }, { "fifo", SCHED_FIFO }, { "rr", SCHED_RR },
			 { "batch", SCHED_BATCH }, { "idle", SCHED_IDLE }, { "deadline", 6 },
			 { "ext", 7 } };
	int policy;

	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		ck_assert_str_eq(control_policy_name(policies[i].policy), policies[i].name);
		ck_assert(control_policy_find(span_text(policies[i].name), &policy));
		ck_assert_int_eq(policy, policies[i].policy);
	}
	ck_assert_str_eq(control_policy_name(4), "?");
	ck_assert(!control_policy_find(span_text("othe"), &policy));
	ck_assert(!control_policy_find(span_text(""), &policy));
}
END_TEST

static pid_t start_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	ck_assert_int_gt(child, 0);
	return child;
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

/* What the kernel says of it. */
static void assert_status(pid_t child, const char *line)
{
	char path[64], text[256];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)child);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	while (fgets(text, sizeof(text), file))
		found |= strcmp(text, line) == 0;
	fclose(file);
	ck_assert_msg(found, "no line %s", line);
}

START_TEST(a_child_runs_on_the_cpus_that_are_set)
{
	struct control_cpus before, one = { 0 }, now;
	char text[CONTROL_LIST_MAX], line[CONTROL_LIST_MAX + 32];
	pid_t child = start_child();
	unsigned cpu = 0;

	ck_assert_int_eq(control_get_cpus((uint32_t)child, &before), 0);
	control_cpus_text(&before, text);
	snprintf(line, sizeof(line), "Cpus_allowed_list:\t%s\n", text);
	assert_status(child, line);
	ck_assert_int_eq(sscanf(text, "%u", &cpu), 1);
	one.bits[cpu / (8 * sizeof(unsigned long))] = 1UL << cpu % (8 * sizeof(unsigned long));
	ck_assert_int_eq(control_set_cpus((uint32_t)child, &one), 0);
	snprintf(line, sizeof(line), "Cpus_allowed_list:\t%u\n", cpu);
	assert_status(child, line);
	ck_assert_int_eq(control_get_cpus((uint32_t)child, &now), 0);
	ck_assert_mem_eq(&now, &one, sizeof(now));
	ck_assert_int_eq(control_set_cpus((uint32_t)child, &(struct control_cpus){ 0 }), -EINVAL);
	end_child(child);
	ck_assert_int_eq(control_get_cpus((uint32_t)child, &now), -ESRCH);
	ck_assert_int_eq(control_set_cpus((uint32_t)child, &one), -ESRCH);
}
END_TEST

START_TEST(a_child_gets_a_policy_and_a_class)
{
	const struct control_policy batch = { .policy = SCHED_BATCH }, wrong = { .policy = SCHED_BATCH,
										 .priority = 5 };
	const struct control_io low = { .class = 2, .level = 6 }, idle = { .class = 3, .level = 0 };
	struct control_policy policy = { .policy = 99 };
	pid_t child = start_child();
	struct control_io io;

	ck_assert_int_eq(control_get_policy((uint32_t)child, &policy), 0);
	ck_assert_int_eq(policy.policy, sched_getscheduler(0) & ~SCHED_RESET_ON_FORK);
	ck_assert_int_eq(control_set_policy((uint32_t)child, &batch), 0);
	ck_assert_int_eq(sched_getscheduler(child), SCHED_BATCH);
	ck_assert_int_eq(control_get_policy((uint32_t)child, &policy), 0);
	ck_assert(policy.policy == SCHED_BATCH && policy.priority == 0);
	ck_assert_int_eq(control_set_policy((uint32_t)child, &wrong), -EINVAL);
	ck_assert_int_eq(control_set_io((uint32_t)child, &low), 0);
	ck_assert_int_eq(control_get_io((uint32_t)child, &io), 0);
	ck_assert(io.class == 2 && io.level == 6);
	ck_assert_int_eq(control_set_io((uint32_t)child, &idle), 0);
	ck_assert_int_eq(control_get_io((uint32_t)child, &io), 0);
	ck_assert_uint_eq(io.class, 3);
	end_child(child);
	ck_assert_int_eq(control_get_policy((uint32_t)child, &policy), -ESRCH);
	ck_assert_int_eq(control_set_policy((uint32_t)child, &batch), -ESRCH);
	ck_assert_int_eq(control_get_io((uint32_t)child, &io), -ESRCH);
	ck_assert_int_eq(control_set_io((uint32_t)child, &low), -ESRCH);
}
END_TEST
