/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages that a program of our own uses all the time, and whose accessed bits are cleared. */
#include <config.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/buffer.h"
#include "kernel/pid/maps.h"
#include "suite.h"
#include "sys/buffer_io.h"
#include "sys/tlb.h"

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
	used.pid = fork();
	ck_assert_int_ge(used.pid, 0);
	if (used.pid > 0)
		return used;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
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
START_TEST(pages_in_use_are_seen)
{
#if !defined(__x86_64__) && !defined(__i386__)
	skip_test("only x86 can be made to drop translations");
#endif
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct used used = start_use(page);
	char path[64];
	uint64_t cpu_ns = 0;
	int clear_refs, smaps;

	snprintf(path, sizeof(path), "/proc/%d/clear_refs", (int)used.pid);
	clear_refs = open(path, O_WRONLY);
	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)used.pid);
	smaps = open(path, O_RDONLY);
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
	kill(used.pid, SIGKILL);
	waitpid(used.pid, NULL, 0);
}
END_TEST
