/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls: for each line of standard input, a number, makes that many system calls, and prints the CPU time that one
 * took, in ns. After "mix N" it makes N of each of four calls, of which three fail; after "open N" it opens N files that
 * are not there, and prints the same.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void mix(long n)
{
	int full = open("/dev/full", O_WRONLY);
	char byte;

	for (long i = 0; i < n; i++) {
		syscall(SYS_getppid);
		syscall(SYS_openat, AT_FDCWD, "/nowhere", O_RDONLY);
		syscall(SYS_pread64, -1, &byte, 1, 0);
		syscall(SYS_pwrite64, full, "x", 1, 0);
	}
	close(full);
	puts("done");
}

static void get(long number)
{
	(void)number;
	syscall(SYS_getppid);
}

static void open_missing(long number)
{
	char path[64];

	snprintf(path, sizeof(path), "/nowhere/%ld", number);
	syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
}

static void measure(void (*call)(long number), long n)
{
	double before = cpu_ns();

	for (long i = 0; i < n; i++)
		call(i);
	printf("%.2f\n", (cpu_ns() - before) / (double)n);
}

int main(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		if (line[0] == 'm')
			mix(strtol(line + 4, NULL, 10));
		else if (line[0] == 'o')
			measure(open_missing, strtol(line + 5, NULL, 10));
		else
			measure(get, strtol(line, NULL, 10));
		fflush(stdout);
	}
	return 0;
}
