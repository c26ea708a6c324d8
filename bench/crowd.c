/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crowd SLEEPING BUSY ...: so many processes that sleep, and that burn 2 ms in each 100; they end with it.
 * As no machine is without new processes, it starts four a second that end at once.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BURN_NS 2000000L
#define PERIOD_NS 100000000L
#define SECOND_NS 1000000000L

static long clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void burn(int number)
{
	long next_ns = clock_ns(CLOCK_MONOTONIC) + number * (PERIOD_NS / 20);

	for (;;) {
		struct timespec until = { .tv_sec = next_ns / SECOND_NS, .tv_nsec = next_ns % SECOND_NS };
		long end_ns;

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		end_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + BURN_NS;
		while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns)
			for (volatile int i = 0; i < 20000; i++)
				;
		next_ns += PERIOD_NS;
	}
}

static pid_t start(pid_t parent, int number, int busy)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGTERM, SIG_DFL);
	if (getppid() != parent)
		_exit(1);
	if (number < busy) {
		prctl(PR_SET_NAME, "busy");
		burn(number);
	}
	for (;;)
		pause();
}

static void start_some(const sigset_t *until)
{
	struct timespec quarter = { .tv_nsec = SECOND_NS / 4 };

	while (sigtimedwait(until, NULL, &quarter) < 0) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

static void end_all(const pid_t *pids, int n_pids)
{
	for (int i = 0; i < n_pids; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	int busy = argc > 2 ? atoi(argv[2]) : 0, all = argc > 2 ? atoi(argv[1]) + busy : 0, started = 0;
	pid_t *pids = calloc(all > 0 ? (size_t)all : 1, sizeof(*pids)), parent = getppid();
	sigset_t ends;

	if (all <= 0 || !pids)
		return 2;
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		return 1;
	while (started < all && (pids[started] = start(getpid(), started, busy)) > 0)
		started++;
	sigprocmask(SIG_BLOCK, &ends, NULL);
	if (started == all) {
		for (int i = 0; i < busy; i++)
			printf("%d ", (int)pids[i]);
		puts("");
		fflush(stdout);
		start_some(&ends);
	}
	end_all(pids, started);
	return started < all;
}
