/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pages dense MIB | sparse GIB PAGES | regions N: a process whose memory is as it says, until it is ended.
 * pages loop PID ROUNDS: CPU ms to read all of its pagemap in preads of 1 MiB, nothing else; the least of
 * ROUNDS.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define CHUNK ((size_t)1 << 20)

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static char *map(size_t size)
{
	char *memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED) {
		perror("pages: mmap");
		exit(1);
	}
	madvise(memory, size, MADV_NOHUGEPAGE);
	return memory;
}

static void touch(size_t size, size_t step)
{
	char *memory = map(size);

	for (size_t at = 0; at < size; at += step)
		memory[at] = 1;
}

/* Neighbours differ in what is allowed, so that the kernel cannot join them. */
static void make_regions(size_t count)
{
	char *memory = map(count * 2 * PAGE);

	for (size_t i = 0; i < count; i++) {
		memory[i * 2 * PAGE] = 1;
		if (i % 2 == 1 && mprotect(memory + i * 2 * PAGE, 2 * PAGE, PROT_READ) < 0) {
			perror("pages: mprotect");
			exit(1);
		}
	}
}

static double read_all(int pagemap, const char *pid, uint64_t *entries)
{
	unsigned long start, end;
	char path[64], line[512];
	double started = cpu_ms();
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	maps = fopen(path, "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &start, &end) != 2 || strstr(line, "[vsyscall]"))
			continue;
		for (uint64_t at = start / PAGE * 8; at < end / PAGE * 8; at += CHUNK) {
			size_t length = end / PAGE * 8 - at < CHUNK ? end / PAGE * 8 - at : CHUNK;

			if (pread(pagemap, entries, length, (off_t)at) <= 0)
				break;
		}
	}
	if (maps)
		fclose(maps);
	return cpu_ms() - started;
}

static int loop(const char *pid, int rounds)
{
	uint64_t *entries = malloc(CHUNK);
	char path[64];
	double least = -1;
	int pagemap;

	snprintf(path, sizeof(path), "/proc/%s/pagemap", pid);
	pagemap = open(path, O_RDONLY);
	if (pagemap < 0 || !entries) {
		perror(path);
		return 1;
	}
	for (int i = 0; i < rounds; i++) {
		double ms = read_all(pagemap, pid, entries);

		least = least < 0 || ms < least ? ms : least;
	}
	printf("%.3f\n", least);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "loop") == 0)
		return loop(argv[2], atoi(argv[3]));
	if (argc > 2 && strcmp(argv[1], "dense") == 0)
		touch(strtoul(argv[2], NULL, 10) << 20, PAGE);
	else if (argc > 3 && strcmp(argv[1], "sparse") == 0)
		touch(strtoul(argv[2], NULL, 10) << 30,
		      (strtoul(argv[2], NULL, 10) << 30) / strtoul(argv[3], NULL, 10) & ~(PAGE - 1));
	else if (argc > 2 && strcmp(argv[1], "regions") == 0)
		make_regions(strtoul(argv[2], NULL, 10));
	else
		return 2;
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
