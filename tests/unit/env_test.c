/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine as samplers see it: its clocks and sizes, what is open at most, and what failed. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"
#include "sys/env.h"

/* A directory with proc/sys/kernel, as another root. */
static void make_root(char root[SCRATCH_PATH_MAX])
{
	static const char *const names[] = { "proc", "proc/sys", "proc/sys/kernel" };
	char path[SCRATCH_PATH_MAX + 64];

	scratch_directory(root, "env");
	for (unsigned i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", root, names[i]);
		ck_assert_int_eq(mkdir(path, 0700), 0);
	}
}

static void write_bytes(const char *root, const char *name, const char *text, off_t length)
{
	char path[SCRATCH_PATH_MAX + 64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(truncate(path, length), 0);
}

START_TEST(times_are_parted)
{
	struct timespec time = env_timespec(UINT64_C(1999999999));

	ck_assert(time.tv_sec == 1 && time.tv_nsec == 999999999);
	time = env_timespec(UINT64_C(2000000000));
	ck_assert(time.tv_sec == 2 && time.tv_nsec == 0);
}
END_TEST

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	ck_assert_int_eq(clock_gettime(clock, &now), 0);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

START_TEST(clocks_are_those_of_the_kernel)
{
	static const struct {
		clockid_t clock;
		uint64_t (*ns)(void);
	} clocks[] = {
		{ CLOCK_MONOTONIC, env_mono_ns },
		{ CLOCK_BOOTTIME, env_boot_ns },
		{ CLOCK_PROCESS_CPUTIME_ID, env_self_cpu_ns },
		{ CLOCK_THREAD_CPUTIME_ID, env_thread_cpu_ns },
	};
	uint64_t wall_ns = env_wall_ns(), minute_ns = UINT64_C(60000000000);

	for (unsigned i = 0; i < 4; i++) {
		uint64_t before = now_ns(clocks[i].clock), ns = clocks[i].ns(),
			 after = now_ns(clocks[i].clock);

		ck_assert_msg(before <= ns && ns <= after, "clock %u", i);
	}
	ck_assert_uint_le(wall_ns - now_ns(CLOCK_REALTIME) + minute_ns, 2 * minute_ns);
}
END_TEST

START_TEST(a_process_has_a_clock_until_it_ends)
{
	uint64_t before, after, ns = 7;
	struct env env;
	pid_t child;

	before = env_self_cpu_ns();
	ck_assert(env_process_cpu_ns(env_self_pid(), &ns));
	after = env_self_cpu_ns();
	ck_assert(before <= ns && ns <= after);
	child = fork();
	if (child == 0)
		_exit(0);
	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ns = 7;
	ck_assert(!env_process_cpu_ns((uint32_t)child, &ns));
	ck_assert_uint_eq(ns, 7);
	ck_assert_int_eq(env_open(&env, "/"), 0);
	ck_assert(env_has_process_clocks(&env));
	env.foreign_pids = true;
	ck_assert(!env_has_process_clocks(&env));
	env.foreign_pids = false;
	env.live = false;
	ck_assert(!env_has_process_clocks(&env));
	env.live = true;
	env.own_pid = 0;
	ck_assert(!env_has_process_clocks(&env));
	env.own_pid = (uint32_t)child;
	ck_assert(!env_has_process_clocks(&env));
	env_close(&env);
}
END_TEST

/* What is only mapped does not count. */
START_TEST(resident_memory_is_what_was_touched)
{
	const size_t mapped = (size_t)1 << 30, touched = (size_t)32 << 20;
	uint64_t before, after;
	struct env env;
	char *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			    -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(env_open(&env, "/"), 0);
	before = env_self_resident_bytes(&env);
	for (size_t at = 0; at < touched; at += 4096)
		memory[at] = 1;
	after = env_self_resident_bytes(&env);
	ck_assert_uint_gt(before, 0);
	ck_assert_uint_eq(before % env.page_bytes, 0);
	ck_assert_uint_lt(before, mapped);
	ck_assert_uint_ge(after, before + touched / 2);
	ck_assert_uint_le(after, before + 2 * touched);
	ck_assert_int_eq(munmap(memory, mapped), 0);
	env_close(&env);
}
END_TEST

START_TEST(sizes_are_those_of_the_machine)
{
	struct env env;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	ck_assert_uint_eq(env.page_bytes, (uint64_t)sysconf(_SC_PAGESIZE));
	ck_assert_uint_eq(env.ticks_per_second, (uint64_t)sysconf(_SC_CLK_TCK));
	ck_assert_uint_eq(env_cpus(), (unsigned)sysconf(_SC_NPROCESSORS_CONF));
	ck_assert(env.live && env.root.fd >= 0);
	ck_assert(env_exists(&env, "proc/self/stat") && !env_exists(&env, "proc/self/none"));
	env_close(&env);
	ck_assert_int_eq(env.root.fd, -1);
}
END_TEST

/* Of what may be open 64 stay free, and 4 for each CPU; processes and counters have half of the rest each. */
START_TEST(open_files_are_shared_out)
{
	const rlim_t left = 64 + 4 * env_cpus();
	static const unsigned more[] = { 101, 2, 1, 0 };

	for (unsigned i = 0; i < 4; i++) {
		struct rlimit limit = { .rlim_cur = 50, .rlim_max = left + more[i] };
		struct env env;

		if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
			skip_test("not as many files may be open: %s", strerror(errno));
		ck_assert_int_eq(env_open(&env, "/"), 0);
		ck_assert_uint_eq(env.files_before, 50);
		ck_assert_uint_eq(env.counters.max, more[i] / 2);
		ck_assert_uint_eq(env.pids.kept_max, more[i] / 2);
		ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
		ck_assert_uint_eq(limit.rlim_cur, left + more[i]);
		env_close(&env);
	}
}
END_TEST

START_TEST(a_snap_has_its_name)
{
	char root[SCRATCH_PATH_MAX];
	struct env env;

	make_root(root);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 3)
			unsetenv("SNAP_NAME");
		else
			setenv("SNAP_NAME", i == 1 ? PACKAGE "s" : PACKAGE, 1);
		ck_assert_int_eq(env_open(&env, i == 2 ? root : "/"), 0);
		ck_assert_int_eq(env.in_snap, i == 0);
		ck_assert_int_eq(env.live, i != 2);
		env_close(&env);
	}
}
END_TEST

START_TEST(another_root_has_a_host)
{
	char root[SCRATCH_PATH_MAX], host[64], own[64] = "";
	struct env env;

	make_root(root);
	ck_assert_int_eq(gethostname(own, sizeof(own) - 1), 0);
	ck_assert_int_eq(env_open(&env, root), 0);
	env_host(&env, host, sizeof(host));
	ck_assert_str_eq(host, own);
	write_bytes(root, "proc/sys/kernel/hostname", "box", 3);
	env.tick++;
	env_host(&env, host, 4);
	ck_assert_str_eq(host, "box");
	memset(host, 'x', sizeof(host));
	env_host(&env, host, 3);
	ck_assert_str_ne(host, "bo"); /* no part of it */
	ck_assert_uint_lt(strlen(host), 3);
	write_bytes(root, "proc/sys/kernel/hostname", "other\n", 6);
	env.tick++;
	env_host(&env, host, sizeof(host));
	ck_assert_str_eq(host, "other");
	env.live = true;
	env_host(&env, host, sizeof(host));
	ck_assert_str_eq(host, own);
	env_close(&env);
}
END_TEST

/* Each part counts, and the look that finds the end. */
START_TEST(reads_are_counted)
{
	static const struct {
		off_t length;
		uint64_t reads;
	} cases[] = { { 0, 1 }, { 5, 2 }, { 4095, 2 }, { 4096, 2 }, { 4097, 3 }, { 8193, 4 } };
	char root[SCRATCH_PATH_MAX];
	struct span text;
	struct env env;

	make_root(root);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_int_eq(env_open(&env, root), 0);
		env.tick = 1;
		write_bytes(root, "proc/x", "abc", cases[i].length);
		env.reads = 0;
		ck_assert_int_eq(env_read(&env, env_file(&env, "proc/x"), &text), 0);
		ck_assert_uint_eq(span_length(text), (size_t)cases[i].length);
		ck_assert_uint_eq(env.reads, cases[i].reads);
		env_close(&env);
	}
}
END_TEST

START_TEST(a_file_has_less_than_64_mib)
{
	const off_t most = (off_t)64 << 20;
	char root[SCRATCH_PATH_MAX];
	struct span text;
	struct env env;

	make_root(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	env.tick = 1;
	write_bytes(root, "proc/x", "", most - 1);
	ck_assert_int_eq(env_read(&env, env_file(&env, "proc/x"), &text), 0);
	ck_assert_uint_eq(span_length(text), (size_t)most - 1);
	env.tick = 2;
	write_bytes(root, "proc/x", "", most);
	ck_assert_int_eq(env_read(&env, env_file(&env, "proc/x"), &text), -EFBIG);
	env.tick = 3;
	write_bytes(root, "proc/x", "", 3); /* it is opened again */
	ck_assert_int_eq(env_read(&env, env_file(&env, "proc/x"), &text), 0);
	ck_assert_uint_eq(span_length(text), 3);
	env_close(&env);
}
END_TEST

START_TEST(the_first_failures_are_kept)
{
	char root[SCRATCH_PATH_MAX], path[ENV_FAILED_PATH_MAX + 10];
	struct env env;
	int error;

	make_root(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	ck_assert_ptr_null(env_lacking_path(&env, &error));
	for (int i = 1; i <= ENV_FAILURES_MAX + 1; i++) {
		snprintf(path, sizeof(path), "proc/%d", i);
		env_note_failure(&env, path, -i);
	}
	ck_assert_uint_eq(env.n_failures, ENV_FAILURES_MAX);
	ck_assert_str_eq(env_failed_path(&env, -1), "proc/1");
	ck_assert_str_eq(env_failed_path(&env, -ENV_FAILURES_MAX), "proc/8");
	ck_assert_ptr_null(env_failed_path(&env, -ENV_FAILURES_MAX - 1));
	env_forget_failures(&env);
	ck_assert_ptr_null(env_failed_path(&env, -1));
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	env_note_failure(&env, path, -ENOMEM);
	ck_assert_uint_eq(strlen(env_lacking_path(&env, &error)), ENV_FAILED_PATH_MAX - 1);
	ck_assert_int_eq(error, -ENOMEM);
	env_note_failure(&env, "proc/more", -ENOMEM);
	env_note_failure(&env, "proc/files", -ENFILE);
	ck_assert_str_eq(env_lacking_path(&env, &error), "proc/files");
	ck_assert_int_eq(error, -ENFILE);
	env_note_failure(&env, "proc/own", -EMFILE);
	ck_assert_str_eq(env_lacking_path(&env, &error), "proc/own");
	ck_assert_int_eq(error, -EMFILE);
	env_close(&env);
}
END_TEST

START_TEST(errors_have_texts)
{
	ck_assert_str_eq(env_error_text(ENOENT), strerror(ENOENT));
	ck_assert_str_eq(env_error_text(EXDEV), "/proc is not that of panetop's own pid namespace");
}
END_TEST

static char keys[3];
static char closed[8];

static void close_state(void *state)
{
	strncat(closed, state, 1);
}

/* From the middle, too; the others stay, and are closed in the end, the newest first. */
START_TEST(states_are_removed_one_by_one)
{
	static const char names[] = "abc";

	for (unsigned removed = 0; removed < 3; removed++) {
		struct env env;

		closed[0] = '\0';
		ck_assert_int_eq(env_open(&env, "/"), 0);
		for (unsigned i = 0; i < 3; i++)
			memcpy(env_state_add(&env, &keys[i], 2, close_state), &names[i], 1);
		env_state_remove(&env, &keys[removed]);
		env_state_remove(&env, &keys[removed]);
		env_state_remove(&env, names);
		ck_assert_int_eq(closed[0], names[removed]);
		ck_assert_int_eq(closed[1], '\0');
		for (unsigned i = 0; i < 3; i++) {
			const char *state = env_state(&env, &keys[i]);

			ck_assert(i == removed ? !state : state && *state == names[i]);
		}
		env_close(&env);
		ck_assert_str_eq(closed, removed == 0 ? "acb" : removed == 1 ? "bca" : "cba");
	}
}
END_TEST
