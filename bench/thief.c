/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thief SECONDS: takes 4 ms of every 10 ms of each CPU with real-time priority, as a host does that has promised its
 * CPUs to several machines. It needs root, and ends itself after that time, whatever becomes of the one that started it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PRIORITY 50
#define PERIOD_NS 10000000L
#define TAKEN_NS 4000000L
#define NS_PER_SECOND 1000000000L
#define SECONDS_MAX 86400

static long long ns_of(const struct timespec *time)
{
	return (long long)time->tv_sec * NS_PER_SECOND + time->tv_nsec;
}

static long long now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return ns_of(&time);
}

static void sleep_until(long long ns)
{
	struct timespec time = { .tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
		;
}

/* All take the same 4 ms, so that nothing else runs meanwhile. */
static void take(int cpu, long long begin_ns, long long end_ns)
{
	struct sched_param param = { .sched_priority = PRIORITY };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0 || sched_setscheduler(0, SCHED_FIFO, &param) < 0)
		_exit(1);
	for (long long period = begin_ns; period < end_ns; period += PERIOD_NS) {
		sleep_until(period);
		while (now_ns() < period + TAKEN_NS)
			;
	}
	_exit(0);
}

static int may_take(void)
{
	struct sched_param param = { .sched_priority = PRIORITY }, usual = { 0 };
	int good = sched_setscheduler(0, SCHED_FIFO, &param) == 0;

	if (good && sched_setscheduler(0, SCHED_OTHER, &usual) < 0)
		good = 0;
	return good;
}

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) : 0;
	long long begin_ns = now_ns() + PERIOD_NS, end_ns = begin_ns + (long long)(seconds * NS_PER_SECOND);
	pid_t parent = getpid();
	int failed = 0, status;
	cpu_set_t cpus;

	if (!(seconds > 0 && seconds <= SECONDS_MAX)) {
		fprintf(stderr, "thief: give the number of seconds to run, at most %d\n", SECONDS_MAX);
		return 2;
	}
	if (!may_take() || sched_getaffinity(0, sizeof(cpus), &cpus) < 0) {
		fprintf(stderr, "thief: SCHED_FIFO: %s; run it as root\n", strerror(errno));
		return 1;
	}
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus) && fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() != parent)
				_exit(1);
			take(cpu, begin_ns, end_ns);
		}
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}
