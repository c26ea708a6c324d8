/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switches ROUNDS: two processes on one CPU hand a byte to and fro; prints nanoseconds of CPU
 * time for each context switch, which other load does not change much. What watches them adds what it costs.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double used(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
}

static void pass(int from, int to, long rounds, int first)
{
	char byte = 0;

	for (long i = 0; i < rounds; i++)
		if ((first && write(to, &byte, 1) != 1) || read(from, &byte, 1) != 1 ||
		    (!first && write(to, &byte, 1) != 1))
			_exit(1);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 0;
	int there[2], back[2], status;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	if (rounds < 1 || sched_setaffinity(0, sizeof(cpus), &cpus) || pipe(there) || pipe(back))
		return 2;
	if (fork() == 0) {
		pass(there[0], back[1], rounds, 0);
		_exit(0);
	}
	pass(back[0], there[1], rounds, 1);
	if (wait(&status) < 0 || status != 0)
		return 1;
	printf("%.1f\n", (used(RUSAGE_SELF) + used(RUSAGE_CHILDREN)) / (double)(2 * rounds));
	return 0;
}
