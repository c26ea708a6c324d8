/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event loop over epoll, timerfd and signalfd. */
#include <config.h>

#include "sys/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/span.h"
#include "sys/descriptor.h"
#include "sys/machine.h"

#define TEST_TICK 128 /* bytes of a test above this one */
#define TENTH_NS UINT64_C(100000000)

static bool has_expired(int timer_fd)
{
	uint64_t expirations;

	return read(timer_fd, &expirations, sizeof(expirations)) == (ssize_t)sizeof(expirations);
}

static void on_tick(void *context, uint32_t events)
{
	struct loop *loop = context;

	(void)events;
	if (has_expired(loop->tick_fd) && loop->tick)
		loop->tick(loop->context);
}

static void on_wake(void *context, uint32_t events)
{
	struct loop *loop = context;

	(void)events;
	if (has_expired(loop->wake_fd) && loop->wake)
		loop->wake(loop->context);
}

static void on_signal(void *context, uint32_t events)
{
	struct loop *loop = context;
	struct signalfd_siginfo info;

	(void)events;
	while (read(loop->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (loop->signal)
			loop->signal(loop->context, (int)info.ssi_signo, info.ssi_code == SI_KERNEL);
}

static void tell_test(const struct loop *loop, unsigned char byte)
{
	(void)!send(loop->test_fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void on_test(void *context, uint32_t events)
{
	struct loop *loop = context;
	unsigned char byte;

	(void)events;
	if (recv(loop->test_fd, &byte, 1, MSG_DONTWAIT) != 1) {
		loop_unwatch(loop, loop->test_fd);
		return;
	}
	loop->asked = byte;
	if (byte <= TEST_TICK)
		return;
	stepped_clock_step((byte - TEST_TICK) * TENTH_NS);
	loop_set_tick(loop, 0);
	loop->test_ticks = true;
	if (loop->tick)
		loop->tick(loop->context);
}

/* Anything but a socket is left alone after its first event. */
static void open_test(struct loop *loop)
{
	const char *name = secure_getenv("PANETOP_TEST_FD");
	uint64_t fd;

	if (!name || !span_whole_number(name, 3, INT_MAX, &fd) || fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
		return;
	loop->test_fd = (int)fd;
	if (loop_watch(loop, loop->test_fd, EPOLLIN, on_test, loop) == 0)
		tell_test(loop, 0);
}

static int open_descriptors(struct loop *loop, const int *signals)
{
	struct sigaction action;
	sigset_t set;
	int error;

	sigemptyset(&set);
	for (; *signals; signals++)
		if (sigaction(*signals, NULL, &action) < 0 || action.sa_handler != SIG_IGN)
			sigaddset(&set, *signals);
	error = pthread_sigmask(SIG_BLOCK, &set, NULL);
	loop->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	loop->tick_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	loop->wake_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (error)
		return -error;
	if (loop->signal_fd < 0 || loop->epoll_fd < 0 || loop->tick_fd < 0 || loop->wake_fd < 0)
		return -errno;
	error = loop_watch(loop, loop->signal_fd, EPOLLIN, on_signal, loop);
	if (!error)
		error = loop_watch(loop, loop->wake_fd, EPOLLIN, on_wake, loop);
	return error ? error : loop_watch(loop, loop->tick_fd, EPOLLIN, on_tick, loop);
}

int loop_open(struct loop *loop, const int *signals)
{
	int error;

	loop->epoll_fd = loop->tick_fd = loop->wake_fd = loop->signal_fd = loop->test_fd = -1;
	loop->n_watches = loop->asked = 0;
	loop->stopped = loop->test_ticks = false;
	error = open_descriptors(loop, signals);
	if (error)
		loop_close(loop);
	else
		open_test(loop);
	return error;
}

void loop_close(struct loop *loop)
{
	int *const fds[] = { &loop->epoll_fd, &loop->tick_fd, &loop->wake_fd, &loop->signal_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		descriptor_close(fds[i][0]);
		*fds[i] = -1;
	}
}

int loop_watch(struct loop *loop, int fd, uint32_t events,
	       void (*ready)(void *context, uint32_t events), void *context)
{
	struct epoll_event event = { .events = events, .data.u32 = loop->n_watches };

	if (loop->n_watches == LOOP_WATCHES_MAX)
		return -ENOSPC;
	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return -errno;
	loop->watches[loop->n_watches++] =
		(struct loop_watch){ .fd = fd, .ready = ready, .context = context };
	return 0;
}

void loop_unwatch(struct loop *loop, int fd)
{
	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

void loop_wake_in(struct loop *loop, uint64_t ns)
{
	struct itimerspec timer = { .it_value = clock_timespec(ns) };

	timerfd_settime(loop->wake_fd, 0, &timer, NULL);
}

int loop_set_tick(struct loop *loop, uint64_t ns)
{
	struct itimerspec timer = { .it_interval = clock_timespec(ns), .it_value = clock_timespec(ns) };

	if (loop->test_ticks)
		return 0;
	return timerfd_settime(loop->tick_fd, 0, &timer, NULL) < 0 ? -errno : 0;
}

static int wait_once(struct loop *loop)
{
	struct epoll_event events[LOOP_WATCHES_MAX];
	int count = epoll_wait(loop->epoll_fd, events, LOOP_WATCHES_MAX, loop->asked ? 0 : -1);

	if (count < 0)
		return errno == EINTR ? 0 : -errno;
	if (count == 0) {
		tell_test(loop, loop->asked);
		loop->asked = 0;
	}
	for (int i = 0; i < count && !loop->stopped; i++) {
		struct loop_watch *watch = &loop->watches[events[i].data.u32];

		watch->ready(watch->context, events[i].events);
	}
	return 0;
}

int loop_run(struct loop *loop)
{
	int error = 0;

	while (!loop->stopped && !error)
		error = wait_once(loop);
	return error;
}

bool loop_poll_signals(struct loop *loop)
{
	on_signal(loop, EPOLLIN);
	return !loop->stopped;
}

bool loop_signal_waits(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t waiting;
	bool any = false;

	if (sigpending(&waiting) < 0)
		return false;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		any |= sigismember(&waiting, numbers[i]) == 1;
	return any;
}

void loop_stop(struct loop *loop)
{
	loop->stopped = true;
}
