/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm WORKERS SECONDS [PROGRAM...]: when a line comes in, so many processes start children one after the other
 * for so long. The children exit at once, or become PROGRAM, each in its turn, with a number of its own. It prints
 * how many each worker started, and ends with its input: so all that it counts can be told before it is gone.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKERS_MAX 64

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void start_child(int worker, long number, char **programs, int n_programs)
{
	char text[64], *program = n_programs ? programs[number % n_programs] : NULL;
	char *arguments[] = { program, text, "--of=storm", NULL };
	int status;
	pid_t pid;

	snprintf(text, sizeof(text), "--number=%d.%ld", worker, number);
	pid = vfork();
	if (pid == 0) {
		if (program)
			execve(program, arguments, environ);
		_exit(program ? 1 : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
		_exit(1);
}

int main(int argc, char **argv)
{
	int workers = argc > 2 ? atoi(argv[1]) : 0, failed = 0, status;
	long *counts = mmap(NULL, WORKERS_MAX * sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);
	char line[16];

	if (workers < 1 || workers > WORKERS_MAX || counts == MAP_FAILED || !fgets(line, sizeof(line), stdin))
		return 2;
	for (int worker = 0; worker < workers; worker++) {
		double end = now() + atof(argv[2]);

		if (fork() != 0)
			continue;
		for (; now() < end; counts[worker]++)
			start_child(worker, counts[worker], argv + 3, argc - 3);
		_exit(0);
	}
	while (wait(&status) > 0)
		failed |= status;
	for (int worker = 0; worker < workers; worker++)
		printf("%ld ", counts[worker]);
	puts("");
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin))
		return 2;
	return failed != 0;
}
