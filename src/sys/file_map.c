/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A page behind the end of its file is replaced, with all that follow, by pages of zeros. */
#include <config.h>

#include "sys/file_map.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAPS_MAX 1024

static struct span maps[MAPS_MAX]; /* empty: free; no vector, as the handler reads it */
static size_t page_bytes;

/* The last pages of a map, whatever its file has there. */
static void fill(int number, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(page_bytes - 1);

	(void)number;
	(void)context;
	for (size_t i = 0; i < MAPS_MAX && info->si_code == BUS_ADRERR; i++) {
		uintptr_t end = (uintptr_t)maps[i].end;

		if (page < (uintptr_t)maps[i].at || page >= end)
			continue;
		if (mmap((void *)page, end - page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED)
			return;
	}
	_exit(1);
}

void file_maps_open(void)
{
	const struct sigaction action = { .sa_sigaction = fill, .sa_flags = SA_SIGINFO };
	sigset_t set;

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGBUS);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

struct span file_map(int fd, int protection, size_t most)
{
	struct stat status;
	void *bytes;

	if (fstat(fd, &status) < 0 || status.st_size <= 0 || (uint64_t)status.st_size > most)
		return (struct span){ 0 };
	for (size_t i = 0; i < MAPS_MAX; i++) {
		if (maps[i].at)
			continue;
		bytes = mmap(NULL, (size_t)status.st_size, protection, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
		if (bytes == MAP_FAILED)
			break;
		return maps[i] = span_of(bytes, (size_t)status.st_size);
	}
	return (struct span){ 0 };
}

void file_unmap(struct span bytes)
{
	for (size_t i = 0; i < MAPS_MAX && bytes.at; i++) {
		if (maps[i].at != bytes.at)
			continue;
		munmap((void *)(uintptr_t)bytes.at, span_length(bytes));
		maps[i] = (struct span){ 0 };
		return;
	}
}
