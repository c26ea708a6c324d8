/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bare SECONDS PERIOD_US PRIORITY: what anyone pays who is woken so often: a process on each CPU, fifo, that does
 * nothing but sleep until the next moment. Prints percent of a CPU that the costliest used.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000LL

static long long clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * SECOND_NS + now.tv_nsec;
}

/* Percent of a CPU; -1 where it is not allowed. */
static double sleep_on(int cpu, double seconds, long long period_ns, int priority)
{
	struct sched_param param = { .sched_priority = priority };
	long long start_ns, next_ns, used_ns;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((unsigned)cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0 || sched_setscheduler(0, SCHED_FIFO, &param) < 0)
		return -1;
	used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	start_ns = next_ns = clock_ns(CLOCK_MONOTONIC);
	while ((double)(next_ns - start_ns) < seconds * 1e9) {
		struct timespec until;

		next_ns += period_ns;
		until = (struct timespec){ .tv_sec = next_ns / SECOND_NS, .tv_nsec = next_ns % SECOND_NS };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	}
	used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - used_ns;
	return 100.0 * (double)used_ns / (double)(clock_ns(CLOCK_MONOTONIC) - start_ns);
}

int main(int argc, char **argv)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN), running = 0;
	double most = -1, percent;
	int results[2];

	if (argc < 4 || pipe(results) < 0)
		return 2;
	for (int cpu = 0; cpu < n_cpus; cpu++) {
		pid_t pid = fork();

		if (pid == 0) {
			percent = sleep_on(cpu, atof(argv[1]), atoll(argv[2]) * 1000, atoi(argv[3]));
			_exit(write(results[1], &percent, sizeof(percent)) != sizeof(percent));
		}
		running += pid > 0;
	}
	for (; running > 0 && read(results[0], &percent, sizeof(percent)) == sizeof(percent); running--)
		most = percent > most ? percent : most;
	while (wait(NULL) > 0)
		;
	printf("%.3f\n", most);
	return most < 0;
}
