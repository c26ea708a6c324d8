/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event loop: an epoll that waits for ticks, signals and descriptors. */
#ifndef PANETOP_SYS_LOOP_H
#define PANETOP_SYS_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define LOOP_WATCHES_MAX 16

struct loop_watch {
	int fd;
	void (*ready)(void *context, uint32_t events); /* events as in epoll_wait(2) */
	void *context;
};

struct loop {
	int epoll_fd, tick_fd, wake_fd, signal_fd;
	struct loop_watch watches[LOOP_WATCHES_MAX];
	unsigned n_watches;
	bool stopped;
	int test_fd;         /* a test's socket, or -1 */
	unsigned char asked; /* its last byte, until it is answered; 0: none */
	bool test_ticks;     /* the test says when it ticks */
	void (*tick)(void *context);
	void (*wake)(void *context);
	void (*signal)(void *context, int number, bool of_terminal); /* of_terminal: to the whole job */
	void *context; /* of tick, wake and signal */
};

/*
 * Blocks the given signals, terminated by 0, in this thread and those that it starts: they arrive as calls of
 * loop->signal. Signals that are ignored from the start (nohup, a background job) stay ignored. Call it
 * before any thread is started. 0 or -errno.
 *
 * A test names a socket in the environment variable PANETOP_TEST_FD. It gets one byte, 0, here; then each
 * byte that it writes comes back when no watched descriptor, tick or signal is left to handle. From 129 on
 * it makes a tick, each number more a tenth of a second later. After the first of these the loop ticks at no
 * other time, and stepped_clock stands still between them.
 */
int loop_open(struct loop *loop, const int *signals);
void loop_close(struct loop *loop);

/* events as in epoll_ctl(2). -EPERM for a regular file, which epoll refuses; -ENOSPC when full. */
int loop_watch(struct loop *loop, int fd, uint32_t events,
	       void (*ready)(void *context, uint32_t events), void *context);

/* Removes an existing watch, also from ready(). */
void loop_unwatch(struct loop *loop, int fd);

/* Ticks every ns nanoseconds, the first after one interval; 0 stops them. */
int loop_set_tick(struct loop *loop, uint64_t ns);

/* Calls loop->wake once after ns nanoseconds; replaces the last request. */
void loop_wake_in(struct loop *loop, uint64_t ns);

/* Runs until loop_stop(). 0 or -errno. */
int loop_run(struct loop *loop);

/* For long work: handles pending signals; false when one of them stopped the loop. */
bool loop_poll_signals(struct loop *loop);

/* For long work that has no loop: does a signal wait that may end the run? */
bool loop_signal_waits(void);
void loop_stop(struct loop *loop);

#endif
