/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and writes that neither a signal nor a stopped terminal keeps from returning. */
#include <config.h>

#include "sys/buffer_io.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES ((size_t)4096)
#define WRITE_BYTES ((size_t)4096)
#define WRITE_NS 20000000L /* the longest time that one write may block */

int buffer_read(struct buffer *buffer, int fd, size_t most)
{
	while (buffer->length < most) {
		ssize_t got;

		buffer_reserve(buffer, READ_BYTES);
		got = read(fd, buffer->bytes + buffer->length, READ_BYTES);
		if (got == 0)
			break;
		if (got > 0)
			buffer->length += (size_t)got;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static void ignore(int number)
{
	(void)number;
}

/* SIGURG does nothing by default; here it interrupts a system call. */
static void prepare_break(void)
{
	static bool prepared;
	const struct sigaction action = { .sa_handler = ignore };
	sigset_t set;

	if (prepared)
		return;
	prepared = true;
	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	sigaction(SIGURG, &action, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/*
 * A terminal that poll(2) reports as writable may have room for a single byte, or be stopped before the
 * write, which then blocks. A timer interrupts it; it repeats, as it may expire before the write starts.
 */
static ssize_t write_briefly(int fd, const char *bytes, size_t length)
{
	const struct itimerspec times = { { .tv_nsec = WRITE_NS }, { .tv_nsec = WRITE_NS } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG };
	timer_t timer;
	ssize_t written;
	bool timed;
	int error;

	prepare_break();
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	timed = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
	if (timed)
		timer_settime(timer, 0, &times, NULL);
	written = write(fd, bytes, length);
	error = errno;
	if (timed)
		timer_delete(timer);
	errno = error;
	return written;
}

/* In pieces so small that a pipe that is ready takes them at once. */
static ssize_t write_piece(int fd, const char *bytes, size_t length, bool briefly)
{
	size_t piece = length < WRITE_BYTES ? length : WRITE_BYTES;

	return briefly ? write_briefly(fd, bytes, piece) : write(fd, bytes, piece);
}

static bool is_plain_file(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/* Waits until fd takes bytes. 0; -ECANCELED; -EBADF: no descriptor. */
static int wait_writable(int fd, int cancel_fd)
{
	struct pollfd fds[2] = { { .fd = fd, .events = POLLOUT }, { .fd = cancel_fd, .events = POLLIN } };

	if (fd < 0)
		return -EBADF;
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return fds[0].revents == 0 && fds[1].revents != 0 ? -ECANCELED : 0;
}

static bool is_ready(int fd, short events)
{
	struct pollfd ready = { .fd = fd, .events = events };

	return poll(&ready, 1, 0) > 0;
}

int buffer_write(struct buffer *buffer, int fd, int cancel_fd)
{
	bool briefly = cancel_fd >= 0 && !is_plain_file(fd);
	size_t done = 0;

	while (done < buffer->length) {
		int error = wait_writable(fd, cancel_fd);
		ssize_t written;

		if (error)
			return error;
		written = write_piece(fd, buffer->bytes + done, buffer->length - done, briefly);
		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR && errno != EAGAIN)
			return -errno;
		else if (is_ready(cancel_fd, POLLIN))
			return -ECANCELED;
	}
	buffer_empty(buffer);
	return 0;
}

int buffer_write_now(struct buffer *buffer, int fd)
{
	size_t done = 0;
	int error = 0;

	while (done < buffer->length && is_ready(fd, POLLOUT)) {
		ssize_t written = write_piece(fd, buffer->bytes + done, buffer->length - done, true);

		if (written <= 0) {
			error = written < 0 && errno != EINTR && errno != EAGAIN ? -errno : 0;
			break;
		}
		done += (size_t)written;
	}
	buffer->length -= done;
	if (done > 0)
		memmove(buffer->bytes, buffer->bytes + done, buffer->length);
	return error;
}
