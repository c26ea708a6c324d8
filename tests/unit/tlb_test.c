/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages that a program of our own uses all the time, and whose accessed bits are cleared. */
#include "suite.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "core/buffer.h"
#include "kernel/pid/maps.h"
#include "sys/descriptor.h"
#include "sys/process.h"

#define N_PAGES 200 /* few enough for any CPU to keep their translations */
#define ROUNDS 20

/* A process that uses all of its pages, again and again. */
struct used {
	pid_t pid;
	char *memory;
	volatile unsigned long *passes;
};

static struct used start_use(size_t page)
{
	struct used used;

	used.memory = mmap(NULL, N_PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	used.passes = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(used.memory != MAP_FAILED && used.passes != MAP_FAILED);
	madvise(used.memory, N_PAGES * page, MADV_NOHUGEPAGE);
	used.pid = begin_child();
	if (used.pid > 0)
		return used;
	for (;; ++*used.passes)
		for (size_t i = 0; i < N_PAGES; i++)
			((volatile char *)used.memory)[i * page]++;
}

static void wait_for_passes(const struct used *used, unsigned long n)
{
	unsigned long first = *used->passes;

	while (*used->passes - first < n)
		usleep(1000);
}

static uint64_t pages_seen(int smaps, const struct used *used, size_t page)
{
	struct buffer bytes = { 0 };
	struct maps_region region;
	struct smaps_sizes sizes;
	uint64_t seen = 0;
	struct span text;

	ck_assert(lseek(smaps, 0, SEEK_SET) == 0);
	ck_assert_int_eq(buffer_read(&bytes, smaps, 64 << 20), 0);
	text = span_of(bytes.bytes, bytes.length);
	while (smaps_next(&text, &region, &sizes))
		if (region.start <= (uintptr_t)used->memory && (uintptr_t)used->memory < region.end)
			seen = sizes.referenced_bytes / page;
	buffer_free(&bytes);
	return seen;
}

/* Through a translation that its CPU kept, none of them would be seen. */
START_LIVE_TEST(pages_in_use_are_seen)
{
#if !defined(__x86_64__) && !defined(__i386__)
	skip_test("only x86 can be made to drop translations");
#endif
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct used used = start_use(page);
	uint64_t cpu_ns = 0;
	int clear_refs, smaps;

	clear_refs = open(textf("/proc/%d/clear_refs", (int)used.pid), O_WRONLY);
	smaps = open(textf("/proc/%d/smaps", (int)used.pid), O_RDONLY);
	if (clear_refs < 0 || smaps < 0)
		skip_test("this kernel has no accessed bits to clear");
	for (int i = 0; i < ROUNDS; i++) {
		wait_for_passes(&used, 2);
		ck_assert(pwrite(clear_refs, "1\n", 2, 0) == 2);
		ck_assert_int_eq(tlb_drop(&cpu_ns), 0);
		ck_assert_uint_gt(cpu_ns, 0);
		wait_for_passes(&used, 2);
		ck_assert_uint_eq(pages_seen(smaps, &used, page), N_PAGES);
	}
	close(smaps);
	close(clear_refs);
	end_child(used.pid);
}

static bool has_no_copies(void)
{
	return wait4(-1, NULL, __WALL | WNOHANG, NULL) == -1 && errno == ECHILD;
}

START_TEST(copies_are_waited_for)
{
	uint64_t cpu_ns = UINT64_MAX;

	ck_assert_int_eq(tlb_drop(&cpu_ns), 0);
	ck_assert_uint_lt(cpu_ns, UINT64_C(60000000000));
	ck_assert(has_no_copies());
}

/* The half of the first argument that has small numbers. */
#define FIRST_ARGUMENT                                                                                       \
	(offsetof(struct seccomp_data, args) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

/* From now on this system call fails so; for_others: unless its first argument is 0. */
static bool refuse(int number, bool for_others, int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIRST_ARGUMENT),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, for_others ? 0 : UINT32_MAX, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 6, .filter = filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* A CPU that went offline is passed over; another failure is told, and no copy is left then either. */
START_TEST(a_cpu_that_is_gone_is_no_failure)
{
	static const struct {
		int number;
		bool for_others;
		int error, expected;
	} cases[] = {
		{ SYS_sched_setaffinity, true, EPERM, 0 }, /* each moves itself alone */
		{ SYS_sched_setaffinity, false, EINVAL, 0 },
		{ SYS_sched_setaffinity, false, EPERM, -EPERM },
		{ SYS_sched_getaffinity, true, EPERM, 0 },
		{ SYS_sched_getaffinity, false, EFAULT, -EFAULT },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pid_t child = fork();
		int status;

		ck_assert_int_ge(child, 0);
		if (child == 0) {
			uint64_t cpu_ns = 0;

			if (!refuse(cases[i].number, cases[i].for_others, cases[i].error))
				_exit(2);
			_exit(tlb_drop(&cpu_ns) != cases[i].expected || !has_no_copies());
		}
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
			skip_test("system calls cannot be refused here");
		ck_assert_msg(status == 0, "case %zu: %d", i, status);
	}
}
