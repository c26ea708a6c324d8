/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switches ROUNDS: two processes on one CPU hand a byte to and fro; prints nanoseconds for each context switch. What
 * watches them makes it slower by what it costs.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
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
	double start;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	if (rounds < 1 || sched_setaffinity(0, sizeof(cpus), &cpus) || pipe(there) || pipe(back))
		return 2;
	if (fork() == 0) {
		pass(there[0], back[1], rounds, 0);
		_exit(0);
	}
	start = now();
	pass(back[0], there[1], rounds, 1);
	printf("%.1f\n", (now() - start) / (double)(2 * rounds));
	return wait(&status) < 0 || status != 0;
}
