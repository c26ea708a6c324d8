/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The largest of today's caches have 4,096 entries (Zen 5), of which about the oldest is replaced: four times
 * as many pages are read. Since they were never written, they are all the kernel's one page of zeros, which
 * takes no memory; and since neighbours are the same frame, no two of them share an entry.
 */
#include <config.h>

#include "sys/tlb.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys/process_control.h"

#define N_PAGES 16384

static void read_pages(const volatile char *pages, size_t page_bytes)
{
	for (size_t i = 0; i < N_PAGES; i++)
		(void)pages[i * page_bytes];
}

static int read_on_each_cpu(const struct control_cpus *allowed, const volatile char *pages,
			    size_t page_bytes)
{
	int error = 0;

	for (uint32_t cpu = 0; cpu < CONTROL_CPUS_MAX && !error; cpu++) {
		struct control_cpus one = { 0 };

		if (!control_cpus_have(allowed, cpu))
			continue;
		control_cpus_add(&one, cpu);
		error = control_set_cpus(0, &one);
		if (!error)
			read_pages(pages, page_bytes);
		else if (error == -EINVAL) /* it went offline meanwhile */
			error = 0;
	}
	return error;
}

int tlb_evict(void)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, N_PAGES * page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct control_cpus allowed;
	int error;

	if (pages == MAP_FAILED)
		return -errno;
	madvise(pages, N_PAGES * page_bytes, MADV_NOHUGEPAGE);
	error = control_get_cpus(0, &allowed);
	if (!error) {
		error = read_on_each_cpu(&allowed, pages, page_bytes);
		control_set_cpus(0, &allowed);
	}
	munmap(pages, N_PAGES * page_bytes);
	return error;
}
